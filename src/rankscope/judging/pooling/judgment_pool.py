"""The judgment pool: which documents to judge next, the most promising first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.rows import Rows, decode_ids
from rankscope.data.run import Run
from rankscope.data.section import Section, Table
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.joining import as_qrels
from rankscope.io.core import check_single_stdin
from rankscope.judging.pooling.methods import METHODS, PoolingMethod, judging_order, validate_method
from rankscope.judging.pooling.run_lists import RunLists, grades_of, read_lists
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import decode, hashes
from rankscope.stats.inputs import check_count, seed_of
from rankscope.typing import Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Pooled",
    "judgments_from",
    "pool",
]


ALL = "all runs"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pooled(Result):
    """Documents to judge, in order.

    lists: the documents that take part. grades: (documents) what was judged before, -1 for nothing. document: (to
    judge) their numbers among those, in the order of judging; step: (to judge) from 0, the round in which its turn
    comes. `documents()` are they as a frame, `qrels()` as judgments of relevance -1. `print` shows what each run has to
    do with it; `frame()` is that as a tidy table: system, queries, documents (that take part), only_here (that no other
    run has), judged, relevant, to_judge.
    """

    COLUMNS = (
        "system",
        "queries",
        "documents",
        "only_here",
        "judged",
        "relevant",
        "to_judge",
    )

    lists: RunLists
    grades: Ints
    documents_to_judge: Ints
    step: Ints
    method: PoolingMethod
    budget: int | None
    rel: int
    seed: int

    @cached_property
    def counts(self) -> Ints:
        """(runs and all, columns) the numbers of the tidy table."""
        lists, runs = self.lists, len(self.lists.systems)
        is_to_judge = np.zeros(lists.size, np.bool_)
        is_to_judge[self.documents_to_judge] = True
        in_one_run = lists.runs_with() == 1
        masks = (np.ones(lists.size, np.bool_), in_one_run, self.grades >= 0, self.grades >= self.rel, is_to_judge)
        by_run = [np.bincount(lists.run[mask[lists.doc]], minlength=runs) for mask in masks]
        list_lengths = np.bincount(lists.run * lists.sizes.size + lists.query, minlength=runs * lists.sizes.size)
        n_queries = (list_lengths.reshape(runs, -1) > 0).sum(axis=1)
        table = np.array([n_queries, *by_run]).T
        return np.concatenate((table, [[lists.sizes.size, *(int(mask.sum()) for mask in masks)]]))

    def records(self) -> Iterator[tuple[str, int, int, int, int, int, int]]:
        """The rows of the tidy table: a run each, then all of them."""
        for system, row in zip((*self.lists.systems, ALL), self.counts.tolist(), strict=True):
            yield (system, *row)

    def documents(self) -> pl.DataFrame:
        """What to judge as a polars frame, query by query: query_id, doc_id, relevance (-1: not judged), priority
        (above 0, at most 1: the k-th of its query has 1 / k; under mtf-global the k-th of all), rank (the best that a
        run gives it), runs (how many have it).
        """
        import polars as pl

        lists, order = self.lists, self._by_query
        doc = self.documents_to_judge[order]
        names = decode_ids(lists.query_ids, "replace")
        query = lists.query_of[doc]
        return pl.DataFrame(
            {
                "query_id": pl.Series([names[q] for q in query.tolist()], dtype=pl.String),
                "doc_id": pl.Series(decode_ids(decode(lists.docs.take(doc)), "replace")[: doc.size], dtype=pl.String),
                "relevance": np.full(doc.size, -1),
                "priority": 1.0 / (self.step[order] + 1.0),
                "rank": lists.best_rank()[doc],
                "runs": lists.runs_with()[doc],
            }
        )

    def qrels(self) -> Qrels:
        """What to judge as judgments of relevance -1, in the order of judging.

        Raises InputError where nothing is left to be judged.
        """
        if not self.documents_to_judge.size:
            raise InputError(f"nothing is left to be judged: {self.finished_text()}")
        doc = self.documents_to_judge[self._by_query]
        return judgments_from(self.lists, doc, np.full(doc.size, -1))

    @property
    def _by_query(self) -> Ints:
        return stable_order(self.lists.query_of[self.documents_to_judge])

    def finished_text(self) -> str:
        """A sentence that all documents are judged."""
        depth = self.lists.depth
        return f"all {pluralise(self.lists.size, 'document')} among the first {depth} of each list are; look deeper"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        notes = list(self.lists.notes)
        n_unjudged = int((self.grades < 0).sum())
        if not self.documents_to_judge.size:
            notes.append(f"nothing is left to be judged: {self.finished_text()}")
        elif self.budget is not None and self.budget > n_unjudged:
            notes.append(
                f"the budget is {self.budget:,} and only {pluralise(n_unjudged, 'document')} among the first "
                f"{self.lists.depth} of each list {'is' if n_unjudged == 1 else 'are'} not judged"
            )
        if self.method.adaptive and not (self.grades >= self.rel).any():
            notes.append(
                "no document that takes part was judged relevant so far, so that there is little to learn from; ask "
                "for a few a query first, and again with --judged (judged=...) once they are judged"
            )
        return tuple(notes)

    def sections(self) -> list[Section]:
        lists, n_judged = self.lists, int((self.grades >= 0).sum())
        sentence = (
            f"{pluralise(lists.size, 'document')} of {pluralise_queries(len(lists.query_ids))} "
            f"{'is' if lists.size == 1 else 'are'} among the first {lists.depth} of the lists of "
            f"{pluralise(len(lists.systems), 'run')}."
        )
        if n_judged:
            sentence += f" Judged already: {n_judged:,}, of which {int((self.grades >= self.rel).sum()):,} relevant."
        sentence += f" To judge next: {self.documents_to_judge.size:,}, {METHODS[self.method.name]}."
        headings = ("run", "queries", "documents", "of it alone", "judged", "relevant", "to judge")
        rows = tuple((name, *(f"{n:,}" for n in numbers)) for name, *numbers in self.records())
        return [Section(title="What to judge next", sentence=sentence, table=Table(columns=headings, rows=rows))]

    def signature_parts(self) -> list[str]:
        settings = [f"pool:{self.method}", f"depth:{self.lists.depth}"]
        if self.budget is not None:
            settings.append(f"budget:{self.budget}")
        n_judged = int((self.grades >= 0).sum())
        settings += [f"rel:{self.rel}", f"judged:{n_judged}", f"queries:{len(self.lists.query_ids)}"]
        if self.method.name == "thompson":
            settings.append(f"rng:{self.seed}")
        return [*settings]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return (
            f"{self.method}, {pluralise_queries(len(self.lists.query_ids))}, "
            f"{pluralise(len(self.lists.systems), 'run')}, {pluralise(self.documents_to_judge.size, 'document')} to "
            "judge"
        )


def judgments_from(lists: RunLists, doc: Ints, relevance: Ints) -> Qrels:
    """Judgments of these documents, which are ordered by query."""
    query = lists.query_of[doc]
    query_indices = np.unique(query)
    docs = lists.docs.take(doc)
    offsets = bounds(np.bincount(query, minlength=lists.sizes.size)[query_indices])
    query_ids = [lists.query_ids[q] for q in query_indices.tolist()]
    return Qrels.from_rows(Rows(query_ids, offsets, docs, hashes(docs), relevance, lambda _: "the pool"))


#: Default depths of lists: without a budget, and with one.
SHALLOW, DEEP = 10, 100


def pool(
    runs: Sequence[Run | PathLike | Any],
    *,
    depth: int | None = None,
    budget: int | None = None,
    method: str = "depth",
    judged: Qrels | PathLike | Any = None,
    rel: int = 1,
    rate: float | None = None,
    beta: float | None = None,
    rng: Any = None,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Pooled:
    """Which documents of these runs to judge next, the most promising first.

    runs: a list of runs, files or what `Run` takes. depth: so many documents of each list take part; by default 10, or
    100 with a budget. budget: how many documents to judge now, over all queries, which share it evenly; by default all
    that take part. judged: judgments made so far, which are not asked for again and from which all methods but "depth"
    learn; a grade below 0 is none. rel: least grade that is relevant. method: "depth" (by best rank), "mtf"
    (move-to-front; "mtf-global" over all queries at once, of which some then get more of the budget), "hedge" (beta,
    .1), "bandit" (MaxMean; rate, 1: what a judgment of a run still counts after its next one), "thompson" (the same by
    draws; rng, the same from call to call). input: the format of the files.

    Within one call nothing new is known, so each document that is asked for counts as not relevant until it is judged:
    the next call, with its judgments, knows better. Asked for one document a query at a time, methods do exactly what
    their papers say. Documents of one score or priority come by id, bytes falling; runs in another order give the same.
    Where all are judged, nothing is left to be judged, and a note says so.

    Raises InputError for runs without a common query, judgments that name none of the queries, and as `evaluate`;
    ParameterError for a depth below 1, a budget below one document a query; UnknownName.

    Source: Cormack, Palmer and Clarke (1998); Aslam, Pavlu and Savell (2003); Losada, Parapar and Barreiro (2016).

    >>> import rankscope as rs
    >>> one, other = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"d": 3.0, "a": 2.0, "e": 1.0}}
    >>> rs.judging.pool([one, rs.Run(other, name="other")], depth=2).documents()["doc_id"].to_list()
    ['d', 'a', 'b']
    >>> judged = {"q": {"a": 1, "d": 0}}
    >>> found = rs.judging.pool([one, rs.Run(other, name="other")], budget=1, method="mtf", judged=judged)
    >>> found.documents()["doc_id"].to_list()
    ['b']
    """
    pooling_method = validate_method(method, rate, beta)
    check_count("rel", rel)
    if depth is not None:
        check_count("depth", depth)
    if budget is not None:
        check_count("budget", budget)
    seed = seed_of(rng)
    check_single_stdin([*runs, judged] if isinstance(runs, (list, tuple)) else [judged])
    list_depth = depth if depth is not None else SHALLOW if budget is None else DEEP
    qrels = None if judged is None else as_qrels(judged)
    lists = read_lists(runs, list_depth, input=input, progress=progress)
    grades = grades_of(lists, qrels)
    if budget is not None:
        check_budget(budget, lists, grades >= 0)
    max_documents = lists.size if budget is None else budget
    doc, step = judging_order(
        lists, pooling_method, grades >= rel, grades >= 0, max_documents, np.random.default_rng(seed)
    )
    return Pooled(
        lists=lists,
        grades=grades,
        documents_to_judge=doc,
        step=step,
        method=pooling_method,
        budget=budget,
        rel=rel,
        seed=seed,
    )


def check_budget(budget: int, lists: RunLists, is_judged: npt.NDArray[np.bool_]) -> None:
    """Raise ParameterError for a budget below one document for each query that has documents to judge."""
    n_queries = np.unique(lists.query_of[~is_judged]).size
    if budget < n_queries:
        raise ParameterError(
            f"a budget of {budget} is less than one document a query ({pluralise_queries(n_queries)} to judge for); "
            f"give at least {n_queries}, or leave queries out of the runs"
        )
