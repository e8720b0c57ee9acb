"""The answer of a chat-completions server as a `ModelReply`: whole or streamed, text, parts, reasoning, tool calls."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from w51_agents.language.llm.models import QUOTED, Message, ModelError, ModelReply, estimated_tokens
from w51_agents.system.secrets import hidden

_MAX_TOKENS = 10**9  # that a server may report for one answer
_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking")  # fields of a message
_STREAM = "data:"
_DONE = "[DONE]"
_BUSY = 503  # of an answer that says no other status


class CompletionError(ModelError):
    """An answer of a server that is no answer of a model.

    Attributes:
        status: The status that it stands for, whatever the server sent: 429 where it has such an error in it.
    """

    def __init__(self, message: str, status: int = _BUSY):
        super().__init__(message)
        self.status = status


def read_completion(content: bytes, messages: Sequence[Message]) -> ModelReply:
    """The reply in the content of an answer.

    Args:
        content: JSON, or the events of a stream.
        messages: What was asked, whose tokens are estimated if the server does not report them.

    Raises:
        CompletionError: It is an error, no chat completion, it ends early, or it has content or numbers of tokens that
            cannot be.
    """
    try:
        text = content.decode("utf-8-sig")
        streamed = text.lstrip().startswith((_STREAM, ":", "event:"))
        reply = _joined(text) if streamed else _without_error(json.loads(text))
        choice, usage = _without_error(reply["choices"][0]), reply.get("usage") or {}
        message, ending = choice["message"], choice.get("finish_reason")
        answer, reasoning = _answer_of(message)
        details = usage.get("prompt_tokens_details") or {}
        counts = usage.get("prompt_tokens"), usage.get("completion_tokens"), details.get("cached_tokens")
        num_calls = len(message.get("tool_calls") or ())
    except ModelError:
        raise
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise CompletionError(f"not a chat completion: {quoted(content)}") from None
    if any("\ud800" <= letter <= "\udfff" for letter in answer + reasoning):
        raise CompletionError("content with half a letter (a lone surrogate), but text is needed")
    asked = sum(estimated_tokens(one["content"]) for one in messages)
    estimates = asked, estimated_tokens(answer), 0
    tokens = [_count(count, estimate) for count, estimate in zip(counts, estimates, strict=True)]
    tokens[2] = min(tokens[0], tokens[2])  # they are some of those of the question
    is_cut = ending in ("length", "content_filter")
    return ModelReply(answer, tokens[0], tokens[1], tokens[2], reasoning, is_cut, num_calls)


def _without_error(part: Any) -> Any:
    """A part of an answer that has no error in it.

    Raises:
        CompletionError: It has one, with the status that it names.
    """
    error = part.get("error") or (part if part.get("object") == "error" else None)
    if not error and part.get("finish_reason") != "error":
        return part
    named = [error.get(key) for key in ("code", "status", "status_code")] if isinstance(error, dict) else []
    numbers = [int(one) for one in map(str, named) if re.fullmatch("[45][0-9]{2}", one)]
    said = quoted(json.dumps(error or part).encode())
    raise CompletionError(f"an error in the answer: {said}", numbers[0] if numbers else _BUSY)


def quoted(content: bytes) -> str:
    """The beginning of what a server wrote; secrets are taken out before it is cut."""
    return repr(hidden(content.decode(errors="replace"))[:QUOTED])


def _count(count: object, estimate: int) -> int:
    if not isinstance(count, int):
        return estimate
    if not 0 <= count <= _MAX_TOKENS:
        shown = count if abs(count) < 10**20 else "a number of more than 20 digits"
        raise CompletionError(f"{shown} tokens, but 0 to {_MAX_TOKENS:,} are possible")
    return count


def _answer_of(message: Mapping[str, Any]) -> tuple[str, str]:
    """What a message says, and its reasoning. A tool call says more than the words beside it."""
    content = message.get("content")
    said = _texts(content, wanted=True) or _texts(message.get("refusal"), wanted=True)
    thought = [_texts(content, wanted=False), *(_texts(message.get(field), wanted=None) for field in _REASONING)]
    calls = [call["function"]["arguments"] for call in message.get("tool_calls") or ()]
    if calls:
        said, thought = "\n".join(map(str, calls)), [said, *thought]
    return said, "\n".join(dict.fromkeys(filter(None, thought)))


def _texts(content: object, wanted: bool | None) -> str:
    """The text in a string, a part or a list of parts; `wanted`: of parts of text, or of all others, or (None) of all.

    Raises:
        TypeError: Content of another type.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content if wanted is not False else ""
    if isinstance(content, list):
        return "".join(_texts(part, wanted) for part in content)
    if not isinstance(content, dict):
        raise TypeError
    is_text = content.get("type", "text") in ("text", "output_text", "refusal")
    if wanted is not None and wanted != is_text:
        return ""
    inner = [
        content[key] for key in ("text", "refusal", "thinking", "reasoning", "summary", "content") if key in content
    ]
    return "".join(_texts(one, None) for one in inner[:1])


def _joined(text: str) -> dict[str, Any]:
    """The completion that the events of a stream make together; of several choices the first one.

    Raises:
        CompletionError: The stream has an error, or it ends before the answer does.
    """
    message: dict[str, Any] = {"content": ""}
    calls: dict[tuple[int, str], str] = {}
    ids: dict[int, str] = {}  # of the call that a place has now: some servers give all calls the same place
    ending, usage = None, None
    has_choice = False
    for event in map(_without_error, _events(text)):
        usage = event.get("usage") or usage
        for choice in event.get("choices") or ():
            if choice.get("index"):
                continue
            has_choice, delta = True, _without_error(choice).get("delta") or {}
            ending = choice.get("finish_reason") or ending
            message["content"] += _texts(delta.get("content"), None)
            for field in _REASONING:
                if delta.get(field):
                    message[field] = message.get(field, "") + _texts(delta[field], None)
            for number, call in enumerate(delta.get("tool_calls") or ()):
                index = call.get("index", number)
                ids[index] = call.get("id") or ids.get(index, "")
                place = index, ids[index]
                calls[place] = calls.get(place, "") + (call.get("function", {}).get("arguments") or "")
    is_done = ending is not None or any(line.strip() == f"{_STREAM} {_DONE}" for line in text.splitlines())
    if not is_done:
        raise CompletionError("the stream ends before the answer does")
    message["tool_calls"] = [{"function": {"arguments": arguments}} for arguments in calls.values()]
    return {"choices": [{"message": message, "finish_reason": ending}] * has_choice, "usage": usage}


def _events(text: str) -> Iterable[dict[str, Any]]:
    for line in text.splitlines():
        data = line.removeprefix(_STREAM).strip()
        if line.startswith(_STREAM) and data != _DONE:
            yield json.loads(data)
