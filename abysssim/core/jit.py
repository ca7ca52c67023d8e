"""How the core is compiled: numba's options and the compile cache, in one place.

Numba's own cache looks at the file of the compiled function only: an edited helper in another file, or a changed
compile option, would leave stale code behind. The cache folder is therefore keyed by a hash of every source file
that is compiled, of the options and of the versions.
"""

import hashlib
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_cache_dir

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parents[1]
COMPILED_FOLDERS = ("core", "policies", "engine")
OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "nogil": True}


def source_hash() -> str:
    """Return a hash of everything that compiled code depends on: sources, options, versions, interpreter."""
    import llvmlite
    import numba
    import numpy

    digest = hashlib.blake2b(digest_size=8)
    files = [PACKAGE / "vocabulary.py"]
    for folder in COMPILED_FOLDERS:
        files += sorted((PACKAGE / folder).glob("*.py"))
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    versions = (numba.__version__, llvmlite.__version__, numpy.__version__, platform.python_version())
    flags = (os.environ.get("NUMBA_BOUNDSCHECK", ""), os.environ.get("NUMBA_OPT", ""))
    digest.update(repr((sorted(OPTIONS.items()), versions, flags)).encode())
    return digest.hexdigest()


def cache_folder() -> Path:
    """Return the folder of the compile cache for exactly these sources (``ABYSSSIM_CACHE`` moves its parent)."""
    parent = os.environ.get("ABYSSSIM_CACHE") or user_cache_dir("abysssim", appauthor=False)
    return Path(parent) / source_hash()


def is_compiled() -> bool:
    """Tell whether the core runs compiled (``NUMBA_DISABLE_JIT=1`` runs it as plain Python)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def is_cached() -> bool:
    """Tell whether a compile cache for exactly these sources is already on disk."""
    return any(cache_folder().rglob("*.nbi"))


def jit(function: F) -> F:
    """Compile an inner function of the core."""
    from numba import njit

    return njit(no_cpython_wrapper=True, **OPTIONS)(function)  # type: ignore[no-any-return]


def entry_point(function: F) -> F:
    """Compile a function that Python calls, and cache it: its compiled callees are stored with it."""
    import numba

    if not is_compiled():
        return function
    # Set before the dispatcher is made: numba fixes the cache's place then.
    previous = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
    try:
        return numba.njit(cache=True, **OPTIONS)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = previous  # type: ignore[attr-defined]
