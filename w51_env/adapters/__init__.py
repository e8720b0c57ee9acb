"""One file for each ecosystem, each written once for any `core.game.Game`. Rules are known elsewhere.

`pettingzoo_env`: all seats, one after the other (AEC). `gymnasium_env`, `gymnasium_vector`, `sb3_vec_env`: a learner in one
seat, bots in the others; what these three share is in `learner`.
"""
