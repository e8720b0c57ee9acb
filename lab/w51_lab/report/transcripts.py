"""What language models were told and said in a tournament, as files: a row for each decision and note."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path

from w51_agents.language.llm.decision import Transcribed
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import write_atomic
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.plan import Plan
from w51_lab.arena.tournament import TournamentResult

NAME = "transcripts"
_ROWS = 1000  # of a row group of Parquet, which is held in memory


def write_transcripts(plan: Plan, played: TournamentResult, folder: Path) -> None:
    """Write `transcripts.jsonl` and `transcripts.parquet`, if a language model played.

    `deal`, `lineup` and `game` identify the game as in the behaviour tables, `seat` and `decision` the moment in it.

    Raises:
        FileError: A file that cannot be written.
    """
    if any(one.transcript for one in played.statistics):
        with report_os_errors(f"transcripts {folder}: cannot be written"):
            write_atomic(folder / f"{NAME}.jsonl", partial(_write_lines, plan, played))
            write_atomic(folder / f"{NAME}.parquet", partial(_write_parquet, plan, played))


def rows(plan: Plan, played: TournamentResult) -> Iterator[dict[str, object]]:  # of plain values, as a row of a file is
    """The rows, in the order of the games."""
    first = 0
    for result in played.results:
        for name, statistics in zip(plan.names, result.statistics, strict=True):
            for record in statistics.transcript:
                row = record["game"]
                game = {"deal": int(result.deals[row]), "lineup": result.block.lineup, "game": first + row}
                yield {**game, "agent": name, **{key: value for key, value in record.items() if key != "game"}}
        first += len(result.deals)


def spoken_in(result: BlockResult, row: int) -> dict[int, Transcribed]:
    """The records of the decisions of one game, by the number of the decision."""
    records = [record for statistics in result.statistics for record in statistics.transcript]
    return {one["decision"]: one for one in records if one["game"] == row and one["kind"] == "decision"}


def _write_lines(plan: Plan, played: TournamentResult, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(plan, played))


def _write_parquet(plan: Plan, played: TournamentResult, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    text = ("agent", "kind", "action", "prompt", "answer", "reasoning")
    kinds = {**dict.fromkeys(("deal", "game", "input_tokens", "output_tokens"), pa.int64())}
    kinds |= dict.fromkeys(("lineup", "seat", "decision", "questions"), pa.int32()) | dict.fromkeys(text, pa.string())
    kinds |= {"legal": pa.list_(pa.string()), "seconds": pa.float64(), "cost": pa.float64()}
    found = rows(plan, played)
    first = next(found)
    schema = pa.schema([(name, kinds[name]) for name in first], {"description": "A row for each decision and note."})
    found = chain([first], found)
    with parquet.ParquetWriter(path, schema) as writer:
        while batch := list(islice(found, _ROWS)):
            writer.write_table(pa.Table.from_pylist(batch, schema))
