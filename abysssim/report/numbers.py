"""Numbers as a reader should see them: one digit more than their error deserves, never more."""

from math import floor, isfinite, log10

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"
MOST_DECIMALS = 4


def decimals(error: float) -> int:
    """Return how many decimals a value with this standard error is given: an error of 0.3 deserves one, so two."""
    if not isfinite(error) or error <= 0:
        return 1
    return min(max(1 - floor(log10(error)), 0), MOST_DECIMALS)


def number(value: float, places: int = 1, sign: bool = False) -> str:
    """Return a number with a true minus sign and thin thousands; a dash where there is none."""
    if value is None or not isfinite(value):
        return NONE
    text = f"{abs(value):,.{places}f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    if float(f"{value:.{places}f}") == 0:
        return text
    return (MINUS if value < 0 else "+" if sign else "") + text


def estimate(value: float, error: float, sign: bool = False) -> str:
    """Return a value with the decimals that its error deserves, and one more."""
    return number(value, decimals(error), sign)


def interval(low: float, high: float, error: float, sign: bool = False) -> str:
    """Return an interval as "2.1 to 3.4"."""
    if not (isfinite(low) and isfinite(high)):
        return NONE
    return f"{estimate(low, error, sign)} to {estimate(high, error, sign)}"


def percent(share: float, places: int = 1) -> str:
    """Return a share of one as a percentage."""
    return f"{number(100 * share, places)}\N{NARROW NO-BREAK SPACE}%" if isfinite(share) else NONE


def count(value: float) -> str:
    """Return a whole number with thin thousands."""
    return number(value, 0)


def rough(value: float) -> str:
    """Return a large number of games roughly: "about 300 thousand", "about 2 million"."""
    if not isfinite(value):
        return NONE
    for limit, word in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if value >= limit:
            return f"about {value / limit:.2g} {word}" if value < 100 * limit else f"about {value / limit:.0f} {word}"
    return f"about {value:.0f}"


def listing(words: list[str]) -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def spelled(value: int) -> str:
    """Return a small whole number in words."""
    return SMALL[value] if 0 <= value < len(SMALL) else count(value)
