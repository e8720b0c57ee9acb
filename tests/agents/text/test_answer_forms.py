"""A hundred forms of answers, as language models write them when they play: each is one action, or it is refused.

The forms are those of transcripts of models at board games, poker, auctions and chess: bare names, sentences, labels,
JSON in and out of fences, tags, boxes, thoughts, second thoughts, tables of options, and answers that are none.
"""

import pytest

from tests.agents.text.test_answers import GAME, READER, ids
from w51_agents.language.answers import AnswerError
from w51_env.views.view import Data

BIDS = ids("pass", *(f"bid_{amount}" for amount in range(4, 11)), "pawn_unicorns_horn")
DECKS = ids("choose_deck_blue", "choose_deck_green", "choose_deck_red")
REFUSED = None

FORMS = [
    # ---- names and sentences
    ("bid_5", "bid_5"),
    ("BID_5", "bid_5"),
    ("Bid 5.", "bid_5"),
    ("`bid_5`", "bid_5"),
    ("**bid_5**", "bid_5"),
    ("- bid_5", "bid_5"),
    ("> bid 5", "bid_5"),
    ("I'll bid 5.", "bid_5"),
    ("I\u2019ll go with bid 5!", "bid_5"),
    ("I'd bid 5 here.", "bid_5"),
    ("My move is to bid 5 ingots.", "bid_5"),
    ("We should bid 5.", "bid_5"),
    ("Let's bid five.", "bid_5"),
    ("So I bid 5, a fair price.", "bid_5"),
    ("I choose to pass.", "pass"),
    ("Pass", "pass"),
    ("pass\n\n", "pass"),
    ("pawn_unicorns_horn", "pawn_unicorns_horn"),
    ("I pawn the horn: pawn Unicorn's Horn", "pawn_unicorns_horn"),
    ("I will bid five ingots, a fair price", "bid_5"),
    ("bid5", "bid_5"),
    ("bid 5.0", "bid_5"),
    ("Pawn the Unicorn\u2019s Horn? Yes: pawn Unicorn's Horn", "pawn_unicorns_horn"),
    # ---- amounts alone
    ("5", "bid_5"),
    ("**5**", "bid_5"),
    ("5 ingots", "bid_5"),
    ("I could pass, but the relic is worth more.\n\n5", "bid_5"),
    ("The most I would pay is 9, and 6 is enough today.\n\n6", "bid_6"),
    ("3", REFUSED),
    ("11", REFUSED),
    ("#5", REFUSED),
    ("5%", REFUSED),
    ("-5", REFUSED),
    # ---- marks
    ("[bid_5]", "bid_5"),
    ("[Bid 5]", "bid_5"),
    ("[[bid_5]]", "bid_5"),
    ("The relic completes my set.\n[bid_5]", "bid_5"),
    ("I could pass, but it completes my set. [bid_5]", "bid_5"),
    ("Action: bid_5", "bid_5"),
    ("**Action:** bid_5", "bid_5"),
    ("Action:\nbid_5", "bid_5"),
    ("### Final answer: `bid_5`", "bid_5"),
    ("My move: [bid_5].", "bid_5"),
    ("Decision: I bid 5 rather than pass.", "bid_5"),
    ("\\boxed{bid_5}", "bid_5"),
    ("$\\boxed{\\text{bid 5}}$", "bid_5"),
    ("<action>bid_5</action>", "bid_5"),
    ("<answer>\nbid_5\n</answer>", "bid_5"),
    ("<move>[bid_5]</move>", "bid_5"),
    ("[bid_4]\nNo, that loses to the next bid.\n[bid_5]", "bid_5"),
    ("Option 1: [pass]\nOption 2: [bid_5]\n\nMy action: [bid_5]", "bid_5"),
    ("[bid_5]\nThis keeps me in the auction.", "bid_5"),
    ("[pass] or [bid_5]", REFUSED),
    ("[bid_5] beats [pass]", REFUSED),
    ("I will not play [pass].", REFUSED),
    ("I rejected [pass] at once.", REFUSED),
    ("[buy it]", REFUSED),
    ("[bid_99]", REFUSED),
    ("[bid]", REFUSED),
    ("Action: wait", REFUSED),
    ("Action: pass or bid 5", REFUSED),
    # ---- JSON
    ('{"action": "bid_5"}', "bid_5"),
    ('{"thoughts": "pass is too timid; {braces} and [pass]", "action": "bid_5"}', "bid_5"),
    ('```json\n{"action": "bid_5"}\n```', "bid_5"),
    ('Here is my move:\n```\n{"move": "bid_5", "confidence": 0.8}\n```\nGood luck!', "bid_5"),
    ('{"answer": "5"}', "bid_5"),
    ('{"bid": 5}', "bid_5"),
    ('{"type": "bid", "amount": 5}', "bid_5"),
    ('{"thought": "cheap", "bid": 5}', "bid_5"),
    ('{"action": "bid", "amount": 5}', "bid_5"),
    ('{"action": {"type": "bid", "amount": 5}}', "bid_5"),
    ("{'action': 'bid_5'}", "bid_5"),
    ('{"action": "bid_4"}\n{"action": "bid_5"}', "bid_5"),
    ('{"action": "bid_3"}', REFUSED),
    ('{"action": "bid_5"', "bid_5"),  # the brace is missing, the name is not
    ('{"action": ["bid_5", "pass"]}', REFUSED),
    ('{"action": ""}', REFUSED),
    # ---- thoughts
    ("<think>pass? No: it is worth 9.</think>bid_5", "bid_5"),
    ("<thinking>[pass]</thinking>\n\n[bid_5]", "bid_5"),
    ("pass would be safe</think>\n\nbid_5", "bid_5"),
    ("<|channel|>analysis<|message|>pass?<|end|><|channel|>final<|message|>bid_5", "bid_5"),
    ("<think>I bid 5", REFUSED),
    ("<think>bid_5</think>", REFUSED),
    # ---- more than one action in words
    ("I could pass or bid 4. I bid 5.", "bid_5"),
    ("Instead of passing, I bid 5.", "bid_5"),
    ("Rather than pass, I bid 5.", "bid_5"),
    ("I bid 5 because if I pass, Player 1 gets it for 4.", "bid_5"),
    ("bid 4 is too little and bid 9 too much, so I bid 5", "bid_5"),
    ("Player 1 may pass. I bid 5.", "bid_5"),
    ("1. pass: safe\n2. bid 4: likely raised\n3. bid 5: my choice\n\nI go for bid 5.", "bid_5"),
    ("I bid 5 or 6.", REFUSED),
    ("Pass, or bid 5?", REFUSED),
    ("Either pass or bid 5.", REFUSED),
    ("I bid 5 and then pass.", REFUSED),
    ("I'd rather pass than bid 5", "pass"),
    ("Not bid 5 but bid 6", "bid_6"),
    ("Bid 5? No.\nBid 6.", "bid_6"),
    ("I was going to pass but now bid 5.", "bid_5"),
    ("Standing bid 4 by Player 1, so bid 5", "bid_5"),
    ("**Decision**: Bid 5\n\n**Reasoning**: if I pass, Player 2 wins for 4.", "bid_5"),
    ("I prefer bid 5 over pass", REFUSED),
    ("pawn_unicorns_horn then bid_10", REFUSED),
    # ---- what only weighs an action
    ("I could pass.", REFUSED),
    ("I could pass, but the relic is worth more.", REFUSED),
    ("Should I pass?", REFUSED),
    ("If I pass, Player 1 gets it for 4.", REFUSED),
    ("Maybe bid 5.", REFUSED),
    ("I would never pass here.", REFUSED),
    ("I won't pass.", REFUSED),
    ("I can't bid 5.", REFUSED),
    ("It would be wrong to pass.", REFUSED),
    ("I want this relic.\nTo pass would be a mistake.", REFUSED),
    ("Player 2 will pass.", REFUSED),
    ("They pass.", REFUSED),
    ("The standing bid 4 by Player 1", REFUSED),
    ("I bid 5.\nOn second thought, maybe pass.", REFUSED),
    # ---- no action
    ("", REFUSED),
    ("...", REFUSED),
    ("I'm sorry, but I can't help with gambling.", REFUSED),
    ("What are the legal actions?", REFUSED),
    ("I raise!", REFUSED),
    ("All in.", REFUSED),
    ("e4", REFUSED),
    ("bid_5.5", REFUSED),
    ("bid 5-7", REFUSED),
    ("bid X", REFUSED),
    ("sell_relic", REFUSED),
]  # fmt: skip


def check(answer: str, name: str | None, legal: list[Data]) -> None:
    """Whether an answer is an action, or refused."""
    if name is REFUSED:
        with pytest.raises(AnswerError, match=rf"answer with the name of one of these: {legal[0]['name']}"):
            READER.read(answer, legal)
    else:
        assert READER.read(answer, legal) == GAME.actions.id(name)


@pytest.mark.parametrize(("answer", "name"), FORMS, ids=range(len(FORMS)))
def test_an_answer_of_any_form_is_one_action_or_refused(answer: str, name: str | None):
    check(answer, name, BIDS)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("choose_deck_blue", "choose_deck_blue"),
        ("Turn over a blue relic, since red is nearly empty.", "choose_deck_blue"),
        ("I think blue is best.\n\nAction: turn over a blue relic", "choose_deck_blue"),
        ("blue", REFUSED),
        ("0", REFUSED),
        ("choose_deck_golden", REFUSED),
        ("The blue deck, or the red one: [choose_deck_red]", "choose_deck_red"),
    ],
)
def test_a_choice_without_amounts_needs_its_name(answer: str, name: str | None):
    check(answer, name, DECKS)
