"""Policies as files that run without this package, `torch.export` and ONNX, with a model card in Markdown."""

import io
import json
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent.imports import errors_of_others
from w51_agents.agent.interface import Agent, AgentError
from w51_agents.networks.checkpoint import interface_digest
from w51_agents.networks.option_words import option_in_words
from w51_agents.networks.tensor_policy import ExportableAgent
from w51_agents.system.errors import needs_extra
from w51_agents.system.files import check_writable, write_atomic
from w51_env import __version__
from w51_env.engine.batch import Batch

SUFFIXES = {".pt2": "torch.export", ".onnx": "ONNX"}
_TOLERANCE = 1e-4  #  between probabilities of the file and of the agent
_GAMES, _STEPS = 8, 60
COMPARED = _GAMES * _STEPS  #  decisions that both are asked

# The results of `forward`, of its arguments
Forward = Callable[..., Sequence[np.ndarray]]
_STATE = """\
| `state` | (B, {state}) | float32 | 0 at a seat's first decision of a game, then the second result |

The second result, `next_state`, is the state of these seats after their decisions.
"""
_HISTORY = """\
| `history` | (B, {history}, 6) | int16 | `Batch.history`, the oldest event first, then zeros |
"""
_MEMORY = {"state": _STATE, "history": _HISTORY}
_CARD = """\
---
library_name: {library}
tags: [reinforcement-learning, board-games, w51_env]
---
# {agent}, a policy for {game}

Exported by `w51 export` of w51_env {w51_env}. The options of the game: {options}, and else the defaults.

| file | SHA-256 |
| --- | --- |
| `{file}` | `{sha256}` |
{sources}

## Interface

`forward({arguments})` returns (B, {num_actions}) float32 probabilities, 0 where illegal, for any B from 1.

| argument | shape | dtype | from |
| --- | --- | --- | --- |
| `observation` | (B, {size}) | int8 | `Batch.observation` |
| `mask` | (B, {num_actions}) | int8 | `Batch.action_mask` |
{memory}
The agent plays {chooses}. Column k is the action k of the game. The text `w51_env` of the file is JSON with the names
of the actions, the slices of the observation and all options of the game; the interface has the SHA-256
`{interface}`.

In {decisions} decisions of random games, no probability differs from the agent's by more than {difference:.0e}.

## Training

{training}

## Limits

The policy plays {game} with these options only, and was compared with the agent, not measured anew. What was measured
of the agent belongs here: an entry of the benchmark (`w51 benchmark`), and what a best response wins against it
(`w51 train --exploit`).
"""


def export_policy(agent: Agent, path: Path, name: str = "", sha256: Sequence[str] = ()) -> dict[str, Any]:
    """Write the policy of an agent as a file and compare the file with the agent.

    What is written is `forward(observation, mask)`: (B, actions) float32 probabilities, of (B, size) int8 observations
    and (B, actions) int8 masks as an environment gives them, for any B from 1. The file has the text `w51_env`: JSON
    with the version, the agent, the game, its options, the names of the actions and the slices of the observation. The
    policy of a network with memory has a third argument: a state, which is also a second result
    (`RecurrentTensorPolicy`), or a history (`NetworkPolicy`).

    Args:
        agent: The agent of a network; whether it is greedy does not matter.
        path: The file; its suffix is one of `SUFFIXES`. An existing file is replaced.
        name: What the agent is called in the file.
        sha256: Digests of the files from which the agent was made.

    Returns:
        What the file says of itself, and `difference`: the largest between a probability of the file and of the agent,
        in decisions of random games.

    Raises:
        AgentError: No network, another suffix, a network that reads what only this package computes or that cannot be
            exported, or a file that plays otherwise than the agent.
        FileError: The file cannot be written.
        MissingPackageError: For ONNX, a package is missing.
    """
    check_target(path)
    if not isinstance(agent, ExportableAgent):
        raise AgentError(f"export: {type(agent).__name__} is no policy of a network")
    about = _about(agent, name, sha256)
    arguments = _decisions(agent)
    differences: list[float] = []

    def write(file: Path) -> None:
        forward = _write(agent.tensor_policy().eval(), file, arguments, json.dumps(about))
        expected: Any = agent.forward(*arguments.values())
        for part in (slice(None), slice(0, 1)):
            results = forward(*(array[part] for array in arguments.values()))
            pairs = zip(results, expected if len(results) > 1 else [expected], strict=True)
            differences.extend(float(np.abs(found - wanted[part]).max()) for found, wanted in pairs)
        if not max(differences) <= _TOLERANCE:
            raise AgentError(f"export: the file's probabilities differ from the agent's by {max(differences)}")

    write_atomic(path, write)
    return {**about, "difference": max(differences)}


def check_target(path: Path) -> None:
    """Refuse a file that cannot be written; AgentError for another suffix, FileError for its folder."""
    if path.suffix not in SUFFIXES:
        raise AgentError(f"export: {str(path)!r}, but a name that ends in {' or '.join(SUFFIXES)} is needed")
    check_writable(path)


def _write(policy: nn.Module, path: Path, arguments: Mapping[str, np.ndarray], about: str) -> Forward:
    """Write the file, and return what it computes once it is read again."""
    example = tuple(map(torch.from_numpy, arguments.values()))
    shapes = {name: {0: torch.export.Dim("batch")} for name in arguments}
    if path.suffix == ".onnx":
        with needs_extra("ONNX files", "export"):
            import onnx
            import onnxruntime
            import onnxscript  # noqa: F401 - PyTorch needs it
    with errors_of_others("export: the network cannot be exported"), _quiet():
        program = torch.export.export(policy, example, dynamic_shapes=shapes)
        if path.suffix == ".pt2":
            torch.export.save(program, path, extra_files={"w51_env": about})
            module = torch.export.load(path).module()
            return lambda *arrays: _arrays(module(*map(torch.from_numpy, arrays)))
        results = ["probabilities", *["next_state"] * ("state" in arguments)]
        names: dict[str, Any] = {"input_names": [*arguments], "output_names": results}
        made = torch.onnx.export(program, dynamo=True, verbose=False, dynamic_shapes=shapes, **names)
        assert made is not None
        made.model.metadata_props["w51_env"] = about
        made.save(path)
        onnx.checker.check_model(path)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda *arrays: session.run(None, dict(zip(arguments, arrays, strict=True)))


def _arrays(results: Tensor | tuple[Tensor, ...]) -> list[np.ndarray]:
    return [result.detach().numpy() for result in (results if isinstance(results, tuple) else (results,))]


@contextmanager
def _quiet() -> Iterator[None]:
    """PyTorch's exporters warn, print and log about what a user cannot change."""
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)


def _decisions(agent: ExportableAgent) -> dict[str, np.ndarray]:
    """The arguments of `forward` at decisions of games that random actions play; states are random."""
    history = agent.extra_argument.get("history", 0)
    batch = Batch(agent.game, _GAMES, seed=0, history=history)
    batch.reset()
    generator = np.random.default_rng(0)
    steps: list[dict[str, np.ndarray]] = []
    for _ in range(_STEPS):
        steps.append({"observation": batch.observation.copy(), "mask": batch.action_mask.copy()})
        if history:
            steps[-1]["history"] = batch.history()[0].copy()
        batch.step((generator.random(steps[-1]["mask"].shape) * steps[-1]["mask"]).argmax(1))
    arguments = {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}
    if width := agent.extra_argument.get("state"):
        arguments["state"] = np.random.default_rng(0).uniform(-1, 1, (COMPARED, width)).astype(np.float32)
    return arguments


def _about(agent: ExportableAgent, name: str, sha256: Sequence[str]) -> dict[str, Any]:
    """What a user of the file has to know, as plain data."""
    game = agent.game
    usual = game.make().options
    changed = {option: option_in_words(value) for option, value in game.options.items() if value != usual.get(option)}
    return {
        "w51_env": __version__,
        "agent": name,
        "sha256": [*sha256],
        "chooses": "the likeliest action" if agent.greedy else "an action drawn from the probabilities",
        "game": game.id,
        "options": game.options,
        "changed": {"num_players": str(game.num_players), **changed},
        "interface": interface_digest(game),
        "actions": [action.name for action in game.actions],
        "observation": {part.name: [part.start, part.stop] for part in game.layout.values()},
        **agent.extra_argument,
    }


def model_card(about: Mapping[str, Any], file: str, library: str, sha256: str, training: str, decisions: int) -> str:
    """The card of an exported file.

    Args:
        about: What `export_policy` returns.
        file: Name of the file.
        library: That reads it.
        sha256: Digest of the file.
        training: How the agent was trained, in Markdown; empty: not known.
        decisions: Number of decisions that were compared.
    """
    sources = "\n".join(f"| the agent's checkpoint | `{digest}` |" for digest in about["sha256"])
    memory = [text.format(**about) for name, text in _MEMORY.items() if name in about]
    written = {
        "options": ", ".join(f"`{name}={value}`" for name, value in about["changed"].items()),
        "decisions": f"{decisions:,}",
        "file": file,
        "library": library,
        "num_actions": len(about["actions"]),
        "sha256": sha256,
        "size": max(stop for _, stop in about["observation"].values()),
        "arguments": ", ".join(("observation", "mask", *(name for name in _MEMORY if name in about))),
        "memory": "".join(memory),
        "sources": sources or "| the agent has no file | |",
        "training": training or "Not known: the agent is no folder of a training run.",
    }
    return _CARD.format(**{**about, **written}).replace("\n\n\n", "\n\n")
