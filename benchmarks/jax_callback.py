"""Decisions per second of loops in JAX: this engine behind a host callback, without JAX's loop, and games of pgx.

All loops have the same linear policy, on observations of their own size, and are measured in turns.
Run: `python benchmarks/jax_callback.py` (needs jax; the games of pgx are measured if pgx is installed).
"""

import time
from collections.abc import Callable
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import typer
from jax.experimental import io_callback

from benchmarks import measure
from w51_env import make_vec

STEPS = 64
PGX_GAMES = ("leduc_holdem", "backgammon")
GROUP = "decisions"
Loop = Callable[[int], object]  # plays STEPS steps of all games; the argument is a seed


def choose(weights: jax.Array, observation: jax.Array, mask: jax.Array, key: jax.Array) -> jax.Array:
    """Draws an action of the linear policy for each game."""
    return jax.random.categorical(key, jnp.where(mask, observation @ weights, -1e9))


def w51_loops(num_games: int) -> dict[str, Loop]:
    """The engine behind a callback in one jitted loop, and a Python loop with a jitted policy."""
    batch = make_vec("warehouse51_v1", num_envs=num_games, num_players=4, seed=1, keep_final=False)
    batch.reset()
    weights = jnp.zeros((batch.game.layout.size, len(batch.game.actions)))

    def look() -> tuple[np.ndarray, ...]:
        return batch.observation_float(), batch.action_mask.astype(bool), batch.rewards.copy(), batch.done.copy()

    def step_on_host(actions: jax.Array) -> tuple[np.ndarray, ...]:
        batch.step(np.asarray(actions))
        return look()

    shapes = jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype), look())

    @jax.jit
    def rollout(seen: tuple, key: jax.Array) -> tuple:
        def step(carry: tuple, key: jax.Array) -> tuple[tuple, None]:
            observation, mask, *_ = carry
            return io_callback(step_on_host, shapes, choose(weights, observation, mask, key), ordered=True), None

        return jax.lax.scan(step, seen, jax.random.split(key, STEPS))[0]

    policy = jax.jit(choose)

    def in_python(seed: int) -> None:
        for key in jax.random.split(jax.random.key(seed), STEPS):
            batch.step(np.asarray(policy(weights, batch.observation_float(), batch.action_mask.astype(bool), key)))

    return {
        "w51_env, host callback in a jitted loop": lambda seed: rollout(look(), jax.random.key(seed)),
        "w51_env, Python loop with a jitted policy": in_python,
    }


def pgx_loops(num_games: int) -> dict[str, Loop]:
    """Games whose rules are in JAX, in one jitted loop; finished games begin again."""
    try:
        import pgx
        from pgx.experimental import auto_reset
    except ImportError:
        return {}
    loops: dict[str, Loop] = {}
    for name in PGX_GAMES:
        env = pgx.make(name)
        begin, advance = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))
        state = begin(jax.random.split(jax.random.key(0), num_games))
        weights = jnp.zeros((int(np.prod(env.observation_shape)), env.num_actions))

        @jax.jit
        def rollout(state: object, key: jax.Array, advance=advance, weights=weights) -> object:  # type: ignore[no-untyped-def]
            def step(state, key):  # type: ignore[no-untyped-def]
                seen = state.observation.reshape(num_games, -1).astype(jnp.float32)
                actions = choose(weights, seen, state.legal_action_mask, key)
                return advance(state, actions, jax.random.split(key, num_games)), None

            return jax.lax.scan(step, state, jax.random.split(key, STEPS))[0]

        loops[f"pgx {name}, jitted loop"] = lambda seed, rollout=rollout, state=state: rollout(  # type: ignore[misc]
            state, jax.random.key(seed)
        )
    return loops


def main(
    json: measure.JsonFile = None,
    games: Annotated[int, typer.Option(min=1, help="Games side by side.")] = 1024,
    repeats: measure.Repeats = 5,
) -> None:
    """Measure decisions per second of loops in JAX."""
    facts = measure.machine()
    loops = w51_loops(games) | pgx_loops(games)
    rates: dict[str, list[float]] = {name: [] for name in loops}
    for seed in range(1 + repeats):  # the first round compiles
        for name, loop in loops.items():
            start = time.perf_counter()
            jax.block_until_ready(loop(seed))
            if seed:
                rates[name].append(STEPS * games / (time.perf_counter() - start))
    results = [measure.summarize(GROUP, name, "steps/s", values) for name, values in rates.items()]
    console = measure.wide_console()
    console.print(measure.headline(facts), markup=False)
    measure.show(console, results)
    if json is not None:
        measure.write_json(json, facts, results, games=games, device=jax.devices()[0].platform)


if __name__ == "__main__":
    typer.run(main)
