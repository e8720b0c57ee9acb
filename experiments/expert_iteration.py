"""Does a network come to withstand the search it learns from? Run: `python -m experiments.expert_iteration`.

Each round, a local best response plays games among copies of a network; its decisions are searched, and some of the
copies': each likely action is played in the same determinizations, whose playouts the network plays to the end. Then
the network learns from the decisions of all rounds: the worth of its policy, times a weight that grows by `rate` each
round, less the distance from the first network. So its logits are those of the first one and `rate` times the sum of
what each round found its actions to be worth (mirror descent; Abbasi-Yadkori et al., "Politex", ICML 2019), and as
worth enters linearly, its noise teaches nothing wrong. Among bots and other networks it stays the first network.
"""

import json
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import typer
from torch import Tensor

from experiments import lab
from experiments.searched import (
    ALL_LOTS,
    AT_ONCE,
    Asked,
    Searched,
    best_of_other_half,
    by_lots,
    explained,
    searched,
    spread,
)
from w51_agents.agent.bots import BotAgent
from w51_agents.named.registry import make_agent
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import load_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION, Game
from w51_lab.arena.matches import play_matches

GAME, PLAYERS = "warehouse51_v1", (3, 4, 5)
OTHERS = ("heuristic", "pretrained-v1", "pretrained-v2", "exploiter")
ROWS, RATE, ANCHOR = 512, 3e-4, 10.0  #  decisions of a step, its length, and the weight of being the first network
RIDGE = 3000.0  #  of `explain`
EPOCHS, WEIGHT = 6, 100.0  #  of `fit`
RESPONSE = 100  #  playouts of the responses to the first and the last network
_ANCHOR_GAMES, _ANCHOR_SHARE = 32, 0.6


def main(
    agent: Annotated[str, typer.Argument(help="The first network.")] = "pretrained",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of games and learning.")] = 12,
    batches: Annotated[int, typer.Option(min=1, help=f"Batches of {AT_ONCE} games a round.")] = 5,
    players: Annotated[list[int], typer.Option(help="Players of the games, by turns.")] = [4],  # noqa: B006 - for typer
    playouts: Annotated[int, typer.Option(min=4, help="Playouts of each searched decision.")] = 64,
    lots: Annotated[int, typer.Option(min=0, help="Search where at most so many lots are to come.")] = ALL_LOTS,
    share: Annotated[float, typer.Option(min=0, max=1, help="Of the copies' decisions that are searched.")] = 0.05,
    rate: Annotated[float, typer.Option(help="Of each round, what worth is multiplied by.")] = 6.0,
    games: Annotated[int, typer.Option(min=4, help="Games of each match of the first and the last network.")] = 2000,
    searches: Annotated[int, typer.Option(min=4, help="Games of each response to them.")] = 400,
    runs: lab.Runs = lab.RUNS / "expert",
    data: lab.DataFile = lab.RESULTS / "expert_iteration.json",
) -> None:
    """Play, learn, print."""
    torch.set_num_threads(1)
    runs.mkdir(parents=True, exist_ok=True)
    asked = Asked(playouts, share, lots)
    settings = {"agent": agent, "batches": batches, "players": players, **asked._asdict(), "rate": rate}
    steps = Rounds(settings, runs)
    lab.measured(data, settings, ({"round": number} for number in range(rounds)), steps.measure)
    lab.measured(data, settings, [{"explained_of": rounds}], steps.explain)
    lab.measured(data, settings, [{"lots_of": rounds}], steps.by_lots)
    lab.measured(data, settings, [{"fitted_of": rounds}] if rounds > 1 else [], steps.fit)
    pairs = [("network", "heuristic"), ("heuristic", "network"), ("network", "pretrained-v2")]
    of_pairs = {("response", "network"): searches, **dict.fromkeys(pairs, games)}
    cells = (
        {"network": network, "one": one, "among": among, "players": of_game, "games": number}
        for of_game in sorted(set(players))
        for network in (0, rounds)
        for (one, among), number in of_pairs.items()
    )
    for cell in lab.measured(data, settings, cells, steps.play)["cells"]:
        print(json.dumps(cell))


class Rounds:
    """Rounds of games and learning.

    Args:
        settings: As of `main`.
        runs: Folder of the networks, and of the decisions of each round.
    """

    def __init__(self, settings: dict[str, Any], runs: Path):
        self._settings = settings
        self._runs = runs
        self._asked = Asked(*(settings[name] for name in Asked._fields))
        self._game = make_game(GAME, num_players=4)
        self._first = load_network(self._game, existing_checkpoint(settings["agent"], self._game))
        save_network(self._first, self._game, self._path(0))
        self._kept, self._second = list[Decisions](), list[np.ndarray]()
        self._anchors: Decisions | None = None

    def _path(self, number: int) -> Path:
        return self._runs / f"{number}.safetensors"

    def measure(self, round: int) -> dict[str, Any]:  # noqa: A002 - a key of the data
        """A round: what the response's games show of the network, from which it then learns."""
        players, settings = self._settings["players"], self._settings
        for number in range(len(self._kept), round + 1):
            of_game, agent = players[number % len(players)], f"{self._path(number)}:sampled"
            found = searched(agent, of_game, settings["batches"], self._asked, self._runs / f"{number}.npz")
            self._kept.append(Decisions.of(self._first, make_game(GAME, num_players=of_game), found))
            self._second.append(found.utilities[:, :, 1] - found.utilities[:, :, 0])
        network = load_network(self._game, self._path(round)).requires_grad_(True)
        cell = {"players": of_game, **judged(network, self._kept[-1], found)}
        if not self._path(round + 1).exists():
            self._anchors = self._anchors or anchors(self._first, settings["agent"])
            torch.manual_seed(round)
            learn(network, Decisions.joined(self._kept), settings["rate"] * len(self._kept), self._anchors)
            save_network(network, self._game, self._path(round + 1))
        return cell

    def explain(self, explained_of: int) -> dict[str, Any]:
        """What the first network's last layer explains of how much more the second likeliest action is worth, as a part
        of the variance without noise: by least squares, in a fifth of the decisions that it is not fitted to.
        """
        for number in range(len(self._kept), explained_of):
            self.measure(number)
        decisions, second = Decisions.joined(self._kept), np.concatenate(self._second)
        with torch.no_grad():
            layers = [decisions.features(self._first, rows) for rows in decisions.parts()]
        return {"decisions": len(second), "part": explained(torch.cat(layers).double().numpy(), second, RIDGE)}

    def by_lots(self, lots_of: int) -> dict[str, Any]:
        """When in the game a search gains what, over the networks of all rounds."""
        parts = [Searched(**np.load(self._runs / f"{number}.npz")) for number in range(lots_of)]
        joined = Searched._make(map(np.concatenate, zip(*parts, strict=True)))
        policy = Decisions.of(self._first, self._game, joined).first.exp().numpy()
        return {"lots": by_lots(self._game, joined), "passes": unlikely_passes(self._game, joined, policy)}

    def fit(self, fitted_of: int) -> dict[str, Any]:
        """What the first network gains in points, and its standard error, if it learns on and on from the decisions of
        all rounds but the last: in these, and in those of the last round.
        """
        for number in range(len(self._kept), fitted_of):
            self.measure(number)
        fitted, held_out = Decisions.joined(self._kept[: fitted_of - 1]), self._kept[fitted_of - 1]
        network, rows = load_network(self._game, self._path(0)).requires_grad_(True), []
        torch.manual_seed(0)
        for _ in range(EPOCHS):
            learn(network, fitted, WEIGHT)
            rows.append([gained(network, fitted), gained(network, held_out)])
        return {"fitted": len(fitted.masks), "held_out": len(held_out.masks), "epochs": rows}

    def play(self, network: int, one: str, among: str, players: int, games: int) -> dict[str, Any]:
        """A match with the network before a round, or with the response to it; actions are drawn."""
        agent, game = f"{self._path(network)}:sampled", make_game(GAME, num_players=players)
        names = {"network": agent, "response": f"response:{agent},playouts={RESPONSE}"}
        line_up = [(name, make_agent(names.get(name, name), game)) for name in (one, among)]
        row = play_matches(game, line_up, games, seed=7).standings()[0]
        return {"wins": row.win_rate, "low": row.low, "high": row.high}


class Decisions(NamedTuple):
    """Decisions as tensors: inputs, masks, actions of the base policy, the first network's log probabilities (N,
    actions); candidates (N, K) and their utilities, less their mean.
    """

    inputs: Tensor
    masks: Tensor
    base: Tensor
    first: Tensor
    candidates: Tensor
    utilities: Tensor

    @classmethod
    def of(cls, first: ActorCritic, game: Game, found: Searched) -> "Decisions":
        """Of searched decisions in games like this one."""
        base = BotAgent(game, first.base_policy or game.bots[-1]).act_batch(found.observations, found.masks)
        inputs = torch.from_numpy(first.inputs_for(game)(found.observations))
        masks, candidates = torch.from_numpy(found.masks != 0), torch.from_numpy(found.candidates)
        mean, is_one = torch.from_numpy(found.utilities).mean(1), candidates >= 0
        centred = (mean - mean.sum(1, keepdim=True) / is_one.sum(1, keepdim=True).clamp(min=1)) * is_one
        made = cls(inputs, masks, torch.from_numpy(base), torch.zeros(0), candidates, centred)
        with torch.no_grad():
            return made._replace(first=torch.cat([made.policy(first, rows) for rows in made.parts()]))

    @classmethod
    def joined(cls, parts: list["Decisions"]) -> "Decisions":
        return cls(*(torch.cat(column) for column in zip(*parts, strict=True)))

    def parts(self) -> tuple[Tensor, ...]:
        return torch.arange(len(self.masks)).split(4096)

    def features(self, network: ActorCritic, rows: Tensor) -> Tensor:
        """(B, width) what the last hidden layer of a network computes in some rows."""
        base = self.base[rows] if network.base_policy else None
        return network.evaluate(self.inputs[rows], self.masks[rows], base)[2]

    def policy(self, network: ActorCritic, rows: Tensor) -> Tensor:
        """(B, actions) log probabilities of a network in some rows."""
        base = self.base[rows] if network.base_policy else None
        return network(self.inputs[rows], self.masks[rows], base)[0].log_softmax(1)

    def outcome(self, network: ActorCritic, rows: Tensor) -> tuple[Tensor, Tensor]:
        """(B,) what the network's policy gains over the first one, and its distance from it in nats."""
        new, old = self.policy(network, rows), self.first[rows]
        difference = (new.exp() - old.exp()).gather(1, self.candidates[rows].clamp(min=0))
        return (difference * self.utilities[rows]).sum(1), (new.exp() * (new - old)).sum(1)


def judged(network: ActorCritic, decisions: Decisions, found: Searched) -> dict[str, Any]:
    """What the response won; what a search gains in a decision over the network, chosen in one half of the
    determinizations and measured in the other; what the network gains over the first one; and how much more the second
    likeliest action is worth than the likeliest: the mean, and the standard deviations of the worth and of its noise.
    """
    with torch.no_grad():
        parts = [decisions.outcome(network, rows) for rows in decisions.parts()]
        policy = torch.cat([decisions.policy(network, rows).exp() for rows in decisions.parts()])
    gains, nats = (torch.cat(column).numpy() for column in zip(*parts, strict=True))
    halves, is_one = found.utilities, found.candidates >= 0
    played = policy.gather(1, decisions.candidates.clamp(min=0)).numpy() * is_one
    played /= played.sum(1, keepdims=True)
    more = (best_of_other_half(halves, is_one) - (played[:, None] * halves).sum(2)).mean(1)
    second = halves[:, :, 1] - halves[:, :, 0]
    rows = {"found": more, "gain": gains, "nats": nats, "response": found.wins, "second": second.mean(1)}
    means = {name: [float(one.mean()), float(one.std() / len(one) ** 0.5), len(one)] for name, one in rows.items()}
    return {**means, "spread": spread(second), "noise": float(np.std(second[:, 0] - second[:, 1]) / 2)}


def unlikely_passes(game: Game, found: Searched, policy: np.ndarray) -> dict[str, Any]:
    """What passes are worth that a policy (N, actions) gives less than a thousandth of what it gives its likeliest
    action: the share of decisions with one, its worth beside the likeliest action with the standard deviation without
    noise, and what a search gains in a decision without these passes and with them, each with its standard error.
    """
    passing, halves = game.actions.id("pass"), found.utilities
    unlikely = (found.candidates == passing) & (policy[:, [passing]] < 1e-3 * policy.max(1, keepdims=True))
    worth = (np.where(unlikely[:, None], halves, 0.0).sum(2) - halves[:, :, 0])[unlikely.any(1)]
    gains = []
    for candidates in ((found.candidates >= 0) & ~unlikely, found.candidates >= 0):
        gain = (best_of_other_half(halves, candidates) - halves[:, :, 0]).mean(1)
        gains.append([float(gain.mean()), float(gain.std() / len(gain) ** 0.5)])
    return {"share": len(worth) / len(halves), "worth": float(worth.mean()), "spread": spread(worth), "gains": gains}


def gained(network: ActorCritic, decisions: Decisions) -> list[float]:
    """What a network gains in decisions over the first one, and the standard error."""
    with torch.no_grad():
        gains = torch.cat([decisions.outcome(network, rows)[0] for rows in decisions.parts()])
    return [float(gains.mean()), float(gains.std()) / len(gains) ** 0.5]


def learn(network: ActorCritic, decisions: Decisions, weight: float, others: Decisions | None = None) -> None:
    """An epoch of gradient steps; among others, if there are any, the network stays as it was."""
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    for rows in torch.randperm(len(decisions.masks)).split(ROWS):
        gains, distances = decisions.outcome(network, rows)
        loss = distances.mean() - weight * gains.mean()
        if others is not None:
            anchored = torch.randint(len(others.masks), (ROWS,))
            first = others.first[anchored]
            apart = (first.exp() * (first - others.policy(network, anchored))).sum(1)
            loss = loss + ANCHOR * apart.mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()


def anchors(first: ActorCritic, agent: str) -> Decisions:
    """Decisions of the first network among others, alone or all but one, with all numbers of players."""
    parts = []
    for players in PLAYERS:
        game, generator = make_game(GAME, num_players=players), np.random.default_rng(players)
        own = make_agent(f"{agent}:sampled", game)
        seen = []
        for name in OTHERS:
            other = make_agent(name, game)
            batch = Batch(game, _ANCHOR_GAMES, seed=players, autoreset="disabled")
            batch.reset()
            games = np.arange(_ANCHOR_GAMES)
            while len(running := np.flatnonzero(batch.seat >= 0)):
                is_odd_one = batch.seat[running] == running % players
                is_own = is_odd_one == (running < _ANCHOR_GAMES // 2)
                actions = np.full(len(games), NO_ACTION, np.int64)
                for rows, one in ((running[is_own], own), (running[~is_own], other)):
                    if len(rows):
                        actions[rows] = one.act_batch(batch.observation[rows], batch.action_mask[rows])
                chosen = running[is_own & (generator.random(len(running)) < _ANCHOR_SHARE)]
                seen.append((batch.observation[chosen].copy(), batch.action_mask[chosen].copy()))
                batch.step(actions)
        observations, masks = (np.concatenate(column) for column in zip(*seen, strict=True))
        nothing = np.full((len(masks), 1), -1), np.zeros((len(masks), 2, 1), np.float32), np.zeros(0)
        parts.append(Decisions.of(first, game, Searched(observations, masks, *nothing)))
    return Decisions.joined(parts)


if __name__ == "__main__":
    typer.run(main)
