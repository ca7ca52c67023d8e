"""The half of the study of Sacred Places that plays: what rewards are worth, fed back until they no longer move.

A round plays deals with one policy at all seats, and again with gifts to one seat (gift_sums). What the gifts were
worth in IP becomes what the policy holds the rewards of Loot to be worth, and the next round plays fresh deals with it.
With the worths of the last round two policies differ only in when they stop searching, for IP or for wins; they play
each other, and the Locations are measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from abysssim.core.layout import MAX_SEARCHES
from abysssim.errors import InputError
from abysssim.policies.presets import Policy, load_policy, policy_records
from abysssim.rules.rulebook import Rulebook
from abysssim.simulate import Batch, Chunk, Piece
from abysssim.store import State, identity_of
from abysssim.studies import gift_sums as gifts
from abysssim.studies import sacred_estimates as estimates
from abysssim.studies.health import never_held, notes_of
from abysssim.studies.lord_sums import add_base_games, new_base_sums, of_lords
from abysssim.studies.playing import (
    LOOK_DEALS,
    MakeProgress,
    ReplayedBatch,
    TwoDesks,
    clear_counters,
    code_at_start,
    compile_all,
    counters,
    identity_of_arm,
    play_deals,
)
from abysssim.studies.result import Result, line_up_facts, shared_facts
from abysssim.studies.search_checks import Rewards, add_searches, new_search_sums, rewards_of
from abysssim.studies.settings import as_name, as_whole, check_known, counts_of
from abysssim.vocabulary import PolicyKind

NAME = "sacred-places"
EXPANSION = "kraken"
MOST_ROUNDS = 4
#: Deals in a chunk, each played up to six times: so that Ctrl-C is prompt.
CHUNK = 512
#: Names of the policies that the study makes.
IP_BEST, WIN_BEST, LOOT_ALONE = "IP-best", "win-best", "Loot-alone"


# --- Settings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """What the study is told.

    players : seats. games : base games in each round and in each other part, rounded up to whole deals. seed : of the
    deals of the first round; other parts have seeds of their own. rounds : the most there may be. policy : at all
    seats, of the weighted kind; a preset's name or a path.
    """

    players: int = 4
    games: int = 100_000
    seed: int = 1
    rounds: int = MOST_ROUNDS
    policy: str = "balanced"

    def as_table(self) -> dict[str, Any]:
        """Return the settings as they would be written in a settings file."""
        return {
            "players": self.players,
            "games": self.games,
            "seed": self.seed,
            "rounds": self.rounds,
            "policy": self.policy,
        }


def settings_from(data: Mapping[str, Any], where: str) -> Settings:
    """Return the settings that a table holds; `where` names it in errors. Raises InputError."""
    check_known(data, tuple(Settings().as_table()), where)
    found = counts_of(data, where)
    if "rounds" in data:
        found["rounds"] = as_whole(data["rounds"], "rounds", 1, MOST_ROUNDS, where)
    if "policy" in data:
        found["policy"] = as_name(data["policy"], "policy", where)
    return replace(Settings(), **found)


def check(settings: Settings, rulebook: Rulebook) -> Policy:
    """Return the policy of the settings.

    Raises
    ------
    InputError
        For rules without Loot, players that the game is not for, or a policy that weighs nothing.
    """
    if not rulebook.record[0].loot_copies.any():
        raise InputError("these rules have no Sacred Places and no Loot; add --expansion kraken")
    rulebook.check_players(settings.players)
    policy = load_policy(settings.policy)
    if policy.kind != PolicyKind.WEIGHTED:
        raise InputError(f"policy '{policy.name}' does not weigh rewards: the study needs one of kind 'weighted'")
    return policy


def identity_of_study(settings: Settings, rulebook: Rulebook) -> str:
    """Return a hash of all that decides what the study finds, the number of games included: rounds build on rounds."""
    return identity_of(
        {
            "study": NAME,
            "code": code_at_start(),
            "rules": rulebook.rules_hash,
            "policy": load_policy(settings.policy).policy_hash,
            **settings.as_table(),
        }
    )


# --- Play ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Arm(ReplayedBatch):
    """One part of the study: what is played, and what is played again.

    gifts, bars : whether gifts are given, and Locations barred
    """

    gifts: bool = False
    bars: bool = False

    @property
    def searches(self) -> bool:
        """Whether searches are held against what is expected of them: where all seats have one policy."""
        return len(self.batch.policies) == 1

    @property
    def identity(self) -> str:
        """Hash of all that decides the sums of a deal."""
        return identity_of_arm(NAME, self.batch, gifts=self.gifts, bars=self.bars)

    @property
    def rewards(self) -> Rewards:
        """The rewards of Loot as the first policy weighs them."""
        return rewards_of(self.batch.rulebook.record[0], policy_records(self.batch.policies[:1])[0])

    def play(self, chunk: Chunk, scratch: TwoDesks) -> Piece:
        """Play a chunk of deals, and again with gifts and bars, and return its sums."""
        desk = clear_counters(scratch.base)
        rows = self.batch.play(self.batch.tasks(chunk), scratch.base)
        sums = new_base_sums(len(self.batch.policies))
        add_base_games(sums, rows)
        sums |= counters(desk) | notes_of(rows)
        if self.searches:
            sums |= new_search_sums()
            notes = noted(desk)
            add_searches(sums, notes, rows["game"][notes["task"], 0], self.rewards)
        if self.gifts:
            sums |= self._with_gifts(rows, scratch)
        if self.bars:
            sums |= self._with_bars(rows, scratch)
        return Piece(sums)

    def _with_gifts(self, rows: Any, scratch: TwoDesks) -> dict[str, Any]:
        batch, sums = self.batch, gifts.new_gift_sums()
        picks = gifts.pick_turns(rows, batch.seed_words)
        given = batch.play(gifts.gift_tasks(rows, picks, gifts.GIFTS), scratch.replay)
        gifts.add_gifts(sums, rows, picks, given)
        nothing = gifts.placebos(rows, picks, batch.seed_words)
        gifts.add_placebos(
            sums, rows, nothing, batch.play(gifts.gift_tasks(rows, nothing, ("nothing",)), scratch.replay)
        )
        gifts.add_one_ip(sums, rows, of_lords(batch.rulebook, "points"))
        return sums

    def _with_bars(self, rows: Any, scratch: TwoDesks) -> dict[str, Any]:
        sums = gifts.new_location_sums()
        gifts.add_locations(sums, rows)
        picks = gifts.pick_locations(rows, self.batch.seed_words)
        gifts.add_bars(sums, rows, picks, self.batch.play(gifts.location_tasks(rows, picks), scratch.replay))
        return sums


def noted(desk: Any) -> Any:
    """Return a copy of the searches that a desk noted, SEARCH (n,); RuntimeError if it had no room for all."""
    count = int(desk.search_count)
    if count > MAX_SEARCHES:
        raise RuntimeError(f"{count} searches were played at once; there is room for {MAX_SEARCHES}")
    return np.array(desk.searches[:count])


@dataclass(frozen=True, eq=False)
class Part:
    """An arm and what it came to."""

    arm: Arm
    state: State


class Player:
    """Plays the parts of a study one after the other, each with a seed and a checkpoint of its own."""

    def __init__(
        self, settings: Settings, rulebook: Rulebook, jobs: int, folder: Path | None, progress: MakeProgress | None
    ) -> None:
        """Nothing is played yet."""
        self.settings, self.rulebook = settings, rulebook
        self.jobs, self.folder, self.progress = jobs, folder, progress
        self.parts: list[Part] = []

    def play(self, name: str, lineup: Sequence[Policy], **what: bool) -> Part:
        """Play a part: a line-up, in all its rotations, on deals that no other part has."""
        number = len(self.parts)
        seed = (self.settings.seed + number) % 2**64
        arm = Arm(name, Batch(self.rulebook, tuple(lineup), seed, rotate=True), **what)
        if number == 0:
            compile_all(arm, arm.batch)
        state = play_deals(
            arm,
            -(-self.settings.games // arm.turns),
            chunk_deals=max(1, CHUNK // arm.turns),
            jobs=self.jobs,
            file=self.folder / f"checkpoint-{number + 1}.npz" if self.folder else None,
            progress=self.progress,
        )
        self.parts.append(Part(arm, state))
        return self.parts[-1]

    def round(self, number: int, policy: Policy) -> estimates.Round:
        """Play a round of gifts, and estimate what they were worth."""
        part = self.play(f"round {number}", [policy] * self.settings.players, gifts=True)
        return estimates.Round(number, policy, part.state.sums)

    def one_among(self, one: Policy, others: Policy) -> Part:
        """Play a policy at one seat against another at all the others."""
        return self.play(f"{one.name} among {others.name}", [one, *[others] * (self.settings.players - 1)])


def run(
    settings: Settings,
    rulebook: Rulebook,
    *,
    jobs: int = 1,
    folder: Path | None = None,
    progress: MakeProgress | None = None,
) -> "Found":
    """Play the study and estimate its tables.

    Parameters
    ----------
    jobs : workers; -1 for one a core
    folder : where checkpoints are kept (it exists); deals found there are not played again
    progress : makes what is told of the deals played

    Raises
    ------
    InputError
        As `check`, or for checkpoints of another study.
    KeyboardInterrupt
        After Ctrl-C, with checkpoints written.
    """
    given = check(settings, rulebook)
    player = Player(settings, rulebook, jobs, folder, progress)
    rounds = [player.round(1, given)]
    while len(rounds) < settings.rounds and not rounds[-1].settled:
        rounds.append(player.round(len(rounds) + 1, with_worths(given, IP_BEST, rounds[-1].ip_worths)))
    last = rounds[-1]
    made = {
        IP_BEST: with_worths(given, IP_BEST, last.ip_worths),
        WIN_BEST: with_worths(given, WIN_BEST, last.win_worths),
        LOOT_ALONE: with_worths(given, LOOT_ALONE, dict.fromkeys(last.ip_worths, 0.0)),
    }
    ip, win, alone = made.values()
    duels = [player.one_among(win, ip), player.one_among(ip, win), player.one_among(ip, given)]
    duels.append(player.one_among(alone, ip))
    locations = player.play("Locations", [ip] * settings.players, bars=True)
    tables = _tables(settings, rulebook, rounds, made, player.parts, duels, locations)
    return Found(tables, _facts(settings, rulebook, rounds, player.parts), made)


def with_worths(policy: Policy, name: str, worths: Mapping[str, float]) -> Policy:
    """Return a policy that differs from another in its name and some weights."""
    return replace(policy, name=name, weights={**policy.weights, **worths}, title="", about="", source="")


def policy_file(policy: Policy) -> str:
    """Return a policy as a file that `load_policy` reads."""
    lines = [f'title = "{policy.name}"', 'kind = "weighted"', f"noise = {policy.noise!r}", "", "[weights]"]
    return "\n".join([*lines, *(f"{name} = {float(value)!r}" for name, value in policy.weights.items())]) + "\n"


def weights_as_json(result: Result) -> dict[str, dict[str, float]]:
    """Return the weights of the policies for IP and for wins, as far as the study found them."""
    return {"ip": result.facts["ip_worths"], "win": result.facts["win_worths"]}


# --- Result --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Found(Result):
    """What the study found, and the policies that it made, by name."""

    policies: dict[str, Policy]


def _tables(
    settings: Settings,
    rulebook: Rulebook,
    rounds: Sequence[estimates.Round],
    made: Mapping[str, Policy],
    parts: Sequence[Part],
    duels: Sequence[Part],
    locations: Part,
) -> dict[str, pd.DataFrame]:
    """Return all tables, in the order of the report."""
    played = [estimates.Played(part.arm.name, part.arm.batch, part.state.sums) for part in parts]
    by_name = {one.name: one for one in played}
    place = by_name[locations.arm.name]
    rewards = {name: rewards_of(rulebook.record[0], policy_records([policy])[0]) for name, policy in made.items()}
    states = estimates.search_states(played)
    return {
        "shadow": estimates.shadow_table(rounds[-1]),
        "worths": estimates.worth_table(rewards[IP_BEST], rewards[WIN_BEST], rulebook, states),
        "rounds": estimates.round_table(rounds),
        "one_ip": estimates.one_ip_table(rounds),
        "stop_rules": estimates.rule_table(rewards[IP_BEST], rewards[WIN_BEST], rulebook),
        "stop_games": estimates.duel_table([by_name[part.arm.name] for part in duels]),
        "locations": estimates.location_table(place, rulebook),
        "sacred": estimates.sacred_table(place, rulebook),
        "searches": estimates.search_table(played),
        "search_tests": estimates.search_tests(played),
        "search_states": states,
        **estimates.behaviour_tables(played),
        "games": games_to_look_at(parts[0].arm, settings.games),
    }


def games_to_look_at(arm: Arm, games: int) -> pd.DataFrame:
    """Return searches among the first deals of a part: those that kept most, lost most, and drew most.

    loot : IP kept; lost : IP of the Loot that the duplicate took along; drawn : cards.
    """
    deals = min(LOOK_DEALS, games)
    scratch = arm.batch.scratch()
    clear_counters(scratch)
    rows = arm.batch.play(arm.batch.tasks(Chunk(0, deals)), scratch)
    notes = noted(scratch.desks[0])
    table = pd.DataFrame({"game": rows["game"][notes["task"], 0], "seat": notes["seat"]})
    names = [arm.batch.rulebook.location_name(int(number)) for number in notes["location"]]
    table["location"] = names
    held = [[value for value in range(10) if int(mask) >> value & 1] for mask in notes["held"]]
    table["held"] = [" ".join(map(str, values)) for values in held]
    table["duplicate"] = notes["duplicate"]
    busts = notes["duplicate"] >= 0
    table["lost"] = np.where(busts, notes["duplicate"], 0)
    table["loot"] = np.array([sum(values) for values in held], dtype=np.int64) - table["lost"]
    table["drawn"] = np.array([len(values) for values in held], dtype=np.int64) + busts
    kinds = {"kept most": "loot", "lost most": "lost", "drew most": "drawn"}
    found = [
        table.sort_values([key, "game", "seat"], ascending=[False, True, True]).head(3).assign(kind=kind)
        for kind, key in kinds.items()
    ]
    joined = pd.concat(found, ignore_index=True)
    return joined[["kind", *(name for name in joined.columns if name != "kind")]]


def _facts(
    settings: Settings, rulebook: Rulebook, rounds: Sequence[estimates.Round], parts: Sequence[Part]
) -> dict[str, Any]:
    """Return what a reader needs to judge and to repeat the study."""
    line_ups = [_line_up(rulebook, part) for part in parts]
    return {
        "study": NAME,
        "exact": False,
        "settings": settings.as_table(),
        "players": settings.players,
        "seed": settings.seed,
        "policy": load_policy(settings.policy).name,
        "rounds": len(rounds),
        "settled": rounds[-1].settled,
        "ip_worths": rounds[-1].ip_worths,
        "win_worths": rounds[-1].win_worths,
        "placebo": [int(sum(one.sums["placebo"][i] for one in rounds)) for i in range(2)],
        "late_gifts": int(sum(one.sums["late_gifts"][0] for one in rounds)),
        **shared_facts(rulebook, line_ups),
    }


def _line_up(rulebook: Rulebook, part: Part) -> dict[str, Any]:
    batch, sums = part.arm.batch, part.state.sums
    replays = sum(int(sums[name].sum()) for name in ("gifts", "late_gifts", "bars") if name in sums)
    return line_up_facts(
        part.arm.name,
        batch,
        part.state,
        seed=batch.seed,
        replays=replays + (int(sums["placebo"][0]) if "placebo" in sums else 0),
        decisions=int(sums["decisions"][0]),
        locations_never_held=never_held(rulebook, sums["location_holds"]),
    )
