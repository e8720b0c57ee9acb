"""A playback as a file: text, a picture, an animation, a video, or a page."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.named.explanation import Explanation
from w51_agents.system.errors import needs_extra, report_os_errors
from w51_agents.system.files import check_writable, write_atomic
from w51_env.engine.errors import OptionError, nearest
from w51_env.engine.options import check_choice
from w51_env.pictures.paint import THEMES
from w51_env.pictures.raster import RASTER_THEMES, check_raster, rgb_array
from w51_env.pictures.svg import draw
from w51_env.views.language import Words
from w51_env.views.text_table import table
from w51_env.views.view import View
from w51_lab.replay_viewer.frames import Frame
from w51_lab.replay_viewer.game_page import game_page
from w51_lab.replay_viewer.reports import Report, report_of
from w51_table.play.playback import Playback

Progress = Callable[[int], None]
FORMATS = (".html", ".txt", ".svg", ".gif", ".mp4")
REPORT_FORMATS = (".html", ".txt")  # those that can have what agents report
_LAST_FRAME_SECONDS = 4.0
_PALETTE_FRAMES = 6  # of an animation, from which its colours are taken


@dataclass(frozen=True)
class ExportOptions:
    """How a playback is shown in a file.

    Attributes:
        playback: A playback with at least one frame.
        viewer: Whose knowledge is shown: a seat, `PUBLIC`, or `ALL`, which is privileged.
        words: Language, and names of the seats.
        explain: Of texts and pages, what agents report of the decision of a frame, by its index. It is the knowledge of
            the seat to move.
        theme: Colours of pictures: `light` or `dark`; of a single picture also `auto`.
        fps: Frames per second of animations and videos.
        frame: Index of the frame of a single picture; negative: from the end.
    """

    playback: Playback
    viewer: int | str
    words: Words
    explain: Callable[[int], Explanation | None] | None = None
    theme: str = "light"
    fps: float = 2.0
    frame: int = -1

    def view(self, frame: Frame) -> View:
        """What the viewer may know at a frame."""
        return frame.view(self.viewer, self.words)

    def report(self, frame: Frame) -> Report | None:
        """What an agent reports of the decision of a frame, if it is included."""
        explanation = self.explain(frame.number) if self.explain else None
        return None if explanation is None else report_of(explanation, frame, self.words)


def check_output(path: Path, theme: str = "light", reports: bool = False) -> None:
    """FileError unless a playback can be written there; OptionError if the file cannot have that theme, or reports."""
    if path.suffix not in _WRITERS:
        raise AgentError(
            f"output {path}: the suffix is {path.suffix!r}, but allowed are "
            f"{', '.join(_WRITERS)}{nearest(path.suffix, _WRITERS)}"
        )
    if reports and path.suffix not in REPORT_FORMATS:
        raise OptionError(f"output {path}: {path.suffix} has no reports of agents; {' and '.join(REPORT_FORMATS)} have")
    check_choice("theme", theme, tuple(THEMES) if path.suffix == ".svg" else RASTER_THEMES)
    check_writable(path)
    if path.suffix in (".gif", ".mp4"):
        check_raster()
    if path.suffix == ".gif":
        with needs_extra("output .gif: needs Pillow, which comes with", "play"):
            import PIL  # noqa: F401
    if path.suffix == ".mp4":
        _ffmpeg()


def export(options: ExportOptions, path: Path, progress: Progress = lambda frames: None) -> None:
    """Write a playback to a file; the suffix is the format.

    Args:
        options: The playback, and how it is shown.
        path: The file. If this fails, an existing file is unchanged.
        progress: Called with the number of frames drawn so far.

    Raises:
        W51Error: As of `check_output`, or the file cannot be written.
    """
    check_output(path, options.theme, options.explain is not None)
    with report_os_errors(f"output {path}: cannot be written"):
        write_atomic(path, lambda temporary: _WRITERS[path.suffix](options, temporary, progress))


def transcript(options: ExportOptions, progress: Progress = lambda frames: None) -> Iterator[str]:
    """The playback as lines: the table at each new lot and at the end, and between them what happens."""
    playback = options.playback
    for frame in playback.frames:
        view = options.view(frame)
        if frame.number in (0, len(playback.frames) - 1) or frame.lots:
            yield from ["" if frame.number else f"# {view.title}", *table(view).splitlines(), ""]
        yield from (f"* {event['text']}" for event in view.news)
        if report := options.report(frame):
            yield f"  {report.title}" + (f" ({report.value})" if report.value else "")
            yield from (f"    {label:>16}  {text}" for label, _, text in report.rows)
        progress(frame.number + 1)


def page(options: ExportOptions, progress: Progress = lambda frames: None) -> str:
    """The playback as a self-contained HTML page."""

    def report(frame: Frame) -> Report | None:
        progress(frame.number + 1)
        return options.report(frame)

    return game_page(options.playback.frames, options.viewer, options.words, report)


def _images(options: ExportOptions, progress: Progress) -> Iterator[Any]:
    """(height, width, 3) uint8 of each frame."""
    for frame in options.playback.frames:
        yield rgb_array(options.view(frame), theme=options.theme)
        progress(frame.number + 1)


def _write_gif(options: ExportOptions, path: Path, progress: Progress) -> None:
    """All frames have one palette and no dither, so that only what changes is stored; the last one stays longer."""
    from PIL import Image

    frames = options.playback.frames
    chosen = [frames[(len(frames) - 1) * place // (_PALETTE_FRAMES - 1)] for place in range(_PALETTE_FRAMES)]
    sample = Image.fromarray(np.concatenate([rgb_array(options.view(one), theme=options.theme) for one in chosen]))
    palette = sample.quantize(128, dither=Image.Dither.NONE)
    images = [
        Image.fromarray(image).quantize(palette=palette, dither=Image.Dither.NONE)
        for image in _images(options, progress)
    ]
    milliseconds = [round(1000 / options.fps)] * (len(images) - 1) + [round(1000 * _LAST_FRAME_SECONDS)]
    images[0].save(
        path, format="GIF", save_all=True, append_images=images[1:], duration=milliseconds, loop=0, optimize=True
    )


def _write_mp4(options: ExportOptions, path: Path, progress: Progress) -> None:
    """H.264, which browsers play."""
    ffmpeg = _ffmpeg()
    images = _images(options, progress)
    first = next(images)
    height, width = first.shape[:2]
    settings = {"fps": options.fps, "codec": "libx264", "pix_fmt_out": "yuv420p", "macro_block_size": 2}
    writer = ffmpeg.write_frames(str(path), (width, height), ffmpeg_log_level="error", **settings)
    with closing(writer):
        writer.send(None)
        for image in chain([first], images):
            last = image.tobytes()
            writer.send(last)
        for _ in range(round(_LAST_FRAME_SECONDS * options.fps)):
            writer.send(last)


def _ffmpeg() -> Any:
    with needs_extra("output .mp4: needs imageio-ffmpeg, which comes with", "play"):
        import imageio_ffmpeg
    return imageio_ffmpeg


_WRITERS: dict[str, Callable[[ExportOptions, Path, Progress], object]] = {
    ".html": lambda options, path, progress: path.write_text(page(options, progress), "utf-8"),
    ".txt": lambda options, path, progress: path.write_text("\n".join(transcript(options, progress)) + "\n", "utf-8"),
    ".svg": lambda options, path, progress: path.write_text(
        draw(options.view(options.playback.frames[options.frame]), theme=options.theme), "utf-8"
    ),
    ".gif": _write_gif,
    ".mp4": _write_mp4,
}
