"""Scores of a metric (or a person) for segments or systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from rankscope.data.rankings import refuse_weights
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats, Ints

__all__ = [
    "MetricScores",
    "PairScores",
    "positions_among",
]


@dataclass(frozen=True, eq=False, repr=False)
class PairScores:
    """The scores of one language pair: of every translation, or of whole systems.

    Attributes
    ----------
    systems
        Names of the rows.
    segments
        Names of the columns. Without any, one column holds the scores of whole systems.
    values
        Scores, (systems, segments), NaN if there is none.
    weights
        The weight of each segment, 1 / (its chance to be drawn), if segments are a sample with unequal chances; None if
        all count alike.

    Raises
    ------
    InputError
        The shape is wrong, a name occurs twice, a value is infinite, or a weight is not a finite number above 0.

    Examples
    --------
    >>> scores = PairScores(("A", "B"), ("1", "2"), np.array([[0.5, 0.25], [np.nan, 1.0]]))
    >>> scores.values[scores.systems.index("A")].tolist()
    [0.5, 0.25]
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: Floats
    weights: Floats | None = None

    def __post_init__(self) -> None:
        expected = (len(self.systems), len(self.segments))
        if self.values.shape != expected and not (self.of_systems and len(self.values) == len(self.systems)):
            raise InputError(
                f"scores of shape {self.values.shape} for {expected[0]} systems and {expected[1]} segments"
            )
        if self.weights is not None:
            if self.weights.shape != (len(self.segments),):
                raise InputError(f"{self.weights.size} weights for {len(self.segments)} segments, expected one each")
            refuse_weights(self.weights, "segment")
        for noun, names in (("system", self.systems), ("segment", self.segments)):
            if len(set(names)) < len(names):
                duplicate = Counter(names).most_common(1)[0][0]
                raise InputError(f"scores: {noun} {duplicate!r} occurs twice, expected each once; keep one of the two")
        if np.isinf(self.values).any():
            system, segment = (int(indices[0]) for indices in np.nonzero(np.isinf(self.values)))
            where = "" if self.of_systems else f" on segment {self.segments[segment]!r}"
            raise InputError(
                f"scores: that of system {self.systems[system]!r}{where} is infinite, expected a finite number, or NaN "
                "for none"
            )

    @classmethod
    def of(
        cls,
        scores: Mapping[str, Any],
        *,
        segments: Sequence[str] | None = None,
    ) -> PairScores:
        """From the score of each system, or from its scores in the order of the segments.

        Parameters
        ----------
        scores
            System -> its score, or its scores; None for no score.
        segments
            Names of the segments. Default: "1", "2", ...

        Returns
        -------
        PairScores
            The scores.

        Raises
        ------
        InputError
            A system has another number of scores than the first.

        Examples
        --------
        >>> PairScores.of({"A": [0.5, 0.25], "B": [None, 1]}).values.tolist()
        [[0.5, 0.25], [nan, 1.0]]
        >>> PairScores.of({"A": 31.5, "B": 28.0}).by_system
        {'A': 31.5, 'B': 28.0}
        """
        if not isinstance(scores, Mapping):
            raise ParameterError("scores are a mapping of systems to numbers or lists, as {'A': [0.5, 0.2]}")
        of_systems = segments is None and bool(scores) and not any(has_length(values) for values in scores.values())
        rows: list[Any] = [[values] if of_systems else values for values in scores.values()]
        if not all(has_length(row) for row in rows):
            raise InputError("scores: some systems have a number and others a list, expected the same for all")
        n_segments = len(segments) if segments is not None else len(rows[0]) if rows else 0
        for system, row in zip(scores, rows, strict=True):
            if len(row) != n_segments:
                raise InputError(f"scores: {len(row)} of system {system!r}, expected {n_segments}, one a segment")
        table = [[np.nan if value is None else float(value) for value in row] for row in rows]
        names = tuple(segments) if segments is not None else tuple(map(str, range(1, n_segments + 1)))
        values = np.array(table, np.float64).reshape(len(scores), n_segments)
        return cls(tuple(scores), () if of_systems else names, values)

    @property
    def of_systems(self) -> bool:
        """Whether the scores are of whole systems."""
        return not self.segments and self.values.ndim == 2 and self.values.shape[1] == 1

    def __repr__(self) -> str:
        if self.of_systems:
            return f"PairScores({pluralise(len(self.systems), 'system')})"
        n_systems, n_segments = pluralise(len(self.systems), "system"), pluralise(len(self.segments), "segment")
        return f"PairScores({n_systems}, {n_segments})"

    @property
    def by_system(self) -> dict[str, float]:
        """The score of each system, where the scores are of whole systems."""
        return dict(zip(self.systems, self.values[:, 0].tolist(), strict=True))


def has_length(values: object) -> bool:
    return hasattr(values, "__len__")


@dataclass(frozen=True, eq=False, repr=False)
class MetricScores:
    """A metric's scores of every translation, or of every system as a whole.

    Attributes
    ----------
    metric
        Name of the metric.
    pairs
        Language pair -> its scores; all of translations, or all of whole systems.
    higher_is_better
        Direction of the metric.
    notes
        What a reader should know.

    Raises
    ------
    InputError
        The metric has no name, there is no language pair, or some have scores of whole systems and others not.

    Examples
    --------
    >>> scores = MetricScores.of("chrF", {"de-en": {"A": [0.5, 0.2], "B": [0.4, 0.3]}})
    >>> scores.metric, scores.systems, len(scores), scores.level
    ('chrF', ('A', 'B'), 4, 'segment')
    >>> scores
    MetricScores('chrF': 4 scores of segments, 2 systems, 1 language pair)
    """

    metric: str
    pairs: Mapping[str, PairScores]
    higher_is_better: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.metric:
            raise InputError("scores: the metric has no name, expected one")
        if not self.pairs:
            raise InputError(f"scores of {self.metric}: no language pair, expected at least one")
        of_systems = [pair for pair, scores in self.pairs.items() if scores.of_systems]
        if 0 < len(of_systems) < len(self.pairs):
            raise InputError(
                f"scores of {self.metric}: of whole systems for {join_names(map(repr, of_systems))} and of segments "
                "for other language pairs, expected one kind; make two metrics of them"
            )

    @classmethod
    def of(
        cls,
        metric: str,
        pairs: Mapping[str, Mapping[str, Any]],
        *,
        higher_is_better: bool = True,
        notes: tuple[str, ...] = (),
    ) -> MetricScores:
        """From the score of each system, or from its scores in the order of the segments.

        Parameters
        ----------
        metric
            Name of the metric.
        pairs
            Language pair -> system -> its score, or its scores.
        higher_is_better
            Direction of the metric. Default: True.
        notes
            What a reader should know. Default: none.

        Returns
        -------
        MetricScores
            The scores.

        Examples
        --------
        >>> MetricScores.of("BLEU", {"de-en": {"A": 31.5, "B": 28.0}}).pairs["de-en"].by_system["A"]
        31.5
        """
        scores = {pair: PairScores.of(values) for pair, values in pairs.items()}
        return cls(metric, scores, higher_is_better, notes)

    @property
    def level(self) -> str:
        """What has a score: "segment" (a translation of a segment) or "system"."""
        return "system" if next(iter(self.pairs.values())).of_systems else "segment"

    @property
    def systems(self) -> tuple[str, ...]:
        """Of all pairs, in the order in which they first stand."""
        return tuple(dict.fromkeys(system for pair in self.pairs.values() for system in pair.systems))

    def __len__(self) -> int:
        """How many scores there are."""
        return sum(int(np.count_nonzero(~np.isnan(pair.values))) for pair in self.pairs.values())

    def __repr__(self) -> str:
        return (
            f"MetricScores({self.metric!r}: {pluralise(len(self), 'score')} of {self.level}s, "
            f"{pluralise(len(self.systems), 'system')}, {pluralise(len(self.pairs), 'language pair')})"
        )


def positions_among(names: Sequence[str], candidates: Sequence[str]) -> Ints:
    """The position of each name among the candidates, -1 where it is none of them."""
    position_of = dict(zip(candidates, count()))
    return np.fromiter((position_of.get(name, -1) for name in names), np.int64, len(names))
