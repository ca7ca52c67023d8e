"""What do the two penalties of the Kraken expansion do? The study: settings, play, result.

Every pair of penalties is a cell: IP of each Nebulis, and IP of the Kraken figure. The same deals are played in all
cells by three line-ups. Games under the rules' own pair are scored again under the others (arm "rescored"); policies
that see the other penalties play them (arm "played"); in some cells the policies are tuned again first (arm "tuned").
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from abysssim.errors import InputError
from abysssim.policies.presets import Policy, load_policy
from abysssim.rules.rulebook import Rulebook, load
from abysssim.simulate import Batch, Chunk, Piece, Scratch
from abysssim.store import State, identity_of
from abysssim.studies import lord_estimates
from abysssim.studies import nebulis_estimates as estimates
from abysssim.studies.health import notable_table, notes_of, option_table
from abysssim.studies.lord_sums import of_lords
from abysssim.studies.nebulis_estimates import PLAYED, RESCORED, TUNED
from abysssim.studies.nebulis_sums import Penalty, add_cell, add_ends, add_rescored, new_sums
from abysssim.studies.playing import (
    LOOK_DEALS,
    MakeProgress,
    clear_counters,
    code_at_start,
    compile_all,
    counters,
    play_deals,
)
from abysssim.studies.result import Result, line_up_facts, shared_facts
from abysssim.studies.settings import as_table, as_whole, check_known, counts_of
from abysssim.studies.tuning import Budget, Knob, Tuned, tune
from abysssim.vocabulary import Count, PolicyKind

NAME = "nebulis"
EXPANSION = "kraken"
POINTS_KEY, FIGURE_KEY = "nebulis.points_each", "nebulis.kraken_figure_points"
WORST = -20  # the heaviest penalty that the rules allow
ROLES = ("smuggler", "honest", "balanced")

#: The weights that are tuned, with their ranges; `nebulis` and `kraken` in `character`.
RANGES = (
    Knob("nebulis_pass", 0.0, 1.0),
    Knob("figure", 0.0, 4.0),
    Knob("figure_near", 0.0, 1.0),
    Knob("kraken_point", 0.0, 2.0),
    Knob("nebulis_pearl", 0.0, 3.0),
    Knob("buy_margin", -0.5, 2.0),
)
DEAREST, CHEAPEST = 4.0, 0.0  # a Nebulis, as a multiple of its IP
KEENEST, SHYEST = 5.0, -3.0  # a Kraken in hand, IP


# --- Settings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """What the study is told.

    players : seats. games : for each cell, arm and line-up, rounded up to whole deals. seed : of the deals. points,
    figure : the IP of each Nebulis and of the figure that make the grid; the rules' own are added. smuggler, honest,
    balanced : the policies, names of presets or paths of files. budget : of each tuning.
    """

    players: int = 4
    games: int = 28_000
    seed: int = 1
    points: tuple[int, ...] = (0, -1, -2, -3)
    figure: tuple[int, ...] = (0, -2, -5, -8, -10)
    smuggler: str = "smuggler"
    honest: str = "honest"
    balanced: str = "balanced"
    budget: Budget = field(default_factory=Budget)

    def as_table(self) -> dict[str, Any]:
        """Return the settings as they would be written in a settings file."""
        table: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        table["tuning"] = vars(table.pop("budget"))
        return table | {"points": list(self.points), "figure": list(self.figure)}


def settings_from(data: Mapping[str, Any], where: str) -> Settings:
    """Return the settings that a table holds; `where` names it in errors. Raises InputError."""
    lists = ("points", "figure")
    check_known(data, ("players", "games", "seed", *lists, *ROLES, "tuning"), where)
    found = counts_of(data, where)
    for key in lists:
        if key in data:
            found[key] = _penalties(data[key], key, where)
    for key in ROLES:
        if key in data:
            if not isinstance(data[key], str):
                raise InputError(f"{where}: {key} must be the name of a preset or a path, not {data[key]!r}")
            found[key] = data[key]
    if "tuning" in data:
        found["budget"] = _budget(as_table(data["tuning"], "tuning", where), where)
    return replace(Settings(), **found)


def _penalties(value: Any, key: str, where: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise InputError(f"{where}: {key} must be a list of whole numbers, such as [0, -1], not {value!r}")
    found = tuple(as_whole(one, f"{key}[{place}]", WORST, 0, where) for place, one in enumerate(value))
    if len(set(found)) < len(found):
        raise InputError(f"{where}: {key} must not name a number twice: {value!r}")
    return found


def _budget(table: Mapping[str, Any], where: str) -> Budget:
    limits = {"generations": (0, 10_000), "candidates": (4, 1_000), "deals": (1, 1_000_000), "verdict": (64, 10**7)}
    check_known(table, tuple(limits), where, "tuning.")
    found = {key: as_whole(value, f"tuning.{key}", *limits[key], where) for key, value in table.items()}
    return replace(Budget(), **found)


# --- What is played ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cast:
    """The policies of the three roles."""

    smuggler: Policy
    honest: Policy
    balanced: Policy

    def line_ups(self, players: int) -> dict[str, tuple[Policy, ...]]:
        """Return the line-ups by name; the odd seat comes first. Two players have no table to be among."""
        honest, smuggler = self.honest, self.smuggler
        found = {"all balanced": (self.balanced,) * players}
        if players == 2:
            return found | {"smuggler against honest": (smuggler, honest)}
        return found | {
            "smuggler among honest": (smuggler, *[honest] * (players - 1)),
            "honest among smugglers": (honest, *[smuggler] * (players - 1)),
        }


def cast_of(settings: Settings) -> Cast:
    """Return the policies that settings name.

    Raises
    ------
    InputError
        For a policy that there is not, one without weights, or a smuggler and an honest one that cannot be told apart.
    """
    cast = Cast(*(load_policy(getattr(settings, role)) for role in ROLES))
    for role in ROLES:
        policy = getattr(cast, role)
        if policy.kind != PolicyKind.WEIGHTED:
            raise InputError(f"{role} = '{policy.name}' is of the kind {policy.kind.name.lower()}; it must be weighted")
    if cast.smuggler.name == cast.honest.name:
        raise InputError(f"smuggler and honest are both '{cast.smuggler.name}': give two policies of different names")
    return cast


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells: a rulebook for each pair of penalties, and the rules' own pair."""

    rulebooks: Mapping[Penalty, Rulebook]
    own: Penalty

    @property
    def cells(self) -> tuple[Penalty, ...]:
        """All pairs, mildest first."""
        return tuple(self.rulebooks)

    @property
    def points(self) -> tuple[int, ...]:
        """IP of each Nebulis, mildest first."""
        return tuple(dict.fromkeys(cell.points for cell in self.cells))

    @property
    def figure(self) -> tuple[int, ...]:
        """IP of the figure, mildest first."""
        return tuple(sorted({cell.figure for cell in self.cells}, reverse=True))

    @cached_property
    def axes(self) -> tuple[estimates.Axis, ...]:
        """The lines along which smuggling may stop paying."""
        return estimates.axes_of(self.points, self.figure, self.own)

    @property
    def tuned(self) -> tuple[Penalty, ...]:
        """The cells for which policies are tuned: the corners, both together, and the ends of the axes."""
        corners = [Penalty(p, f) for p in (self.points[0], self.points[-1]) for f in (self.figure[0], self.figure[-1])]
        wanted = {*corners, self.own}
        for axis in self.axes:
            wanted |= set(axis.cells) if axis.name == estimates.BOTH else {axis.cells[0], axis.cells[-1]}
        return tuple(cell for cell in self.cells if cell in wanted)


def grid_of(settings: Settings, rulebook: Rulebook) -> Grid:
    """Return the grid of settings around a rulebook.

    Raises
    ------
    InputError
        For rules without the Kraken expansion, players that the game is not for, or a grid of one pair.
    """
    if EXPANSION not in rulebook.expansions:
        raise InputError(f"the study {NAME} needs the Kraken expansion: these rules have no Nebulis")
    rulebook.check_players(settings.players)
    own = Penalty(int(rulebook.record[0].nebulis_points), int(rulebook.record[0].figure_points))
    points, figure = ({*settings.points, own.points}, {*settings.figure, own.figure})
    cells = [Penalty(p, f) for p in sorted(points, reverse=True) for f in sorted(figure, reverse=True)]
    changes = dict(rulebook.changes)
    rulebooks = {
        cell: load({**changes, POINTS_KEY: cell.points, FIGURE_KEY: cell.figure}, rulebook.expansions)
        for cell in cells
    }
    grid = Grid(rulebooks, own)
    if not grid.axes:
        raise InputError("points and figure must give at least one pair beside the rules' own, along one of the two")
    return grid


@dataclass(frozen=True, eq=False)
class Sweep:
    """One line-up on all its cells: the same deals under each pair of penalties.

    batches : what is played in each cell. own : the rules' own pair, whose games are scored again under the pairs
    `again` (none: no game is).
    """

    arm: str
    line_up: str
    batches: Mapping[Penalty, Batch]
    own: Penalty
    again: tuple[Penalty, ...] = ()

    @cached_property
    def first(self) -> Batch:
        """The batch of the first cell: all have its rotations and its order of policies."""
        return next(iter(self.batches.values()))

    @property
    def name(self) -> str:
        """What progress calls it."""
        return f"{self.line_up}, {self.arm}"

    @property
    def turns(self) -> int:
        """Games of a deal, over all cells."""
        return len(self.first.permutations) * len(self.batches)

    @property
    def identity(self) -> str:
        """Hash of all that decides the sums of a deal."""
        cells = [
            [*cell, batch.rulebook.rules_hash, [(policy.name, policy.policy_hash) for policy in batch.lineup]]
            for cell, batch in self.batches.items()
        ]
        return identity_of(
            {"study": NAME, "code": code_at_start(), "arm": self.arm, "cells": cells, "seed": self.first.seed,
             "own": self.own, "again": self.again}
        )  # fmt: skip

    def scratch(self) -> dict[Penalty, Scratch]:
        """Return new scratch records for a worker: a desk for each cell."""
        return {cell: batch.scratch() for cell, batch in self.batches.items()}

    def play(self, chunk: Chunk, scratch: Mapping[Penalty, Scratch]) -> Piece:
        """Play a chunk of deals in all cells and return its sums."""
        sums = new_sums(len(self.batches), len(self.again), len(self.first.policies))
        tasks = self.first.tasks(chunk)
        for place, (cell, batch) in enumerate(self.batches.items()):
            desk = clear_counters(scratch[cell])
            rows = batch.play(tasks, scratch[cell])
            add_cell(sums["cells"], rows, place)
            if cell == self.own:
                if self.again:
                    add_rescored(sums["rescored"], rows, self.again, of_lords(batch.rulebook, "points"))
                add_ends(sums, rows)
                sums |= counters(desk) | notes_of(rows)
        return Piece(sums)

    def deals(self, games: int) -> int:
        """Return how many deals give each cell so many games, or a few more."""
        return -(-games // len(self.first.permutations))


def sweeps_of(settings: Settings, grid: Grid, casts: Mapping[Penalty, Cast], arm: str) -> list[Sweep]:
    """Return what is played in the cells of `casts`, one sweep for each line-up."""
    names = next(iter(casts.values())).line_ups(settings.players)
    return [
        Sweep(
            arm,
            name,
            {
                cell: Batch(grid.rulebooks[cell], cast.line_ups(settings.players)[name], settings.seed, rotate=True)
                for cell, cast in casts.items()
            },
            grid.own,
            grid.cells if arm == PLAYED else (),
        )
        for name in names
    ]


# --- Tuning --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """One search of the study: whose weights, in which cell, against whom, and which weights with their ranges."""

    role: str
    cell: Penalty
    policy: Policy
    field: tuple[Policy, ...]
    knobs: tuple[Knob, ...]

    @property
    def name(self) -> str:
        """A name for files and progress."""
        return f"{self.role}_{-self.cell.points}_{-self.cell.figure}"


def character(cast: Cast, role: str) -> tuple[Knob, ...]:
    """Return the weights that are tuned for a role, with ranges that leave it its character.

    A smuggler never counts a Nebulis dearer, nor a Kraken lower, than the balanced policy does; the honest one never
    counts a Nebulis cheaper, nor a Kraken higher. Otherwise both would become the same policy, and the question would
    be gone.
    """
    nebulis, kraken = (cast.balanced.weights[name] for name in ("nebulis", "kraken"))
    ranges = {
        "smuggler": (Knob("nebulis", CHEAPEST, nebulis), Knob("kraken", kraken, KEENEST)),
        "honest": (Knob("nebulis", nebulis, DEAREST), Knob("kraken", SHYEST, kraken)),
        "balanced": (Knob("nebulis", CHEAPEST, DEAREST), Knob("kraken", SHYEST, KEENEST)),
    }
    return (*ranges[role], *RANGES)


def trials_of(settings: Settings, grid: Grid, cast: Cast) -> list[Trial]:
    """Return the searches, cell by cell: the smuggler among the honest, the honest one among them with a smuggler."""
    others = settings.players - 1
    tables = {
        "smuggler": (cast.honest,) * others,
        "honest": (cast.smuggler, *[cast.honest] * (others - 1)),
        "balanced": (cast.balanced,) * others,
    }
    return [
        Trial(role, cell, getattr(cast, role), tables[role], character(cast, role))
        for cell in grid.tuned
        for role in ROLES
    ]


def run_trials(
    settings: Settings,
    grid: Grid,
    trials: Sequence[Trial],
    jobs: int,
    folder: Path | None,
    progress: MakeProgress | None,
) -> list[Tuned]:
    """Run the searches one after the other; past generations found in `folder` are not played again."""
    budget = settings.budget
    generations, each = len(trials) * budget.generations, budget.candidates * budget.deals * settings.players
    bar = progress("tuning", generations, 0, each) if progress else None

    def told(_: int) -> None:
        if bar:
            bar.update(1)

    try:
        return [
            tune(
                trial.policy,
                trial.knobs,
                trial.field,
                grid.rulebooks[trial.cell],
                budget,
                settings.seed,
                jobs=jobs,
                file=folder / f"tuning-{trial.name}.json" if folder else None,
                told=told,
            )
            for trial in trials
        ]
    finally:
        if bar:
            bar.close()


def tuned_casts(trials: Sequence[Trial], found: Sequence[Tuned], cast: Cast) -> dict[Penalty, Cast]:
    """Return the policies of each cell after tuning."""
    casts: dict[Penalty, Cast] = {}
    for trial, tuned in zip(trials, found, strict=True):
        casts[trial.cell] = replace(casts.get(trial.cell, cast), **{trial.role: tuned.policy})
    return casts


def tuning_table(trials: Sequence[Trial], found: Sequence[Tuned]) -> pd.DataFrame:
    """Return a row for each search: what it gained on fresh deals (IP), whether it counts, and the weights it tried."""
    rows = [
        {
            "policy": trial.policy.name,
            "points": trial.cell.points,
            "figure": trial.cell.figure,
            "field": ", ".join(policy.name for policy in trial.field),
            "gain": tuned.gain,
            "gain_se": tuned.gain_se,
            "gain_low": tuned.gain_low,
            "better": tuned.better,
            "generations": tuned.generations,
            **{f"weight_{knob.weight}": tuned.candidate.get(knob.weight, np.nan) for knob in trial.knobs},
        }
        for trial, tuned in zip(trials, found, strict=True)
    ]
    return pd.DataFrame(rows)


# --- The study -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Plan:
    """A study that is about to be played."""

    settings: Settings
    grid: Grid
    cast: Cast

    @cached_property
    def sweeps(self) -> list[Sweep]:
        """What is played with the policies as they are."""
        return sweeps_of(self.settings, self.grid, dict.fromkeys(self.grid.cells, self.cast), PLAYED)

    @property
    def identities(self) -> list[str]:
        """Hashes of all that decides the sums."""
        tuning = [vars(self.settings.budget), self.settings.seed, code_at_start()]
        return [*(sweep.identity for sweep in self.sweeps), identity_of(tuning)]


def plan_of(settings: Settings, rulebook: Rulebook) -> Plan:
    """Return what settings ask for; InputError as `grid_of` and `cast_of`."""
    return Plan(settings, grid_of(settings, rulebook), cast_of(settings))


def run(
    plan: Plan,
    *,
    jobs: int = 1,
    folder: Path | None = None,
    progress: MakeProgress | None = None,
) -> Result:
    """Play a study and estimate its tables.

    Parameters
    ----------
    jobs : workers; -1 for one a core
    folder : where checkpoints are kept (it exists); deals and generations found there are not played again
    progress : makes what is told of the deals played

    Raises
    ------
    InputError
        For checkpoints of another study.
    KeyboardInterrupt
        After Ctrl-C, with checkpoints written.
    """
    settings, grid = plan.settings, plan.grid
    sweeps = list(plan.sweeps)
    compile_all(sweeps[0], sweeps[0].first)
    states = _play_all(sweeps, settings, jobs, folder, progress)
    tuning = pd.DataFrame()
    if settings.budget.generations:
        trials = trials_of(settings, grid, plan.cast)
        found = run_trials(settings, grid, trials, jobs, folder, progress)
        tuning = tuning_table(trials, found)
        more = sweeps_of(settings, grid, tuned_casts(trials, found, plan.cast), TUNED)
        states += _play_all(more, settings, jobs, folder, progress)
        sweeps += more
    return Result(_tables(plan, sweeps, states, tuning), _facts(plan, sweeps, states))


def _play_all(
    sweeps: Sequence[Sweep],
    settings: Settings,
    jobs: int,
    folder: Path | None,
    progress: MakeProgress | None,
) -> list[State]:
    """Play what is missing of some sweeps, each with a checkpoint of its own."""
    return [
        play_deals(
            sweep,
            sweep.deals(settings.games),
            chunk_deals=max(1, 2 * sweep.first.chunk_blocks // len(sweep.batches)),
            jobs=jobs,
            file=folder / f"checkpoint-{sweep.arm}-{number}.npz" if folder else None,
            progress=progress,
        )
        for number, sweep in enumerate(sweeps, 1)
    ]


def _swept(plan: Plan, sweep: Sweep, state: State, arm: str) -> estimates.Swept:
    return estimates.from_sums(
        arm,
        sweep.line_up,
        state.sums,
        cells=sweep.again if arm == RESCORED else tuple(sweep.batches),
        policies=sweep.first.labels,
        sides=tuple(_side(plan.cast, policy) for policy in sweep.first.policies),
        own=plan.grid.own,
        seats=sweep.first.seats,
    )


def _side(cast: Cast, policy: Policy) -> int:
    """Return the side of a policy, tuned or not: tuning leaves the name."""
    sides = {cast.smuggler.name: 1, cast.honest.name: -1}
    return sides.get(policy.name, 0)


def _tables(
    plan: Plan, sweeps: Sequence[Sweep], states: Sequence[State], tuning: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return all tables, in the order of the report."""
    played = list(zip(sweeps, states, strict=True))
    swept = [_swept(plan, sweep, state, RESCORED) for sweep, state in played if sweep.again]
    swept += [_swept(plan, sweep, state, sweep.arm) for sweep, state in played]
    own = [(sweep, state) for sweep, state in played if sweep.arm == PLAYED]

    def each(make: Callable[[Sweep, State], pd.DataFrame]) -> pd.DataFrame:
        return pd.concat([make(sweep, state) for sweep, state in own], ignore_index=True)

    def as_line_up(sweep: Sweep, state: State) -> lord_estimates.LineUpResult:
        return lord_estimates.LineUpResult(sweep.line_up, sweep.first.labels, sweep.first.seats, state.sums)

    tables = {
        "break_even": estimates.break_even_table(swept, plan.grid.axes),
        "cells": estimates.cell_table(swept),
        "effects": estimates.effect_table(swept),
        "curves": estimates.curve_table(swept, plan.grid.axes),
        "behaviour": estimates.behaviour_table(swept),
        "figure": estimates.figure_table(swept),
        "ends": each(lambda sweep, state: lord_estimates.end_table(as_line_up(sweep, state))),
        "lengths": each(lambda sweep, state: lord_estimates.length_table(as_line_up(sweep, state))),
        "options": each(lambda sweep, state: option_table(sweep.line_up, state.sums)),
        "notable": each(lambda sweep, state: notable_table(sweep.line_up, state.sums)),
        "games": games_to_look_at(sweeps[1], plan.settings.games),
    }
    return {**tables, "tuning": tuning} if len(tuning) else tables


def games_to_look_at(sweep: Sweep, games: int) -> pd.DataFrame:
    """Return games of the smuggler's among the first deals, under the rules' own penalties.

    Where it gained most Nebulis, passed most on, held most at the end, paid most Krakens, and where its penalty decided
    the game: it would have won without. `margin` is that of its seat.
    """
    batch = sweep.batches[sweep.own]
    rows = batch.play(batch.tasks(Chunk(0, min(LOOK_DEALS, sweep.deals(games)))), batch.scratch())
    smuggler = next(place for place, policy in enumerate(batch.policies) if policy.name == sweep.first.lineup[0].name)
    seat_of = (rows["policy"] == smuggler).argmax(axis=1)
    own = rows[np.arange(len(rows)), seat_of]
    penalty = -(own["nebulis"] + own["kraken"])
    short = rows["total"].max(axis=1) - own["total"]
    counts = own["counts"]
    keys = {
        "most Nebulis taken": counts[:, Count.NEBULIS_GAINED],
        "most Nebulis passed on": counts[:, Count.NEBULIS_PASSED],
        "most Nebulis at the end": own["nebulis_held"],
        "most Krakens paid": counts[:, Count.KRAKENS_PAID],
        "lost by its penalty": np.where((short > 0) & (short < penalty), penalty, -1),
    }
    found = []
    for kind, key in keys.items():
        place = int(key.argmax())
        if key[place] > 0:
            row = own[place]
            seen = (row["game"], row["rotation"], row["seat"], counts[place, Count.NEBULIS_GAINED], row["nebulis_held"])
            found.append((kind, *map(int, seen), int(-penalty[place]), float(row["margin12"] / estimates.SHARE)))
    columns = ["kind", "game", "rotation", "seat", "nebulis_gained", "nebulis_held", "penalty", "margin"]
    return pd.DataFrame(found, columns=columns)


def _facts(plan: Plan, sweeps: Sequence[Sweep], states: Sequence[State]) -> dict[str, Any]:
    """Return what a reader needs to judge and to repeat the study."""
    settings, rulebook = plan.settings, plan.grid.rulebooks[plan.grid.own]
    line_ups = [_line_up(sweep, state) for sweep, state in zip(sweeps, states, strict=True)]
    return {
        "study": NAME,
        "players": settings.players,
        "seed": settings.seed,
        "own": plan.grid.own._asdict(),
        "points": list(plan.grid.points),
        "figure": list(plan.grid.figure),
        "policies": {role: getattr(settings, role) for role in ROLES},
        "policy_hashes": {role: getattr(plan.cast, role).policy_hash for role in ROLES},
        "names": {role: getattr(plan.cast, role).name for role in ROLES},
        "tuning": {**vars(settings.budget), "cells": len(plan.grid.tuned)},
        **shared_facts(rulebook, line_ups),
    }


def _line_up(sweep: Sweep, state: State) -> dict[str, Any]:
    return line_up_facts(
        sweep.line_up,
        sweep.batches[sweep.own],
        state,
        arm=sweep.arm,
        games=len(state.done) * sweep.turns,
        cells=len(sweep.batches),
    )
