"""Measures of runs from documents that were drawn with chances: each judged one stands for 1 / chance documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.rows import decode_ids
from rankscope.data.run import Run
from rankscope.data.tables import NUMBER, Column, Schema
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import make_plan
from rankscope.evaluation.joining import as_qrels, join_all
from rankscope.io.core import file_stamps, refuse_changed, refuse_pipes
from rankscope.io.tables import table_of_source
from rankscope.judging.pooling.judgment_pool import DEEP, judgments_from
from rankscope.judging.pooling.run_lists import RunLists, judgments_of, read_lists
from rankscope.measures.base import Measure
from rankscope.settings import Settings, confidence_field, count, grade_level, text
from rankscope.stats.intervals import t_interval
from rankscope.typing import Floats, Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "DrawnEstimates",
    "DrawnSettings",
    "estimate_drawn",
    "estimate_drawn_runs",
]


SCHEMA = Schema(
    columns=(
        Column(name="query", aliases=("query_id",), unique=False),
        Column(name="doc", aliases=("doc_id",), unique=False),
        Column(name="relevance", aliases=("grade",), kind=NUMBER),
        Column(name="chance", aliases=("inclusion_probability",), kind=NUMBER),
    ),
    expected="the file that `rankscope pool --chances` wrote, with grades in the place of -1",
)
#: Measures that add up what documents bring by their own ranks and grades, so that 1 / chance keeps them unbiased.
ADDITIVE = ("P", "DCG", "RBP")
#: For other measures, what comes nearest to them; estimates by ratios are biased, see docs/judging.md.
INSTEAD = {
    "AP": ", or estimate AP by infAP from a random sample of the pool (rankscope pool --sample, evaluate -m infAP)",
    "nDCG": ", such as DCG@10, which compares runs on the same queries as nDCG without its ideal does",
}
#: A run is doubted whose drawn documents stand for fewer than it has, by more than so many standard errors.
DOUBT = 4.0


@dataclass(frozen=True, kw_only=True)
class DrawnSettings(Settings):
    """What is estimated from documents that were drawn with chances; see `estimate_drawn`."""

    FUNCTIONS = ("rankscope.judging:estimate_drawn",)
    COMMANDS = ("pool",)

    measure: str | Measure = text(
        "P@10", flag="", or_a=Measure, metavar="MEASURE", help="Measure: P, DCG or RBP, with a cutoff."
    )
    depth: int = count(DEEP, flag="", help="Pool depth: how many documents of each list were pooled.")
    rel: float = grade_level(flag="", help="Minimum relevance that counts as relevant.")
    confidence_level: float = confidence_field()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DrawnEstimates(Result):
    """Means of runs, estimated from documents that were drawn with chances.

    `frame()` is the tidy table: system, measure, value (the estimated mean), low, high (its interval, of the mean over
    queries like these) and error (the standard error that is due to the draw of documents alone). `by_query()` are the
    estimates of the queries, for `Scores.of` and `compare`.

    Attributes
    ----------
    measure
        Name of the measure.
    systems
        Names of the runs.
    query_ids
        The queries.
    values
        (systems, queries) estimates of the values; a single one may lie outside of the range of the measure.
    low, high
        (systems) ends of intervals.
    error
        (systems) standard errors of the means by the draw of documents alone.
    n_drawn, n_sure
        Numbers of judged documents that were drawn, and that were judged before.
    settings
        The settings.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.judging.pooling.view:drawn_sections"
    COLUMNS = ("system", "measure", "value", "low", "high", "error")

    measure: str
    systems: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    error: Floats
    n_drawn: int
    n_sure: int
    settings: DrawnSettings
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for s, system in enumerate(self.systems):
            numbers = (self.values[s].mean(), self.low[s], self.high[s], self.error[s])
            yield (system, self.measure, *(float(x) for x in numbers))

    def by_query(self) -> pl.DataFrame:
        """The estimates of queries as a polars frame: system, measure, query, value."""
        import polars as pl

        n = len(self.query_ids)
        return pl.DataFrame(
            {
                "system": np.repeat(np.array(self.systems, object), n).tolist(),
                "measure": [self.measure] * self.values.size,
                "query": list(self.query_ids) * len(self.systems),
                "value": self.values.ravel(),
            }
        )

    def signature_parts(self) -> list[str]:
        settings = self.settings
        parts = [f"from drawn documents:{self.n_drawn}", f"judged before:{self.n_sure}", f"depth:{settings.depth}"]
        parts += [self.measure, f"rel:{settings.rel}", f"confidence:{settings.confidence_level:g}"]
        return [*parts, f"queries:{len(self.query_ids)}"]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.systems), 'system')}, {self.measure}, {self.n_drawn:,} drawn documents"


def estimate_drawn(
    runs: Sequence[Run | PathLike | Any],
    drawn: Any,
    measure: Any = "P@10",
    *,
    judged: Qrels | PathLike | Any = None,
    depth: int = DEEP,
    rel: float = 1,
    confidence_level: float = 0.95,
    input: str | None = None,
) -> DrawnEstimates:
    """Estimate a measure of runs from documents that `pool` drew with chances, once they are judged.

    Parameters
    ----------
    runs
        The runs that were pooled: files, or anything that `Run` takes.
    drawn
        The file that `pool` wrote with chances, or a data frame: query, doc, relevance (grades in the place of -1) and
        chance.
    measure
        Measure: P, DCG or RBP, with a cutoff. Default: 'P@10'.
    judged
        Judgments that were made before the draw; their documents have the chance 1.
    depth
        Pool depth: how many documents of each list were pooled. Default: 100.
    rel
        Minimum relevance that counts as relevant. Default: 1.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    input
        Format of the runs. Default: detected from their content.

    Returns
    -------
    DrawnEstimates
        The mean of each run, its interval, and estimates for each query.

    Raises
    ------
    InputError
        A drawn document is not judged, stands twice, or has no chance above 0 and at most 1, and as `evaluate`.
    ParameterError
        The measure is no sum over documents, or reaches below the pool.

    Notes
    -----
    A judged document stands for 1 / chance documents (Horvitz and Thompson). The sum of what the documents of a run
    bring is estimated by its ratio to what they would bring were all of the highest grade, of which the total is known;
    the value of a query is its part of that. All queries of the runs count. The estimates are unbiased, but for terms
    of the order of 1 / documents, for runs that were pooled: a document of another run may have had no chance, and a
    note says so if the judged documents of a run stand for fewer than it has. Intervals are Student's over queries, and
    so are those of differences that `compare` makes of `Scores.of(by_query())`. Measures that divide by what there is
    to find (nDCG, R, AP) are refused: the ratio of two estimates is biased from few documents of a query, that of nDCG
    by 8 to 35 % from 5 to 20 (docs/judging.md). infAP estimates AP from a random sample (`rankscope.judging.sample`).

    References
    ----------
    Horvitz and Thompson (1952), "A generalization of sampling without replacement from a finite universe"; Hájek
    (1971); Särndal, Swensson and Wretman (1992), chapter 7.

    Examples
    --------
    >>> import polars as pl
    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> drawn = pl.DataFrame({"query": ["q", "q"], "doc": ["a", "c"], "relevance": [0, 1], "chance": [1.0, 0.5]})
    >>> estimate_drawn([run], drawn, "P@3").values.round(4).tolist()  # 2 of 1 + 2 documents
    [[0.6667]]
    """
    settings = DrawnSettings(measure=measure, depth=depth, rel=rel, confidence_level=confidence_level)
    return estimate_drawn_runs(runs, drawn, judged, settings, input=input)


def estimate_drawn_runs(
    runs: Sequence[Run | PathLike | Any],
    drawn: Any,
    judged: Qrels | PathLike | Any,
    settings: DrawnSettings,
    *,
    input: str | None = None,
) -> DrawnEstimates:
    """As `estimate_drawn`, with its settings as one object."""
    plan = make_plan([settings.measure], rel=settings.rel)
    (measure,) = plan.measures
    refuse_measure(measure, settings.depth)
    qrels, chances, n_drawn = judgments_with_chances(drawn, judged)
    files = runs if isinstance(runs, (list, tuple)) else ()
    refuse_pipes(files, "runs are read twice here")
    stamps = file_stamps(files)
    lists = read_lists(runs, settings.depth, input=input)
    # What each pooled document would bring, were it of the highest grade: the total of these is known.
    alike = judgments_from(lists, np.arange(lists.size), np.full(lists.size, max(qrels.max_grade, 1)))
    drawn_runs, whole_runs = (
        {run.name: run.hits for run in join_all(judgments, list(runs), plan, input, None)}
        for judgments in (qrels, alike)
    )
    refuse_changed(stamps)
    index = {code: i for i, code in enumerate(lists.query_ids)}
    positions = np.array([index.get(code, -1) for code in qrels.codes], np.int64)
    n = len(lists.query_ids)
    values, variance = np.zeros((len(lists.systems), n)), np.zeros(len(lists.systems))
    for s, system in enumerate(lists.systems):
        hits, whole = drawn_runs[system], whole_runs[system]
        most = sums_by_rank(measure, whole, np.arange(n), n, settings.depth)
        bring = sums_by_rank(measure, hits, positions, n, settings.depth)
        inverse = np.zeros(bring.shape)
        chance = chances[qrels.offsets[hits.query] + hits.judged]
        place = place_of(hits, positions, settings.depth)
        inverse.ravel()[place[place >= 0]] = 1 / chance[place >= 0]
        total = float((inverse * most).sum())
        share = float((inverse * bring).sum()) / total if total > 0 else 0.0
        gaps = inverse * (bring - share * most)
        values[s] = gaps.sum(axis=1) + share * most.sum(axis=1)
        variance[s] = (gaps**2 * (1 - np.divide(1, inverse, out=np.ones_like(gaps), where=inverse > 0))).sum() / n**2
    interval = t_interval(values, confidence_level=settings.confidence_level)
    return DrawnEstimates(
        measure=str(measure),
        systems=lists.systems,
        query_ids=tuple(decode_ids(lists.query_ids, "replace")),
        values=values,
        low=np.atleast_1d(interval.low),
        high=np.atleast_1d(interval.high),
        error=np.sqrt(variance),
        n_drawn=n_drawn,
        n_sure=len(chances) - n_drawn,
        settings=settings,
        notes=(*lists.notes, *coverage_notes(lists, qrels, chances)),
    )


def place_of(hits: Hits, positions: Ints, depth: int) -> Ints:
    """(hits) the place of each in (queries, depth) by its rank; -1 below the depth, or in a query that no run has."""
    query, rank = positions[hits.query], hits.rank.astype(np.int64)
    return np.where((query >= 0) & (rank <= depth), query * depth + rank - 1, -1)


def sums_by_rank(measure: Measure, hits: Hits, positions: Ints, n_queries: int, depth: int) -> Floats:
    """(queries, depth) what the document of each rank brings. positions: of the queries of the hits among all."""
    contributions = measure.contributions(hits)
    if contributions is None:
        raise ParameterError(no_sum_message(measure))
    table = np.zeros((n_queries, depth))
    place = place_of(hits, positions, depth)
    table.ravel()[place[place >= 0]] = contributions[place >= 0]
    return table


def no_sum_message(measure: Measure) -> str:
    advice = INSTEAD.get(measure.name, "")
    return (
        f"{measure} is no sum of what documents bring by their own ranks and grades, which an estimate from drawn "
        f"documents takes; choose {', '.join(ADDITIVE)} with a cutoff{advice}"
    )


def refuse_measure(measure: Measure, depth: int) -> None:
    """Raise ParameterError for a measure that is no such sum, or that reaches below the pool."""
    if measure.name not in ADDITIVE:
        raise ParameterError(no_sum_message(measure))
    cutoff = getattr(measure, "cutoff", None)
    if not isinstance(cutoff, int) or cutoff > depth:
        reach = "has no cutoff" if not isinstance(cutoff, int) else f"reaches down to rank {cutoff}"
        raise ParameterError(
            f"{measure} {reach}, and documents below rank {depth} had no chance to be drawn; choose a cutoff of at "
            f"most {depth}, such as {measure.name}@10, or the depth that was pooled (--depth)"
        )


def judgments_with_chances(drawn: Any, judged: Any) -> tuple[Qrels, Floats, int]:
    """All judgments, the chance of each, and how many were drawn. Raises InputError as `estimate_drawn`."""
    import polars as pl

    table = table_of_source(drawn, "the table", SCHEMA, {})
    missing = [name for name in ("query", "doc", "relevance", "chance") if name not in table]
    if missing:  # the file's origin says more than names of columns
        raise InputError(
            f"{table.where}: no column {missing[0]!r} among {', '.join(table.frame.columns)}, expected "
            f"{SCHEMA.expected}"
        )
    grades = table.numbers(table.columns["relevance"], complete=True)
    chances = table.numbers(table.columns["chance"], complete=True)
    for is_wrong, column, values, expected in (
        (grades < 0, "relevance", grades, "a grade of at least 0: all drawn documents must be judged"),
        (~((chances > 0) & (chances <= 1)), "chance", chances, "a chance above 0 and at most 1"),
    ):
        if is_wrong.any():
            row = int(is_wrong.argmax())
            raise InputError(
                f"{table.locate(row)}: {table.columns[column]} is {values[row]:g}, expected {expected} "
                f"({int(is_wrong.sum()):,} of {is_wrong.size:,} are wrong)"
            )
    whole = bool((grades == np.floor(grades)).all())
    frame = pl.DataFrame(
        {
            "query_id": table.ids("query"),
            "doc_id": table.ids("doc"),
            "relevance": grades.astype(np.int64) if whole else grades,
            "chance": chances,
        }
    )
    is_repeated = ~frame.select(pl.struct("query_id", "doc_id").is_first_distinct()).to_series()
    if is_repeated.any():
        row = int(is_repeated.arg_true()[0])
        query, doc = frame.row(row)[:2]
        raise InputError(
            f"{table.locate(row)}: document {doc!r} of query {query!r} stands a second time, expected each once; keep "
            "one of the two"
        )
    n_drawn = frame.height
    if judged is not None:
        before = as_qrels(judged).frame().filter(pl.col("relevance") >= 0).with_columns(chance=pl.lit(1.0))
        before = before.join(frame, on=["query_id", "doc_id"], how="anti")
        frame = pl.concat([frame, before.select(frame.columns)], how="vertical_relaxed")
    qrels = Qrels(frame.drop("chance"))
    ordered = qrels.frame().select("query_id", "doc_id")
    aligned = ordered.join(frame, on=["query_id", "doc_id"], how="left", maintain_order="left")
    return qrels, aligned["chance"].to_numpy(), n_drawn


def coverage_notes(lists: RunLists, qrels: Qrels, chances: Floats) -> list[str]:
    """A note on runs whose judged documents stand for fewer than the run has."""
    judgment: Ints = judgments_of(lists, qrels)[lists.doc]
    is_judged = judgment >= 0
    chance = chances[judgment[is_judged]]
    n_runs = len(lists.systems)
    run = lists.run[is_judged]
    expected = np.bincount(lists.run, minlength=n_runs)
    count_, variance = (np.bincount(run, x, minlength=n_runs) for x in (1 / chance, (1 - chance) / chance**2))
    doubtful = np.flatnonzero(count_ + DOUBT * np.sqrt(variance) < expected - 0.5).tolist()
    if not doubtful:
        return []
    return [
        f"the judged documents of {join_names([lists.systems[i] for i in doubtful])} stand for fewer than these runs "
        f"have among their first {lists.depth}: some had no chance to be drawn, and these means are too low; name the "
        "runs and the depth of the pool, and judgments made before it (--judged)"
    ]
