"""Agreement of two runs (`rankscope.agreement.runs`): how alike they rank, by several coefficients at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.section import Section
from rankscope.data.text import join_names, pluralise_queries
from rankscope.errors import InputError, SettingError
from rankscope.measures.rank_similarity import STATISTICS, BetweenRuns, between_runs
from rankscope.settings import Settings, names

__all__ = [
    "RunAgreement",
    "RunAgreementSettings",
    "runs",
]


ALL = "all"


@dataclass(frozen=True, kw_only=True)
class RunAgreementSettings(Settings):
    """How two runs are compared; see `runs`."""

    FUNCTIONS = ("rankscope.agreement:runs",)

    statistics: tuple[str, ...] | None = names(
        None,
        help="Coefficients, from `rankscope.measures.rank_similarity.STATISTICS`, each with its default parameters.",
        unset="all; one that these runs do not allow is skipped with a note",
        flag="",
    )

    def check(self) -> None:
        """Refuse an empty list."""
        if self.statistics == ():
            raise SettingError("statistics", "statistics", "is empty, expected a list of names, as ['tau', 'rbo']")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunAgreement(Result):
    """How alike two runs rank, by one coefficient or several; `result["tau"]` is the mean over queries.

    `frame()` is the tidy table: a row for each coefficient and query, and the mean with query "all".

    Attributes
    ----------
    coefficients
        The values of each coefficient, one for each query.
    notes
        What a reader should know.
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
        return (
            Section(
                title=f"Agreement of the runs {a} and {b}",
                sentence="1 means the same order. For correlations, 0 means no association and -1 the opposite order; "
                "for rbo, 0 means no document in common. Values are means over the queries that both runs answer.",
                table=table_of(
                    column("coefficient", (coefficient.statistic for coefficient in self.coefficients), name=True),
                    column("mean", (coefficient.mean for coefficient in self.coefficients), digits()),
                    column(
                        "queries",
                        (np.count_nonzero(~np.isnan(coefficient.values)) for coefficient in self.coefficients),
                        thousands,
                    ),
                ),
            ),
            Section(
                title="Query by query",
                table=table_of(
                    column("query", self.coefficients[0].query_ids, name=True),
                    *(
                        column(coefficient.statistic, coefficient.values.tolist(), digits())
                        for coefficient in self.coefficients
                    ),
                ),
                folded=True,
            ),
        )

    def signature_parts(self) -> list[str]:
        """Every setting that changes the numbers."""
        names = ",".join(coefficient.statistic for coefficient in self.coefficients)
        n_queries = len(self.coefficients[0].query_ids)
        return ["agreement of two runs", f"coefficients:{names}", f"queries:{n_queries}"]

    def contents(self) -> str:
        """What it holds, in a few words."""
        a, b = self.coefficients[0].systems
        return f"{a!r} and {b!r}, {pluralise_queries(len(self.coefficients[0].query_ids))}"


def runs(
    run_a: Run | Mapping[str, Mapping[str, float]],
    run_b: Run | Mapping[str, Mapping[str, float]],
    *,
    statistics: Sequence[str] | None = None,
) -> RunAgreement:
    """How alike two runs rank, query by query, by several coefficients.

    Parameters
    ----------
    run_a, run_b
        The runs: each a Run, or what `Run(...)` takes.
    statistics
        Coefficients, from `rankscope.measures.rank_similarity.STATISTICS`, each with its default parameters. Default:
        all; one that these runs do not allow is skipped with a note.

    Returns
    -------
    RunAgreement
        The values of each coefficient by query, and their means.

    Raises
    ------
    InputError
        The runs have no query in common, scores are not finite, or a coefficient that was named does not allow these
        runs (as tau_ap does not allow ties in the first run).
    UnknownName
        A coefficient does not exist.

    Notes
    -----
    `rankscope.measures.rank_similarity.between_runs` says what each coefficient gives where it is undefined.

    Examples
    --------
    >>> import rankscope as rs
    >>> a, b = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, {"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}}
    >>> found = rs.agreement.runs(a, b, statistics=["tau", "spearman"])
    >>> round(found["tau"], 4), round(found["spearman"], 4)
    (0.3333, 0.5)
    """
    if statistics is not None and not isinstance(statistics, str):
        statistics = tuple(dict.fromkeys(statistics))
    settings = RunAgreementSettings(statistics=statistics)  # type: ignore[arg-type]  # it refuses a text
    return compare_runs(run_a, run_b, settings)


def compare_runs(
    run_a: Run | Mapping[str, Mapping[str, float]],
    run_b: Run | Mapping[str, Mapping[str, float]],
    settings: RunAgreementSettings,
) -> RunAgreement:
    """As `runs`, with its settings as one object."""
    coefficients: list[BetweenRuns] = []
    notes: list[str] = []
    refused: InputError | None = None
    for name in STATISTICS if settings.statistics is None else settings.statistics:
        try:
            coefficients.append(between_runs(run_a, run_b, name))
        except InputError as error:
            if settings.statistics is not None:
                raise
            refused = error
            notes.append(f"{name} is skipped: {error}")
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
