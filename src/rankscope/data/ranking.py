"""A ranking as a value: the ranks of some items, 1 the best, normalised by one of four rules for ties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.errors import InputError, ParameterError
from rankscope.typing import Floats

__all__ = [
    "NORMALISATIONS",
    "Ranking",
    "check_normalisation",
    "normalise_ranks",
]


#: Which rank tied items get, by RankEval's names; the first is the default.
NORMALISATIONS = ("ceiling", "floor", "middle", "minimize")


def check_normalisation(ties: object, name: str = "ties") -> None:
    """Raise ParameterError for a rule that does not exist. name: what the caller's parameter is called."""
    if ties not in NORMALISATIONS:
        raise ParameterError(f"{name} is {ties!r}, expected one of {', '.join(map(repr, NORMALISATIONS))}")


def normalise_ranks(table: Floats, ties: str = "ceiling") -> Floats:
    """The ranks of each list's values, the lowest first.

    Parameters
    ----------
    table
        Values, (lists, items). A missing value (NaN) stays NaN.
    ties
        "floor" gives tied items the first of the ranks that they take, "ceiling" the last, "middle" the mean of the
        two; "minimize" leaves no gap after them.

    Returns
    -------
    array of shape (lists, items)
        The ranks.
    """
    check_normalisation(ties)
    n_lists, n_items = table.shape
    if not table.size:
        return table.copy()
    order = np.argsort(table, axis=1, kind="stable")  # NaN last
    sorted_values = np.take_along_axis(table, order, axis=1)
    starts_tie = np.ones((n_lists, n_items), np.bool_)
    starts_tie[:, 1:] = sorted_values[:, 1:] != sorted_values[:, :-1]
    positions = np.arange(1.0, n_items + 1)
    if ties == "minimize":
        ranks = np.cumsum(starts_tie, axis=1).astype(np.float64)
    else:
        first = np.maximum.accumulate(np.where(starts_tie, positions, 0.0), axis=1)
        ends_tie = np.ones((n_lists, n_items), np.bool_)
        ends_tie[:, :-1] = starts_tie[:, 1:]
        last = np.minimum.accumulate(np.where(ends_tie, positions, np.inf)[:, ::-1], axis=1)[:, ::-1]
        ranks = {"floor": first, "ceiling": last, "middle": (first + last) / 2}[ties]
    normalised = np.empty_like(ranks)
    np.put_along_axis(normalised, order, ranks, axis=1)
    return np.where(np.isnan(table), np.nan, normalised)


@dataclass(frozen=True)
class Ranking:
    """The ranks of some items, 1 the best; equal ranks are ties.

    Attributes
    ----------
    values
        Any finite numbers, of which the lowest is the best. Two rankings are equal if all their values are.

    Raises
    ------
    InputError
        The ranking is empty, or a value is not a finite number.

    References
    ----------
    The four normalisations are RankEval's (Avramidis 2013), and scipy.stats.rankdata's methods max, min, average and
    dense; the default is the paper's.

    Examples
    --------
    >>> import rankscope as rs
    >>> tied = rs.Ranking([1, 2, 2, 3, 4])
    >>> tied.normalise(), tied.normalise("floor")
    (Ranking([1, 3, 3, 4, 5]), Ranking([1, 2, 2, 4, 5]))
    >>> tied.normalise("middle"), tied.normalise("minimize")
    (Ranking([1, 2.5, 2.5, 4, 5]), Ranking([1, 2, 2, 3, 4]))
    >>> tied.inverse()
    Ranking([5, 4, 4, 2, 1])
    """

    values: tuple[float, ...]

    def __init__(self, values: Iterable[float]) -> None:
        try:
            ranks = tuple(float(value) for value in values if not isinstance(value, str) or refuse_text(value))
        except (TypeError, ValueError, OverflowError):
            raise InputError("a ranking holds something that is not a number; expected ranks like [1, 3, 4]") from None
        if not ranks:
            raise InputError("a ranking of no items; expected at least one rank")
        invalid = [index for index, value in enumerate(ranks) if not np.isfinite(value)]
        if invalid:
            raise InputError(
                f"rank {ranks[invalid[0]]} of item {invalid[0] + 1}, expected a finite number; leave the item out"
            )
        object.__setattr__(self, "values", ranks)

    def normalise(self, ties: str = "ceiling") -> Ranking:
        """Ranks from 1 on in the same order.

        Parameters
        ----------
        ties
            "ceiling", "floor", "middle" or "minimize", as for `normalise_ranks`.

        Returns
        -------
        Ranking
            The ranks.
        """
        return Ranking(normalise_ranks(np.array([self.values]), ties)[0].tolist())

    def inverse(self, ties: str = "ceiling") -> Ranking:
        """Ranks from 1 on in the opposite order: for scores, of which the highest is the best.

        Parameters
        ----------
        ties
            "ceiling", "floor", "middle" or "minimize", as for `normalise_ranks`.

        Returns
        -------
        Ranking
            The ranks.
        """
        return Ranking(normalise_ranks(-np.array([self.values]), ties)[0].tolist())

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[float]:
        return iter(self.values)

    def __getitem__(self, item: int) -> float:
        return self.values[item]

    def __repr__(self) -> str:
        return f"Ranking([{', '.join(f'{value:.15g}' for value in self.values)}])"


def refuse_text(text: str) -> bool:
    """Text is no rank, even where it looks like one."""
    raise ValueError(text)
