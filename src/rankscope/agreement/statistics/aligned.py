"""What people and metrics say of the same translations, aligned: the one input of all statistics on segments."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np
import numpy.typing as npt

from rankscope.data.rankings import Rankings
from rankscope.errors import ParameterError
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "AlignedScores",
    "cell_table",
    "from_matrices",
    "from_rankings",
    "random_stream",
    "sum_by_code",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class AlignedScores:
    """Scores of people and metrics for the same translations of one language pair; higher is better on all sides.

    A list is what is compared at once: a judgment, or a segment with all its systems.

    Attributes
    ----------
    people
        (lists, items) NaN where there is no score.
    metrics
        (metrics, lists, items) NaN where there is no score.
    segment
        (lists) the place of each list's segment in `segments`.
    system
        (lists, items) the place of each item's system in `systems`; -1 where the list has no such item.
    segments, systems
        The names.
    comparable
        Whether people's values of different lists can be compared, as scores can, and ranks cannot.
    weight
        (lists) how much each list counts; None if all count the same.
    """

    people: Floats
    metrics: Floats
    segment: Ints
    system: Ints
    segments: tuple[str, ...]
    systems: tuple[str, ...]
    comparable: bool = True
    weight: Floats | None = None

    def __post_init__(self) -> None:
        if self.weight is None:
            return
        if self.weight.shape != self.segment.shape or not (np.isfinite(self.weight) & (self.weight > 0)).all():
            raise ParameterError(
                f"there are {self.weight.size} weights of {self.segment.size} lists, expected a finite number above 0 "
                "for each list"
            )

    @cached_property
    def is_grid(self) -> bool:
        """Whether each segment is one list, and its items are all systems in their order."""
        n_lists, n_items = self.people.shape
        return (
            n_lists == len(self.segments)
            and n_items == len(self.systems)
            and bool((self.segment == np.arange(n_lists)).all())
            and bool((self.system == np.arange(n_items)).all())
        )

    @cached_property
    def present(self) -> Bools:
        """(lists, items) where people and all metrics have a score."""
        return np.asarray(~(np.isnan(self.people) | np.isnan(self.metrics).any(axis=0)))

    @cached_property
    def cell(self) -> Ints:
        """(lists, items) a number for each segment and system, the same wherever a translation occurs."""
        return np.maximum(self.system, 0) + self.segment[:, None] * len(self.systems)

    @cached_property
    def weights(self) -> Floats:
        """(lists) the weights; 1 where there are none."""
        return np.ones(len(self.segment)) if self.weight is None else self.weight

    @property
    def gold_matrix(self) -> Floats:
        """(systems, segments) the scores of people; of a grid."""
        return self.people.T

    @property
    def metric_matrices(self) -> Floats:
        """(metrics, systems, segments) the scores of the metrics; of a grid."""
        return self.metrics.swapaxes(1, 2)

    def by_system(self, values: Floats) -> Floats:
        """Values (..., lists, items) as (..., systems, lists); NaN where a list lacks the system."""
        if self.is_grid:
            return values.swapaxes(-1, -2)
        rows, items = np.nonzero(self.system >= 0)
        by_system = np.full((*values.shape[:-2], len(self.systems), len(self.segment)), np.nan)
        by_system[..., self.system[rows, items], rows] = values[..., rows, items]
        return by_system

    @property
    def n_unscored(self) -> int:
        """Translations that people judged and some metric has no score of."""
        return int(np.count_nonzero(~np.isnan(self.people) & ~self.present))

    def common(self, *, drop_empty: bool = False) -> AlignedScores:
        """With values only where people and all metrics have one.

        Parameters
        ----------
        drop_empty
            Remove the systems and segments of a grid that have no such translation.
        """
        gold = np.where(self.present.T, self.gold_matrix, np.nan)
        metrics = np.where(self.present.T, self.metric_matrices, np.nan)
        if not drop_empty:
            return replace(self, people=gold.T, metrics=metrics.swapaxes(1, 2))
        has_system, has_segment = (np.asarray(self.present.any(axis=axis)) for axis in (0, 1))
        grid = grid_of(
            gold[has_system][:, has_segment],
            np.ascontiguousarray(metrics[:, has_system][:, :, has_segment]),
            tuple(compress(self.segments, has_segment.tolist())),
            tuple(compress(self.systems, has_system.tolist())),
        )
        return grid if self.weight is None else replace(grid, weight=self.weight[has_segment])


def grid_of(gold: Floats, metrics: Floats, segments: tuple[str, ...], systems: tuple[str, ...]) -> AlignedScores:
    return AlignedScores(
        people=gold.T,
        metrics=metrics.swapaxes(1, 2),
        segment=np.arange(len(segments)),
        system=np.broadcast_to(np.arange(len(systems)), (len(segments), len(systems))),
        segments=segments,
        systems=systems,
    )


def from_matrices(
    gold: npt.ArrayLike, metrics: npt.ArrayLike, *, segments: tuple[str, ...] = (), systems: tuple[str, ...] = ()
) -> AlignedScores:
    """A grid from matrices (systems, segments).

    Parameters
    ----------
    gold
        Scores of people, (systems, segments); higher is better, NaN where there is no score.
    metrics
        Scores of one metric, in the same shape, or of several, (metrics, systems, segments).
    segments, systems
        The names. Default: numbers from 1.

    Raises
    ------
    ParameterError
        A shape is wrong, a score is infinite, or no cell has scores of all.
    """
    gold_scores, metric_scores = (np.array(values, np.float64) for values in (gold, metrics))
    if metric_scores.ndim == 2:
        metric_scores = metric_scores[None]
    if (
        gold_scores.ndim != 2
        or metric_scores.ndim != 3
        or metric_scores.shape[1:] != gold_scores.shape
        or not len(metric_scores)
    ):
        raise ParameterError(
            f"gold has shape {gold_scores.shape} and the metrics {metric_scores.shape}, expected (systems, segments) "
            "and (metrics, systems, segments)"
        )
    if np.isinf(gold_scores).any() or np.isinf(metric_scores).any():
        raise ParameterError("scores are infinite, expected finite numbers, or NaN where there is no score")
    n_systems, n_segments = gold_scores.shape
    scores = grid_of(
        gold_scores,
        metric_scores,
        segments or tuple(map(str, range(1, n_segments + 1))),
        systems or tuple(map(str, range(1, n_systems + 1))),
    )
    if not scores.present.any():
        raise ParameterError("no translation has scores of people and all metrics")
    return scores


def from_rankings(rankings: Rankings, gold: str, metrics: tuple[str, ...]) -> AlignedScores:
    """The judgments of one language pair, a list each, with all their columns of metrics.

    Parameters
    ----------
    rankings
        The judgments.
    gold
        The column of people.
    metrics
        The columns of metrics.
    """
    segment_codes, segment = np.unique(rankings.segment.codes, return_inverse=True)
    system_codes, codes = np.unique(rankings.system.codes, return_inverse=True)
    people = -rankings.table(gold)
    system = np.full(people.shape, -1, np.int64)
    system[rankings.judgment, place_in_group(rankings.offsets)] = codes
    return AlignedScores(
        people=people,
        metrics=np.array([-rankings.table(name) for name in metrics]).reshape(-1, *people.shape),
        segment=segment.astype(np.int64),
        system=system,
        segments=tuple(rankings.segment.names[code] for code in segment_codes.tolist()),
        systems=tuple(rankings.system.names[code] for code in system_codes.tolist()),
        comparable=not rankings.are_ranks(gold),
        weight=rankings.weight,
    )


def sum_by_code(values: Floats, codes: Ints, n_codes: int) -> Floats:
    """(rows, codes) the sums of each row's values of one code; values: (rows, n), codes: (n)."""
    n_rows = len(values)
    shifted = codes + n_codes * np.arange(n_rows)[:, None]
    return np.bincount(shifted.ravel(), values.ravel(), n_rows * n_codes).astype(np.float64).reshape(n_rows, n_codes)


def cell_table(codes: Ints, n_codes: int) -> Ints:
    """(codes, most of one) the places of each code, filled up with -1; in their order."""
    offsets = bounds(np.bincount(codes, minlength=n_codes))
    order = stable_order(codes)
    table = np.full((n_codes, int(np.diff(offsets).max(initial=0))), -1, np.int64)
    table[codes[order], place_in_group(offsets)] = order
    return table


def random_stream(seed: int, pair: str, *numbers: int) -> np.random.Generator:
    """The random stream of a language pair: a draw depends on its name and the seed, and on no other pair.

    numbers: of further streams of the pair.
    """
    return np.random.default_rng([seed, zlib.crc32(pair.encode("utf-8", "surrogateescape")), *numbers])
