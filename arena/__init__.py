"""The arena: matches and tournaments between agents, their statistics, and the report."""
