"""Scores of a metric (or a person) for segments or systems, and their join with judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats, Ints

__all__ = [
    "MetricScores",
    "PairScores",
    "attach_scores",
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

    Raises
    ------
    InputError
        The shape is wrong, a name occurs twice, or a value is infinite.

    Examples
    --------
    >>> scores = PairScores(("A", "B"), ("1", "2"), np.array([[0.5, 0.25], [np.nan, 1.0]]))
    >>> scores.values[scores.systems.index("A")].tolist()
    [0.5, 0.25]
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: Floats

    def __post_init__(self) -> None:
        expected = (len(self.systems), len(self.segments))
        if self.values.shape != expected and not (self.of_systems and len(self.values) == len(self.systems)):
            raise InputError(
                f"scores of shape {self.values.shape} for {expected[0]} systems and {expected[1]} segments"
            )
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


def attach_scores(rankings: Rankings, scores: MetricScores) -> Rankings:
    """Add a metric's score of each judged translation as a column.

    Parameters
    ----------
    rankings
        The judgments.
    scores
        The scores. Pairs are matched by name; if either side holds only one pair and one of the two has no name (""),
        they are the same.

    Returns
    -------
    Rankings
        With a column named after the metric (with a number if that column exists), NaN where there is no score. Notes
        count the items without a score and name the systems that have none at all, the systems with scores that nobody
        judged, and the pairs without scores.

    Raises
    ------
    InputError
        There are items and none gets a score; the message has an example of the names on both sides.

    Examples
    --------
    >>> judged = Rankings.of([{"A": 1, "B": 2}, {"A": 2, "C": 1}])
    >>> scores = MetricScores.of("chrF", {"": {"A": [0.5, 0.2], "B": [0.4, 0.3]}})
    >>> with_scores = attach_scores(judged, scores)
    >>> with_scores.columns["chrF"].tolist()
    [0.5, 0.4, 0.2, nan]
    >>> with_scores.notes
    ('chrF: 1 of 4 judged translations has no score and is skipped; none at all for system C',)
    """
    values = np.full(len(rankings.system), np.nan)
    scores_of_pair = matching_pairs(rankings, scores)
    if values.size and not scores_of_pair:
        raise no_match_error(scores, "language pair", rankings.pair.names, scores.pairs)
    pair_of_item = rankings.pair.codes[rankings.judgment]
    segment_of_item = rankings.segment.codes[rankings.judgment]
    for code, pair_scores in scores_of_pair.items():
        items = np.flatnonzero(pair_of_item == code)
        systems = positions_among(rankings.systems, pair_scores.systems)[rankings.system.codes[items]]
        segments = positions_among(rankings.segment.names, pair_scores.segments)[segment_of_item[items]]
        has_score = (systems >= 0) & (segments >= 0)
        values[items[has_score]] = pair_scores.values[systems[has_score], segments[has_score]]
    if values.size and np.isnan(values).all():
        judged_system_names = judged_systems(rankings, scores_of_pair, pair_of_item)
        for noun, judged_names, scored_names in (
            ("system", judged_system_names, [name for pair in scores_of_pair.values() for name in pair.systems]),
            ("segment", rankings.segment.names, [name for pair in scores_of_pair.values() for name in pair.segments]),
        ):
            if not set(judged_names) & set(scored_names):
                raise no_match_error(scores, noun, judged_names, scored_names)
        raise InputError(f"scores of {scores.metric}: none for any judged translation; check that they belong together")
    column = unused_name(scores.metric, rankings.columns)
    with_scores = rankings.with_column(column, values, higher_is_better=scores.higher_is_better)
    notes = (*rankings.notes, *scores.notes, *missing_notes(rankings, scores, values, scores_of_pair, pair_of_item))
    return replace(with_scores, notes=tuple(dict.fromkeys(notes)))


def matching_pairs(rankings: Rankings, scores: MetricScores) -> dict[int, PairScores]:
    """The scores for the pairs of the judgments, by the pair's code."""
    pair_codes = np.unique(rankings.pair.codes).tolist()
    if len(pair_codes) == len(scores.pairs) == 1 and "" in (rankings.pair.names[pair_codes[0]], *scores.pairs):
        return {pair_codes[0]: next(iter(scores.pairs.values()))}
    return {
        code: scores.pairs[rankings.pair.names[code]]
        for code in pair_codes
        if rankings.pair.names[code] in scores.pairs
    }


def positions_among(names: Sequence[str], candidates: Sequence[str]) -> Ints:
    """The position of each name among the candidates, -1 where it is none of them."""
    position_of = dict(zip(candidates, count()))
    return np.fromiter((position_of.get(name, -1) for name in names), np.int64, len(names))


def judged_systems(rankings: Rankings, pairs: Iterable[int], pair_of_item: Ints) -> list[str]:
    """The systems that are judged in these pairs."""
    codes = np.unique(rankings.system.codes[np.isin(pair_of_item, list(pairs))])
    return [rankings.systems[code] for code in codes.tolist()]


def unused_name(name: str, used_names: Iterable[str]) -> str:
    """The name, with a number behind it where it is used already."""
    used = set(used_names)
    if name not in used:
        return name
    return next(f"{name} ({i})" for i in count(2) if f"{name} ({i})" not in used)


def no_match_error(
    scores: MetricScores, noun: str, judged_names: Iterable[str], scored_names: Iterable[str]
) -> InputError:
    judged_text, scored_text = (
        f"as {join_names(map(repr, examples), 2) or 'none'}"
        for examples in (list(judged_names)[:2], list(scored_names)[:2])
    )
    return InputError(
        f"scores of {scores.metric}: no {noun} of theirs was judged: judgments name it {judged_text}, scores "
        f"{scored_text}; write the names alike"
    )


def missing_notes(
    rankings: Rankings,
    scores: MetricScores,
    values: Floats,
    scores_of_pair: Mapping[int, PairScores],
    pair_of_item: npt.NDArray[np.int64],
) -> list[str]:
    """Notes on judgments without a score and on scores without a judgment."""
    notes = []
    missing = np.isnan(values)
    if missing.any():
        verb = "has no score and is" if missing.sum() == 1 else "have no score and are"
        total_text = pluralise(values.size, "judged translation")
        note = f"{scores.metric}: {int(missing.sum()):,} of {total_text} {verb} skipped"
        has_score = np.bincount(rankings.system.codes[~missing], minlength=len(rankings.systems)) > 0
        unscored_codes = np.unique(rankings.system.codes[missing & ~has_score[rankings.system.codes]]).tolist()
        if unscored_codes:
            noun = "system" if len(unscored_codes) == 1 else "systems"
            note += f"; none at all for {noun} {join_names(rankings.systems[code] for code in unscored_codes)}"
        notes.append(note)
    judged_names = set(judged_systems(rankings, scores_of_pair, pair_of_item))
    unjudged_names = [
        name
        for name in dict.fromkeys(system for pair in scores_of_pair.values() for system in pair.systems)
        if name not in judged_names
    ]
    if unjudged_names:
        notes.append(f"{scores.metric}: scores of {join_names(unjudged_names)}, which nobody judged, are not used")
    if (
        "0" in {name for pair in scores_of_pair.values() for name in pair.segments}
        and "0" not in rankings.segment.names
    ):
        notes.append(
            f"{scores.metric}: scores have a segment 0 and judgments none: do both count from the same number?"
        )
    unscored_pairs = [
        rankings.pair.names[code] for code in np.unique(rankings.pair.codes).tolist() if code not in scores_of_pair
    ]
    if unscored_pairs:
        notes.append(f"{scores.metric}: no scores for {join_names(unscored_pairs)}")
    return notes
