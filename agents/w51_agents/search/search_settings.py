"""Settings of a search agent, and its name: `search:playouts=2000`."""

import math
from dataclasses import dataclass, fields

from w51_agents.agent.interface import AgentError
from w51_agents.agent.name_settings import check, kinds_of, parse_pairs
from w51_env.engine.errors import nearest
from w51_env.engine.options import plain

SEARCH, CHAMPION = "search", "champion"
IMPUTATIONS = ("bot", "uniform")
_DEFAULT_PLAYOUTS = 1000


@dataclass(frozen=True)
class SearchSettings:
    """All settings. The same settings and seed give the same actions, unless the search is bound by seconds.

    Attributes:
        playouts: Playouts per decision; None: 1,000, unless `seconds` is given.
        seconds: Wall time per decision in seconds, instead of `playouts`.
        playout_bot: The bot that plays all seats in the playouts, or a network as `make_agent` takes it; or
            several, as `heuristic+pretrained-v2`, of which one is drawn for each
            determinization. None: the game's best bot, its last.
        prior: Agent that proposes the candidates, and whose choice is kept unless another action is better: a bot, or
            a checkpoint as `make_agent` takes it. None: the (first) playout bot, or the game's best bot if that is
            `random`.
        margin: Weight of the lead in the utility, beside the win, 0 to 1.
        z_threshold: Standard errors by which an action must lead the prior's choice to replace it.
        imputation: Sealed bids of others: what the player of the playouts would bid (`bot`), or any bid they could
            make (`uniform`).

    Raises:
        AgentError: A value that is not allowed.
    """

    playouts: int | None = None
    seconds: float | None = None
    playout_bot: str | None = None
    prior: str | None = None
    margin: float = 0.3
    z_threshold: float = 1.0
    imputation: str = IMPUTATIONS[0]

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, plain(getattr(self, field.name)))
        if self.imputation not in IMPUTATIONS:
            hint = nearest(self.imputation, IMPUTATIONS)
            raise AgentError(f"imputation: {self.imputation!r}, but allowed are {', '.join(IMPUTATIONS)}{hint}")
        if self.playouts is not None and self.seconds is not None:
            raise AgentError(f"playouts: {self.playouts} and seconds: {self.seconds}, but only one of them is allowed")
        check(self.playouts is None or self.playouts >= 1, "playouts", self.playouts, "an integer of at least 1")
        check(self.seconds is None or 0 < self.seconds < math.inf, "seconds", self.seconds, "a number above 0")
        check(0 <= self.margin <= 1, "margin", self.margin, "a number from 0 to 1")
        check(0 <= self.z_threshold < math.inf, "z_threshold", self.z_threshold, "a number of at least 0")

    @property
    def max_playouts(self) -> int | None:
        """Playouts per decision; None if `seconds` bound it."""
        return _DEFAULT_PLAYOUTS if self.playouts is None and self.seconds is None else self.playouts


def is_search(name: str) -> bool:
    """Whether this is the name of a search agent: `search`, or `search:` and settings."""
    return name.partition(":")[0] == SEARCH


def is_champion(name: str) -> bool:
    """Whether this is the name of a champion: `champion`, or `champion:` and settings."""
    return name.partition(":")[0] == CHAMPION


def parse_settings(spec: str) -> SearchSettings:
    """The settings in a name: `search`, or `search:key=value,key=value`.

    Raises:
        AgentError: Another name, an unknown key, a key that is given twice, or a value that is not allowed.
    """
    if not is_search(spec):
        raise AgentError(f"agent {spec!r}: the name of a search agent begins with {SEARCH!r}")
    text = spec.partition(":")[2]
    pairs = parse_pairs(spec, text.split(",") if text else (), kinds_of(SearchSettings))
    try:
        return SearchSettings(**pairs)
    except AgentError as error:
        raise AgentError(f"agent {spec!r}: {error}") from None
