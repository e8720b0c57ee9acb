"""Games of language models for verifiers: the environment `w51_verifiers`."""

from w51_verifiers.environment import ChatHarness, GameEnv, GameTaskset

__all__ = ["ChatHarness", "GameEnv", "GameTaskset"]  # where verifiers looks
