"""Agents: bots, trained policies, search and language models. The folder for agents and trainers of your own.

To write an agent, read `agent.py`: its interface, and the base classes `BatchAgent` and `SingleAgent`. Example:
docs/agents.md. To write a trainer, a network or a reward, read docs/adding_a_trainer.md, then `training/selfplay.py`.

What each part has, from the smallest to the largest:

- `agent.py`, `bots.py`: the interface; the bots of a game as agents.
- `registry.py`: `make_agent("heuristic", game)` makes an agent by name, from a checkpoint or from `module:Class`.
- `policies/`: networks, checkpoints and the agents that play them.
- `training/`: `run.py` is a training run, `learner.py` one update, `selfplay.py` a loss, `trainers.py` all settings.
- `search/`: `search_agent.py`, playouts in determinizations. `llm/`: language models.
- `exact/`: game trees of small games and exact exploitability.
- `isolated.py`, `agent_link.py`, `agent_messages.py`, `agent_process.py`: third-party agents in processes of their own.
- `explanation.py`: what an agent reports of a decision. `files.py`: digests of the files that agents read.

`w51_env.arena.matches.play_matches` plays matches. PyTorch and Stable-Baselines3 are imported only for trained agents.
"""

from w51_env.agents.agent import Agent, AgentError, BatchAgent, SingleAgent
from w51_env.agents.registry import make_agent, register_agent, registered_agents

__all__ = ["Agent", "AgentError", "BatchAgent", "SingleAgent", "make_agent", "register_agent", "registered_agents"]

if __name__ == "agents":  # a second copy of every module otherwise
    raise ImportError("agents is the package w51_env.agents: import w51_env.agents")
