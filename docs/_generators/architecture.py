"""The picture of docs/architecture.md: the houses, their rooms, and every import between two rooms."""

import ast
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = "docs/pictures/street.svg"
# Each house with the folder that it is in, what it is for, and its rooms from bottom to top.
HOUSES = {
    "w51_env": (
        ".",
        "the environment",
        "compiler engine views pictures warehouse51 alles_futsch auctions adapters",
    ),
    "w51_agents": (
        "agents",
        "what plays and learns",
        "system console agent networks search language named training exact isolation commands",
    ),
    "w51_lab": (
        "lab",
        "who is better, and why",
        "replays statistics replay_viewer behaviour arena datasets report pairs benchmark trainings commands",
    ),
    "w51_table": (
        "table",
        "play and watch",
        "positions play lessons terminal web commands",
    ),
}
COLOURS = {"w51_env": "#3b6fb5", "w51_agents": "#2f8f5b", "w51_lab": "#b5792b", "w51_table": "#a8405a"}
_WIDTH = 1180
_TOP = 84
_ROOM = (170, 34)
_STEP = 300
_BOX = 46
_HEIGHT = _TOP + 20 + _BOX * max(len(rooms.split()) for _, _, rooms in HOUSES.values())
_STYLE = """
text { font: 15px sans-serif; fill: #333 }
text.house { font: bold 20px sans-serif }
rect { fill: #fff; stroke-width: 2 }
path { fill: none; stroke-opacity: .45 }
"""
_WITH_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
Room = tuple[str, str]


def pages() -> dict[str, str]:
    """The picture, as SVG."""
    return {PICTURE: draw(edges())}


def problems() -> list[str]:
    """Folders with modules that the picture does not have."""
    return [
        f"{house}/{folder.name}: not in {Path(__file__).name}"
        for house, (place, _, rooms) in HOUSES.items()
        for folder in sorted((ROOT / place / house).iterdir())
        if (folder / "__init__.py").exists() and folder.name not in rooms.split()
    ]


def edges() -> set[tuple[Room, Room]]:
    """(importing room, imported room) for all `import` statements, those inside functions too."""
    found = set()
    for house, (place, _, _) in HOUSES.items():
        for file in (ROOT / place / house).rglob("*.py"):
            room = _room(".".join(file.relative_to(ROOT / place).with_suffix("").parts))
            for node in statements(file):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = [f"{node.module}.{alias.name}" for alias in node.names]
                found |= {(room, _room(name)) for name in names if name.partition(".")[0] in HOUSES}
    return {(room, other) for room, other in found if room != other and room[1] and other[1]}


@cache
def statements(file: Path) -> tuple[ast.stmt, ...]:
    """The imports and functions of a file, also those inside other statements."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [ast.parse(file.read_text("utf-8"))]
    for node in waiting:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(node)
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += [inner for inner in getattr(node, part, ()) if isinstance(inner, _WITH_STATEMENTS)]
    return tuple(found)


def _room(module: str) -> Room:
    """(house, room) of a module; the room of a module beside the rooms is empty."""
    house, room = [*module.split("."), ""][:2]
    return house, room if room in HOUSES[house][2].split() else ""


def draw(found: set[tuple[Room, Room]]) -> str:
    """The street as SVG: a house is a column, an import a line in the colour of the house that imports."""
    places: dict[Room, tuple[int, int]] = {}
    parts = []
    for column, (house, (_, purpose, rooms)) in enumerate(HOUSES.items()):
        left = 40 + column * _STEP
        parts += [
            f'<text x="{left}" y="36" class="house" style="fill: {COLOURS[house]}">{house}</text>',
            f'<text x="{left}" y="58">{escape(purpose)}</text>',
        ]
        for row, room in enumerate(rooms.split()):
            places[house, room] = (left, _HEIGHT - _BOX - row * _BOX - 20)
    lines = [_line(places[room], places[other], COLOURS[room[0]]) for room, other in sorted(found)]
    for (house, room), (left, top) in places.items():
        parts += [
            f'<rect x="{left}" y="{top}" width="{_ROOM[0]}" height="{_ROOM[1]}" rx="6" stroke="{COLOURS[house]}"/>',
            f'<text x="{left + 12}" y="{top + 22}">{room}</text>',
        ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
            f"<style>{_STYLE}</style>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff" stroke="none"/>',
            *lines,
            *parts,
            "</svg>\n",
        ]
    )


def _line(start: tuple[int, int], end: tuple[int, int], colour: str) -> str:
    """From a room to one below it in its house, on its right, or to a room of a house further left."""
    (x, y), (to_x, to_y) = ((place[0], place[1] + _ROOM[1] // 2) for place in (start, end))
    if x == to_x:
        x = to_x = x + _ROOM[0]
        bend = x + 14 + abs(y - to_y) // 6
        width = 1.5
    else:
        to_x += _ROOM[0]
        bend = (x + to_x) // 2
        width = 0.8
    curve = f"M{x} {y} C{bend} {y} {bend} {to_y} {to_x} {to_y}"
    return f'<path d="{curve}" stroke="{colour}" stroke-width="{width}"/>'
