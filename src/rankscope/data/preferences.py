"""Preferences: outcomes of comparisons of two systems, each a win or a tie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.rankings import Labels, Rankings
from rankscope.data.scores import Scores
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, place_in_group
from rankscope.typing import Floats, Ints

__all__ = [
    "Preferences",
    "drop_unused_names",
]


#: The winner of a tie, where outcomes are given by names.
TIE = "tie"
#: Weights add up to this at most: sums of products with them must be finite, too.
MAX_WEIGHT_SUM = 1e300
#: How many characters of a comparison a message shows.
MAX_SHOWN = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class Preferences:
    """Outcomes of comparisons of two systems.

    Attributes
    ----------
    systems
        Names of the systems.
    left, right
        The two systems of each comparison, as indices of `systems`.
    outcome
        1 if the left one won, -1 if the right one did, 0 for a tie; (comparisons).
    weight
        Weight of each comparison, above 0. Default: 1 each.
    covariates
        Name -> (comparisons), what else may have decided, as the difference of lengths (left minus right).
    cluster
        Cluster of each comparison, such as its prompt or judge; comparisons of one cluster depend on each other. None:
        all are independent.
    sides
        Whether left and right were sides on which somebody saw the two; False if they only say in which order two names
        are written, as in rankings and tables of better and worse.
    notes
        What a reader should know.

    Raises
    ------
    InputError
        There are fewer than two systems or no comparisons, a system is compared with itself, a weight is not above 0,
        the sum of weights is above 1e300, an outcome is unknown, a covariate is not finite, or shapes do not fit.

    Notes
    -----
    Arrays are copied, unless they are read-only already, and cannot be written to.

    Examples
    --------
    >>> preferences = Preferences.of([("A", "B", "A"), ("B", "A", "tie")])
    >>> preferences.systems, preferences.left.tolist(), preferences.right.tolist(), preferences.outcome.tolist()
    (('A', 'B'), [0, 1], [1, 0], [1, 0])
    """

    systems: tuple[str, ...]
    left: Ints
    right: Ints
    outcome: Ints
    weight: Floats = field(default_factory=lambda: np.empty(0))
    covariates: Mapping[str, Floats] = field(default_factory=dict)
    cluster: Labels | None = None
    sides: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        fields = self.__dict__
        fields["systems"] = tuple(self.systems)
        for name in ("left", "right", "outcome"):
            fields[name] = as_read_only(fields[name], np.int64)
        weight = np.asarray(self.weight, np.float64)
        fields["weight"] = as_read_only(weight if weight.size else as_owned(np.ones(self.left.size)), np.float64)
        fields["covariates"] = {name: as_read_only(values, np.float64) for name, values in self.covariates.items()}
        if self.cluster is not None:
            fields["cluster"] = Labels(self.cluster.names, as_read_only(self.cluster.codes, self.cluster.codes.dtype))
        self.check()

    def check(self) -> None:
        n_comparisons = self.left.size
        if len(self.systems) < 2:
            raise InputError(f"{len(self.systems)} systems, expected at least two to compare")
        if not n_comparisons:
            raise InputError("no comparisons, expected at least one")
        sizes = {"right": self.right, "outcome": self.outcome, "weight": self.weight, **self.covariates}
        for name, values in sizes.items():
            if values.shape != (n_comparisons,):
                raise InputError(f"{values.size} values of {name!r} for {n_comparisons} comparisons, expected one each")
        if self.cluster is not None and len(self.cluster) != n_comparisons:
            raise InputError(f"{len(self.cluster)} clusters for {n_comparisons} comparisons, expected one each")
        for side in (self.left, self.right):
            if side.min() < 0 or side.max() >= len(self.systems):
                raise InputError(f"a comparison names system {int(side.max())}, and there are {len(self.systems)}")
        self_comparisons = np.flatnonzero(self.left == self.right)
        if self_comparisons.size:
            name = self.systems[self.left[self_comparisons[0]]]
            raise InputError(f"comparison {self_comparisons[0] + 1}: {name!r} against itself, expected two systems")
        if not np.isin(self.outcome, (-1, 0, 1)).all():
            raise InputError("an outcome is neither 1 (left won), 0 (tie) nor -1 (right won)")
        invalid = np.flatnonzero(~(np.isfinite(self.weight) & (self.weight > 0)))
        if invalid.size:
            raise InputError(
                f"comparison {invalid[0] + 1}: weight {self.weight[invalid[0]]:g}, expected a number above 0; leave "
                "out what does not count"
            )
        with np.errstate(over="ignore"):
            if not self.weight.sum() <= MAX_WEIGHT_SUM:
                raise InputError(
                    f"the weights, up to {self.weight.max():g}, add up to more than can be computed with "
                    f"({MAX_WEIGHT_SUM:g}); divide all of them by the same number"
                )
        for name, values in self.covariates.items():
            if not np.isfinite(values).all():
                row = int(np.flatnonzero(~np.isfinite(values))[0])
                raise InputError(f"comparison {row + 1}: {name} is {values[row]:g}, expected a finite number")

    def __len__(self) -> int:
        """How many comparisons."""
        return self.left.size

    def __repr__(self) -> str:
        return f"Preferences({pluralise(len(self.systems), 'system')}, {pluralise(len(self), 'comparison')})"

    @classmethod
    def of(cls, comparisons: Sequence[tuple[str, str, str]], **other_fields: object) -> Preferences:
        """From (left, right, winner), the winner being one of the two or "tie".

        Parameters
        ----------
        comparisons
            The comparisons.
        **other_fields
            Other fields of the class, such as weight.

        Returns
        -------
        Preferences
            The outcomes.

        Raises
        ------
        InputError
            As for the class, or a winner is neither of the two, or a row is not three names.
        """
        code_of_system: dict[str, int] = {}
        left, right, outcome = [], [], []
        for row, comparison in enumerate(comparisons):
            if not isinstance(comparison, Sequence) or len(comparison) != 3:
                raise InputError(
                    f"comparison {row + 1} is {shorten_label(comparison)}, expected three: left, right, winner; "
                    "weights and clusters are arguments of their own"
                )
            a, b, winner = comparison
            if a == b:
                raise InputError(f"comparison {row + 1}: {a!r} against itself, expected two systems")
            outcome_of_winner = {b: -1, a: 1, TIE: 0} if TIE not in (a, b) else {b: -1, a: 1}
            if winner not in outcome_of_winner:
                raise InputError(f"comparison {row + 1}: the winner is {winner!r}, expected {a!r}, {b!r} or {TIE!r}")
            left.append(code_of_system.setdefault(a, len(code_of_system)))
            right.append(code_of_system.setdefault(b, len(code_of_system)))
            outcome.append(outcome_of_winner[winner])
        return cls(
            systems=tuple(code_of_system),
            left=as_owned(np.array(left, np.int64)),
            right=as_owned(np.array(right, np.int64)),
            outcome=as_owned(np.array(outcome, np.int64)),
            **other_fields,  # type: ignore[arg-type]  # the class checks what it is given
        )

    @classmethod
    def from_rankings(cls, rankings: Rankings, column: str) -> Preferences:
        """From judgments: every pair of items of one judgment that both have a value of the column is an outcome.

        Parameters
        ----------
        rankings
            The judgments.
        column
            Column of values. An unranked item has none (NaN); what stands for it in a file, as -1 does in WMT's, must
            be removed before.

        Returns
        -------
        Preferences
            Equal values are a tie; the cluster is the segment; there are no sides. Each has the weight of its judgment.

        Raises
        ------
        InputError
            No two items can be compared.
        UnknownName
            The column does not exist.

        Examples
        --------
        >>> from rankscope.data.rankings import Rankings
        >>> outcomes = Preferences.from_rankings(Rankings.of([{"A": 1, "B": 2, "C": None}, {"B": 1, "A": 1}]), "rank")
        >>> [(outcomes.systems[a], outcomes.systems[b]) for a, b in zip(outcomes.left, outcomes.right)]
        [('A', 'B'), ('B', 'A')]
        >>> outcomes.outcome.tolist()
        [1, 0]
        """
        values = rankings.lower_is_better_values(column)
        ranked_items = np.flatnonzero(~np.isnan(values))
        values = values[ranked_items]
        system, judgment = rankings.system.codes[ranked_items], rankings.judgment[ranked_items]
        lengths = np.bincount(judgment, minlength=len(rankings))
        n_later_items = np.repeat(lengths, lengths) - 1 - place_in_group(bounds(lengths))  # of the same list
        first = np.repeat(np.arange(values.size), n_later_items)
        second = ranges(np.arange(values.size) + 1, n_later_items)
        if not first.size:
            raise InputError(
                f"no judgment has values of {column!r} for two items, expected lists in which something is compared"
            )
        preferences = cls.from_outcomes(
            rankings.systems,
            system[first],
            system[second],
            np.sign(values[second] - values[first]).astype(np.int64),
            segment_labels(rankings).take(judgment[first]),
            rankings.notes,
        )
        if rankings.weight is None:
            return preferences
        return replace(preferences, weight=rankings.weight[judgment[first]])

    @classmethod
    def from_scores(cls, scores: Scores, measure: object) -> Preferences:
        """From scores: every pair of systems is an outcome on every query on which both have a value.

        Parameters
        ----------
        scores
            The scores.
        measure
            The measure.

        Returns
        -------
        Preferences
            The better value wins, equal ones are a tie; the cluster is that of the query, or the query if it has none;
            weights are those of the queries, so that their mean is 1; there are no sides.

        Raises
        ------
        UnknownName
            The measure does not exist.
        ParameterError
            The measure has no direction.
        InputError
            No two systems have values on one query.

        Examples
        --------
        >>> import rankscope as rs
        >>> runs = [rs.Run({"q": {"d": 2.0, "e": 1.0}}, name="A"), rs.Run({"q": {"e": 2.0, "d": 1.0}}, name="B")]
        >>> preferences = Preferences.from_scores(rs.evaluate({"q": {"d": 1}}, runs, "RR"), "RR")
        >>> preferences.systems, preferences.outcome.tolist()
        (('A', 'B'), [1])
        """
        sign = scores.sign(measure)
        if sign == 0:
            raise ParameterError(
                f"{measure}: neither higher nor lower is better, so nobody wins; choose another measure"
            )
        values = sign * scores.matrix(measure).T  # a row a query
        first, second = np.triu_indices(len(scores.systems), 1)
        difference = values[:, first] - values[:, second]
        query, pair = np.nonzero(~np.isnan(difference))
        if not query.size:
            raise InputError(f"{measure}: no two systems have values on one query, expected at least two systems")
        codes = scores.queries.cluster_codes
        names = scores.query_ids if codes is None else tuple(map(str, range(codes.max() + 1)))
        preferences = cls.from_outcomes(
            scores.systems,
            first[pair],
            second[pair],
            np.sign(difference[query, pair]).astype(np.int64),
            Labels(tuple(names), query if codes is None else codes[query]),
            (*scores.notes, *scores.queries.clustering_notes()),
        )
        weight = scores.queries.weight
        if weight is None:
            return preferences
        return replace(preferences, weight=weight[query] / weight[query].mean())

    @classmethod
    def from_outcomes(
        cls, names: Sequence[str], left: Ints, right: Ints, outcome: Ints, cluster: Labels, notes: tuple[str, ...]
    ) -> Preferences:
        """Outcomes of pairs of names; names that are never compared are dropped.

        Parameters
        ----------
        names
            Names of the systems.
        left, right
            Indices of the two.
        outcome
            1, -1 or 0, as in the class.
        cluster
            Cluster of each comparison.
        notes
            What a reader should know.

        Returns
        -------
        Preferences
            The outcomes, without sides.
        """
        is_compared = np.zeros(len(names), np.bool_)
        is_compared[left] = is_compared[right] = True
        new_codes = np.cumsum(is_compared) - 1
        return cls(
            systems=tuple(name for name, compared in zip(names, is_compared.tolist(), strict=True) if compared),
            left=as_owned(new_codes[left]),
            right=as_owned(new_codes[right]),
            outcome=as_owned(outcome),
            cluster=drop_unused_names(cluster),
            sides=False,
            notes=notes,
        )


def as_owned(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Lock a new array that nobody else holds, so that `as_read_only` need not copy it."""
    values.flags.writeable = False
    return values


def as_read_only(values: Any, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values in a locked array: the same array where it is locked already, else a copy."""
    array = np.asarray(values, dtype)
    return array if array.base is None and not array.flags.writeable else as_owned(np.array(array))


def shorten_label(value: object) -> str:
    """The repr of a value, cut where it is too long for one line."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def drop_unused_names(labels: Labels) -> Labels:
    """The labels without unused names, so that only clusters with a comparison are counted and drawn."""
    is_used = np.zeros(len(labels.names), np.bool_)
    is_used[labels.codes] = True
    if is_used.all():
        return labels
    names = tuple(name for name, used in zip(labels.names, is_used.tolist(), strict=True) if used)
    return Labels(names, (np.cumsum(is_used) - 1)[labels.codes])


def segment_labels(rankings: Rankings) -> Labels:
    """(judgments) the segment of each; where there are several language pairs, segments of one name in two are two."""
    if len(rankings.pair.names) < 2:
        return rankings.segment
    n_segments = len(rankings.segment.names)
    keys, codes = np.unique(rankings.pair.codes * n_segments + rankings.segment.codes, return_inverse=True)
    pairs, segments = rankings.pair.names, rankings.segment.names
    return Labels(tuple(f"{pairs[key // n_segments]} {segments[key % n_segments]}" for key in keys.tolist()), codes)
