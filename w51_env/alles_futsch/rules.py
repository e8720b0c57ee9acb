"""The options in one place: checked, and packed into the record that kernels read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_env.alles_futsch.state import MAX_BONUS, MAX_PLAYERS, MAX_START_MONEY, MIN_PLAYERS, NUM_CARDS
from w51_env.engine.errors import OptionError
from w51_env.engine.options import REWARDS, check_options

NUM_PLAYERS = tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1))
RANDOM_FIRST_PLAYER = -1
CARDS = ("multisets", "random")
SELECTORS = ("same", "left")
NO_BUYER = ("lost", "taken")
DECK_EXHAUSTED = ("play_on", "end")

# Options that no observation shows: an agent is trained for one value of each. New options are appended here.
UNOBSERVED_OPTIONS: tuple[str, ...] = ()

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "short": {"start_money": 100},
    "mini": {"num_players": 2, "num_cards": 3, "start_money": 4, "sale_price": 2, "fine": 1, "bonus": 3},
}


CHOICES: dict[str, tuple[Any, ...]] = {
    "num_players": NUM_PLAYERS,
    "cards": CARDS,
    "no_bid_selector": SELECTORS,
    "no_buyer": NO_BUYER,
    "deck_exhausted": DECK_EXHAUSTED,
}
RANGES = {
    "num_cards": (1, NUM_CARDS),
    "start_money": (1, MAX_START_MONEY),
    "minimum_bid": (0, 20),
    "sale_price": (1, 40),
    "fine": (0, 40),
    "bonus": (0, MAX_BONUS),
}


@dataclass(frozen=True)
class AllesFutschOptions:
    """Every option of a game. Money in thousands.

    Attributes:
        num_players: 2 to 5.
        first_player: A seat, or "random".
        start_money: Money of each player (A1).
        cards: "multisets": one card for each multiset of 3 out of 5 types; "random": 35 cards of 3 random objects (A1).
        num_cards: Cards in the game, 1 to 35; the rest are set aside unseen. With 5 or fewer, nothing is hidden.
        minimum_bid: The least first bid (A2).
        no_bid_selector: Who selects after a card nobody bid for: the "same" seat again, or its "left" neighbour (A2).
        no_buyer: An object that must be sold and that nobody may buy is "lost", or "taken" by the seller, who pays the
            fine, if the type is on their table and they own fewer than 5 (A3).
        deck_exhausted: "play_on" until no card is face up, or "end" as soon as the row can't be filled up (A5).
        sale_price: What a fellow player pays for an object (A3).
        fine: What a fourth or fifth object costs its buyer in addition (A3).
        bonus: What the bank pays for a third of a kind (A3).
        reward: "win", "rank" or "margin".
        ask_forced: Leave decisions with a single legal action to the agent, too.
    """

    num_players: int = 4
    first_player: int | str = "random"
    start_money: int = 200
    cards: str = "multisets"
    num_cards: int = NUM_CARDS
    minimum_bid: int = 1
    no_bid_selector: str = "same"
    no_buyer: str = "lost"
    deck_exhausted: str = "play_on"
    sale_price: int = 20
    fine: int = 10
    bonus: int = 30
    reward: str = "win"
    ask_forced: bool = False

    def __post_init__(self) -> None:
        check_options(self, CHOICES, RANGES)
        if self.minimum_bid > self.start_money and self.num_cards == 1 and not self.ask_forced:
            raise OptionError(
                f"minimum_bid, start_money, num_cards: {self.minimum_bid}, {self.start_money} and 1, so nobody ever "
                "has a choice: nobody can pay a bid, and there is one card to select; allowed are a minimum_bid of at "
                "most start_money, 2 cards or more, or ask_forced"
            )


_FIELDS = (
    *("num_players", "first_player", "start_money", "random_cards", "num_cards", "minimum_bid", "same_selects"),
    *("seller_takes", "ends_with_deck", "sale_price", "fine", "bonus", "reward", "ask_forced"),
)
RULES = np.dtype([(name, "i2") for name in _FIELDS])


def pack(options: AllesFutschOptions) -> np.ndarray:
    """(1,) RULES, read-only: the options as kernels read them."""
    packed = np.zeros(1, RULES)
    rules = packed[0]
    rules["first_player"] = RANDOM_FIRST_PLAYER if options.first_player == "random" else options.first_player
    for name in ("num_players", "num_cards", "start_money", "minimum_bid", "sale_price", "fine", "bonus", "ask_forced"):
        rules[name] = getattr(options, name)
    rules["random_cards"] = options.cards == "random"
    rules["same_selects"] = options.no_bid_selector == "same"
    rules["seller_takes"] = options.no_buyer == "taken"
    rules["ends_with_deck"] = options.deck_exhausted == "end"
    rules["reward"] = REWARDS.index(options.reward)
    packed.flags.writeable = False
    return packed
