"""What is said of Alles Futsch! beside its views: rules, notes of a player, points if the game ended now."""
