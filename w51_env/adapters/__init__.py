"""Adapters: one module per library, each written once for any `engine.game.Game`. They contain no rules.

`pettingzoo_env`: all seats, one after the other (AEC). `gymnasium_env`, `gymnasium_vector`, `sb3_vec_env`: a learner in
one seat, bots in the others; `learner` has what these three share.
"""
