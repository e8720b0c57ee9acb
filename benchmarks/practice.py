"""Positions to practise from games of the arena: `python -m benchmarks.practice runs/cup/replays`.

The coach reviews each seat in the replays of a folder, of Warehouse 51 with default rules. A decision that it finds to
cost much is judged again with all playouts; what is sure then is kept, at most one of a seat. The file is written after
each game.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from w51_agents.search.deliberation import Verdict
from w51_agents.search.judge import WHOLE
from w51_agents.system.files import write_atomic
from w51_env import make_game
from w51_lab.replays.replay import Replay
from w51_table.lessons.exercises import GAME, ArenaEntry
from w51_table.play.coach import Coach
from w51_table.play.playback import Playback
from w51_table.play.review import GameReview, mistakes

FILE = Path("table/w51_table/lessons/arena.toml")
_MANY = 4  # candidates of a seat that are judged again, the most costly first
_COSTLY, _CLEAR = 0.06, 3.0  # of the win; standard errors of the loss
_MAX_CHOICES = 4
_HEAD = "# Made by `python -m benchmarks.practice`; exercises.py says what the fields are.\n"


def practise(
    replays: Annotated[Path, typer.Argument(help="Folder with replays: `w51 evaluate --replays 24 --out runs/cup`.")],
    most: Annotated[int, typer.Option(help="Positions that are written, those that cost most.")] = 15,
) -> None:
    """Write the file of the positions."""
    found: list[tuple[float, ArenaEntry]] = []
    for path in sorted(replays.glob("*.json")):
        replay = Replay.load(path)
        if replay.game_id == GAME and replay.game().options == make_game(GAME, num_players=len(replay.names)).options:
            found += _mistakes(replay)
        found.sort(key=lambda one: -one[0])
        _write([entry for _, entry in found[:most]])
        typer.echo(f"{path.name}: {len(found)} positions")


def _mistakes(replay: Replay) -> list[tuple[float, ArenaEntry]]:
    """The most costly decision of each seat that surely is one."""
    playback, coach = Playback.of_replay(replay), Coach()
    review, found = GameReview(coach), []
    begins = [index for index, _ in playback.lots]
    for seat, agent in enumerate(replay.names):
        review.think(playback, seat)
        for step, _ in mistakes(review.verdicts(seat), begins)[:_MANY]:
            frame = playback.frames[step]
            again = coach.consider(frame, replay.seed + 1, frame.action)
            coach.judge(playback.game).think([again], WHOLE)
            verdict = again.verdict()
            if verdict.judged.loss > max(_COSTLY, _CLEAR * verdict.judged.error):
                found.append((verdict.judged.loss, _entry(playback, step, agent, verdict)))
                break
    return found


def _entry(playback: Playback, step: int, agent: str, verdict: Verdict) -> ArenaEntry:
    best, judged = verdict.advice, verdict.judged
    clear = [one.action for one in verdict.worths if one.loss > max(_COSTLY / 2, _CLEAR * one.error)]
    choices = [best.action, judged.action, *(action for action in clear if action != judged.action)]
    return {
        "options": {"num_players": playback.game.num_players},
        "seed": playback.seed,
        "moves": playback.actions_before(step),
        "choices": sorted(choices[:_MAX_CHOICES]),
        "right": best.action,
        "agent": agent,
        "chosen": judged.action,
        "chance": round(100 * best.chance),
        "less": round(100 * judged.chance),
    }


def _write(entries: Sequence[ArenaEntry]) -> None:
    text = _HEAD + "".join(map(_text, entries))
    write_atomic(FILE, lambda file: file.write_text(text, "utf-8"))


def _text(entry: ArenaEntry) -> str:
    players, agent = entry["options"]["num_players"], entry["agent"]
    lines = [f"{key} = {value!r}" for key, value in entry.items() if key not in ("options", "agent")]
    return "\n".join(["\n[[position]]", f"options = {{ num_players = {players} }}", f'agent = "{agent}"', *lines, ""])


if __name__ == "__main__":
    typer.run(practise)
