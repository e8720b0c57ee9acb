"""docs/adding_a_trainer.md: its files and commands work."""

import re

import pytest

from tests.commands import ROOT, run


@pytest.mark.slow
def test_the_files_and_commands_of_the_page_work(tmp_path):
    page = (ROOT / "docs" / "adding_a_trainer.md").read_text("utf-8")
    for name, code in re.findall(r"^```(?:python|yaml)\n# (\w+\.\w+)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(code)
    commands = [line.partition("#")[0].split(" ", 2) for line in page.splitlines() if line.startswith("w51 ")]
    assert len(commands) >= 8
    small_games = "games=[{num_players: 3, num_envs: 4, opponents: heuristic}]"
    common = ["options.preset=nano", "decisions=60", "evaluation.games=6", "evaluation.num_players=[3]"]
    for _, command, text in commands:
        words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", text)]
        if command == "train" and "--resume" not in words:
            section = "cloning" if "cloning.yaml" in words else "selfplay"
            words += [*common, f"{section}.{small_games}", f"{section}.hidden_sizes=[8]", f"{section}.num_steps=16"]
        if command == "evaluate":
            words += ["--games", "6", "--option", "preset=nano", "--players", "3"]
        if "selfplay.shaping=ingots:IngotShare" in words:
            words += ["name=shaped"]
        status, printed, errors = run(f"{command}.py", *words, folder=tmp_path)
        assert status == 0, (words, printed, errors)
