"""Agents by name: bots of the game, registered agents, checkpoints, search, classes of a user."""

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.imports import has_arguments, import_agent
from w51_agents.agent.interface import Agent, AgentError
from w51_agents.agent.memory import per_game
from w51_agents.language.llm.llm_settings import check_no_password, is_llm
from w51_agents.language.llm.llm_settings import parse_settings as llm_settings
from w51_agents.named.composed import is_composed, make_composed, parts_of
from w51_agents.networks.load import SHIPPED, checkpoint_of, load_agent, shipped_path
from w51_agents.search.response_settings import is_response
from w51_agents.search.search_settings import CHAMPION, SEARCH, is_champion, is_search
from w51_agents.search.search_settings import parse_settings as search_settings
from w51_agents.system.errors import needs_extra
from w51_agents.system.files import exists, is_file
from w51_env.engine.errors import unknown
from w51_env.engine.game import Game
from w51_env.engine.registry import registered_games

BOTS = ("random", "heuristic")  # of every game of this package
SB3, RLLIB = "sb3:", "rllib:"
FORMS = ("sampled", "greedy")  # of a network: it draws its actions, or takes the likeliest
_KIND = re.compile(r"[\w.]+:")  # of an agent whose name is not the path of a file
_FOLDERS = re.compile(
    r"(?<!\w)\w+://[^\s,]*|(?:(?<=[=,:>+])|^)[^=,:>+]*/"
)  # an address of the web, or the folders of a path
_MAX_NAME = 300  # characters of a name that others give
_LABELLED = re.compile(r"([^=:,/\\]*)=(.+)", re.DOTALL)  # an equals sign after these is in the name of the agent
_LABEL = re.compile(r"[^\W\d][\w .-]{0,39}")
_FACTORIES: dict[str, Callable[[Game], Agent]] = globals().get("_FACTORIES", {})  # also when reloaded


def register_agent(name: str, factory: Callable[[Game], Agent]) -> None:
    """Register an agent under a name; `factory` is called with the game."""
    if _FACTORIES.get(name, factory) is not factory or name in (*BOTS, *SHIPPED, SEARCH, CHAMPION):
        raise AgentError(f"agent {name!r}: this name is taken")
    _FACTORIES[name] = factory


def registered_agents(game: Game) -> tuple[str, ...]:
    """The names that `make_agent` accepts for this game, beside paths of checkpoints."""
    return (*game.bots, *(name for name in SHIPPED if shipped_path(game, name).exists()), CHAMPION, *_FACTORIES)


def make_agent(name: str, game: Game, *, trust: bool = False) -> Agent:
    """The agent of this name, or of the checkpoint at this path.

    Args:
        name: One of `registered_agents(game)`; a checkpoint (`.safetensors`) or the folder of a training run;
            `search:...`, a search agent (see `w51_agents.search.search_settings`); `champion:playouts=50`, or with its
            400 playouts `champion`, which asks networks; `response:...`, a response (`w51_agents.search.responses`);
            `llm:...`, a language model (see
            `w51_agents.language.llm.llm_settings`); `sb3:model.zip`, a model that sb3-contrib's MaskablePPO saved;
            `rllib:FOLDER`, a module that RLlib saved; `module:Class` or `module:Class,key=value`, a class that is
            called with the game and these arguments; or `module:function`, a function of observation and mask. The
            module may also be in the working directory. `mimic:FIRST>THEN,lots=4` and `style:AGENT,bids=1` are made of
            bots and networks (see `named.composed`). `:sampled` or `:greedy` after the name of a network says how it
            chooses actions: networks are greedy by default, but for `pretrained-v2` in Warehouse 51.
        game: The game it plays.
        trust: Load pickled models, which can run any code while they are loaded, and checkpoints whose network is a
            third-party class.

    Raises:
        AgentError: Neither a name nor a path, a checkpoint for another game, a pickled model or a third-party network
            without `trust`, a class that is no agent, or a form of an agent that is no network.
        MissingPackageError: A package that the agent needs.
    """
    check_no_password(name)
    if is_response(name) or is_search(name) or is_champion(name):
        return _make_search(name, game, trust)
    if is_composed(name):
        return make_composed(name, game, _make_part)
    base, form = split_form(name)
    if form is not None:
        if is_class(base):
            raise AgentError(f"agent {name!r}: {':' + form!r} is for networks; a class of your own has one form")
        return _in_form(name, make_agent(base, game, trust=trust), form)
    if name in game.bots:
        return BotAgent(game, name)
    if name in SHIPPED:
        return load_agent(game, name)
    if name in _FACTORIES:
        return per_game(_FACTORIES[name](game), partial(_FACTORIES[name], game))
    if is_llm(name):
        from w51_agents.language.llm.llm_agent import LLMAgent

        return LLMAgent(game, llm_settings(name))
    if is_pickled(name):
        return _pickled_agent(name, game, trust)
    if is_class(name):
        return import_agent(name, game)
    if is_path(name):
        return load_agent(game, name, trust=trust)
    known = registered_agents(game)
    searches = "search:..., champion:..., response:..."
    others = "mimic:..., style:..., llm:..., sb3:model.zip, rllib:FOLDER and module:Class"
    absent = game.why_absent(name)
    raise AgentError(unknown("agent", name, known, f", paths of checkpoints, {searches}, {others}") + absent)


def _make_search(name: str, game: Game, trust: bool) -> Agent:
    """A response, a champion or a search."""
    from w51_agents.search.champion import make_champion
    from w51_agents.search.responses import make_response
    from w51_agents.search.search_agent import make_search

    if is_response(name):
        return make_response(name, game, partial(_make_part, trust=trust))
    return make_champion(name, game) if is_champion(name) else make_search(name, game, trust=trust)


def _make_part(name: str, game: Game, trust: bool = False) -> Agent:
    """An agent that a mimic, a style or a response is made of."""
    searches = is_search(name) or is_champion(name) or is_response(name)
    if searches or is_class(name) or is_pickled(name) or is_llm(name):
        raise AgentError(f"agent {name!r}: mimics, styles and responses are made of bots and networks of this package")
    return make_agent(name, game, trust=trust)


def split_form(name: str) -> tuple[str, str | None]:
    """The name without `:sampled` or `:greedy`, and this form; None if it has none.

    `module:greedy` is a class of that name in a module of the user, unless the module's name is that of an agent.
    """
    base, _, form = name.rpartition(":")
    if form not in FORMS or is_llm(name) or is_search(name) or is_champion(name) or is_composed(name):
        return name, None
    is_agent = ":" in base or base in (*BOTS, *SHIPPED, *_FACTORIES) or base.endswith(".zip") or is_path(base)
    return (base, form) if is_agent else (name, None)


def split_label(name: str) -> tuple[str, str]:
    """What an agent is called in tables, and its name: `mine=my_agent:MyPPO,path=x.pt`; empty if it has no label.

    Raises:
        AgentError: A label that is none.
    """
    match = None if exists(name) else _LABELLED.fullmatch(name)
    if match and not _LABEL.fullmatch(match[1]):
        allowed = "a letter is needed, then up to 39 letters, digits, spaces, dots, _ and -"
        raise AgentError(f"agent {name[:200]!r}: its label is {match[1][:80]!r}, but {allowed}")
    return (match[1].strip(), match[2]) if match else ("", name)


def is_path(name: str) -> bool:
    """Whether this is the path of a checkpoint or of the folder of a run."""
    if has_arguments(name) or is_composed(name):
        return False
    if name.endswith(".safetensors") or exists(name):
        return True
    return os.sep in name and not is_llm(name) and not name.startswith(RLLIB)


def runs_third_party_code(name: str) -> bool:
    """Whether `make_agent` runs third-party code for this name: a class or a pickled model."""
    return is_class(name) or (is_pickled(name) and split_form(name)[0] not in _FACTORIES)


def third_party_network(name: str, game: Game) -> str | None:
    """The class of others that a checkpoint names for its network, `module:Class`; None for any other agent."""
    name, _ = split_form(name)
    if name in SHIPPED or not is_path(name):
        return None
    path = checkpoint_of(name, game)
    if not is_file(path):
        return None
    with needs_extra(f"checkpoint {path}: a network needs PyTorch and safetensors", "train"):
        from w51_agents.networks.checkpoint import read_checkpoint
        from w51_agents.networks.making import FORMS
    try:
        network = read_checkpoint(path, game).shape.get("network")
    except AgentError:  # `make_agent` says what is wrong
        return None
    return None if network in FORMS else network


def is_pickled(name: str) -> bool:
    """Whether it is the name of a pickled model."""
    name, _ = split_form(name)
    return name.startswith((SB3, RLLIB)) or (name.endswith(".zip") and not is_composed(name))


def is_class(name: str) -> bool:
    """Whether `make_agent` imports this name as `module:Class`, which runs the code of the module."""
    is_other_kind = name in _FACTORIES or is_search(name) or is_champion(name) or is_llm(name) or is_pickled(name)
    is_other_kind |= is_composed(name)
    return ":" in name and not is_other_kind and split_form(name)[1] is None and not is_path(name)


def code_names(game_id: str, agents: Iterable[str], classes: Iterable[str] = ()) -> list[str]:
    """The names that stand for third-party code.

    Args:
        game_id: Id of the game; a factory `module:function` is code.
        agents: Names of agents; a class `module:Class` is code. So is `llm:...`: it runs a command, or sends a key to a
            server.
        classes: Other names, of which each `module:object` is code.
    """
    games = [] if game_id in registered_games() or ":" not in game_id else [game_id]
    code = [name for name in agents if is_class(name) or is_llm(name)]
    return list(dict.fromkeys([*games, *code, *(name for name in classes if ":" in name)]))


def check_code(
    game_id: str, agents: Iterable[str], allowed: Collection[str], source: str, classes: Iterable[str] = ()
) -> None:
    """AgentError if the names in a file would import code that the user has not allowed.

    Args:
        game_id: Id of the game.
        agents: Names of agents.
        allowed: The names whose code may run, as given on the command line.
        source: The file or folder with the names, for the message.
        classes: Other names, as for `code_names`.
    """
    if unknown := [name for name in code_names(game_id, agents, classes) if name not in allowed]:
        options = " ".join(f"--allow {shlex.quote(name)}" for name in unknown)
        raise AgentError(
            f"{source}: names third-party code: {', '.join(unknown)}; it was not imported. "
            f"If you trust it, add {options}"
        )


def is_named(name: str, game: Game) -> bool:
    """Whether the name alone says who plays: a registered agent, or a search, a mimic or a style of such agents.

    Such a name is neither the path of a file nor code. AgentError for a search or a mimic that cannot be.
    """
    if len(name) > _MAX_NAME:
        return False
    if is_composed(name):
        parts = parts_of(name)
    elif is_search(name):
        settings = search_settings(name)
        parts = [part for part in (*(settings.playout_bot or "").split("+"), settings.prior) if part]
    elif is_champion(name):
        parts = []
    else:
        return split_form(name)[0] in registered_agents(game)
    return all(is_named(part, game) for part in parts)


def check_named(game: Game, agents: Iterable[str], allowed: Collection[str], source: str) -> None:
    """AgentError if others name an agent that is code or a file, in a request, a message or a file of theirs.

    Args:
        game: The game that they play.
        agents: Names of agents.
        allowed: The names that the user has allowed, as given on the command line.
        source: What names them, for the message.
    """
    if unknown := [name for name in dict.fromkeys(agents) if name not in allowed and not is_named(name, game)]:
        raise AgentError(
            f"{source}: names code or files: {', '.join(unknown)}; nothing was imported or opened. "
            f"If you trust it, name {'it' if len(unknown) == 1 else 'them'} on the command line"
        )


def without_folders(name: str) -> str:
    """The name of an agent as others see it: a file in it by its name alone."""
    if not _KIND.match(name):
        return PurePath(name).name or name
    return _FOLDERS.sub(lambda found: found[0] if "://" in found[0] else "", name)


def folders_of(name: str) -> list[str]:
    """The folders of files in the name of an agent, the longest first."""
    found = {one for one in _FOLDERS.findall(name) if one != "/" and "://" not in one}
    return sorted(found, key=len, reverse=True)


def _pickled_agent(name: str, game: Game, trust: bool) -> Agent:
    path = Path(name.removeprefix(SB3).removeprefix(RLLIB))
    if not trust:
        raise AgentError(
            f"agent {path}: a pickled model, which can run any code while it is loaded; "
            "allow it with --trust (trust=True)"
        )
    if name.startswith(RLLIB):
        with needs_extra(f"agent {path}: needs PyTorch, which comes with", "rllib"):
            from w51_agents.networks.rllib import RLlibAgent
        return RLlibAgent(game, path)
    if not is_file(path):  # known before PyTorch is imported, which takes seconds
        raise AgentError(f"checkpoint {path}: there is no such file")
    with needs_extra(f"agent {path}: needs Stable-Baselines3, which comes with", "sb3"):
        from w51_agents.networks.maskable import MaskablePPOAgent
    return MaskablePPOAgent(game, path)


def _in_form(name: str, agent: Agent, form: str) -> Agent:
    """A network, which from now on chooses its actions in a form; AgentError for an agent that is none."""
    network: Any = agent
    if not isinstance(getattr(agent, "greedy", None), bool):
        raise AgentError(f"agent {name!r}: {':' + form!r} is for networks, and {type(agent).__name__} is none")
    network.greedy = form == "greedy"
    return agent
