"""A program that plays as a language model does: it reads a prompt and writes its answer. It needs nothing else.

python evaluate.py "llm:python examples/scripted_model.py" heuristic heuristic --games 12

It bids the least that it may, as long as this is at most half of the points that the lot would add; else it passes. At
other decisions it takes the first legal action.
"""

import re
import sys

prompt = sys.stdin.read()
state, _, actions = prompt.rpartition("Your legal actions:")
legal = re.findall(r"^- (\w+)(?: \.\.\. \w+)?:", actions, re.MULTILINE)
seat = re.findall(r"^You are (Player \d)", prompt, re.MULTILINE)[-1]
points = re.findall(rf"^Points that the lot would add.*{seat} ([+-]\d+)", state, re.MULTILINE)
bids = [int(name.removeprefix("bid_")) for name in legal if name.startswith("bid_")]

if bids and "pass" in legal:
    choice = f"bid_{bids[0]}" if points and 2 * bids[0] <= int(points[-1]) else "pass"
else:
    choice = legal[0]
print(f"[{choice}]")
