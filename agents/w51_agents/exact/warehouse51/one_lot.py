"""The last auction of a game in which each ingot is a point and the lot is worth the same to every seat."""

from itertools import product
from pathlib import Path

import numpy as np

from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import IN_DECK, UNSOLD

FIRST_PLACE = {"blue": 8, "green": 7, "golden": 6, "red": 5}  # G3
Profile = tuple[int, ...]  # a bid of each seat


def one_lot(folder: Path, category: str, ingots: tuple[int, ...], *, weapon: bool) -> Batch:
    """One game before its last auction; player 0 reveals, and the next action is to turn over the lot.

    Each player has a purse, by which every ingot is a point. The lot is worth FIRST_PLACE[category] to its buyer.
    Nothing else
    scores: the purses are all tied (G4), and no set is complete without a relic of a third category, which went unsold.
    """
    players = len(ingots)
    of_purses, missing = [other for other in FIRST_PLACE if other != category][:2]
    relics = [
        _relic("lot", category, weapon),
        _relic("gone", missing),
        *(_relic(f"purse_{seat}", of_purses) for seat in range(players)),
    ]
    file = folder / f"one_lot_{category}_{players}_{weapon}.toml"
    file.write_text('schema = 1\nname = "one lot"\ncounterfeits = 0\n' + "".join(relics), "utf-8")
    richest = max(ingots)
    game = warehouse51.make(
        players, relics=str(file), start_ingots=richest, reserve=0, counterfeits_per_gap=0, first_player=0
    )
    batch = Batch(game, 1, seed=0, autoreset="disabled")
    batch.reset()
    state, relic_set = batch.games[0], load_relic_set(str(file))
    state["ingots"][:players] = ingots
    state["drawn"] = game.rules["deck_size"][0]
    state["drawn"][list(FIRST_PLACE).index(category)] = 0
    state["place"][relic_set.index("lot")] = IN_DECK
    state["place"][relic_set.index("gone")] = UNSOLD
    for seat in range(players):
        state["place"][relic_set.index(f"purse_{seat}")] = seat
    batch.refresh()
    return batch


def payoffs_of_all_profiles(auction: Batch, ingots: int) -> np.ndarray:
    """(ingots + 1, ..., players): net gain of each seat for each profile of bids, by the engine."""
    game, players = auction.game, auction.game.num_players
    profiles = np.array(list(product(range(ingots + 1), repeat=players)))
    batch = Batch(game, len(profiles), seed=0, autoreset="disabled", keep_final=False)
    batch.reset()
    batch.games[:] = auction.games[0]
    batch.refresh()
    batch.step(np.full(len(profiles), np.flatnonzero(auction.action_mask[0])[0]))
    for _ in range(players):
        bids = profiles[np.arange(len(profiles)), batch.seat]
        batch.step(game.actions.id("pass") + bids)
    assert batch.done.all()
    return (batch.final_scores - ingots).reshape(*(ingots + 1,) * players, players)


def pure_equilibria(payoffs: np.ndarray) -> set[Profile]:
    """All profiles from which no seat gains by another bid."""
    players = payoffs.shape[-1]
    stable = np.ones(payoffs.shape[:-1], bool)
    for seat in range(players):
        stable &= payoffs[..., seat] == payoffs[..., seat].max(axis=seat, keepdims=True)
    return {tuple(profile) for profile in np.argwhere(stable).tolist()}


def _relic(name: str, category: str, weapon: bool = False) -> str:
    effect = 'alignment = "neutral"'
    if name.startswith("purse"):
        effect = 'alignment = "blessed"\ntiming = "scoring"\neffect = "ingots_per_point"\namount = 1'
    return (
        f'[[relic]]\nid = "{name}"\nname = {{ en = "{name}" }}\ncategory = "{category}"\nvalue = 1\n'
        f"weapon = {str(weapon).lower()}\ncounterfeit = false\n{effect}\n"
    )
