"""A slow reader of events, who writes down what one seat has seen as a history has it."""

from typing import Any

import numpy as np

from w51_env.engine.events import COLUMNS, Event
from w51_env.engine.game import Game

SEATS = {"payee", "owner", "receiver", "buyer", "gap"}  # fields that count like seats


class Reader:
    """What one seat of one game has seen, from its events and its own actions."""

    def __init__(self, game: Game, seat: int):
        self.game, self.seat = game, seat
        self.kinds = {kind.name: number for number, kind in enumerate(game.event_types)}
        self.rows: list[list[int]] = []

    def relative(self, seat: int) -> int:
        return 0 if seat < 0 else 1 + (seat - self.seat) % self.game.num_players

    def row(self, event: Event, secret_bid: int) -> list[int]:
        kind = self.game.event_types[self.kinds[event["event"]]]
        values = [self.relative(event[field]) if field in SEATS else event[field] for field in kind.fields]
        if event["event"] == "bid_in_secret":
            values = [secret_bid if event["seat"] == self.seat and not event["forced"] else 0]
        values += [0] * (3 - len(values))
        return [1 + self.kinds[kind.name], self.relative(event["seat"]), *values, int(event["forced"])]

    def add(self, events: Any, secret_bid: int) -> None:
        for event in events:
            if event["event"] == "set_up":
                self.rows = []
            self.rows.append(self.row(event, secret_bid))
            if event["event"] == "sold" and "set_up" not in self.kinds:  # the third game is over
                self.rows = []

    def last(self, most: int) -> tuple[np.ndarray, int]:
        rows = self.rows[-most:]
        out = np.zeros((most, COLUMNS), np.int16)
        out[: len(rows)] = rows or out[:0]
        return out, len(rows)
