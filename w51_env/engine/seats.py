"""Seats around a table: neighbours, relative numbers, and the turn order of an open auction."""

from w51_env.compiler.compile import kernel

NOBODY = -1


@kernel
def left_of(rules, seat):
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < rules.num_players else 0


@kernel
def right_of(rules, seat):
    """The next seat counter-clockwise."""
    return seat - 1 if seat > 0 else int(rules.num_players) - 1


@kernel
def relative(rules, seat, observer):
    """Number of seats clockwise from the observer; 0 is the observer."""
    distance = int(seat) - int(observer)
    return distance if distance >= 0 else distance + int(rules.num_players)


@kernel
def seat_at(rules, distance, observer):
    """The seat that many seats clockwise from the observer: the inverse of `relative`."""
    seat = observer + distance
    return seat if seat < rules.num_players else seat - rules.num_players


@kernel
def mark_seat(rules, seat, observer, out, start):
    """Write a seat one-hot into an observation, relative to the observer; nothing for NOBODY."""
    if seat != NOBODY:
        out.values[start + relative(rules, seat, observer)] = 1


@kernel
def next_bidder(rules, game):
    """Move the turn clockwise to the next seat still in the auction.

    Returns True if there is none: all have passed, or all but the leader. `game` has `seat`, `leader` (the seat with
    the standing bid, or NOBODY) and `bidding`, 1 for each seat still in the auction.
    """
    left = 0
    for seat in range(rules.num_players):
        left += game.bidding[seat]
    if left == 0 or (left == 1 and game.leader != NOBODY):
        return True
    seat = left_of(rules, game.seat)
    while game.bidding[seat] == 0:
        seat = left_of(rules, seat)
    game.seat = seat
    return False
