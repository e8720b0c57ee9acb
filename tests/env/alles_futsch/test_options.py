"""Options and presets: what is allowed, and what an error says. What each does is tested with its rule."""

from w51_env import alles_futsch


def test_the_default_is_the_rulebook():  # A1, A2, A3, preset: default
    assert alles_futsch.make().options == {
        "num_players": 4,
        "first_player": "random",
        "start_money": 200,
        "cards": "multisets",
        "num_cards": 35,
        "minimum_bid": 1,
        "no_bid_selector": "same",
        "no_buyer": "lost",
        "deck_exhausted": "play_on",
        "sale_price": 20,
        "fine": 10,
        "bonus": 30,
        "reward": "win",
        "ask_forced": False,
    }
