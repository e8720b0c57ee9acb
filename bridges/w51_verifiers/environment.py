"""Games of models against bots, or against each other, to evaluate and train; the taskset `w51_verifiers`."""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import openai
import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1.dialects.chat import message_to_wire

from w51_agents.language.model_game import MODEL, ModelGame, seated

_RETRIES = 5  # of a request that the server was too busy for


class GameTasksetConfig(vf.TasksetConfig):
    """Which games are played: each deal once for each seat that the first player can have.

    Attributes:
        game: Id of a registered game.
        players: `model`, or names of bots.
        deals: Number of deals (shuffles).
        seed: Of the first deal; the next one has the next seed.
        options: Further arguments of `ModelGame`: `mistakes`, `language`, options of the game.
    """

    game: str = "warehouse51_v1"
    players: list[str] = Field(default=[MODEL, "heuristic", "heuristic", "heuristic"])
    deals: int = 25
    seed: int = 1
    options: dict[str, Any] = Field(default={})


class GameData(vf.TaskData):
    """One game: its deal, and the seat of the first player."""

    deal: int
    first: int


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """One game."""


class GameTaskset(vf.Taskset[GameTask, GameTasksetConfig]):
    """All games."""

    def load(self) -> Iterator[GameTask]:
        """The games in order."""
        config, system = self.config, new_game(self.config, 0).system
        for deal in range(config.seed, config.seed + config.deals):
            for first in range(len(config.players)):
                name = f"{config.game}, deal {deal}, seating {first}"
                yield GameTask(GameData(name=name, system_prompt=system, deal=deal, first=first), config.task)


def new_game(config: GameTasksetConfig, first: int) -> ModelGame:
    """A game with the first player in this seat."""
    return ModelGame(config.game, seated(config.players, first), conversation=True, **config.options)


class GameEnvConfig(vf.EnvConfig):
    """Who answers for each player that is a model: the model of the run, unless another one is set."""

    player_0: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    player_1: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    player_2: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    player_3: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    player_4: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class GameEnv(vf.Env[GameEnvConfig]):
    """Plays a game: a conversation with each model, whose reward is that of its seat."""

    async def run(self, task: GameTask, agents: vf.Agents) -> None:
        """Play the game of a task."""
        game = new_game(self.taskset.config, task.data.first)
        player_of = seated(range(len(game.players)), task.data.first)
        async with AsyncExitStack() as stack:
            talks = {
                seat: await stack.enter_async_context(getattr(agents, f"player_{player_of[seat]}").interaction(task))
                for seat, player in enumerate(game.players)
                if player == MODEL
            }
            question = game.reset(task.data.deal)
            while question is not None:
                talk = talks[question.seat]
                segment = await talk.turn(question.prompt)
                if segment.terminated:  # a limit, or an error, which is in its trace
                    break
                question = game.answer(segment.last_reply, is_cut=talk.trace.calls[-1].finish_reason == "length")
        for seat, talk in talks.items():
            talk.trace.record_metric("finished", float(question is None))
            if question is None:
                result = game.result(seat)
                talk.trace.record_reward("reward", result.pop("reward"))
                talk.trace.record_metrics(result)
        game.close()


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model for one answer to the conversation; it has no tools and starts no program."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask, through the address that records all that is said."""
        system, prompt = self.resolve_prompt(data)
        messages: list[Any] = [{"role": "system", "content": system}, *map(message_to_wire, prompt or [])]
        try:
            async with openai.AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=_RETRIES) as client:
                await client.chat.completions.create(model=ctx.model, messages=messages)
        except openai.OpenAIError as error:
            return vf.ProgramResult(exit_code=1, stdout="", stderr=str(error))
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
