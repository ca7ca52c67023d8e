"""The wall between rules and policies in compiled code.

Numba optimises everything that a function calls again in each of its callers, and the whole engine calls `decide`: with
the policies inlined, a cold compile took three times as long. So they are compiled once, apart, and the engine calls
them by a symbol that the linker knows, at about two nanoseconds a call.
"""

from collections.abc import Callable
from typing import Any

from abysssim.core import jit
from abysssim.core.layout import GAME, POLICY, RULES

SYMBOL = "abysssim_decide"


def compiled_apart(function: Callable[..., int]) -> Any:
    """Compile ``function(game, rules, policy, seat)`` apart, and return what jitted code calls in its place.

    The code comes from the cache if it is there. With the jit off the function itself is returned.
    """
    if not jit.is_compiled():
        return function
    import numba
    from llvmlite import binding

    records = [numba.from_dtype(dtype) for dtype in (GAME, RULES, POLICY)]
    signature = numba.types.int64(*records, numba.types.int64)
    options = {key: value for key, value in jit.OPTIONS.items() if key != "no_cfunc_wrapper"}
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(jit.cache_folder())
    try:
        compiled = numba.cfunc(signature, cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = previous
    binding.add_symbol(SYMBOL, compiled.address)
    return numba.types.ExternalFunction(SYMBOL, signature)
