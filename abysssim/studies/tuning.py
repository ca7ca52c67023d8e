"""Tuning some weights of a policy for the table that it plays at, and measuring honestly whether that helped.

CMA-ES (package `cmaes`; learning rates that adapt to noise: Nomura, Akimoto and Ono, GECCO 2023) looks for weights that
raise the margin of one seat against a fixed field. All candidates of a generation play the same deals, every generation
plays fresh ones. What it ends with is measured against the start on deals that the search never saw; if it is not
better there beyond doubt, the start is kept.

A search that is stopped goes on at the generation it had reached: with the same seed it asks for the same candidates,
so that the values of past generations are all that has to be kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abysssim.errors import InputError
from abysssim.policies.presets import Policy
from abysssim.policies.weights import NAMES
from abysssim.rules.rulebook import Rulebook
from abysssim.simulate import Batch, Chunk
from abysssim.stats.intervals import MIN_GROUPS, pointwise
from abysssim.stats.jackknife import difference, ratio
from abysssim.store import identity_of, read_json, write_json
from abysssim.studies import tuning_kernel
from abysssim.studies.playing import code_at_start
from abysssim.studies.tuning_kernel import GROUPS, SHARE

Floats = NDArray[np.float64]

_kernel: Any = tuning_kernel  # its types are numba's

#: First step of the search, as a share of a weight's range.
STEP = 0.25
#: Deals of a piece of the verdict that one worker plays at a time.
PIECE = 256
#: The search and the verdict play deals of seeds of their own, as far from the study's as a hash can bring them.
SEARCH, VERDICT = "search", "verdict"


class Knob(NamedTuple):
    """A weight that may be turned, and its range."""

    weight: str
    low: float
    high: float


@dataclass(frozen=True)
class Budget:
    """How much a search may play.

    generations : of candidates, 0 for no search. candidates : in a generation. deals : of each candidate. verdict :
    deals on which the winner is measured.
    """

    generations: int = 24
    candidates: int = 10
    deals: int = 150
    verdict: int = 4_000


class Table(Protocol):
    """Where policies are tried: against a fixed field, one deal in all its rotations."""

    def identity(self) -> Any:
        """JSON values that decide what `margins` gives."""

    def margins(self, policy: Policy, seed: int, chunk: Chunk) -> NDArray[np.int64]:
        """Return sums by group of deals, int64 (GROUPS, 2): seats of the policy, their margins times 12."""


@dataclass(frozen=True, eq=False)
class Field:
    """A rulebook, and the policies of the seats that the policy on trial does not have."""

    rulebook: Rulebook
    others: tuple[Policy, ...]

    def identity(self) -> Any:
        """JSON values that decide what `margins` gives."""
        others = [(policy.name, policy.policy_hash) for policy in self.others]
        return {"code": code_at_start(), "rules": self.rulebook.rules_hash, "others": others}

    def batch(self, policy: Policy, seed: int) -> Batch:
        """Return what is played with a policy on trial; it is told from an equal one in the field by its name."""
        return Batch(self.rulebook, (replace(policy, name=f"{policy.name}, on trial"), *self.others), seed, rotate=True)

    def margins(self, policy: Policy, seed: int, chunk: Chunk) -> NDArray[np.int64]:
        """Return sums by group of deals, int64 (GROUPS, 2): seats of the policy, their margins times 12."""
        batch = self.batch(policy, seed)
        sums = np.zeros((GROUPS, 2), np.int64)
        _kernel.add_margins(batch.play(batch.tasks(chunk), batch.scratch()), 0, sums)
        return sums


@dataclass(frozen=True)
class Tuned:
    """What a search came to.

    policy : the tuned one, or the start where the verdict does not show it better. better : which of them. gain,
    gain_se, gain_low : margin of the candidate less that of the start on fresh deals (IP), and the lower end of its
    95 % interval. candidate : the weights that were tried in the end. generations : played.
    """

    policy: Policy
    better: bool
    gain: float
    gain_se: float
    gain_low: float
    candidate: Mapping[str, float]
    generations: int


@dataclass(frozen=True, eq=False)
class Search:
    """A search in the unit cube of some weights; see the module's text."""

    table: Table
    start: Policy
    knobs: tuple[Knob, ...]
    budget: Budget
    seed: int
    jobs: int = 1
    file: Path | None = None
    told: Callable[[int], None] = field(default=lambda _: None)

    @cached_property
    def identity(self) -> str:
        """Hash of all that decides what the search finds."""
        start = [self.start.name, self.start.policy_hash]
        knobs = [list(knob) for knob in self.knobs]
        return identity_of([self.table.identity(), start, knobs, vars(self.budget), self.seed])

    def run(self) -> Tuned:
        """Search and measure; what is found in `file` is not played again."""
        kept = self._load()
        if self.budget.generations == 0:
            return Tuned(self.start, False, 0.0, 0.0, 0.0, {}, 0)
        best = self._best(kept.values)
        candidate = self.policy_at(best)
        if kept.verdict is None:
            same = candidate.policy_hash == self.start.policy_hash
            kept.verdict = [0.0, 0.0, 0.0] if same else self._verdict(candidate)
            self._save(kept)
        gain, error, low = kept.verdict
        better = low > 0
        policy = candidate if better else self.start
        return Tuned(policy, better, gain, error, low, self.weights_at(best), len(kept.values))

    def weights_at(self, place: Floats) -> dict[str, float]:
        """Return the weights at a place of the unit cube, rounded to what the kernel can tell apart."""
        return {
            knob.weight: round((knob.low + float(x) * (knob.high - knob.low)) * 1024) / 1024
            for knob, x in zip(self.knobs, place, strict=True)
        }

    def policy_at(self, place: Floats) -> Policy:
        """Return the start with the weights at a place of the unit cube."""
        return replace(self.start, weights={**self.start.weights, **self.weights_at(place)})

    def _place_of_start(self) -> Floats:
        where = [(self.start.weights[knob.weight] - knob.low) / (knob.high - knob.low) for knob in self.knobs]
        return np.asarray(np.clip(where, 0.0, 1.0), dtype=np.float64)

    def _best(self, values: list[list[float]]) -> Floats:
        """Tell the optimiser what past generations found, play the others, and return the mean of the last one.

        The mean, not the best candidate: that one is the luckiest, too.
        """
        from cmaes import CMA

        optimiser = CMA(
            mean=self._place_of_start(),
            sigma=STEP,
            bounds=np.tile([0.0, 1.0], (len(self.knobs), 1)),
            seed=self._seed("optimiser") % 2**32,
            population_size=self.budget.candidates,
            lr_adapt=True,
        )
        for generation in range(self.budget.generations):
            places = [optimiser.ask() for _ in range(self.budget.candidates)]
            if generation == len(values):
                values.append(self._play_generation(generation, places))
                self._save(_Kept(values))
            self.told(generation + 1)
            optimiser.tell([(place, -value) for place, value in zip(places, values[generation], strict=True)])
        return np.clip(np.asarray(optimiser.mean, dtype=np.float64), 0.0, 1.0)

    def _play_generation(self, generation: int, places: Sequence[Floats]) -> list[float]:
        """Return the mean margin of each candidate; all play the same deals, which no other generation plays."""
        first = generation * self.budget.deals
        chunk = Chunk(first, first + self.budget.deals)
        sums = self._margins([(self.policy_at(place), SEARCH, chunk) for place in places])
        return [float(found[:, 1].sum() / found[:, 0].sum() / SHARE) for found in sums]

    def _verdict(self, candidate: Policy) -> list[float]:
        """Measure a candidate against the start on deals that the search never saw: gain, its error, its lower end."""
        pieces = [Chunk(at, min(at + PIECE, self.budget.verdict)) for at in range(0, self.budget.verdict, PIECE)]
        work = [(policy, VERDICT, piece) for policy in (candidate, self.start) for piece in pieces]
        sums = self._margins(work)
        new, old = (np.sum(part, axis=0) for part in (sums[: len(pieces)], sums[len(pieces) :]))
        gain = difference(ratio(new[:, 1], new[:, 0], SHARE), ratio(old[:, 1], old[:, 0], SHARE))
        return [float(gain.estimate), float(gain.se), float(pointwise(gain).lower)]

    def _margins(self, work: Sequence[tuple[Policy, str, Chunk]]) -> list[NDArray[np.int64]]:
        from joblib import Parallel, delayed

        seeds = {purpose: self._seed(purpose) for purpose in (SEARCH, VERDICT)}
        parallel = Parallel(n_jobs=self.jobs, prefer="threads")
        return list(
            parallel(delayed(self.table.margins)(policy, seeds[purpose], chunk) for policy, purpose, chunk in work)
        )

    def _seed(self, purpose: str) -> int:
        """Return a seed for a purpose: 64 bits of a hash."""
        return int(identity_of([self.seed, purpose])[:16], 16)

    def _load(self) -> "_Kept":
        """Return what was found before; InputError for what another search found."""
        if self.file is None or not self.file.exists():
            return _Kept([])
        kept = read_json(self.file)
        if not isinstance(kept, dict) or kept.get("identity") != self.identity:
            raise InputError(f"{self.file} belongs to another search: choose another folder")
        return _Kept(kept["values"], kept.get("verdict"))

    def _save(self, kept: "_Kept") -> None:
        if self.file:
            write_json(self.file, {"identity": self.identity, **vars(kept)})


@dataclass
class _Kept:
    """What is kept: the values of each generation's candidates, and gain, error and lower end of the verdict."""

    values: list[list[float]]
    verdict: list[float] | None = None


def tune(
    policy: Policy,
    knobs: Sequence[Knob],
    field: Sequence[Policy],
    rulebook: Rulebook,
    budget: Budget | None = None,
    seed: int = 1,
    *,
    jobs: int = 1,
    file: Path | None = None,
    told: Callable[[int], None] | None = None,
) -> Tuned:
    """Tune weights of a policy that has one seat against a fixed field, and measure the result on fresh deals.

    Parameters
    ----------
    policy : the start; must be of the weighted kind
    knobs : the weights to tune with their ranges; a start outside its range begins at its end
    field : the policies of the other seats; the policy on trial takes every seat once in each deal
    rulebook : the rules
    budget : how much to play; the default is a search of seconds to a minute
    seed : of the search; equal seeds find equal policies
    jobs : workers; -1 for one a core
    file : where the values of past generations and the verdict are kept (JSON), and read from at the start
    told : is called with the number of generations that are done

    Raises
    ------
    InputError
        For a weight that there is not, an empty range, a policy without weights, or a file of another search.
    KeyboardInterrupt
        After Ctrl-C; the generations that were finished are in `file`.
    """
    for knob in knobs:
        if knob.weight not in NAMES or knob.weight not in policy.weights:
            raise InputError(f"policy '{policy.name}' has no weight '{knob.weight}' to tune")
        if not knob.low < knob.high:
            raise InputError(f"the range of weight '{knob.weight}' must go upwards, not from {knob.low} to {knob.high}")
    if not knobs:
        raise InputError("tuning needs at least one weight")
    budget = budget or Budget()
    if budget.verdict < MIN_GROUPS:
        raise InputError(f"a verdict needs at least {MIN_GROUPS} deals, not {budget.verdict}")
    table = Field(rulebook, tuple(field))
    return Search(table, policy, tuple(knobs), budget, seed, jobs, file, told or (lambda _: None)).run()
