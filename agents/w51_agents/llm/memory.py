"""What a language model remembers of a game beside what a prompt says: nothing, its own notes, or the conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from w51_agents.language.answers import MAX_ANSWER
from w51_agents.language.llm.models import Message, estimated_tokens
from w51_agents.language.prompts import wording


@dataclass
class SeatMemory:
    """What a model remembers as one seat of one game.

    Attributes:
        notes: What it has noted.
        lots: Past lots when it noted that.
        turns: Prompts and answers, in order.
        left_out: Number of older turns that had no room.
        history: Sentences of the events before its last decision, by which the next one of the same game is known.
    """

    notes: str = ""
    lots: int = 0
    turns: list[tuple[str, str]] = field(default_factory=list)
    left_out: int = 0
    history: list[str] = field(default_factory=list)

    def conversation(self) -> list[Message]:
        """The turns as messages."""
        messages: list[Message] = []
        for number, (prompt, answer) in enumerate(self.turns):
            note = wording("turns_left_out").format(count=self.left_out) if self.left_out and number == 0 else ""
            messages.append({"role": "user", "content": f"{note}\n\n{prompt}" if note else prompt})
            messages.append({"role": "assistant", "content": answer})
        return messages

    def add_turn(self, prompt: str, answer: str, tokens: int) -> None:
        """Keep a turn. Where all have more tokens, the older half goes at once: the cache of a server stays valid."""
        self.turns.append((prompt, answer[-MAX_ANSWER:]))
        if sum(estimated_tokens(text) for turn in self.turns for text in turn) > tokens:
            count = (len(self.turns) + 1) // 2
            self.turns, self.left_out = self.turns[count:], self.left_out + count


class Memories:
    """The memories of all seats that one model plays.

    A decision is of the game of the one before if the events before that one are the first of its own events. The first
    decision of a seat has none before it, so a game begins without a memory.
    """

    def __init__(self) -> None:
        self._seats: dict[tuple[object, int], SeatMemory] = {}

    def of(self, info: Mapping[str, Any]) -> SeatMemory:
        """The memory for a decision; an empty one if it is the first of its game."""
        key, earlier = memory_key(info), _sentences(info.get("earlier", ()))
        memory = self._seats.get(key)
        if memory is None or memory.history != earlier[: len(memory.history)]:  # of another game
            memory = self._seats[key] = SeatMemory()
        return memory

    @staticmethod
    def decided(memory: SeatMemory, info: Mapping[str, Any]) -> None:
        """That notes were written or a decision made: later ones of this game have its events before theirs."""
        memory.history = _sentences([*info.get("earlier", ()), *info["view"].news])


def memory_key(info: Mapping[str, Any]) -> tuple[object, int]:
    """Which game and seat a decision belongs to: `info["game"]`, None where one game is played at a time."""
    return info.get("game"), info["view"].viewer


def has_one_key_each(infos: Sequence[Mapping[str, Any]]) -> bool:
    """Whether decisions of one call can be told apart by their games."""
    return len(infos) == 1 or all(info.get("game") is not None for info in infos)


def _sentences(events: Sequence[Mapping[str, Any]]) -> list[str]:
    return [event["text"] for event in events]
