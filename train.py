"""Train an agent and evaluate it against the baselines; `python train.py --help` has examples."""

from w51_env.commands.train import app

if __name__ == "__main__":
    app()
