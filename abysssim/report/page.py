"""The page of a report: sections, sortable tables and inline figures in one file that needs no network."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from abysssim.report.style import DARK, LIGHT, SANS, Drawing, css_variables, svg_text

TEMPLATES = Path(__file__).parent / "templates"
FOOTER = "An unofficial research tool; Abyss belongs to its publisher and authors."


@dataclass(frozen=True)
class Column:
    """A column: its heading, a longer explanation, and whether it holds numbers."""

    label: str
    note: str = ""
    numeric: bool = True


@dataclass(frozen=True)
class Cell:
    """What a cell shows, what it is sorted by, and the class of equivalence it stands for, if any."""

    text: str
    sort: float | str = ""
    verdict: str = ""
    code: bool = False


@dataclass(frozen=True)
class Table:
    """A sortable table; the first column names the row and stays in view."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    folded: bool = False


@dataclass(frozen=True)
class Figure:
    """An inline figure: a drawing, and what it is as SVG in wide and in narrow windows."""

    drawing: Drawing
    wide: Markup
    narrow: tuple[Markup, ...]


@dataclass(frozen=True)
class Section:
    """A part of the report: an anchor, a heading, and its blocks (paragraphs, lists, tables, figures) in order."""

    anchor: str
    title: str
    blocks: Sequence["Table | Figure | Paragraph | Listing | Facts"] = field(default_factory=tuple)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str
    lead: bool = False


@dataclass(frozen=True)
class Listing:
    """A list of plain sentences."""

    items: Sequence[str]


@dataclass(frozen=True)
class Facts:
    """Names and values, for provenance; values in `code` are set as code."""

    items: Sequence[tuple[str, str]]
    code: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Page:
    """A whole report: title, what it is about in a line, sections, and a closing line."""

    title: str
    subtitle: str
    kicker: str
    sections: Sequence[Section]
    footer: str = FOOTER

    @property
    def figures(self) -> list[Figure]:
        """All figures, in their order on the page."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Figure)]


def text_cell(text: str) -> Cell:
    """Return a cell that is sorted by its own text."""
    return Cell(text, text.lower())


def inline_figure(drawing: Drawing, wide: float, narrow: float) -> Figure:
    """Return a drawing as SVG for wide and for narrow windows."""
    small = [
        Markup(svg_text(drawing, draw, narrow, f"{drawing.name}-{place}")) for place, draw in enumerate(drawing.narrow)
    ]
    return Figure(drawing, Markup(svg_text(drawing, drawing.draw, wide, drawing.name)), tuple(small))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["kind"] = lambda block, name: type(block).__name__ == name
    return environment


def render(page: Page) -> str:
    """Return the page as HTML with its styles and script inside."""
    values: dict[str, Any] = {
        "page": page,
        "style": Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
        "script": Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
        "light": Markup(css_variables(LIGHT)),
        "dark": Markup(css_variables(DARK)),
        "sans": Markup(SANS),
    }
    return _environment().get_template("page.html.j2").render(values)
