"""The prompt in docs/language_models.md: what a seat reads in the middle of a game that the heuristic bot plays."""

from pathlib import Path

import numpy as np

from docs import _tables
from w51_agents import make_agent
from w51_agents.language.prompts import PROMPTS, turn_prompt
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.events import EventJournal

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/language_models.md"
_LOTS = 6  # past ones, when the prompt is taken


def pages() -> dict[str, str]:
    """The page with the prompt, and with the version of the prompts."""
    text = (ROOT / PAGE).read_text("utf-8")
    return {PAGE: _tables.fill(text, {"prompt": f"```text\n{prompt()}\n```", "version": f"`{PROMPTS}`"})}


def prompt() -> str:
    """The first prompt of a bidder in an open auction after some lots, with a bid of another player to answer."""
    game = make_game("warehouse51_v1", num_players=3, first_player=0)
    agent = make_agent("heuristic", game)
    agent.reset(0)
    batch = Batch(game, 1, autoreset="disabled", events=True)
    batch.reset(seed=2)
    journal = EventJournal(game.event_types, game.num_players)
    journal.add(batch.event_bytes(0))
    lots = 0
    while True:
        seat = int(batch.seat[0])
        view = batch.view(0, seat, news=journal.since_decision(seat))
        lot = view.table["lot"]
        if lots > _LOTS and view.phase == "open_auction" and lot["leader"] not in (None, seat):
            earlier = journal.before_decision(seat)
            return turn_prompt(view, game.presentation.events_data(game, earlier))
        lots += view.phase == "reveal"
        batch.step(np.asarray(agent.act_batch(batch.observation, batch.action_mask)))
        journal.add(batch.event_bytes(0), seat)
