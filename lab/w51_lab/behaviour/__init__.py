"""What agents do, as tables: prices and worth of what they bought, money, points, and what else a game offers.

    recorder = BehaviourRecorder(game)      # for a batch with autoreset="disabled" and events=True
    recorder.read(batch)                    # after `reset` and after each `step`
    tables = recorder.tables(batch, deals, lineups, agents)
    write_behaviour(game, names, [tables, more], folder)

docs/behaviour.md describes the columns. The tables of a game are part of its presentation.
"""

from w51_lab.behaviour.measures import Measure, measures_by_deal
from w51_lab.behaviour.parts import Part, Parts, check_table
from w51_lab.behaviour.recorder import BehaviourRecorder, schemas
from w51_lab.behaviour.writing import wide_table, write_behaviour, write_wide

__all__ = [
    "BehaviourRecorder",
    "Measure",
    "Part",
    "Parts",
    "check_table",
    "measures_by_deal",
    "schemas",
    "wide_table",
    "write_behaviour",
    "write_wide",
]
