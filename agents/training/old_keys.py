"""Config keys of earlier versions and their names today."""

from typing import Any

_OPTIMISATION = {
    "epochs": "update_epochs",
    "discount": "gamma",
    "gae": "gae_lambda",
    "clip": "clip_range",
    "steps_per_update": "num_steps",
    "minibatch": "minibatch_size",
    "entropy": "ent_coef",
    "network": "hidden_sizes",
}
_RENAMED = {  # by section; `selfplay.games` is a list of sections
    "": {"games_at_once": "num_envs"},
    "ppo": _OPTIMISATION,
    "selfplay": {
        **_OPTIMISATION,
        "tables": "games",
        "last_entropy": "final_ent_coef",
        "max_gradient": "max_grad_norm",
        "advisor": "base_policy",
        "reckoning": "heuristic_features",
        "magnet": "average_kl",
        "magnet_pace": "average_rate",
    },
    "selfplay.games": {"players": "num_players", "games": "num_envs"},
    "evaluation": {"players": "num_players"},
}
_RENAMED_VALUES = {"selfplay.critic": {"seat": "local", "table": "centralized"}}


def upgrade_keys(data: dict[str, Any], section: str = "") -> tuple[dict[str, Any], list[str]]:
    """A config, or a section of one, with the keys of today.

    Returns:
        upgraded: The data with new keys.
        renamed: A sentence for each old key.
    """
    upgraded, renamed = {}, list[str]()
    for old, value in data.items():
        key = _RENAMED.get(section, {}).get(old, old)
        path, old_path = (f"{section}.{name}".removeprefix(".") for name in (key, old))
        if key != old:
            renamed.append(f"{old_path}: renamed {path}")
        known = _RENAMED_VALUES.get(path, {})
        if isinstance(value, str) and value in known:
            renamed.append(f"{path}: {value!r}: renamed {known[value]!r}")
            value = known[value]
        if path in _RENAMED:
            value, found = _upgrade_section(value, path)
            renamed += found
        upgraded[key] = value
    return upgraded, renamed


def _upgrade_section(value: Any, path: str) -> tuple[Any, list[str]]:
    if isinstance(value, dict):
        return upgrade_keys(value, path)
    if not isinstance(value, list):
        return value, []
    found = [upgrade_keys(entry, path) if isinstance(entry, dict) else (entry, []) for entry in value]
    return [entry for entry, _ in found], list(dict.fromkeys(text for _, texts in found for text in texts))
