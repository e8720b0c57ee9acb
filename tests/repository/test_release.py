"""bin/release.py: all files say one version, and a tree that cannot be released is refused before anything is done."""

import json
from pathlib import Path

import pytest

import w51_env
from bin import release
from tests.commands import ROOT, python


def test_all_files_say_one_version_and_one_date():
    assert {release.said(place) for place in release.PLACES if not place[2]} == {w51_env.__version__}
    assert len({release.said(place) for place in release.PLACES if place[2]}) == 1
    json.loads((ROOT / "codemeta.json").read_text("utf-8"))


def test_the_notes_of_a_version_are_its_section_of_the_changelog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(release, "ROOT", tmp_path)
    older = "## 0.2.0 (2027-01-01)\n\n- two\n\n## 0.1.0 (2026-12-01)\n\n- one\n"
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n{older}")
    assert [release.notes_of(version) for version in ("0.2.0", "0.1.0")] == ["- two\n", "- one\n"]
    with pytest.raises(SystemExit, match=r"no section '## Unreleased' or '## 0\.3\.0 \(DATE\)'"):
        release.notes_of("0.3.0")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## Unreleased\n\n- three\n\n{older}")
    assert release.notes_of("0.3.0") == "- three\n"


def test_networks_and_results_are_put_beside_the_wheel(tmp_path: Path):
    if not (ROOT / ".git").exists():
        pytest.skip("git archives the results")
    release.add_assets(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"pretrained-alles_futsch_v1.safetensors", "reader-warehouse51_v1.safetensors", "results.tar"} <= names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("one",), "version: 'one', but a number as 0.1.0"), (("0.1.0", "--no-tests"), "--no-tests: for a --draft alone")],
)
def test_what_is_no_release_is_refused(arguments: tuple[str, ...], message: str):
    done = python("bin/release.py", *arguments)
    assert done.returncode != 0
    assert message in done.stderr
