"""The page of all keys of configs, from the classes of the trainers."""

from docs import _tables
from w51_agents.training.explained import Key, keys_of
from w51_agents.training.registry import registered_trainers, trainer_spec
from w51_agents.training.settings import TrainingConfig

PAGE = "docs/config_keys.md"


def pages() -> dict[str, str]:
    """The page with a table for the keys that all trainers have, and one for those of each trainer."""
    shared = list(keys_of(TrainingConfig))
    names = {key.name for key in shared}
    tables = {"shared": _table(shared)}
    for trainer in registered_trainers():
        trainer_keys = [key for key in keys_of(trainer_spec(trainer).config) if key.name not in names]
        tables[trainer] = _table(trainer_keys)
    text = (
        "# Keys of configs\n\n"
        "Every key of a config of `w51 train`, by trainer, made from the code. `w51 train --config quick "
        "--show-config`\nprints a config with all its keys and what they mean. On the command line, a key with its "
        "section is\n`ppo.update_epochs=3`; an option of the game is `options.KEY=VALUE`\n"
        "([Warehouse 51](games/warehouse51_reference.md#arguments)).\n\n"
        "## All trainers\n\n<!-- table: shared -->\n<!-- end -->\n"
    )
    for trainer in registered_trainers():
        text += f"\n## {trainer}\n\n<!-- table: {trainer} -->\n<!-- end -->\n"
    return {PAGE: _tables.fill(text, tables)}


def _table(keys: list[Key]) -> str:
    lines = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{key.name}` | {_cell(key.type)} | {f'`{key.default}`' if key.default else 'must be given'} | "
        f"{_cell(key.meaning)} |"
        for key in keys
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
