"""The language of the user."""

import os
import re

from w51_env.views.language import ENGLISH, LANGUAGES

_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


def locale_language() -> str:
    """The user's language as gettext finds it, or English if there is no file of that language.

    The first variable of LANGUAGE, LC_ALL, LC_MESSAGES and LANG that is set decides; whether the system has that locale
    does not matter.
    """
    setting = next(filter(None, map(os.environ.get, _VARIABLES)), "")
    codes = (re.split("[_.@]", code)[0].lower() for code in setting.split(":"))
    return next((code for code in codes if code in LANGUAGES), ENGLISH)
