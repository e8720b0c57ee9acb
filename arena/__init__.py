"""The arena: matches and tournaments between agents, and their statistics."""

if __name__ == "arena":  # a second copy of every module otherwise
    raise ImportError("arena is the package w51_env.arena: import w51_env.arena")
