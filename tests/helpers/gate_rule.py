"""The verdict of a gate as the manual says it, in plain steps with SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

__all__ = ["verdict_by_definition"]


def verdict_by_definition(d: Any, margin: float, level: float = 0.05, largest_loss: float | None = 1.0) -> str:
    """The verdict on differences that are not all one, by t."""
    d = np.asarray(d, float)
    n, skewness = d.size, float(stats.skew(d))
    noninferior = stats.ttest_1samp(d, -margin, alternative="greater")
    worse = stats.ttest_1samp(d, 0, alternative="less")
    passes, is_worse = noninferior.pvalue <= level, worse.pvalue <= level
    if largest_loss is not None:
        loses, differs = d <= -largest_loss / 20, np.abs(d) >= largest_loss / 20
        if not loses.any() or differs.sum() < 5:
            n_losses = int(loses.sum())
            share = 1.0 if n_losses == n else stats.beta.ppf(1 - level, n_losses + 1, n - n_losses)
            gain = np.where(loses, 0.0, d).sum() / max(n - n_losses, 1)
            if (d > 0).sum() < 5:
                gain = min(gain, 0.0)
            passes &= (1 - share) * gain - share * largest_loss >= -margin
    error = 2 * np.sqrt(6 / n)
    if skewness < -error:
        passes &= stats.t.sf(hall(noninferior.statistic, skewness, n), n - 1) <= level
    if skewness > error:
        is_worse &= stats.t.cdf(-hall(-worse.statistic, -skewness, n), n - 1) <= level
    return "pass" if passes else "worse" if is_worse else "undecided"


def hall(t: float, skewness: float, n: int) -> float:
    """Hall's transformation of t (1992)."""
    w = t / np.sqrt(n)
    return float(np.sqrt(n) * (w + skewness * w**2 / 3 + skewness**2 * w**3 / 27 + skewness / (6 * n)))
