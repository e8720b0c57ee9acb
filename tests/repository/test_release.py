"""bin/release.py: all files say one version, and a tree that cannot be released is refused before anything is done."""

import re
import shutil
import sys
from pathlib import Path

import pytest

import w51_env
from bin import release
from bin.description import described
from tests.commands import ROOT

WHAT = (release.VERSIONED, release.DATED, release.YEAR)


def test_all_files_say_one_version_and_one_date():
    said = {what: {release.said(place) for place in release.PLACES if place[2] == what} for what in WHAT}
    assert said["version"] == {w51_env.__version__}
    [date] = said["date"]
    assert said["year"] == {date[:4]}
    headings = re.findall("^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] in ("Unreleased", f"{w51_env.__version__} ({date})")


def test_a_release_changes_the_date_and_says_that_the_package_is_in_the_index(tmp_path, monkeypatch):
    published = {name: after for name, _, after in release.PUBLISHED}
    for name, before, after in release.PUBLISHED:
        assert before in (text := (ROOT / name).read_text("utf-8")) or after in text
    for name in ("CHANGELOG.md", *published, *(place[0] for place in (*release.PLACES, *release.ADDRESSED))):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    for date in ("2027-02-03", "2028-04-05"):  # again, as after a step that failed
        release.write_version("1.2.3", date, f"https://example.org/in/{date}")
        assert {release.said(place) for place in release.PLACES} == {"1.2.3", date, date[:4]}
        assert all(after in (tmp_path / name).read_text("utf-8") for name, after in published.items())
        for name, _, line in release.ADDRESSED:
            text = (tmp_path / name).read_text("utf-8")
            assert text.count(line.format(f"https://example.org/in/{date}")) == text.count("example.org") == 1
        changes = (tmp_path / "CHANGELOG.md").read_text("utf-8")
        assert f"\n## 1.2.3 ({date})\n" in changes
        assert "Unreleased" not in changes


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
    networks = {"pretrained-alles_futsch_v1.safetensors", "pretrained-v2-warehouse51_v1.safetensors"}
    assert {*networks, "results.tar"} <= names


@pytest.mark.parametrize(("page", "links"), [("README.md", 30), ("CHANGELOG.md", 3)])
def test_the_description_and_the_notes_link_files_of_the_version_or_nothing(page: str, links: int):
    text = (ROOT / page).read_text("utf-8")
    where = "https://example.org/owner/name/{}/v0.1.0/"
    linked = re.findall(r"\]\(([^)]+)\)", described(text, where))
    assert len(linked) == len(re.findall(r"\]\(", text)) > links
    for link in linked:
        kind, _, path = link.removeprefix("https://example.org/owner/name/").partition("/v0.1.0/")
        assert kind == ("raw" if path.endswith((".gif", ".png", ".svg")) else "blob"), link
        assert (ROOT / path.partition("#")[0]).is_file(), link
    words = described(text, "")
    assert "](" not in words
    assert page != "README.md" or "Other ways to install: the environments alone" in words


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/owner/name", "https://github.com/owner/name"),
        ("git@github.com:owner/name.git", "https://github.com/owner/name"),
        ("ssh://git@codeberg.org/owner/name.git", "https://codeberg.org/owner/name"),
        ("ssh://git@codeberg.org:22/owner/name", "https://codeberg.org/owner/name"),
        ("https://somebody:word@codeberg.org/owner/name", "https://codeberg.org/owner/name"),
        ("/home/me/name", ""),
        ("", ""),
    ],
)
def test_the_address_of_the_repository_is_that_of_the_remote(remote: str, address: str):
    assert release.web_address(remote) == address


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("one",), "version: 'one', but a number as 0.1.0"), (("0.1.0", "--no-tests"), "--no-tests: for a --draft alone")],
)
def test_what_is_no_release_is_refused(arguments: tuple[str, ...], message: str, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["release", *arguments])
    with pytest.raises(SystemExit) as end:
        release.main()
    assert end.value.code
    assert message in f"{end.value} {capsys.readouterr().err}"
