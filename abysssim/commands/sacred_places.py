"""``abysssim study sacred-places``: when to stop searching a Sacred Place, and what a search is worth."""

import re
import shlex
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abysssim.commands.common import now, print_json
from abysssim.errors import InputError

if TYPE_CHECKING:
    from abysssim.studies.sacred_exact import Answer

#: A plain decimal or a fraction; short, as an exponent could ask for a number that fills the memory.
NUMBER = re.compile(r"[+-]?\d{1,6}(\.\d{1,9}|/[1-9]\d{0,5})?")


@click.command("sacred-places")
@click.option("--exact", is_flag=True, help="Compute the exact answer; no game is played.")
@click.option("--rewards", metavar="V=IP,...", help="IP that the reward of a Loot is worth, by value.  [default: 0]")
@click.option("--deck", metavar="V=N,...", help="Copies in the Loot deck as the search begins.  [default: as printed]")
@click.option("--held", metavar="V,...", help="Values drawn from that deck and held already.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write a report to this new directory.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(
    exact: bool, rewards: str | None, deck: str | None, held: str | None, out: Path | None, as_json: bool
) -> None:
    """When should a search of a Sacred Place stop, and what is it worth?

    --exact gives the best rule and its expected IP. It is shown twice: for Loot alone, rewards worth nothing, and
    with rewards worth what --rewards says (else an example). --json answers for --rewards, or for Loot alone.

    \b
    Examples:
      abysssim study sacred-places --exact
      abysssim study sacred-places --exact --rewards 3=3,4=2,5=2.65,6=1.5
      abysssim study sacred-places --exact --deck 3=1,4=4,5=3,6=6,7=5 --held 7,3
    """
    if not exact:
        raise InputError("sacred-places needs --exact: the exact answer is all there is of this study so far")
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
