"""The model card of an exported policy: a page in Markdown, with the digests of all files."""

from collections.abc import Mapping
from typing import Any

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

`forward(observation, mask)` returns (B, {num_actions}) float32 probabilities, 0 where illegal, for any B from 1.

| argument | shape | dtype | from |
| --- | --- | --- | --- |
| `observation` | (B, {size}) | int8 | `Batch.observation` |
| `mask` | (B, {num_actions}) | int8 | `Batch.action_mask` |

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
    written = {
        "options": ", ".join(f"`{name}={value}`" for name, value in about["changed"].items()),
        "decisions": f"{decisions:,}",
        "file": file,
        "library": library,
        "num_actions": len(about["actions"]),
        "sha256": sha256,
        "size": max(stop for _, stop in about["observation"].values()),
        "sources": sources or "| the agent has no file | |",
        "training": training or "Not known: the agent is no folder of a training run.",
    }
    return _CARD.format(**{**about, **written}).replace("\n\n\n", "\n\n")
