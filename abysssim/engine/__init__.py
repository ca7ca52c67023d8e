"""The rules in play, one module a chapter of the rulebook."""
