"""The coach: what the judge of `w51_agents.search.judge` says of games at tables, as hints and after the game."""

from collections import OrderedDict
from dataclasses import replace

import numpy as np

from w51_agents.agent.seeds import decision_seed
from w51_agents.named.explanation import Choice, Explanation
from w51_agents.networks.load import PRETRAINED
from w51_agents.search.judge import Judge, Verdict, Worth
from w51_env.engine.game import ALL, Game
from w51_env.engine.victory import wins_of
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.agent_pool import plays_here
from w51_table.play.playback import Playback

COACH = "coach"  # its name beside those of agents
_PRACTICE = 3  # positions
_MAX_JUDGES = 4  # games with their options whose judges are kept


def judge_network(game: Game) -> str | None:
    """The network of the judge: that of `champion`, `pretrained`; None if it does not play this game."""
    return PRETRAINED if plays_here(PRETRAINED, game) else None


class Coach:
    """Advises at decisions. One thread at a time may ask it."""

    def __init__(self) -> None:
        self._judges: OrderedDict[tuple[str, str], Judge] = OrderedDict()

    def judge(self, game: Game) -> Judge:
        """The judge of a game, made the first time, with the network of `judge_network` or the game's best bot."""
        key = game.id, repr(sorted(game.options.items()))
        if key not in self._judges:
            self._judges[key] = Judge(game, judge_network(game))
            if len(self._judges) > _MAX_JUDGES:
                self._judges.popitem(last=False)
        self._judges.move_to_end(key)
        return self._judges[key]

    def verdict(self, frame: Frame, seed: int, action: int | None = None) -> Verdict:
        """The verdict on an action at a decision, as `Judge.judge`; `seed` is that of the game."""
        seed = decision_seed(seed, frame.number)
        return self.judge(frame.game).judge(frame.determinizer(), frame.observation, frame.mask, seed, action)

    def advise(self, frame: Frame, seed: int) -> Explanation:
        """What to do at a decision, and the best alternative; `seed` is that of the game."""
        verdict = self.verdict(frame, seed)
        choices = [_choice(verdict.advice, verdict.playouts)]
        if verdict.alternative is not None:
            choices.append(replace(_choice(verdict.alternative, verdict.playouts), lead_error=verdict.error))
        return Explanation(COACH, verdict.advice.action, choices=tuple(choices))


def _choice(worth: Worth, playouts: int) -> Choice:
    error = (worth.chance * (1 - worth.chance) / playouts) ** 0.5
    return Choice(worth.action, utility=worth.chance, error=error, playouts=playouts, points=worth.points)


class GameReview:
    """What a coach says of one complete game, computed when it is asked for the first time."""

    def __init__(self, coach: Coach):
        self.coach = coach
        self._chances: np.ndarray | None = None
        self._verdicts: dict[int, dict[int, Verdict]] = {}

    def chances(self, playback: Playback) -> np.ndarray:
        """(N, num_players): for each decision the chance of each seat after it, everything known; last, the result."""
        if self._chances is None:
            frames = playback.frames[:-1]
            states = np.array([frame.state for frame in frames], playback.game.record)
            actions, judge = playback.actions_before(len(frames)), self.coach.judge(playback.game)
            self._chances = judge.course(states, actions, playback.agents)
            self._chances[-1:] = result_of(playback)
        return self._chances

    def verdicts(self, playback: Playback, seat: int) -> dict[int, Verdict]:
        """The verdicts on the decisions of a seat, from what it knew, by the number of the frame."""
        if seat not in self._verdicts:
            self._verdicts[seat] = {
                frame.number: self.coach.verdict(frame, playback.seed, frame.action)
                for frame in playback.frames
                if frame.seat == seat
            }
        return self._verdicts[seat]

    def costly(self, playback: Playback, seat: int) -> list[tuple[int, Verdict]]:
        """The decisions of a seat that cost a part of its chance to win, with their verdicts, the most costly first."""
        return [(step, verdict) for step, verdict in self._by_lead(playback, seat) if verdict.is_costly]

    def practice(self, playback: Playback, seat: int) -> list[int]:
        """The frames of the three decisions of a seat that are most worth another try: the most costly ones of three
        lots, or, if there are fewer, those in which its choice was least clearly the best one.
        """
        lots = np.array([index for index, _ in playback.lots])
        steps: dict[int, int] = {}  # by lot
        order = sorted(self._by_lead(playback, seat), key=lambda one: not one[1].is_costly)
        for step, verdict in order:
            if verdict.rival is not None:
                steps.setdefault(int((lots <= step).sum()), step)
        return list(steps.values())[:_PRACTICE]

    def _by_lead(self, playback: Playback, seat: int) -> list[tuple[int, Verdict]]:
        return sorted(self.verdicts(playback, seat).items(), key=lambda one: -one[1].lead)


def result_of(playback: Playback) -> tuple[float, ...]:
    """What each seat won: 1, or a part of it where several won."""
    players = playback.frames[-1].view(ALL).players
    return tuple(wins_of(np.array([player["score"]["rank"] for player in players])).tolist())
