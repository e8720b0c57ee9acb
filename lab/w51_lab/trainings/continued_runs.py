"""The run of a config in a folder that is known before: the same command begins it and goes on with it."""

from pathlib import Path

from w51_agents.agent.interface import AgentError
from w51_agents.training.config import config_data
from w51_agents.training.ranks import ranks
from w51_agents.training.run import Run
from w51_agents.training.run_facts import STATE
from w51_agents.training.settings import TrainingConfig

_OF_THIS_MACHINE = ("runs", "threads")  #  keys on which no result depends


def run_of(config: TrainingConfig, folder: Path, allow: list[str]) -> Run:
    """The run in a folder, as far as it has come; a new one if there is none.

    Raises:
        AgentError: The run there has another config.
    """
    if not ranks().any(ranks().writes and (folder / STATE).is_file()):
        return Run.begin(config)
    run = Run.resume(folder, allowed=allow)
    kept = {"options": run.config.options} | {key: getattr(run.config, key) for key in _OF_THIS_MACHINE}
    stored, wanted = config_data(run.config), config_data(config.model_copy(update=kept))
    if stored != wanted:
        run.close()
        different = ", ".join(sorted(key for key in {*stored, *wanted} if stored.get(key) != wanted.get(key)))
        raise AgentError(f"run {folder}: has another {different}; give the runs another name=..., or remove the folder")
    return run
