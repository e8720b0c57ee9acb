"""Train an agent and evaluate it against the baselines; `python train.py --help` has examples."""

from w51_lab.commands.train import app

if __name__ == "__main__":
    app()
