"""The arena: matches and tournaments between agents, and their statistics."""
