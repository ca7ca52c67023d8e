"""What is a Lord worth to the seat that takes it? The study: settings, play, result.

For each deal the base game is played; wherever a seat took a Lord by its own choice, the same deal is played again
with "this seat may not take this Lord". The mean difference over takes is the Lord's take-value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from abysssim.errors import InputError, nearest
from abysssim.policies.presets import Policy, load_policy
from abysssim.rules.rulebook import Rulebook
from abysssim.simulate import Batch, Chunk, Piece
from abysssim.store import State
from abysssim.studies import lord_estimates as estimates
from abysssim.studies.health import never_held, notable_table, notes_of, option_table
from abysssim.studies.lord_sums import add_games, add_replays, bar_tasks, new_sums, of_lords, pick_takes
from abysssim.studies.playing import (
    LOOK_DEALS,
    MakeProgress,
    ReplayedBatch,
    TwoDesks,
    clear_counters,
    compile_all,
    counters,
    identity_of_arm,
    play_deals,
)
from abysssim.studies.result import Result, line_up_facts, shared_facts
from abysssim.studies.settings import as_name, as_positive, as_table, check_known, counts_of
from abysssim.vocabulary import Guild, Timing

NAME = "lord-values"
TAKES = ("one", "all")
MIXED = ("balanced", "rusher", "hoarder", "trader")


# --- Settings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LineUp:
    """A name and the policies of the seats; one policy stands for all seats."""

    name: str
    policies: tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """What a study is told.

    players : seats. games : base games for each line-up, rounded up to whole deals. seed : of the deals. takes : "one"
    take of each game is played again, or "all". region_ip, region_win : half-widths of the region of practical
    equivalence, in IP and in percentage points of win share. line_ups : those wanted; none for the default ones.
    """

    players: int = 4
    games: int = 200_000
    seed: int = 1
    takes: str = "one"
    region_ip: float = 0.5
    region_win: float = 0.5
    line_ups: tuple[LineUp, ...] = ()

    @property
    def lineups(self) -> tuple[LineUp, ...]:
        """The line-ups to play: those given, or the default ones for so many players."""
        return self.line_ups or default_line_ups(self.players)

    def as_table(self) -> dict[str, Any]:
        """Return the settings as they would be written in a settings file."""
        table: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        table["region"] = {"ip": table.pop("region_ip"), "win_share": table.pop("region_win")}
        del table["line_ups"]
        table["line_up"] = [{"name": one.name, "policies": list(one.policies)} for one in self.lineups]
        return table


def default_line_ups(players: int) -> tuple[LineUp, ...]:
    """Return one line-up of equal policies and a mixed one."""
    return LineUp("all balanced", ("balanced",)), LineUp("mixed", MIXED[:players])


def settings_from(data: Mapping[str, Any], where: str) -> Settings:
    """Return the settings that a table holds; `where` names it in errors. Raises InputError."""
    check_known(data, ("players", "games", "seed", "takes", "region", "line_up"), where)
    settings = Settings()
    found = counts_of(data, where)
    if "takes" in data:
        if data["takes"] not in TAKES:
            hint = nearest(str(data["takes"]), TAKES)
            raise InputError(f"{where}: takes must be 'one' or 'all', not {data['takes']!r}{hint}")
        found["takes"] = data["takes"]
    region = as_table(data.get("region", {}), "region", where)
    check_known(region, ("ip", "win_share"), where, "region.")
    for key, name in (("ip", "region_ip"), ("win_share", "region_win")):
        if key in region:
            found[name] = as_positive(region[key], f"region.{key}", where)
    if "line_up" in data:
        found["line_ups"] = _line_ups(data["line_up"], where)
    return replace(settings, **found)


def _line_ups(value: Any, where: str) -> tuple[LineUp, ...]:
    if not isinstance(value, list) or not value:
        raise InputError(f"{where}: line_up must be one or more [[line_up]] tables, not {value!r}")
    line_ups = []
    for number, item in enumerate(value):
        key = f"line_up[{number}]"
        table = as_table(item, key, where)
        check_known(table, ("name", "policies"), where, f"{key}.")
        policies = table.get("policies")
        if not isinstance(policies, list) or not policies or not all(isinstance(name, str) for name in policies):
            raise InputError(f"{where}: {key}.policies must be a list of policies, not {policies!r}")
        name = as_name(table.get("name", line_up_name(policies)), f"{key}.name", where)
        line_ups.append(LineUp(name, tuple(policies)))
    return tuple(line_ups)


def line_up_name(policies: Sequence[str]) -> str:
    """Return a name for a line-up without one: "all balanced", "3 balanced + random"."""
    stems = [Path(policy).stem if policy.endswith(".toml") else policy for policy in policies]
    kinds = list(dict.fromkeys(stems))
    if len(kinds) == 1:
        return f"all {kinds[0]}"
    counts = [stems.count(kind) for kind in kinds]
    return " + ".join(kind if count == 1 else f"{count} {kind}" for kind, count in zip(kinds, counts, strict=True))


# --- Play ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Arm(ReplayedBatch):
    """One line-up of a study: what is played, and how takes are chosen."""

    takes: str

    @property
    def identity(self) -> str:
        """Hash of all that decides the sums of a deal."""
        return identity_of_arm(NAME, self.batch, takes=self.takes)

    @property
    def in_game(self) -> Any:
        """1 for each Lord in the game, shape (Lords,)."""
        return of_lords(self.batch.rulebook, "in_game")

    def play(self, chunk: Chunk, scratch: TwoDesks) -> Piece:
        """Play a chunk of deals with and without bars and return its sums."""
        rulebook = self.batch.rulebook
        sums = new_sums(len(rulebook.lords), len(self.batch.policies))
        desk = clear_counters(scratch.base)
        rows = self.batch.play(self.batch.tasks(chunk), scratch.base)
        add_games(sums, rows)
        picks = pick_takes(rows, self.in_game, self.batch.seed_words, self.takes == "all")
        add_replays(sums, rows, picks, self.batch.play(bar_tasks(rows, picks), scratch.replay))
        sums |= counters(desk) | notes_of(rows)
        return Piece(sums)


def arms_of(settings: Settings, rulebook: Rulebook) -> list[Arm]:
    """Return what a study plays, one arm a line-up.

    Raises
    ------
    InputError
        For players that the game is not for, a line-up of the wrong length, or a policy that there is not.
    """
    players = rulebook.check_players(settings.players)
    names = [line_up.name for line_up in settings.lineups]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two line-ups are called '{name}': give them different names")
    arms = []
    for line_up in settings.lineups:
        policies = line_up.policies * players if len(line_up.policies) == 1 else line_up.policies
        if len(policies) != players:
            raise InputError(
                f"line-up '{line_up.name}' has {len(policies)} policies for {players} players; "
                "give one for each player, or a single one for all"
            )
        lineup: tuple[Policy, ...] = tuple(load_policy(name) for name in policies)
        arms.append(Arm(line_up.name, Batch(rulebook, lineup, settings.seed, rotate=True), settings.takes))
    return arms


# --- Result --------------------------------------------------------------------------------------------------------


def run(
    settings: Settings,
    rulebook: Rulebook,
    *,
    jobs: int = 1,
    folder: Path | None = None,
    progress: MakeProgress | None = None,
) -> Result:
    """Play a study and estimate its tables.

    Parameters
    ----------
    jobs : workers; -1 for one a core
    folder : where checkpoints are kept (it exists); deals found there are not played again
    progress : makes what is told of the deals played, from a line-up's name, the number of deals, that of those
        played before, and the games of a deal

    Raises
    ------
    InputError
        As `arms_of`, or for checkpoints of another study.
    KeyboardInterrupt
        After Ctrl-C, with checkpoints written.
    """
    arms = arms_of(settings, rulebook)
    compile_all(arms[0], arms[0].batch)
    played = [
        play_deals(
            arm,
            -(-settings.games // arm.turns),
            chunk_deals=2 * arm.batch.chunk_blocks,
            jobs=jobs,
            file=folder / f"checkpoint-{number}.npz" if folder else None,
            progress=progress,
        )
        for number, arm in enumerate(arms, 1)
    ]
    return Result(_tables(settings, rulebook, arms, played), _facts(settings, rulebook, arms, played))


def cards_of(rulebook: Rulebook) -> pd.DataFrame:
    """Return the printed facts of the Lords in the game, one row each, in the order of the rules."""
    rows = []
    for number, key in enumerate(rulebook.lords):
        lord = rulebook.record[0].lords[number]
        if lord["in_game"]:
            rows.append(
                {
                    "lord": key,
                    "number": number,
                    "name": rulebook.lord_name(number),
                    "guild": Guild(int(lord["guild"])).name.lower(),
                    "cost": int(lord["cost"]),
                    "races": int(lord["races"]),
                    "points": int(lord["points"]),
                    "keys": int(lord["keys"]),
                    "timing": Timing(int(lord["timing"])).name.lower(),
                }
            )
    return pd.DataFrame(rows)


def _tables(
    settings: Settings, rulebook: Rulebook, arms: Sequence[Arm], played: Sequence[State]
) -> dict[str, pd.DataFrame]:
    """Return all tables, in the order of the report."""
    cards = cards_of(rulebook)
    regions = {"ip": settings.region_ip, "win": settings.region_win}
    results = [
        estimates.LineUpResult(arm.name, arm.batch.labels, arm.batch.seats, state.sums)
        for arm, state in zip(arms, played, strict=True)
    ]

    def each(make: Callable[[estimates.LineUpResult], pd.DataFrame]) -> pd.DataFrame:
        return pd.concat([make(result) for result in results], ignore_index=True)

    lords = each(lambda result: estimates.lord_table(result, cards, regions))
    return {
        "lords": lords,
        "verdicts": estimates.verdict_table(lords, "ip"),
        "verdicts_win": estimates.verdict_table(lords, "win"),
        "agreement": estimates.agreement_table(lords, "ip"),
        "lords_by_policy": each(lambda result: estimates.policy_lord_table(result, cards)),
        "behaviour": each(estimates.behaviour_table),
        "seats": each(estimates.seat_table),
        "ends": each(estimates.end_table),
        "lengths": each(estimates.length_table),
        "options": each(lambda result: option_table(result.name, result.sums)),
        "notable": each(lambda result: notable_table(result.name, result.sums)),
        "games": games_to_look_at(arms[0], lords[lords["line_up"] == arms[0].name], settings.games),
    }


def games_to_look_at(arm: Arm, lords: pd.DataFrame, games: int) -> pd.DataFrame:
    """Return for each Lord up to three replayed takes among the first deals: where it helped most, typically, least.

    `margin` and `barred_margin` are the taker's IP ahead of the mean of the others, with and without the Lord.
    """
    blocks = min(LOOK_DEALS, -(-games // arm.turns))
    scratch = arm.scratch()
    rows = arm.batch.play(arm.batch.tasks(Chunk(0, blocks)), scratch.base)
    picks = pick_takes(rows, arm.in_game, arm.batch.seed_words, True)
    picks = picks[picks["weight"] > 0]
    barred = arm.batch.play(bar_tasks(rows, picks), scratch.replay)
    base_row = rows[picks["place"], picks["seat"]]
    bar_row = barred[np.arange(len(picks)), picks["seat"]]
    margin, without = base_row["margin12"] / estimates.SHARE, bar_row["margin12"] / estimates.SHARE
    gain = margin - without
    found = []
    row_of_lord: Any
    for row_of_lord in lords.itertuples():
        lord = row_of_lord
        takes = np.flatnonzero(picks["lord"] == lord.number)
        if not takes.size:
            continue
        near = lord.ip_value if np.isfinite(lord.ip_value) else gain[takes].mean()
        chosen = {
            "typical": takes[np.abs(gain[takes] - near).argmin()],
            "helped most": takes[gain[takes].argmax()],
            "helped least": takes[gain[takes].argmin()],
        }
        seen: set[int] = set()
        for kind, take in chosen.items():
            if int(take) in seen:
                continue
            seen.add(int(take))
            row = base_row[take]
            place = (int(row["game"]), int(row["rotation"]), int(row["seat"]), int(row["took_turn"][lord.number]))
            found.append((lord.lord, lord.name, kind, *place, margin[take], without[take], gain[take]))
    columns = ["lord", "name", "kind", "game", "rotation", "seat", "turn", "margin", "barred_margin", "gain"]
    return pd.DataFrame(found, columns=columns)


def _facts(
    settings: Settings, rulebook: Rulebook, arms: Sequence[Arm], played: Sequence[State]
) -> dict[str, Any]:
    """Return what a reader needs to judge and to repeat the study."""
    line_ups = [_line_up(rulebook, arm, state) for arm, state in zip(arms, played, strict=True)]
    return {
        "study": NAME,
        "players": settings.players,
        "seed": settings.seed,
        "takes": settings.takes,
        "region": {"ip": settings.region_ip, "win_share": settings.region_win},
        "lords": len(cards_of(rulebook)),
        **shared_facts(rulebook, line_ups),
    }


def _line_up(rulebook: Rulebook, arm: Arm, state: State) -> dict[str, Any]:
    sums = state.sums
    return line_up_facts(
        arm.name,
        arm.batch,
        state,
        replays=int(sums["replays"].sum() + sums["placebo"][0]),
        decisions=int(sums["decisions"][0]),
        placebo_replays=int(sums["placebo"][0]),
        placebo_changed=int(sums["placebo"][1]),
        locations_never_held=never_held(rulebook, sums["location_holds"]),
    )
