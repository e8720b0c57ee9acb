"""The folder of the runs that learn best responses to one agent: each run in a folder of its own, all begun at once."""

from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Self

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import resume_command
from w51_agents.named.registry import make_agent
from w51_agents.search.response_settings import PLAYOUTS, RESPONSE
from w51_agents.system.files import check_folder, new_folder, read_text, release_folder, write_json
from w51_agents.system.json_text import parse_json
from w51_agents.training.config import ConfigError, config_code
from w51_agents.training.ranks import ranks
from w51_agents.training.run import Run
from w51_agents.training.settings import TrainingConfig
from w51_env import make_game
from w51_env.engine.errors import FileError
from w51_lab.trainings.exploit import RESPONSE_RUNS, RESPONSES, SEARCH, responses_to

_MAX_BYTES = 100_000


@dataclass(frozen=True)
class ResponseRuns:
    """The runs in a folder.

    Attributes:
        folder: The folder; the run of each response has a folder of its name in it.
        agent: The exploited agent.
        kinds: The responses, of `RESPONSES`.
        allowed: Names of code that the runs may import.
        playouts: The most playouts of a decision of a response that searches; None: there is none.
    """

    folder: Path
    agent: str
    kinds: tuple[str, ...]
    allowed: tuple[str, ...]
    playouts: int | None = None

    @classmethod
    def begin(
        cls, config: TrainingConfig, agent: str, budgets: Mapping[str, int | None], allowed: Collection[str] = ()
    ) -> Self:
        """Begin a run for each response in a new folder, so that all read the files of the agent as they are now.

        Every error in the configs is raised before anything is left on the disk. Arguments and errors as for
        `responses_to`; the budget of `SEARCH` is its playouts.
        """
        learned = {kind: budget for kind, budget in budgets.items() if kind != SEARCH}
        if budgets and not learned:
            raise ConfigError(
                f"response {SEARCH!r}: learns nothing; alone it plays by w51 evaluate response:{agent} {agent}"
            )
        playouts = _playouts_of(config, agent, budgets)
        configs = responses_to(config, agent, learned, allowed)
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
                data = {"agent": agent, "responses": list(configs), "playouts": playouts}
                write_json(data, folder / RESPONSE_RUNS)
            group.any(False)  # all read the folder
            if group.writes:
                release_folder(folder)
            undo.pop_all()
        return cls(folder, agent, tuple(configs), tuple(sorted({*allowed, *code})), playouts)

    @classmethod
    def open(cls, folder: Path, allowed: Collection[str] = ()) -> Self:
        """The runs in a folder that `begin` made.

        Raises:
            FileError: It is no such folder, or there are links or devices in it.
        """
        check_folder(folder, "run", RESPONSE_RUNS)
        try:
            data = parse_json(read_text(folder / RESPONSE_RUNS, _MAX_BYTES))
            agent = data["agent"]
            kinds = tuple(data["responses"])
            playouts = data.get("playouts")
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise FileError(f"run {folder / RESPONSE_RUNS}: cannot be read: {error!r}") from None
        searches = playouts is None or (isinstance(playouts, int) and playouts >= 1)
        if not isinstance(agent, str) or not kinds or not set(kinds) <= set(RESPONSES) or not searches:
            raise FileError(f"run {folder / RESPONSE_RUNS}: an agent and some of {', '.join(RESPONSES)} are needed")
        return cls(folder, agent, kinds, tuple(allowed), playouts)

    def resume(self, kind: str) -> Run:
        """The run of a response; errors as for `Run.resume`."""
        return Run.resume(self.folder / kind, allowed=self.allowed)

    @property
    def resumption(self) -> str:
        """The command line that continues the runs."""
        return resume_command("train", self.folder, self.allowed)


def _playouts_of(config: TrainingConfig, agent: str, budgets: Mapping[str, int | None]) -> int | None:
    """The playouts of a response that searches; None if none is asked for, or none can respond to this agent."""
    if budgets and SEARCH not in budgets:
        return None
    playouts = budgets.get(SEARCH) or PLAYOUTS
    try:
        make_agent(f"{RESPONSE}{agent},playouts={playouts}", make_game(config.game, **config.options))
    except AgentError:
        if budgets:
            raise
        return None
    return playouts


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
