"""The arena: matches whose differences can be trusted, from the deals that are played to the report."""
