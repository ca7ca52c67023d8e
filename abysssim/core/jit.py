"""How the core is compiled: numba's options and the compile cache, in one place.

Numba's own cache looks at the file of the compiled function only: an edited helper in another file, or a changed
compile option, would leave stale code behind. The cache folder is therefore keyed by a hash of every source file
that is compiled, of the options and of the versions.
"""

import contextlib
import functools
import hashlib
import inspect
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

from platformdirs import user_cache_dir

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parents[1]
ENTRY_MODULE = "abysssim.engine.play"  # it imports all that is compiled
# What compiled code of each folder is made from. The engine calls the policies by symbol only (`separate`), so that
# an edited policy leaves the compiled engine good.
COMPILED_FROM = {"policies": ("core", "policies"), "engine": ("core", "engine")}
OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "nogil": True}


@functools.cache
def source_hash(folder: str) -> str:
    """Return a hash of everything that a folder's compiled code depends on: sources, options, versions, interpreter."""
    import llvmlite
    import numba
    import numpy

    digest = hashlib.blake2b(digest_size=8)
    files = [PACKAGE / "vocabulary.py"]
    for source in COMPILED_FROM[folder]:
        files += sorted((PACKAGE / source).glob("*.py"))
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    versions = (numba.__version__, llvmlite.__version__, numpy.__version__, platform.python_version())
    flags = (os.environ.get("NUMBA_BOUNDSCHECK", ""), os.environ.get("NUMBA_OPT", ""))
    digest.update(repr((sorted(OPTIONS.items()), versions, flags)).encode())
    return digest.hexdigest()


def cache_folder(folder: str) -> Path:
    """Return where the compiled code of exactly these sources is kept (``ABYSSSIM_CACHE`` moves its parent)."""
    parent = os.environ.get("ABYSSSIM_CACHE") or user_cache_dir("abysssim", appauthor=False)
    return Path(parent) / source_hash(folder)


def is_compiled() -> bool:
    """Tell whether the core runs compiled (``NUMBA_DISABLE_JIT=1`` runs it as plain Python)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def is_cached() -> bool:
    """Tell whether compiled code of exactly these sources is already on disk."""
    return all(any(cache_folder(folder).rglob("*.nbi")) for folder in COMPILED_FROM)


def jit(function: F, forceinline: bool = False) -> F:
    """Compile an inner function of the core."""
    from numba import njit

    decorate: Any = njit  # its published types leave out what is not for everybody
    # Said either way: what is called from a function that is inlined would inherit that.
    compiled: F = decorate(no_cpython_wrapper=True, forceinline=forceinline, **OPTIONS)(function)
    return compiled


def inline(function: F) -> F:
    """Compile an inner function into each of its callers: one that is tiny, or that has but one."""
    return jit(function, forceinline=True)


def _cached(decorator: Callable[..., Any], function: F, *signature: Any, **options: Any) -> Any:
    """Compile with numba's cache in our folder: numba fixes the cache's place when a dispatcher is made."""
    import numba

    folder = function.__module__.split(".")[1]
    previous = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(cache_folder(folder if folder in COMPILED_FROM else "engine"))  # type: ignore[attr-defined]
    try:
        return decorator(*signature, cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = previous  # type: ignore[attr-defined]


_separate: dict[str, tuple[Callable[..., Any], Any]] = {}


def separate(dtypes: tuple[Any, ...], scalars: int) -> Callable[[F], F]:
    """Compile a function of records apart from its callers, who call it by its symbol.

    numba optimises the whole of a callee again inside each of its callers, and again inside theirs: a large function
    low in the call chain would be compiled dozens of times. A symbol ends that.

    Parameters
    ----------
    dtypes : tuple of numpy dtypes
        Records that the function takes first.
    scalars : int
        How many int64 follow; the function returns an int64.
    """

    def decorate(function: F) -> F:
        if not is_compiled():
            return function
        from numba import from_dtype, int64

        signature = int64(*(from_dtype(dtype) for dtype in dtypes), *[int64] * scalars)
        name = f"abysssim_{function.__module__.rpartition('.')[2]}_{function.__name__}"
        _separate[name] = (function, signature)
        return cast(F, _symbol(name, signature))

    return decorate


def _symbol(name: str, signature: Any) -> Any:
    """Return what compiled code calls to reach the function of that name: as numba calls a callee of its own.

    A pointer to C, numba's usual way, costs another call and thirty instructions for turning exceptions into a result.
    """
    from numba.core import cgutils as llvm_tools
    from numba.extending import intrinsic

    cgutils: Any = llvm_tools

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        kind = context.call_conv.get_function_type(signature.return_type, signature.args)
        callee = cgutils.get_or_insert_function(builder.module, kind, name)
        exceptions = builder.function.args[1]
        with builder.goto_entry_block():
            result = builder.alloca(context.get_value_type(signature.return_type))
            exception = builder.alloca(exceptions.type.pointee)
        values = context.get_arg_packer(signature.args).as_arguments(builder, arguments)
        code = builder.call(callee, [result, exception, *values])
        # An exception goes on to where the caller's own go, and the caller ends with the same code. (Handing down the
        # caller's place for it at once would have every function that is inlined clear such a place first.)
        with cgutils.if_unlikely(builder, builder.icmp_unsigned("!=", code, code.type(0))):
            builder.store(builder.load(exception), exceptions)
            builder.ret(code)
        return builder.load(result)

    def symbol(typingctx: Any, *_: Any) -> Any:  # numba asks for the first name
        return signature, generate

    # numba binds arguments one by one, so that it must see one parameter for each.
    names = ["typingctx", *(f"argument_{number}" for number in range(len(signature.args)))]
    parameters = [inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in names]
    symbol.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    decorate: Any = intrinsic
    return decorate(symbol)


def _provide_separate() -> None:
    """Compile, or load, the functions that are called by symbol, and make the symbols known; callees come first."""
    import llvmlite.binding

    if _separate and not is_cached():
        _compile_side_by_side()
    while _separate:
        name, (function, signature) = next(iter(_separate.items()))
        llvmlite.binding.add_symbol(name, _provide(function, signature))
        del _separate[name]


def _provide(function: Callable[..., Any], signature: Any) -> int:
    """Compile, or load, a function that is called by its symbol; return its address."""
    import numba

    compiled = _cached(numba.njit, function, signature, no_cpython_wrapper=True, **OPTIONS)
    _provided.append(compiled)  # keeps the code alive
    (result,) = compiled.overloads.values()
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def _compile_side_by_side() -> None:
    """Compile each folder in a process of its own, into the cache: two cores need half the time.

    Should one fail, what it leaves undone is compiled here. Where another process compiles already, it is waited for.
    """
    command = f"import {ENTRY_MODULE}; from {__name__} import compile_folder; compile_folder({{!r}})"
    with _one_at_a_time():
        if not is_cached():
            started = [subprocess.Popen([sys.executable, "-c", command.format(folder)]) for folder in COMPILED_FROM]
            for process in started:
                process.wait()


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Wait until no other process compiles into the same cache (where there are no such locks, do not)."""
    if fcntl is None:
        yield
        return
    folder = cache_folder("engine").parent
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "compiling.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compile_folder(wanted: str) -> None:
    """Compile the functions of a folder that are called by symbol, into the cache; nothing here is ever run.

    What they call in other folders has to have some address to be linked with: the cache holds only its name.
    """
    import llvmlite.binding

    for name, (function, signature) in _separate.items():
        is_wanted = function.__module__.split(".")[1] == wanted
        llvmlite.binding.add_symbol(name, _provide(function, signature) if is_wanted else 1)


_provided: list[Any] = []
_compiling = threading.Lock()


def entry_point(function: F) -> F:
    """Compile a function that Python calls, on its first call, and cache it: its callees are stored with it."""
    if not is_compiled():
        return function
    compiled: Any = None

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal compiled
        if compiled is None:
            with _compiling:
                if compiled is None:
                    import numba

                    _provide_separate()
                    compiled = _cached(numba.njit, function, **OPTIONS)
        return compiled(*arguments)

    return call  # type: ignore[return-value]
