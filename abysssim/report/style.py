"""How figures look, in light and dark: one palette, safe for colour-blind readers, and SVG that follows the page.

A figure is drawn once for each form. For SVG its colours are stand-ins that are then replaced by CSS variables, so
that an inline figure takes the colours and the typeface of the page around it, and a file of its own carries both
themes; for PNG it is drawn with the light palette.
"""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import matplotlib
from matplotlib.figure import Figure

DRAWN_FONT = "DejaVu Sans"  # ships with matplotlib; wider than the page's face, so nothing is cut off
SANS = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"


@dataclass(frozen=True)
class Palette:
    """Colours by role. Classes differ in hue, lightness and mark; series in hue and mark."""

    ink: str
    muted: str
    line: str
    paper: str
    band: str
    stronger: str
    weaker: str
    equivalent: str
    undecided: str
    series1: str
    series2: str
    series3: str
    series4: str
    series5: str

    def series(self, place: int) -> str:
        """Return the colour of the series at a place, from 0."""
        return (self.series1, self.series2, self.series3, self.series4, self.series5)[place % 5]


LIGHT = Palette(
    ink="#17252c",
    muted="#5b6b73",
    line="#d9dfe0",
    paper="#fcfbf8",
    band="#e3eeec",
    stronger="#b4500f",
    weaker="#2a5fb0",
    equivalent="#1e7a70",
    undecided="#7d8a90",
    series1="#1e7a70",
    series2="#b4500f",
    series3="#2a5fb0",
    series4="#8a3f7c",
    series5="#8a6d10",
)
DARK = Palette(
    ink="#e6ecec",
    muted="#9aabb0",
    line="#2f3f46",
    paper="#10191d",
    band="#1b3134",
    stronger="#f0995c",
    weaker="#86b4f5",
    equivalent="#58c4b4",
    undecided="#8b999e",
    series1="#58c4b4",
    series2="#f0995c",
    series3="#86b4f5",
    series4="#d695c9",
    series5="#d6b955",
)
ROLES = tuple(field.name for field in fields(Palette))
# Colours that nothing else in a drawing has.
STAND_INS = Palette(**{role: f"#0102{place:02x}" for place, role in enumerate(ROLES)})

Draw = Callable[[Palette, float], Figure]


@dataclass(frozen=True)
class Drawing:
    """A figure: its name (of files), a caption, a text for those who cannot see it, and how it is drawn.

    `draw` takes a palette and a width in pixels and returns a matplotlib figure whose point is a pixel. `narrow` draws
    the same for a phone, as one or more figures.
    """

    name: str
    caption: str
    description: str
    draw: Draw
    narrow: tuple[Draw, ...] = ()


@contextmanager
def drawing_style() -> Iterator[None]:
    """Set matplotlib's options for our figures, and put them back."""
    options: Any = {
        "font.family": DRAWN_FONT,
        "font.size": 11,
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.8,
        "xtick.major.size": 0,
        "ytick.major.size": 0,
        "xtick.labelsize": 10.5,
        "ytick.labelsize": 11,
        "axes.unicode_minus": True,
        "figure.dpi": 72,
    }
    with matplotlib.rc_context(options):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many pixels with no background."""
    figure = Figure(figsize=(width / 72, height / 72))
    figure.patch.set_alpha(0.0)
    return figure


def dress(axes: Any, palette: Palette, grid: str = "x") -> None:
    """Give axes our colours: quiet lines, muted numbers, a faint grid along `grid`."""
    axes.patch.set_alpha(0.0)
    for spine in axes.spines.values():
        spine.set_color(palette.line)
    axes.tick_params(colors=palette.muted, pad=5)
    axes.xaxis.label.set_color(palette.muted)
    axes.yaxis.label.set_color(palette.muted)
    if grid:
        axes.grid(True, axis=grid, color=palette.line, linewidth=0.7, zorder=0)
    axes.set_axisbelow(True)


def one_panel(
    palette: Palette, width: float, height: float, margins: tuple[int, int, int, int], grid: str
) -> tuple[Figure, Any]:
    """Return an empty figure of so many pixels and its axes; `margins` are left, right, bottom, top."""
    left, right, bottom, top = margins
    figure = new_figure(width, height)
    axes = figure.add_axes((left / width, bottom / height, 1 - (left + right) / width, 1 - (bottom + top) / height))
    dress(axes, palette, grid)
    return figure, axes


def svg_text(drawing: Drawing, draw: Draw, width: float, salt: str) -> str:
    """Return a figure as SVG text in CSS variables, without XML header; ids are made from `salt`."""
    with drawing_style(), matplotlib.rc_context({"svg.hashsalt": salt}):
        figure = draw(STAND_INS, width)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    for role in ROLES:
        text = text.replace(getattr(STAND_INS, role), f"var(--{role})")
    text = re.sub(rf"'{DRAWN_FONT}'[^;\"]*", "var(--sans)", text)
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    # Ids of groups serve nobody and would appear twice on a page.
    text = re.sub(r'<g id="[a-z_A-Z0-9.]+">', "<g>", text)
    text = re.sub(r"(\d+\.\d{2})\d+", r"\1", text)
    return re.sub(r"^<svg [^>]*>", lambda found: _head(found.group(0), drawing.description), text)


def _head(head: str, description: str) -> str:
    box = re.search(r'viewBox="([^"]*)"', head)
    size = box.group(1) if box else ""
    width = size.split()[2] if size else "100"
    label = description.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{size}" '
        f'role="img" aria-label="{label}" style="width:100%;max-width:{width}px;height:auto">'
    )


def css_variables(palette: Palette) -> str:
    """Return a palette as CSS declarations."""
    return " ".join(f"--{role}: {getattr(palette, role)};" for role in ROLES)


def svg_file(text: str) -> str:
    """Return SVG text in CSS variables as a file that follows the reader's theme by itself."""
    style = (
        f"<style>:root {{ {css_variables(LIGHT)} --sans: {SANS}; background: var(--paper); }} "
        f"@media (prefers-color-scheme: dark) {{ :root {{ {css_variables(DARK)} }} }}</style>"
    )
    end = text.index(">") + 1
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text[:end]}\n{style}{text[end:]}'


def png_bytes(drawing: Drawing, width: float, scale: float = 2.0) -> bytes:
    """Return a figure as PNG in the light theme, at `scale` device pixels a pixel."""
    with drawing_style():
        figure = drawing.draw(LIGHT, width)
        figure.patch.set_facecolor(LIGHT.paper)
        figure.patch.set_alpha(1.0)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=72 * scale, metadata={"Software": None})
    return buffer.getvalue()
