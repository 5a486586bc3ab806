"""Agreement of two runs (`rankscope.agreement.runs`): how alike they rank, by several coefficients at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.section import Section, Table
from rankscope.data.text import format_value, join_names
from rankscope.errors import InputError, ParameterError
from rankscope.measures.association import STATISTICS, BetweenRuns, between_runs

if TYPE_CHECKING:
    pass

__all__ = [
    "RunAgreement",
    "runs",
]


ALL = "all"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunAgreement(Result):
    """How alike two runs rank: a part a coefficient, each with one value a query; `result["tau"]` is the mean.

    `frame()` is the tidy table: a row a coefficient and query, and the mean with query "all".
    """

    COLUMNS = ("system_a", "system_b", "statistic", "query", "value")

    coefficients: tuple[BetweenRuns, ...]
    notes: tuple[str, ...]

    def __getitem__(self, statistic: str) -> float:
        return next(coefficient.mean for coefficient in self.coefficients if coefficient.statistic == statistic)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for coefficient in self.coefficients:
            for query, value in zip(coefficient.query_ids, coefficient.values.tolist(), strict=True):
                yield *coefficient.systems, coefficient.statistic, query, value
            yield *coefficient.systems, coefficient.statistic, ALL, coefficient.mean

    def sections(self) -> tuple[Section, ...]:
        """The means, and query by query."""
        a, b = self.coefficients[0].systems
        rows = []
        for coefficient in self.coefficients:
            n_queries = int(np.count_nonzero(~np.isnan(coefficient.values)))
            rows.append((coefficient.statistic, format_value(coefficient.mean, "mean"), f"{n_queries:,}"))
        columns = [coefficient.values.tolist() for coefficient in self.coefficients]
        query_rows = [
            (query, *(format_value(column[i], "mean") for column in columns))
            for i, query in enumerate(self.coefficients[0].query_ids)
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
                table=Table(
                    columns=("query", *(coefficient.statistic for coefficient in self.coefficients)),
                    rows=tuple(query_rows),
                ),
                folded=True,
            ),
        )

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        names = ",".join(coefficient.statistic for coefficient in self.coefficients)
        queries = len(self.coefficients[0].query_ids)
        return f"agreement of two runs | coefficients:{names} | queries:{queries} | rankscope {__version__}"

    def contents(self) -> str:
        """What it holds, in a few words."""
        a, b = self.coefficients[0].systems
        return f"{a!r} and {b!r}, {len(self.coefficients[0].query_ids)} queries"


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
    coefficients: list[BetweenRuns] = []
    notes: list[str] = []
    refused: InputError | None = None
    for name in names:
        try:
            coefficients.append(between_runs(run_a, run_b, name))
        except InputError as error:
            if statistics is not None:
                raise
            refused = error
            notes.append(f"{name} is left out: {error}")
    if not coefficients and refused is not None:
        raise refused
    # Several coefficients give the same note: each note once, with the names of its coefficients.
    names_by_note: dict[str, list[str]] = {}
    for coefficient in coefficients:
        for note in coefficient.notes:
            names_by_note.setdefault(note, []).append(coefficient.statistic)
    notes += [
        note if len(names_of_note) == len(coefficients) else f"{join_names(names_of_note, len(names_of_note))}: {note}"
        for note, names_of_note in names_by_note.items()
    ]
    return RunAgreement(coefficients=tuple(coefficients), notes=tuple(notes))
