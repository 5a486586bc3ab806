"""Rankings by people: for each judgment a few translations, each with a rank, and the scores of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.text import first_names, join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.typing import Floats, Ints

__all__ = [
    "Labels",
    "Rankings",
    "refuse_weights",
]


#: Judgments that are checked together.
AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """A name for each judgment (or item), of few that repeat.

    Attributes
    ----------
    names
        The distinct names.
    codes
        Index of each name among `names`; 64 bits, or 32 for items if many were read.
    """

    names: tuple[str, ...]
    codes: Ints

    @classmethod
    def of(cls, values: Sequence[str]) -> Labels:
        """From names, in the order in which they first occur.

        >>> labels = Labels.of(["b", "a", "b"])
        >>> labels.names, labels.codes.tolist()
        (('b', 'a'), [0, 1, 0])
        """
        code_of_name: dict[str, int] = {}
        codes = [code_of_name.setdefault(value, len(code_of_name)) for value in values]
        return cls(tuple(code_of_name), np.array(codes, np.int64))

    def take(self, index: npt.NDArray[Any]) -> Labels:
        return Labels(self.names, self.codes[index])

    def __iter__(self) -> Iterator[str]:
        return (self.names[code] for code in self.codes.tolist())

    def __len__(self) -> int:
        return self.codes.size

    def __repr__(self) -> str:
        return f"Labels({len(self):,} of {pluralise(len(self.names), 'name')}: {first_names(self.names)})"


def refuse_weights(weights: Floats, noun: str) -> None:
    """Raise InputError for a weight that is not a finite number above 0."""
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if wrong.size:
        raise InputError(
            f"the weight of {noun} {int(wrong[0]) + 1} is {weights[wrong[0]]:g}, expected a finite number above 0"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Rankings:
    """Judgments, each a list of items (translations) with one value of every column: a human rank, a metric's score.

    Attributes
    ----------
    pair, segment, judge
        Language pair, segment and judge of each judgment. Segments of one name in two pairs are two.
    offsets
        Where the items of each judgment begin, (judgments + 1).
    system
        System of each item.
    columns
        Name -> one number per item, NaN if there is none.
    score_columns
        Columns in which higher is better; in all others lower is better, as for ranks.
    lower_columns
        Columns of scores in which lower is better, such as TER or penalties for errors; all columns that are in neither
        hold ranks.
    notes
        What a reader should know.
    weight
        The weight of each judgment, 1 / (its chance to be drawn), if judgments are a sample with unequal chances; None
        if all count alike.

    Raises
    ------
    InputError
        Columns have other lengths, a value is infinite, a column is said to be better both higher and lower, a system
        occurs twice in one judgment, or a weight is not a finite number above 0.

    Notes
    -----
    One judgment is what one person said at one time: its list is ranked by itself, as a query's documents are.

    Examples
    --------
    >>> rankings = Rankings.of([{"A": 1, "B": 2}, {"B": 1, "C": 1, "A": 3}], name="gold")
    >>> len(rankings), rankings.systems, rankings.columns["gold"].tolist()
    (2, ('A', 'B', 'C'), [1.0, 2.0, 1.0, 1.0, 3.0])
    >>> rankings.table("gold").tolist()
    [[1.0, 2.0, nan], [1.0, 1.0, 3.0]]
    >>> rankings
    Rankings(2 judgments, 3 systems; column gold)
    """

    pair: Labels
    segment: Labels
    judge: Labels
    offsets: Ints
    system: Labels
    columns: Mapping[str, Floats]
    score_columns: frozenset[str] = frozenset()
    lower_columns: frozenset[str] = frozenset()
    notes: tuple[str, ...] = field(default=())
    weight: Floats | None = None

    def __post_init__(self) -> None:
        n_judgments, n_items = self.offsets.size - 1, int(self.offsets[-1])
        for noun, labels in (("pair", self.pair), ("segment", self.segment), ("judge", self.judge)):
            if len(labels) != n_judgments:
                raise InputError(f"{len(labels)} names of a {noun} for {n_judgments} judgments, expected one each")
        if len(self.system) != n_items:
            raise InputError(f"{len(self.system)} systems for {n_items} items, expected one each")
        for name, values in self.columns.items():
            if values.shape != (n_items,):
                raise InputError(f"{values.size} values of {name!r} for {n_items} items, expected one each")
            if np.isinf(values).any():
                raise InputError(f"a value of {name!r} is infinite, expected a finite number, or NaN for none")
        if self.weight is not None:
            if self.weight.shape != (n_judgments,):
                raise InputError(f"{self.weight.size} weights for {n_judgments} judgments, expected one each")
            refuse_weights(self.weight, "judgment")
        if in_both := self.score_columns & self.lower_columns:
            raise InputError(f"higher and lower {min(in_both)!r} are both said to be better, expected one of the two")
        unknown_columns = (self.score_columns | self.lower_columns) - set(self.columns)
        if unknown_columns:
            raise UnknownName("column of these rankings", min(unknown_columns), self.columns)
        for first_judgment in range(0, n_judgments, AT_ONCE):  # in portions, to save memory
            self.check_systems(self.offsets[first_judgment : first_judgment + AT_ONCE + 1], first_judgment)

    def check_systems(self, offsets: Ints, first_judgment: int) -> None:
        """Raise InputError for a system that is twice in a judgment.

        Parameters
        ----------
        offsets
            Where the items of the judgments to check begin, (judgments + 1).
        first_judgment
            Index of the first of these judgments.
        """
        codes = self.system.codes[offsets[0] : offsets[-1]]
        keys = np.sort(group_of(offsets - offsets[0]) * len(self.system.names) + codes)
        if (keys[1:] == keys[:-1]).any():
            judgment, system = divmod(int(keys[:-1][keys[1:] == keys[:-1]][0]), len(self.system.names))
            judgment += first_judgment
            raise InputError(
                f"judgment {judgment + 1} (segment {self.segment.names[self.segment.codes[judgment]]}) holds system "
                f"{self.system.names[system]!r} twice; keep one of the two"
            )

    @classmethod
    def of(
        cls, judgments: Sequence[Mapping[str, float | None]], *, name: str = "rank", higher_is_better: bool = False
    ) -> Rankings:
        """From mappings of systems to ranks (or scores), one per judgment, each on a segment of its own.

        Parameters
        ----------
        judgments
            System -> value; None for no value.
        name
            Name of the column.
        higher_is_better
            Whether the values are scores.

        Returns
        -------
        Rankings
            The judgments.
        """
        if isinstance(judgments, Mapping) or not all(isinstance(judgment, Mapping) for judgment in judgments):
            raise ParameterError("judgments are a list of mappings, as [{'A': 1, 'B': 2}]")
        unnamed = Labels(("",), np.zeros(len(judgments), np.int64))
        values = [np.nan if value is None else float(value) for judgment in judgments for value in judgment.values()]
        return cls(
            pair=unnamed,
            segment=Labels(tuple(str(i + 1) for i in range(len(judgments))), np.arange(len(judgments))),
            judge=unnamed,
            offsets=bounds(np.array([len(judgment) for judgment in judgments], np.int64)),
            system=Labels.of([system for judgment in judgments for system in judgment]),
            columns={name: np.array(values, np.float64)},
            score_columns=frozenset([name] if higher_is_better else []),
        )

    def __len__(self) -> int:
        """How many judgments."""
        return self.offsets.size - 1

    def __repr__(self) -> str:
        # Names may remain of pairs and systems that a selection no longer holds.
        systems, pairs = (np.unique(labels.codes) for labels in (self.system, self.pair))
        named_pairs = [name for code in pairs.tolist() if (name := self.pair.names[code])]
        of_pairs = f" of {pluralise(len(named_pairs), 'language pair')}" if named_pairs else ""
        nouns = "column" if len(self.columns) == 1 else "columns"
        columns = f"; {nouns} {join_names(self.columns)}" if self.columns else ""
        return f"Rankings({pluralise(len(self), 'judgment')}{of_pairs}, {pluralise(systems.size, 'system')}{columns})"

    @property
    def systems(self) -> tuple[str, ...]:
        return self.system.names

    @cached_property
    def judgment(self) -> Ints:
        """(items) the judgment of each."""
        return group_of(self.offsets)

    def column(self, name: str) -> Floats:
        """The values of a column, one per item.

        Parameters
        ----------
        name
            Name of the column.

        Raises
        ------
        UnknownName
            The column does not exist.
        """
        if name not in self.columns:
            raise UnknownName("column of these rankings", name, self.columns)
        return self.columns[name]

    def are_ranks(self, name: str) -> bool:
        """Whether a column holds ranks, which are comparable within a judgment only, and not scores.

        Parameters
        ----------
        name
            Name of the column.
        """
        return name not in self.score_columns and name not in self.lower_columns

    def lower_is_better_values(self, name: str) -> Floats:
        """The values of a column so that lower is better: scores change their sign; one per item.

        Parameters
        ----------
        name
            Name of the column.

        Raises
        ------
        UnknownName
            The column does not exist.
        """
        values = self.column(name)
        return -values if name in self.score_columns else values

    def table(self, name: str) -> Floats:
        """A column as a table with one row per judgment; lower is better.

        Parameters
        ----------
        name
            Name of the column.

        Returns
        -------
        array of shape (judgments, most items of one)
            NaN if there is no value.
        """
        lengths = np.diff(self.offsets)
        table = np.full((len(self), int(lengths.max(initial=0))), np.nan)
        table[self.judgment, place_in_group(self.offsets)] = self.lower_is_better_values(name)
        return table

    def with_column(
        self, name: str, values: Floats, *, higher_is_better: bool, are_ranks: bool | None = None
    ) -> Rankings:
        """The same judgments with one more column (or another in its place).

        Parameters
        ----------
        name
            Name of the column.
        values
            One number per item.
        higher_is_better
            Whether higher values are better.
        are_ranks
            Whether the values are ranks, not scores. Default: ranks unless higher is better.

        Returns
        -------
        Rankings
            The judgments.
        """
        score_columns, lower_columns = self.score_columns - {name}, self.lower_columns - {name}
        if higher_is_better:
            score_columns |= {name}
        elif are_ranks is False:
            lower_columns |= {name}
        return replace(
            self, columns={**self.columns, name: values}, score_columns=score_columns, lower_columns=lower_columns
        )

    def select(self, judgments: npt.ArrayLike) -> Rankings:
        """Some of the judgments.

        Parameters
        ----------
        judgments
            Their indices, or a mask.

        Returns
        -------
        Rankings
            The judgments.
        """
        index = np.asarray(judgments)
        if index.dtype == np.bool_:
            index = np.flatnonzero(index)
        index = index.astype(np.int64)  # an empty list would be of floats
        lengths = np.diff(self.offsets)[index]
        items = ranges(self.offsets[index], lengths)
        return replace(
            self,
            pair=self.pair.take(index),
            segment=self.segment.take(index),
            judge=self.judge.take(index),
            offsets=bounds(lengths),
            system=self.system.take(items),
            columns={name: values[items] for name, values in self.columns.items()},
            weight=None if self.weight is None else self.weight[index],
        )

    def by_pair(self) -> Iterator[tuple[str, Rankings]]:
        """The judgments of each language pair, in the order in which the pairs first stand."""
        for code, name in enumerate(self.pair.names):
            mask = self.pair.codes == code
            if mask.any():
                yield name, self.select(mask)
