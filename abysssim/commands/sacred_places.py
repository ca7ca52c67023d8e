"""``abysssim study sacred-places``: when to stop searching a Sacred Place, and what a search is worth."""

import re
import shlex
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abysssim.commands.common import SEED, load_rules, now, print_json, rules_options
from abysssim.commands.interrupt import says_how_to_resume
from abysssim.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from abysssim.rules.rulebook import Rulebook
    from abysssim.studies.sacred_exact import Answer
    from abysssim.studies.sacred_games import Result, Settings

#: A plain decimal or a fraction; short, as an exponent could ask for a number that fills the memory.
NUMBER = re.compile(r"[+-]?\d{1,6}(\.\d{1,9}|/[1-9]\d{0,5})?")


@click.command("sacred-places")
@click.argument("settings_file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--exact", is_flag=True, help="Compute the exact answer; no game is played.")
@click.option("--simulate", type=click.IntRange(1, 10**10), metavar="N", help="Hold N played searches against it.")
@click.option("--rewards", metavar="V=IP,...", help="IP that the reward of a Loot is worth, by value.  [default: 0]")
@click.option("--deck", metavar="V=N,...", help="Copies in the Loot deck as the search begins.  [default: as printed]")
@click.option("--held", metavar="V,...", help="Values drawn from that deck and held already.")
@click.option("--players", type=int, help="Number of players.  [default: 4]")
@click.option("--policy", help="At all seats: a preset or a file.  [default: balanced]")
@click.option("--games", type=click.IntRange(1, 10**9), help="Games in each part.  [default: 100000]")
@click.option("--seed", type=SEED, help="Seed of all deals, below 2**64.  [default: 1]")
@click.option("--jobs", type=int, default=-1, show_default=True, help="Workers; -1 is one for each core.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write a report to this new directory.")
@click.option("--resume", is_flag=True, help="Continue the study in --out.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@rules_options
def command(
    settings_file: Path | None,
    exact: bool,
    simulate: int | None,
    rewards: str | None,
    deck: str | None,
    held: str | None,
    players: int | None,
    policy: str | None,
    games: int | None,
    seed: int | None,
    jobs: int,
    out: Path | None,
    resume: bool,
    as_json: bool,
    sets: tuple[str, ...],
    rules_files: tuple[Path, ...],
    expansions: tuple[str, ...],
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
        "a settings file": settings_file, "--players": players, "--policy": policy, "--games": games,
        "--resume": resume or None, "--set": sets or None, "--rules": rules_files or None,
        "--expansion": expansions or None,
    }  # fmt: skip
    if exact and simulate:
        raise InputError("--exact computes and --simulate plays: give one of them")
    if exact or simulate:
        _refuse("--exact" if exact else "--simulate", play)
    if exact:
        _refuse("--exact", {"--seed": seed})
        _exact(rewards, deck, held, out, as_json)
    elif simulate:
        _refuse("--simulate", {"--held": held, "--out": out})
        _simulate(simulate, rewards, deck, 1 if seed is None else seed, jobs, as_json)
    else:
        for name, value in theory.items():
            if value is not None:
                raise InputError(f"{name} goes with --exact or --simulate; a study of games finds worths by itself")
        given = {"players": players, "policy": policy, "games": games, "seed": seed}
        _play(settings_file, given, jobs, out, resume, as_json, (sets, rules_files, expansions))


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
    asked = alone if rewards is None else rewarded
    if out:
        _write(out, answers, asked)
    if as_json:
        print_json(study.as_json(asked, alone, rewarded))
        return
    from abysssim.report.sacred_text import text

    click.echo(text(answers, example=rewards is None))
    more = f"The report is {out / 'report.html'}." if out else "Add --out DIR for a report with a map to print."
    click.echo(f"\n{more}")


def _simulate(searches: int, rewards: str | None, deck: str | None, seed: int, jobs: int, as_json: bool) -> None:
    """Play searches and print how far they agree with the exact answer; status 1 if they do not."""
    from abysssim.commands.run import check_jobs
    from abysssim.report.sacred_text import simulated
    from abysssim.run import progress_on
    from abysssim.studies import sacred_exact as study
    from abysssim.studies import search_sim

    check_jobs(jobs)
    alone, rewarded = _answers(rewards, deck, None).values()
    asked = alone if rewards is None else rewarded
    with says_how_to_resume(None):
        run = search_sim.simulate(
            asked.search,
            searches,
            seed=seed,
            jobs=jobs,
            progress=lambda count: progress_on(sys.stderr, count, 0, 1, "searches"),
        )
    found = search_sim.as_json(run)
    if as_json:
        print_json({**study.as_json(asked, alone, rewarded), "exact": False, **found})
    else:
        click.echo(simulated(found))
    if not found["simulated"]["passes"]:
        sys.exit(1)


def _play(
    settings_file: Path | None,
    given: "Mapping[str, object]",
    jobs: int,
    out: Path | None,
    resume: bool,
    as_json: bool,
    rules: "tuple[tuple[str, ...], tuple[Path, ...], tuple[str, ...]]",
) -> None:
    """Play the study of games; `given` are settings from options, `rules` what the options of rules say."""
    from abysssim.commands import studying
    from abysssim.commands.run import check_jobs
    from abysssim.studies import sacred_games as study

    check_jobs(jobs)
    sets, files, expansions = rules
    rulebook = load_rules(sets, files, expansions or (() if files else ("kraken",)))
    settings = study.read_settings(settings_file) if settings_file else study.Settings()
    wanted = {key: value for key, value in given.items() if value is not None}
    settings = study.settings_from({**settings.as_table(), **wanted}, "the options")
    study.check(settings, rulebook)
    with says_how_to_resume(out):
        result = _played(settings, rulebook, jobs, out, resume)
    if as_json:
        from abysssim.report.results import tables_as_json

        print_json({**tables_as_json(result.tables), "weights": study.weights_as_json(result)})
    else:
        from abysssim.report.sacred_places import answer

        studying.tell(answer(result.tables, result.facts), out)


def _played(settings: "Settings", rulebook: "Rulebook", jobs: int, out: Path | None, resume: bool) -> "Result":
    """Play the study; with `out`, write its directory."""
    from abysssim.commands import studying
    from abysssim.studies import sacred_games as study

    if out is None:
        return study.run(settings, rulebook, jobs=jobs, progress=studying.progress)
    identities = [study.identity_of_study(settings, rulebook)]
    manifest = studying.manifest_of(study.NAME, settings.as_table(), rulebook, identities, jobs)
    studying.check_directory(out, manifest, resume)

    def write(result: "Result") -> None:
        from abysssim.report import sacred_places as report
        from abysssim.store import write_text

        result.facts.update(studying.facts_of_run(manifest, out))
        (out / "policies").mkdir(exist_ok=True)
        for name, policy in result.policies.items():
            write_text(out / "policies" / f"{name}.toml", study.policy_file(policy))
        page, drawings = report.page(result.tables, result.facts), report.drawings(result.tables, result.facts)
        studying.write_study(out, manifest, result.tables, result.facts, page, drawings)

    return studying.in_directory(
        out,
        manifest,
        lambda: study.run(settings, rulebook, jobs=jobs, folder=out, progress=studying.progress),
        write,
    )


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


def _write(out: Path, answers: "dict[str, Answer]", asked: "Answer") -> None:
    """Write the report, its tables and figures, and the manifest last, as it says what is there."""
    from abysssim.report import sacred_exact as report
    from abysssim.report.results import write_results
    from abysssim.store import locked, package_versions, write_json

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--out {out} exists and is not an empty directory; choose another")
    started = now()
    facts = report.facts(answers, asked)
    facts |= {"command": shlex.join(["abysssim", *sys.argv[1:]]), "started": started}
    facts |= {"version": package_versions()["abysssim"]}
    tables = report.tables(answers)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        drawings = [(drawing, report.WIDE) for drawing in report.drawings(answers)]
        write_results(out, tables, facts, report.page(answers, tables, facts), drawings)
        about = {"format": "abysssim-results", "version_of_format": 1, "kind": "study"}
        write_json(out / "manifest.json", {**about, **facts, "packages": package_versions(), "finished": now()})
