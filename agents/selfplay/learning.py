"""Proximal policy optimisation by self-play, from top to bottom: play, estimate, update, remember, again."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from agents.config import TrainingConfig
from agents.selfplay.advantages import estimate_advantages
from agents.selfplay.network import PolicyValue, save_network
from agents.selfplay.pool import Pool
from agents.selfplay.tables import LEARNER, Tables
from agents.training import Training, Update
from w51_env.core.game import Game

CHECKPOINT = "checkpoint.safetensors"
_LAST_RATE = 0.1  #  of the first learning rate is left at the end
_RETURNS_WEIGHT = 0.05  #  of an update's returns in the value's units


@dataclass
class Rollout:
    """What was played between two updates; arrays are (T, N, ...), one row a decision."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    logprobs: Tensor
    values: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    learns: np.ndarray  #  decided by the network as it is, not by its past

    @classmethod
    def empty(cls, steps: int, tables: Tables) -> "Rollout":
        """Room for `steps` decisions in each game."""
        games = tables.num_games
        return cls(
            torch.zeros((steps, games, tables.observation.shape[1]), dtype=torch.int8),
            torch.zeros((steps, games, tables.mask.shape[1]), dtype=torch.bool),
            torch.zeros((steps, games), dtype=torch.int64),
            torch.zeros((steps, games)),
            np.zeros((steps, games), np.float32),
            np.zeros((steps, games), np.int64),
            np.zeros((steps, games, tables.seats), np.float32),
            np.zeros((steps, games), bool),
            np.zeros((steps, games), bool),
        )


@dataclass
class Learner:
    """All that training goes on from."""

    config: TrainingConfig
    tables: Tables
    network: PolicyValue
    optimizer: torch.optim.Optimizer
    pool: Pool
    rollout: Rollout
    generator: torch.Generator
    decisions: int = 0
    seconds: float = 0.0
    updates: list[Update] = field(default_factory=list)

    @classmethod
    def new(cls, config: TrainingConfig, game: Game) -> "Learner":
        """A learner that has played nothing yet; its tables have the options of `game`, with their own numbers of players."""
        torch.manual_seed(config.seed)
        settings = config.selfplay
        kinds = [(game.make(**{**game.options, "num_players": table.players}), table.games, table.opponents) for table in settings.tables]
        tables = Tables(kinds, config.seed, config.threads)
        network = PolicyValue(kinds[0][0].layout, len(kinds[0][0].actions), list(settings.network))
        optimizer = torch.optim.Adam(network.parameters(), settings.learning_rate, eps=1e-5)
        generator = torch.Generator().manual_seed(config.seed)
        learner = cls(
            config,
            tables,
            network,
            optimizer,
            Pool(settings.pool, settings.pool_every),
            Rollout.empty(settings.steps_per_update, tables),
            generator,
        )
        tables.reset(learner.pool.chances())
        return learner


def check(config: TrainingConfig, game: Game) -> None:
    """Set up one game of each kind, so that what is wrong with the config is told before anything is written."""
    small = [table.model_copy(update={"games": 1}) for table in config.selfplay.tables]
    settings = config.selfplay.model_copy(update={"tables": tuple(small), "steps_per_update": 2})
    Learner.new(config.model_copy(update={"selfplay": settings}), game).tables.close()


def train(
    config: TrainingConfig, game: Game, on_update: Callable[[Update], None], should_stop: Callable[[], bool] = lambda: False
) -> Training:
    """Learn from `config.decisions` decisions, or until `should_stop`, which is asked after each update."""
    learner = Learner.new(config, game)
    stopped = False
    try:
        while learner.decisions < config.decisions and not stopped:
            on_update(update(learner))
            stopped = should_stop()
    finally:
        learner.tables.close()
    complete = learner.decisions >= config.decisions
    return Training(learner.updates, complete, CHECKPOINT, lambda path: save_network(learner.network, game, path))


def update(learner: Learner) -> Update:
    """Play, estimate, learn, remember."""
    config, settings, rollout = learner.config, learner.config.selfplay, learner.rollout
    began = time.monotonic()
    progress = learner.decisions / config.decisions
    for group in learner.optimizer.param_groups:
        group["lr"] = settings.learning_rate * (1.0 - (1.0 - _LAST_RATE) * progress)
    entropy_weight = settings.entropy + progress * (settings.last_entropy - settings.entropy)

    games, outcome = play(learner)
    advantages, known = estimate_advantages(rollout.values, rollout.rewards, rollout.seats, rollout.dones, settings.discount, settings.gae)
    chosen = torch.from_numpy(np.flatnonzero(known & rollout.learns))
    returns = torch.from_numpy(advantages + rollout.values).flatten()
    learner.network.measure(returns[chosen], _RETURNS_WEIGHT if learner.updates else 1.0)
    means = learn(learner, torch.from_numpy(advantages).flatten(), returns, chosen, entropy_weight)

    learner.pool.remember(learner.network, len(learner.updates))
    learner.decisions += len(chosen)
    learner.seconds += time.monotonic() - began
    learner.updates.append(Update(learner.decisions, learner.seconds, games, **outcome, **means))
    return learner.updates[-1]


@torch.no_grad()
def play(learner: Learner) -> tuple[int, dict[str, float]]:
    """Fill the rollout; tells how many games ended in which the learner had others against it, and how it did there."""
    tables, rollout, network, pool = learner.tables, learner.rollout, learner.network, learner.pool
    precision = learner.config.selfplay.precision
    everyone = np.arange(tables.num_games)
    outcomes = [np.zeros((0, 3))]
    for step in range(len(rollout.values)):
        observations, masks = rollout.observations[step], rollout.masks[step]
        observations[:] = torch.from_numpy(tables.observation)
        masks[:] = torch.from_numpy(tables.mask)
        logits, values = evaluate(network, observations, masks, precision)
        player = tables.player[everyone, tables.seat]
        for place in np.unique(player[player != LEARNER]):
            rows = torch.from_numpy(np.flatnonzero(player == place))
            logits[rows] = evaluate(pool.networks[place - 1], observations[rows], masks[rows], precision)[0]
        actions = draw(logits, learner.generator)
        rollout.actions[step] = actions
        rollout.logprobs[step] = torch.log_softmax(logits, 1).gather(1, actions[:, None])[:, 0]
        rollout.values[step] = network.real(values).numpy()
        rollout.seats[step] = tables.seat
        rollout.learns[step] = player == LEARNER
        tables.step(actions.numpy(), pool.chances())
        rollout.rewards[step] = tables.rewards
        rollout.dones[step] = tables.done
        if tables.done.any():
            outcomes.append(tell_outcomes(tables, pool))
    told = np.concatenate(outcomes)
    means = told.mean(0).tolist() if len(told) else [float("nan")] * 3
    return len(told), dict(zip(("mean_return", "win_share", "mean_score"), means, strict=True))


def draw(logits: Tensor, generator: torch.Generator) -> Tensor:
    """(B,) an action for each row, drawn from the policy."""
    heights = torch.softmax(logits, 1).cumsum(1)
    drawn = torch.rand((len(logits), 1), generator=generator) * heights[:, -1:]
    # The first action above the drawn height; an illegal one is no higher than the one before. Rounding can make `drawn` all of it.
    return torch.searchsorted(heights, torch.minimum(drawn, heights[:, -1:] * (1.0 - 1e-6)), right=True)[:, 0]


def tell_outcomes(tables: Tables, pool: Pool) -> np.ndarray:
    """(K, 3) the learner's return, share of the victory and score in each game that just ended against others; the pool hears of its own."""
    over = np.flatnonzero(tables.done & tables.alone)
    seat = tables.learner[over]
    first = tables.ranks[over] == 1
    share = first[np.arange(len(over)), seat] / first.sum(1)
    faced = tables.opponent[over]
    met = tables.pooled[over] & (faced != LEARNER)
    pool.tell(faced[met] - 1, 1.0 - share[met])
    return np.stack([tables.rewards[over, seat], share, tables.scores[over, seat]], axis=1)


def evaluate(network: PolicyValue, observations: Tensor, masks: Tensor, precision: str) -> tuple[Tensor, Tensor]:
    """The network's answer, computed in `float32` or `bfloat16`."""
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16"):
        return network(observations, masks)


def learn(learner: Learner, advantages: Tensor, returns: Tensor, chosen: Tensor, entropy_weight: float) -> dict[str, float]:
    """Some epochs of gradient steps on the decisions `chosen`; tells the means of the last epoch."""
    settings, network, rollout = learner.config.selfplay, learner.network, learner.rollout
    observations, masks = rollout.observations.flatten(0, 1), rollout.masks.flatten(0, 1)
    actions, logprobs = rollout.actions.flatten(), rollout.logprobs.flatten()
    told: list[tuple[float, float, float]] = []
    for epoch in range(settings.epochs):
        order = chosen[torch.randperm(len(chosen), generator=learner.generator)]
        for rows in order.split(settings.minibatch):
            logits, values = evaluate(network, observations[rows], masks[rows], settings.precision)
            all_logprobs = torch.log_softmax(logits, 1)
            logprob = all_logprobs.gather(1, actions[rows, None])[:, 0]
            ratio = torch.exp(logprob - logprobs[rows])
            advantage = advantages[rows]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            gain = torch.min(ratio * advantage, ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip) * advantage).mean()
            value_loss = nn.functional.mse_loss(values, network.normal(returns[rows]))
            entropy = -(torch.softmax(logits, 1) * all_logprobs).sum(1).mean()
            loss = 0.5 * value_loss - gain - entropy_weight * entropy
            learner.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), settings.max_gradient)
            learner.optimizer.step()
            if epoch == settings.epochs - 1:
                told.append((entropy.item(), value_loss.item(), (logprobs[rows] - logprob).mean().item()))
    entropy_mean, value_mean, divergence = np.mean(told, axis=0).tolist()
    return {"entropy": entropy_mean, "value_loss": value_mean, "divergence": divergence}
