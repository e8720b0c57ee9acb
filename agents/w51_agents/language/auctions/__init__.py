"""What is said of auctions beside their views: the rules."""
