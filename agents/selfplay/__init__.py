"""Self-play: one network learns from every seat of every game. `learning.SelfPlayTrainer.update` is the whole of it, from top to bottom."""
