"""Options of a game as a command line gives them."""

import yaml

from w51_env.agents.agent import AgentError


def game_options(players: int | None, preset: str | None, changes: list[str]) -> dict[str, object]:
    """Return the options of the game; AgentError if one was given twice with different values."""
    options = parse_options(changes)
    for flag, key, value in (("--players", "num_players", players), ("--preset", "preset", preset)):
        if value is not None and options.setdefault(key, value) != value:
            raise AgentError(f"{key}: {flag} has {value!r}, but --option {options[key]!r}; give one of them")
    return options


def parse_options(changes: list[str]) -> dict[str, object]:
    """Return `["reserve=15"]` as `{"reserve": 15}`; values are YAML."""
    options = {}
    for change in changes:
        key, separator, text = change.partition("=")
        if not separator or not key:
            raise AgentError(f"--option {change!r}: KEY=VALUE is needed")
        try:
            options[key] = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise AgentError(f"--option {change!r}: the value is not valid YAML: {error}") from None
    return options
