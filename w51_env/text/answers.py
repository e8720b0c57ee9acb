"""An action from a written answer: `I bid 5`, `bid_5`, `[bid 5]`, `{"action": "bid_5"}`, or the number of an action.

An answer that is an action, and nothing else, is that action. Any other is read in this order; the first part that
holds anything is taken:

1. the last JSON object with a key of `KEYS`,
2. the last text in square brackets,
3. the last line that begins with a word of `LABELS` and a colon,
4. the last line that names an action,
5. the whole answer.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from w51_env.engine.errors import W51Error
from w51_env.engine.game import ActionTable
from w51_env.text.secrets import hidden
from w51_env.views.view import Data

KEYS = ("action", "move", "answer", "choice")
LABELS = ("action", "move", "answer", "choice", "final answer", "my action", "my move")
MAX_ANSWER = 20_000  # characters that are read, from the end
_THOUGHTS = "</think>"  # what comes before it is no answer
_QUOTED = 80  # characters of an answer that a message quotes
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {word: number for number, word in enumerate(("zero", *_ONES, *_TEENS))}
_NUMBERS |= {word: 10 * number for number, word in enumerate(_TENS, 2)}
_TENS_AND_ONES = re.compile(rf"\b({'|'.join(_TENS)})[ -]({'|'.join(_ONES)})\b")
_NUMBERED = re.compile(r"(.+) (\d+)")
_TIMES = {"": 1, "hundred": 100, "thousand": 1000, "k": 1000}
_MAX_DIGITS = 18  # of an amount; a longer one is too high
_OTHER_NUMBER = re.compile(r" (?:or|to|and) (\d+)(?!\S)")
_LABEL = re.compile(rf"^[^\w\n]*(?:{'|'.join(LABELS)})[^\w\n]*:(.+)$", re.IGNORECASE | re.MULTILINE)
_BRACKETS = re.compile(r"\[([^\[\]]{1,200})\]")
_OBJECT = re.compile(r"\{[^{}]{1,2000}\}")


class AnswerError(W51Error):
    """An answer that is not exactly one legal action; the message says what was not understood."""


class AnswerReader:
    """Reads answers for one action table.

    Args:
        actions: The action table of a game.
    """

    def __init__(self, actions: ActionTable):
        self._names = [action.name for action in actions]
        self._phrases: dict[str, set[int]] = {}
        for index, action in enumerate(actions):
            for phrase in (action.name, action.text):
                self._phrases.setdefault(_plain(phrase), set()).add(index)

    def read(self, answer: str, legal: Sequence[Data]) -> int:
        """The action that an answer names, by its name, its text in the view or in the action table, or its number.

        Args:
            answer: The written answer.
            legal: The legal actions, as in `View.actions`.

        Returns:
            The action id.

        Raises:
            AnswerError: The answer is no text, or it names no action, several actions, or one that is not legal.
        """
        if not isinstance(answer, str):
            raise AnswerError(f"answer: {answer!r}, but text is needed")
        return _Reading(self._names, self._phrases, legal).read(answer)


class _Reading:
    """The reading of one answer."""

    def __init__(self, names: Sequence[str], phrases: Mapping[str, set[int]], legal: Sequence[Data]):
        self._names = names
        self._phrases = {**phrases, **{_plain(action["text"]): {action["id"]} for action in legal}}
        self._legal = {action["id"] for action in legal}
        longest_first = sorted(filter(None, self._phrases), key=len, reverse=True)
        self._search = re.compile(
            rf"(?<!\S)(?:{'|'.join(map(re.escape, longest_first))})(?!\S)(?!(?<=\d) (?:hundred|thousand|k)\b)"
        )
        self._highest = self._highest_amounts(legal)
        kinds = "|".join(map(re.escape, sorted(self._highest, key=len, reverse=True))) or "(?!)"
        self._amount = re.compile(rf"(?<!\S)({kinds}) (\d+)(?!\S)(?: (hundred|thousand|k)\b)?")

    def read(self, answer: str) -> int:
        """The action that an answer names, as `AnswerReader.read`; AnswerError if it is not one legal action."""
        answer = answer.rpartition(_THOUGHTS)[2]
        if not answer.strip():
            raise AnswerError(f"the answer is empty; {self._wanted()}")
        part = self._decisive_part(answer[-MAX_ANSWER:])
        actions = self._actions_in(part)
        if too_high := self._too_high(part, actions):
            raise AnswerError(f"{too_high}; {self._wanted()}")
        if not actions:
            raise AnswerError(f"no action found in {_quote(part)}; {self._wanted()}")
        possible = actions & self._legal
        if not possible:
            names = " and ".join(self._names[action] for action in sorted(actions)[:4])
            raise AnswerError(f"{names} is not legal now; {self._wanted()}")
        if len(actions) > 1 and (len(possible) > 1 or not _is_number(part)):
            names = ", ".join(self._names[action] for action in sorted(actions)[:6])
            raise AnswerError(f"{_quote(part)} names {len(actions)} actions, {names}; {self._wanted()}")
        return possible.pop()

    def _decisive_part(self, answer: str) -> str:
        if _plain(answer) in self._phrases:  # such a text may have brackets itself
            return answer
        for text in reversed(_OBJECT.findall(answer)):
            if (value := self._value_of(text)) is not None:
                return value
        if brackets := _BRACKETS.findall(answer):
            return brackets[-1]
        if labelled := _LABEL.findall(answer):
            return labelled[-1]
        plain = ((line, _plain(line)) for line in answer.splitlines())
        lines = [line for line, words in plain if self._search.search(words) or self._amount.search(words)]
        return lines[-1] if lines else answer

    def _actions_in(self, part: str) -> set[int]:
        if _is_number(part):
            number = int(_plain(part))
            amounts = {index for index in self._legal if self._names[index].rpartition("_")[2] == str(number)}
            return amounts | ({number} if number < len(self._names) else set())
        actions: set[int] = set()
        plain = _plain(part)
        for match in self._search.finditer(plain):
            phrases = [match[0]]
            if other := _OTHER_NUMBER.match(plain, match.end()):  # bid 5 or 6
                phrases.append(re.sub(r"\d+$", other[1], match[0]))
            for phrase in phrases:
                # One phrase may be several actions: `place a vase` where each seat has its own. The legal one is meant.
                meant = self._phrases.get(phrase, set())
                actions |= meant & self._legal or meant
        return actions

    def _highest_amounts(self, legal: Sequence[Data]) -> dict[str, tuple[int, int]]:
        """The highest number after the words of legal actions that end with one, and its action: `bid` of `bid 5`."""
        amounts = [
            (match[1], int(match[2]), action)
            for phrase, actions in self._phrases.items()
            if (match := _NUMBERED.fullmatch(phrase))
            for action in actions & self._legal
        ]
        # The first part of a bid in two parts says how high the whole bid may be.
        amounts += [(_plain(one["text"]).split()[0], one["up_to"], one["id"]) for one in legal if "up_to" in one]
        highest: dict[str, tuple[int, int]] = {}
        for words, number, action in amounts:
            highest[words] = max(highest.get(words, (-1, -1)), (number, action))
        return highest

    def _too_high(self, part: str, actions: Collection[int]) -> str:
        """That an answer has an amount above the highest legal one, if it has; a number alone may be another action."""
        plain = _plain(part)
        named = [(words, _amount(digits, times)) for words, digits, times in self._amount.findall(plain)]
        if _is_number(part) and self._highest and not self._legal.intersection(actions):
            named.append((max(self._highest, key=lambda words: self._highest[words]), int(plain)))
        for words, number in named:
            highest, action = self._highest[words]
            if number > highest:
                return f"{_quote(part)} is too high: the highest is {highest}, {self._names[action]}"
        return ""

    def _value_of(self, text: str) -> str | None:
        """The action in a JSON object: the value of a known key, else a key with its value, or all values: `bid 5`."""
        try:
            values_named: Any = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(values_named, Mapping):
            return None
        values = {
            key: value
            for key, value in values_named.items()
            if isinstance(value, str | int) and not isinstance(value, bool)
        }
        for key in KEYS:
            if key in values:
                return str(values[key])
        candidates = [*(f"{key} {value}" for key, value in values.items()), " ".join(map(str, values.values()))]
        known = (candidate for candidate in candidates if _plain(candidate) in self._phrases)
        return next(known, candidates[0] if len(values_named) == len(values) == 1 else None)

    def _wanted(self) -> str:
        names = ranges(self._names[action] for action in sorted(self._legal))
        return f"answer with the name of one of these: {', '.join(names)}"


def ranges(names: Iterable[str]) -> list[str]:
    """Names with runs of numbers joined: `pass`, `bid_6 ... bid_12`."""
    groups: list[list[str]] = []
    for name in names:
        stem, _, number = name.rpartition("_")
        if groups and number.isdigit() and groups[-1][-1] == f"{stem}_{int(number) - 1}":
            groups[-1].append(name)
        else:
            groups.append([name])
    joined = []
    for group in groups:
        joined += [f"{group[0]} ... {group[-1]}"] if len(group) > 2 else group
    return joined


def _amount(digits: str, times: str) -> int:
    """A written number; of one with too many digits the first ones."""
    return int(digits.lstrip("0")[: _MAX_DIGITS + 1] or "0") * _TIMES[times]


def _is_number(part: str) -> bool:
    return bool(re.fullmatch(r"#?\s*\d{1,6}", part.strip().strip(".")))


def _plain(text: str) -> str:
    """Lower case, words and digits only, number words as digits, without accents: how phrases are compared."""
    text = "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))
    text = re.sub(r"['\u2019]", "", text)
    text = re.sub(r"(?<=\d)[., _](?=\d{3}(?!\d))", "", text)  # 67,000 and 67 000
    text = re.sub(r"(?<=\d)\.0+(?!\d)", "", text)  # 5.0
    text = re.sub(r"(?<=\d) ?(?:\*\*|[.*^/+\u2013-]) ?(?=\d)", "point", text)  # 5.5, 5-7 and 5*7 are no 5
    text = re.sub(r"(?<![^\W_])-(?=\d)", "minus ", text)  # -5 is no 5
    text = re.sub(r"(?<=[^\W\d_])(?=\d)", " ", text)  # bid5
    text = _TENS_AND_ONES.sub(lambda match: str(_NUMBERS[match[1]] + _NUMBERS[match[2]]), text)
    return " ".join(str(_NUMBERS.get(word, word)) for word in re.findall(r"[^\W_]+", text))


def _quote(text: str) -> str:
    text = hidden(" ".join(text.split()))
    return json.dumps(text if len(text) <= _QUOTED else f"{text[:_QUOTED]} ...", ensure_ascii=False)
