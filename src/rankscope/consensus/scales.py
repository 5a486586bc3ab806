"""What log-abilities say to people: odds, ratings on the Elo scale, shares of comparisons won."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats

__all__ = ["SCALES", "expected_shares", "on_scale", "win_shares"]


#: How ratings may be given; the first is the default.
SCALES = ("elo", "log", "wins")
#: On the Elo scale so many points more are odds of ten to one, and this is the mean.
POINTS, MEAN = 400.0, 1000.0
#: Numbers that are held at once.
AT_ONCE = 1 << 22


def win_shares(abilities: Floats, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems, systems) how much of a comparison with the second the first wins on average; a tie is half a win.

    abilities: (..., systems) log-abilities. tie: (...) Davidson's parameter, 0 where ties are half wins anyway. In
    [0, 1]; one half on the diagonal. P(win) = a / (a + b + tie sqrt(ab)), with a and b the abilities, and
    P(tie) = tie sqrt(ab) / (a + b + tie sqrt(ab)) (Davidson 1970, equations 2.1 and 2.2).

    >>> win_shares(np.log([3.0, 1.0])).tolist()  # odds of 3 to 1
    [[0.5, 0.75], [0.25, 0.5]]
    """
    half = (abilities[..., :, None] - abilities[..., None, :]) / 2
    return np.asarray(share_of(half, np.asarray(tie, np.float64)[..., None, None]), np.float64)


def share_of(half: Floats, tie: Floats) -> Floats:
    """exp(h) + tie / 2 over exp(h) + exp(-h) + tie, with no exponent above 0."""
    up, down = np.exp(np.minimum(2 * half, 0.0)), np.exp(np.minimum(-2 * half, 0.0))
    even = tie * np.exp(-np.abs(half))
    return np.asarray((up + even / 2) / (up + down + even))


def expected_shares(abilities: Floats, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems) the share of comparisons won by a system that meets each of the others equally often.

    >>> expected_shares(np.log([3.0, 1.0])).tolist()
    [0.75, 0.25]
    """
    n = abilities.shape[-1]
    flat = abilities.reshape(-1, n)
    ties = np.broadcast_to(np.asarray(tie, np.float64), abilities.shape[:-1]).reshape(-1)
    step = max(1, AT_ONCE // n**2)
    found = np.empty_like(flat)
    for start in range(0, len(flat), step):  # some at a time, so that memory stays small
        rows = slice(start, start + step)
        found[rows] = (win_shares(flat[rows], ties[rows]).sum(axis=-1) - 0.5) / (n - 1)
    return found.reshape(abilities.shape)


def on_scale(abilities: Floats, scale: str, tie: npt.ArrayLike = 0.0) -> Floats:
    """(..., systems) ratings on one of SCALES; higher is better.

    "elo": 1000 + 400 / ln 10 times the log-ability, "log": the log-ability, "wins": `expected_shares` in percent.

    >>> on_scale(np.log([10.0, 1.0]) - np.log(10) / 2, "elo").round(6).tolist()
    [1200.0, 800.0]
    """
    if scale == "wins":
        return 100 * expected_shares(abilities, tie)
    return MEAN + POINTS / np.log(10) * abilities if scale == "elo" else abilities
