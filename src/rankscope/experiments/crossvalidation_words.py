"""A cross-validation in sentences: which ranker is best, who cannot be told from it, and what is noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.wording import format_percent, join_names, pluralise, pluralise_queries
from rankscope.experiments.noise import Noise, noise_of_means
from rankscope.stats.intervals import t_interval

if TYPE_CHECKING:
    from rankscope.comparison.comparison import MeasureComparison
    from rankscope.experiments.crossvalidated import CrossValidation

__all__ = ["Noise", "noise_of_pairs", "seeds_note", "verdict"]

#: Thresholds of pairs that differ by more than this share are told as a range.
RANGE_FROM = 0.1


def verdict(result: CrossValidation) -> str:
    """By the first measure: which is best, whom that was not shown of, and how large a difference is noise."""
    measure = result.measures[0]
    best = result.order[0]
    value = f"{result.test.overall[best, 0]:.4f}"
    called = value_label(result)
    where = f"on {pluralise_queries(len(result.test.scores.query_ids))} of {pluralise(len(result.folds), 'fold')}"
    if result.comparison is None:
        return f"{result.models[best]} has a {called} of {value} {where}{single_ranker_interval(result)}."
    part = result.comparison[measure]
    word = "highest" if part.matched.sign > 0 else "lowest"
    said = f"{result.models[best]} has the {word} {called}, {value} {where}"
    rivals = [m for m in result.order[1:] if (m, best) in compared_pairs(part) or (best, m) in compared_pairs(part)]
    noise = noise_of_pairs(result, part)
    clear: list[str] = []
    weak: list[str] = []
    for m in rivals:
        if part.beats[best, m]:
            (weak if within_noise(noise, part)[part.pair(best, m)] else clear).append(result.models[m])
    open_ = [result.models[m] for m in rivals if not part.beats[best, m]]
    parts = [said]
    if clear:
        parts.append(f"it is better than {join_names(clear)}")
    if weak:
        made = "by no more than queries and seeds may make together"
        parts.append(f"it is better than {join_names(weak)} on these queries, but {made}")
    if open_:
        parts.append(f"from {join_names(open_)} it cannot be told apart")
    return "; ".join(parts) + ". " + noise_sentence(result, part, best)


def seeds_note(result: CrossValidation) -> list[str]:
    """A note on pairs that the test tells apart although queries and seeds together make differences as large."""
    weak = [
        f"{part.systems[part.first[i]]} and {part.systems[part.second[i]]} ({part.measure})"
        for part in (result.comparison.parts if result.comparison is not None else ())
        for i in np.flatnonzero((part.found != 0) & within_noise(noise_of_pairs(result, part), part)).tolist()
    ]
    if not weak:
        return []
    return [
        f"of {join_names(weak)} the test, which looks at queries only, finds a difference that is no larger than what "
        "queries and seeds make together; take more seeds"
    ]


def within_noise(noise: Noise, part: MeasureComparison) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """(pairs) whether seeds, where any were drawn, and queries make differences as large."""
    return np.asarray((noise.seeds > 0) & (np.abs(part.difference) < noise.both))


def value_label(result: CrossValidation) -> str:
    """The first measure's value over all queries, in a sentence: "mean AP"; of GMAP, which is no mean, itself."""
    return f"mean {result.measures[0]}" if result.test.kinds[0] == "mean" else result.measures[0]


def compared_pairs(part: MeasureComparison) -> set[tuple[int, int]]:
    return set(zip(part.first.tolist(), part.second.tolist(), strict=True))


def single_ranker_interval(result: CrossValidation) -> str:
    """The interval of the mean of the only ranker."""
    values = result.test.scores.values[0, 0]
    found = t_interval(values[~np.isnan(values)])
    if bool(found.degenerate) or result.test.kinds[0] != "mean":
        return ""
    return f" (95 % interval {float(found.low):.4f} to {float(found.high):.4f})"


def noise_sentence(result: CrossValidation, part: MeasureComparison, best: int) -> str:
    """How large a difference from the best ranker has to be, from these data."""
    noise = noise_of_pairs(result, part)
    there = ((part.first == best) | (part.second == best)) & ~np.isnan(noise.both)
    if not there.any():
        return "How large a difference is noise cannot be told from these values."
    low, high = float(noise.both[there].min()), float(noise.both[there].max())
    size, by_pair = f"about {low:.4f}", ""
    if high - low > RANGE_FROM * low:
        size, by_pair = f"{low:.4f} to {high:.4f}", ", depending on the ranker"
    why = f"which queries are asked ({format_range(noise.queries[there])})"
    if np.isnan(noise.seeds[there]).any():
        unknown = "there was one" if result.test.kinds[0] == "mean" else f"{part.measure} is no mean over queries"
        why += f"; how much seeds add is not known, since {unknown}"
    elif (noise.seeds[there] > 0).any():
        why += f" and which {pluralise(result.seeds, 'seed')} are taken ({format_range(noise.seeds[there])})"
    if len(result.models) == 2:
        which = f"Two means of {part.matched.label} that are less than {size} apart"
    else:
        which = f"Means of {part.matched.label} that are less than {size} from that of {result.models[best]}{by_pair},"
        which = which if by_pair else which[:-1]
    return (
        f"{which} may well differ by chance: in {format_percent(part.level)} of such experiments two equally good rankers "
        f"come out that far apart, just by {why}."
    )


def format_range(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """One number, or from the lowest to the highest."""
    low, high = f"{values.min():.4f}", f"{values.max():.4f}"
    return low if low == high else f"{low} to {high}"


def noise_of_pairs(result: CrossValidation, part: MeasureComparison) -> Noise:
    """Of each pair, how far its two means must be apart to be more than chance; see `noise_of_means`.

    Seeds are known of measures that are means, where there were two or more, or where none of them changes a ranker.
    """
    apart = part.matched.differences(part.first, part.second)
    m = result.test.scores.place_of(part.measure)
    deviation = np.full(len(result.models), np.nan)
    if result.test.kinds[m] == "mean" and (result.seeds > 1 or all(result.fixed)):
        deviation = np.where(result.fixed, 0.0, np.nan_to_num(result.test.deviation[:, m]))
    pairs = np.stack([deviation[part.first], deviation[part.second]])
    return noise_of_means(apart, pairs, seeds=result.seeds, level=part.level)
