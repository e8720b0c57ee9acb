"""The summary of a tournament: what `summary.json` has, and what the report reads."""

from w51_agents.named.versions import Versions
from w51_env.engine.options import OptionValues
from w51_lab.arena.agent_statistics import AgentFacts
from w51_lab.arena.deals import DealFacts
from w51_lab.behaviour.summary import AgentBehaviour, BehaviourSummary
from w51_lab.statistics.panel import PanelResults
from w51_lab.statistics.records import Estimate, Record

FORM = 5


class Standing(Record):
    """How an agent did: its win rate of a seat, its score and its rank."""

    name: str
    win_rate: Estimate
    score: Estimate
    rank: Estimate

    def result(self, decides: str) -> Estimate:
        """What agents are compared by, as `Summary.decides` says."""
        return {"rank": self.rank, "payoff": self.score}.get(decides, self.win_rate)


class RatingFacts(Record):
    """A rating by openskill."""

    mu: float
    sigma: float


class AgentSummary(Standing, AgentFacts):
    """An agent in a tournament.

    Attributes:
        seats: The most games in which it had any seat.
        games: Games in which it had a seat.
        elo: None if some agents have no game that connects them.
        rating: None unless it was asked for.
        nash: Weight in the Nash equilibrium of the meta-game, with its interval over redrawn deals; None where some
            pairs never met.
        nash_skill: What decides, less that of the Nash mixture; None as `nash`.
        alpha_rank: None unless it was asked for, and as `nash`.
    """

    seats: int
    games: int
    elo: Estimate | None
    rating: RatingFacts | None
    nash: Estimate | None
    nash_skill: float | None
    alpha_rank: float | None


class PairSummary(Record):
    """Differences of two agents per seat, first less second, paired by deal; which is better, if that is decided."""

    first: str
    second: str
    win_rate: Estimate
    score: Estimate
    rank: Estimate
    decided: bool
    better: str | None

    def result(self, decides: str) -> Estimate:
        """The difference of what agents are compared by, as `Summary.decides` says."""
        return {"rank": self.rank, "payoff": self.score}.get(decides, self.win_rate)

    def reversed(self) -> "PairSummary":
        """The same, second less first."""
        names = {"first": self.second, "second": self.first}
        changed = {"win_rate": -self.win_rate, "score": -self.score, "rank": -self.rank}
        return self.model_copy(update={**names, **changed})


class FirstFailure(Record):
    """The first failure of an agent and its counts, as `failures.json` has them; `observation` by its named parts."""

    agent: str
    failures: dict[str, int]
    skipped: int
    first: str
    seat: int
    traceback: list[str]
    legal: list[str]
    observation: dict[str, int | list] | None


class Payoffs(Record):
    """Mean result of the agent of a row less that of the column, of what decides; None for agents that never met."""

    agents: list[str]
    table: list[list[float | None]]


class DesignEffect(Record):
    """Variance of a mean in these games, in that of as many independent ones; None if unknown."""

    win_rate: float | None
    score: float | None


class Stopped(Record):
    """A tournament that ended early, after so many of the planned deals."""

    deals: int
    of: int
    reason: str


class MatchSummary(Record):
    """The agents of a line-up, one for each seat, and how each did in it."""

    lineup: list[str]
    agents: list[Standing]


class Played(Record):
    """How the games of a tournament were played.

    Attributes:
        game: Its id.
        options: Its options.
        versions: Of this package and others, the commit; None: unknown.
        deals: Those that were played.
        seatings: The rule of the seatings.
        seconds: Wall time.
        score_unit: Where scores are parts of money: the unit of money, and how many are one.
    """

    game: str
    options: OptionValues
    versions: Versions
    deals: DealFacts
    seatings: str
    seconds: float
    score_unit: str = ""


class Summary(Played):
    """All figures of a tournament.

    Attributes:
        form: Version of this form.
        players: Number of seats.
        games: Number of games.
        equal_share: 1 / players.
        decides: What agents are compared by: "win", "rank" or "payoff" (`Game.decides`).
        confidence: Of all intervals.
        agents: In the order of the tournament.
        pairs: Every two agents.
        better: What `better` of a pair means.
        payoffs: The meta-game.
        design_effect: What the design of the match is worth.
        stopped: None of a tournament that was played to its end.
        seats: What decides, of each agent in each seat; None where it never sat.
        seat_errors: Their standard errors by deal.
        matches: Each line-up.
        panel: Of the format `panel`, else None.
        behaviour: None unless it was recorded, and of a game without behaviour tables.
    """

    form: int
    players: int
    games: int
    equal_share: float
    decides: str
    confidence: float
    agents: list[AgentSummary]
    pairs: list[PairSummary]
    better: str
    payoffs: Payoffs
    design_effect: DesignEffect
    stopped: Stopped | None
    seats: list[list[float | None]]
    seat_errors: list[list[float | None]]
    matches: list[MatchSummary]
    panel: PanelResults | None
    behaviour: BehaviourSummary | None

    @property
    def ordered(self) -> list[AgentSummary]:
        """The agents, sorted by what decides, the best first."""
        sign = 1 if self.decides == "rank" else -1
        return sorted(self.agents, key=lambda agent: sign * agent.result(self.decides).mean)

    @property
    def compared(self) -> list[PairSummary]:
        """The pairs, the better agent first, in the order of the standings."""
        order = {agent.name: index for index, agent in enumerate(self.ordered)}
        pairs = [pair if order[pair.first] < order[pair.second] else pair.reversed() for pair in self.pairs]
        return sorted(pairs, key=lambda pair: (order[pair.first], order[pair.second]))

    @property
    def behaved(self) -> list[AgentBehaviour]:
        """The behaviour of each agent, in the order of the standings; none if it was not recorded."""
        by_name = {agent.name: agent for agent in self.behaviour.agents} if self.behaviour else {}
        return [by_name[agent.name] for agent in self.ordered if agent.name in by_name]
