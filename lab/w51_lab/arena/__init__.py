"""The arena: matches and tournaments between agents, played by processes or machines, and kept."""
