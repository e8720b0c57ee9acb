"""Training: `run` goes through the updates of a trainer, and goes on from them later.

The algorithm: `selfplay`, an update from top to bottom; `rollout`, `objective`, `model`, `teachers`, `compiled_check`.
Its games: `plan`, `games`, `seats`, `opponents`, `pool`; `player` decides in them; `share` has those of one process.
Processes and threads: `ranks`, `ranks_state`, `heartbeat`, `shared_memory`, `threads`.
Configs: `settings`, `learner_settings`, `trainers`, `registry`, `config`, `explained`, `read_files`.
Runs: `run`, `run_facts`, `log`, `trainer`, `trainer_state`; of other libraries: `maskable_ppo`, `rllib_learner`.
"""
