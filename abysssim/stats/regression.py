"""Ridge regression with game fixed effects, from accumulated cross products.

Descriptive only: it says which columns go together with winning inside a game, not what causes it. Who
recruits a Lord could afford it, and the regression does not know how that player stood before.

A row is a player, a column a property (the Lords recruited, say). The fixed effect of a game is removed by
centring inside it. For n players, n * sum(x x') - sum(x) sum(x)' is the centred product times n, and a whole
number for whole-number columns; these add up exactly over millions of games, of which no row need be kept.
All games of an arm have the same number of players.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from .arrays import Floats, aligned, check_positive, floats, grouped, total
from .jackknife import Jackknife

#: Range of penalties searched, as multiples of the mean eigenvalue of the cross products.
_PENALTY_RANGE = (1e-8, 1e4)


@dataclass(frozen=True, eq=False)
class GameProducts:
    """Within-game products times the number of players, summed over games.

    xtx: shape (p, p). xty: shape (p,). yty: a scalar array. games: their number. int64 when x and y are
    integers.
    """

    xtx: NDArray[Any]
    xty: NDArray[Any]
    yty: NDArray[Any]
    games: int


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """Coefficients with jackknife replicates (shape (p,) and (G, p)), the penalty, and the model's freedom.

    coefficients.se is the sampling error at the penalty given; the pull towards nought that the penalty
    exerts is a bias and not part of it. A column that never varies inside a game is nan. freedom: trace of
    the hat matrix.
    """

    coefficients: Jackknife
    penalty: float
    freedom: float


def game_products(x: ArrayLike, y: ArrayLike) -> GameProducts:
    """Return the products of a batch of games: x of shape (games, players, p), y of shape (games, players).

    Integers are kept exact. Raises ValueError for shapes that do not fit or fewer than two players.
    """
    columns, values = np.asarray(x), np.asarray(y)
    if columns.ndim != 3 or values.shape != columns.shape[:2] or columns.shape[1] < 2:
        raise ValueError(
            f"x must be (games, players, p) and y (games, players) with two players or more, "
            f"not {columns.shape} and {values.shape}"
        )
    if columns.dtype.kind in "biu" and values.dtype.kind in "biu":
        columns, values = columns.astype(np.int64), values.astype(np.int64)
    else:
        columns, values = floats(columns), floats(values)
    games, players, p = columns.shape
    flat_x, flat_y = columns.reshape(-1, p), values.reshape(-1)
    sum_x, sum_y = columns.sum(axis=1), values.sum(axis=1)
    return GameProducts(
        xtx=players * (flat_x.T @ flat_x) - sum_x.T @ sum_x,
        xty=players * (flat_x.T @ flat_y) - sum_x.T @ sum_y,
        yty=np.asarray(players * (flat_y @ flat_y) - sum_y @ sum_y),
        games=games,
    )


def gcv_penalty(xtx: ArrayLike, xty: ArrayLike, yty: ArrayLike, games: int, players: int) -> float:
    """Return the penalty that minimises generalised cross-validation, (RSS / m) / (1 - freedom / m)^2.

    Golub, Heath and Wahba, Technometrics 21 (1979) 215-223. xtx (G, p, p), xty (G, p), yty (G,): group sums
    of game products. m = games * (players - 1), the rows less one fixed effect a game. Searched between 1e-8
    and 1e4 times the mean eigenvalue, so that a nearly flat criterion still gives a penalty above zero.
    Raises ValueError when there is no column that varies, or no more rows than columns.
    """
    a, b = _products(xtx, xty)
    squares = aligned(yty, (a.shape[0],), "yty")
    whole_a, whole_b = floats(total(a, "xtx")) / players, floats(total(b, "xty")) / players
    whole_y = float(total(squares, "yty")) / players
    rows = games * (players - 1)
    values, vectors = np.linalg.eigh(whole_a)
    values = np.maximum(values, 0.0)
    middle = float(values.mean())
    if middle == 0:
        raise ValueError("no column varies inside any game")
    if rows <= values.size:
        raise ValueError(f"{rows} rows inside games are too few for {values.size} columns")
    projected = (vectors.T @ whole_b) ** 2

    def loss(log_penalty: float) -> float:
        penalty = float(np.exp(log_penalty))
        explained = (projected * (values + 2 * penalty) / (values + penalty) ** 2).sum()
        freedom = (values / (values + penalty)).sum()
        return float((whole_y - explained) / (1 - freedom / rows) ** 2)

    grid = np.log(np.geomspace(*_PENALTY_RANGE, 121) * middle)
    best = int(np.argmin([loss(float(point)) for point in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, grid.size - 1)])
    found = optimize.minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


def ridge(xtx: ArrayLike, xty: ArrayLike, players: int, penalty: float, scale: float = 1.0) -> RidgeFit:
    """Solve (X'X + penalty I) b = X'y from group sums of game products, with delete-one-group replicates.

    xtx: shape (G, p, p). xty: shape (G, p). players: players in each game, by which the products were
    multiplied. penalty: in the unit of X'X, equal for all columns, so that rare columns are pulled most; the
    same for all replicates. scale: what y was multiplied by. The jackknife leaves out whole groups, because
    rows of a game are dependent and their residuals say nothing about the error of b.
    Raises ValueError for shapes that do not fit or a penalty that is not above zero.
    """
    check_positive(penalty, "penalty")
    check_positive(scale, "scale")
    if players < 2:
        raise ValueError(f"players must be at least 2, not {players}")
    a, b = _products(xtx, xty)
    whole_a, whole_b = total(a, "xtx"), total(b, "xty")
    varies = np.diagonal(a, axis1=1, axis2=2) != 0
    used = np.asarray(varies.sum(axis=0), dtype=np.int64)
    estimate = np.where(used > 0, _solve(whole_a, whole_b, players, penalty), np.nan)
    replicates = np.where(used > 1, _solve(whole_a - a, whole_b - b, players, penalty), np.nan)
    inside = floats(whole_a) / players
    freedom = np.trace(np.linalg.solve(inside + penalty * np.eye(inside.shape[0]), inside))
    fit = Jackknife(floats(estimate / scale), floats(replicates / scale), used)
    return RidgeFit(fit, float(penalty), float(freedom))


def _products(xtx: ArrayLike, xty: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    a, b = grouped(xtx, "xtx"), grouped(xty, "xty")
    if a.ndim != 3 or a.shape[1] != a.shape[2] or b.shape != a.shape[:2]:
        raise ValueError(f"xtx must be (G, p, p) and xty (G, p), not {a.shape} and {b.shape}")
    return a, b


def _solve(a: NDArray[Any], b: NDArray[Any], players: int, penalty: float) -> Floats:
    inside = floats(a) / players + penalty * np.eye(a.shape[-1])
    return floats(np.linalg.solve(inside, floats(b)[..., np.newaxis] / players)[..., 0])
