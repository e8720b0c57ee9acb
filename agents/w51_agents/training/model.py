"""Who decides: the network that plays and learns, with its critic; snapshots of it; other agents."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.imports import allow_code
from w51_agents.policies.compiled import (
    LegalLogits,
    bind_decisions,
    folded,
    gather_legal,
    is_compilable,
    sparse_features,
    sparse_rows,
)
from w51_agents.policies.decisions import FoldedPolicy
from w51_agents.policies.history_network import HistoryActorCritic
from w51_agents.policies.layers import ILLEGAL, CentralizedCritic, Torso, ValueHead
from w51_agents.policies.load import existing_checkpoint
from w51_agents.policies.network import NETWORKS, ActorCritic, load_network, load_start, make_network
from w51_agents.policies.policy_agent import ActorCriticAgent
from w51_agents.training.categorical import sample
from w51_agents.training.games import BotActions, SelfPlayGames
from w51_agents.training.kinds import KindHead
from w51_agents.training.learner_settings import LearnerConfig, LearnerSettings
from w51_agents.training.pool import Pool
from w51_agents.training.rollout import Minibatch, Rollout
from w51_agents.training.seats import LEARNER
from w51_agents.training.shaping import ShapedRewards
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game

_STATS_EVERY = 8  #  steps of a rollout: one of them enters the statistics of the inputs


class LearnerModel:
    """The network of a config with new weights, or with those of the checkpoint `start`, and its critic.

    Args:
        config: The config.
        game: The game.
        num_all_observations: Number of inputs of a centralized critic.

    Attributes:
        network: Policy and value.
        critic: The centralized critic; None: the value is that of the network.
        kinds: Tells who plays the other seats, in training alone; None: nothing does.
        device, dtype: Device and precision of matrix products.
        plays_compiled: Whether compiled code plays: a network of this package without memory and with its own value, on
            a processor, in float32.
        is_compiled: Whether it computes the first layer and the logits of legal actions where the network learns, which
            is one without items and base policy, with history or without.
        folded: While it plays, the network for compiled code, by game; empty: PyTorch plays.

    Raises:
        AgentError: A class or a checkpoint that does not exist or fit.
        OptionError: Heuristic features or slices that the game does not have.
    """

    def __init__(self, config: LearnerConfig, game: Game, num_all_observations: int):
        settings: LearnerSettings = config.settings
        self.device = torch.device(settings.device)
        self.dtype = torch.bfloat16 if settings.precision == "bfloat16" else torch.float32
        if settings.network is not None and settings.network not in NETWORKS:
            allow_code([settings.network])  # in checkpoints, too
        self.network = make_network(
            game,
            settings.network,
            hidden_sizes=settings.hidden_sizes,
            base_policy=settings.base_policy,
            heuristic_features=settings.heuristic_features,
            hidden_slices=settings.hidden_slices,
            network_settings=settings.network_settings,
        ).to(self.device)
        if settings.start is not None:
            start = load_network(game, existing_checkpoint(settings.start, game), to_start=True)
            load_start(self.network, start, f"{config.section}.start: {settings.start}")
        self.critic: CentralizedCritic | None = None
        if settings.critic == "centralized":
            self.critic = CentralizedCritic(num_all_observations, settings.hidden_sizes).to(self.device)
        self.kinds: KindHead | None = None
        if names := settings.told_kinds:
            others = max(kind.num_players for kind in settings.games) - 1
            self.kinds = KindHead(self.network.torso.width, others, names).to(self.device)
        on_processor = self.device.type == "cpu" and self.dtype == torch.float32 and not JIT_DISABLED
        own, network = on_processor and self.critic is None, self.network
        both = network.reads_items and network.heuristic_features  # which the rollout does not keep so
        self.plays_compiled = own and is_compilable(network) and not both
        self.is_compiled = self.plays_compiled and not network.reads_items and network.residual is None
        self.is_compiled |= own and type(network) is HistoryActorCritic
        self.folded: dict[Game, FoldedPolicy] = {}
        self._sparse_rows: tuple[Tensor, Tensor] | None = None

    def modules(self) -> dict[str, nn.Module]:
        """Network, critic and what tells kinds, by name."""
        all_modules = {"network": self.network, "critic": self.critic, "kinds": self.kinds}
        return {name: module for name, module in all_modules.items() if module is not None}

    def parameters(self) -> list[nn.Parameter]:
        """All that is learned."""
        return [parameter for module in self.modules().values() for parameter in module.parameters()]

    @property
    def value_head(self) -> ValueHead:
        """The head that predicts values."""
        return (self.critic or self.network).value

    def forward(
        self, inputs: Tensor, masks: Tensor, base_actions: Tensor, all_observations: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, actions) and normalised values (B,), these of the centralized critic if there is one."""
        if self._sparse_rows is not None and not torch.is_grad_enabled():
            features = self._sparse_features(inputs)
            return self.network.policy(features).masked_fill_(~masks, ILLEGAL), self.network.value(features)
        with self._autocast():
            logits, values = self.network(inputs.to(self.device), masks.to(self.device), base_actions.to(self.device))
            if self.critic is not None:
                values = self.critic(all_observations.to(self.device))
        return logits, values

    def forward_legal(self, minibatch: Minibatch) -> tuple[Tensor, Tensor]:
        """As `forward`, with logits (B, K) of `minibatch.legal`, so that a loss computes with small matrices."""
        return self.outputs(minibatch)[:2]

    def outputs(self, minibatch: Minibatch) -> tuple[Tensor, Tensor, Tensor | None]:
        """As `forward_legal`, and what `kinds` tells."""
        network, legal = self.network, minibatch.legal
        if self.is_compiled:
            features, policy = self._sparse_features(minibatch.inputs), network.policy
            logits, values = LegalLogits.apply(features, policy.weight, policy.bias, legal), network.value(features)
            return logits, values, self.kinds(features) if self.kinds else None
        inputs = minibatch.inputs, minibatch.masks, minibatch.base_actions
        logits, values = self.forward(*inputs, minibatch.all_observations)
        told = self.kinds(network.torso(network.torso.read(minibatch.inputs))) if self.kinds else None
        return gather_legal(logits, legal), values, told

    @torch.no_grad()
    def logits_of(self, network: ActorCritic, inputs: Tensor, masks: Tensor, base_actions: Tensor) -> Tensor:
        """Logits (B, actions) of another network, such as a frozen copy, without gradients."""
        with self._autocast():
            return network(inputs.to(self.device), masks.to(self.device), base_actions.to(self.device))[0]

    def legal_logits_of(self, network: ActorCritic, minibatch: Minibatch) -> Tensor:
        """As `logits_of`, (B, K) of `minibatch.legal`."""
        inputs = minibatch.inputs, minibatch.masks, minibatch.base_actions
        return gather_legal(self.logits_of(network, *inputs), minibatch.legal)

    def split(self, rows: Tensor, size: int) -> Sequence[Tensor]:
        """Parts of some `size` of the decisions `rows` (B,), in their order, that can be learned from by themselves."""
        return rows.split(size)

    @contextmanager
    def playing(self, snapshots: Sequence[ActorCritic], games: Iterable[Game]) -> Iterator[None]:
        """No parameter changes inside, neither of the network nor of these; so some numbers are computed only once.

        Args:
            snapshots: Networks that play, too.
            games: The games that are played.
        """
        with ExitStack() as stack:
            for network in (self.network, *snapshots):
                stack.enter_context(network.torso.cached_weights(self.dtype))
            if isinstance(self.network, HistoryActorCritic):
                stack.enter_context(self.learning())
            self.folded = {game: folded(game, self.network) for game in games} if self.plays_compiled else {}
            yield

    @contextmanager
    def learning(self) -> Iterator[None]:
        """No parameter changes inside, so the first layer is folded only once."""
        torso = self.network.torso
        self._sparse_rows = sparse_rows(torso) if self.is_compiled and isinstance(torso, Torso) else None
        yield
        self._sparse_rows = None

    def _sparse_features(self, inputs: Tensor) -> Tensor:
        """(B, width), by compiled code."""
        torso = self.network.torso
        assert isinstance(torso, Torso)
        return sparse_features(torso, inputs, self._sparse_rows or sparse_rows(torso))

    def _autocast(self) -> torch.autocast:
        """Matrix products in the precision of the config."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16)

    @torch.no_grad()
    def update_input_stats(self, rollout: Rollout) -> None:
        """Include inputs of a rollout in the normalisation."""
        self.network.torso.update_stats(rollout.inputs[::_STATS_EVERY].flatten(0, 1).to(self.device))
        if self.critic is not None:
            self.critic.torso.update_stats(rollout.all_observations[::_STATS_EVERY].flatten(0, 1).to(self.device))


class Player:
    """Decides where a row of the rollout does, in a part of the games: the network, or snapshots of the pool.

    Attributes:
        games: The part.
        shaped: What is added to its rewards; None without shaping.

    Raises:
        AgentError: Shaping that cannot be used.
        OptionError: A base policy that does not exist.
    """

    def __init__(self, settings: LearnerSettings, games: SelfPlayGames, model: LearnerModel, pool: Pool):
        self.games, self._model, self._pool = games, model, pool
        self._base_policy = BotActions(settings.base_policy, games) if settings.base_policy else None
        self._keeps_observations = not games.inputs.contain_observations or model.device.type != "cpu"
        on_gpu = model.device.type == "cuda"
        self._actions = torch.zeros(games.num_envs, dtype=torch.int64, pin_memory=on_gpu)
        self._chosen = self._actions.numpy()
        self._arrived = torch.cuda.Event() if on_gpu else None
        self._drawn, self._logprobs, self._values = np.zeros((3, games.num_envs), np.float32)
        self._base = np.full(games.num_envs, -1)
        for agent in games.agents:
            if isinstance(agent, ActorCriticAgent):
                agent.to(model.device)
        games.reset(pool.weights())
        self.shaped = ShapedRewards(settings.shaping, games) if settings.shaping else None

    def begin(self, rollout: Rollout) -> None:
        """Decide with the weights that the network has now, from the current states of the games."""
        if self.shaped is not None:
            self.shaped.begin()
        tensors = {name: part for name, part in vars(rollout).items() if isinstance(part, Tensor)}
        # On a processor numpy writes, whose calls take less time.
        self._kept = {name: part if part.is_cuda else part.numpy() for name, part in tensors.items()}
        self._decide = []
        if (networks := self._model.folded) and rollout.targets is None:
            games = self.games
            inputs = games.network_inputs if games.inputs.items is None else games.observation
            arrays = (
                inputs,
                self._base,
                games.mask.view(np.int8),
                self._drawn,
                self._chosen,
                self._logprobs,
                self._values,
            )
            for group, rows in zip(games.groups, games.rows, strict=True):
                self._decide.append(bind_decisions(networks[group.game], *(array[rows] for array in arrays)))

    def ask(self, rollout: Rollout, step: int, drawn: Tensor) -> None:
        """Write what the seats to move observe, and what they do, into one step of the rollout.

        Args:
            rollout: The rows of these games.
            step: The step.
            drawn: (N,) float32, uniform in [0, 1), with which actions are chosen.
        """
        games, kept = self.games, self._kept
        _write(kept["inputs"], step, games.network_inputs)
        if self._keeps_observations:
            _write(kept["observations"], step, games.observation)
        if games.all_observations.shape[1]:
            _write(kept["all_observations"], step, games.all_observations)
        _write(kept["masks"], step, games.mask)
        if self._base_policy is not None:
            self._base[:] = self._base_policy(games.observation[None], games.mask[None])[0]
            _write(kept["base_actions"], step, self._base)
        policy = games.policy_to_move()
        rollout.seats[step], rollout.is_learner[step] = games.seat, (policy == LEARNER) | games.is_mixture
        rollout.kinds[step] = games.kinds_to_move()
        if not self._decide or policy.any():
            self._act(rollout, step, policy, drawn)
            self._actions.copy_(rollout.actions[step], non_blocking=True)
            if self._arrived is not None:
                self._arrived.record()
        else:
            self._drawn[:] = drawn.numpy()
            for decide in self._decide:
                decide(0)
            _write(kept["actions"], step, self._chosen)
            _write(kept["logprobs"], step, self._logprobs)
            _write(kept["normal_values"], step, self._values)

    def answer(self) -> np.ndarray:
        """(N,) int64 actions, which a GPU may still have been computing; valid until `ask`."""
        if self._arrived is not None:
            self._arrived.synchronize()
        return self._chosen

    def _act(self, rollout: Rollout, step: int, policy: np.ndarray, drawn: Tensor) -> None:
        """Write actions, their log-probabilities and normalised values; `policy` is who decides each of the games."""
        logits, values = self._outputs(rollout, step, policy)
        probabilities = torch.softmax(logits, 1)
        if rollout.targets is not None:
            rollout.targets[step] = probabilities
        actions = sample(probabilities, drawn)
        rollout.actions[step], rollout.normal_values[step] = actions, values
        rollout.logprobs[step] = probabilities.gather(1, actions[:, None])[:, 0].log()

    def _outputs(self, rollout: Rollout, step: int, policy: np.ndarray) -> tuple[Tensor, Tensor]:
        """Logits (N, actions) and normalised values (N,) of those who decide."""
        parts = rollout.inputs[step], rollout.masks[step], rollout.base_actions[step], rollout.all_observations[step]
        return self._of_several(parts, policy) if policy.any() else self._model.forward(*parts)

    def _of_several(self, parts: tuple[Tensor, ...], policy: np.ndarray) -> tuple[Tensor, Tensor]:
        """Logits (N, actions) and normalised values (N,) where others decide, too; `parts` as of `forward`."""
        model = self._model
        mine = torch.from_numpy(np.flatnonzero((policy == LEARNER) | self.games.is_mixture)).to(model.device)
        of_network, of_values = model.forward(*(part[mine] for part in parts))
        logits = torch.where(parts[1], 0.0, ILLEGAL)  # of those who decide otherwise
        values = of_values.new_zeros(len(policy))
        logits[mine], values[mine] = of_network, of_values
        for slot in np.unique(policy[policy > LEARNER]):
            rows = torch.from_numpy(np.flatnonzero(policy == slot)).to(model.device)
            logits[rows] = model.logits_of(self._pool.networks[slot - 1], *(part[rows] for part in parts[:3]))
        return logits, values


def _write(kept: Tensor | np.ndarray, step: int, numbers: np.ndarray) -> None:
    """Copy numbers to one step of a rollout; to a GPU while the processor goes on."""
    if isinstance(kept, np.ndarray):
        kept[step] = numbers
    else:
        kept[step].copy_(torch.from_numpy(numbers), non_blocking=True)
