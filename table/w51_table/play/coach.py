"""The coach: what the judge says of decisions at tables (`w51_agents.search.judge`); asked longer, it is surer."""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from w51_agents.agent.seeds import decision_seed
from w51_agents.named.explanation import Choice, Explanation, Limit
from w51_agents.networks.load import PRETRAINED
from w51_agents.search.deliberation import Deliberation, Verdict
from w51_agents.search.judge import QUICK, WHOLE, Judge
from w51_agents.search.price_limit import LimitSearch, PriceLimit
from w51_env.engine.game import Game
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.agent_pool import plays_here

COACH = "coach"  # its name beside those of agents
_MAX_JUDGES = 4  # games with their options whose judges are kept
_MAX_KEPT = 32  # decisions whose playouts are kept, to go on with


class Thought(NamedTuple):
    """What the coach thinks of one decision so far, and has said of it."""

    deliberation: Deliberation
    limits: LimitSearch | None
    said: Explanation | None = None


def judge_network(game: Game) -> str | None:
    """The network of the judge: that of `champion`, `pretrained`; None if it does not play this game."""
    return PRETRAINED if plays_here(PRETRAINED, game) else None


class Coach:
    """Advises at decisions. One thread at a time may ask it."""

    def __init__(self) -> None:
        self._judges: OrderedDict[tuple[str, str], Judge] = OrderedDict()
        self._thoughts: OrderedDict[tuple[str, str, int, bytes], Thought] = OrderedDict()

    def judge(self, game: Game) -> Judge:
        """The judge of a game, made the first time, with the network of `judge_network` or the game's best bot."""
        key = game.id, repr(sorted(game.options.items()))
        if key not in self._judges:
            self._judges[key] = Judge(game, judge_network(game))
            if len(self._judges) > _MAX_JUDGES:
                self._judges.popitem(last=False)
        self._judges.move_to_end(key)
        return self._judges[key]

    def consider(self, frame: Frame, seed: int, action: int | None = None) -> Deliberation:
        """Begin to judge a decision; arguments as of `Judge.consider`, but `seed` is that of the game."""
        seed = decision_seed(seed, frame.number)
        judge = self.judge(frame.game)
        return judge.consider(frame.determinizer(), frame.observation, frame.mask, seed, action)

    def limits(self, frame: Frame, seed: int) -> LimitSearch | None:
        """Begin to ask how high the seat may go; arguments as of `consider`."""
        judge = self.judge(frame.game)
        return judge.limits(frame.determinizer(), frame.mask, decision_seed(seed, frame.number))

    def advise(self, frame: Frame, seed: int) -> Explanation:
        """What to do at a decision, the best alternative, and how high to go; `seed` is that of the game.

        Asked again, it goes on where it was, until the explanation `is_whole`.
        """
        key = frame.game.id, repr(sorted(frame.game.options.items())), seed, frame.state.tobytes()
        judge, thought = self.judge(frame.game), self._thoughts.pop(key, None)
        if thought is None:
            thought = Thought(self.consider(frame, seed), self.limits(frame, seed))
        if thought.said is None or not thought.said.is_whole:
            goes_on = judge.think([thought.deliberation], QUICK)
            if thought.limits is not None:
                judge.climb(thought.limits, QUICK)
            thought = thought._replace(said=_explanation(thought, goes_on))
        self._thoughts[key] = thought
        if len(self._thoughts) > _MAX_KEPT:
            self._thoughts.popitem(last=False)
        assert thought.said is not None
        return thought.said

    def conclude(self, frame: Frame, seed: int) -> Explanation:
        """What `advise` says in the end."""
        while not (advice := self.advise(frame, seed)).is_whole:
            pass
        return advice


def _explanation(thought: Thought, goes_on: bool) -> Explanation:
    """What the playouts so far say; whether more of them could change it."""
    verdict, limits = thought.deliberation.verdict(), thought.limits
    is_whole = not goes_on or verdict.playouts * len(verdict.worths) >= WHOLE
    limit = None if limits is None else _limit(limits.found(), verdict)
    return Explanation(COACH, verdict.advice.action, choices=_choices(verdict), limit=limit, is_whole=is_whole)


def _choices(verdict: Verdict) -> tuple[Choice, ...]:
    """What is said best and the best alternative, each with what it is worth."""
    best, other = verdict.advice, verdict.alternative
    choices = [Choice(best.action, None, best.chance, verdict.error, verdict.playouts, best.points)]
    if other is not None:
        error = (verdict.error**2 + other.error**2) ** 0.5
        choices.append(Choice(other.action, None, other.chance, error, other.playouts, other.points, other.error))
    return tuple(choices)


def _limit(found: PriceLimit, verdict: Verdict) -> Limit:
    """A price limit that fits a verdict on the same decision: what is said best is within it."""
    highest, best = found.highest, verdict.advice.action
    is_bid = best != found.passing and found.bids[0] <= best <= found.bids[-1]
    passed = next((one.chance for one in verdict.worths if one.action == found.passing), found.passed)
    lead, gain = verdict.advice.chance - passed, float(np.interp(best, found.bids, found.gains)) if is_bid else 0.0
    scale = min(1.0, lead / gain) if gain > 0 else 1.0  # softened wins differ by more where one bid decides the game
    chances = (passed + scale * found.gains).clip(0, 1).tolist()
    if best == found.passing:
        highest = None
    elif is_bid:
        highest = max(best, highest or 0)
    return Limit(
        highest, passed, tuple(zip(found.bids.tolist(), chances, (scale * found.errors).tolist(), strict=True))
    )
