"""The laboratory: who is better, and why. Matches, tournaments, statistics, reports, the benchmark, offline data."""

from w51_lab.figure_backend import drop_missing_backend

drop_missing_backend()  # before anything imports Matplotlib
