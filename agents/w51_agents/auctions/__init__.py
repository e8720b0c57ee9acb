"""Single-item auctions with known answers: exact payoffs, best responses and equilibria."""
