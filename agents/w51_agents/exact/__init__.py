"""Games small enough to be enumerated: exact values, best responses and exploitability."""
