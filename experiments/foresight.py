"""What does a search see that a network does not? Run: `python -m experiments.foresight`.

A response plays among copies of a network. Where it would choose another action than the network, which is it, and what
does it gain? And how far ahead must one look to see it? For each candidate, what the seats would score and the ingots
that they would have, had the game ended when some more lots have been turned over, are means over determinizations in
which the network plays on. By least squares they explain a part of how much more the second likeliest action is worth.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from experiments import lab
from experiments.searched import Asked, Search, Searched, explained, spread
from w51_agents.search.agent_playouts import PlayerPlayouts
from w51_agents.search.playouts import batches_by_size
from w51_agents.search.search_state import SearchState
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.standing import Standing

DEPTHS, WORLDS = (1, 2, 4, 8), 32  #  lots that have been turned over since; determinizations
RIDGE = 100.0
PHASES = ("reveal", "open auction", "blind auction")  # the others are effects and the end of the game


class Foresight(Search):
    """A search that also says what each candidate leads to.

    Attributes:
        ahead: Of each searched decision (K, DEPTHS, 2 * players): the standing and the ingots, its seat's first.
    """

    def __init__(self, agent: str, game: Game, playouts: int):
        super().__init__(agent, game, Asked(playouts))
        assert isinstance(self._leaves, PlayerPlayouts)  # a network plays
        self.ahead = list[np.ndarray]()
        self._standing = Standing(self._game)
        self._plays = self._leaves
        self._batch = batches_by_size(partial(Batch, self._game, seed=0, autoreset="disabled", keep_final=False))

    def _utilities(self, batch: Batch, some: list[tuple[int, np.ndarray]], generator: Any) -> Iterator[np.ndarray]:
        for (game, candidates), worth in zip(some, super()._utilities(batch, some, generator), strict=True):
            self.ahead.append(self._look(batch.determinizer(game), candidates, int(generator.integers(2**63))))
            yield worth

    def _look(self, determinizer: Determinizer, candidates: np.ndarray, seed: int) -> np.ndarray:
        state = SearchState(determinizer, candidates, self._settings, self._imputation, seed)
        leaves = np.repeat(state.draw(WORLDS), len(candidates))
        count = len(leaves)
        players = self._game.num_players
        layout = self._game.layout
        batch = self._batch(count)
        batch.load(np.resize(leaves, batch.num_games))
        left = layout.read(batch.observation[:count], "deck_left").sum(1)
        batch.step(np.resize(np.tile(candidates, WORLDS), batch.num_games))
        self._plays.begin()
        found, clockwise = np.zeros((count, len(DEPTHS), 2 * players)), (state.seat + np.arange(players)) % players
        waits = np.ones(found.shape[:2], bool)
        while True:
            lots = left - layout.read(batch.observation[:count], "deck_left").sum(1)
            lots[batch.seat[:count] < 0] = max(DEPTHS)
            for number, depth in enumerate(DEPTHS):
                if len(rows := np.flatnonzero(waits[:, number] & (lots >= depth))):
                    states, waits[rows, number] = batch.games[rows], False
                    points = self._standing.scores(states), states["ingots"][:, :players]
                    found[rows, number] = np.concatenate([part[:, clockwise] for part in points], 1)
            if not waits.any():
                return found.reshape(WORLDS, len(candidates), len(DEPTHS), -1).mean(0)
            batch.step(self._plays.choose(batch))


def main(
    agent: Annotated[str, typer.Argument(help="The network.")] = "pretrained",
    batches: Annotated[int, typer.Option(min=1, help="Batches of games.")] = 4,
    players: Annotated[int, typer.Option(help="Players of the games.")] = 4,
    playouts: Annotated[int, typer.Option(min=4, help="Playouts of each searched decision.")] = 64,
    also: Annotated[
        list[Path] | None,
        typer.Option(help="Decisions that `expert_iteration` has searched: their changes count, too."),
    ] = None,
    runs: lab.Runs = lab.RUNS / "foresight",
    data: lab.DataFile = lab.RESULTS / "foresight.json",
) -> None:
    """Play, explain, print."""
    runs.mkdir(parents=True, exist_ok=True)
    settings = {"agent": agent, "players": players, "playouts": playouts}
    search = Foresight(agent, make_game("warehouse51_v1", num_players=players), playouts)

    def play(seed: int) -> dict[str, Any]:
        if not (path := runs / f"{seed}.npz").exists():
            found = search.play(seed)
            np.savez_compressed(path, **found._asdict(), ahead=np.stack([one[:2] for one in search.ahead]))
            search.ahead.clear()
        with np.load(path) as arrays:
            return {"wins": float(arrays["wins"].mean()), "decisions": len(arrays["ahead"])}

    lab.measured(data, settings, ({"seed": 900 + number} for number in range(batches)), play)
    results = lab.measured(data, settings, [{"batches": batches}], partial(judged, runs, players, also or []))
    print(json.dumps(results["cells"][-1]))


def judged(runs: Path, players: int, also: list[Path], batches: int) -> dict[str, Any]:
    """By kind of change, how often and what is gained; and what is explained by depth, in open and blind auctions."""
    files = [dict(np.load(runs / f"{900 + number}.npz")) for number in range(batches)]
    ahead, *arrays = (np.concatenate([file[name] for file in files]) for name in ("ahead", *Searched._fields))
    found = Searched(*arrays)
    game = make_game("warehouse51_v1", num_players=players)
    phases = game.layout.read(found.observations, "phase").argmax(1)
    bids = np.isin(phases, (1, 2))
    second = found.utilities[bids, :, 1] - found.utilities[bids, :, 0]
    change = ahead[bids, 1] - ahead[bids, 0]
    return {
        **changes(game, [found, *(Searched(**np.load(path)) for path in also)]),
        "deviation": spread(second),
        "auctions": len(second),
        "explained": [explained(change[:, depth], second, RIDGE) for depth in range(len(DEPTHS))],
    }


def changes(game: Game, parts: list[Searched]) -> dict[str, Any]:
    """Of each kind of change: the share of all decisions, and the mean gain, with its error, of those. An action is
    chosen in one half of the determinizations, and its gain over the likeliest one is of the other half.
    """
    gains, names = dict[str, list[float]](), [each.name for each in game.actions]
    for observations, _, *columns, _ in parts:
        phases = game.layout.read(observations, "phase").argmax(1)
        for phase, candidates, utilities in zip(phases, *columns, strict=True):
            for half in (0, 1):
                best = int(np.where(candidates >= 0, utilities[half], -1.0).argmax())
                kind = _kind(names[candidates[0]], names[candidates[best]], phase) if best else "none"
                gains.setdefault(kind, []).append(float(utilities[1 - half, best] - utilities[1 - half, 0]))
    rows, decisions = {kind: np.array(ones) for kind, ones in gains.items()}, sum(len(part.masks) for part in parts)
    shares = {kind: [len(of) / (2 * decisions), of.mean(), of.std() / len(of) ** 0.5] for kind, of in rows.items()}
    return {"decisions": decisions, "changes": shares}


def _kind(old: str, new: str, number: int) -> str:
    phase = PHASES[number] if number < len(PHASES) else "effects and the end of the game"
    bids = [int(name.removeprefix("bid_")) for name in (old, new) if name.startswith("bid_")]
    if len(bids) == 2:
        return f"{phase}: a {'higher' if bids[1] > bids[0] else 'lower'} bid"
    if not bids:
        return f"{phase}: another choice"
    return f"{phase}: {'a bid instead of none' if new.startswith('bid_') else 'none instead of a bid'}"


if __name__ == "__main__":
    typer.run(main)
