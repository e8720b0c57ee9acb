"""Recurrent PPO with action masks in one seat, in one file, in the style of CleanRL's ppo_atari_lstm.

The other seats are agents, by default random bots. A GRU remembers what the learner saw earlier in the game; its
state is 0 where a game begins. Minibatches are whole rollouts of some environments, so that the gradient goes back to
the beginning of the rollout. Needs PyTorch and safetensors: pip install . torch safetensors;
python examples/recurrent_ppo_masked.py --save recurrent.safetensors

In the arena: python evaluate.py gru=examples.recurrent_ppo_masked:RecurrentPPOAgent,path=recurrent.safetensors random
"""

import argparse
import time

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from safetensors.torch import load_file, save_file
from torch import nn

from w51_agents.agent.memory import RecurrentAgent
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="warehouse51_v1", help="id of the game")
    parser.add_argument("--num-players", type=int, default=3)
    parser.add_argument("--opponents", default="random", help="agent in the other seats")
    parser.add_argument("--num-envs", type=int, default=128, help="games that are played at once")
    parser.add_argument("--num-steps", type=int, default=64, help="decisions of each game in one update")
    parser.add_argument("--total-timesteps", type=int, default=1_000_000)
    parser.add_argument("--hidden-size", type=int, default=128, help="of the layer before the GRU, and of its state")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=1.0)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--update-epochs", type=int, default=2)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", help="write the weights to this file")
    return parser.parse_args()


class RecurrentPolicyAndValue(nn.Module):
    """A policy and a value of what one seat has seen until now."""

    def __init__(self, observation_size: int, num_actions: int, hidden_size: int):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(observation_size, hidden_size), nn.ReLU())
        self.memory = nn.GRUCell(hidden_size, hidden_size)
        self.actor = nn.Linear(hidden_size, num_actions)
        self.critic = nn.Linear(hidden_size, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def initial_state(self, num_envs: int) -> torch.Tensor:
        return torch.zeros(num_envs, self.memory.hidden_size)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor, begins: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.distributions.Categorical, torch.Tensor, torch.Tensor]:
        """Policy and values (T, N) of T steps, and the state (N, hidden) after them; `begins` where a game does."""
        hidden, remembered = self.torso(observations), []
        for features, begin in zip(hidden, begins, strict=True):
            state = self.memory(features, state * ~begin[:, None])
            remembered.append(state)
        hidden = hidden + torch.stack(remembered)
        logits = self.actor(hidden).masked_fill(~masks, -1e8)
        return torch.distributions.Categorical(logits=logits), self.critic(hidden).squeeze(-1), state


class RecurrentPPOAgent(RecurrentAgent):
    """The trained network as an agent of the arena, with the weights in the file `path`."""

    def __init__(self, game, path="recurrent.safetensors"):  # type: ignore[no-untyped-def]
        self.files = [path]
        self.layout = game.layout
        weights = load_file(path)
        hidden_size, size = weights["torso.0.weight"].shape
        if size != game.layout.size:
            raise ValueError(f"{path}: for observations of {size} numbers, but {game.id} has {game.layout.size}")
        self.agent = RecurrentPolicyAndValue(size, len(game.actions), hidden_size)
        self.agent.load_state_dict(weights)
        self.generator = torch.Generator()

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.generator.manual_seed(seed % 2**63)

    def initial_state(self, count: int) -> np.ndarray:
        return self.agent.initial_state(count).numpy()

    def step(self, observations, action_masks, states, histories=None):  # type: ignore[no-untyped-def]
        shown = torch.from_numpy(self.layout.to_float(observations))[None]
        masks, begins = torch.from_numpy(action_masks.astype(bool))[None], torch.zeros(1, len(states), dtype=torch.bool)
        with torch.no_grad():
            policy, _, after = self.agent(shown, masks, begins, torch.from_numpy(states))
        return torch.multinomial(policy.probs[0], 1, generator=self.generator)[:, 0].numpy(), after.numpy()


def advantages_of(rewards, values, begins, next_value, args):  # type: ignore[no-untyped-def]
    """GAE (T, N); `begins` (T + 1, N) has one more step, whose values are `next_value` (N,)."""
    advantages, gae = torch.zeros_like(values), torch.zeros_like(next_value)
    for step in reversed(range(len(values))):
        goes_on = ~begins[step + 1]
        delta = rewards[step] + args.gamma * next_value * goes_on - values[step]
        advantages[step] = gae = delta + args.gamma * args.gae_lambda * gae * goes_on
        next_value = values[step]
    return advantages


def loss_of(args, policy, value, actions, logprobs, advantages, values):  # type: ignore[no-untyped-def]
    """PPO's loss of some decisions; `values` and `logprobs` are those with which they were made."""
    ratio = (policy.log_prob(actions) - logprobs).exp()
    advantage = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
    policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
    value_loss = 0.5 * (value - advantages - values).square().mean()
    return policy_loss + args.vf_coef * value_loss - args.ent_coef * policy.entropy().mean()


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    envs = LearnerVectorEnv(
        args.game, args.num_envs, opponents=args.opponents, observation_dtype="float32",
        autoreset_mode=AutoresetMode.SAME_STEP, num_players=args.num_players,
    )  # fmt: skip
    start = time.time()
    shown, infos = envs.reset(seed=args.seed)
    size, num_actions = shown.shape[1], infos["action_mask"].shape[1]
    agent = RecurrentPolicyAndValue(size, num_actions, args.hidden_size)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    shape = (args.num_steps, args.num_envs)
    observations = torch.zeros((*shape, size))
    masks = torch.zeros((*shape, num_actions), dtype=torch.bool)
    begins = torch.zeros(shape, dtype=torch.bool)  # where a decision is the first of its game
    actions = torch.zeros(shape, dtype=torch.int64)
    logprobs, rewards, values = torch.zeros(3, *shape)
    begin, state = torch.ones(args.num_envs, dtype=torch.bool), agent.initial_state(args.num_envs)
    num_updates = max(1, args.total_timesteps // (args.num_steps * args.num_envs))
    for update in range(1, num_updates + 1):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - (update - 1) / num_updates)
        first_state, results = state.clone(), []

        # ---- play
        for step in range(args.num_steps):
            observations[step] = torch.from_numpy(shown)
            masks[step] = torch.from_numpy(infos["action_mask"].astype(bool))
            begins[step] = begin
            with torch.no_grad():
                now = slice(step, step + 1)
                policy, values[now], state = agent(observations[now], masks[now], begins[now], state)
                actions[now] = policy.sample()
                logprobs[now] = policy.log_prob(actions[now])
            shown, reward, terminated, truncated, infos = envs.step(actions[step].numpy())
            rewards[step], begin = torch.from_numpy(reward), torch.from_numpy(terminated | truncated)
            results += reward[terminated].tolist()

        # ---- learn
        with torch.no_grad():
            mask = torch.from_numpy(infos["action_mask"].astype(bool))[None]
            next_value = agent(torch.from_numpy(shown)[None], mask, begin[None], state)[1][0]
        advantages = advantages_of(rewards, values, torch.cat([begins, begin[None]]), next_value, args)
        for _ in range(args.update_epochs):
            for games in torch.randperm(args.num_envs).tensor_split(args.num_minibatches):
                policy, value, _ = agent(observations[:, games], masks[:, games], begins[:, games], first_state[games])
                old = (part[:, games] for part in (actions, logprobs, advantages, values))
                loss = loss_of(args, policy, value, *old)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if update % max(1, num_updates // 10) == 0 or update == num_updates:
            decisions = update * args.num_steps * args.num_envs
            mean = np.mean(results) if results else float("nan")
            print(f"{decisions:>9,} decisions, {time.time() - start:4.0f} s: mean return {mean:+.2f}", flush=True)
            if args.save:
                save_file(agent.state_dict(), args.save)
    envs.close()


if __name__ == "__main__":
    main()
