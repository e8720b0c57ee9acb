"""Trainings as the laboratory has them: begun here or on a cluster, shown, continued; what was learned, evaluated."""
