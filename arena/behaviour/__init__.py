"""What agents do, as tables: what they paid and what it was worth, counterfeits, pawned relics, money, points by source.

    recorder = Recorder(game)          # for a batch made with autoreset="disabled" and events=True
    recorder.read(batch)               # after `reset` and after each `step`
    tables = recorder.tables(batch, deals, lineups, agents)
    write_behaviour(game, names, concatenate([tables, more]), folder)

The columns are described in docs/behaviour.md.
"""

from arena.behaviour.columns import NONE, Column, Layout, Table, Tables, concatenate
from arena.behaviour.recorder import Recorder, layouts
from arena.behaviour.summary import summarise_behaviour
from arena.behaviour.writing import write_behaviour

__all__ = [
    "NONE",
    "Column",
    "Layout",
    "Recorder",
    "Table",
    "Tables",
    "concatenate",
    "layouts",
    "summarise_behaviour",
    "write_behaviour",
]
