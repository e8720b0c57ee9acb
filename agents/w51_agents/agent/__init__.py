"""What an agent is: its interface, bots, agents that remember, seeds, what agents get beside an observation."""
