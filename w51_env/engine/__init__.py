"""The engine: N games of one kind per call. It knows no game and nothing that shows one.

To understand it, read these ten files in this order:

 1. `game.py`: the contract of a game: its records, tables and kernels
 2. `options.py`: options and presets, and how values are checked
 3. `layout.py`: the named slices of an observation
 4. `events.py`: what happened, as rows that kernels write and seats read
 5. `rng.py`: random numbers as a function of (stream, counter)
 6. `compile.py`: what makes a rule compiled code
 7. `slots.py`: what a batch records of each game beside its state
 8. `loops.py`: the compiled loops over all games
 9. `state_batch.py`: states: observed, copied, loaded, saved and redrawn
10. `batch.py`: `Batch`, the interface that every adapter uses

The rest serves these. Of the compiled code: `compiler` makes it, with `primitives`, `quad_types` and `shortcuts`,
`machine_code` keeps, loads and calls it, `fingerprint` names it. Of the loops: `episodes`, `moves`, `decisions`,
`chunks`, `atomic`, `vectors`, `quads`, `worker_pool`, `buffers`, `controllers`, `victory`, `seats`, `numpy_streams`. Of
games: `choices`, kernels that are made of those of a game. Of the states: `limits`, `state_check`, `saved_states`,
`checksums`, `determinization`, `deals`; `alone`, a lock. Between states and `Batch`: `event_batch`, what happened and
what viewers know. `bots` are asked outside a batch, `registry` makes games by id, `imports` finds objects by name,
`errors` are all that the engine raises.
"""
