"""Games as files: text, picture, page, animation, video."""

import base64
import json
import re
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.table.play.games import performed, recorded, replayed
from w51_env.engine.errors import FileError, MissingPackageError, OptionError
from w51_env.engine.game import ALL, PUBLIC
from w51_env.pictures.svg import draw
from w51_env.views.language import LANGUAGES, Words
from w51_table.play import export as files
from w51_table.play.export import ExportOptions, check_output, export, page, transcript
from w51_table.play.playback import Playback

GAMES = [("warehouse51_v1", {"num_players": 4}), ("alles_futsch_v1", {"num_players": 3})]
every_game = pytest.mark.parametrize(("game_id", "options"), GAMES, ids=[game_id for game_id, _ in GAMES])


def export_options(game_id: str, options: dict[str, Any], viewer: int | str = PUBLIC, **how: Any) -> ExportOptions:
    performance = replayed(recorded(game_id, **options), explainer := how.pop("explainer", None))
    playback, explain = performance.playback, performance.explanation if explainer else None
    return ExportOptions(playback, viewer, Words(how.pop("language", "en"), playback.names), explain, **how)


def data_of(html: str) -> dict[str, Any]:
    """What is packed in a page."""
    found = re.search(r'<script id="data"[^>]*>([^<]*)</script>', html)
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


def pictures_of(html: str, form: str = "picture") -> list[str]:
    data = data_of(html)
    return ["".join(data["pieces"][piece] for piece in picture) for picture in data[form]]


@every_game
def test_a_page_holds_the_picture_of_each_decision_is_small_and_needs_no_network(game_id: str, options: dict):
    shown = export_options(game_id, options)
    html = page(shown)
    assert not re.findall(r"(?:src|href)\s*=|url\(|https?://(?!www\.w3\.org)", html)
    pictures = pictures_of(html)
    assert len(pictures) == len(shown.playback.frames)
    drawn = list(zip(shown.playback.frames, pictures, pictures_of(html, "narrow"), strict=True))
    for frame, wide, narrow in drawn[::12]:
        assert wide == draw(shown.view(frame), theme="auto")
        assert narrow == draw(shown.view(frame), theme="auto", form="narrow")  # for a phone
    fonts = re.search(r'<script id="fonts"[^>]*>([^<]*)</script>', html)
    assert fonts is not None
    assert len(html) < 180_000
    assert len(html) - len(fonts[1]) < sum(map(len, pictures)) / 20


def test_a_page_for_a_viewer_has_nothing_that_the_viewer_may_not_know():
    for viewer in (PUBLIC, 0):
        shown = export_options("warehouse51_v1", {"preset": "mini"}, viewer=viewer)
        html = page(shown)
        for frame, (found, _, _, then) in zip(shown.playback.frames, data_of(html)["steps"], strict=True):
            assert found == [event["text"] for event in frame.view(viewer, shown.words).news]
            assert then == "" or frame.seat == viewer
        assert not any(re.search(r"bid \d+ in secret", picture) for picture in pictures_of(html))
        assert html == page(shown)


def test_markup_in_a_name_stays_text():
    playback = Playback.of_replay(recorded(preset="mini"))
    playback.names = ("<script>alert(1)</script>", "a&b", '"><img src=x>')
    html = page(ExportOptions(playback, ALL, Words("en", playback.names)))
    assert "<script>alert" not in html
    for picture in pictures_of(html):
        assert "<script" not in picture
        assert "<img" not in picture


def test_a_page_reports_the_probabilities_and_values_of_an_agent():
    shown = export_options("warehouse51_v1", {"num_players": 3}, viewer=ALL, explainer="pretrained-v2")
    steps = data_of(page(shown))["steps"]
    reports = [report for _, _, report, _ in steps]
    assert reports[-1] is None  # the game is over
    expects = "points more than the others from here on"
    assert all(report[0].startswith("pretrained-v2: ") and report[1].endswith(expects) for report in reports[:-1])
    assert all(0 <= fraction <= 1 for report in reports[:-1] for _, fraction, _ in report[2])
    marked = [text for report in reports[:-1] for _, _, text in report[2] if text.endswith(" (played)")]
    assert len(marked) > len(steps) / 2  # those that are not among the likeliest have no row
    assert all(then.startswith("Then: ") for *_, then in steps[:-1])


@every_game
def test_a_transcript_has_every_event_and_a_table_at_each_lot(game_id: str, options: dict):
    shown = export_options(game_id, options)
    lines = list(transcript(shown))
    events = [event["text"] for frame in shown.playback.frames for event in shown.view(frame).news]
    assert [line[2:] for line in lines if line.startswith("* ")] == events
    title = shown.view(shown.playback.frames[0]).title
    tables = sum(line.startswith(f"{title}: ") for line in lines)
    assert tables >= sum(bool(frame.lots) for frame in shown.playback.frames)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_words_of_page_and_transcript(language: str):
    shown = export_options("warehouse51_v1", {"preset": "mini"}, language=language, explainer="random")
    html = page(shown)
    assert f'<html lang="{language}">' in html
    labels = data_of(html)["labels"]
    assert len(set(labels.values())) == len(labels)
    assert len(list(transcript(shown))) > 50


def test_a_picture_is_that_of_the_frame(tmp_path: Path):
    shown = export_options(*GAMES[0], frame=7, theme="dark")
    export(shown, tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text("utf-8") == draw(shown.view(shown.playback.frames[7]), theme="dark")


def test_a_game_that_is_not_registered_is_exported_too():
    performance = performed("shader", "random", "shader", game="tests.env.third_game:make")
    playback = performance.playback
    while not playback.complete:
        performance.advance()
    assert len(pictures_of(page(ExportOptions(playback, ALL, Words("en", playback.names))))) == 4


def test_a_failure_leaves_an_existing_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "x.html"
    path.write_text("before")

    def fail(*arguments: object, **options: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "game_page", fail)
    with pytest.raises(FileError, match=r"x\.html: cannot be written: No space left on device"):
        export(export_options("warehouse51_v1", {"preset": "mini"}), path)
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["x.html"]


def test_a_missing_video_encoder_is_an_error_that_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    pytest.importorskip("thorvg_python")
    with pytest.raises(MissingPackageError, match=r"pip install 'w51_env\[play\]'"):
        check_output(tmp_path / "x.mp4")


def test_a_theme_that_a_file_cannot_have_is_named_before_anything_is_drawn(tmp_path: Path):
    pytest.importorskip("thorvg_python")
    check_output(tmp_path / "x.svg", "auto")
    for name, theme in (("x.gif", "auto"), ("x.svg", "drak"), ("x.html", "drak")):
        with pytest.raises(OptionError, match=f"theme: '{theme}', but allowed are 'light', 'dark'"):
            check_output(tmp_path / name, theme)


@pytest.mark.slow
def test_an_animation_and_a_video_have_every_frame(tmp_path: Path):
    pytest.importorskip("thorvg_python")
    image = pytest.importorskip("PIL.Image")
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    shown = export_options("warehouse51_v1", {"preset": "mini"}, fps=4.0)
    count = len(shown.playback.frames)
    export(shown, tmp_path / "x.gif")
    with image.open(tmp_path / "x.gif") as animation:
        assert animation.n_frames == count
        assert animation.size == (1280, 720)
    export(shown, tmp_path / "x.mp4")
    frames, seconds = ffmpeg.count_frames_and_secs(str(tmp_path / "x.mp4"))
    assert frames == count + 16  # the last frame stays for four seconds
    assert seconds == pytest.approx(frames / 4, abs=0.3)


@pytest.mark.slow
def test_a_browser_steps_through_a_page_without_an_error(tmp_path: Path):
    """At a decision that the address names: picture, news and report are drawn by the script."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    shown = export_options(*GAMES[0], explainer="pretrained")
    export(shown, tmp_path / "x.html")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--dump-dom"]
    address = f"file://{tmp_path}/x.html#40"

    def opened(width: int) -> str:
        window = f"--window-size={width},800"
        return subprocess.run(
            [*command, window, address], capture_output=True, text=True, check=True, timeout=120
        ).stdout

    found = opened(1280)
    view = shown.view(shown.playback.frames[40])
    assert f"40 / {len(shown.playback.frames) - 1}" in found
    assert view.news[-1]["text"] in found
    assert 'viewBox="0 0 1280 720"' in found
    assert 'viewBox="0 0 400 ' in opened(500)
    assert "pretrained: " in found
