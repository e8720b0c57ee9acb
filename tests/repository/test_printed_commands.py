"""Commands as pages print them: each `w51 ...` of every page is understood, up to the config that it names."""

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
import typer

from tests.commands import ROOT
from w51_agents.console.w51 import commands
from w51_agents.training.config import load_config

BLOCK = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ENDS = {">", "|", "&", "&&", ";", "<"}  # of a command in the shell
CODE = ("examples.double_auction:make",)
PAGES = sorted([ROOT / "README.md", *ROOT.glob("*/README.md"), *ROOT.glob("docs/**/*.md")])


def printed(page: Path) -> list[list[str]]:
    """The words after `w51` of each command, without what follows in the shell."""
    found = []
    for block in BLOCK.findall(page.read_text("utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if not line.startswith("w51 ") or "$" in line:
                continue
            words = shlex.split(line, comments=True)[1:]
            found.append(words[: next((at for at, word in enumerate(words) if word in ENDS), len(words))])
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if printed(page)], ids=lambda page: page.name)
def test_each_command_of_a_page_is_understood(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    for name, *arguments in (words for words in printed(page) if words != ["--help"]):
        command = typer.main.get_command(import_module(commands()[name][0]).app)
        if arguments in (["--help"], []):
            continue
        context = command.make_context(name, list(arguments))
        if hasattr(command, "resolve_command") and (left := [*context._protected_args, *context.args]):
            sub, command, rest = command.resolve_command(context, left)
            context = command.make_context(sub, rest, parent=context)
        config = context.params.get("config")
        if name == "train" and config and (ROOT / "configs" / f"{config}.yaml").is_file():
            load_config(config, context.params.get("changes") or [], CODE)


def test_the_pages_print_commands():
    assert sum(len(printed(page)) for page in PAGES) > 100
