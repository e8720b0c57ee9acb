"""Games of language models for Inspect: the task `w51_inspect/game`."""
