"""Training: configs, the two trainers, runs and how they resume."""
