"""What the system lacks or refuses, in words: a package that is not installed, a file that cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager

from w51_env.engine.errors import FileError, MissingPackageError


@contextmanager
def needs_extra(failure: str, extra: str) -> Iterator[None]:
    """MissingPackageError for an ImportError inside: what fails, and the extra of w51_env with the missing package."""
    try:
        yield
    except ImportError as error:
        raise MissingPackageError(f"{failure}: pip install 'w51_env[{extra}]' ({error})") from None


def reason_of(error: Exception) -> str:
    """What an error says: of an OSError the system's words, without its number and the path."""
    return str(getattr(error, "strerror", None) or error)


@contextmanager
def report_os_errors(failure: str, hint: str = "") -> Iterator[None]:
    """FileError for an OSError inside: what fails, the reason, and a hint."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{failure}: {reason_of(error)}{hint}") from None
