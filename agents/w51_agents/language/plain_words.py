"""Written words as they are compared: lower case, without accents and signs, and numbers as digits."""

import re
import unicodedata

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {word: number for number, word in enumerate(("zero", *_ONES, *_TEENS))}
_NUMBERS |= {word: 10 * number for number, word in enumerate(_TENS, 2)}
_TENS_AND_ONES = re.compile(rf"\b({'|'.join(_TENS)})[ -]({'|'.join(_ONES)})\b")
_TIMES = {"": 1, "hundred": 100, "thousand": 1000, "k": 1000}
_MAX_DIGITS = 18  # of an amount; a longer one is too high


def amount(digits: str, times: str) -> int:
    """A written number; of one with too many digits the first ones."""
    return int(digits.lstrip("0")[: _MAX_DIGITS + 1] or "0") * _TIMES[times]


def amount_alone(part: str) -> int | None:
    """The amount that is all a text says: `5`, `**5**`, `5 ingots`; None for any other text."""
    match = re.fullmatch(r"(\d{1,18})(?: (?:ingots?|gold|gold ingots?|coins?))?", plain_words(part))
    return None if match is None or re.search(r"[#$%]", part) else int(match[1])


def plain_words(text: str) -> str:
    """Lower case, words and digits only, number words as digits, without accents: how phrases are compared."""
    text = text.casefold()
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    text = re.sub(r"['\u2019]", "", text)
    text = re.sub(r"(?<=\d)[., _](?=\d{3}(?!\d))", "", text)  # 67,000 and 67 000
    text = re.sub(r"(?<=\d)\.0+(?!\d)", "", text)  # 5.0
    text = re.sub(r"(?<=\d) ?(?:\*\*|[.*^/+\u2013-]) ?(?=\d)", "point", text)  # 5.5, 5-7 and 5*7 are no 5
    text = re.sub(r"(?<![^\W_])-(?=\d)", "minus ", text)  # -5 is no 5
    text = re.sub(r"(?<=[^\W\d_])(?=\d)", " ", text)  # bid5
    text = _TENS_AND_ONES.sub(lambda match: str(_NUMBERS[match[1]] + _NUMBERS[match[2]]), text)
    return " ".join(str(_NUMBERS.get(word, word)) for word in re.findall(r"[^\W_]+", text))
