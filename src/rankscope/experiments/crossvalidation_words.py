"""A cross-validation in sentences: which ranker is best, who cannot be told from it, and what is noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import counted, listed, percent, queries
from rankscope.stats.intervals import t_interval

if TYPE_CHECKING:
    from rankscope.comparison.comparison import MeasureComparison
    from rankscope.experiments.crossvalidated import CrossValidation

__all__ = ["Noise", "noise_of", "noise_words", "seeds_note", "verdict"]

#: Thresholds of pairs that differ by more than this share are told as a range.
ALIKE = 0.1


class Noise(NamedTuple):
    """(pairs) how far two means must be apart to be more than chance: of queries, seeds (NaN: not known), both."""

    queries: npt.NDArray[np.float64]
    seeds: npt.NDArray[np.float64]
    both: npt.NDArray[np.float64]


def noise_of(result: CrossValidation, part: MeasureComparison) -> Noise:
    """Of each pair, half the width of the interval of its difference, to which the seeds' variance is added.

    queries: t s / sqrt(n), s the standard deviation of the differences, n the queries. seeds: the same t times the root
    of v_a / k + v_b / k, v the variances of the models' means over k seeds; a model that is the same for all seeds has
    none. NaN where a pair never differs, or always by the same; seeds: with one seed, and where measures are no means.
    """
    values = part.matched.values
    found = t_interval(values[part.first] - values[part.second], confidence_level=1 - part.level)
    half = np.where(found.degenerate, np.nan, found.high - found.mean)
    m = result.test.scores.place_of(part.measure)
    of_seeds = np.full(half.shape, np.nan)
    if result.test.kinds[m] == "mean" and (result.seeds > 1 or all(result.fixed)):
        deviation = np.where(result.fixed, 0.0, np.nan_to_num(result.test.deviation[:, m]))
        spread = (values[part.first] - values[part.second]).std(axis=1, ddof=1) / np.sqrt(part.n)
        times = np.divide(half, spread, out=np.full(half.shape, np.nan), where=spread > 0)
        of_seeds = times * np.sqrt((deviation[part.first] ** 2 + deviation[part.second] ** 2) / result.seeds)
    return Noise(half, of_seeds, np.sqrt(half**2 + np.nan_to_num(of_seeds) ** 2))


def verdict(result: CrossValidation) -> str:
    """By the first measure: which is best, whom that was not shown of, and how large a difference is noise."""
    measure = result.measures[0]
    best = result.order[0]
    mean = result.test.overall[best, 0]
    where = f"on {queries(len(result.test.scores.query_ids))} of {counted(len(result.folds), 'fold')}"
    if result.comparison is None:
        return f"{result.models[best]} has a mean {measure} of {mean:.4f} {where}{alone(result)}."
    part = result.comparison[measure]
    word = "highest" if part.matched.sign > 0 else "lowest"
    said = f"{result.models[best]} has the {word} mean {measure}, {mean:.4f} {where}"
    rivals = [m for m in result.order[1:] if (m, best) in pairs_of(part) or (best, m) in pairs_of(part)]
    beaten = [result.models[m] for m in rivals if part.beats[best, m]]
    open_ = [result.models[m] for m in rivals if not part.beats[best, m]]
    parts = [said]
    if beaten:
        parts.append(f"it is better than {listed(beaten)}")
    if open_:
        parts.append(f"from {listed(open_)} it cannot be told apart")
    return "; ".join(parts) + ". " + noise_words(result, part)


def seeds_note(result: CrossValidation) -> list[str]:
    """A note on pairs that the test tells apart although queries and seeds together make differences as large."""
    weak = [
        f"{part.systems[part.first[i]]} and {part.systems[part.second[i]]} ({part.measure})"
        for part in (result.comparison.parts if result.comparison is not None else ())
        for i in np.flatnonzero((part.found != 0) & (np.abs(part.difference) < noise_of(result, part).both)).tolist()
    ]
    if not weak:
        return []
    return [
        f"of {listed(weak)} the test, which looks at queries only, finds a difference that is no larger than what "
        "queries and seeds make together; take more seeds"
    ]


def pairs_of(part: MeasureComparison) -> set[tuple[int, int]]:
    return set(zip(part.first.tolist(), part.second.tolist(), strict=True))


def alone(result: CrossValidation) -> str:
    """The interval of the mean of the only ranker."""
    values = result.test.scores.values[0, 0]
    found = t_interval(values[~np.isnan(values)])
    if bool(found.degenerate) or result.test.kinds[0] != "mean":
        return ""
    return f" (95 % interval {float(found.low):.4f} to {float(found.high):.4f})"


def noise_words(result: CrossValidation, part: MeasureComparison) -> str:
    """How large a difference has to be, from these data."""
    noise = noise_of(result, part)
    there = ~np.isnan(noise.both)
    if not there.any():
        return "How large a difference is noise cannot be told from these values."
    low, middle, high = np.quantile(noise.both[there], [0, 0.5, 1]).tolist()
    size = f"about {middle:.4f}"
    if high - low > ALIKE * middle:
        size += f" ({low:.4f} to {high:.4f}, by pair)"
    of_queries = float(np.median(noise.queries[there]))
    why = f"which queries are asked ({of_queries:.4f})"
    if np.isnan(noise.seeds[there]).any():
        why += "; how much seeds add is not known, since there was one"
    elif not all(result.fixed):
        why += f" and which {counted(result.seeds, 'seed')} are taken ({float(np.median(noise.seeds[there])):.4f})"
    chance = percent(part.level)
    return (
        f"Two means of {part.measure} that are less than {size} apart may well differ by chance: in {chance} of such "
        f"experiments two equally good rankers come out that far apart, just by {why}."
    )
