"""Pairs of games in which one option differs and all else is equal: deals, seats, agents and their draws.

    change = parse_change("payment_to=left,bank")
    pair = OptionPair(TournamentSpec(agents=("heuristic",), behaviour=True), change)
    played = PlayedPair(pair, play(pair.plans[0]), play(pair.plans[1]))
    effects = effects_of([played])

docs/how_to/pair.md has examples; `w51 experiment pair` does all of it.
"""
