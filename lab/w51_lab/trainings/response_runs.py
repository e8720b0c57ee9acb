"""The folder of the runs that learn best responses to one agent: each run in a folder of its own, all begun at once."""

from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Self

from w51_agents.console.terminal import resume_command
from w51_agents.system.files import check_folder, new_folder, read_text, release_folder, write_json
from w51_agents.system.json_text import parse_json
from w51_agents.training.config import config_code
from w51_agents.training.ranks import ranks
from w51_agents.training.run import Run
from w51_agents.training.settings import TrainingConfig
from w51_env.engine.errors import FileError
from w51_lab.trainings.exploit import RESPONSE_RUNS, RESPONSES, responses_to

_MAX_BYTES = 100_000


@dataclass(frozen=True)
class ResponseRuns:
    """The runs in a folder.

    Attributes:
        folder: The folder; the run of each response has a folder of its name in it.
        agent: The exploited agent.
        kinds: The responses, of `RESPONSES`.
        allowed: Names of code that the runs may import.
    """

    folder: Path
    agent: str
    kinds: tuple[str, ...]
    allowed: tuple[str, ...]

    @classmethod
    def begin(
        cls, config: TrainingConfig, agent: str, budgets: Mapping[str, int | None], allowed: Collection[str] = ()
    ) -> Self:
        """Begin a run for each response in a new folder, so that all read the files of the agent as they are now.

        Every error in the configs is raised before anything is left on the disk. Arguments and errors as for
        `responses_to`.
        """
        configs = responses_to(config, agent, budgets, allowed)
        code = {name for response in configs.values() for name in config_code(response)}
        group, folder = ranks(), Path()
        with ExitStack() as undo:
            with group.agreed():
                if group.writes:
                    if not (runs := Path(config.runs)).exists():
                        undo.callback(_remove_empty, runs)
                    folder = new_folder(runs, config.name, "run", RESPONSES)
                    undo.callback(rmtree, folder)
                    undo.callback(release_folder, folder)
            folder = Path(group.texts(str(folder))[0])
            for response in configs.values():
                Run.begin(response.model_copy(update={"runs": str(folder)})).close()
            if group.writes:
                write_json({"agent": agent, "responses": list(configs)}, folder / RESPONSE_RUNS)
            group.any(False)  # all read the folder
            if group.writes:
                release_folder(folder)
            undo.pop_all()
        return cls(folder, agent, tuple(configs), tuple(sorted({*allowed, *code})))

    @classmethod
    def open(cls, folder: Path, allowed: Collection[str] = ()) -> Self:
        """The runs in a folder that `begin` made.

        Raises:
            FileError: It is no such folder, or there are links or devices in it.
        """
        check_folder(folder, "run", RESPONSE_RUNS)
        try:
            data = parse_json(read_text(folder / RESPONSE_RUNS, _MAX_BYTES))
            agent, kinds = data["agent"], tuple(data["responses"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise FileError(f"run {folder / RESPONSE_RUNS}: cannot be read: {error!r}") from None
        if not isinstance(agent, str) or not kinds or not set(kinds) <= set(RESPONSES):
            raise FileError(f"run {folder / RESPONSE_RUNS}: an agent and some of {', '.join(RESPONSES)} are needed")
        return cls(folder, agent, kinds, tuple(allowed))

    def resume(self, kind: str) -> Run:
        """The run of a response; errors as for `Run.resume`."""
        return Run.resume(self.folder / kind, allowed=self.allowed)

    @property
    def resumption(self) -> str:
        """The command line that continues the runs."""
        return resume_command("train", self.folder, self.allowed)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
