"""The plain network: hidden layers over the observation."""
