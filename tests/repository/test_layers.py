"""Houses and rooms of the source tree: imports run downward, without circles, and functions fit on a screen.

All `import` statements count, also those inside functions and under `if TYPE_CHECKING`.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

from docs._generators.architecture import HOUSES as PICTURE
from docs._generators.architecture import edges, statements
from tests.commands import ROOT, printed_by

MAX_LINES = 60  # of a function

# The houses, and in each the rooms, from bottom to top. A layer is one or more groups of modules, by prefixes of their
# names; the longest prefix counts. A module may import its own group and all layers below.
HOUSES = ("w51_env", "w51_agents", "w51_lab", "w51_table")
LAYERS = (
    (("w51_env.errors",),),
    (("w51_env.compiler",),),
    (("w51_env.engine",),),
    (("w51_env.views",),),
    (("w51_env.pictures",),),
    (("w51_env.warehouse51",), ("w51_env.alles_futsch",), ("w51_env.auctions",)),
    (("w51_env.adapters",),),
    (("w51_env",),),
    (("w51_agents.system",), ("w51_agents.console",)),
    (("w51_agents.agent",),),
    (("w51_agents.networks",),),
    (("w51_agents.search",), ("w51_agents.language",)),
    (("w51_agents.named",),),
    (("w51_agents.training",), ("w51_agents.exact",), ("w51_agents.isolation",)),
    (("w51_agents",),),
    (("w51_inspect",), ("w51_openenv",), ("w51_textarena",), ("w51_verifiers",)),
    (("w51_lab.replays",), ("w51_lab.statistics",)),
    (("w51_lab.replay_viewer",),),
    (("w51_lab.behaviour",),),
    (("w51_lab.arena",),),
    (("w51_lab.datasets",), ("w51_lab.report",)),
    (("w51_lab.benchmark",), ("w51_lab.pairs",), ("w51_lab.trainings",)),
    (("w51_lab",),),
    (("w51_table.positions",),),
    (("w51_table.play",),),
    (("w51_table.lessons",),),
    (("w51_table.terminal",), ("w51_table.web",)),
    (("w51_table",),),
    (("bin", "train", "evaluate", "play", "benchmarks", "docs", "examples", "experiments"),),
    (("tests",),),
)
# Modules of a single game, and what reaches all games through the contract alone (`w51_env.engine.game.Game`).
_NAMES = ("warehouse51", "alles_futsch", "auctions", "warehouse51_v1", "alles_futsch_v1", "auctions_v0")
GAMES = tuple(
    f"{package}.{name}"
    for package in (*HOUSES, "w51_agents.language", "w51_agents.exact", "w51_table.positions", "w51_lab.behaviour")
    for name in _NAMES
)
KNOW_NO_GAME = ("w51_env.compiler", "w51_env.engine", "w51_env.views", "w51_env.pictures", *HOUSES[1:])

# What a house names in one above it, and imports when it is first used: no import shows these.
BY_NAME = {
    "words of a game for language models": (
        "w51_agents.language.alles_futsch.briefing:briefing",
        "w51_agents.language.alles_futsch.rules_page:explain_lines",
        "w51_agents.language.alles_futsch.rules_page:rules_page",
        "w51_agents.language.alles_futsch.score_table:score_table",
        "w51_agents.language.auctions.rules_page:explain_lines",
        "w51_agents.language.auctions.rules_page:rules_page",
        "w51_agents.language.warehouse51.briefing:briefing",
        "w51_agents.language.warehouse51.rules_page:explain_lines",
        "w51_agents.language.warehouse51.rules_page:rules_page",
        "w51_agents.language.warehouse51.score_table:beliefs",
        "w51_agents.language.warehouse51.score_table:score_table",
    ),
    "what agents do in it": (
        "w51_lab.behaviour.alles_futsch.columns:BEHAVIOUR",
        "w51_lab.behaviour.auctions.columns:BEHAVIOUR",
        "w51_lab.behaviour.warehouse51.columns:BEHAVIOUR",
    ),
    "positions of a real table": (
        "w51_table.positions.alles_futsch:POSITIONS",
        "w51_table.positions.warehouse51.alternatives:alternatives",
        "w51_table.positions.warehouse51.position:POSITIONS",
    ),
    "a bot that needs exact payoffs": ("w51_agents.exact.auctions.strategies:Equilibrium",),
    "agents as opponents in environments": ("w51_agents.named.opponents:AgentGames",),
    "matches while a training runs": ("w51_lab.trainings.baselines:BaselineMatches",),
    "python -m w51_env": ("w51_agents.console.w51:main",),
}

# (importer, imported): reason
IMPORT_EXCEPTIONS: dict[tuple[str, str], str] = {}


@dataclass(frozen=True)
class Import:
    """One imported module.

    Attributes:
        importer, imported: Names of modules.
        where: File and line.
    """

    importer: str
    imported: str
    where: str


@cache
def modules() -> dict[str, Path]:
    """All modules that git tracks but the tests, by name."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.splitlines() if not name.startswith("tests/")]
    return {_module_name(file): file for file in sorted(files) if file.exists()}


@cache
def imports() -> tuple[Import, ...]:
    """All imports of modules of this tree by modules of this tree."""
    return tuple(found for name, file in modules().items() for found in _imports_of(name, file))


def _module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    if len(parts) > 1 and (parts[1] in HOUSES or parts[0] == "bridges"):  # agents/w51_agents is the package w51_agents
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports_of(name: str, file: Path) -> Iterator[Import]:
    for node in statements(file):
        for imported in dict.fromkeys(_targets(node, name, file)):
            if _group(imported) is not None and imported != name:
                yield Import(name, imported, f"{file.relative_to(ROOT)}:{node.lineno}")


def _targets(node: ast.stmt, name: str, file: Path) -> Iterator[str]:
    """The modules that a statement imports; of `from package import module` the module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
            base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
        for alias in node.names:
            submodule = f"{base}.{alias.name}"
            yield submodule if submodule in modules() else base


@cache
def _group(name: str) -> tuple[int, int] | None:
    """(layer, group) of a module by its longest prefix; None if it is not of this tree."""
    prefixes = {
        prefix: (layer, index)
        for layer, groups in enumerate(LAYERS)
        for index, group in enumerate(groups)
        for prefix in group
        if _is_part_of(name, prefix)
    }
    return prefixes[max(prefixes, key=len)] if prefixes else None


def _is_part_of(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")


def _allowed(importer: str) -> str:
    layer, index = _group(importer) or (0, 0)
    below = [prefix for groups in LAYERS[:layer] for group in groups for prefix in group]
    return ", ".join([*LAYERS[layer][index], *reversed(below)])


def test_every_module_belongs_to_a_layer():
    lost = [str(file.relative_to(ROOT)) for name, file in modules().items() if _group(name) is None]
    assert not lost, f"{', '.join(lost)}: in no layer; add it to LAYERS in {Path(__file__).name}"
    prefixes = [prefix for groups in LAYERS[:-1] for group in groups for prefix in group]
    unused = [prefix for prefix in prefixes if not any(_is_part_of(name, prefix) for name in modules())]
    assert not unused, f"LAYERS: there is no module {', '.join(unused)}"


def test_imports_run_downward():
    wrong = []
    for found in imports():
        own, other = _group(found.importer), _group(found.imported)
        assert own is not None
        assert other is not None
        if other != own and other[0] >= own[0] and (found.importer, found.imported) not in IMPORT_EXCEPTIONS:
            wrong.append(f"{found.where}: imports {found.imported}; allowed are {_allowed(found.importer)}")
    assert not wrong, "\n".join(wrong)


def test_only_a_game_imports_what_is_of_a_single_game():
    wrong = [
        f"{found.where}: imports {found.imported}; what is of one game comes through w51_env.engine.game.Game"
        for found in imports()
        if any(_is_part_of(found.importer, package) for package in KNOW_NO_GAME)
        and not any(_is_part_of(found.importer, game) for game in GAMES)
        and any(_is_part_of(found.imported, game) for game in GAMES)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_game_imports_what_is_of_another_game():
    wrong = [
        f"{found.where}: imports {found.imported}, of another game"
        for found in imports()
        for own, other in [(_game_of(found.importer), _game_of(found.imported))]
        if own and other and own != other
    ]
    assert not wrong, "\n".join(wrong)


def _game_of(name: str) -> str | None:
    """The name of the game that a module is of, without its version."""
    found = next((game for game in GAMES if _is_part_of(name, game)), None)
    return found and found.rpartition(".")[2].partition("_v")[0]


def test_rooms_import_downward_as_the_picture_has_them():
    houses = list(PICTURE)
    places = {(house, room): place for house in houses for place, room in enumerate(PICTURE[house][2].split())}
    up = [
        f"{'.'.join(own)} imports {'.'.join(other)}, which is above it"
        for own, other in edges()
        if (houses.index(own[0]), places[own]) < (houses.index(other[0]), places[other])
    ]
    assert not up, "\n".join(up)


def test_what_is_named_in_a_house_above_is_listed_and_exists():
    named = {
        name
        for module, file in modules().items()
        if (house := module.partition(".")[0]) in HOUSES
        for name in re.findall(r'"(w51_\w+(?:\.\w+)+:\w+)"', file.read_text("utf-8"))
        if HOUSES.index(name.partition(".")[0]) > HOUSES.index(house)
    }
    listed = [name for names in BY_NAME.values() for name in names]
    assert sorted(named) == sorted(listed)
    defined = {
        f"{module}:{name}"
        for module in {name.partition(":")[0] for name in listed}
        for node in ast.parse(modules()[module].read_text("utf-8")).body
        for name in _names_in(node)
    }
    assert [name for name in listed if name not in defined] == []


def _names_in(node: ast.stmt) -> list[str]:
    """The names that a statement at the top of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_there_are_no_import_circles():
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for found in imports():
        graph[found.importer].add(found.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        pairs = list(pairwise(circle))
        places = [found.where for found in imports() if (found.importer, found.imported) in pairs]
        raise AssertionError(f"{' -> '.join(circle)}: a circle of imports, at {', '.join(places)}") from None


def test_data_without_a_type_says_why():
    untyped = re.compile(r"(dict|Mapping)\[str, Any\][^#\n]*$", re.MULTILINE)  # a comment stands in the line
    files = [file for name, file in modules().items() if name.startswith(("w51_lab.", "w51_table."))]
    assert [str(file.relative_to(ROOT)) for file in files if untyped.search(file.read_text("utf-8"))] == []


def test_git_tracks_no_link():
    """A link is a file with a path in it where git makes no links, and tools that follow it find modules twice."""
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line for line in listed.splitlines() if line.startswith("120000")] == []


def test_functions_fit_on_a_screen():
    long = {
        f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"
        for file in modules().values()
        for node in statements(file)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MAX_LINES
    }
    assert not long


def test_three_assignments_in_a_line_belong_together():
    """Their values are alike but for names, numbers, texts and places in arrays."""
    found = []
    for file in modules().values():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and len(node.value.elts) > 2:
                texts = [re.sub(r"\[.*\]|'.*?'", "x", ast.unparse(one)) for one in node.value.elts]
                forms = {re.sub(r"[\w.]+", "x", text) for text in texts}
                if isinstance(node.targets[0], ast.Tuple) and len(forms) > 1:
                    found.append(f"{file.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
    assert not found, "\n".join(found)


def test_a_bid_crosses_at_most_15_files():
    assert int(printed_by("-m", "benchmarks.crossings", "bid").split()[1]) <= 15
