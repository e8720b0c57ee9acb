"""The relic behind an event, named in its sentence."""

from w51_env.core.events import Event
from w51_env.core.game import Game
from w51_env.views.language import Words
from w51_env.warehouse51.relics import load_relic_set

# The kind of effect that causes an event, and whose ingots end if less than its amount is paid.
_CAUSES = {
    "surcharged": ("surcharge", "seat"),
    "income": ("income", "reserve"),
    "gained": ("gain_ingots", "reserve"),
    "paid": ("pay_each_other", "seat"),
    "took": ("take_relic", None),
    "gave": ("give_relic", None),
    "looked": ("look_at_counterfeits", None),
    "cancelled": ("cancels_counterfeit", None),
}


def with_cause(game: Game, words: Words, event: Event, text: str) -> str:
    """The sentence of an event with its cause, as `Ida gets 1 from the reserve (Cornucopia)`.

    The sentence stays as it is where several relics of the game could be the cause.
    """
    if event["event"] not in _CAUSES:
        return text
    effect, payer = _CAUSES[event["event"]]
    relics = [relic for relic in load_relic_set(game.options["relics"]).relics if relic.effect == effect]
    if len(relics) != 1:
        return text
    cause = relics[0].name_in(words.language)
    if payer and event["ingots"] < (relics[0].amount or 0):
        cause += f"; {words(f'warehouse51.text.empty_{payer}')}"
    return f"{text.removesuffix('.')} ({cause})."
