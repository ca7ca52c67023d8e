"""From the sums of the study of Sacred Places to estimates and tables: shadow values, duels, Locations, searches.

Columns named `ip_...` are in IP (margin: own IP less the mean of the others), `own_...` in IP of the seat itself,
`win_...` in percentage points of win share; `..._low` and `..._high` are pointwise 95 % ends.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abysssim.policies.krakens import MOST_KEYS
from abysssim.policies.presets import Policy
from abysssim.policies.weights import PHASES, SCALE
from abysssim.rules.rulebook import Rulebook
from abysssim.simulate import Batch
from abysssim.stats.intervals import pointwise, sidak_z, simultaneous
from abysssim.stats.jackknife import Jackknife, combine, ratio, select
from abysssim.stats.paired import variance_reduction
from abysssim.store import Sums
from abysssim.studies import lord_estimates
from abysssim.studies.gift_sums import GIFTS, OUTCOMES, PEARLS_GIVEN
from abysssim.studies.health import notable_table, option_table
from abysssim.studies.loot import NOTHING, Search, one_step_rule, outcome
from abysssim.studies.lord_sums import MEASURES as SEAT_MEASURES
from abysssim.studies.sacred_exact import set_name
from abysssim.studies.search_checks import FINE, MEASURES, STAGES, Rewards, Starts, goes_on, worth_with

Floats = NDArray[np.float64]

SHARE = 12.0
#: Column prefix of each outcome, and what its sums are divided by to be in the unit of the column.
UNITS = {"ip": ("margin12", SHARE), "own": ("total", 1.0), "win": ("win12", SHARE / 100)}
#: Cells with fewer gifts than this take the mean of their phase.
MIN_GIFTS = 400
KEY_NAMES = ("0", "1", "2+")
ANY = "any"
#: What each kind of gift is called in tables, and into how many its worth is divided.
REWARDS = {"key": ("key", 1), "pearls": ("pearl", PEARLS_GIVEN), "token": ("token", 1), "ally": ("ally", 1)}
#: Cells of searches with fewer take no part in the chi-square test.
MIN_SEARCHES = 30
#: Monster tokens in a pile that no search exhausts.
PLENTY = 64
#: z values beyond this, and p values below that, do not pass.
MOST_Z, LEAST_P = 4.0, 0.001


@dataclass(frozen=True)
class Played:
    """A part that was played: its name, what was played, and its sums."""

    name: str
    batch: Batch
    sums: Sums

    @property
    def result(self) -> lord_estimates.LineUpResult:
        """The sums as the tables of base games read them."""
        return lord_estimates.LineUpResult(self.name, self.batch.labels, self.batch.seats, self.sums)


# --- Shadow values -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Cells:
    """Estimates of one outcome by cell: with the gift, without, and the difference; each of the shape of the cells."""

    with_gift: Jackknife
    without: Jackknife
    value: Jackknife

    @property
    def factor(self) -> Floats:
        """Variance-reduction factor of playing both on the same deals."""
        return variance_reduction(self.with_gift, self.without)


@dataclass(frozen=True, eq=False)
class Round:
    """A round of gifts: its number, the policy at all seats, its sums (gift_sums)."""

    number: int
    policy: Policy
    sums: Sums

    def cells(self, unit: str, over: tuple[int, ...] = ()) -> Cells:
        """Return the estimates of an outcome by (kind, phase, Keys), or with the axes `over` of that added up.

        They are worth one of what is given: half of two Pearls.
        """
        name, scale = UNITS[unit]
        axes = tuple(axis + 1 for axis in over)
        weight, given, base = (
            self.sums[key].sum(axis=axes) for key in ("gift_weight", f"gift_{name}", f"gift_base_{name}")
        )
        # Divided by the number given at once: as many times the weight.
        times = np.array([amount for _, amount in REWARDS.values()]).reshape(-1, *[1] * (weight.ndim - 2))
        weight = weight * times
        return Cells(ratio(given, weight, scale), ratio(base, weight, scale), ratio(given - base, weight, scale))

    @cached_property
    def one_ip(self) -> Jackknife:
        """Percentage points of win share that one IP more at the end would have brought a seat; shape ()."""
        return ratio(self.sums["ip_win"], self.sums["ip_seats"], SHARE / 100)

    @cached_property
    def estimates(self) -> Mapping[str, "Worth"]:
        """The worth in IP of each reward, by the name of its weight."""
        return self._worths(lambda over: self.cells("ip", over).value)

    @cached_property
    def ip_worths(self) -> dict[str, float]:
        """Weights of a policy that stops for IP."""
        return {name: worth.value for name, worth in self.estimates.items()}

    @cached_property
    def win_worths(self) -> dict[str, float]:
        """Weights of a policy that stops for wins: shadow win shares over the win share of one IP at the end."""
        worths = self._worths(
            lambda over: combine(lambda win, one: win / one, self.cells("win", over).value, self.one_ip)
        )
        return {name: worth.value for name, worth in worths.items()}

    def _worths(self, values: Callable[[tuple[int, ...]], Jackknife]) -> dict[str, "Worth"]:
        """Return the worth for each weight, from what gives estimates with some axes of the cells added up."""
        cells, phases = values(()), values((2,))
        counts = self.sums["gifts"]
        found = {}
        for phase_number, phase in enumerate(PHASES):
            for kind_number, kind in enumerate(GIFTS):
                whole = select(phases, (kind_number, phase_number))
                every: list[int | None] = [*range(MOST_KEYS + 1)] if kind == "key" else [None]
                for keys in every:
                    own = whole if keys is None else select(cells, (kind_number, phase_number, keys))
                    few = keys is not None and counts[kind_number, phase_number, keys] < MIN_GIFTS
                    used, source = (whole, "mean of the phase") if few else (own, "cell")
                    reward = REWARDS[kind][0] if keys is None else f"key_{keys}"
                    value, error = float(used.estimate), float(used.se)
                    found[f"loot_{reward}_{phase}"] = Worth(value if np.isfinite(value) else 0.0, error, source)
        return found

    @property
    def changes(self) -> dict[str, "Worth"]:
        """How far each worth is from that with which the round was played, with the error of this round's."""
        played = self.policy.weights
        return {
            name: Worth(worth.value - played[name], worth.error, worth.source)
            for name, worth in self.estimates.items()
        }

    @property
    def settled(self) -> bool:
        """Whether no worth is further from that played with than chance explains (95 % for all together).

        What was played with came from the round before, with an error of its own, so that the difference has that of
        both: as rounds are of one size, the root of two times that of one.
        """
        errors = 1.0 if self.number == 1 else np.sqrt(2.0)
        most = sidak_z(len(self.changes)) * errors
        return all(abs(change.value) <= most * change.error for change in self.changes.values())


@dataclass(frozen=True)
class Worth:
    """The worth of a reward with its standard error, and where it is from."""

    value: float
    error: float
    source: str


def shadow_table(last: Round) -> pd.DataFrame:
    """Return a row for each reward, phase and number of Keys held, `any` standing for all, of the last round."""
    overs: tuple[tuple[int, ...], ...] = ((), (2,), (1, 2))
    parts = []
    for over in overs:
        gifts, moved = (last.sums[name].sum(axis=over) for name in ("gifts", "gifts_moved"))
        places = [place for place in np.ndindex(gifts.shape) if len(over) or GIFTS[place[0]] == "key"]
        table = pd.DataFrame([_cell_name(place, len(over)) for place in places])
        where = tuple(np.array(places).T)
        table["gifts"] = gifts[where]
        table["moved"] = moved[where] / np.maximum(gifts[where], 1)
        for unit in UNITS:
            cells = last.cells(unit, over)
            add_estimate(table, unit, select(cells.value, where))
            table[f"{unit}_variance_reduction"] = cells.factor[where]
            if unit == "win":
                worth = combine(lambda win, one: win / one, cells.value, last.one_ip)
                add_estimate(table, "win_worth", select(worth, where))
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def _cell_name(place: tuple[int, ...], summed: int) -> dict[str, str]:
    whole: list[int | None] = [*place, *[None] * summed]
    _, phase, keys = whole
    return {
        "reward": REWARDS[GIFTS[place[0]]][0],
        "phase": ANY if phase is None else list(PHASES)[phase],
        "keys": ANY if keys is None else KEY_NAMES[keys],
    }


def add_estimate(table: pd.DataFrame, name: str, found: Jackknife) -> None:
    """Add an estimate, its error and its pointwise interval to a table."""
    interval = pointwise(found)
    table[name], table[f"{name}_se"] = found.estimate, found.se
    table[f"{name}_low"], table[f"{name}_high"] = interval.lower, interval.upper


def round_table(rounds: Sequence[Round]) -> pd.DataFrame:
    """Return a row for each round and weight: what was played with, what was found, and whether they differ."""
    rows = []
    for one in rounds:
        for name, worth in one.estimates.items():
            rows.append(
                {
                    "round": one.number,
                    "weight": name,
                    "played": one.policy.weights[name],
                    "ip": worth.value,
                    "ip_se": worth.error,
                    "change": one.changes[name].value,
                    "win_worth": one.win_worths[name],
                    "source": worth.source,
                    "settled": one.settled,
                }
            )
    return pd.DataFrame(rows)


def one_ip_table(rounds: Sequence[Round]) -> pd.DataFrame:
    """Return for each round what one IP more, and one less, at the end is worth in percentage points of win share."""
    rows = []
    for one in rounds:
        for name, key in (("one IP more", "ip_win"), ("one IP less", "ip_lost")):
            rows.append((one.number, name, ratio(one.sums[key], one.sums["ip_seats"], SHARE / 100)))
    table = pd.DataFrame([row[:2] for row in rows], columns=["round", "change"])
    found = combine(lambda *parts: np.array(parts), *(row[2] for row in rows))
    add_estimate(table, "win", found)
    return table


# --- Stopping for IP and for wins ----------------------------------------------------------------------------------


def rule_table(ip: Rewards, win: Rewards, rulebook: Rulebook) -> pd.DataFrame:
    """Return a row for each phase, number of Keys and set held from a whole deck: what both rules say of it.

    `ip_value`, `win_value`: expected IP of a whole search under each rule, rewards at their worth in IP; `..._bust`
    likewise.
    """
    copies = rulebook.record[0].loot_copies
    deck = {int(value): int(copies[value]) for value in ip.values}
    rows = []
    for number, phase in enumerate(PHASES):
        for keys in range(MOST_KEYS + 1):
            starts = start_of(deck, number, keys)
            values = [_exact(deck, starts, ip, rule) for rule in (ip, win)]
            for mask in range(1, 1 << len(deck)):
                says = [bool(goes_on(starts, rule, mask, worth_with(starts, rule, mask))[0]) for rule in (ip, win)]
                held = [int(value) for bit, value in enumerate(ip.values) if mask >> bit & 1]
                words = ["search" if one else "stop" for one in says]
                rows.append(
                    {
                        "phase": phase, "keys": KEY_NAMES[keys], "held": set_name(tuple(held)), "ip_best": words[0],
                        "win_best": words[1], "ip_value": values[0][0], "win_value": values[1][0],
                        "ip_bust": values[0][1], "win_bust": values[1][1],
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def worth_table(ip: Rewards, win: Rewards, rulebook: Rulebook, states: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each phase, number of Keys and value of Loot: what its reward is worth for IP and for wins.

    states : as `search_states`; `searches` are those of the last part in it.
    """
    copies = rulebook.record[0].loot_copies
    deck = {int(value): int(copies[value]) for value in ip.values}
    last = states[states["part"] == states["part"].iloc[-1]].set_index(["stage", "keys"])["searches"]
    rows = []
    for number, phase in enumerate(PHASES):
        for keys, name in enumerate(KEY_NAMES):
            for_ip, for_wins = (worths_at(rewards, number, keys, deck) for rewards in (ip, win))
            for value, count in deck.items():
                rows.append(
                    {
                        "phase": phase, "keys": name, "value": value, "copies": count, "ip": for_ip[value],
                        "win": for_wins[value], "searches": int(last[(phase, name)]),
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def start_of(deck: Mapping[int, int], stage: int, keys: int) -> Starts:
    """Return one search from a deck by a seat with so many Keys, in a stage of the game, with a pile of tokens."""
    left = np.array([list(deck.values())], dtype=np.int64)
    return Starts(left, np.array([keys]), np.array([stage]), np.array([PLENTY]))


def worths_at(rewards: Rewards, stage: int, keys: int, deck: Mapping[int, int]) -> dict[int, float]:
    """Return what the first reward of each value is worth to a seat with so many Keys, in IP."""
    worth = worth_with(start_of(deck, stage, keys), rewards, 0)[0] / SCALE
    return {int(value): max(float(one), -float(value)) for value, one in zip(rewards.values, worth, strict=True)}


def _exact(deck: Mapping[int, int], starts: Starts, paid: Rewards, rule: Rewards) -> tuple[float, float]:
    """Return the expected IP and the chance to bust of a rule, with rewards worth what `paid` says."""
    stage, keys = int(starts.stage[0]), int(starts.keys[0])
    search = Search(deck, worths_at(paid, stage, keys, deck))
    found = outcome(search, one_step_rule(worths_at(rule, stage, keys, deck)), NOTHING)
    return float(found.expected_value), float(found.bust)


def duel_table(duels: Sequence[Played]) -> pd.DataFrame:
    """Return a row for each policy that played alone among others: win share over a fair one, margin, searches."""
    parts = []
    fair = 100 / duels[0].batch.seats
    for duel in duels:
        sums = duel.sums
        lone, others = duel.batch.labels[:2]
        table = pd.DataFrame({"policy": [lone], "among": [others], "games": [int(sums["games"].sum())]})
        win = ratio(sums["policy_win"][:, :1], sums["policy_seats"][:, :1], SHARE / 100)
        add_estimate(table, "win", combine(lambda share: share - fair, win))
        add_estimate(table, "ip", ratio(sums["policy_margin"][:, :1], sums["policy_seats"][:, :1], SHARE))
        seats = sums["policy_seats"].sum(axis=0)
        for name in ("searches", "loot_drawn", "busts", "ip_loot"):
            each = sums["behaviour"][:, SEAT_MEASURES.index(name)] / seats
            table[name], table[f"{name}_of_others"] = each[0], each[1]
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


# --- Locations -----------------------------------------------------------------------------------------------------


def location_table(played: Played, rulebook: Rulebook) -> pd.DataFrame:
    """Return a row for each Location in the game.

    `points`: IP at the end for its holder, Loot included; `rewards`: what the rewards of a search of it were worth;
    `yield`: both. `holder_...`: how those fared who held it (biased: the Location, and those who can take it). `ip`,
    `own`, `win`: take-value, the difference to the same game in which its taker may not take it; `_low_all`,
    `_high_all` hold for all Locations together.
    """
    rules, sums = rulebook.record[0], played.sums
    keep = np.flatnonzero(rules.locations["in_game"])
    held = sums["location_held"][:, keep]
    table = pd.DataFrame(
        {
            "location": [rulebook.locations[number] for number in keep],
            "name": [rulebook.location_name(int(number)) for number in keep],
            "sacred": rules.locations["sacred"][keep] == 1,
            "held_per_game": held.sum(axis=0) / max(int(sums["games"].sum()), 1),
            "searches": sums["search_count"].sum(axis=0)[keep],
            "replays": sums["bars"][keep],
        }
    )
    points = ratio(sums["location_points"][:, keep], held)
    rewards = _or_nothing(
        ratio(sums["search_rewards"][:, keep], sums["search_count"][:, keep], float(SCALE)), points
    )
    add_estimate(table, "points", points)
    table["rewards"] = rewards.estimate
    add_estimate(table, "yield", combine(np.add, points, rewards))
    fair = 100 / played.batch.seats
    win = ratio(sums["location_win12"][:, keep], held, SHARE / 100)
    add_estimate(table, "holder_win", combine(lambda share: share - fair, win))
    add_estimate(table, "holder_ip", ratio(sums["location_margin12"][:, keep], held, SHARE))
    weight = sums["bar_weight"][:, keep]
    for unit, (name, scale) in UNITS.items():
        given, without = (sums[f"bar_{part}{name}"][:, keep] for part in ("base_", ""))
        value = ratio(given - without, weight, scale)
        add_estimate(table, unit, value)
        together = simultaneous(value)
        table[f"{unit}_low_all"], table[f"{unit}_high_all"] = together.lower, together.upper
        table[f"{unit}_variance_reduction"] = variance_reduction(
            ratio(given, weight, scale), ratio(without, weight, scale)
        )
    return table.sort_values("yield", ascending=False, na_position="last").reset_index(drop=True)


def _or_nothing(rewards: Jackknife, like: Jackknife) -> Jackknife:
    """Return what rewards of searches were worth, 0 for Locations that are not searched."""
    searched = rewards.used > 0
    return Jackknife(
        np.where(searched, rewards.estimate, 0.0),
        np.where(searched, rewards.replicates, 0.0),
        np.where(searched, rewards.used, like.used),
    )


def sacred_table(played: Played, rulebook: Rulebook) -> pd.DataFrame:
    """Return Sacred Places, other Locations, and the difference: yield, holders' margin, take-values; all as means."""
    rules, sums = rulebook.record[0], played.sums
    sacred = (rules.locations["sacred"] == 1).astype(np.int64)
    masks = np.stack([sacred, rules.locations["in_game"] * (1 - sacred)], axis=1)

    def both(top: str | NDArray[np.int64], bottom: str, scale: float = 1.0) -> Jackknife:
        part = sums[top] if isinstance(top, str) else top
        return ratio(part @ masks, sums[bottom] @ masks, scale)

    points = both("location_points", "location_held")
    rewards = _or_nothing(both("search_rewards", "search_count", float(SCALE)), points)
    found = {
        "yield": combine(np.add, points, rewards),
        "rewards": rewards,
        "holder_ip": both("location_margin12", "location_held", SHARE),
    }
    for unit, (name, scale) in UNITS.items():
        found[unit] = both(sums[f"bar_base_{name}"] - sums[f"bar_{name}"], "bar_weight", scale)
    table = pd.DataFrame({"locations": ["Sacred Places", "others", "difference"]})
    table["held_per_game"] = [*(sums["location_held"] @ masks).sum(axis=0) / max(int(sums["games"].sum()), 1), np.nan]
    for name, pair in found.items():
        add_estimate(table, name, combine(lambda both: np.array([both[0], both[1], both[0] - both[1]]), pair))
    return table


# --- Searches against the theory -----------------------------------------------------------------------------------


def search_states(played: Sequence[Played]) -> pd.DataFrame:
    """Return how many searches of each part fell in each stage of the game and on each number of Keys."""
    rows = [
        (one.name, STAGES[stage], KEY_NAMES[keys], int(one.sums["searches_keys"][stage, keys]))
        for one in played
        if "searches" in one.sums
        for stage, keys in np.ndindex(one.sums["searches_keys"].shape)
    ]
    return pd.DataFrame(rows, columns=["part", "stage", "keys", "searches"])


def search_table(played: Sequence[Played]) -> pd.DataFrame:
    """Return a row for each part and number of Loot left before a search: what was seen, what theory expects, z."""
    rows = []
    for one in played:
        if "searches" not in one.sums:
            continue
        counts = one.sums["searches"].sum(axis=1)
        for cards in np.flatnonzero(counts)[::-1]:
            row: dict[str, Any] = {"part": one.name, "cards_left": int(cards), "searches": int(counts[cards])}
            rows.append(row | _compared(one.sums, (int(cards), slice(None))))
    return pd.DataFrame(rows)


def _compared(sums: Sums, where: Any) -> dict[str, float]:
    """Return seen and expected means and their z for each measure, over some cells of the searches."""
    count = int(sums["searches"][where].sum())
    seen, mean, variance = (
        sums[f"search_{name}"][where].reshape(-1, len(MEASURES)).sum(axis=0) / FINE
        for name in ("observed", "mean", "variance")
    )
    found = {}
    for number, name in enumerate(MEASURES):
        found[name] = seen[number] / count
        found[f"{name}_expected"] = mean[number] / count
        found[f"{name}_z"] = _z(seen[number] - mean[number], variance[number])
    return found


def _z(apart: float, variance: float) -> float:
    """Return a difference in standard errors; where nothing can vary it is 0 if it is rounding alone."""
    if variance > 1e-3:
        return float(apart / np.sqrt(variance))
    return 0.0 if abs(apart) < 1e-2 else float("inf")


def search_tests(played: Sequence[Played]) -> pd.DataFrame:
    """Return a row for each part and measure: z over all its searches, and a chi-square over states of the deck.

    The chi-square adds z squared over cells (Loot left, stage) with at least MIN_SEARCHES searches. `strayed` searches
    did not follow the rule that their policy should have.
    """
    from scipy.stats import chi2

    rows = []
    for one in played:
        if "searches" not in one.sums or not one.sums["searches"].any():
            continue
        whole = _compared(one.sums, (slice(None), slice(None)))
        cells = [tuple(cell) for cell in np.argwhere(one.sums["searches"] >= MIN_SEARCHES)]
        each = [_compared(one.sums, cell) for cell in cells]
        for name in MEASURES:
            squares = [found[f"{name}_z"] ** 2 for found in each]
            p_value = float(chi2.sf(sum(squares), len(squares))) if squares else float("nan")
            z = whole[f"{name}_z"]
            rows.append(
                {
                    "part": one.name, "measure": name, "searches": int(one.sums["searches"].sum()),
                    "strayed": int(one.sums["search_strayed"][0]), "seen": whole[name],
                    "expected": whole[f"{name}_expected"], "z": z, "chi_square": sum(squares),
                    "degrees_of_freedom": len(squares), "p_value": p_value,
                    "passes": abs(z) <= MOST_Z and not p_value < LEAST_P and not one.sums["search_strayed"][0],
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


# --- Behaviour and health ------------------------------------------------------------------------------------------


def behaviour_tables(played: Sequence[Played]) -> dict[str, pd.DataFrame]:
    """Return the tables of base games that every study has, by name, all parts one under another."""
    makes: dict[str, Callable[[Played], pd.DataFrame]] = {
        "behaviour": lambda one: lord_estimates.behaviour_table(one.result),
        "seats": lambda one: lord_estimates.seat_table(one.result),
        "ends": lambda one: lord_estimates.end_table(one.result),
        "lengths": lambda one: lord_estimates.length_table(one.result),
        "options": lambda one: option_table(one.name, one.sums),
        "notable": lambda one: notable_table(one.name, one.sums),
    }
    return {name: pd.concat([make(one) for one in played], ignore_index=True) for name, make in makes.items()}


assert {name for name, _ in UNITS.values()} == set(OUTCOMES)
