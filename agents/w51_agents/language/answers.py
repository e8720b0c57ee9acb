r"""An action from a written answer, or a refusal with the reason: never a guess.

What comes before the end of a model's thoughts is no answer. Of the rest, one part is read:

1. the last mark, where there is one: a JSON object with a key of `KEYS`, text in square brackets, `\boxed{}`, a tag
   as `<action>`, or a line that begins with a word of `LABELS` and a colon;
2. else the last line that names an action, legal or not, or that has nothing but an amount.

That part must name exactly one action, which is legal. A line is read clause by clause: one that denies, doubts or
weighs (`I could pass`, `bid 4 is too little`, `rather than pass`) names nothing, and one before `but` neither.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from w51_agents.language.plain_words import amount, amount_alone, plain_words
from w51_agents.system.secrets import hidden
from w51_env.engine.errors import W51Error
from w51_env.engine.game import ActionTable
from w51_env.views.view import Data

KEYS = ("action", "move", "answer", "choice", "decision", "final_answer")
LABELS = ("action", "move", "answer", "choice", "decision", "final answer", "my action", "my move", "final action",
          "final decision", "my answer", "chosen action", "best move", "best action")  # fmt: skip
MAX_ANSWER = 20_000  # characters that are read, from the end
_MAX_IN_VAIN = 20 * MAX_ANSWER  # characters of JSON that turns out to be none
_QUOTED = 80  # characters of an answer that a message quotes
_LONGEST_MARK = 200  # characters; a longer one is a text that happens to stand in brackets
_NUMBERED = re.compile(r"(.+) (\d+)")
_TIMES = re.compile(r"(?<=\d) (?:hundred|thousand|k)\b")
_OTHER_NUMBER = re.compile(r" (?:or|to|and) (\d+)(?!\S)")

# ---- what is no answer: thoughts, with the tags and words of several models
_THOUGHTS = re.compile(
    r"</(?:think|thinking|thought|reasoning|reflection)>|<\|channel\|>final<\|message\|>", re.IGNORECASE
)
_OPEN_THOUGHT = re.compile(r"<(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)

# ---- marks
_LABEL = re.compile(
    rf"^[^\w\n]*(?:{'|'.join(sorted(LABELS, key=len, reverse=True))})[^\w\n:]*:[*_\s]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_MARKS = (
    re.compile(r"\[([^\[\]\n]+)\](?!\()"),
    re.compile(r"\\boxed\{(?:\\text\{)?([^{}]+)\}"),
    re.compile(r"<((?:\w+ )?(?:action|move|answer|choice|decision|vote))>([^<]*)</\1>", re.IGNORECASE),
    _LABEL,
)

# ---- clauses
_CLAUSE = re.compile(
    r"(?<=[.!?])\s+|[;:\u2014()]|\s[-\u2013]\s|,\s|(?<!\s)\s+(?=(?:but|however|because|since|so|therefore|thus|"
    r"hence|instead of|rather than|than|and not|not|although|though|while|unless|if|whereas|as|when|given)\b)",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"n['\u2019]?t\b|\b(?:not|never|no|avoid\w*|reject\w*|instead of|rather than|than|without|refus\w*|cannot|"
    r"rule[sd]? out|too (?:low|little|much|high|expensive|risky|weak|timid|early|late|cheap)|wrong|bad|mistake|worse|"
    r"illegal|invalid|wast\w+|foolish|unwise)\b"
)
_DOUBTS = re.compile(
    r"\?|\b(?:could|might|may|maybe|perhaps|possibly|if|unless|whether|can|consider\w*|tempt\w*|options?|when|while|"
    r"alternativ\w+|although|though|whereas|either|legal actions?|was|were|had|previous\w*|earlier|later|example|e\.g|"
    r"would (?:be|have|give|let|cost|mean|leave|make|only|risk|also|win|lose|allow|get|put)|weigh\w*|compar\w*|versus|"
    r"(?:last|next) (?:time|turn|round)|(?:standing|current|highest|lowest|opening|max\w*|min\w*) bids?)\b"
)
_OTHERS = re.compile(r"\b(?:player \d+|players?|opponents?|they|he|she|others?|someone|nobody|everyone|neighbou?rs?)\b")
_MYSELF = re.compile(r"\b(?:i|ill|id|im|we|my|me)\b")
_CONCEDES = re.compile(r"(?i)(?:but|however|yet|or)\b")  # what comes before such a clause
_SUPPOSES = re.compile(r"(?i)(?:even |only )?(?:if|unless)\b.*[^.!?]$")  # and what comes after such a one
_CONCLUDES = re.compile(r"(?i)(?:so|therefore|thus|hence)\b")  # unless it begins thus


class AnswerError(W51Error):
    """An answer that is not exactly one legal action; the message says what was not understood."""


class AnswerReader:
    """Reads answers for one action table."""

    def __init__(self, actions: ActionTable):
        self._names = [action.name for action in actions]
        self._phrases: dict[str, set[int]] = {}
        for index, action in enumerate(actions):
            for phrase in (action.name, action.text):
                self._phrases.setdefault(plain_words(phrase), set()).add(index)

    def read(self, answer: str, legal: Sequence[Data]) -> int:
        """The action that an answer names, by its name, its text in the view or in the action table, or its amount.

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
        texts = [(plain_words(action["text"]), action["id"]) for action in legal]
        self._phrases = {**phrases, **{text: {action} for text, action in texts}}
        self._legal = {action["id"] for action in legal}
        self._lengths = sorted({phrase.count(" ") + 1 for phrase in self._phrases}, reverse=True)  # in words
        self._highest = self._highest_amounts(legal)
        kinds = "|".join(map(re.escape, sorted(self._highest, key=len, reverse=True))) or "(?!)"
        self._amount = re.compile(rf"(?<!\S)({kinds}) (\d+)(?!\S)(?: (hundred|thousand|k)\b)?")
        self._amounts = {int(match[2]): action for text, action in texts if (match := _NUMBERED.fullmatch(text))}

    def read(self, answer: str) -> int:
        """The action that an answer names, as `AnswerReader.read`; AnswerError if it is not one legal action."""
        answer = _without_thoughts(answer)
        if not answer.strip():
            raise AnswerError(f"the answer is empty; {self._wanted()}")
        part = self._decisive_part(answer[-MAX_ANSWER:])
        said = part if plain_words(part) in self._phrases else self._asserted(part)
        actions = self._actions_in(said)
        if too_high := self._too_high(said, actions):
            raise AnswerError(f"{too_high}; {self._wanted()}")
        if not actions:
            raise AnswerError(f"no action found in {_quote(part)}; {self._wanted()}")
        if len(actions) > 1:
            names = ", ".join(self._names[action] for action in sorted(actions)[:6])
            raise AnswerError(f"{_quote(part)} names {len(actions)} actions, {names}; {self._wanted()}")
        if not actions & self._legal:
            raise AnswerError(f"{self._names[next(iter(actions))]} is not legal now; {self._wanted()}")
        return actions.pop()

    def _decisive_part(self, answer: str) -> str:
        """The part of an answer that is read."""
        if plain_words(answer) in self._phrases:  # such a text may have brackets itself
            return answer
        objects = [
            (start, end, value)
            for start, end, named in _objects(answer)
            if (value := self._value_of(named)) is not None
        ]
        found = [
            (*match.span(), match[match.lastindex or 0].strip()) for mark in _MARKS for match in mark.finditer(answer)
        ]
        inside = {place for start, end, _ in objects for place in range(start, end)}
        marks = objects + [mark for mark in found if mark[0] not in inside and 0 < len(mark[2]) <= _LONGEST_MARK]
        if marks:
            return self._marked(answer, marks)
        lines = [line for line in answer.splitlines() if self._names_anything(line)]
        return lines[-1] if lines else answer

    def _marked(self, answer: str, marks: Sequence[tuple[int, int, str]]) -> str:
        """The last mark; with the others of its line if they name another action.

        Raises:
            AnswerError: Its line denies it.
        """
        start, end, value = max(marks, key=lambda mark: mark[1])
        line_start, line_end = answer.rfind("\n", 0, start) + 1, f"{answer}\n".index("\n", end)
        on_line = [mark[2] for mark in marks if line_start <= mark[0] and mark[1] <= line_end]
        if len({frozenset(actions) for text in on_line if (actions := self._actions_in(text))}) > 1:
            return " or ".join(on_line)
        before, after = answer[line_start:start], answer[end:line_end]
        clause = (_CLAUSE.split(before)[-1] + " " + _CLAUSE.split(after)[0]).casefold()
        is_last = not answer[end:].strip(" \t\r\n.!*_`\"')}")
        if _DENIES.search(clause) or (not is_last and _DOUBTS.search(clause)):
            raise AnswerError(f"no action found in {_quote(answer[line_start:line_end])}; {self._wanted()}")
        return value

    def _asserted(self, part: str) -> str:
        """The clauses of a text in which its writer says what is done."""
        clauses = [clause.strip() for clause in _CLAUSE.split(part) if clause.strip()]
        kept = []
        for before, clause, following in zip(["", *clauses], clauses, [*clauses[1:], ""], strict=False):
            words, folded = plain_words(clause), clause.casefold()
            subject = words[: self._first_named(words) or 0]
            is_of_others = _OTHERS.search(subject) and not _MYSELF.search(subject)
            is_supposed = _SUPPOSES.match(before) and not _CONCLUDES.match(clause)
            is_weighed = _DENIES.search(folded) or _DOUBTS.search(folded) or _CONCEDES.match(following)
            if not (is_weighed or is_of_others or is_supposed):
                kept.append(clause)
        return ". ".join(kept)

    def _names_anything(self, line: str) -> bool:
        plain = plain_words(line)
        return self._first_named(plain) is not None or amount_alone(line) is not None

    def _first_named(self, plain: str) -> int | None:
        """Where plain words first name an action, legal or not, or else an amount."""
        for start, _ in self._named(plain):
            return start
        match = self._amount.search(plain)
        return match.start() if match else None

    def _named(self, plain: str) -> Iterator[tuple[int, int]]:
        """Where each phrase in plain words begins and ends; of those that begin with the same word, the longest."""
        words = plain.split()
        at, start = 0, 0
        while at < len(words):
            for length in self._lengths:
                phrase = " ".join(words[at : at + length])
                if phrase in self._phrases and not _TIMES.match(plain, start + len(phrase)):
                    yield start, start + len(phrase)
                    break
            else:
                phrase = words[at]
            at += phrase.count(" ") + 1
            start += len(phrase) + 1

    def _actions_in(self, part: str) -> set[int]:
        number = amount_alone(part)
        if number is not None:
            return {self._amounts[number]} if number in self._amounts else set()
        actions: set[int] = set()
        plain = plain_words(part)
        for start, end in self._named(plain):
            phrases = [plain[start:end]]
            if other := _OTHER_NUMBER.match(plain, end):  # bid 5 or 6
                phrases.append(re.sub(r"\d+$", other[1], phrases[0]))
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
            if actions & self._legal and (match := _NUMBERED.fullmatch(phrase))
            for action in actions & self._legal
        ]
        # The first part of a bid in two parts says how high the whole bid may be.
        amounts += [(plain_words(one["text"]).split()[0], one["up_to"], one["id"]) for one in legal if "up_to" in one]
        highest: dict[str, tuple[int, int]] = {}
        for words, number, action in amounts:
            highest[words] = max(highest.get(words, (-1, -1)), (number, action))
        return highest

    def _too_high(self, part: str, actions: Collection[int]) -> str:
        """That an answer has an amount above the highest legal one, if it has."""
        named = [(words, amount(digits, times)) for words, digits, times in self._amount.findall(plain_words(part))]
        number = amount_alone(part)
        if number is not None and self._highest and not actions:
            named.append((max(self._highest, key=lambda words: self._highest[words]), number))
        for words, number in named:
            highest, action = self._highest[words]
            if number > highest:
                return f"{_quote(part)} is too high: the highest is {highest}, {self._names[action]}"
        return ""

    def _value_of(self, named: Mapping[str, Any]) -> str | None:
        """The action in a JSON object: the value of a known key, else a key with its value, or all values: `bid 5`."""
        while isinstance(inner := next((named[key] for key in KEYS if _is_value(named.get(key))), None), Mapping):
            named = inner
        values = {key: value for key, value in named.items() if _is_value(value) and not isinstance(value, Mapping)}
        for key in KEYS:
            if key in values:
                amounts = [str(value) for other, value in values.items() if other in ("amount", "bid", "value")]
                both = " ".join([str(values[key]), *amounts])
                return both if plain_words(both) in self._phrases else str(values[key])
        candidates = [*(f"{key} {value}" for key, value in values.items()), " ".join(map(str, values.values()))]
        known = (candidate for candidate in candidates if plain_words(candidate) in self._phrases)
        return next(known, candidates[0] if len(named) == len(values) == 1 else None)

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


def _without_thoughts(answer: str) -> str:
    """What follows the thoughts of a model; nothing if they do not end."""
    return _OPEN_THOUGHT.split(_THOUGHTS.split(answer)[-1])[0]


def _is_value(value: Any) -> bool:
    """Whether a value in a JSON object may be or hold an action."""
    return isinstance(value, str | int | Mapping) and not isinstance(value, bool)


def _objects(text: str) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """Each JSON object in a text, with its place; AnswerError if too many are begun inside others and not ended."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    read_in_vain = 0
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
            yield start, end, value
        except (ValueError, RecursionError) as error:
            end = start + 1
            read_in_vain += getattr(error, "pos", len(text)) - start
            if read_in_vain > _MAX_IN_VAIN:
                raise AnswerError(f"no action found in {_quote(text)}: its JSON does not end") from None
        start = text.find("{", end)


def _quote(text: str) -> str:
    text = hidden(" ".join(text.split()))
    return json.dumps(text if len(text) <= _QUOTED else f"{text[:_QUOTED]} ...", ensure_ascii=False)
