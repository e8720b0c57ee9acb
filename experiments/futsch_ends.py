"""How near to perfect play: ends of games of Alles Futsch!, two players, solved: `python -m experiments.futsch_ends`.

Nothing is hidden but the order of the cards, so backward induction gives the chance to win that perfect play has: over
all auctions of this card, all cards that may be turned up, and the next auction. Where that does not end the game, the
chance is anything from 0 to 1. So each action has a lowest and a highest chance, and many decisions near the end are
solved: the best chance is known.
"""

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from experiments import lab
from w51_agents.named.registry import make_agent
from w51_env import make_game
from w51_env.alles_futsch.actions import ADD, BASE, PASS, RAISE, SELECT_CARD
from w51_env.alles_futsch.objects import SET_OF
from w51_env.alles_futsch.state import BID, CARDS, MAX_OWNED, NO_CARD, NOBODY, SELECT
from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION

SEARCH, CHAMPION = "search:playouts=30", "champion:playouts=50"
AGENTS = ("random", "collector", "heuristic", "pretrained-v2", "pretrained", SEARCH, CHAMPION)
PLAYED = ("heuristic", "pretrained", "pretrained-v2")  # each game is one of these against one of these
MOST_MONEY = 70  #  thousands of the poorer seat, in positions that are looked at
KNOWN = 0.01  #    a decision is solved if the best chance is known up to this
_PRICE, _FINE, _BONUS = 20, 10, 30

Owned = tuple[int, ...]  # objects of each type of one seat
Bounds = np.ndarray  # (..., 2) the lowest and the highest chance of seat 0


class Sale(NamedTuple):
    """What follows if a seat buys a card: both seats' money and objects; below `breaks` the other can't pay."""

    gain: int
    loss: int
    own: Owned
    others: Owned
    breaks: int


class Table(NamedTuple):
    """A position between two auctions, or in one: money and objects of both seats, cards, and those not turned up."""

    money: tuple[int, int]
    owned: tuple[Owned, Owned]
    lacks: tuple[int, int]
    row: tuple[int, ...]
    unseen: tuple[int, ...]
    selector: int


@cache
def sale(card: int, own: Owned, other: Owned, own_lacks: int, other_lacks: int) -> Sale:
    """A3 and A4, for two seats: each object is kept, sold to the other or lost; the buyer chooses the order."""
    breaks, end = 0, (0, 0, own, other)
    for order in set(permutations(CARDS[card].tolist())):
        mine, theirs = list(own), list(other)
        gain = loss = least = 0
        for a_type in order:
            if a_type != own_lacks and mine[a_type] < SET_OF:
                mine[a_type] += 1
                gain += _BONUS * (mine[a_type] == SET_OF)
            elif a_type != other_lacks and theirs[a_type] < MAX_OWNED:
                theirs[a_type] += 1
                gain, loss = gain + _PRICE, loss + _PRICE + _FINE * (theirs[a_type] > SET_OF)
                least = max(least, loss)
                loss -= _BONUS * (theirs[a_type] == SET_OF)
        breaks, end = max(breaks, least), (gain, loss, tuple(mine), tuple(theirs))
    return Sale(*end, breaks)


def of_sale(table: Table, card: int, buyer: int) -> Sale:
    own, other = table.owned[buyer], table.owned[1 - buyer]
    return sale(card, own, other, table.lacks[buyer], table.lacks[1 - buyer])


def last_auction(table: Table, money: np.ndarray, cards: np.ndarray, selector: int) -> Bounds:
    """(N, 2) after one more auction: a seat that breaks the other by a card, and can outbid it, wins.

    Args:
        table: The objects.
        money: (N, 2) of both seats.
        cards: (M, 5) rows of cards, each as likely.
        selector: Who selects, and bids first.
    """
    needed = np.array([[of_sale(table, card, buyer).breaks for buyer in (0, 1)] for card in range(len(CARDS))])
    breaks = money[:, None, ::-1] < needed  # (N, cards, buyers)
    outbids = np.stack([money[:, 0] >= money[:, 1] + selector, money[:, 1] > money[:, 0] - selector], 1)
    wins = breaks & (outbids & (money >= 1))[:, None]
    chances = np.stack([wins[..., 0], ~wins[..., 1]], -1).astype(float)[:, cards]  # (N, M, 5, 2)
    return np.asarray((chances.min(2) if selector else chances.max(2)).mean(1))


def after(table: Table, card: int, buyer: int | None, money: np.ndarray) -> Bounds:
    """(N, 2) once this card is dealt with and the next one is turned up; `money` (N, 2) before objects are placed."""
    left = [each for each in table.row if each != card]
    rows = np.array([[*left, new] for new in table.unseen])
    if buyer is None:
        return last_auction(table, money, rows, table.selector)
    sold = of_sale(table, card, buyer)
    moved, owned = np.array([sold.gain, -sold.loss]), (sold.own, sold.others)
    seats = (buyer, 1 - buyer)
    then = table._replace(owned=(owned[seats[0]], owned[seats[1]]))
    chances = last_auction(then, money + moved[list(seats)], rows, buyer)
    broken = money[:, 1 - buyer] < sold.breaks
    return np.where(broken[:, None], 1.0 - buyer, chances)


class Auction:
    """One auction, solved: what it leads to if a seat leads with a bid and the other is to move.

    Attributes:
        bought: For each seat, (money + 1, 2) by its bid, if the other passes.
        led: The same, if the other decides.
        unsold: (2,).
    """

    def __init__(self, table: Table, card: int):
        self.bought, self.money = [], table.money
        for buyer in (0, 1):
            money = np.tile(np.array(table.money), (table.money[buyer] + 1, 1))
            money[:, buyer] -= np.arange(len(money))
            self.bought.append(after(table, card, buyer, money))
        self.unsold = after(table, card, None, np.array([table.money]))[0]
        self.led = [each.copy() for each in self.bought]
        best: list[Bounds | None] = [None, None]  # of the bids above this one, of each seat
        for bid in range(max(table.money), 0, -1):
            now = [seat for seat in (0, 1) if bid <= table.money[seat]]
            for seat in now:
                if (raised := best[1 - seat]) is not None:
                    self.led[seat][bid] = better(1 - seat, self.bought[seat][bid], raised)
            for seat in now:
                above = best[seat]
                best[seat] = self.led[seat][bid] if above is None else better(seat, above, self.led[seat][bid])
        self._best = best

    def alone(self, seat: int) -> Bounds:
        """The other has passed, and nobody has bid."""
        return best_of(seat, [*self.bought[seat][1:], self.unsold])

    def value(self, selector: int) -> Bounds:
        """Before the first bid."""
        passed, first = self.alone(1 - selector), self._best[selector]
        return passed if first is None else better(selector, passed, first)


def better(seat: int, one: Bounds, other: Bounds) -> Bounds:
    return np.minimum(one, other) if seat else np.maximum(one, other)


def best_of(seat: int, values: list[Bounds]) -> Bounds:
    return np.asarray((np.min if seat else np.max)(values, axis=0))


def worth(record: Any) -> dict[int, Bounds]:
    """Bounds of seat 0's chance by action: a slot where a card is selected; a bid, 0 to pass, where bids are made."""
    row = [int(card) for card in record["face_up"] if card != NO_CARD]
    card, seat = int(record["card"]), int(record["seat"])
    table = Table(
        (int(record["money"][0]), int(record["money"][1])),
        (tuple(map(int, record["owned"][0])), tuple(map(int, record["owned"][1]))),
        (int(record["lacks"][0]), int(record["lacks"][1])),
        tuple(row + [card] * (card != NO_CARD)),
        tuple(map(int, record["deck"][record["next_card"] :])),
        int(record["selector"]),
    )
    if record["phase"] == SELECT:
        slots = [slot for slot, each in enumerate(record["face_up"]) if each != NO_CARD]
        return {slot: Auction(table, int(record["face_up"][slot])).value(seat) for slot in slots}
    auction = Auction(table, card)
    leader, standing = int(record["leader"]), int(record["standing_bid"])
    outcomes = auction.led if record["bidding"][1 - seat] else auction.bought
    actions = {bid: outcomes[seat][bid] for bid in range(standing + 1, table.money[seat] + 1)}
    if leader != NOBODY:
        passed = auction.bought[leader][standing]
    else:
        passed = auction.alone(1 - seat) if record["bidding"][1 - seat] else auction.unsold
    return {0: passed, **actions}


def positions(games: int, seed: int) -> Iterator[tuple[int, np.ndarray]]:
    """Games and (1,) states near their ends, in which a card is selected or a bid is made, and cards are left."""
    game = make_game("alles_futsch_v1", num_players=2)
    agents = [make_agent(name, game) for name in PLAYED]
    batch, generator = Batch(game, games, seed=seed, autoreset="disabled"), np.random.default_rng(seed)
    batch.reset()
    seated = generator.integers(len(agents), size=(games, 2))
    while (running := batch.seat >= 0).any():
        states = batch.games
        near = running & (states["money"][:, :2].min(1) <= MOST_MONEY) & (states["added"] == 0)
        near &= states["next_card"] < len(CARDS)
        for index in np.flatnonzero(near & np.isin(states["phase"], (SELECT, BID))):
            yield int(index), batch.clone(np.array([index]))
        actions = np.full(games, NO_ACTION, np.int64)
        for number, agent in enumerate(agents):
            mine = running & (seated[np.arange(games), batch.seat] == number)
            if mine.any():
                actions[mine] = agent.act_batch(batch.observation[mine], batch.action_mask[mine])
        batch.step(actions)


class Solved(NamedTuple):
    """Decisions whose best chance is known and in which actions differ.

    Attributes:
        states: (N,) structured.
        games: (N,) the game of each.
        chances: For each, the lowest and the highest chance of the seat to move by its action.
        looked_at: Decisions that were looked at.
    """

    states: np.ndarray
    games: np.ndarray
    chances: list[dict[int, tuple[float, float]]]
    looked_at: int


def solved(games: int, seed: int) -> Solved:
    """Solve what can be solved near the ends of games."""
    found, looked_at = [], 0
    for number, state in positions(games, seed):
        looked_at += 1
        chances = of_mover(state[0], worth(state[0]))
        lows, highs = zip(*chances.values(), strict=True)
        if max(highs) - max(lows) <= KNOWN and max(lows) > min(highs) + KNOWN:
            found.append((state, number, chances))
    states, numbers, all_chances = zip(*found, strict=True)
    return Solved(np.concatenate(states), np.array(numbers), list(all_chances), looked_at)


def of_mover(record: Any, actions: dict[int, Bounds]) -> dict[int, tuple[float, float]]:
    """The lowest and the highest chance of the seat to move."""
    own = {action: bounds if record["seat"] == 0 else 1 - bounds[::-1] for action, bounds in actions.items()}
    return {action: (float(low), float(high)) for action, (low, high) in own.items()}


def chosen(name: str, states: np.ndarray) -> np.ndarray:
    """What an agent does in each state: a slot, or a bid, 0 to pass."""
    game = make_game("alles_futsch_v1", num_players=2)
    agent, batch = make_agent(name, game), Batch(game, len(states), seed=0, autoreset="disabled")
    agent.reset(0)
    batch.reset()
    batch.load(states)
    first = _asked(agent, batch, np.ones(len(states), bool))
    raised = first - RAISE
    if (two := (states["phase"] == BID) & (first > ADD)).any():
        batch.step(first, two)
        second = _asked(agent, batch, two & (batch.games["added"] > 0)) - RAISE
        raised = np.where(two, BASE * (first - ADD) + np.maximum(1, second), raised)  # where 1 is left it is forced
    bids = np.where(first == PASS, 0, states["standing_bid"] + raised)
    return np.asarray(np.where(states["phase"] == SELECT, first - SELECT_CARD, bids))


def _asked(agent: Any, batch: Batch, which: np.ndarray) -> np.ndarray:
    actions = np.full(len(which), NO_ACTION, np.int64)
    if which.any():
        infos = [{"determinizer": batch.determinizer(int(index))} for index in np.flatnonzero(which)]
        actions[which] = agent.act_batch(batch.observation[which], batch.action_mask[which], infos)
    return actions


def lost(found: Solved, name: str) -> dict[str, Any]:
    """What an agent loses, in chances to win."""
    least, most = [], []
    for chances, action in zip(found.chances, chosen(name, found.states).tolist(), strict=True):
        best_low, best_high = np.max(list(chances.values()), axis=0)
        low, high = chances[action]
        least.append(max(0.0, best_low - high))
        most.append(max(0.0, best_high - low))
    of_game = np.bincount(found.games, weights=np.array(least) - np.mean(least))
    error = float(np.sqrt((of_game**2).sum())) / len(least)  # decisions of a game go together
    mistakes = float((np.array(least) > KNOWN).mean())
    return {"least": float(np.mean(least)), "most": float(np.mean(most)), "error": error, "mistakes": mistakes}


def main(
    games: lab.Games = 1000,
    seed: lab.Seed = 0,
    agents: Annotated[list[str] | None, typer.Option("--agent", help="Who is asked; none: all.")] = None,
    data: lab.DataFile = lab.RESULTS / "futsch_ends.json",
) -> None:
    """Solve, ask, print."""
    found = solved(games, seed)
    settings = {"games": games, "seed": seed, "looked_at": found.looked_at, "solved": len(found.states)}
    print(f"{len(found.states)} of {found.looked_at} decisions are solved and matter")
    cells = ({"agent": name} for name in agents or AGENTS)
    for cell in lab.measured(data, settings, cells, lambda agent: lost(found, agent))["cells"]:
        least, most, mistakes = (f"{100 * cell[key]:.1f}" for key in ("least", "most", "mistakes"))
        print(f"{cell['agent']:20} {least} ± {200 * cell['error']:.1f} points, to {most}; {mistakes} % mistakes")


if __name__ == "__main__":
    typer.run(main)
