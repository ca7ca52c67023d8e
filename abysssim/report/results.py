"""The directory of a study's results: manifest, summary, tables, figures, and the report in one file."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from abysssim.report.figures import WIDE
from abysssim.report.page import Page, render
from abysssim.report.style import png_bytes, svg_file
from abysssim.store import remove_leftovers, write_atomically, write_json, write_tables, write_text
from abysssim.studies.result import Result

#: What a run's time and place decide: in the manifest, not in the summary.
OF_THE_RUN = (
    "seconds", "games_per_second", "command", "directory", "version", "started", "finished", "machine", "packages",
    "jobs",
)  # fmt: skip


def tables_as_json(tables: Mapping[str, pd.DataFrame]) -> dict[str, list[dict[str, Any]]]:
    """Return tables as lists of rows, with null where there is no number."""
    return {
        name: [{str(key): _plain(value) for key, value in row.items()} for row in table.to_dict("records")]
        for name, table in tables.items()
    }


def _plain(value: Any) -> Any:
    if value is pd.NA or value is None:
        return None
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def summary_of(tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of summary.json: nothing in it depends on machine, workers or time."""
    line_ups = [{key: value for key, value in one.items() if key != "seconds"} for one in facts["line_ups"]]
    kept = {key: value for key, value in facts.items() if key not in OF_THE_RUN}
    return {**kept, "line_ups": line_ups, "tables": tables_as_json(tables)}


def write_results(out: Path, result: Result, page: Page) -> None:
    """Write everything but the manifest to a directory that exists; each file appears complete.

    page : the report, whose figures become files as well
    """
    figures = out / "figures"
    figures.mkdir(exist_ok=True)
    remove_leftovers(figures)
    write_tables(out / "tables", result.tables)
    for figure in page.figures:
        name = figure.drawing.name
        write_text(figures / f"{name}.svg", svg_file(figure.wide))
        write_atomically(figures / f"{name}.png", _Write(png_bytes(figure.drawing, WIDE)))
    write_json(out / "summary.json", summary_of(result.tables, result.facts))
    write_text(out / "report.html", render(page))


class _Write:
    """Writes bytes to the path that it is called with."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __call__(self, path: Path) -> None:
        path.write_bytes(self.content)
