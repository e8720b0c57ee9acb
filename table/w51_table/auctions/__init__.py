"""How single-item auctions look."""
