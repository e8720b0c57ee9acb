"""The engine: N games with the same options per call. It knows no game and nothing that shows one.

To understand it, read these ten files in this order:

 1. `game.py`: the contract of a game: its records, tables and kernels
 2. `options.py`: options and presets, and how values are checked
 3. `layout.py`: the named slices of an observation
 4. `events.py`: what happened, as rows that kernels write and seats read
 5. `rng.py`: random numbers as a function of (stream, counter)
 6. `compiler/compile.py`: what makes a rule compiled code
 7. `slots.py`: what a batch records of each game beside its state
 8. `buffers.py`: the memory of a batch
 9. `loops.py`: the compiled loops over all games
10. `batch.py`: `Batch`, the interface that every adapter uses

The rest serves these. A batch has a `gate`, which lets one call in at a time, an `event_log`, `state_calls`, which are
made when they are first used, and a `worker_pool`; `call_arguments` and `controllers` check what callers give it. Of
the loops: `episodes`, `decisions`, `chunks`, `victory`, `seats`, `numpy_streams`. Of games:
`choices`, kernels that are made of those of a game. Of the states: `limits`, `state_check`, `saved_states`,
`determinization`, `deals`. `bots` are asked outside a batch, `registry` makes games by id, `imports` finds
objects by name, `errors` are all that the engine raises.
"""
