"""runs: how alike two runs rank, by several coefficients at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.result import as_text, tidy_frame
from rankscope.data.run import Run
from rankscope.data.section import Section, Table
from rankscope.data.text import format_value, join_names
from rankscope.errors import InputError, ParameterError
from rankscope.measures.association import STATISTICS, BetweenRuns, between_runs

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "COLUMNS",
    "RunAgreement",
    "runs",
]


COLUMNS = ("system_a", "system_b", "statistic", "query", "value")
ALL = "all"


@dataclass(frozen=True, eq=False, kw_only=True)
class RunAgreement:
    """How alike two runs rank: a part a coefficient, each with one value a query; `result["tau"]` is the mean.

    `frame()` is the tidy table: a row a coefficient and query, and the mean with query "all".
    """

    parts: tuple[BetweenRuns, ...]
    notes: tuple[str, ...]

    def __getitem__(self, statistic: str) -> float:
        return next(part.mean for part in self.parts if part.statistic == statistic)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for part in self.parts:
            for query, value in zip(part.query_ids, part.values.tolist(), strict=True):
                yield *part.systems, part.statistic, query, value
            yield *part.systems, part.statistic, ALL, part.mean

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def sections(self) -> tuple[Section, ...]:
        """The means, and query by query."""
        a, b = self.parts[0].systems
        rows = []
        for part in self.parts:
            there = int(np.count_nonzero(~np.isnan(part.values)))
            rows.append((part.statistic, format_value(part.mean, "mean"), f"{there:,}"))
        columns = [part.values.tolist() for part in self.parts]
        each = [
            (query, *(format_value(column[i], "mean") for column in columns))
            for i, query in enumerate(self.parts[0].query_ids)
        ]
        return (
            Section(
                title=f"How alike {a} and {b} rank",
                sentence="1 is the same order; of correlations 0 is no connection and -1 the opposite order, of rbo 0 "
                "is nothing in common. Values are means over the queries that both answer.",
                table=Table(columns=("coefficient", "mean", "queries"), rows=tuple(rows)),
            ),
            Section(
                title="Query by query",
                table=Table(columns=("query", *(part.statistic for part in self.parts)), rows=tuple(each)),
                folded=True,
            ),
        )

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        names = ",".join(part.statistic for part in self.parts)
        queries = len(self.parts[0].query_ids)
        return f"agreement of two runs | coefficients:{names} | queries:{queries} | rankscope {__version__}"

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        a, b = self.parts[0].systems
        return f"RunAgreement({a!r} and {b!r}, {len(self.parts[0].query_ids)} queries)"


def runs(
    run_a: Run | Mapping[str, Mapping[str, float]],
    run_b: Run | Mapping[str, Mapping[str, float]],
    *,
    statistics: Sequence[str] | None = None,
) -> RunAgreement:
    """How alike two runs rank, query by query, by several coefficients.

    statistics: names of `rankscope.measures.association.by_query.STATISTICS`, with their usual parameters; by default
    all, and one that refuses these runs (as tau_ap refuses a truth with ties) is left out with a note. What each gives
    where it is undefined: see `rankscope.measures.association.by_query.between_runs`.

    Raises InputError for runs without a query in common, scores that are not finite, and where a coefficient that was
    asked for refuses them; UnknownName for another name.

    >>> import rankscope as rs
    >>> a, b = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, {"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}}
    >>> found = rs.agreement.runs(a, b, statistics=["tau", "spearman"])
    >>> round(found["tau"], 4), round(found["spearman"], 4)
    (0.3333, 0.5)
    """
    names = list(STATISTICS) if statistics is None else list(dict.fromkeys(statistics))
    if isinstance(statistics, str) or not names:
        raise ParameterError(f"statistics is {statistics!r}, expected a list of names, as ['tau', 'rbo']")
    parts: list[BetweenRuns] = []
    notes: list[str] = []
    refused: InputError | None = None
    for name in names:
        try:
            parts.append(between_runs(run_a, run_b, name))
        except InputError as error:
            if statistics is not None:
                raise
            refused = error
            notes.append(f"{name} is left out: {error}")
    if not parts and refused is not None:
        raise refused
    # What one says of its queries others say too: each sentence once, with the names that it is true of.
    said: dict[str, list[str]] = {}
    for part in parts:
        for note in part.notes:
            said.setdefault(note, []).append(part.statistic)
    notes += [note if len(of) == len(parts) else f"{join_names(of, len(of))}: {note}" for note, of in said.items()]
    return RunAgreement(parts=tuple(parts), notes=tuple(notes))
