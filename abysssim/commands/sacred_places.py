"""``abysssim study sacred-places``: when to stop searching a Sacred Place, and what a search is worth."""

import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abysssim.commands.common import print_json, rules_options
from abysssim.commands.directory import OF_THE_REPORT, head_of, in_directory, manifest_of
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.commands.studying import GOES_ON, Asked, progress_of, study_options, tell
from abysssim.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.sacred_exact import Answer
    from abysssim.studies.sacred_games import Found, Settings

#: A plain decimal or a fraction; short, as an exponent could ask for a number that fills the memory.
NUMBER = re.compile(r"[+-]?\d{1,6}(\.\d{1,9}|/[1-9]\d{0,5})?")


@click.command("sacred-places")
@click.option("--exact", is_flag=True, help="Compute the exact answer; no game is played.")
@click.option("--simulate", type=click.IntRange(1, 10**10), metavar="N", help="Hold N played searches against it.")
@click.option("--rewards", metavar="V=IP,...", help="IP that the reward of a Loot is worth, by value.  [default: 0]")
@click.option("--deck", metavar="V=N,...", help="Copies in the Loot deck as the search begins.  [default: as printed]")
@click.option("--held", metavar="V,...", help="Values drawn from that deck and held already.")
@study_options("Games in each part.  [default: 100000]", resume=GOES_ON)
@click.option("--policy", help="At all seats: a preset or a file.  [default: balanced]")
@rules_options
def command(
    asked: Asked,
    exact: bool,
    simulate: int | None,
    rewards: str | None,
    deck: str | None,
    held: str | None,
    policy: str | None,
) -> None:
    """When should a search of a Sacred Place stop, and what is it worth?

    --exact gives the best rule and its expected IP. It is shown twice: for Loot alone, rewards worth nothing, and
    with rewards worth what --rewards says (else an example). --json answers for --rewards, or for Loot alone.
    --simulate plays that many searches by the engine and says how far they agree with it.

    Without either the study plays games (the Kraken expansion is in by itself): what rewards are worth, by gifts;
    the rule that follows; stopping for IP against stopping for wins; what every Location yields. FILE is a settings
    file in TOML (see analyses/sacred_places.toml); options come after it. Ctrl-C keeps what was played: the same
    command with --resume goes on.

    \b
    Examples:
      abysssim study sacred-places --exact
      abysssim study sacred-places --exact --rewards 3=3,4=2,5=2.65,6=1.5
      abysssim study sacred-places --exact --deck 3=1,4=4,5=3,6=6,7=5 --held 7,3
      abysssim study sacred-places --simulate 10000000
      abysssim study sacred-places --out results/sacred_places
    """
    theory = {"--rewards": rewards, "--deck": deck, "--held": held}
    play = {
        "a settings file": asked.settings_file, "--players": asked.players, "--policy": policy, "--games": asked.games,
        "--resume": asked.resume or None, "--set": asked.sets or None, "--rules": asked.rules_files or None,
        "--expansion": asked.expansions or None,
    }  # fmt: skip
    if exact and simulate:
        raise InputError("--exact computes and --simulate plays: give one of them")
    if exact or simulate:
        _refuse("--exact" if exact else "--simulate", play)
    if exact:
        _refuse("--exact", {"--seed": asked.seed})
        _exact(rewards, deck, held, asked.out, asked.as_json)
    elif simulate:
        _refuse("--simulate", {"--held": held, "--out": asked.out})
        _simulate(asked, simulate, rewards, deck)
    else:
        for name, value in theory.items():
            if value is not None:
                raise InputError(f"{name} goes with --exact or --simulate; a study of games finds worths by itself")
        _play(asked, policy)


def _refuse(mode: str, options: "Mapping[str, object]") -> None:
    """Raise InputError for the first of some options that was given."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} does not go with {mode}")


def _exact(rewards: str | None, deck: str | None, held: str | None, out: Path | None, as_json: bool) -> None:
    """Print the exact answer; with `out`, write its report."""
    from abysssim.studies import sacred_exact as study

    answers = _answers(rewards, deck, held)
    alone, rewarded = answers.values()
    wanted = alone if rewards is None else rewarded
    if out:
        _write_exact(out, answers, wanted)
    if as_json:
        print_json(study.as_json(wanted, alone, rewarded))
        return
    from abysssim.report.sacred_text import text

    click.echo(text(answers, example=rewards is None))
    more = f"The report is {out / 'report.html'}." if out else "Add --out DIR for a report with a map to print."
    click.echo(f"\n{more}")


def _simulate(asked: Asked, searches: int, rewards: str | None, deck: str | None) -> None:
    """Play searches and print how far they agree with the exact answer; status 1 if they do not."""
    from abysssim.commands.run import check_jobs
    from abysssim.report.sacred_text import simulated
    from abysssim.run import progress_on
    from abysssim.studies import sacred_exact as study
    from abysssim.studies import search_sim

    check_jobs(asked.jobs)
    alone, rewarded = _answers(rewards, deck, None).values()
    wanted = alone if rewards is None else rewarded
    with says_how_to_resume(None):
        run = search_sim.simulate(
            wanted.search,
            searches,
            seed=1 if asked.seed is None else asked.seed,
            jobs=asked.jobs,
            progress=lambda count: progress_on(sys.stderr, count, 0, 1, "searches"),
        )
    found = search_sim.as_json(run)
    if asked.as_json:
        print_json({**study.as_json(wanted, alone, rewarded), "exact": False, **found})
    else:
        click.echo(simulated(found))
    if not found["simulated"]["passes"]:
        sys.exit(1)


def _play(asked: Asked, policy: str | None) -> None:
    """Play the study of games and print its answer."""
    from abysssim.commands.run import check_jobs
    from abysssim.studies import sacred_games as study

    rulebook = asked.rulebook(study.EXPANSION)
    settings = asked.settings(study.settings_from, policy=policy)
    check_jobs(asked.jobs)
    study.check(settings, rulebook)
    with says_how_to_resume(asked.out):
        result = _study(asked, settings, rulebook)
    from abysssim.report.sacred_places import answer

    tell(asked, result, answer, weights=study.weights_as_json(result))


def _study(asked: Asked, settings: "Settings", rulebook: "Rulebook") -> "Found":
    """Play the study; with a directory to write to, write it."""
    from abysssim.studies import sacred_games as study

    progress = progress_of(", replays not counted")
    identities = [study.identity_of_study(settings, rulebook)]
    return in_directory(
        lambda folder: study.run(settings, rulebook, jobs=asked.jobs, folder=folder, progress=progress),
        _write,
        manifest_of(study.NAME, settings.as_table(), rulebook, identities, asked.jobs),
        asked.out,
        resume=asked.resume,
    )


def _write(out: Path, result: "Found") -> None:
    """Write the report and its parts, and the policies that the study made."""
    from abysssim.report.results import write_results
    from abysssim.report.sacred_places import page
    from abysssim.store import write_text
    from abysssim.studies.sacred_games import policy_file

    (out / "policies").mkdir(exist_ok=True)
    for name, policy in result.policies.items():
        write_text(out / "policies" / f"{name}.toml", policy_file(policy))
    write_results(out, result, page(result.tables, result.facts))


def _answers(rewards: str | None, deck: str | None, held: str | None) -> "dict[str, Answer]":
    """Return the answer for Loot alone and that with rewards; InputError for what an option may not say."""
    from abysssim.studies import loot, sacred_exact

    cards = dict(loot.FRESH) if deck is None else {v: _copies(v, n) for v, n in _pairs("--deck", deck).items()}
    worths = sacred_exact.example_worths(cards) if rewards is None else _pairs("--rewards", rewards)
    try:
        alone, rewarded = loot.Search(cards), loot.Search(cards, worths)
        start = alone.check_held(_values(held or ""))
    except InputError as error:
        raise InputError(f"--{error}") from None  # its sentence begins with deck, rewards or held
    return {
        "Loot alone": sacred_exact.answer(alone, start),
        "with rewards": sacred_exact.answer(rewarded, start),
    }


def _pairs(option: str, text: str) -> dict[int, Fraction]:
    """Return "3=3,4=2.5" as numbers by value of Loot."""
    pairs: dict[int, Fraction] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals or not re.fullmatch(r"\d{1,3}", name) or not NUMBER.fullmatch(number):
            raise InputError(f"{option} must be VALUE=NUMBER,... such as 3=3,4=2.5, not {part.strip()!r} in {text!r}")
        if int(name) in pairs:
            raise InputError(f"{option} names value {name} twice in {text!r}; once is allowed")
        pairs[int(name)] = Fraction(number)
    return pairs


def _copies(value: int, count: Fraction) -> int:
    if count.denominator != 1:
        raise InputError(f"--deck has {float(count):g} Loot of value {value}; copies are whole numbers")
    return int(count)


def _values(text: str) -> list[int]:
    """Return "7,3" as numbers."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    for part in parts:
        if not re.fullmatch(r"\d{1,3}", part):
            raise InputError(f"held must be values such as 7,3, not {part!r} in {text!r}")
    return [int(part) for part in parts]


def _write_exact(out: Path, answers: "dict[str, Answer]", wanted: "Answer") -> None:
    """Write the report of the exact answer, and the manifest last, as it says what is there."""
    from abysssim.report import sacred_exact as report
    from abysssim.report.results import write_results
    from abysssim.store import locked, now, write_json
    from abysssim.studies.result import Result
    from abysssim.studies.sacred_exact import NAME

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--out {out} exists and is not an empty directory; choose another")
    head = head_of(NAME)
    result = Result(report.tables(answers), report.facts(answers, wanted))
    result.facts.update({key: head[key] for key in OF_THE_REPORT if key in head})
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        write_results(out, result, report.page(answers, result.tables, result.facts))
        write_json(out / "manifest.json", {**head, **result.facts, "finished": now()})
