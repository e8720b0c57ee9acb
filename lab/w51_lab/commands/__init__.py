"""Commands of the laboratory. `w51` lists them, and imports a module when its command is used."""

COMMANDS = {
    "train": ("w51_lab.commands.train", "Train an agent and evaluate it against the baselines."),
    "curves": ("w51_lab.commands.curves", "Draw the learning curves of several runs in one figure."),
    "evaluate": ("w51_lab.commands.evaluate", "Play agents against each other and print win rates."),
    "benchmark": ("w51_lab.commands.benchmark", "Play an agent in the tracks of w51-bench and write its entry."),
    "experiment": ("w51_lab.commands.experiment", "Change one rule of a game, all else equal, and print the effects."),
    "dataset": ("w51_lab.commands.dataset", "Write games of agents as offline data."),
}
