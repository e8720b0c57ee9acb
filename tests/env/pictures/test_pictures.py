"""Pictures of views: SVG that is well formed, legible, the same for the same view, and made from nothing else."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import gymnasium
import pytest

from tests.env.pictures.boxes import SVG, cards_of, hidden_texts, overlaps, texts_of
from tests.env.pictures.played import TABLES, THIRD, one_of_each_phase, views
from w51_env import make_game, make_vec, warehouse51_v1
from w51_env.engine.errors import OptionError
from w51_env.engine.game import ALL, PUBLIC
from w51_env.pictures.paint import DARK, LIGHT
from w51_env.pictures.seating import FORMS, NARROW, WIDE_SIZE
from w51_env.pictures.shapes import fit, text_width, wrap
from w51_env.pictures.svg import draw, lay_out
from w51_env.views.language import LANGUAGES, Words
from w51_env.views.view import View
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.picture_cards import relic_drawing


def titles(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}title")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("game_id", "players", "language"),
    [(*table, "en") for table in TABLES]
    + [(*TABLES[at], code) for at in (2, -1) for code in LANGUAGES if code != "en"],
)
def test_every_phase_has_a_picture_in_which_no_text_overlaps_another_or_leaves_it(game_id, players, form, language):
    for phase, view in one_of_each_phase(game_id, players, language=language).items():
        svg = draw(view, form=form, theme="auto")
        assert language != "en" or len(svg) < 68_000  # it fits a message
        boxes = texts_of(svg)
        root = ElementTree.fromstring(svg)
        width, height = int(root.attrib["width"]), int(root.attrib["height"])
        assert (width, height) == WIDE_SIZE if form != NARROW else width == 400
        assert not overlaps(boxes), phase
        assert not hidden_texts(svg), phase
        assert not [box for box in boxes if min(box[:2]) < 0 or box.right > width or box.bottom > height], phase


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_of_every_relic_fits_where_it_is_the_lot_and_a_counterfeit(language, form):
    view = next(
        view
        for view in views("warehouse51_v1", 4, language=language, most=30)
        if view.table["lot"] is not None and view.table["lot"]["standing_bid"] and view.table["lot"]["running"]
    )
    for relic in view.table["relics"]:
        gaps = [{**gap, "known": True, "relics": [relic] * (gap["gap"] == 0)} for gap in view.table["gaps"]]
        lot = {**view.table["lot"], "relic": relic}
        boxes = texts_of(draw(replace(view, table={**view.table, "lot": lot, "gaps": gaps}), form=form))
        assert not overlaps(boxes), relic
        assert not [box.words for box in boxes if box.words.endswith("\N{HORIZONTAL ELLIPSIS}")], relic


@pytest.mark.parametrize("lines", [0, 1, 3])
@pytest.mark.parametrize(("game_id", "players"), [*TABLES, (THIRD, 3)])
def test_a_narrow_picture_ends_where_its_content_ends(game_id, players, lines):
    view = views(game_id, players)[20 % len(views(game_id, players))]
    news = [{"event": "bid", "text": f"Something short happens, number {index}."} for index in range(lines)]
    sheet = lay_out(replace(view, news=news), "light", NARROW)
    svg = draw(replace(view, news=news), form=NARROW)
    assert svg.count("Something short") == lines
    assert sheet.height - max(block.y + block.height for block in sheet.blocks) <= 8
    if lines:
        assert sheet.height - max(box.bottom for box in texts_of(svg)) <= 16


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("options", "said"),
    [({"preset": "items"}, "50 % more than their sum"), ({"num_players": 2, "bidders": "0 60/0 100"}, "0-60, 0-100.")],
)
def test_the_picture_of_an_auction_says_what_is_sold_and_how_bidders_differ(options, said, form):
    batch = make_vec("auctions_v0", 1, seed=5, events=True, **options)
    batch.reset()
    svg = draw(batch.view(0, 0), form=form)
    shown = " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    assert said in shown or form == NARROW  # where a long rule is cut
    assert not overlaps(texts_of(svg))


def test_an_auction_without_a_bid_shows_its_nought():
    view = next(
        view
        for view in views("alles_futsch_v1", 3)
        if view.table["lot"] is not None and view.table["lot"]["running"] and view.table["lot"]["leader"] is None
    )
    for form in FORMS:
        assert ">0</text>" in draw(
            replace(view, players=[{**player, "objects": {}} for player in view.players]), form=form
        )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("game_id", "players"), [("warehouse51_v1", 4), ("alles_futsch_v1", 4), (THIRD, 3)])
def test_a_picture_is_made_from_the_plain_data_of_its_view_alone(game_id, players, form):
    chosen = {(view.phase, number // 12): view for number, view in enumerate(views(game_id, players))}
    for view in chosen.values():  # each phase now and then
        again = View.from_data(json.loads(json.dumps(view.as_data())))
        assert draw(again, form=form) == draw(view, form=form)


def test_only_who_knows_counterfeits_sees_their_names():
    seen = {}
    for viewer in (PUBLIC, 0, ALL):
        view = views("warehouse51_v1", 4, viewer=viewer, most=1)[0]  # before the first decision no relic is in sight
        seen[viewer] = [
            title.splitlines()[0]
            for title in titles(draw(view))
            if title.splitlines()[0] in {relic["name"] for relic in view.table["relics"].values()}
        ]
    assert [len(set(seen[viewer])) for viewer in (PUBLIC, 0, ALL)] == [0, 2, 4]
    assert len(seen[0]) == 4  # those that one knows are also large, in one's own place


def test_a_relic_that_the_viewer_knows_as_a_counterfeit_is_marked_on_the_table():
    view = views("warehouse51_v1", 4, viewer=1)[60]
    known = view.table["gaps"][1]
    owner = next(player for player in view.players if player["collection"])
    relic = owner["collection"][0]["relic"]
    gaps = [{**gap, "relics": [], "known": False} for gap in view.table["gaps"]]
    blind = replace(view, table={**view.table, "gaps": gaps})
    gaps = [{**gap, "relics": [relic]} if gap["gap"] == known["gap"] else gap for gap in gaps]
    knowing = replace(view, table={**view.table, "gaps": [{**gap, "known": bool(gap["relics"])} for gap in gaps]})
    mask = "M1 3c4-2 7-1 9 0"
    assert (
        draw(knowing).count(mask) == draw(blind).count(mask) + 3
    )  # on the card, which is there twice, and on the relic


def test_names_of_players_and_relics_are_shown_as_text_never_as_markup():
    view = views("warehouse51_v1", 3)[40]
    wild = "<script>&\"'\x00]]>"
    players = [{**player, "name": wild} for player in view.players]
    relics = {key: {**relic, "name": wild, "effect_text": wild} for key, relic in view.table["relics"].items()}
    news = [{**entry, "text": wild} for entry in view.news]
    table = {**view.table, "relics": relics}
    wild_view = replace(view, players=players, table=table, news=news, headline=wild, title=wild)
    for form in FORMS:
        svg = draw(wild_view, form=form)
        ElementTree.fromstring(svg)
        assert "<script" not in svg
        assert "&lt;script&gt;&amp;" in svg


def test_a_relic_of_a_file_is_drawn_by_its_category_and_every_built_in_one_has_a_drawing_of_its_own():
    relics = load_relic_set("reconstruction-1").relics
    drawn = {relic_drawing(relic.id, relic.category, relic.weapon) for relic in relics}
    assert len(drawn) == len(relics) == 26
    general = {relic_drawing("unheard_of", category, False) for category in ("blue", "green", "golden", "red")}
    assert len(general | {relic_drawing("unheard_of", "red", True)}) == 5
    assert not general & drawn


def test_long_names_end_with_an_ellipsis():
    view = views("warehouse51_v1", 5)[30]
    players = [
        {**player, "name": "A name that goes on for sixty characters and does not stop at"} for player in view.players
    ]
    for form in FORMS:
        svg = draw(replace(view, players=players), form=form)
        assert svg.count("…</text>") >= 5
        assert not overlaps(texts_of(svg))


def test_a_collection_of_every_relic_stays_on_its_shelf():
    view = views("warehouse51_v1", 4)[-2]
    everything = [
        {"relic": relic, "pawned": False, "certified": False, "buyer": None, "price": 0}
        for relic in view.table["relics"]
    ]
    players = [{**player, "collection": everything} for player in view.players]
    for form in FORMS:
        svg = draw(replace(view, players=players), form=form)
        cards = re.findall(r'translate\(([\d.]+) [\d.]+\) scale\(([\d.]+)\)"><g data-card=""', svg)
        right = [float(x) + 36 * float(scale) for x, scale in cards]
        assert len(right) >= 4 * 26
        assert max(right) < 310  # a shelf is as wide in the widest place


def test_mini_games_with_fewer_categories_have_pictures():
    for preset in ("mini", "nano"):
        batch = make_vec("warehouse51_v1", 1, preset=preset, seed=1, autoreset="disabled")
        batch.reset()
        for form in FORMS:
            svg = draw(batch.view(0, 0), form=form)
            assert not overlaps(texts_of(svg))


def test_a_game_without_a_drawing_shows_its_observation():
    svg = draw(views(THIRD, 3)[0])
    for name in make_game(THIRD).layout:
        assert f">{name}</text>" in svg
    assert not overlaps(texts_of(svg))


def test_notebooks_show_the_picture_of_an_environment_once_it_has_begun():
    env = warehouse51_v1.env(num_players=3)
    learner = gymnasium.make("w51_env/Warehouse51-v1", num_players=3, learner_seat=1).unwrapped
    assert env._repr_svg_() is learner._repr_svg_() is None
    env.reset(seed=1)
    learner.reset(seed=1)
    picture = draw(env.unwrapped.batch.view(0, PUBLIC), theme="auto")
    assert env._repr_svg_() == picture == picture._repr_svg_()
    assert learner._repr_svg_() == draw(learner._games.batch.view(0, 1), theme="auto")


@pytest.mark.parametrize("language", LANGUAGES)
def test_environments_render_in_the_language_that_they_are_given(language):
    said = Words(language)("warehouse51.text.counterfeits", gap="", relics="").split()[0]
    env = warehouse51_v1.env(num_players=3, render_mode="ansi", render_seat=0, language=language)
    learner = gymnasium.make(
        "w51_env/Warehouse51-v1", num_players=3, learner_seat=0, render_mode="ansi", language=language
    )
    games = gymnasium.make_vec(
        "w51_env/Warehouse51-v1", num_envs=2, num_players=3, learner_seat=0, render_mode="ansi", language=language
    )
    for each in (env, learner, games):
        each.reset(seed=1)
    assert all(said in table for table in (env.render(), learner.render(), *games.render()))
    assert env.unwrapped._repr_svg_() == draw(env.unwrapped.batch.view(0, 0, words=Words(language)), theme="auto")


def test_an_unknown_theme_form_or_language_is_named():
    view = views("warehouse51_v1", 3)[0]
    with pytest.raises(OptionError, match=r"theme: 'drak', but allowed are light, dark, auto \(did you mean 'dark'"):
        draw(view, theme="drak")
    with pytest.raises(OptionError, match="form: 'tall', but allowed are 'wide', 'narrow'"):
        draw(view, form="tall")
    with pytest.raises(OptionError, match=r"language: 'xx', but allowed are en, fr, de, hu"):
        warehouse51_v1.env(language="xx")


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_has_the_contrast_that_wcag_asks_for(palette):
    grounds = (palette.floor, palette.block, palette.panel)
    pairs = [(ink, ground) for ink in (palette.ink, palette.muted, palette.accent) for ground in grounds]
    for ink, ground in [*pairs, (palette.ink, palette.line), (palette.on_accent, palette.accent)]:
        assert contrast(ink, ground) >= 4.5, (ink, ground)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2)."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [value / 255 for value in bytes.fromhex(colour[1:])]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_is_cut_and_wrapped_to_its_width():
    assert fit("Warehouse", 20, 60) == "Ware…"
    assert text_width("Ware…", 20) <= 60 < text_width("Wareh…", 20)
    lines = wrap("pays 3 more to the reserve for each auction won", 16, 120, 2)
    assert len(lines) == 2
    assert lines[0] == "pays 3 more to the"
    assert lines[1].startswith("reserve")
    assert lines[1].endswith("…")
    assert all(text_width(line, 16) <= 120 for line in lines)
    assert text_width("漢字", 10) == 20  # characters that the font lacks have a width too


def test_the_widths_of_the_font_are_those_of_its_files():
    fonttools = pytest.importorskip("fontTools.ttLib")
    from w51_env.pictures.shapes import FONT_FILES

    for weight, file in FONT_FILES.items():
        font = fonttools.TTFont(file)
        for code, glyph in font.getBestCmap().items():
            assert text_width(chr(code), 1000, weight) == pytest.approx(font["hmtx"][glyph][0])
        assert Path(file).stat().st_size < 50_000


def test_the_cards_of_the_seat_across_the_table_are_about_as_large_as_the_own_ones():
    view = views("warehouse51_v1", 4, viewer=0)[-1]
    drawn = ElementTree.fromstring(draw(view))
    places = [element for element in drawn if element.get("transform")][-4:]  # clockwise from the viewer's
    own, _, across, _ = (max(height_of_cards(place), default=0) for place in places)
    assert own > 0
    assert across >= 0.85 * own


def height_of_cards(place: ElementTree.Element) -> list[float]:
    return [box.bottom - box.top for box in cards_of(f"<svg>{ElementTree.tostring(place, 'unicode')}</svg>")]
