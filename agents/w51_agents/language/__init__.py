"""Games in words, for language models and people: prompts from a seat's view, actions from written answers."""
