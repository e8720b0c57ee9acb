"""What is said of single-item auctions beside their views: the rules."""
