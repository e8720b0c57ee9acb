"""The judge: what actions are worth, by games that are played to the end. Hints, costs and charts are its opinion.

Candidates are chosen in some playouts and compared in others, so a comparison has no bias towards what was chosen: the
best of many noisy means is too high. All comparisons are of pairs from the same determinization.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from w51_agents.search.agent_playouts import PopulationPlayouts
from w51_agents.search.believing import Believer, BelievingState
from w51_agents.search.halving import flat_search
from w51_agents.search.imputation import BidImputation
from w51_agents.search.players import make_population
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.priors import make_prior
from w51_agents.search.responses import PASS
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env.compiler.compile import repeated
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

SEARCHED, TESTED = 256, 192  # playouts that find a rival, and pairs that compare it
MEASURED = 768, 3072  #     pairs that measure a cost, one after the other as long as it is in doubt
COURSE = 128  #     games that are played to the end from each step of a game
_SUSPECT = 1.0  #   standard errors of its lead in a test from which the lead is measured again
_CERTAIN = 4.0  #   standard errors of a measured lead from which it is not
CLEAR = 2.0  #      standard errors on each side of an interval: a cost is one whose interval does not reach zero
_ALWAYS, _HALF, _NEVER = 4, 2, 0  # quarters of the games of a course in which the bot has a seat
_AT_ONCE = 16  #    steps of a course whose games are played together


@dataclass(frozen=True)
class Worth:
    """What an action is worth to the seat that decides.

    Attributes:
        action: Action id.
        chance: Share of the playouts that the seat wins after it, 0 to 1; a shared win counts as its part.
        points: Mean final score of the seat.
    """

    action: int
    chance: float
    points: float


@dataclass(frozen=True)
class Verdict:
    """One action compared with the best of the others, its rival, in playouts that did not choose the rival.

    Attributes:
        judged: The action.
        rival: The other action; None if nothing else was to be considered.
        lead: Chance of the rival less that of the action; negative if the action leads. 0 without a rival.
        error: Standard error of `lead`, of pairs of playouts from the same determinization.
        playouts: Number of playouts that began with each of both.
        suspect: Whether an earlier test found a lead of the rival, so that `lead` was measured in other playouts.
    """

    judged: Worth
    rival: Worth | None
    lead: float
    error: float
    playouts: int
    suspect: bool

    def turned(self) -> "Verdict":
        """The same on the rival."""
        assert self.rival is not None
        return replace(self, judged=self.rival, rival=self.judged, lead=-self.lead)

    @property
    def is_costly(self) -> bool:
        """Whether the action cost a part of the chance to win: the interval of `lead` is above zero."""
        return self.suspect and self.lead > CLEAR * self.error

    @property
    def advice(self) -> Worth:
        """The better of both, by the numbers that are said of them."""
        return self.rival if self.rival is not None and self.lead > 0 else self.judged

    @property
    def alternative(self) -> Worth | None:
        """The one of both that is not the advice; None without a rival."""
        return self.judged if self.advice is self.rival else self.rival


class _JudgedState(BelievingState):
    tolerance = None  # so that a rival is compared with all others


class Judge:
    """Judges decisions and positions of one game.

    In the playouts each seat is played by a network or by the game's best bot, as likely as the network believes;
    where it believes nothing, one is as likely as the other. A judgement is worth what these are.

    Args:
        game: The game with its rules bound.
        network: Name of a network without memory that plays this game, as `pretrained`; it proposes the candidates,
            too. None: the bot does both.

    Raises:
        AgentError: There is no such network, or it cannot play this game.
        MissingPackageError: PyTorch, for a network.
    """

    def __init__(self, game: Game, network: str | None = None):
        bot = game.bots[-1]
        player, self._playouts = make_population(game, bot, network)
        self._prior = make_prior(game, network, bot)
        self._imputation, self._believer = BidImputation(game, player), Believer(game, network)
        self._settings = SearchSettings(playouts=SEARCHED)
        self._game = game
        self._network = network
        self._passes = [number for number, each in enumerate(game.actions) if each.name == PASS]

    def judge(
        self,
        determinizer: Determinizer,
        observation: np.ndarray,
        mask: np.ndarray,
        seed: int,
        action: int | None = None,
    ) -> Verdict:
        """The verdict on an action, from what the seat that decides knows.

        The rival of any action is what is advised where no action is given, with the same seed.

        Args:
            determinizer: Of the seat that decides.
            observation: (layout.size,) int8, what it observes.
            mask: (num_actions,) int8, its legal actions.
            seed: Seed of the determinizations; the same seed gives the same verdict.
            action: The action; None: the one that the network, or the bot, would most likely choose.
        """
        self._prior.reset(seed)
        proposed = self._prior.candidates(observation[None], mask[None])[0].tolist()
        first = proposed[0]  # of the first sight
        passes = [each for each in self._passes if mask[each]]  # always a candidate, however unlikely
        candidates = np.array(list(dict.fromkeys([first, *proposed, *passes])))
        state = self._state(determinizer, candidates, seed)
        others = [action] if action not in (None, first) else []
        if len(candidates) == 1 and not others:
            wins, points = self._compare(state, candidates, TESTED)
            return Verdict(_worth(first, wins[:, 0], points[:, 0]), None, 0.0, 0.0, TESTED, suspect=False)
        pair = [first, self._rival(state) if len(candidates) > 1 else others[0]]
        advised = self._verdict(state, pair, TESTED)
        if action is None:
            return advised
        if action == pair[1]:
            pair.reverse()
            tested = advised.turned()
        elif others:
            pair = [action, advised.advice.action]
            tested = self._verdict(state, pair, TESTED)
        else:
            tested = advised
        return self._measured(state, pair, tested)

    def _measured(self, state: SearchState, pair: Sequence[int], tested: Verdict) -> Verdict:
        """The verdict on a pair in new playouts, if the rival leads in the test and as long as that is in doubt."""
        for count in MEASURED:
            if not _SUSPECT * tested.error < tested.lead <= (_CERTAIN * tested.error if tested.suspect else 1.0):
                break
            tested = replace(self._verdict(state, pair, count), suspect=True)
        return tested

    def _verdict(self, state: SearchState, pair: Sequence[int], count: int) -> Verdict:
        """The verdict on the first of a pair of actions, in (count,) new determinizations."""
        wins, points = self._compare(state, np.array(pair), count)
        judged, rival = (_worth(each, wins[:, at], points[:, at]) for at, each in enumerate(pair))
        return Verdict(judged, rival, *_lead(wins), count, suspect=False)

    def wins(self, determinizer: Determinizer, actions: Sequence[int], count: int, seed: int) -> np.ndarray:
        """(count, K) floats: the wins of the seat that decides in playouts of `count` new determinizations, after each
        of (K,) actions.
        """
        each = np.asarray(actions, np.int64)
        return self._compare(self._state(determinizer, each, seed), each, count)[0]

    def _state(self, determinizer: Determinizer, candidates: np.ndarray, seed: int) -> SearchState:
        bots = self._believer.bots(determinizer)
        return _JudgedState(determinizer, candidates, self._settings, self._imputation, seed, bots)

    def course(self, states: np.ndarray, actions: Sequence[int], seats: Sequence[str | None] = ()) -> np.ndarray:
        """(N, num_players) floats: the chance of each seat to win after each decision of a game, everything known.

        The same random numbers are used at all decisions. So chances change where somebody chose what those who play
        to the end would not have chosen, and nowhere else.

        Args:
            states: (N,) structured, the states in which the decisions were made.
            actions: The action that was chosen in each.
            seats: Name of the agent in each seat, None where it is not known. The bot or the network that sits there
                plays on; empty: nobody is known.
        """
        with self._seated(seats):
            return self._course(states, actions)

    def _course(self, states: np.ndarray, actions: Sequence[int]) -> np.ndarray:
        players, chosen = self._game.num_players, np.asarray(actions, np.int64)
        streams = np.random.default_rng(0).integers(2**63, size=COURSE).astype(np.uint64)
        goes_on = np.concatenate([[False], self._deals_nothing(states, chosen)])
        wins = np.empty((len(states), COURSE, players))
        for start in range(0, len(states), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            begun, first = repeated(states[part], COURSE), np.repeat(chosen[part], COURSE)
            begun["stream"] = np.tile(streams, len(states[part]))
            # Where the choice is the one of the game before, that game goes on: its result is known.
            is_new = (self._playouts.choices(begun) != first) | ~np.repeat(goes_on[part], COURSE)
            played = np.empty((len(first), players))
            played[is_new] = wins_of(self._playouts.play(LeafBatch(begun[is_new], first[is_new])).ranks)
            for at, anew in enumerate(is_new.reshape(-1, COURSE, 1)):
                of_step = played[at * COURSE : (at + 1) * COURSE]
                wins[start + at] = np.where(anew, of_step, wins[start + at - 1])
        return wins.mean(axis=1)

    @contextmanager
    def _seated(self, seats: Sequence[str | None]) -> Iterator[None]:
        """Those who are known to sit at the table play on there."""
        if not isinstance(self._playouts, PopulationPlayouts):
            yield
            return
        quarters = self._playouts.population.bot_quarters
        known = {self._game.bots[-1]: _ALWAYS, self._network: _NEVER, None: _HALF}
        quarters[: len(seats)] = [known.get(name, _HALF) for name in seats]
        try:
            yield
        finally:
            quarters[:] = _HALF

    def _deals_nothing(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """(N - 1,) bool: whether the state after each decision is the same with another random stream."""
        batch = Batch(self._game, len(states) - 1, seed=0, autoreset="disabled", observe=False, keep_final=False)
        dealt = states[:-1].copy()
        dealt["stream"] += np.uint64(1)
        batch.load(dealt)
        batch.step(actions[:-1])
        after = batch.clone()
        after["stream"] = states["stream"][1:]
        return np.array(after == states[1:])

    def _rival(self, state: SearchState) -> int:
        """The best candidate beside the first one, in playouts that serve no other purpose."""
        search = flat_search(state)
        leaves = next(search)
        while True:
            try:
                leaves = search.send(self._play(leaves))
            except StopIteration:
                break
        others = state.samples[:, 1:]
        rounds = (~np.isnan(others)).sum(axis=0)  # those that were played longest are the best ones
        return int(state.candidates[1 + np.where(rounds == rounds.max(), np.nanmean(others, axis=0), -1.0).argmax()])

    def _compare(self, state: SearchState, actions: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(count, K) wins and (count, K) scores of the seat, in new determinizations after each action."""
        states = state.draw(count)
        outcomes = self._play(LeafBatch(repeated(states, len(actions)), np.tile(actions, count)))
        wins, scores = wins_of(outcomes.ranks)[:, state.seat], outcomes.scores[:, state.seat].astype(float)
        return wins.reshape(count, -1), scores.reshape(count, -1)

    def _play(self, leaves: LeafBatch) -> Outcomes:
        return self._playouts.play(leaves)


def _worth(action: int, wins: np.ndarray, points: np.ndarray) -> Worth:
    return Worth(action, float(wins.mean()), float(points.mean()))


def _lead(wins: np.ndarray) -> tuple[float, float]:
    """Mean lead of the second of a pair over the first, and its standard error."""
    leads = wins[:, 1] - wins[:, 0]
    return float(leads.mean()), float(leads.std(ddof=1) / len(leads) ** 0.5)
