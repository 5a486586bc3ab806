"""`summarise_clicks`: click-through and position bias by rank, and judgments from clicks over expected clicks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.rows import Rows
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import encode, hashes
from rankscope.online.click_log.settings import BIAS, ClickSettings
from rankscope.online.click_models import examination
from rankscope.online.logs import ShownDocuments, load_shown, open_log
from rankscope.online.position_bias import RankBias, bias_by_swaps, click_counts
from rankscope.settings import as_names
from rankscope.typing import Floats, Ints

__all__ = [
    "ClickSummary",
    "run_click_summary",
    "summarise_clicks",
]


#: Digits of a grade.
DIGITS = 4


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClickSummary(Result):
    """What clicks say of ranks and documents; the result of `summarise_clicks`.

    `frame()` is the tidy table: rank, impressions, clicks, click_through, bias, low, high (null where no document links
    the rank to rank 1).

    Attributes
    ----------
    impressions, clicks
        (ranks) how often a rank was shown, and clicked.
    bias
        The position bias by rank.
    query_ids, doc_ids
        Ids by number.
    query, document, grade
        (judgments) clicks over expected clicks of each document of a query with enough impressions.
    n, n_pairs
        Impressions, and documents of queries that were shown.
    settings
        The settings.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.online.click_log.view:click_summary_sections"
    COLUMNS = ("rank", "impressions", "clicks", "click_through", "bias", "low", "high")

    impressions: Floats
    clicks: Floats
    bias: RankBias
    query_ids: Sequence[str]
    doc_ids: Sequence[str]
    query: Ints
    document: Ints
    grade: Floats
    n: int
    n_pairs: int
    settings: ClickSettings
    notes: tuple[str, ...]

    @property
    def click_through(self) -> Floats:
        """(ranks) clicks by impression."""
        return np.asarray(self.clicks / np.maximum(self.impressions, 1))

    def qrels(self) -> Qrels:
        """The grades as judgments, with fractions.

        Raises
        ------
        InputError
            No document has enough impressions.
        """
        if not self.grade.size:
            raise InputError(
                f"no document of a query has {self.settings.min_impressions} impressions, expected some to judge; "
                "choose a smaller min_impressions (--min-impressions)"
            )
        order = np.lexsort((self.document, self.query))
        queries, sizes = np.unique(self.query[order], return_counts=True)
        ids = [self.query_ids[query].encode("utf-8", "surrogateescape") for query in queries.tolist()]
        docs = encode([self.doc_ids[document] for document in self.document[order].tolist()])
        return Qrels.from_rows(Rows(ids, bounds(sizes), docs, hashes(docs), self.grade[order], str, kind="qrels"))

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row for each rank."""
        columns = (self.impressions, self.clicks, self.click_through, self.bias.bias, self.bias.low, self.bias.high)
        for rank, (shown, clicked, *values) in enumerate(zip(*(column.tolist() for column in columns), strict=True), 1):
            yield rank, int(shown), int(clicked), *values

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers, and the size of the data."""
        settings = self.settings
        return [
            *settings.parts("expected"),
            *([f"eta:{settings.eta:g}"] if settings.eta is not None else []),
            *settings.parts("prior", "min_impressions"),
            f"confidence:{settings.confidence_level:g}",
            f"impressions:{self.n}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(self.n, 'impression')}, {pluralise(self.grade.size, 'judgment')}"


def summarise_clicks(
    log: Any,
    *,
    lists: Any = None,
    expected: str = "click-through",
    eta: float | None = None,
    prior: float = 0.0,
    min_impressions: int = 10,
    confidence_level: float = 0.95,
    actions: Sequence[str] = ("click", "click_through"),
    columns: Mapping[str, str] | None = None,
    progress: Callable[[int], Any] | None = None,
) -> ClickSummary:
    """Estimate the position bias from clicks, and how relevant documents are.

    Parameters
    ----------
    log
        A log as for `interleaving_test`, with queries and the documents that were shown.
    lists
        A file of the lists that were shown. Default: the log has them.
    expected
        Clicks that are expected of a document, by which its own are divided: the mean click-through of the ranks at
        which it was shown, or how likely these are examined (bias). One of 'click-through', 'bias'. Default:
        'click-through'.
    eta
        For bias: a rank is examined with the probability 1 / rank^eta. Default: estimated from documents that were
        shown at several ranks.
    prior
        Expected clicks that are added to each document, with the mean outcome; more pulls grades of few impressions to
        the mean. Default: 0.0.
    min_impressions
        Fewest impressions of a document that gets a grade. Default: 10.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    actions
        Actions of UBI events that count as clicks. Default: ('click', 'click_through').
    columns
        Names of columns in the log and in the lists, where NAME is query, list, clicks or documents. Default: found by
        their usual names.
    progress
        Called with the number of bytes just read.

    Returns
    -------
    ClickSummary
        By rank click-through and position bias; `qrels()` are the judgments.

    Raises
    ------
    InputError
        With file and line: something cannot be read, or the log has no documents or queries.
    ParameterError
        A setting is out of range.

    Notes
    -----
    The grade of a document is its clicks over those that are expected: the sum, over its impressions, of the mean
    click-through of the rank, so that 1 is the mean; or of the position bias, so that the grade is the probability of a
    click at rank 1. It is rounded to 4 digits.

    The position bias is estimated from documents that were shown at several ranks for one query; the others cannot tell
    a rank that is seldom examined from documents that seldom attract.

    References
    ----------
    Zhang and Jones (2007), "Comparing click logs and editorial labels for training query rewriting", for clicks over
    expected clicks; Agarwal et al. (2019), "Estimating position bias without intrusive interventions".

    Examples
    --------
    >>> import rankscope as rs
    >>> orders = [["a", "b"], ["b", "a"]]
    >>> log = [{"query": "q", "documents": orders[i % 2], "clicks": [1] if i % 4 else [2]} for i in range(40)]
    >>> summary = rs.online.summarise_clicks(log)
    >>> summary.bias.bias.round(2).tolist(), summary.click_through.tolist()
    ([1.0, 0.33], [0.75, 0.25])
    """
    settings = ClickSettings(
        expected=expected,
        eta=eta,
        prior=prior,
        min_impressions=min_impressions,
        confidence_level=confidence_level,
        actions=as_names(actions),
        columns=columns,
    )
    return run_click_summary(log, settings, lists=lists, progress=progress)


def run_click_summary(
    source: Any, settings: ClickSettings, *, lists: Any = None, progress: Callable[[int], Any] | None = None
) -> ClickSummary:
    """As `summarise_clicks`, with its settings as one object."""
    needed = {"query", "list", "clicks", "documents"}
    log = open_log(source, needed, lists=lists, columns=settings.columns, actions=settings.actions, progress=progress)
    shown = load_shown(log)
    impressions = np.bincount(shown.rank - 1).astype(np.float64)
    clicks = np.bincount(shown.rank - 1, shown.is_clicked).astype(np.float64)
    bias = bias_by_swaps(click_counts(shown), confidence_level=settings.confidence_level)
    expectation = clicks / np.maximum(impressions, 1)
    if settings.expected == BIAS:
        expectation = bias.bias if settings.eta is None else examination(bias.bias.size, settings.eta)
    pairs, grades = grades_of(shown, expectation, settings)
    return ClickSummary(
        impressions=impressions,
        clicks=clicks,
        bias=bias,
        query_ids=shown.query_ids,
        doc_ids=shown.doc_ids,
        query=pairs // len(shown.doc_ids),
        document=pairs % len(shown.doc_ids),
        grade=grades,
        n=shown.n,
        n_pairs=np.unique(shown.pair).size,
        settings=settings,
        notes=tuple(log.notes),
    )


def grades_of(shown: ShownDocuments, expectation: Floats, settings: ClickSettings) -> tuple[Ints, Floats]:
    """(judgments) the document of a query and its grade. expectation: (ranks), NaN where a rank does not count."""
    counts = np.isfinite(expectation)[shown.rank - 1]
    pairs, place = np.unique(shown.pair[counts], return_inverse=True)
    expected = np.bincount(place, expectation[shown.rank[counts] - 1], pairs.size)
    clicks = np.bincount(place, shown.is_clicked[counts], pairs.size)
    mean = clicks.sum() / expected.sum() if expected.sum() > 0 else 0.0
    has_grade = (np.bincount(place, minlength=pairs.size) >= settings.min_impressions) & (expected + settings.prior > 0)
    grades = (clicks + settings.prior * mean)[has_grade] / (expected + settings.prior)[has_grade]
    return pairs[has_grade], np.asarray(np.round(grades, DIGITS), np.float64)
