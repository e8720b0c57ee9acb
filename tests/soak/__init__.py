"""Long proofs: `bash bin/soak --help`. Each has a time limit, prints its seed and writes its figures as JSON.

`tests/repository/test_soak.py` runs short versions. `docs/reliability.md` shows the latest figures.
"""
