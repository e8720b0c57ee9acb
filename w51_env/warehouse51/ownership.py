"""Who has what, and whether it works: the questions every other room asks (section 6, P4)."""

from w51_env.core.compile import kernel
from w51_env.warehouse51.effect_kinds import BID_CAP, LIFTS_CURSES
from w51_env.warehouse51.state import CERTIFICATES, NO_GAP, NO_RELIC, NOBODY


@kernel
def has_blessing(rules, game, seat, effect):
    """A blessing works while its owner has it unpawned."""
    for position in range(rules.effect_count[effect]):
        relic = rules.with_effect[effect, position]
        if game.place[relic] == seat and game.pawned[relic] == 0:
            return True
    return False


@kernel
def has_curse(rules, game, seat, effect):
    """A curse works while its owner has it, pawned or not, unless a blessing lifts the owner's curses."""
    for position in range(rules.effect_count[effect]):
        if game.place[rules.with_effect[effect, position]] == seat:
            return not has_blessing(rules, game, seat, LIFTS_CURSES)
    return False


@kernel
def blessing_amount(rules, game, seat, effect):
    """Sum of the amounts of a seat's working blessings of this kind."""
    amount = 0
    for position in range(rules.effect_count[effect]):
        relic = rules.with_effect[effect, position]
        if game.place[relic] == seat and game.pawned[relic] == 0:
            amount += int(rules.amount[relic])
    return amount


@kernel
def curse_amount(rules, game, seat, effect):
    """Sum of the amounts of a seat's working curses of this kind."""
    amount = 0
    for position in range(rules.effect_count[effect]):
        relic = rules.with_effect[effect, position]
        if game.place[relic] == seat:
            amount += int(rules.amount[relic])
    return 0 if amount > 0 and has_blessing(rules, game, seat, LIFTS_CURSES) else amount


@kernel
def least_blessing_amount(rules, game, seat, effect, otherwise):
    """The least amount of a seat's working blessings of this kind; `otherwise` if it has none."""
    least = -1
    for position in range(rules.effect_count[effect]):
        relic = rules.with_effect[effect, position]
        if game.place[relic] == seat and game.pawned[relic] == 0 and (least < 0 or rules.amount[relic] < least):
            least = rules.amount[relic]
    return otherwise if least < 0 else least


@kernel
def effect_was_bought(rules, game, effect):
    """Whether a relic of this kind was ever bought at auction (T8: only then does an immediate effect apply)."""
    for position in range(rules.effect_count[effect]):
        if game.buyer[rules.with_effect[effect, position]] != NOBODY:
            return True
    return False


@kernel
def most_biddable(rules, game, seat):
    """T3 and bid_cap: the highest bid this seat may make, in open and blind auctions."""
    most = game.ingots[seat]
    if has_curse(rules, game, seat, BID_CAP):
        for position in range(rules.effect_count[BID_CAP]):
            relic = rules.with_effect[BID_CAP, position]
            if game.place[relic] == seat and rules.amount[relic] < most:
                most = rules.amount[relic]
    return most


@kernel
def may_be_traded(rules, game, relic, owner):
    """P4: a relic of `owner` that an effect can take or give."""
    return game.place[relic] == owner and game.pawned[relic] == 0


@kernel
def is_certified(game, relic):
    """E2: the relic bears a certificate."""
    for token in range(CERTIFICATES):
        if game.certificate_on[token] == relic:
            return True
    return False


@kernel
def certificate_holder(rules, game, token):
    """E2, `certificate_belongs_to`: who holds a token that was taken: the buyer, or the present owner, of its giver.

    Nobody (a negative place) when the giver has left the game.
    """
    giver = game.certificate_from[token]
    return game.place[giver] if rules.certificate_follows_relic else game.buyer[giver]


@kernel
def token_to_place(rules, game, seat):
    """The first certificate token that this seat holds and has not placed, or -1 (E2, `certificate_belongs_to`)."""
    for token in range(CERTIFICATES):
        unplaced = game.certificate_from[token] != NO_RELIC and game.certificate_on[token] == NO_RELIC
        if unplaced and certificate_holder(rules, game, token) == seat:
            return token
    return -1


@kernel
def is_known_fake(game, relic):
    """E3, once the cards are shown: a counterfeit that no certificate and no cancelling protects."""
    return game.counterfeit_gap[relic] != NO_GAP and not is_certified(game, relic) and game.cancelled[relic] == 0
