"""Rules to machine code. The only package that imports Numba, when there is something to compile."""
