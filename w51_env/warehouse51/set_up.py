"""Set-up: S2 ingots, S3 decks, S4 counterfeits, S5 first player."""

from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.events import emit, keeps_games
from w51_env.warehouse51.decks import shuffle_decks
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.gaps import beside, deal_counterfeits
from w51_env.warehouse51.state import ABSENT, IN_DECK, NO_GAP, NO_RELIC, NOBODY, NOT_BID


@kernel
def deal(rules, game, log):
    """S2 to S5: deal a new game into a record that is all zero but for its stream."""
    for seat in range(rules.num_players):
        game.ingots[seat] = rules.start_ingots
    game.reserve = rules.reserve
    game.secret_bid[:] = NOT_BID
    game.lot = NO_RELIC
    game.leader = NOBODY
    game.last_winner = NOBODY
    game.certificate_from[:] = NO_RELIC
    game.certificate_on[:] = NO_RELIC
    game.buyer[:] = NOBODY
    game.deck[:] = NO_RELIC
    game.place[:] = ABSENT
    game.place[: rules.num_relics] = IN_DECK
    counter = shuffle_decks(rules, game, rng.SET_UP)
    counter = deal_counterfeits(rules, game, counter)
    if rules.first_player < 0:
        game.first_player = rng.random_below(game.stream, counter, rules.num_players)
    else:
        game.first_player = rules.first_player
    emit(log, EVENT.SET_UP, game.first_player, 0, 0, 0, 0)
    if keeps_games(log):
        show_gaps_beside(rules, game, log)


@kernel
def show_gaps_beside(rules, game, log):
    """S4: each seat sees the counterfeits in the gaps on its left and right. Observations show them at all times."""
    for seat in range(rules.num_players):
        for relic in range(rules.num_relics):
            gap = game.counterfeit_gap[relic]
            if gap != NO_GAP and beside(rules, seat, gap):
                emit(log, EVENT.SAW, seat, gap, relic, 0, 0)
