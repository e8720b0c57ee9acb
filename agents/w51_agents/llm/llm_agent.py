"""A language model as an agent: it reads the rules, what its seat may know and its legal actions, and answers."""

import os
import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from w51_agents.agent import AgentError, BatchAgent, ForfeitsError, Infos, UnreachableError
from w51_agents.llm.llm_settings import LLM, LLMSettings, request_fields
from w51_agents.llm.memory import Memories, SeatMemory, has_one_key_each
from w51_agents.llm.model_command import Command
from w51_agents.llm.models import LanguageModel, Message, ModelError, ModelReply, Usage
from w51_env.engine.game import Game
from w51_env.text.answers import MAX_ANSWER, AnswerError, AnswerReader
from w51_env.text.prompts import how_to_answer, past_lots, system_prompt, turn_prompt, wording
from w51_env.text.secrets import hidden, holds_secret, keep_secret

_ASKED = 2  # how often a decision is asked for, where an answer is not understood
_FEW = 40  # decisions: of fewer, as many may fail as of these


class LLMAgent(BatchAgent):
    """A language model that plays. Its decisions are those of the model, so they need not repeat.

    Args:
        game: The game it plays.
        settings: Where the model is, and how it is asked.

    Attributes:
        needs_view: The arena puts the seat's view and history into its infos.
        is_slow: Each of its games is stored when it ends: its answers may be paid for.
        parallel: How many processes may ask at the same time: one if there is a budget, which it counts.
        usage: Tokens and cost so far.
        on_decision: Called with each record of a decision (`Record`); None: nobody is.
    """

    needs_view = is_slow = stateless = True

    def __init__(self, game: Game, settings: LLMSettings):
        self.settings = settings
        self.parallel = settings.parallel if settings.budget is None else 1
        self.usage = Usage()
        self.on_decision: Callable[[dict[str, Any]], None] | None = None
        self._model = make_model(settings)
        self._reader = AnswerReader(game.actions)
        self._form = settings.answer if settings.is_server else "text"
        self._system = system_prompt(game, self._form)
        self._lock = threading.Lock()
        self._memories = Memories()
        self._settled: dict[str, int] = {}  # actions of a call in which another decision failed
        self._decisions = self._failures = 0

    def reset(self, seed: int) -> None:
        """Forget all games; a model has no seed."""
        self._memories.clear()

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64, an action for each decision; all decisions are asked at the same time.

        Raises:
            AgentError: Infos without `view`, a decision without an answer that is understood, a spent budget, or, for
                a model with a memory, several games at a time whose infos do not say which.
            UnreachableError: There is no server or no program, or the server refuses the key or the request.
            ForfeitsError: The model has failed to make too many of its decisions.
        """
        if infos is None or any("view" not in info for info in infos):
            raise AgentError("a language model needs info['view'], what its seat may know, which the arena provides")
        if self.settings.memory != "none" and not has_one_key_each(infos):
            raise AgentError(
                f"memory={self.settings.memory} needs one game at a time, or info['game'], which game it is"
            )
        if len(infos) == 1:  # without a thread, for which Ctrl-C would have to wait
            return np.array([self._counted(infos[0])], np.int64)
        pool, is_over = ThreadPoolExecutor(self.settings.parallel), threading.Event()
        try:
            futures = [pool.submit(self._decide, info, is_over) for info in infos]
            wait(futures)
        finally:  # at a time limit or Ctrl-C: what is asked has a deadline of its own, and is not asked again
            is_over.set()
            pool.shutdown(wait=False, cancel_futures=True)
        errors = [error for future in futures if (error := future.exception()) is not None]
        if errors:
            # The supervisor repeats each decision alone: those that succeeded are not asked a second time.
            done = ((info, future) for info, future in zip(infos, futures, strict=True) if not future.exception())
            self._settled = {_identity(info): future.result() for info, future in done}
            raise next((error for error in errors if isinstance(error, UnreachableError)), errors[0])
        self._decisions += len(infos)
        return np.array([future.result() for future in futures], np.int64)

    def _counted(self, info: Mapping[str, Any]) -> int:
        """The action of a decision that is counted as the model's, or as one that it failed to make."""
        self._decisions += 1
        try:
            return self._decide(info, threading.Event())
        except UnreachableError:
            raise
        except AgentError as error:
            self._failures += 1
            if self._failures > self.settings.max_forfeits * max(self._decisions, _FEW):
                raise ForfeitsError(
                    f"{hidden(self.settings.address)}: the model failed to make {self._failures} of {self._decisions} "
                    f"decisions, more than max_forfeits={self.settings.max_forfeits:g} allows; the last: {error}"
                ) from None
            raise

    def _decide(self, info: Mapping[str, Any], is_over: threading.Event) -> int:
        if self._settled and (identity := _identity(info)) in self._settled:
            return self._settled.pop(identity)
        settings, view, memory = self.settings, info["view"], self._memories.of(info)
        if settings.memory == "notes":
            self._note(info, memory)
        with_past = settings.memory != "conversation" or not memory.turns or memory.left_out > 0
        prompt = turn_prompt(
            view,
            info.get("earlier", ()),
            settings.prompt_tokens,
            form=self._form,
            notes=memory.notes,
            with_past=with_past,
        )
        messages = [_message("system", self._system), *memory.conversation(), _message("user", prompt)]
        decision = _Decision(self, messages, view.actions, is_over)
        try:
            action = decision.made()
        finally:
            if self.on_decision is not None and decision.replies:
                self.on_decision(decision.record(info))
        if settings.memory == "conversation":
            memory.add_turn(prompt, decision.replies[-1].text, settings.conversation_tokens)
        self._memories.decided(memory, info)
        return action

    def _note(self, info: Mapping[str, Any], memory: SeatMemory) -> None:
        """Let the model write its notes, if a lot is over since it last did. Without an answer, the old ones stay."""
        view, earlier = info["view"], info.get("earlier", ())
        lots = past_lots(view, earlier)
        if lots <= memory.lots:
            return
        told = turn_prompt(view, earlier, self.settings.prompt_tokens, form="", notes=memory.notes)
        request = f"{told}\n\n{wording('note_request').format(words=self.settings.note_words)}"
        try:
            reply = self.ask([_message("system", self._system), _message("user", request)], ())
        except ModelError as error:
            if not error.is_reachable:
                raise self.unreachable(error) from None
            return
        memory.lots = lots
        words = reply.text.split(" ")
        memory.notes = hidden(" ".join(words[: self.settings.note_words]).strip()) or memory.notes

    def ask(self, messages: Sequence[Message], choices: Sequence[str]) -> ModelReply:
        """The answer of the model, counted; ModelError if there is none, or if the budget is spent."""
        settings, usage = self.settings, self.usage
        for attempt in range(settings.retries + 1):
            if settings.budget is not None and usage.input_tokens + usage.output_tokens >= settings.budget:
                raise ModelError(f"the budget of {settings.budget} tokens is spent", again=False)
            try:
                answer = self._model.ask(messages, choices)
                break
            except ModelError as error:
                if not error.again or attempt == settings.retries:
                    raise
        with self._lock:
            usage.questions += 1
            usage.input_tokens += answer.input_tokens
            usage.cached_tokens += answer.cached_tokens
            usage.output_tokens += answer.output_tokens
            usage.cost += cost_of(answer, settings)
        return answer

    def read(self, reply: ModelReply, legal: Sequence[Mapping[str, Any]]) -> int:
        """The action of a reply; AnswerError if it is none."""
        if reply.is_cut:
            raise AnswerError("the answer was cut off at its most tokens, which max_tokens sets")
        return self._reader.read(reply.text, [dict(action) for action in legal])

    def again(self, error: AnswerError, example: str) -> str:
        """What is said after an answer that is no legal action."""
        return wording("again").format(reason=error, ask=how_to_answer(self._form, example))

    def unreachable(self, error: ModelError) -> UnreachableError:
        """That the model cannot be asked at all."""
        return UnreachableError(hidden(f"agent {LLM + self.settings.address!r}: {error}"))


class _Decision:
    """One decision of a model: a question, and a second one where the first answer is not understood.

    Attributes:
        replies: What the model has answered.
    """

    def __init__(
        self, agent: LLMAgent, messages: list[Message], legal: Sequence[Mapping[str, Any]], is_over: threading.Event
    ):
        self.replies: list[ModelReply] = []
        self._agent, self._messages, self._legal, self._is_over = agent, messages, legal, is_over
        self._prompt = messages[-1]["content"]
        self._action: int | None = None
        self._begun = time.perf_counter()

    def made(self) -> int:
        """The action; AgentError if the model names none, UnreachableError if it cannot be asked."""
        names, failure = [action["name"] for action in self._legal], "not asked"
        for _ in range(_ASKED):
            if self._is_over.is_set():
                break
            try:
                self.replies.append(self._agent.ask(self._messages, names))
            except ModelError as error:
                if not error.is_reachable:
                    raise self._agent.unreachable(error) from None
                failure = str(error)
                break
            try:
                self._action = self._agent.read(self.replies[-1], self._legal)
                return self._action
            except AnswerError as error:
                failure = str(error)
                self._messages += [
                    _message("assistant", self.replies[-1].text[-MAX_ANSWER:] or "..."),
                    _message("user", self._agent.again(error, names[0])),
                ]
        raise AgentError(hidden(f"{self._agent.settings.address}: {failure}"))

    def record(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """What was asked and answered, as plain data without secrets."""
        view, replies = info["view"], self.replies
        chosen = [action["name"] for action in self._legal if action["id"] == self._action]
        return {
            "game": info.get("game"),
            "decision": view.decision,
            "seat": view.viewer,
            "prompt": hidden(self._prompt),
            "answer": hidden(replies[-1].text),
            "reasoning": hidden(replies[-1].reasoning),
            "action": chosen[0] if chosen else None,
            "legal": [action["name"] for action in self._legal],
            "questions": len(replies),
            "input_tokens": sum(reply.input_tokens for reply in replies),
            "output_tokens": sum(reply.output_tokens for reply in replies),
            "seconds": time.perf_counter() - self._begun,
            "cost": sum(cost_of(reply, self._agent.settings) for reply in replies),
        }


def cost_of(reply: ModelReply, settings: LLMSettings) -> float:
    """What a reply costs, by the prices of the settings."""
    cached = settings.input_price if settings.cached_price is None else settings.cached_price
    new = max(0, reply.input_tokens - reply.cached_tokens)
    prices = new * settings.input_price + reply.cached_tokens * cached + reply.output_tokens * settings.output_price
    return 1e-6 * prices


def make_model(settings: LLMSettings) -> LanguageModel:
    """The model at the address of the settings.

    Raises:
        AgentError: A command that is no command line, a URL that is none, a key that cannot be sent, or a file of
            fields that cannot be read.
    """
    keep_secret(os.environ.get(settings.key, "").strip())  # a command may print it, too
    if holds_secret(settings.address):
        raise AgentError(
            f"agent llm:...: the address has the key of {settings.key}, but names of agents are kept with results; let "
            "the command read it from the environment"
        )
    try:
        if settings.is_server:
            from w51_agents.llm.chat_server import ChatServer  # the client takes a second to import

            fields = request_fields(settings)
            return ChatServer(
                settings.address, settings.key, fields, settings.timeout, settings.retries, settings.answer
            )
        return Command(shlex.split(settings.address), settings.timeout)
    except (ModelError, ValueError) as error:
        raise AgentError(f"agent llm:{settings.address}: {error}") from None


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _identity(info: Mapping[str, Any]) -> str:
    """A decision as its seat sees it."""
    return turn_prompt(info["view"], info.get("earlier", ()))
