"""A tiny policy that reads prompts learns, by the rewards of whole games, to pass on counterfeits that it knows of.

It stands for a language model: it reads the text of `ModelGame`, answers in text, and is trained by its seat's reward
alone (REINFORCE). It has two parameters: how much it likes to pass on a relic that the prompt names among the
counterfeits which the seat knows of, and on any other. Otherwise it makes the lowest bid. It needs numpy only.

    python examples/text_policy.py --updates 45
"""

import argparse
import re
from dataclasses import dataclass, field

import numpy as np

from w51_agents.language.model_game import ModelGame, Question

LOT = re.compile(r"^Lot: (.+?) \(", re.MULTILINE)
KNOWN = re.compile(r"^Counterfeits that you know of: (.*)$", re.MULTILINE)


@dataclass
class Decisions:
    """Of one or several games, for other relics and for known counterfeits: decisions, passes, and the gradient."""

    made: np.ndarray = field(default_factory=lambda: np.zeros(2))
    passed: np.ndarray = field(default_factory=lambda: np.zeros(2))
    gradient: np.ndarray = field(default_factory=lambda: np.zeros(2))


def is_known_counterfeit(prompt: str) -> bool:
    """Whether a prompt names its lot among the counterfeits that the seat knows of."""
    lot, known = LOT.search(prompt), KNOWN.search(prompt)
    return bool(lot and known and lot[1] in known[1])


def decide(question: Question, weights: np.ndarray, done: Decisions, draws: np.random.Generator) -> str:
    """An answer: to pass, as likely as the weights say, or the lowest bid; where there is no auction, any action."""
    bids = [name for name in question.legal if name.startswith("bid_")]
    if not bids or "pass" not in question.legal:
        return f"[{draws.choice(question.legal)}]"
    kind = int(is_known_counterfeit(question.prompt))
    chance = 1 / (1 + np.exp(-weights[kind]))
    passes = draws.random() < chance
    done.made[kind] += 1
    done.passed[kind] += passes
    done.gradient[kind] += passes - chance
    return "[pass]" if passes else f"[{bids[0]}]"


def play(game: ModelGame, seed: int, weights: np.ndarray, draws: np.random.Generator) -> tuple[float, Decisions]:
    """The reward of a game and its decisions."""
    done, question = Decisions(), game.reset(seed)
    while question is not None:
        question = game.answer(decide(question, weights, done, draws))
    return game.result(0)["reward"], done


def train(updates: int, games: int = 40, rate: float = 4.0, seed: int = 0) -> np.ndarray:
    """Learn against two random bots; prints and returns the weights, for other relics and for known counterfeits."""
    game = ModelGame("warehouse51_v1", ["model", "random", "random"], preset="mini", reward="margin")
    draws, weights = np.random.default_rng(seed), np.zeros(2)
    for update in range(updates):
        played = [play(game, 1000 * update + number, weights, draws) for number in range(games)]
        rewards = np.array([reward for reward, _ in played])
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-9)
        made, passed = (sum(getattr(done, name) for _, done in played) for name in ("made", "passed"))
        gradient = sum(advantage * done.gradient for advantage, (_, done) in zip(advantages, played, strict=True))
        weights += rate * gradient / (1 + made)
        others, known = passed / np.maximum(made, 1)
        print(
            f"update {update + 1}: reward {rewards.mean():.2f}, passes on other relics {others:.0%}, known {known:.0%}"
        )
    return weights


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=45)
    train(parser.parse_args().updates)
