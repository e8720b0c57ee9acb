"""Statistics of games that were played: estimates with intervals, ratings, the meta-game, sequential tests."""
