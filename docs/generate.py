"""Writes the pages of the documentation that are made from code, or checks that they are current.

    python docs/generate.py            write every page that is stale
    python docs/generate.py --check    write nothing; fail and name the stale pages and the problems

Each module in `docs/_generators` has `pages() -> dict[str, str]`: the text of each page by its path in the repository.
It may have `problems() -> list[str]`, such as a rule without a test, and `files() -> dict[str, bytes]`: images by their
path, which `FILES` lists. They are written when one is missing or a page of the module is stale, and are not compared.
With `COMMITTED = False` its pages are large: git ignores them, and the check reports problems only.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a script, Python looks in docs/ only
    sys.path.insert(0, str(ROOT))


def generators() -> list[str]:
    """Names of the modules that make pages."""
    return sorted(path.stem for path in (ROOT / "docs" / "_generators").glob("*.py") if path.stem != "__init__")


def pages(generator: str) -> dict[str, str]:
    """The text of each page of a generator, by its path in the repository."""
    made: dict[str, str] = import_module(f"docs._generators.{generator}").pages()
    return made


def is_committed(generator: str) -> bool:
    """Whether the pages of a generator are in the repository."""
    return getattr(import_module(f"docs._generators.{generator}"), "COMMITTED", True)


def missing_files(generator: str) -> list[str]:
    """The images of a generator that are not on disk."""
    module = import_module(f"docs._generators.{generator}")
    return [name for name in getattr(module, "FILES", ()) if not (ROOT / name).is_file()]


def write_files(generator: str) -> None:
    """Make the images of a generator again."""
    for name, content in import_module(f"docs._generators.{generator}").files().items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_bytes(content)
        print(f"wrote {name}")


def stale(generator: str) -> dict[str, str]:
    """Those of its pages that are missing or differ on disk."""
    return {page: text for page, text in pages(generator).items() if _on_disk(page) != text}


def problems(generator: str) -> list[str]:
    """Problems that the generator finds, one sentence each."""
    module = import_module(f"docs._generators.{generator}")
    sentences: list[str] = module.problems() if hasattr(module, "problems") else []
    return sentences


def _on_disk(page: str) -> str | None:
    path = ROOT / page
    return path.read_text("utf-8") if path.is_file() else None


def main() -> int:
    """Returns the exit status: 1 if a page is stale under --check, or if there are problems."""
    parser = argparse.ArgumentParser(description="Write the documentation pages that are made from code.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    check = parser.parse_args().check
    failed = False
    for generator in generators():
        old, missing = stale(generator), missing_files(generator)
        for name in missing if check else ():
            print(f"missing: {name} (run: python docs/generate.py)")
            failed = True
        if (old or missing) and not check and hasattr(import_module(f"docs._generators.{generator}"), "files"):
            write_files(generator)
        for page, text in old.items():
            if check and not is_committed(generator):
                continue
            if check:
                print(f"stale: {page} (run: python docs/generate.py)")
                failed = True
            else:
                (ROOT / page).parent.mkdir(parents=True, exist_ok=True)
                (ROOT / page).write_text(text, "utf-8")
                print(f"wrote {page}")
        for problem in problems(generator):
            print(f"problem: {problem}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
