"""A language model as an agent: it reads the rules, what its seat may know and its legal actions, and answers."""

import os
import shlex
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from w51_agents.agent import AgentError, BatchAgent, Infos, UnreachableError
from w51_agents.llm.chat_server import ChatServer
from w51_agents.llm.llm_settings import LLM, LLMSettings
from w51_agents.llm.model_command import Command
from w51_agents.llm.models import LanguageModel, Message, ModelError, ModelReply, Usage
from w51_env.engine.errors import W51Error
from w51_env.engine.game import Game
from w51_env.text.answers import MAX_ANSWER, AnswerError, AnswerReader
from w51_env.text.prompts import rules_page, turn_prompt
from w51_env.text.secrets import hidden, holds_secret, keep_secret
from w51_env.views.view import Data

_SYSTEM = "You play a game, to win.\n\n{}\nThink briefly, and end with the name of one action in square brackets."
_AGAIN = "That was not understood: {}"


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
    """

    needs_view = is_slow = stateless = True

    def __init__(self, game: Game, settings: LLMSettings):
        self.settings = settings
        self.parallel = settings.parallel if settings.budget is None else 1
        self.usage = Usage()
        self._model = make_model(settings)
        self._reader = AnswerReader(game.actions)
        self._system = _SYSTEM.format(rules_page(game))
        self._lock = threading.Lock()
        self._settled: dict[str, int] = {}  # actions of a call in which another decision failed

    def reset(self, seed: int) -> None:
        """Does nothing: a model has no seed."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64, an action for each decision; all decisions are asked at the same time.

        Raises:
            AgentError: Infos without `view`, a decision without an answer that is understood, or a spent budget.
            UnreachableError: There is no server or no program, or the server refuses the key.
        """
        if infos is None or any("view" not in info for info in infos):
            raise AgentError("a language model needs info['view'], what its seat may know, which the arena provides")
        prompts = [turn_prompt(info["view"], info.get("earlier", ())) for info in infos]
        if len(prompts) == 1:  # without a thread, for which Ctrl-C would have to wait
            return np.array([self._decide(prompts[0], infos[0]["view"].actions, threading.Event())], np.int64)
        pool, is_over = ThreadPoolExecutor(self.settings.parallel), threading.Event()
        try:
            pairs = zip(prompts, infos, strict=True)
            futures = [pool.submit(self._decide, prompt, info["view"].actions, is_over) for prompt, info in pairs]
            wait(futures)
        finally:  # at a time limit or Ctrl-C: what is asked has a deadline of its own, and is not asked again
            is_over.set()
            pool.shutdown(wait=False, cancel_futures=True)
        errors = [error for future in futures if (error := future.exception()) is not None]
        if errors:
            # The supervisor repeats each decision alone: those that succeeded are not asked a second time.
            done = ((prompt, future) for prompt, future in zip(prompts, futures, strict=True) if not future.exception())
            self._settled = {prompt: future.result() for prompt, future in done}
            raise next((error for error in errors if isinstance(error, UnreachableError)), errors[0])
        return np.array([future.result() for future in futures], np.int64)

    def _decide(self, prompt: str, legal: Sequence[Data], is_over: threading.Event) -> int:
        if prompt in self._settled:
            return self._settled.pop(prompt)
        messages: list[Message] = [{"role": "system", "content": self._system}, {"role": "user", "content": prompt}]
        failure: W51Error = AgentError("not asked")
        for _ in range(1 + self.settings.retries):
            if is_over.is_set():
                break
            try:
                answer = self._ask(messages)
            except ModelError as error:
                failure = error
                if not error.is_reachable:
                    raise UnreachableError(hidden(f"agent {LLM + self.settings.address!r}: {error}")) from None
                if not error.again:
                    break
                continue
            try:
                return self._reader.read(answer.text, legal)
            except AnswerError as error:
                failure = error
                messages += [
                    {"role": "assistant", "content": answer.text[-MAX_ANSWER:]},
                    {"role": "user", "content": _AGAIN.format(error)},
                ]
        raise AgentError(hidden(f"{self.settings.address}: {failure}"))

    def _ask(self, messages: Sequence[Message]) -> ModelReply:
        settings, usage = self.settings, self.usage
        if settings.budget is not None and usage.input_tokens + usage.output_tokens >= settings.budget:
            raise ModelError(f"the budget of {settings.budget} tokens is spent", again=False)
        answer = self._model.ask(messages)
        with self._lock:
            usage.questions += 1
            usage.input_tokens += answer.input_tokens
            usage.output_tokens += answer.output_tokens
            usage.cost += 1e-6 * answer.input_tokens * settings.input_price
            usage.cost += 1e-6 * answer.output_tokens * settings.output_price
        return answer


def make_model(settings: LLMSettings) -> LanguageModel:
    """The model at the address of the settings.

    Raises:
        AgentError: A command that is no command line, a URL that is none, or a key that cannot be sent.
    """
    keep_secret(os.environ.get(settings.key, "").strip())  # a command may print it, too
    if holds_secret(settings.address):
        raise AgentError(
            f"agent llm:...: the address has the key of {settings.key}, but names of agents are kept with results; let "
            "the command read it from the environment"
        )
    try:
        if settings.is_server:
            request = (settings.key, settings.timeout, settings.max_tokens, settings.temperature)
            return ChatServer(settings.address, settings.model, *request)
        return Command(shlex.split(settings.address), settings.timeout)
    except (ModelError, ValueError) as error:
        raise AgentError(f"agent llm:{settings.address}: {error}") from None
