"""What the compiler raises, too, below the engine; all other exceptions are in `engine.errors`, with these."""


class W51Error(ValueError):
    """Base of every error this package raises about its input."""


class FileError(W51Error):
    """A file or folder that cannot be read or written."""
