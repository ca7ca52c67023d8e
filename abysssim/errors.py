"""The one exception for what a user can get wrong, and the sentence it carries."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """Bad input, told in one sentence: the key, the value, what is allowed, the nearest right name.

    The command line prints the sentence and exits with status 2.
    """


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'peddler'?"`` for the known name closest to `name`, or an empty string."""
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else ""
