"""How a command that plays many games ends when it is interrupted."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

INTERRUPTED = 130


@contextmanager
def says_how_to_resume(out: Path | None) -> Iterator[None]:
    """Turn Ctrl-C into one sentence on how to go on, and exit status 130."""
    try:
        yield
    except KeyboardInterrupt:
        if out is None:
            advice = "nothing was kept, as there is no --out"
        else:
            advice = f"what was played is kept in {out}; the same command with --resume goes on from there"
        click.echo(f"\nabysssim: stopped; {advice}", err=True)
        sys.exit(INTERRUPTED)
