"""Networks by the names of their forms, and from checkpoints: what knows all forms of networks."""

import shlex
from pathlib import Path
from typing import Any

from w51_agents.agent.bots import CompiledAgent
from w51_agents.agent.imports import errors_of_others, is_allowed
from w51_agents.agent.interface import Agent, AgentError
from w51_agents.networks.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from w51_agents.networks.fast.compiled import CompiledPolicy
from w51_agents.networks.form import NetworkForm
from w51_agents.networks.history.agent import HistoryPolicyAgent
from w51_agents.networks.history.learning import HistoryLearning
from w51_agents.networks.history.network import HistoryActorCritic
from w51_agents.networks.items.folding import fold as fold_items
from w51_agents.networks.items.learning import learning as item_learning
from w51_agents.networks.items.network import ItemActorCritic
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.plain.learning import fold as fold_plain
from w51_agents.networks.plain.learning import learning as plain_learning
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_agents.networks.recurrent.agent import RecurrentPolicyAgent
from w51_agents.networks.recurrent.learning import RecurrentLearning
from w51_agents.networks.recurrent.network import RecurrentActorCritic
from w51_agents.networks.torch_settings import loading, own_settings
from w51_agents.networks.weights import load_weights, weights_of
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object

TRAINER = "selfplay"  # in checkpoints of an `ActorCritic`, whichever trainer has written it

# By their names in configs and checkpoints; None: the plain network.
FORMS: dict[str | None, NetworkForm] = {
    None: NetworkForm(ActorCritic, learning=plain_learning, fold=fold_plain),
    "items": NetworkForm(ItemActorCritic, learning=item_learning, fold=fold_items),
    "history": NetworkForm(HistoryActorCritic, HistoryPolicyAgent, HistoryLearning),
    "recurrent": NetworkForm(RecurrentActorCritic, RecurrentPolicyAgent, RecurrentLearning),
}

_BY_CLASS = {form.network: form for form in FORMS.values()}
_IMPORTED: set[str] = set()


def form_named(name: str | None) -> NetworkForm:
    """The form of a name: one of `FORMS`, or a subclass of `ActorCritic` or a `NetworkForm` as `module:name`.

    Raises:
        AgentError: There is no such form.
    """
    if name in FORMS:
        return FORMS[name]
    assert name is not None
    with errors_of_others(f"network {name!r} cannot be made"):
        imported = import_object(name)
    if isinstance(imported, type) and issubclass(imported, ActorCritic):
        imported = NetworkForm(imported)
    if not isinstance(imported, NetworkForm):
        is_called = getattr(imported, "__name__", imported)
        raise AgentError(f"network {name!r}: {is_called} is neither a subclass of ActorCritic nor a NetworkForm")
    _BY_CLASS[imported.network] = imported
    return imported


def form_of(network: ActorCritic) -> NetworkForm:
    """The form of a network; of a class that no form has, PyTorch alone."""
    return _BY_CLASS.get(type(network)) or NetworkForm(type(network))


def agent_of_network(game: Game, network: ActorCritic, *, greedy: bool = True) -> Agent:
    """The agent that plays a network."""
    return form_of(network).agent(game, network, greedy=greedy)


def compiled_policy(game: Game, network: ActorCritic, **arguments: Any) -> CompiledPolicy:
    """A network as compiled play; arguments as of `CompiledPolicy`. AgentError if its form has none."""
    if (fold := form_of(network).fold) is None:
        raise AgentError(f"a network that compiled code plays is needed, but it is {type(network).__name__}")
    return CompiledPolicy(game, network, fold, **arguments)


def compiled_agent(agent: Agent, game: Game) -> Agent:
    """An agent as compiled code that plays alike, in a game whose observations it may be shown; else itself."""
    if not isinstance(agent, ActorCriticAgent) or form_of(agent.network).fold is None:
        return agent
    shown = {"num_columns": game.layout.size, "tilt": agent.tilt, "greedy": agent.greedy}
    return CompiledAgent(compiled_policy(agent.game, agent.network, **shown))


@own_settings()
def make_network(game: Game, network: str | None = None, **arguments: Any) -> ActorCritic:
    """A network with new weights.

    Args:
        game: The game it plays.
        network: The name of its form, as for `form_named`.
        **arguments: Arguments of the class beside the game.

    Raises:
        AgentError: There is no such form, or it cannot be made.
        OptionError: As for `ActorCritic`.
    """
    make = form_named(network).network
    if network is None:
        if settings := arguments.get("network_settings"):
            raise AgentError(f"network_settings: {settings!r}, but without `network` there are none")
        return make(game, **arguments)
    with errors_of_others(f"network {network!r} cannot be made"):
        made = make(game, **arguments)
    made.network = network
    if network not in FORMS:
        _IMPORTED.add(network)
    return made


def imported_networks() -> list[str]:
    """The third-party classes that `make_network` has imported in this process."""
    return sorted(_IMPORTED)


def save_network(network: ActorCritic, game: Game, path: Path) -> None:
    """Write a network as a checkpoint."""
    write_checkpoint(Checkpoint(TRAINER, weights_of(network), network.shape, network.plays_any_items), game, path)


def load_network(game: Game, path: Path, *, to_start: bool = False) -> ActorCritic:
    """The network in a checkpoint file, as `read_checkpoint` and `network_of` give it; AgentError if there is none."""
    return network_of(read_checkpoint(path, game, to_start=to_start), game, path)


@loading()
def network_of(checkpoint: Checkpoint, game: Game, path: Path, *, trust: bool = False) -> ActorCritic:
    """The network of a checkpoint.

    Args:
        checkpoint: The content of the file.
        game: The game it plays.
        path: The file, for messages.
        trust: Import the class of its network, whatever it is; else only one of `allow_code`.

    Raises:
        AgentError: It is of another trainer, its class is not allowed, or the weights do not fit.
    """
    if checkpoint.trainer != TRAINER:
        raise AgentError(f"checkpoint {path}: of the trainer {checkpoint.trainer!r}, but {TRAINER!r} is needed")
    name = checkpoint.shape.get("network")
    if name is not None and name not in FORMS and not (trust or is_allowed(name)):
        raise AgentError(
            f"checkpoint {path}: its network is third-party code: {name}; it was not imported. If you trust it, "
            f"add --trust (trust=True); in training, --allow {shlex.quote(name)}"
        )
    network = make_network(game, **checkpoint.shape)
    load_weights(network, checkpoint, path)
    return network.requires_grad_(False)
