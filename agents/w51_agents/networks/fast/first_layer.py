"""Compiled code of the first layer of a network: from what a seat observes, or from what has changed since then.

Policies and memory are those of `decisions`.
"""

from typing import NamedTuple

import numpy as np

from w51_agents.networks.fast.sparse import add_rows, fill_up
from w51_env.compiler.compile import kernel
from w51_env.compiler.vectors import list_nonzero

SAME_CATEGORY, IS_LOT = 1, 2  # how an item stands to the lot; 0: neither
NOTHING_KEPT = -2  # as a lot of `Kept`
SLOTS = 1 << 13  # of `Kept`: more than seats of this package's games that play together


class Kept(NamedTuple):
    """First layers of earlier decisions, to which what has changed since is added: a third of the rows.

    Attributes:
        inputs: (S, inputs) int8, what was read.
        units: (S, units) float32, what it summed up to, without base policy.
        lots: (S,) int64, the lot then; -1: none; NOTHING_KEPT.
        changes: (inputs,) int8, memory.
        listed: (inputs,) int64, memory.
    """

    inputs: np.ndarray
    units: np.ndarray
    lots: np.ndarray
    changes: np.ndarray
    listed: np.ndarray

    @classmethod
    def nothing(cls, size: int, units: int) -> "Kept":
        """Of no decision yet, with so many inputs and units."""
        known, sums = np.empty((SLOTS, size), np.int8), np.empty((SLOTS, units), np.float32)
        return cls(known, sums, np.full(SLOTS, NOTHING_KEPT), np.zeros(size, np.int8), np.zeros(size, np.int64))

    def forget(self) -> None:
        """Keep nothing any more."""
        self.lots[:] = NOTHING_KEPT


@kernel
def lot_of(observation, policy):
    """The item that is the lot, or -1."""
    lot, lot_at = -1, policy.places[0].lot
    if lot_at >= 0:
        for one in range(policy.categories.shape[0]):
            if observation[lot_at + one] != 0:
                lot = one
    return lot


@kernel
def stand_of(item, lot, categories):
    """How an item, or what is no item (-1), stands to the lot."""
    if lot < 0 or item < 0 or categories[item] != categories[lot]:
        return 0
    return IS_LOT if item == lot else SAME_CATEGORY


@kernel
def list_inputs(observation, policy, places, factors):
    """List the rows of the first layer for the numbers that are not 0, which depend on the lot; returns their count."""
    count = list_nonzero(observation, places, 0)
    lot = lot_of(observation, policy)
    rows = policy.places[0].rows
    for index in range(count):
        place = places[index]
        stand = stand_of(policy.item[place], lot, policy.categories)
        factors[index], places[index] = np.float32(observation[place]), place * rows + stand
    return count


@kernel
def list_changes(observation, slot, kept, policy, places, factors):
    """List the rows of the first layer whose numbers are others than in a slot, with the differences; keep the numbers.

    Returns their count.
    """
    before, changes, listed, rows = kept.inputs[slot], kept.changes, kept.listed, policy.places[0].rows
    lot = lot_of(observation, policy)
    lot_before = kept.lots[slot]
    count = 0
    kept.lots[slot] = lot
    if lot == lot_before:
        for place in range(observation.shape[0]):
            changes[place] = observation[place] ^ before[place]
    else:
        for place in range(observation.shape[0]):
            changes[place] = observation[place] | before[place]
    for index in range(list_nonzero(changes, listed, 0)):
        place = listed[index]
        now, was = observation[place], before[place]
        stand = stand_of(policy.item[place], lot, policy.categories)
        stood = stand_of(policy.item[place], lot_before, policy.categories)
        if stand == stood:
            places[count], factors[count] = place * rows + stand, np.float32(now) - np.float32(was)
            count += now != was
        else:
            places[count], factors[count] = place * rows + stand, np.float32(now)
            count += now != 0
            places[count], factors[count] = place * rows + stood, -np.float32(was)
            count += was != 0
        before[place] = now
    return count


@kernel
def write_first(observation, policy, memory):
    """Write the units of the first layer, without base policy."""
    units, places, factors = memory.units, memory.places, memory.factors
    for unit in range(units.shape[1]):
        units[0, unit] = policy.biases[0, unit]
    listed = list_inputs(observation, policy, places, factors)
    fill_up(places, factors, listed)
    add_rows(policy.first, places, factors, (0, listed), units, 0, policy.widths[0])


@kernel
def write_first_anew(observation, slot, kept, policy, memory):
    """The same, from what is kept in a slot, which then keeps this."""
    if kept.lots[slot] == NOTHING_KEPT:
        kept.lots[slot] = -1
        for place in range(observation.shape[0]):
            kept.inputs[slot, place] = 0
        for unit in range(kept.units.shape[1]):
            kept.units[slot, unit] = policy.biases[0, unit]
    places, factors = memory.places, memory.factors
    listed = list_changes(observation, slot, kept, policy, places, factors)
    fill_up(places, factors, listed)
    add_rows(policy.first, places, factors, (0, listed), kept.units, slot, policy.widths[0])
    for unit in range(kept.units.shape[1]):
        memory.units[0, unit] = kept.units[slot, unit]
