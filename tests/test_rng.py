"""The generator against its published known answers, and deck orders against what keyed randomness promises."""

import numpy as np
import pytest

from abysssim.core import rng

pytestmark = pytest.mark.nojit

# Known answers of Philox4x32-10 from the Random123 distribution: counter, key, result.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (
        (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_known_answers(counter: tuple[int, ...], key: tuple[int, ...], answer: tuple[int, ...]) -> None:
    words = rng.philox.py_func if hasattr(rng.philox, "py_func") else rng.philox
    assert tuple(int(w) for w in words(*map(np.uint64, counter), *map(np.uint64, key))) == answer
