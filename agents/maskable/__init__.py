"""sb3-contrib's MaskablePPO, the familiar baseline: its trainer, and its checkpoints as agents."""
