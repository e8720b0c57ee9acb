"""What agents show of their origin: whether the heuristic serves in them, and with whom they were trained."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from w51_agents.agent.interface import AgentError
from w51_agents.named.composed import is_composed, parts_of
from w51_agents.named.registry import BOTS, is_path, split_form
from w51_agents.networks.load import EXPLOITER, PRETRAINED, PRETRAINED_V1, PRETRAINED_V2, SHIPPED, checkpoint_of
from w51_agents.search.players import members
from w51_agents.search.search_settings import is_champion, is_search
from w51_agents.search.search_settings import parse_settings as search_settings
from w51_agents.system.files import exists, is_folder
from w51_agents.training.config import load_config
from w51_agents.training.registry import trainer_spec
from w51_agents.training.run_facts import CONFIG
from w51_env import make_game
from w51_env.engine.errors import W51Error
from w51_env.engine.game import Game
from w51_lab.benchmark.entry import About
from w51_lab.benchmark.protocol import EVERY, EXACT, EXACT_GAMES, MEMBERS, MIMIC, Setting

_RANDOM, _HEURISTIC = BOTS
# Opponents, teachers and first weights, as the model card says.
_SHIPPED = {
    PRETRAINED_V2: (),
    PRETRAINED_V1: (_HEURISTIC,),
    EXPLOITER: (_HEURISTIC, PRETRAINED_V1),
    PRETRAINED: (_HEURISTIC, PRETRAINED_V1, PRETRAINED_V2, EXPLOITER, MIMIC),
}


def about_of(about: About, agents: Mapping[str, Sequence[str]]) -> About:
    """What an author says, with what the agents show of themselves in the tracks that each of them plays.

    Raises:
        AgentError: The author denies that the heuristic is used, but it is.
    """
    for agent, tracks in agents.items():
        games = [make_game(one.game, **one.options) for track in tracks for one in _settings_of(track)]
        if any(uses_heuristic(agent, game) for game in games):
            if about.uses_heuristic is False:
                raise AgentError(f"about: uses_heuristic is false, but {agent} uses the heuristic")
            about = about.model_copy(update={"uses_heuristic": True})
        met = sorted(set().union(*(met_by(agent, game) for game in games)) - {*about.met})
        about = about.model_copy(update={"met": (*about.met, *met)})
    return about


def met_by(agent: str, game: Game) -> set[str]:
    """The agents of panels that an agent is made of, began from or was trained with.

    As far as its name and the folder of its run say; of a lone checkpoint nothing is known.
    """
    found: set[str] = set()
    waiting = [agent]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _origins(split_form(name)[0], game)
    return (found - {agent, split_form(agent)[0]}) & MEMBERS


def _origins(name: str, game: Game) -> Sequence[str]:
    if is_champion(name):
        return PRETRAINED, _HEURISTIC
    if is_composed(name):
        return parts_of(name)
    if is_search(name):
        return _searched_with(name, game)
    if name in SHIPPED:
        return name, *_SHIPPED[name]  # also where the name had a form
    if not is_path(name):
        return ()
    folder = Path(name) if is_folder(name) else Path(name).parent
    if not exists(folder / CONFIG):
        return ()
    try:
        config = load_config(folder / CONFIG)
    except W51Error:  # it names code, which nobody has allowed
        return ()
    spec = trainer_spec(config.trainer)
    return [*spec.opponents(config), *filter(None, [spec.start(config)])]


def _searched_with(name: str, game: Game) -> list[str]:
    """Who plays in the playouts of a search, and who proposes its candidates."""
    settings = search_settings(name)
    players = list(members(settings.playout_bot or _HEURISTIC, game))
    return [*players, settings.prior or (_HEURISTIC if players[0] == _RANDOM else players[0])]


def _settings_of(track: str) -> Sequence[Setting]:
    """A game of each kind in a track; mini games are one kind."""
    return [*EXACT_GAMES.values()][:1] if track == EXACT else EVERY[track].settings[:1]


def uses_heuristic(agent: str, game: Game) -> bool:
    """Whether the heuristic serves in an agent's inputs, parts or playouts; of its training nothing is known."""
    name, _ = split_form(agent)
    if is_champion(name):
        return True
    if is_composed(name):
        return any(uses_heuristic(part, game) for part in parts_of(name))
    if is_search(name):
        return any(uses_heuristic(one, game) for one in _searched_with(name, game))
    if (name in SHIPPED or is_path(name)) and exists(path := checkpoint_of(name, game)):
        from w51_agents.networks.checkpoint import read_checkpoint

        try:
            shape = read_checkpoint(path, game).shape
        except AgentError:  # it does not play this game
            return False
        return shape.get("base_policy") == _HEURISTIC or bool(shape.get("heuristic_features"))
    return name == _HEURISTIC
