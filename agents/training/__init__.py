"""A training run: its config, its trainer, its folder, and how it goes on after it was interrupted."""
