"""Experiments: `w51 experiment pair` changes one option of a game and leaves all else equal."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import command_with
from w51_agents.console.terminal import INTERRUPTED, print_line
from w51_agents.named.registry import split_label
from w51_agents.system.errors import needs_extra
from w51_agents.training.config import load_config
from w51_agents.training.settings import TrainingConfig
from w51_env.engine.options import OptionValues
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec, parse_spec
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import TournamentResult
from w51_lab.behaviour.contract import MISSING
from w51_lab.commands.evaluate import MatchOptions, PlayOptions, play
from w51_lab.datasets.populations import SUMS, check_new, plans_of, write_populations
from w51_lab.pairs.effects import PlayedPair, effects_of
from w51_lab.pairs.option_pair import AGENT, SIDES, OptionChange, OptionPair, parse_change
from w51_lab.pairs.pair_files import effects_table, equal_deals, write_pair
from w51_lab.report.result_table import terminal_table
from w51_lab.report.tournament_files import check_installed

console, errors = Console(), Console(stderr=True)
app = typer.Typer(add_completion=False, rich_markup_mode=None)
_TRAINING = "training: a package is missing"
TRAINED = "trained"  # in the place of an agent: the one that is trained for the rules of its side
EXAMPLES = """\b
Examples:
  w51 experiment pair payment_to=left,bank heuristic
  w51 experiment pair relics=open:reconstruction-1,blind:reconstruction-1 pretrained
  w51 experiment pair reserve=20,10 pretrained heuristic --games 2000 --out runs/reserve
  w51 experiment pair minimum_bid=1,5 heuristic --game alles_futsch_v1
  w51 experiment pair payment_to=left,bank --train selfplay_quick --seeds 1-3
  w51 experiment pair payment_to=left,bank --train selfplay_quick --set selfplay.start=runs/left
  w51 experiment pair agent=heuristic,pretrained heuristic
"""


@app.callback()
def experiments() -> None:
    """Experiments with the rules of a game."""


@dataclass(frozen=True)
class PairOptions(MatchOptions):
    """The training of both sides of a pair, and where its files are written."""

    out: Annotated[Path, typer.Option(help="Folder of the results; the same command goes on with what is there.")] = (
        Path("runs/pair")
    )
    train: Annotated[
        str | None, typer.Option(metavar="CONFIG", help="Train the agent `trained` anew for each side by this config.")
    ] = None
    set: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A change to the config; can be repeated.")
    ] = None
    seeds: Annotated[
        str | None, typer.Option(metavar="1-3", help="With --train: a training for each of these seeds. Default: 1.")
    ] = None


@app.command(epilog=EXAMPLES, cls=command_with(PairOptions))
def pair(
    context: typer.Context,
    change: Annotated[str, typer.Argument(metavar="OPTION=FIRST,SECOND", help="What differs: an option, or `agent`.")],
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[AGENT]...", help="As those of w51 evaluate; `trained` stands for that of --train."),
    ] = None,
) -> None:
    """Play the same deals, seats and agents with one option, or one agent, changed; print and write the effects."""
    options: PairOptions = context.obj
    changed = parse_change(change)
    check_installed(report=True, ratings=False, alpha=False)
    spec = spec_of(options, changed, agents or ([TRAINED] if options.train else []))
    check(spec, changed, options)
    played: list[PlayedPair] = []
    for seed in seeds_of(spec, options):
        folder = options.out / f"seed-{seed}" if options.train else options.out
        first, second = (agents_of(spec, changed, side, seed, options) for side in (0, 1))
        made = OptionPair(spec.model_copy(update={"agents": first}), changed, second)
        results = [play_side(plan, folder, side, options) for side, plan in zip(SIDES, made.plans, strict=True)]
        played.append(PlayedPair(made, results[0], results[1], seed if options.train else MISSING))
    effects = effects_of(played)
    write_pair(played, effects, options.out)
    if (table := effects_table(played, effects)) is not None:
        console.print(terminal_table(table, table.note))
    print_line(console, f"Effects, paired tables, codebook and figure: {options.out}")


def spec_of(options: PairOptions, change: OptionChange, agents: list[str]) -> TournamentSpec:
    """What both sides have in common; the agents have names, so that trained ones are called alike on both sides.

    With --train the game, if none is named, and the options that are not given are those of the config.
    """
    labelled = [split_label(agent) for agent in agents]
    fields = {name: value for name, value in vars(options).items() if name in TournamentSpec.model_fields}
    names = [label or name for label, name in labelled]
    data = {**fields, "agents": [name for _, name in labelled], "names": names, "options": options.options}
    if options.train:
        config = load_config(options.train, options.set or [])
        if options.game in (PairOptions.game, config.game):
            others = {name: value for name, value in config.options.items() if name != change.option}
            data |= {"game": config.game, "options": {**others, **options.options}}
    return parse_spec(data, "pair")


def seeds_of(spec: TournamentSpec, options: PairOptions) -> list[int]:
    """The seeds of the trainings; one number if there are none. AgentError for options that do not go together."""
    is_asked = TRAINED in spec.agents
    if options.train is None:
        if is_asked or options.set or options.seeds:
            named = TRAINED if is_asked else "--set" if options.set else "--seeds"
            raise AgentError(f"{named}: needs --train, the config of the training")
        return [MISSING]
    if not is_asked:
        raise AgentError(f"--train: no agent is {TRAINED!r}; name it among the agents, or give no agent")
    seeds = options.seeds or "1"
    if seeds.isdecimal():
        return [int(seeds)]
    with needs_extra(_TRAINING, "train"):
        from w51_lab.trainings.many import parse_seeds
    return parse_seeds(seeds)


def check(spec: TournamentSpec, change: OptionChange, options: PairOptions) -> None:
    """Errors for what would fail after a training: an agent that cannot play one of the sides, a bad config."""
    seeds = seeds_of(spec, options)
    if change.option == AGENT and options.train:
        raise AgentError(f"{AGENT}: both sides have the same rules, so --train has nothing to train anew")
    untrained = tuple("random" if name == TRAINED else name for name in spec.agents)
    pair = OptionPair(spec.model_copy(update={"agents": untrained}), change)
    for plan in pair.plans:
        plan.close()
    if options.train:
        for side in (0, 1):
            config_of(spec, change, side, seeds[0], options, options.out)
    print_line(errors, equal_deals(pair))


def agents_of(
    spec: TournamentSpec, change: OptionChange, side: int, seed: int, options: PairOptions
) -> tuple[str, ...]:
    """The agents of a side, with the folder of its training in the place of `trained`."""
    folder = train(spec, change, side, seed, options) if options.train else ""
    return tuple(folder if name == TRAINED else name for name in spec.agents)


def train(spec: TournamentSpec, change: OptionChange, side: int, seed: int, options: PairOptions) -> str:
    """The folder of the training for the rules of a side; one that was stopped goes on, one that is complete stays."""
    with needs_extra(_TRAINING, "train"):
        from w51_lab.trainings.continued_runs import run_of
        from w51_lab.trainings.display import train_and_save
    folder = options.out / f"seed-{seed}" / "trained"
    with run_of(config_of(spec, change, side, seed, options, folder), folder / SIDES[side], []) as run:
        if not run.complete:
            print_line(errors, f"Training for {change.labels[side]}, seed {seed}, in {run.folder}")
            train_and_save(run, "the same command", errors)
        if not run.complete:
            raise typer.Exit(INTERRUPTED)
        return str(run.folder)


def config_of(
    spec: TournamentSpec, change: OptionChange, side: int, seed: int, options: PairOptions, runs: Path
) -> TrainingConfig:
    """The config of a training, with the game and the options of a side."""
    rules: OptionValues = {**spec.options, change.option: change.values[side]}
    changes = [f"options.{name}={json.dumps(value)}" for name, value in rules.items()]
    place = {"game": spec.game, "seed": seed, "runs": str(runs), "name": SIDES[side]}
    changes += [f"{name}={json.dumps(value)}" for name, value in place.items()]
    return load_config(str(options.train), [*(options.set or []), *changes])


def play_side(plan: Plan, folder: Path, side: str, options: PlayOptions) -> TournamentResult:
    """The tournament of a side; its blocks are stored in a folder of its own, from which the same command goes on."""
    if (folder / side / SPEC).exists():
        store = Store.resume(folder / side, (plan.spec.game, *plan.spec.agents), trust=options.trust)
        different = [name for name, value in plan.spec if name != "trust" and getattr(store.plan.spec, name) != value]
        if different:
            raise AgentError(
                f"{folder / side}: was played with another value of {', '.join(different)}; name another --out"
            )
    else:
        store = Store.begin(folder, side, plan)
    return play(store.plan, store, options)


@dataclass(frozen=True)
class PopulationsOptions(PlayOptions):
    """Which populations play, and how."""

    games: Annotated[int, typer.Option(min=1, help="Games of all populations together.")] = 100_000
    seed: Annotated[int, typer.Option(min=0, help="Seed of the deals and of the agents.")] = 51


@app.command(cls=command_with(PopulationsOptions))
def populations(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(help="Folder of the data set; the same command goes on with what is there.")
    ],
) -> None:
    """Make the data set of the main populations: behaviour tables, codebook, digests, licence.

    Example: w51 experiment populations runs/populations --games 100000 --seed 51
    """
    options: PopulationsOptions = context.obj
    check_new(folder)
    check_installed(report=True, ratings=False, alpha=False)
    plans = plans_of(options.game, options.options, options.games, options.seed)
    played = {
        name: play_side(plan, folder.with_name(f"{folder.name}.games"), name, options) for name, plan in plans.items()
    }
    write_populations(plans, played, remade(options), folder)
    print_line(console, f"Data set: {folder}; its digests: {folder / SUMS}")


def remade(options: PopulationsOptions) -> str:
    """The command line that makes the data set again."""
    changed = "".join(f" --option {name}={json.dumps(value)}" for name, value in options.options.items())
    size = f"--games {options.games} --seed {options.seed}"
    return f"w51 experiment populations FOLDER --game {options.game}{changed} {size}"
