"""Who has which relic, and whether its effect works (section 6, P4). All other modules use this one."""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.effect_kinds import EFFECT
from w51_env.warehouse51.state import CERTIFICATES, NO_GAP, NO_RELIC, NOBODY


@kernel
def effect_count(rules, effect):
    """How many relics of the set have this effect. The table ends with the last kind that the set needs."""
    return rules.effect_count[effect] if effect < rules.effect_count.shape[0] else 0


@kernel
def has_unpawned(game, seat, relic):
    """P4: whether the seat has the relic unpawned, so its blessing works and an effect can take or give it."""
    return game.place[relic] == seat and game.pawned[relic] == 0


def any_relic(applies):
    """The kernel that tells whether `applies`, a kernel (rules, game, seat, relic) -> bool, is true of any relic."""

    @kernel
    def applies_to_any(rules, game, seat):
        for relic in range(rules.num_relics):
            if applies(rules, game, seat, relic):
                return True
        return False

    return applies_to_any


@kernel
def has_blessing(rules, game, seat, effect):
    """Whether the seat has a working blessing of this kind; it works while its owner has it unpawned."""
    for position in range(effect_count(rules, effect)):
        if has_unpawned(game, seat, rules.with_effect[effect, position]):
            return True
    return False


@kernel
def has_curse(rules, game, seat, effect):
    """Whether the seat has a working curse of this kind; it works, pawned or not, unless a blessing lifts it."""
    for position in range(effect_count(rules, effect)):
        if game.place[rules.with_effect[effect, position]] == seat:
            return not has_blessing(rules, game, seat, EFFECT.LIFTS_CURSES)
    return False


@kernel
def min_blessing_amount(rules, game, seat, effect, otherwise):
    """R2: the least amount of a seat's working blessings of this kind; `otherwise` if it has none."""
    lowest = -1
    for position in range(effect_count(rules, effect)):
        relic = rules.with_effect[effect, position]
        if has_unpawned(game, seat, relic) and (lowest < 0 or rules.amount[relic] < lowest):
            lowest = rules.amount[relic]
    return otherwise if lowest < 0 else lowest


@kernel
def effect_was_bought(rules, game, effect):
    """Whether a relic of this kind was ever bought at auction (T8: an immediate effect applies only then)."""
    for position in range(effect_count(rules, effect)):
        if game.buyer[rules.with_effect[effect, position]] != NOBODY:
            return True
    return False


@kernel
def max_bid(rules, game, seat):
    """T3, bid_cap, R2: the highest bid this seat may make, in open and blind auctions."""
    highest = game.ingots[seat]
    if has_curse(rules, game, seat, EFFECT.BID_CAP):
        for position in range(effect_count(rules, EFFECT.BID_CAP)):
            relic = rules.with_effect[EFFECT.BID_CAP, position]
            if game.place[relic] == seat and rules.amount[relic] < highest:
                highest = rules.amount[relic]
    return highest


@kernel
def is_certified(game, relic):
    """E2: whether the relic bears a certificate."""
    for token in range(CERTIFICATES):
        if game.certificate_on[token] == relic:
            return True
    return False


@kernel
def certificate_holder(rules, game, token):
    """E2, R7, `certificate_belongs_to`: who holds a token that was taken: the buyer or the owner of its giver.

    To own the giver is a blessing: nobody holds its token while it is pawned, or after it has left the game.
    """
    giver = game.certificate_from[token]
    if not rules.certificate_follows_relic:
        return game.buyer[giver]
    return NOBODY if game.pawned[giver] else max(game.place[giver], NOBODY)


@kernel
def token_to_place(rules, game, seat):
    """The first certificate token that this seat holds and has not placed, or -1 (E2, `certificate_belongs_to`)."""
    for token in range(CERTIFICATES):
        unplaced = game.certificate_from[token] != NO_RELIC and game.certificate_on[token] == NO_RELIC
        if unplaced and certificate_holder(rules, game, token) == seat:
            return token
    return -1


@kernel
def is_counterfeit(game, relic):
    """E3, once the cards are shown: whether it is a counterfeit, neither certified nor cancelled."""
    return game.counterfeit_gap[relic] != NO_GAP and not is_certified(game, relic) and game.cancelled[relic] == 0
