"""Properties that hold in every game, and the slow reference they are checked against."""
