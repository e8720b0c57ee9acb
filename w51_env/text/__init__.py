"""Play in words: prompts from a seat's view, and actions from the answers of people and language models."""
