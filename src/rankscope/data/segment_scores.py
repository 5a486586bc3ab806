"""Scores of a metric (or a person): a number a segment or a system, and their join with judgments."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import numpy.typing as npt

from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats, Ints

__all__ = [
    "PairScores",
    "SegmentScores",
    "SystemScores",
    "attach_scores",
]


@dataclass(frozen=True, eq=False)
class PairScores:
    """The scores of one language pair: values[system, segment], NaN where there is none.

    Raises InputError for values of another shape, a name that stands twice, an infinite value.

    >>> found = PairScores(("A", "B"), ("1", "2"), np.array([[0.5, 0.25], [np.nan, 1.0]]))
    >>> found.values[found.systems.index("A")].tolist()
    [0.5, 0.25]
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: Floats

    def __post_init__(self) -> None:
        expected = (len(self.systems), len(self.segments))
        if self.values.shape != expected:
            raise InputError(
                f"scores of shape {self.values.shape} for {expected[0]} systems and {expected[1]} segments"
            )
        for what, names in (("system", self.systems), ("segment", self.segments)):
            if len(set(names)) < len(names):
                twice = Counter(names).most_common(1)[0][0]
                raise InputError(f"scores: {what} {twice!r} stands twice, expected each once; keep one of the two")
        if np.isinf(self.values).any():
            system, segment = (int(place[0]) for place in np.nonzero(np.isinf(self.values)))
            raise InputError(
                f"scores: that of system {self.systems[system]!r} on segment {self.segments[segment]!r} is infinite, "
                "expected a finite number, or NaN for none"
            )

    @classmethod
    def of(cls, scores: Mapping[str, Sequence[float | None]], *, segments: Sequence[str] | None = None) -> PairScores:
        """From the scores of each system in the order of the segments, which are "1", "2", ... where not named.

        None: no score. Raises InputError for systems with another number of scores than the first.

        >>> PairScores.of({"A": [0.5, 0.25], "B": [None, 1]}).values.tolist()
        [[0.5, 0.25], [nan, 1.0]]
        """
        if not isinstance(scores, Mapping):
            raise ParameterError("scores are a mapping of systems to lists, as {'A': [0.5, 0.2]}")
        n = len(segments) if segments is not None else len(next(iter(scores.values()), ()))
        for system, values in scores.items():
            if len(values) != n:
                raise InputError(f"scores: {len(values)} of system {system!r}, expected {n}, one a segment")
        table = [[np.nan if value is None else float(value) for value in values] for values in scores.values()]
        names = tuple(segments) if segments is not None else tuple(map(str, range(1, n + 1)))
        return cls(tuple(scores), names, np.array(table, np.float64).reshape(len(scores), n))


@dataclass(frozen=True, eq=False)
class SegmentScores:
    """What one metric says of every translation. pairs: by language pair. score: whether higher is better.

    Raises InputError for a metric without a name, and where there is no language pair.

    >>> found = SegmentScores("chrF", {"de-en": PairScores.of({"A": [0.5, 0.2], "B": [0.4, 0.3]})})
    >>> found.metric, found.systems, len(found)
    ('chrF', ('A', 'B'), 4)
    """

    metric: str
    pairs: Mapping[str, PairScores]
    score: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.metric:
            raise InputError("scores: the metric has no name, expected one")
        if not self.pairs:
            raise InputError(f"scores of {self.metric}: no language pair, expected at least one")

    @property
    def systems(self) -> tuple[str, ...]:
        """Of all pairs, in the order in which they first stand."""
        return tuple(dict.fromkeys(system for pair in self.pairs.values() for system in pair.systems))

    def __len__(self) -> int:
        """How many scores there are."""
        return sum(int(np.count_nonzero(~np.isnan(pair.values))) for pair in self.pairs.values())


@dataclass(frozen=True, eq=False)
class SystemScores:
    """What one metric says of every system as a whole: pairs[pair][system]. score: whether higher is better.

    >>> SystemScores("BLEU", {"de-en": {"A": 31.5, "B": 28.0}}).pairs["de-en"]["A"]
    31.5
    """

    metric: str
    pairs: Mapping[str, Mapping[str, float]]
    score: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.metric:
            raise InputError("scores: the metric has no name, expected one")
        if not self.pairs:
            raise InputError(f"scores of {self.metric}: no language pair, expected at least one")
        for pair, systems in self.pairs.items():
            for system, value in systems.items():
                if math.isinf(value):
                    raise InputError(f"scores of {self.metric}: that of system {system!r} ({pair}) is infinite")


def attach_scores(rankings: Rankings, scores: SegmentScores) -> Rankings:
    """The judgments with one column more: what the metric says of each item's segment and system, NaN where nothing.

    The column has the metric's name, or, where there is such a column already, the name with a number behind. Pairs
    are matched by name; where either side holds one pair only and one of the two has no name (""), they are the same.
    Notes of the result count the items without a score and name the systems that have none at all, the systems with
    scores that nobody judged, and the pairs without scores.
    Raises InputError where there are items and none gets a score, with an example of the names on both sides.

    >>> judged = Rankings.of([{"A": 1, "B": 2}, {"A": 2, "C": 1}])
    >>> found = attach_scores(judged, SegmentScores("chrF", {"": PairScores.of({"A": [0.5, 0.2], "B": [0.4, 0.3]})}))
    >>> found.columns["chrF"].tolist()
    [0.5, 0.4, 0.2, nan]
    >>> found.notes
    ('chrF: 1 of 4 judged translations has no score and is left out; none at all for system C',)
    """
    values = np.full(len(rankings.system), np.nan)
    matched = matching_pairs(rankings, scores)
    if values.size and not matched:
        raise no_match_error(scores, "language pair", rankings.pair.names, scores.pairs)
    pair_of_item = rankings.pair.codes[rankings.judgment]
    segment_of_item = rankings.segment.codes[rankings.judgment]
    for code, theirs in matched.items():
        ours = np.flatnonzero(pair_of_item == code)
        systems = positions_among(rankings.systems, theirs.systems)[rankings.system.codes[ours]]
        segments = positions_among(rankings.segment.names, theirs.segments)[segment_of_item[ours]]
        known = (systems >= 0) & (segments >= 0)
        values[ours[known]] = theirs.values[systems[known], segments[known]]
    if values.size and np.isnan(values).all():
        judged = judged_systems(rankings, matched, pair_of_item)
        for what, names, there in (
            ("system", judged, [name for pair in matched.values() for name in pair.systems]),
            ("segment", rankings.segment.names, [name for pair in matched.values() for name in pair.segments]),
        ):
            if not set(names) & set(there):
                raise no_match_error(scores, what, names, there)
        raise InputError(f"scores of {scores.metric}: none for any judged translation; check that they belong together")
    name = unused_name(scores.metric, rankings.columns)
    found = rankings.with_column(name, values, score=scores.score)
    notes = (*rankings.notes, *scores.notes, *missing_notes(rankings, scores, values, matched, pair_of_item))
    return replace(found, notes=tuple(dict.fromkeys(notes)))


def matching_pairs(rankings: Rankings, scores: SegmentScores) -> dict[int, PairScores]:
    """The scores for the pairs of the judgments, by the pair's code."""
    judged = np.unique(rankings.pair.codes).tolist()
    if len(judged) == len(scores.pairs) == 1 and "" in (rankings.pair.names[judged[0]], *scores.pairs):
        return {judged[0]: next(iter(scores.pairs.values()))}
    return {
        code: scores.pairs[rankings.pair.names[code]] for code in judged if rankings.pair.names[code] in scores.pairs
    }


def positions_among(names: Sequence[str], among: Sequence[str]) -> Ints:
    """The place of each name among the others, -1 where it is none of them."""
    known = dict(zip(among, count()))
    return np.fromiter((known.get(name, -1) for name in names), np.int64, len(names))


def judged_systems(rankings: Rankings, pairs: Iterable[int], pair_of_item: Ints) -> list[str]:
    """The systems that are judged in these pairs."""
    codes = np.unique(rankings.system.codes[np.isin(pair_of_item, list(pairs))])
    return [rankings.systems[code] for code in codes.tolist()]


def unused_name(name: str, taken: Iterable[str]) -> str:
    """The name, or with the first number behind it that makes it a new one."""
    known = set(taken)
    if name not in known:
        return name
    return next(f"{name} ({i})" for i in count(2) if f"{name} ({i})" not in known)


def no_match_error(scores: SegmentScores, what: str, judged: Iterable[str], scored: Iterable[str]) -> InputError:
    ours, theirs = (f"as {join_names(map(repr, names), 2) or 'none'}" for names in (list(judged)[:2], list(scored)[:2]))
    return InputError(
        f"scores of {scores.metric}: no {what} of theirs was judged: judgments name it {ours}, scores {theirs}; "
        "write the names alike"
    )


def missing_notes(
    rankings: Rankings,
    scores: SegmentScores,
    values: Floats,
    matched: Mapping[int, PairScores],
    pair_of_item: npt.NDArray[np.int64],
) -> list[str]:
    """What of the judgments has no score, and what of the scores no judgment."""
    notes = []
    missing = np.isnan(values)
    if missing.any():
        verb = "has no score and is" if missing.sum() == 1 else "have no score and are"
        of = pluralise(values.size, "judged translation")
        note = f"{scores.metric}: {int(missing.sum()):,} of {of} {verb} left out"
        has_score = np.bincount(rankings.system.codes[~missing], minlength=len(rankings.systems)) > 0
        without = np.unique(rankings.system.codes[missing & ~has_score[rankings.system.codes]]).tolist()
        if without:
            noun = "system" if len(without) == 1 else "systems"
            note += f"; none at all for {noun} {join_names(rankings.systems[code] for code in without)}"
        notes.append(note)
    judged = set(judged_systems(rankings, matched, pair_of_item))
    idle = [name for name in dict.fromkeys(s for pair in matched.values() for s in pair.systems) if name not in judged]
    if idle:
        notes.append(f"{scores.metric}: scores of {join_names(idle)}, which nobody judged, are not used")
    if "0" in {name for pair in matched.values() for name in pair.segments} and "0" not in rankings.segment.names:
        notes.append(
            f"{scores.metric}: scores have a segment 0 and judgments none: do both count from the same number?"
        )
    bare = [rankings.pair.names[code] for code in np.unique(rankings.pair.codes).tolist() if code not in matched]
    if bare:
        notes.append(f"{scores.metric}: no scores for {join_names(bare)}")
    return notes
