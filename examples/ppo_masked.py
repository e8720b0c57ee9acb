"""PPO with action masks on a batch of all seats, in one file, in the style of CleanRL.

One network plays all seats of all games against itself. A game passes the turn around, so each transition goes from a
seat's decision to the next decision of the same seat, and a seat's return is its reward at the end of the game. Needs
PyTorch and safetensors: pip install . torch safetensors; python examples/ppo_masked.py --save ppo.safetensors

In the arena: python evaluate.py ppo=examples.ppo_masked:PPOAgent,path=ppo.safetensors random --players 3
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import w51_env
from w51_agents import BatchAgent


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="warehouse51_v1", help="id of the game")
    parser.add_argument("--num-players", type=int, default=3)
    parser.add_argument("--num-envs", type=int, default=256, help="games that are played at once")
    parser.add_argument("--num-steps", type=int, default=128, help="decisions of each game in one update")
    parser.add_argument("--total-timesteps", type=int, default=1_000_000, help="decisions of all seats")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=1.0)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--num-minibatches", type=int, default=8)
    parser.add_argument("--update-epochs", type=int, default=2)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", help="write the weights to this file, and the win rates beside it as .csv")
    return parser.parse_args()


class PolicyAndValue(nn.Module):
    """A policy and a value of the seat to move."""

    def __init__(self, observation_size: int, num_actions: int):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(observation_size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.actor = nn.Linear(128, num_actions)
        self.critic = nn.Linear(128, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        hidden = self.torso(observations)
        logits = self.actor(hidden).masked_fill(~masks, -1e8)
        return torch.distributions.Categorical(logits=logits), self.critic(hidden).squeeze(-1)


class PPOAgent(BatchAgent):
    """The trained network as an agent of the arena, with the weights in the file `path`."""

    def __init__(self, game, path="ppo.safetensors"):  # type: ignore[no-untyped-def]
        self.files = [path]
        self.layout = game.layout
        weights = load_file(path)
        if (size := weights["torso.0.weight"].shape[1]) != game.layout.size:
            raise ValueError(f"{path}: for observations of {size} numbers, but {game.id} has {game.layout.size}")
        self.agent = PolicyAndValue(game.layout.size, len(game.actions))
        self.agent.load_state_dict(weights)
        self.generator = torch.Generator()

    def reset(self, seed: int) -> None:
        self.generator.manual_seed(seed % 2**63)

    def act_batch(self, observations, action_masks, infos=None):  # type: ignore[no-untyped-def]
        shown = torch.from_numpy(self.layout.to_float(observations))
        with torch.no_grad():
            policy, _ = self.agent(shown, torch.from_numpy(action_masks.astype(bool)))
        return torch.multinomial(policy.probs, 1, generator=self.generator)[:, 0].numpy()


def evaluate(agent: PolicyAndValue, args: argparse.Namespace, games: int = 1000) -> float:
    """Win rate of the agent in seat 0 against random bots."""
    seats = ["external"] + ["random"] * (args.num_players - 1)
    batch = w51_env.make_vec(
        args.game, games, num_players=args.num_players, controllers=seats, seed=99, autoreset="disabled"
    )
    batch.reset()
    while (batch.seat >= 0).any():
        with torch.no_grad():
            masks = torch.from_numpy(batch.action_mask.astype(bool))
            actions = agent(torch.from_numpy(batch.observation_float()), masks)[0].sample().numpy()
        batch.step(np.where(batch.seat >= 0, actions, -1))
    first = batch.final_ranks == 1
    return float((first[:, 0] / first.sum(axis=1)).mean())


def report(agent: PolicyAndValue, args: argparse.Namespace, decisions: int, start: float) -> None:
    """Print the win rate, save the weights, and add to the curve; equal share is 1 / num_players."""
    seconds, win_rate = time.time() - start, evaluate(agent, args)
    print(f"{decisions:>9,} decisions, {seconds:4.0f} s: wins {win_rate:.1%} against random bots", flush=True)
    if args.save:
        save_file(agent.state_dict(), args.save)
        with Path(f"{args.save}.csv").open("a" if decisions else "w", encoding="utf-8") as curve:
            if not decisions:
                curve.write("decisions,seconds,win_rate\n")
            curve.write(f"{decisions},{seconds:.1f},{win_rate}\n")


def advantages_of(seats, rewards, dones, values, args):  # type: ignore[no-untyped-def]
    """GAE, seat by seat: (advantages, valid), each (num_steps, num_envs).

    Going back in time, `next_value` and `gae` hold for each seat of each game what follows its decision. A decision
    without a later one of the same seat in this rollout, and without the end of its game, is not valid.
    """
    steps, games = seats.shape
    players, everyone = rewards.shape[2], np.arange(games)
    pending = np.zeros((games, players), np.float32)  # rewards since the seat's last decision
    next_value, gae = np.zeros((games, players), np.float32), np.zeros((games, players), np.float32)
    known = np.zeros((games, players), bool)
    advantages, valid = np.zeros((steps, games), np.float32), np.zeros((steps, games), bool)
    for step in reversed(range(steps)):
        over = dones[step]
        next_value[over] = gae[over] = pending[over] = 0  # nothing follows the end of a game
        known[over] = True
        pending += rewards[step]
        seat = seats[step]
        delta = pending[everyone, seat] + args.gamma * next_value[everyone, seat] - values[step]
        valid[step] = known[everyone, seat]
        advantages[step] = valid[step] * (delta + args.gamma * args.gae_lambda * gae[everyone, seat])
        gae[everyone, seat] = advantages[step]
        next_value[everyone, seat] = values[step]
        pending[everyone, seat] = 0
        known[everyone, seat] |= True
    return advantages, valid


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    batch = w51_env.make_vec(args.game, args.num_envs, num_players=args.num_players, seed=args.seed, keep_final=False)
    size, num_actions = batch.game.layout.size, len(batch.game.actions)
    agent = PolicyAndValue(size, num_actions)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    shape = (args.num_steps, args.num_envs)
    observations = torch.zeros((*shape, size))
    masks = torch.zeros((*shape, num_actions), dtype=torch.bool)
    actions, logprobs = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape)
    values, dones = np.zeros(shape, np.float32), np.zeros(shape, bool)
    seats, rewards = np.zeros(shape, np.int64), np.zeros((*shape, args.num_players), np.float32)

    start = time.time()
    report(agent, args, 0, start)
    batch.reset()
    num_updates = max(1, args.total_timesteps // (args.num_steps * args.num_envs))
    for update in range(1, num_updates + 1):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - (update - 1) / num_updates)

        # ---- play
        for step in range(args.num_steps):
            observations[step] = torch.from_numpy(batch.observation_float())
            masks[step] = torch.from_numpy(batch.action_mask.astype(bool))
            seats[step] = batch.seat
            with torch.no_grad():
                policy, value = agent(observations[step], masks[step])
                actions[step] = policy.sample()
                logprobs[step] = policy.log_prob(actions[step])
            values[step] = value.numpy()
            batch.step(actions[step].numpy())
            rewards[step], dones[step] = batch.rewards, batch.done

        # ---- learn
        advantages, valid = advantages_of(seats, rewards, dones, values, args)
        returns = torch.from_numpy(advantages + values)
        advantages = torch.from_numpy(advantages)
        rows = np.argwhere(valid)
        for _ in range(args.update_epochs):
            np.random.default_rng((args.seed, update)).shuffle(rows)
            for part in np.array_split(rows, args.num_minibatches):
                at = tuple(torch.from_numpy(part.T))
                policy, value = agent(observations[at], masks[at])
                ratio = (policy.log_prob(actions[at]) - logprobs[at]).exp()
                advantage = (advantages[at] - advantages[at].mean()) / (advantages[at].std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
                value_loss = 0.5 * (value - returns[at]).square().mean()
                loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if update % max(1, num_updates // 10) == 0 or update == num_updates:
            report(agent, args, update * args.num_steps * args.num_envs, start)


if __name__ == "__main__":
    main()
