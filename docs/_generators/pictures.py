"""The pictures of README.md and of the games' pages: one lot as an animation, and a table of each game in an auction.

The images are not compared byte by byte, as another version of a library may write other bytes. `sources.json` has a
digest of the SVG that each is made from; when it changes, the images are made again.
"""

import hashlib
import io
import json
from functools import cache
from itertools import pairwise
from typing import Any

from w51_env.pictures.raster import rgb_array
from w51_env.pictures.svg import draw
from w51_env.views.language import ENGLISH, Words
from w51_env.views.view import View
from w51_table.play.playback import played
from w51_table.play.table import Setup

FOLDER = "docs/pictures"
ANIMATION, THEME = f"{FOLDER}/game.gif", "light"
NAMES = ("Ada", "Ben", "Cleo", "Dan")
SEED = 51
SIZE, COLOURS = (711, 400), 128
BID_MILLISECONDS, LAST_MILLISECONDS = 1000, 4000

STILLS = {"warehouse51_v1": 13, "alles_futsch_v1": 12}  # relics or objects that the players own at least
CLOCK = f"{FOLDER}/auctions.png"  # a rising clock, whose price two of the bidders do not take any more
BOTS: dict[str, tuple[str, dict[str, Any]]] = {"auctions_v0": ("equilibrium", {"auction": "english", "bid_step": 5})}

FILES = (ANIMATION, *(f"{FOLDER}/{game_id.removesuffix('_v1')}.png" for game_id in STILLS), CLOCK)


def pages() -> dict[str, str]:
    """The digests of what the images are made from."""
    digests = {name: _digest(views) for name, views in _shown().items()}
    return {f"{FOLDER}/sources.json": json.dumps(digests, indent=2) + "\n"}


def files() -> dict[str, bytes]:
    """The images by their path in the repository."""
    return {name: _animation(views) if name == ANIMATION else _still(views[0]) for name, views in _shown().items()}


@cache
def _shown() -> dict[str, list[View]]:
    """The views of each image."""
    shown = {ANIMATION: _one_lot()}
    for game_id, min_owned in STILLS.items():
        name = f"{FOLDER}/{game_id.removesuffix('_v1')}.png"
        shown[name] = [next(view for view in _views(game_id)[0] if is_contested(view) and owned(view) >= min_owned)]
    left = ((view, sum(not player["bidding"] for player in view.players)) for view in _views("auctions_v0")[0])
    shown[CLOCK] = [next(view for view, count in left if count == 2)]
    return shown


def is_contested(view: View) -> bool:
    """Whether an open auction has a bid, and somebody has passed."""
    lot = view.table["lot"]
    running = lot is not None and lot["running"] and lot["leader"] is not None
    return running and any(player["bidding"] is False for player in view.players)


@cache
def _views(game_id: str) -> tuple[list[View], list[bool]]:
    """What seat 0 may know at each decision of a game of bots, and whether a lot begins there."""
    bot, options = BOTS.get(game_id, ("heuristic", {}))
    bots = Setup(game_id, {"num_players": len(NAMES), **options}, SEED, (bot,) * len(NAMES), NAMES)
    playback = played(bots)
    words = Words(ENGLISH, NAMES)
    return [frame.view(0, words) for frame in playback.frames], [bool(frame.lots) for frame in playback.frames]


def _one_lot() -> list[View]:
    """The longest auction in the middle third of the game, and what it led to."""
    views, begins = _views("warehouse51_v1")
    begin = [index for index, begins_here in enumerate(begins) if begins_here]
    lots = [views[first : after + 1] for first, after in pairwise(begin)]
    return max(lots[len(lots) // 3 : 2 * len(lots) // 3], key=lambda lot: len(_auction(lot)))


def _auction(lot: list[View]) -> list[View]:
    """The views of a lot in which it is up for auction; its first one at least."""
    return [view for view in lot if view.table["lot"] is not None and view.table["lot"]["running"]] or lot[:1]


def owned(view: View) -> int:
    """How many relics or objects the players own."""
    return sum(len(player.get("collection", ())) + sum(player.get("objects", {}).values()) for player in view.players)


def _digest(views: list[View]) -> str:
    return hashlib.sha256("".join(draw(view, theme=THEME) for view in views).encode()).hexdigest()[:16]


def _still(view: View) -> bytes:
    return compressed(_image(view))


def compressed(picture: Any) -> bytes:
    """A Pillow image as a small PNG; its colours are kept, those of few pixels too."""
    image = picture.quantize(128, kmeans=3, dither=0)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _animation(views: list[View]) -> bytes:
    """All pictures with one set of colours, so that only what changes is stored."""
    from PIL import Image

    images = [_image(view).resize(SIZE, Image.Resampling.LANCZOS) for view in views]
    sample = Image.new("RGB", (SIZE[0], 3 * SIZE[1]))
    for index in range(3):
        sample.paste(images[(index + 1) * (len(images) - 1) // 3], (0, index * SIZE[1]))
    colours = sample.quantize(COLOURS, kmeans=3)
    frames = [image.quantize(palette=colours, dither=0) for image in images]
    out = io.BytesIO()
    durations = [BID_MILLISECONDS] * (len(views) - 1) + [LAST_MILLISECONDS]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
    return out.getvalue()


def _image(view: View) -> Any:
    from PIL import Image

    return Image.fromarray(rgb_array(view, theme=THEME))
