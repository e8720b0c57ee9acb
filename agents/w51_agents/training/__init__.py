"""Training: configs, trainers, runs and how they resume. `run` is the top, `learner` and `selfplay` the algorithm."""
