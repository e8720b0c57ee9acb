"""The benchmark `w51-bench`: a protocol, entries that can be verified, and a leaderboard made from them.

`protocol` says what is played, `play` plays it, `results` and `adaptation` compute figures from what is kept of each
deal, `entry` is the file, `verify` plays parts again, `leaderboard` makes tables.
"""
