"""Secrets of this process, such as the key of a server, which no message, traceback or file repeats.

A server may echo a key, whole or encoded. So every text of others goes through `hidden` before it is cut or kept.
"""

import base64
import html
import re
from collections.abc import Callable, Iterator

HIDDEN = "***"
_LONG = 8  #  letters of a key; what is shorter, such as `none` for a server that needs no key, is a word of any text
_CORE = 6  #  letters of a base64 text that no longer occur by chance
_secrets: dict[str, re.Pattern[str]] = {}


def keep_secret(secret: str) -> None:
    """Hide this text from now on, if it is as long as a key."""
    if len(secret) >= _LONG and secret not in _secrets:
        _secrets[secret] = re.compile("|".join(_forms(secret)))


def hidden(text: str) -> str:
    """A text with `***` for each secret: as it is, escaped as in URLs, JSON, HTML and Python, in base64 and in hex."""
    for pattern in _secrets.values():
        text = pattern.sub(HIDDEN, text)
    return text


def holds_secret(text: str) -> bool:
    """Whether a text holds a secret."""
    return any(pattern.search(text) for pattern in _secrets.values())


def _forms(secret: str) -> Iterator[str]:
    """Regular expressions for a secret in each form, the longest first."""
    data = secret.encode("utf-8", "surrogateescape")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield from (_encoded(encode(text).decode()) for text in (data, b":" + data))
        yield from (_encoded(core) for before in range(3) if len(core := _core(encode, data, before)) >= _CORE)
    yield f"(?i:{_letters(secret, secret)})"
    yield f"(?i:{data.hex()})"


def _letters(text: str, escaped: str) -> str:
    """A text, of which some letters may be escaped."""
    first = len(text) - len(text.lstrip("\\"))
    return "".join(_letter(one, is_first=at <= first) if one in escaped else one for at, one in enumerate(text))


def _letter(letter: str, *, is_first: bool) -> str:
    """A letter, or what stands for it in a URL, in JSON, HTML and Python.

    Backslashes before the first letter count from the first one alone: from each, many would take their square.
    """
    code, data = ord(letter), letter.encode("utf-8", "surrogateescape")
    url = "".join(f"%(?:25)*{byte:02x}" for byte in data)
    slashes = r"(?<!\\)\\+" if is_first else r"\\+"
    escapes = rf"{slashes}u{code & 0xFFFF:04x}|{slashes}x{code & 0xFF:02x}|&#0*{code};|&#x0*{code:x};"
    return rf"(?:(?:{slashes})?{re.escape(letter)}|{re.escape(html.escape(letter))}|(?i:{url}|{escapes}))"


def _core(encode: Callable[[bytes], bytes], data: bytes, before: int) -> str:
    """The part of a base64 text that does not depend on what stands around the secret, after so many other letters."""
    first = -(-8 * before // 6)
    last = 8 * (before + len(data)) // 6
    return encode(bytes(before) + data).decode()[first:last]


def _encoded(text: str) -> str:
    """A base64 text, in which a URL or JSON may escape some letters."""
    return _letters(text, "+/=")
