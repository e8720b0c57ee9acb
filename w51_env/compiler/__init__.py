"""Rules to machine code. The only package that imports Numba, when there is something to compile."""

LANES = 32  # products that a dot product sums beside each other (`vectors`), with or without compiled code
