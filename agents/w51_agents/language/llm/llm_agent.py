"""A language model as an agent: it reads the rules, what its seat may know and its legal actions, and answers."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Literal

import numpy as np

from w51_agents.agent.interface import AgentError, BatchAgent, ForfeitsError, Infos, UnreachableError
from w51_agents.language.answers import AnswerReader
from w51_agents.language.llm.asking import Questioner
from w51_agents.language.llm.decision import Decision, Moment, ReplyFacts, Transcribed, facts_of
from w51_agents.language.llm.journal import Journal
from w51_agents.language.llm.llm_settings import FEW, LLMSettings
from w51_agents.language.llm.memory import Memories, SeatMemory, has_one_key_each
from w51_agents.language.llm.models import Message, ModelError, Usage, estimated_tokens
from w51_agents.language.prompts import past_lots, system_prompt, turn_prompt, wording
from w51_agents.system.secrets import hidden
from w51_env.engine.game import Game


class LLMAgent(BatchAgent):
    """A language model that plays. Its decisions are those of the model, so they need not repeat.

    Attributes:
        needs_view: The arena puts the seat's view and history into its infos.
        is_slow: Each of its games is stored when it ends: its answers may be paid for.
        parallel: How many processes may ask at the same time: one if there is a budget, which it counts.
        on_record: Called with a record of each decision and note: what the model was told and said. None: nobody is.
    """

    needs_view = is_slow = stateless = True

    def __init__(self, game: Game, settings: LLMSettings):
        self.settings = settings
        self.parallel = settings.parallel if settings.budget is None else 1
        self._questioner = Questioner(settings)
        self.on_record: Callable[[Transcribed], None] | None = None
        self._reader = AnswerReader(game.actions)
        self._form = settings.answer if settings.is_server else "text"
        self._system = system_prompt(game, self._form)
        self._memories = Memories()
        self._settled: dict[str, int] = {}  # actions of a call in which another decision failed
        self._decisions = self._failures = 0

    def reset(self, seed: int) -> None:
        """Tell the journal which games follow: it has earlier answers of the same ones. A model has no seed."""
        self._questioner.journal.begin(seed)

    def keep_answers(self, folder: Path) -> None:
        """Keep answers in a folder as they come, unless the settings name another; FileError if it is unreadable."""
        if self.settings.journal is None:
            self._questioner.journal = Journal(folder)

    @property
    def rules_tokens(self) -> int:
        """Tokens of the rules, which each question repeats."""
        return estimated_tokens(self._system)

    @property
    def usage(self) -> Usage:
        """Tokens and cost so far."""
        return self._questioner.usage

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
            self.check_forfeits(self._failures, self._decisions, error)
            raise

    def check_forfeits(self, failed: int, decisions: int, last: Exception | None = None) -> None:
        """ForfeitsError if the model has failed to make so many decisions that a run ends; `last`: why the last one."""
        if failed > self.settings.max_forfeits * max(decisions, FEW):
            reason = "" if last is None else f"; the last: {last}"
            raise ForfeitsError(
                f"{hidden(self.settings.address)}: the model failed to make {failed} of {decisions} decisions, more "
                f"than max_forfeits={self.settings.max_forfeits:g} allows{reason}"
            ) from None

    def _decide(self, info: Mapping[str, Any], is_over: threading.Event) -> int:
        if self._settled and (identity := _identity(info)) in self._settled:
            return self._settled.pop(identity)
        settings = self.settings
        view = info["view"]
        memory = self._memories.of(info)
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
        decision = Decision(self._questioner, self._reader, self._form, messages, view.actions)
        try:
            action = decision.made(is_over)
        finally:
            if decision.replies:
                self._record(info, "decision", *decision.facts())
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
        settings, begun = self.settings, time.perf_counter()
        told = turn_prompt(view, earlier, settings.prompt_tokens, form="", notes=memory.notes)
        request = f"{told}\n\n{wording('note_request').format(words=settings.note_words)}"
        asked = [_message("system", self._system), _message("user", request)]
        try:
            reply = self._questioner.ask(asked)
        except ModelError as error:
            if not error.is_reachable:
                raise self._questioner.unreachable(error) from None
            return
        self._questioner.journal.keep(asked, reply)
        memory.lots = lots
        self._memories.decided(memory, info)
        self._record(info, "notes", facts_of([reply], request, begun, settings), None, [])
        words = reply.text.split(" ")
        memory.notes = hidden(" ".join(words[: settings.note_words]).strip()) or memory.notes

    def _record(
        self,
        info: Mapping[str, Any],
        kind: Literal["decision", "notes"],
        facts: ReplyFacts,
        action: str | None,
        legal: list[str],
    ) -> None:
        if self.on_record is not None:
            view = info["view"]
            moment: Moment = {
                "game": info.get("game", 0),
                "seat": view.viewer,
                "decision": view.decision,
                "kind": kind,
                "action": action,
                "legal": legal,
            }
            self.on_record({**moment, **facts})


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _identity(info: Mapping[str, Any]) -> str:
    """A decision as its seat sees it."""
    return turn_prompt(info["view"], info.get("earlier", ()))
