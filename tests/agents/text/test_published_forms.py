"""Sixty ends of answers as language models wrote them in published games, in the words of this game.

Each is what was played then, or it is refused; `fold`, `check` and `reject` have become `pass`, `raise` and `offer`
`bid`, and amounts those of a lot. Sources, all on GitHub:

- `poker`: JayCheng113/llm-poker-arena, web/public/data, six models of 2026 with tools at no-limit poker
- `trade`: vinid/NegotiationArena, example_logs/buysell
- `avalon`: TextArena/TextArena, results, game logs of Avalon
- `clem`: clembench/clembench-runs, o1-preview and claude-2.1 in games of reference and words
"""

import pytest

from tests.agents.text.test_answer_forms import BIDS, REFUSED, check

FORMS = [
    ("poker", "I will pass.", "pass"),
    ("poker", "I'm not strong enough to bid either. I'll pass.", "pass"),
    ("poker", "I\u2019ll pass and wait for a better spot.", "pass"),
    ("poker", "Given three players still to act including an unknown one, I'll pass.", "pass"),
    ("poker", "With 20 ingots and three unknowns behind who could bid again, I'll pass this one.", "pass"),
    ("poker", "I\u2019ll play it safe and pass.", "pass"),
    ("poker", "I'll pass and see what develops.", "pass"),
    ("poker", "I'll **pass** and let the lot go.", "pass"),
    ("poker", "Let's pass and see a free card.", "pass"),
    ("poker", "Therefore, the best decision is to pass.", "pass"),
    ("poker", "The standard and optimal play is to simply pass and wait for a better spot.", "pass"),
    ("poker", "I have no value in betting, so the most logical and safe play is to pass.", "pass"),
    ("poker", "The correct play is to pass immediately.", "pass"),
    ("poker", "**Final decision: pass**", "pass"),
    ("poker", "**Action:**\nPass", "pass"),
    ("poker", "**Action: Pass**", "pass"),
    ("poker", "**Action:** Bid the 5.", REFUSED),
    ("poker", "I'll bid 5 (one more than the last), a standard size.", "bid_5"),
    ("poker", "I'll bid 5 ingots.", "bid_5"),
    ("poker", "I'll bid **5 ingots** (1 point).", "bid_5"),
    ("poker", "I will bid 5.", "bid_5"),
    ("poker", "Action: bid 5.", "bid_5"),
    ("poker", "Let's just go with bid_5.", "bid_5"),
    ("poker", "So final decision: bid_5.", "bid_5"),
    ("poker", "Yes. So bid_5 it is.", "bid_5"),
    ("poker", "I'll bid 6 now and look to get the rest in on the next lot.", "bid_6"),
    ("poker", "I will open with a bid of 5 to build the pot, and likely thin the field.", REFUSED),
    ("poker", "With no reads, a bid of 5 is standard.", REFUSED),
    ("poker", "Let me go with 5.", REFUSED),
    ("poker", "I'll bid around 5 to 6 to extract value.", REFUSED),
    ("poker", "I will bid half of my ingots to try and get a call.", REFUSED),
    ("poker", "Easy pass.", "pass"),
    ("poker", "This is a clear pass.", "pass"),
    ("poker", "With two players still to act and the left one tight, this is a clear pass.", "pass"),
    ("poker", "Passing is the clear and standard decision.", REFUSED),
    ("poker", "Standard tight strategy is to pass on a Holy Grail so early.", "pass"),
    ("poker", "Bidding is clearly correct \u2014 I'll pass to any significant bid.", REFUSED),
    ("poker", "If there is any significant bid from my opponents, I will pass.", REFUSED),
    ("poker", "pass to pressure?", REFUSED),
    ("poker", "Actually, let me just pass. Against three bidders my chance is terrible.", "pass"),
    ("poker", "No need for tools.\nAction: pass.\nDone.", "pass"),
    ("poker", "Reasoning: it is worth 9 to me.\nAction: bid 5.\nMatches perfectly.", "bid_5"),
    ("trade", "<reason> It is worth 9 to me. </reason>\n<player answer> bid 5 </player answer>", "bid_5"),
    ("trade", "<my goals> Buy at most for 9. </my goals>\n<player answer> PASS </player answer>", "pass"),
    ("trade", "<message> I could bid 9, but 5 is fair. </message>\n<player answer> bid_5 </player answer>", "bid_5"),
    ("trade", "<player answer> PROPOSAL </player answer>", REFUSED),
    ("trade", "<bid_5> player answer </bid_5>", "bid_5"),
    ("avalon", "<vote>pass</vote>", "pass"),
    ("avalon", "<action>bid_5</action>", "bid_5"),
    ("avalon", "Let's hear a bit more before we lock a price.", REFUSED),
    ("avalon", "I'll watch how the next bids go before committing.", REFUSED),
    ("avalon", "<vote>approve</vote>", REFUSED),
    ("clem", "Answer: pass", "pass"),
    ("clem", "Answer: fifth", REFUSED),
    ("clem", "guess: pass\nexplanation: the lot may be a counterfeit", "pass"),
    ("clem", "explanation: if I pass, Player 1 has it for 4\nguess: bid 5", "bid_5"),
    ("clem", "guess: pass", "pass"),
    ("poker", "I'm passing.", REFUSED),
    ("poker", "I will pass.\n\n---", "pass"),
    ("poker", "No need for tools here \u2014 this is a clear bid.", REFUSED),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "name"), [form[1:] for form in FORMS])
def test_an_answer_as_published_is_what_was_played_or_refused(answer: str, name: str | None):
    check(answer, name, BIDS)


def test_there_are_sixty():
    assert len({answer for _, answer, _ in FORMS}) == 60
