"""The benchmark `w51-bench`: a protocol, entries that can be verified, and a leaderboard made from them.

`protocol` says what is played, `play` and `matches` play it, `track_figures` computes figures from what is kept of each
deal, `entry` is the file, `verify` and `fresh` play parts again, `places` and `leaderboard` make tables.
"""
