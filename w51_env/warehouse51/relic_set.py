"""Relics and sets of them, as relic files describe them."""

from dataclasses import dataclass, field

from w51_env.engine.errors import OptionError, nearest
from w51_env.views.language import Words


@dataclass(frozen=True)
class Relic:
    """One relic, with the fields of a relic file.

    `sources` gives the source of each field: rulebook, review or reconstructed. A field without one is reconstructed.
    """

    id: str
    name: dict[str, str]
    category: str
    value: int
    alignment: str
    weapon: bool
    counterfeit: bool
    timing: str | None = None
    effect: str | None = None
    amount: int | None = None
    sources: dict[str, str] = field(default_factory=dict)

    def name_in(self, language: str) -> str:
        """Its name in a language; in English if the file has none."""
        return self.name.get(language, self.name["en"])

    def effect_text(self, words: Words | None = None) -> str:
        """What the relic does, in words (None: English); empty if it does nothing."""
        return (words or Words())(f"warehouse51.effect.{self.effect}", amount=self.amount) if self.effect else ""

    def source(self, key: str) -> str:
        """The source of the field `key`: rulebook, review or reconstructed."""
        return self.sources.get(key, "reconstructed")


@dataclass(frozen=True)
class RelicSet:
    """All relics of a game, by category in the order blue, green, golden, red; a relic's index is its id in the state.

    Attributes:
        name: The set's own name.
        relics: The relics, at most 26.
        blank_counterfeits: Counterfeit cards that show no relic, shuffled among the others (for mini games).
    """

    name: str
    relics: tuple[Relic, ...]
    blank_counterfeits: int = 0

    def __len__(self) -> int:
        return len(self.relics)

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each relic."""
        return tuple(relic.id for relic in self.relics)

    @property
    def names(self) -> tuple[str, ...]:
        """The English name of each relic."""
        return tuple(relic.name["en"] for relic in self.relics)

    @property
    def effects(self) -> frozenset[str]:
        """The effect kinds that its relics have."""
        return frozenset(relic.effect for relic in self.relics if relic.effect is not None)

    @property
    def counterfeit_cards(self) -> int:
        """Cards in the counterfeit pile, blank ones too."""
        return sum(relic.counterfeit for relic in self.relics) + self.blank_counterfeits

    def index(self, relic_id: str) -> int:
        """The index of the relic of this id."""
        try:
            return self.ids.index(relic_id)
        except ValueError:
            raise OptionError(
                f"relic {relic_id!r} is not in the relic set {self.name!r}{nearest(relic_id, self.ids)}"
            ) from None
