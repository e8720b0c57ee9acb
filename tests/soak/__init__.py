"""Long proofs: `bash bin/soak --help`. Each has a time limit, prints its seed and writes its figures as JSON.

Short versions of the same functions run in `tests/repository/test_soak.py`. `docs/reliability.md` shows the latest figures.
"""
