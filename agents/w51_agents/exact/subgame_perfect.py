"""All outcomes of a game without hidden information in which every seat plays for its own payoff, everywhere."""

import numpy as np

from w51_agents.exact.tree import Tree

Outcomes = set[tuple[float, ...]]  # payoffs of all seats


def subgame_perfect(tree: Tree) -> Outcomes:
    """Payoffs of all pure subgame-perfect equilibria of a game without hidden information.

    An outcome of an action is one of an equilibrium if the mover would get no more from each other action in some
    equilibrium that may follow it. The deal must be certain.
    """
    below: list[Outcomes] = []
    for depth in range(len(tree.levels) - 1, -1, -1):
        level, children = tree.levels[depth], below
        groups: list[list[int]] = [[] for _ in range(len(level))]
        for child, parent in enumerate(tree.levels[depth + 1].parent if children else ()):
            groups[parent].append(child)
        below = []
        for node, group in enumerate(groups):
            seat = level.mover[node]
            worst = [min(outcome[seat] for outcome in children[child]) for child in group]
            chosen = set() if group else {tuple(level.payoffs[node].tolist())}
            for number, child in enumerate(group):
                others = max(worst[:number] + worst[number + 1 :], default=-np.inf)
                chosen |= {outcome for outcome in children[child] if outcome[seat] >= others}
            below.append(chosen)
    return below[0]
