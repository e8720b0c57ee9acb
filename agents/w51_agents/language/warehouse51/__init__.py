"""What is said of Warehouse 51 beside its views: rules, notes of a player, points if the game ended now."""
