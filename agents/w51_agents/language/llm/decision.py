"""One decision of a model: a question, and a second one where the first answer is not understood."""

import threading
import time
from collections.abc import Sequence
from typing import Literal

from typing_extensions import TypedDict

from w51_agents.agent.interface import AgentError
from w51_agents.language.answers import MAX_ANSWER, AnswerError, AnswerReader
from w51_agents.language.llm.asking import Questioner, cost_of
from w51_agents.language.llm.llm_settings import LLMSettings
from w51_agents.language.llm.models import Message, ModelError, ModelReply
from w51_agents.language.prompts import retry_prompt
from w51_agents.system.secrets import hidden
from w51_env.views.view import Data

_ASKED = 2  # how often a decision is asked for


class Moment(TypedDict):
    """When a model was asked, what it chose, and what was legal; of a note None and nothing."""

    game: int
    seat: int
    decision: int
    kind: Literal["decision", "notes"]
    action: str | None
    legal: list[str]


class ReplyFacts(TypedDict):
    """What was asked and answered; the numbers are sums over all questions of one decision."""

    prompt: str
    answer: str
    reasoning: str
    questions: int
    input_tokens: int
    output_tokens: int
    seconds: float
    cost: float


class Transcribed(Moment, ReplyFacts):
    """A decision or note of a model: what it was told and said; `game` is the row of the arena, 0 elsewhere."""


class Decision:
    """One decision.

    Args:
        questioner: Asks the model.
        reader: Reads its answers.
        form: How it is asked to answer.
        messages: What it is asked; the last one is the prompt.
        legal: The legal actions, as in `View.actions`.
    """

    def __init__(
        self, questioner: Questioner, reader: AnswerReader, form: str, messages: Sequence[Message], legal: list[Data]
    ):
        self.replies: list[ModelReply] = []
        self._questioner, self._reader, self._form = questioner, reader, form
        self._messages, self._legal = list(messages), legal
        self._action: int | None = None
        self._begun = time.perf_counter()

    def made(self, is_over: threading.Event) -> int:
        """The action; nothing is asked once `is_over` is set.

        Raises:
            AgentError: The model does not answer, or names no legal action.
            UnreachableError: It cannot be asked.
        """
        asked = list(self._messages)
        names = [action["name"] for action in self._legal]
        failure = "not asked"
        given: list[tuple[Sequence[Message], ModelReply]] = []
        for _ in range(_ASKED):
            if is_over.is_set():
                break
            try:
                reply = self._questioner.ask(asked, names)
            except ModelError as error:
                if not error.is_reachable:
                    raise self._questioner.unreachable(error) from None
                failure = str(error)
                break
            self.replies.append(reply)
            given.append((tuple(asked), reply))
            try:
                if reply.is_cut:
                    raise AnswerError(
                        "the answer was cut off at its most tokens, which max_tokens sets, or by a filter"
                    )
                if reply.calls > 1:
                    raise AnswerError(f"the answer has {reply.calls} tool calls, but one decision is asked for")
                self._action = self._reader.read(reply.text, self._legal)
            except AnswerError as error:
                failure = str(error)
                again = retry_prompt(str(error), names[0], self._form)
                asked.append({"role": "assistant", "content": reply.text[-MAX_ANSWER:] or "..."})
                asked.append({"role": "user", "content": again})
            else:
                for messages, one in given:  # of a decision that fails, nothing: it is asked for again
                    self._questioner.journal.keep(messages, one)
                return self._action
        raise AgentError(hidden(f"{self._questioner.settings.address}: {failure}"))

    def facts(self) -> tuple[ReplyFacts, str | None, list[str]]:
        """What was asked and answered, without secrets; the action, None if there is none; the legal ones."""
        prompt = self._messages[-1]["content"]
        facts = facts_of(self.replies, prompt, self._begun, self._questioner.settings)
        chosen = (action["name"] for action in self._legal if action["id"] == self._action)
        return facts, next(chosen, None), [action["name"] for action in self._legal]


def facts_of(replies: Sequence[ModelReply], prompt: str, begun: float, settings: LLMSettings) -> ReplyFacts:
    """The record of the replies to a prompt."""
    return {
        "prompt": hidden(prompt),
        "answer": hidden(replies[-1].text),
        "reasoning": hidden(replies[-1].reasoning),
        "questions": len(replies),
        "input_tokens": sum(reply.input_tokens for reply in replies),
        "output_tokens": sum(reply.output_tokens for reply in replies),
        "seconds": time.perf_counter() - begun,
        "cost": sum(cost_of(reply, settings) for reply in replies),
    }
