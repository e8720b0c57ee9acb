"""Offline data: games of agents as episodes of single seats, as Parquet and as a Minari dataset.

An episode holds what one seat observed at its own decisions, its masks, actions and rewards, and nothing that is hidden
from that seat: no seed, no events, no decision of another seat.
"""

from w51_lab.datasets.episodes import Episode, parts_of, record, record_in_parts, remove_parts
from w51_lab.datasets.formats import FORMATS, MINARI, PARQUET, check, dataset_id, write

__all__ = [
    "FORMATS", "MINARI", "PARQUET", "Episode", "check", "dataset_id", "parts_of", "record", "record_in_parts",
    "remove_parts", "write",
]  # fmt: skip
