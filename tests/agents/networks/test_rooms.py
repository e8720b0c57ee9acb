"""Each form of network has a room: nobody outside asks which network it is, and only `making` knows all rooms."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.commands import ROOT
from w51_agents.networks.making import FORMS
from w51_agents.training.config import config_names

NETWORKS = ROOT / "agents" / "w51_agents" / "networks"
PACKAGE = "w51_agents.networks"
SHARED = {"fast"}  # folders that are no rooms of networks
ROOMS = sorted(path.parent.name for path in NETWORKS.glob("*/__init__.py") if path.parent.name not in SHARED)
HOUSES = ("agents", "lab", "table")
# What tells forms of networks apart.
ATTRIBUTES = {"reads_items", "plays_any_items", "residual", "state_size"}
QUESTIONS = {"isinstance", "issubclass", "type", "hasattr", "getattr"}
# Classes that all rooms share, and the agents that play their networks.
COMMON = {"ActorCritic", "BaseTorso", "Torso", "ActorCriticAgent", "PolicyAgent", "CompiledAgent"}
MOST_PARAMETERS = 7


@cache
def files() -> dict[Path, ast.Module]:
    """The parsed files of all houses but the lowest."""
    paths = sorted(path for house in HOUSES for path in (ROOT / house).rglob("*.py"))
    return {path: ast.parse(path.read_text()) for path in paths}


@cache
def names_of_classes() -> frozenset[str]:
    """Those of the rooms, and of what all networks share."""
    in_rooms = [tree for path, tree in files().items() if NETWORKS in path.parents and path.parent.name in ROOMS]
    classes = (node for tree in in_rooms for node in ast.walk(tree))
    return frozenset(one.name for one in classes if isinstance(one, ast.ClassDef)) | COMMON


def imported(tree: ast.Module) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_of(tree: ast.Module) -> set[str]:
    """The rooms that a file imports from."""
    return {room for name in imported(tree) for room in ROOMS if f"{name}.".startswith(f"{PACKAGE}.{room}.")}


def asked(tree: ast.Module) -> Iterator[str]:
    """Where a file asks which network it has."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=question), args=[first, *_]) if question in QUESTIONS:
                is_network = ast.unparse(first).split(".")[-1].strip("_") in ("network", "torso", "policy")
                is_class = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} & names_of_classes()
                if is_network or is_class:
                    yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Attribute(attr=attribute) if attribute in ATTRIBUTES:
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Compare() if "network" in ast.unparse(node) and any(
                isinstance(part, ast.Constant) and part.value in FORMS and part.value is not None
                for part in ast.walk(node)
            ):
                yield f"{node.lineno}: {ast.unparse(node)}"


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    named = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return sum(one.arg not in ("self", "cls") for one in named)


def test_outside_of_networks_nobody_asks_which_network_it_is():
    found = [
        f"{path.relative_to(ROOT)}:{where}"
        for path, tree in files().items()
        if NETWORKS not in path.parents
        for where in (*asked(tree), *(f" imports {room}" for room in rooms_of(tree)))
    ]
    assert not found, "\n".join(found)


def test_a_room_of_a_network_knows_no_other_and_only_making_knows_all():
    assert len(ROOMS) == len(FORMS)
    known = {path.relative_to(NETWORKS): rooms_of(tree) for path, tree in files().items() if NETWORKS in path.parents}
    assert known.pop(Path("making.py")) == set(ROOMS)
    found = {str(path): rooms for path, rooms in known.items() if rooms - {path.parts[0]}}
    assert not found


def test_no_function_of_agents_has_eight_parameters():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {count}"
        for path, tree in files().items()
        if ROOT / "agents" in path.parents
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (count := parameters(node)) > MOST_PARAMETERS
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(self.network.torso, Torso)",
        "isinstance(agent, RecurrentPolicyAgent)",
        "isinstance(agent, ActorCriticAgent)",
        "type(model.network) is ActorCritic",
        "getattr(network, 'unroll', None)",
        "checkpoint.reads_items",
        "snapshot.residual is None",
        "settings.network == 'recurrent'",
        "config.settings.network in (None, 'items')",
    ],
)
def test_questions_are_found(code):
    assert list(asked(ast.parse(code)))


def test_the_agents_house_has_few_rooms_and_a_user_few_configs():
    rooms = {path.parent.relative_to(NETWORKS.parent) for path in NETWORKS.parent.rglob("*.py")}
    assert len({room.parts[0] for room in rooms if room.parts}) <= 15
    assert len([*NETWORKS.parent.glob("*.py")]) <= 6
    assert len(config_names()) <= 15
