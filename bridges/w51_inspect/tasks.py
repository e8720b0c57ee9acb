"""Inspect: games of a model, or of several, against bots.

```
inspect eval w51_inspect/game --model openai/NAME -T players=model,heuristic,heuristic -T deals=12
```
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from w51_agents.language.model_game import MODEL, ModelGame, seated
from w51_agents.language.prompts import PROMPTS

_CUT = {"max_tokens", "model_length", "content_filter"}
_RESULT = "w51_result"  # in the store of a sample
# Inspect puts the package before names, but not where the package is installed for development.
_PREFIX = "" if "site-packages" in __file__ else "w51_inspect/"


@task(name=f"{_PREFIX}game")
def game(
    game: str = "warehouse51_v1",
    players: str | list[str] = "model,heuristic,heuristic,heuristic",
    deals: int = 4,
    seed: int = 1,
    **options: Any,
) -> Task:
    """Games on the same deals, each deal once for each seat that the first player can have.

    Args:
        game: Id of a registered game.
        players: `model`, or names of bots. A player that is a model is the model of the role `player_0`, `player_1` and
            so on, if there is one; else the one that is evaluated.
        deals: Number of deals (shuffles).
        seed: Of the first deal; the next one has the next seed.
        **options: Further arguments of `ModelGame`: `mistakes`, `language`, options of the game.
    """
    lineup = players.split(",") if isinstance(players, str) else players
    ModelGame(game, lineup, **options).close()  # names what is wrong before the first question
    samples = [
        Sample(
            input=f"{game}, deal {deal}: {', '.join(seated(lineup, first))}",
            id=f"deal-{deal}-seating-{first}",
            metadata={"game": game, "players": lineup, "first": first, "deal": deal},
        )
        for deal in range(seed, seed + deals)
        for first in range(len(lineup))
    ]
    return Task(dataset=samples, solver=play(options), scorer=outcome(), metadata={"prompts": PROMPTS})


@solver
def play(options: dict[str, Any]) -> Solver:
    """Plays the game of a sample; its messages are what the models were told and said."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        facts = state.metadata
        lineup, first = facts["players"], facts["first"]
        played = ModelGame(facts["game"], seated(lineup, first), **options)
        player_of = seated(range(len(lineup)), first)
        question, asked = played.reset(facts["deal"]), list[ChatMessage]()
        system = ChatMessageSystem(content=played.system)
        state.messages = [system]
        while question is not None and not state.completed:
            asked = [*(asked if question.again else [system]), ChatMessageUser(content=question.prompt)]
            state.output = await get_model(role=f"player_{player_of[question.seat]}").generate(asked)
            reasons = [choice.stop_reason for choice in state.output.choices[:1]]  # a filter may leave no choice
            answer, is_cut = state.output.completion, not _CUT.isdisjoint(reasons)
            asked.append(ChatMessageAssistant(content=answer or "..."))
            state.messages += asked[-2:]
            question = played.answer(answer, is_cut=is_cut)
        if question is None:
            results = {player: played.result(seat) for seat, player in enumerate(player_of) if lineup[player] == MODEL}
            value = {f"player_{player}_{key}": one for player, result in results.items() for key, one in result.items()}
            state.store.set(_RESULT, value)
        played.close()
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr(cluster="deal")]})
def outcome() -> Scorer:
    """The result of each model; none for a game that a limit of Inspect has stopped."""

    async def score(state: TaskState, target: Target) -> Score:
        value = state.store.get(_RESULT)
        return Score.unscored(explanation="the game was stopped") if value is None else Score(value=value)

    return score
