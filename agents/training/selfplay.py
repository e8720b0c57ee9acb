"""Proximal policy optimisation by self-play, from top to bottom: play, estimate, learn, remember, again."""

from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.agent import Agent, AgentError
from agents.policies.agent import ActorCriticAgent
from agents.policies.inputs import Inputs
from agents.policies.load import checkpoint_of
from agents.policies.network import ActorCritic, CentralizedCritic, Value, load_network, save_network, shape_of
from agents.policies.weights import set_weights, weights_of
from agents.training.advantages import estimate_advantages
from agents.training.config import LAST_RATE, TrainingConfig
from agents.training.games import LEARNER, Tables
from agents.training.moments import moments_of, set_moments
from agents.training.policy_terms import policy_terms
from agents.training.pool import Pool
from agents.training.state import State
from agents.training.teacher import Teacher
from agents.training.trainer import Update, outcome_means
from w51_env.core.game import Game
from w51_env.core.victory import wins_of

_LOOK_EVERY = 8  #  steps of a rollout, of which one is looked at to measure the inputs
_RETURNS_WEIGHT = 0.05  #  of an update's returns in the value's units


@dataclass
class Rollout:
    """What was played between two updates; arrays are (T, N, ...), one row a decision."""

    observations: Tensor
    all_observations: Tensor
    masks: Tensor
    advice: Tensor
    actions: Tensor
    logprobs: Tensor
    values: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    learns: np.ndarray  #  decided by the network as it is

    @classmethod
    def empty(cls, steps: int, tables: Tables, inputs: int) -> "Rollout":
        """Room for `steps` decisions in each game, of so many inputs of the network."""
        games = tables.num_games
        return cls(
            torch.zeros((steps, games, inputs), dtype=torch.int8),
            torch.zeros((steps, games, tables.all_observations.shape[1]), dtype=torch.int8),
            torch.zeros((steps, games, tables.mask.shape[1]), dtype=torch.bool),
            torch.zeros((steps, games), dtype=torch.int64),
            torch.zeros((steps, games), dtype=torch.int64),
            torch.zeros((steps, games)),
            np.zeros((steps, games), np.float32),
            np.zeros((steps, games), np.int64),
            np.zeros((steps, games, tables.seats), np.float32),
            np.zeros((steps, games), bool),
            np.zeros((steps, games), bool),
        )


class SelfPlayTrainer:
    """See `agents.training.trainer.Trainer`. One network learns from every seat that it plays itself.

    Raises:
        AgentError, OptionError: A game, an opponent or a teacher that cannot be made.
    """

    def __init__(self, config: TrainingConfig, game: Game):
        torch.manual_seed(config.seed)
        self.config = config
        self.settings = settings = config.selfplay
        self.game = game
        kinds = [
            (game.make(**{**game.options, "num_players": table.players}), table.games, table.opponents)
            for table in settings.tables
        ]
        self.tables = Tables(kinds, config.seed, config.threads, see_all=settings.critic == "table")
        self.device = torch.device(settings.device)
        if self.device.type == "cuda" and not torch.cuda.is_available():
            raise AgentError(f"selfplay.device: {settings.device!r}, but PyTorch finds no GPU here; cpu is possible")
        self.network = ActorCritic(game, settings.network, settings.advisor, settings.reckoning).to(self.device)
        if settings.start is not None:
            begin_with(self.network, load_network(game, checkpoint_of(settings.start, game)), settings.start)
        self.critic: CentralizedCritic | None = None
        parameters = list(self.network.parameters())
        if settings.critic == "table":
            self.critic = CentralizedCritic(self.tables.all_observations.shape[1], settings.network).to(self.device)
            parameters += self.critic.parameters()
        self.magnet = deepcopy(self.network).requires_grad_(False) if settings.magnet else None
        self.optimizer = torch.optim.Adam(parameters, settings.learning_rate, eps=1e-5)
        self.pool = Pool(settings.pool, settings.pool_every)
        self.teacher = Teacher(settings.teacher, self.tables) if settings.teacher else None
        self.advisor = Teacher(settings.advisor, self.tables) if settings.advisor else None
        self.inputs = [Inputs(kind, settings.reckoning) for kind, _, _ in self.tables.kinds]
        self.rollout = Rollout.empty(settings.steps_per_update, self.tables, self.network.body.first.in_features)
        self.generator = torch.Generator().manual_seed(config.seed)
        self.decisions = 0
        self.updates = 0
        self.tables.reset(self.pool.chances())

    @property
    def value(self) -> Value:
        """The head that tells values, and their units."""
        return (self.critic or self.network).value

    # ---- an update

    def update(self) -> Update:
        """Play, estimate, learn, remember."""
        settings, rollout = self.settings, self.rollout
        progress = min(1.0, self.decisions / self.config.decisions)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1.0 - (1.0 - LAST_RATE) * progress)
        with ExitStack() as stack:
            for network in (self.network, *self.pool.networks):
                stack.enter_context(
                    network.body.unchanging(torch.bfloat16 if settings.precision == "bfloat16" else torch.float32)
                )
            outcome = self.play()
        advantages, known = estimate_advantages(
            rollout.values, rollout.rewards, rollout.seats, rollout.dones, settings.discount, settings.gae
        )
        chosen = torch.from_numpy(np.flatnonzero(known & rollout.learns))
        returns = torch.from_numpy(advantages + rollout.values).flatten()
        means: dict[str, Any] = dict.fromkeys(("entropy", "value_loss", "divergence"), float("nan"))
        if len(chosen):  # a short rollout may hold no decision whose outcome is known
            self.value.measure(returns[chosen].to(self.device), _RETURNS_WEIGHT if self.updates else 1.0)
            means = self.learn(torch.from_numpy(advantages).flatten(), returns, chosen, progress)
        self.follow()
        self.pool.remember(self.network, self.updates)
        self.updates += 1
        self.decisions += len(chosen)
        return Update(self.decisions, **outcome, **means)

    @torch.no_grad()
    def play(self) -> dict[str, Any]:
        """Fill the rollout; tells the means of `Update` over games that ended in which the learner had others against it."""
        tables, rollout, pool = self.tables, self.rollout, self.pool
        for place, agent in enumerate(tables.agents):
            agent.reset(
                int(np.random.SeedSequence((self.config.seed, self.updates, place)).generate_state(1, np.uint64)[0])
            )
        everyone = np.arange(tables.num_games)
        outcomes = [np.zeros((0, 3))]
        for step in range(len(rollout.values)):
            observations, masks = rollout.observations[step], rollout.masks[step]
            observations[:] = torch.from_numpy(self.show(tables.observation))
            rollout.all_observations[step] = torch.from_numpy(tables.all_observations)
            masks[:] = torch.from_numpy(tables.mask)
            if self.advisor is not None:
                rollout.advice[step] = torch.from_numpy(
                    self.advisor.choices(tables.observation[None], tables.mask[None])[0]
                )
            advice = rollout.advice[step]
            logits, values = self.evaluate(observations, masks, advice, rollout.all_observations[step])
            player = tables.player[everyone, tables.seat]
            for place in np.unique(player[player > LEARNER]):
                rows = torch.from_numpy(np.flatnonzero(player == place))
                logits[rows] = self.evaluate_past(
                    pool.networks[place - 1], observations[rows], masks[rows], advice[rows]
                )
            probabilities = torch.softmax(logits, 1)
            actions = draw(probabilities, self.generator)
            for place, agent in enumerate(tables.agents, 1):
                others = np.flatnonzero(player == -place)
                if len(others):
                    answers = agent.act_batch(tables.observation[others], tables.mask[others])
                    actions[torch.from_numpy(others)] = torch.as_tensor(np.asarray(answers, np.int64))
            rollout.actions[step] = actions
            rollout.logprobs[step] = probabilities.gather(1, actions[:, None])[:, 0].log()
            rollout.values[step] = self.value.real(values).cpu().numpy()
            rollout.seats[step] = tables.seat
            rollout.learns[step] = player == LEARNER
            tables.step(actions.numpy(), pool.chances())
            rollout.rewards[step] = tables.rewards
            rollout.dones[step] = tables.done
            if tables.done.any():
                outcomes.append(tell_outcomes(tables, pool))
        return outcome_means(np.concatenate(outcomes))

    def learn(self, advantages: Tensor, returns: Tensor, chosen: Tensor, progress: float) -> dict[str, float]:
        """Some epochs of gradient steps on the decisions `chosen`; tells the means of the last epoch."""
        settings, rollout = self.settings, self.rollout
        entropy_weight = settings.entropy + progress * (settings.last_entropy - settings.entropy)
        teacher_weight = settings.teacher_weight * max(0.0, 1.0 - progress / settings.teacher_until)
        observations, all_observations = rollout.observations.flatten(0, 1), rollout.all_observations.flatten(0, 1)
        masks, actions, logprobs = rollout.masks.flatten(0, 1), rollout.actions.flatten(), rollout.logprobs.flatten()
        advice, lessons = rollout.advice.flatten(), None
        if self.teacher is not None and teacher_weight:
            lessons = torch.from_numpy(
                self.teacher.choices(rollout.observations[..., : self.game.layout.size].numpy(), rollout.masks.numpy())
            ).flatten()
        told: list[tuple[float, float, float]] = []
        for epoch in range(settings.epochs):
            order = chosen[torch.randperm(len(chosen), generator=self.generator)]
            for rows in order.split(settings.minibatch):
                shown = (observations[rows].to(self.device), masks[rows].to(self.device), advice[rows].to(self.device))
                logits, values = self.evaluate(*shown, all_observations[rows])
                logprob, entropies = policy_terms(logits, actions[rows].to(self.device))
                log_ratio = logprob - logprobs[rows].to(self.device)
                ratio = torch.exp(log_ratio)
                advantage = advantages[rows].to(self.device)
                # The last rows of an epoch may be one alone: no correction of the deviation.
                advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
                gain = torch.min(
                    ratio * advantage, ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip) * advantage
                ).mean()
                value_loss = nn.functional.mse_loss(values, self.value.normal(returns[rows].to(self.device)))
                entropy = entropies.mean()
                loss = 0.5 * value_loss - gain - entropy_weight * entropy
                if lessons is not None:
                    loss = loss + teacher_weight * nn.functional.cross_entropy(logits, lessons[rows].to(self.device))
                if self.magnet is not None:
                    loss = loss + settings.magnet * self.divergence_from_magnet(logits, *shown)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.optimizer.param_groups[0]["params"], settings.max_gradient)
                self.optimizer.step()
                if epoch == settings.epochs - 1:
                    told.append((entropy.item(), value_loss.item(), -log_ratio.mean().item()))
        entropy_mean, value_mean, divergence = np.mean(told, axis=0).tolist()
        return {"entropy": entropy_mean, "value_loss": value_mean, "divergence": divergence}

    @torch.no_grad()
    def follow(self) -> None:
        """Measure the inputs of this rollout; let the magnet come after the network."""
        rollout = self.rollout
        self.network.body.follow(rollout.observations[::_LOOK_EVERY].flatten(0, 1).to(self.device))
        if self.critic is not None:
            self.critic.body.follow(rollout.all_observations[::_LOOK_EVERY].flatten(0, 1).to(self.device))
        if self.magnet is not None:
            for theirs, ours in zip(self.magnet.state_dict().values(), self.network.state_dict().values(), strict=True):
                theirs.lerp_(ours, self.settings.magnet_pace)

    # ---- what networks say

    def evaluate(
        self, observations: Tensor, masks: Tensor, advice: Tensor, all_observations: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, actions) and values (B,) in normal units; logits are on the CPU while playing, where there is no gradient."""
        with self.autocast():
            logits, values = self.network(observations.to(self.device), masks.to(self.device), advice.to(self.device))
            if self.critic is not None:
                values = self.critic(all_observations.to(self.device))
        return (logits if torch.is_grad_enabled() else logits.cpu()), values

    def show(self, observations: np.ndarray) -> np.ndarray:
        """(N, inputs) int8, what the network is shown of (N, layout.size) observations."""
        if not self.settings.reckoning:
            return observations
        shown = np.empty((len(observations), self.network.body.first.in_features), np.int8)
        for inputs, rows in zip(self.inputs, self.tables.rows, strict=True):
            shown[rows] = inputs.of(observations[rows])
        return shown

    def evaluate_past(self, network: ActorCritic, *shown: Tensor) -> Tensor:
        """Logits of a snapshot, of the same inputs but `all_observations`."""
        with self.autocast():
            return network(*(part.to(self.device) for part in shown))[0].cpu()

    def divergence_from_magnet(self, logits: Tensor, *shown: Tensor) -> Tensor:
        """Mean divergence of the policy from the magnet's."""
        assert self.magnet is not None
        with torch.no_grad(), self.autocast():
            others = torch.log_softmax(self.magnet(*shown)[0], 1)
        return (torch.softmax(logits, 1) * (torch.log_softmax(logits, 1) - others)).sum(1).mean()

    def autocast(self) -> torch.autocast:
        """The precision of the products."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings.precision == "bfloat16")

    # ---- what is kept

    def agent(self, game: Game) -> Agent:
        """See `Trainer.agent`."""
        return ActorCriticAgent(game, deepcopy(self.network).cpu().requires_grad_(False))

    def write_checkpoint(self, path: Path) -> None:
        """See `Trainer.write_checkpoint`: the network as safetensors."""
        save_network(self.network, self.game, path)

    def state(self) -> State:
        """See `Trainer.state`."""
        state = State(
            {"generator": self.generator.get_state().numpy().copy()},
            {"decisions": self.decisions, "updates": self.updates},
        )
        for name, module in self.modules().items():
            state.include(name, State(weights_of(module)))
        state.include("optimizer", moments_of(self.optimizer))
        state.include("pool", self.pool.state())
        state.include("tables", self.tables.state())
        return state

    def restore(self, state: State) -> None:
        """See `Trainer.restore`."""
        self.decisions, self.updates = state.facts["decisions"], state.facts["updates"]
        self.generator.set_state(torch.from_numpy(state.arrays["generator"]))
        for name, module in self.modules().items():
            set_weights(module, state.part(name).arrays)
        set_moments(self.optimizer, state.part("optimizer"))
        self.pool.restore(state.part("pool"), self.network)
        self.tables.restore(state.part("tables"))

    def modules(self) -> dict[str, nn.Module]:
        """All networks but those of the pool."""
        named = {"network": self.network, "critic": self.critic, "magnet": self.magnet}
        return {name: module for name, module in named.items() if module is not None}

    def close(self) -> None:
        """See `Trainer.close`."""
        self.tables.close()


def begin_with(network: ActorCritic, start: ActorCritic, source: str) -> None:
    """Give a network the weights of another one, which may have been shown no reckoning: that begins with no weight.

    Raises:
        AgentError: They are not alike.
    """
    ours, theirs = shape_of(network), shape_of(start)
    if ours != theirs and ours != {**theirs, "reckoning": True}:
        raise AgentError(f"selfplay.start: {source} has {theirs}, but the config {ours}")
    weights = start.state_dict()
    added = network.body.first.in_features - start.body.first.in_features
    for name, fill in (("first.weight", 0.0), ("mean", 0.0), ("square", 1.0), ("seen", 0.0)):
        weights[f"body.{name}"] = functional.pad(weights[f"body.{name}"], (0, added), value=fill)
    network.load_state_dict(weights)


def draw(probabilities: Tensor, generator: torch.Generator) -> Tensor:
    """(B,) an action for each row of (B, actions)."""
    heights = probabilities.cumsum(1)
    drawn = torch.rand((len(heights), 1), generator=generator) * heights[:, -1:]
    # The first action above the drawn height; an illegal one is no higher than the one before. Rounding can make `drawn` all of it.
    return torch.searchsorted(heights, torch.minimum(drawn, heights[:, -1:] * (1.0 - 1e-6)), right=True)[:, 0]


def tell_outcomes(tables: Tables, pool: Pool) -> np.ndarray:
    """(K, 3) the learner's return, wins and score in each game that just ended against others; the pool hears of its own."""
    over = np.flatnonzero(tables.done & tables.alone)
    seat = tables.learner[over]
    wins = wins_of(tables.ranks[over])[np.arange(len(over)), seat]
    faced = tables.opponent[over]
    met = tables.pooled[over] & (faced != LEARNER)
    pool.tell(faced[met] - 1, 1.0 - wins[met])
    return np.stack([tables.rewards[over, seat], wins, tables.scores[over, seat]], axis=1)
