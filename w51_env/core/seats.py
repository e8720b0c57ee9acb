"""Seats round a table: who sits on whose left, and how one seat names another."""

from w51_env.core.compile import kernel

NOBODY = -1


@kernel
def left_of(rules, seat):
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < rules.num_players else 0


@kernel
def relative(rules, seat, observer):
    """Places clockwise from the observer."""
    distance = int(seat) - int(observer)
    return distance if distance >= 0 else distance + int(rules.num_players)


@kernel
def mark_seat(rules, seat, observer, out, start):
    """One-hot of a seat in an observation, relative to the observer; nothing for NOBODY."""
    if seat != NOBODY:
        out.values[start + relative(rules, seat, observer)] = 1


def seat_name(seat: int) -> str:
    """`Player 1` for seat 1."""
    return "Nobody" if seat == NOBODY else f"Player {seat}"
