"""The result of `diff`: what each document contributes to the difference of two systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from rankscope.comparison.diff.documents import ListedDocuments
from rankscope.comparison.diff.settings import DiffSettings
from rankscope.comparison.diff.sources import SourceSum
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.text import pluralise_queries
from rankscope.errors import in_one_line
from rankscope.kernels.rounding_ties import NOISE
from rankscope.measures.base import Measure
from rankscope.typing import Floats, Ints

__all__ = [
    "RunDiff",
]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunDiff(Result):
    """Which documents make the difference of two systems, as `diff` gives it.

    `print` shows where the difference comes from, or both lists of a query side by side; `frame()` is the tidy table, a
    row a document: query, document, relevance (null: not judged), rank_a, rank_b (null: not in the list, or an unjudged
    document further down than shown), contribution, error (standard error, 0 where it is exact), source, by_unjudged
    (the part of the contribution that is due to unjudged documents), and text if there are texts.

    Attributes
    ----------
    scores
        The values of both systems on all queries.
    queries
        Indices of the queries of this result, of which both systems have a value.
    documents
        The documents that are shown or contribute something.
    sources
        The terms of the difference, summed over these queries.
    length
        (queries) what the lengths of the lists contribute, for measures that depend on them.
    method
        How contributions are computed: "sum" for a measure that is a sum over documents, else "shapley".
    n_sampled
        Number of queries whose Shapley values are sampled.
    depth
        How many documents of each list are shown.
    settings
        The settings.
    texts
        Title or beginning of documents.
    notes
        What a reader should know.

    Examples
    --------
    >>> import rankscope as rs
    >>> a, b = rs.Run({"q": ["d1", "d2"]}, name="a"), rs.Run({"q": ["x", "d1"]}, name="b")
    >>> result = rs.diff({"q": {"d1": 1, "d2": 1}}, a, b, "P@2")
    >>> result.differences.tolist(), result.documents.contribution.tolist()
    ([0.5], [0.0, 0.5, 0.0])
    >>> [(term.name, term.n_documents, term.total) for term in result.sources]
    [('found', 1, 0.25), ('unjudged_gone', 1, 0.25)]
    """

    VIEW = "rankscope.comparison.diff.view:diff_sections"
    COLUMNS = (
        "query",
        "document",
        "relevance",
        "rank_a",
        "rank_b",
        "contribution",
        "error",
        "source",
        "by_unjudged",
    )

    scores: Scores
    queries: Ints
    documents: ListedDocuments
    sources: tuple[SourceSum, ...]
    length: Floats
    method: str
    n_sampled: int
    depth: int
    settings: DiffSettings
    texts: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def measure(self) -> Measure:
        """The measure."""
        measure: Any = self.scores.measures[0]
        return cast(Measure, measure)

    @property
    def systems(self) -> tuple[str, str]:
        """The names of both systems."""
        first, second = self.scores.systems
        return first, second

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The queries."""
        return tuple(self.scores.query_ids[query] for query in self.queries.tolist())

    @cached_property
    def values(self) -> Floats:
        """(2, queries) the values of both systems."""
        return np.asarray(self.scores.values[:, 0, self.queries])

    @cached_property
    def differences(self) -> Floats:
        """(queries) values of the first system less those of the second; 0 where they differ by rounding only."""
        differences = self.values[0] - self.values[1]
        return np.where(np.abs(differences) <= NOISE * np.abs(self.values).max(axis=0), 0.0, differences)

    @property
    def sign(self) -> int:
        """1 if higher values are better, -1 if lower ones are."""
        return self.scores.sign(self.measure)

    @property
    def total(self) -> float:
        """By what the sums of contributions are divided: the number of queries, or 1 for a measure that is summed."""
        return 1.0 if self.measure.summary == "sum" else float(self.queries.size)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return (*self.COLUMNS, "text") if self.texts else self.COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        documents = self.documents
        ranks = (np.where(np.isfinite(rank), rank, np.nan).tolist() for rank in (documents.rank_a, documents.rank_b))
        rows = zip(
            [self.query_ids[query] for query in documents.query.tolist()],
            documents.ids,
            documents.relevance.tolist(),
            *ranks,
            documents.contribution.tolist(),
            documents.error.tolist(),
            documents.source_names,
            documents.by_unjudged.tolist(),
            strict=True,
        )
        for row in rows:
            yield (*row, self.texts.get(row[1], "")) if self.texts else row

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        sampling = [f"orders:{self.settings.n_resamples}", f"rng:{self.settings.seed}"] if self.n_sampled else []
        query = [f"query:{self.settings.query}"] if self.settings.query is not None else []
        return [*self.scores.signature_parts(self.measure), f"contributions:{self.method}", *sampling, *query]

    def contents(self) -> str:
        """What it holds, in a few words."""
        first, second = map(in_one_line, self.systems)
        return f"{first} against {second}, {self.measure}, {pluralise_queries(self.queries.size)}"
