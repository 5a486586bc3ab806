"""The judgment pool: which documents to judge next, the most promising first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import as_grades
from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.rows import Rows, decode_ids
from rankscope.data.run import Run
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.joining import as_qrels
from rankscope.io.chunk_tables import merge_inputs
from rankscope.io.core import check_single_stdin
from rankscope.judging.pooling.methods import (
    METHODS,
    PoolingMethod,
    beta_field,
    judging_order,
    pooling_method,
    rate_field,
)
from rankscope.judging.pooling.run_lists import RunLists, grades_of, read_lists
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import decode, hashes
from rankscope.settings import Settings, choice, count, grade_level, needs, seed_field, switch
from rankscope.stats.inputs import seed_of
from rankscope.stats.prediction_powered import chances_within, systematic_sample
from rankscope.typing import Floats, Grades, Ints, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "DEEP",
    "SHALLOW",
    "PoolSettings",
    "Pooled",
    "check_budget",
    "judgments_from",
    "pool",
    "pool_runs",
]


ALL = "all runs"
#: Default depths of lists: without a budget, and with one.
SHALLOW, DEEP = 10, 100


@dataclass(frozen=True, kw_only=True)
class PoolSettings(Settings):
    """Which documents are judged next; see `pool`."""

    FUNCTIONS = ("rankscope.judging:pool",)
    COMMANDS = ("pool",)

    depth: int | None = count(
        None,
        metavar="K",
        help="Pool depth: only the first K documents of each list take part.",
        unset=f"{SHALLOW}, or {DEEP} with a budget, a sample or runs left out",
    )
    budget: int | None = count(
        None, help="Number of documents to judge next, over all queries.", unset="all documents of the pool"
    )
    method: str = choice("depth", METHODS, kind="pooling method", help="Pooling method: which documents come first.")
    chances: bool = switch(
        False,
        help="Draw the documents at random, those that come first with a greater chance; POOL (.jsonl) then holds the "
        "chances, for estimates from these judgments. Needs a budget.",
        depends=needs("budget"),
    )
    rel: float = grade_level(help="Minimum relevance that counts as relevant.")
    rate: float | None = rate_field()
    beta: float | None = beta_field()
    seed: int = seed_field("Random seed of a sample and of thompson; the same seed continues with the same draws.")

    @property
    def list_depth(self) -> int:
        """How many documents of each list take part."""
        if self.depth is not None:
            return self.depth
        return SHALLOW if self.budget is None else DEEP

    @property
    def pooling_method(self) -> PoolingMethod:
        """The method with its parameters."""
        return pooling_method(self.method, self.rate, self.beta)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pooled(Result):
    """Documents to judge, in the order of judging.

    `documents()` returns them as a frame, `qrels()` as judgments of relevance -1. `print` shows how much each run has
    of the pool; `frame()` is that as a tidy table: system, queries, documents (in the pool), only_here (in no other
    run), judged, relevant, to_judge.

    Attributes
    ----------
    lists
        The documents of the pool, with their runs and ranks.
    grades
        Earlier judgments of the documents of the pool; -1 for a document without one.
    documents_to_judge
        Documents to judge, by their numbers in the pool, in the order of judging.
    step
        For each of these, the round in which it is judged, from 0; if they were drawn, the round without a limit.
    chance
        For each of these, the chance with which it was drawn; None if they were not drawn.
    settings
        The settings of the pool.
    """

    VIEW = "rankscope.judging.pooling.view:pool_sections"
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
    settings: PoolSettings
    chance: Floats | None = None

    @property
    def method(self) -> PoolingMethod:
        """The pooling method with its parameters."""
        return self.settings.pooling_method

    @cached_property
    def counts(self) -> Ints:
        """(runs and all, columns) the numbers of the tidy table."""
        lists, runs = self.lists, len(self.lists.systems)
        is_to_judge = np.zeros(lists.size, np.bool_)
        is_to_judge[self.documents_to_judge] = True
        in_one_run = lists.runs_with() == 1
        masks = (
            np.ones(lists.size, np.bool_),
            in_one_run,
            self.grades >= 0,
            self.grades >= self.settings.rel,
            is_to_judge,
        )
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
        run gives it), runs (how many have it); if
        documents were drawn also chance.
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
                **({} if self.chance is None else {"chance": self.chance[order]}),
            }
        )

    def qrels(self) -> Qrels:
        """What to judge as judgments of relevance -1, in the order of judging.

        Raises InputError where nothing is left to be judged.
        """
        if not self.documents_to_judge.size:
            raise InputError(f"nothing is left to judge: {self.finished_text()}")
        doc = self.documents_to_judge[self._by_query]
        return judgments_from(self.lists, doc, np.full(doc.size, -1))

    @property
    def _by_query(self) -> Ints:
        return stable_order(self.lists.query_of[self.documents_to_judge])

    def finished_text(self) -> str:
        """A sentence that all documents are judged."""
        depth = self.lists.depth
        return (
            f"all {pluralise(self.lists.size, 'document')} among the first {depth} of each list are judged; use a "
            "greater depth"
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        notes = list(self.lists.notes)
        n_unjudged = int((self.grades < 0).sum())
        if not self.documents_to_judge.size:
            notes.append(f"nothing is left to judge: {self.finished_text()}")
        elif self.settings.budget is not None and self.settings.budget > n_unjudged:
            notes.append(
                f"the budget is {self.settings.budget:,} and only {pluralise(n_unjudged, 'document')} among the first "
                f"{self.lists.depth} of each list {'is' if n_unjudged == 1 else 'are'} not judged"
            )
        if self.method.adaptive and not (self.grades >= self.settings.rel).any():
            notes.append(
                "no document of the pool has been judged relevant so far, so there is little to learn from; first have "
                "a few documents of each query judged, then call again with --judged (judged=...)"
            )
        return tuple(notes)

    def signature_parts(self) -> list[str]:
        parts = [f"pool:{self.method}", f"depth:{self.lists.depth}"]
        if self.settings.budget is not None:
            parts.append(f"budget:{self.settings.budget}")
        n_judged = int((self.grades >= 0).sum())
        parts += [f"rel:{self.settings.rel}", f"judged:{n_judged}", f"queries:{len(self.lists.query_ids)}"]
        if self.settings.chances:
            parts.append("chances")
        if self.method.name == "thompson" or self.settings.chances:
            parts.append(f"rng:{self.settings.seed}")
        return parts

    def contents(self) -> str:
        """What it holds, in a few words."""
        return (
            f"{self.method}, {pluralise_queries(len(self.lists.query_ids))}, "
            f"{pluralise(len(self.lists.systems), 'run')}, {pluralise(self.documents_to_judge.size, 'document')} to "
            "judge"
        )


def judgments_from(lists: RunLists, doc: Ints, relevance: Grades) -> Qrels:
    """Judgments of these documents, which are ordered by query."""
    query = lists.query_of[doc]
    query_indices = np.unique(query)
    docs = lists.docs.take(doc)
    offsets = bounds(np.bincount(query, minlength=lists.sizes.size)[query_indices])
    query_ids = [lists.query_ids[q] for q in query_indices.tolist()]
    return Qrels.from_rows(Rows(query_ids, offsets, docs, hashes(docs), as_grades(relevance), lambda _: "the pool"))


def pool(
    runs: Sequence[Run | PathLike | Any],
    *,
    depth: int | None = None,
    budget: int | None = None,
    method: str = "depth",
    chances: bool = False,
    judged: Qrels | PathLike | Any = None,
    rel: float = 1,
    rate: float | None = None,
    beta: float | None = None,
    rng: Any = None,
    duplicates: str | None = None,
    doc_of: Any = None,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Pooled:
    """Choose which documents of these runs to judge next, the most promising first.

    Parameters
    ----------
    runs
        List of runs, files, or anything that `Run` takes.
    depth
        Pool depth: only the first K documents of each list take part. Default: 10, or 100 with a budget, a sample or
        runs left out.
    budget
        Number of documents to judge next, over all queries. Default: all documents of the pool.
    method
        Pooling method: which documents come first. One of 'depth', 'mtf', 'mtf-global', 'hedge', 'bandit', 'thompson'.
        Default: 'depth'.
    chances
        Draw the documents at random, those that come first with a greater chance; POOL (.jsonl) then holds the chances,
        for estimates from these judgments. Needs a budget. Default: False.
    judged
        Judgments made so far. Their documents are not returned again, and all methods but "depth" learn from them. A
        grade below 0 counts as no judgment.
    rel
        Minimum relevance that counts as relevant. Default: 1.
    rate
        For bandit and thompson: factor by which the earlier judgments of a run lose weight with each new one of that
        run. Default: 1, all judgments count alike.
    beta
        Learning rate of hedge; a smaller B gives losses more weight. Default: 0.1.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    duplicates
        Documents that a query of a run holds several times: refuse them, or count the first, the highest score, or the
        sum of the scores. One of 'error', 'first', 'max', 'sum'. Default: error, or max for chunks.
    doc_of
        Document of each chunk that was retrieved: a pattern whose only group is the document in the id, such as
        '^([^#]+)', a mapping {chunk: document}, or a table with the columns chunk and document (a path or a data
        frame). The best chunk of a document counts.
    input
        Format of the files. Default: detected from their content.
    progress
        Called with the number of bytes just read.

    Returns
    -------
    Pooled
        The documents to judge: `documents()` as a frame, `qrels()` as judgments of relevance -1. If nothing is left to
        be judged, a note says so.

    Raises
    ------
    InputError
        The runs have no query in common, the judgments name none of the queries, and as `evaluate`.
    ParameterError
        A setting is out of range, the method does not have it, or the budget is below one document per query.
    UnknownName
        There is no such method.

    Notes
    -----
    "depth" takes documents by their best rank; "mtf" is move-to-front, and "mtf-global" move-to-front over all queries
    at once, so that some queries get more of the budget than others; "hedge" is Hedge (parameter beta); "bandit" is
    MaxMean and "thompson" Thompson sampling (both with rate). With the other methods than "mtf-global", the queries
    share the budget evenly.

    With chances, each document is drawn with a chance that rises with its priority, down to a quarter of that of an
    even draw; the number drawn is the budget, or one less or more. Estimates from these judgments weigh each by its
    chance (`estimate_items`); documents that were judged before have the chance 1.

    Nothing new is learned within one call: a document that is returned counts as not relevant until it is judged. The
    next call, with its judgments, knows better. If each call asks for one document per query, the methods do exactly
    what their papers describe. Documents with equal scores or priorities are ordered by id, descending by bytes. The
    order of the runs does not change the result.

    References
    ----------
    Cormack, Palmer and Clarke (1998); Aslam, Pavlu and Savell (2003); Losada, Parapar and Barreiro (2016).

    Examples
    --------
    >>> import rankscope as rs
    >>> one, other = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"d": 3.0, "a": 2.0, "e": 1.0}}
    >>> rs.judging.pool([one, rs.Run(other, name="other")], depth=2).documents()["doc_id"].to_list()
    ['d', 'a', 'b']
    >>> judged = {"q": {"a": 1, "d": 0}}
    >>> found = rs.judging.pool([one, rs.Run(other, name="other")], budget=1, method="mtf", judged=judged)
    >>> found.documents()["doc_id"].to_list()
    ['b']
    """
    settings = PoolSettings(
        depth=depth, budget=budget, method=method, chances=chances, rel=rel, rate=rate, beta=beta, seed=seed_of(rng)
    )
    return pool_runs(merge_inputs(runs, duplicates, doc_of, input), judged, settings, input=input, progress=progress)


def pool_runs(
    runs: Sequence[Run | PathLike | Any],
    judged: Qrels | PathLike | Any,
    settings: PoolSettings,
    *,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Pooled:
    """As `pool`, with its settings as one object."""
    check_single_stdin([*runs, judged] if isinstance(runs, (list, tuple)) else [judged])
    qrels = None if judged is None else as_qrels(judged)
    lists = read_lists(runs, settings.list_depth, input=input, progress=progress)
    grades = grades_of(lists, qrels)
    if settings.budget is not None:
        check_budget(settings.budget, lists, grades >= 0)
    max_documents = lists.size if settings.budget is None or settings.chances else settings.budget
    rng = np.random.default_rng(settings.seed)
    doc, step = judging_order(lists, settings.pooling_method, grades >= settings.rel, grades >= 0, max_documents, rng)
    chance = None
    if settings.chances and settings.budget is not None and doc.size:
        chance = drawing_chances(1.0 / np.asarray(step + 1, np.float64), min(settings.budget, doc.size))
        is_drawn = systematic_sample(chance, rng)
        doc, step, chance = doc[is_drawn], step[is_drawn], chance[is_drawn]
    return Pooled(lists=lists, grades=grades, documents_to_judge=doc, step=step, settings=settings, chance=chance)


def drawing_chances(priorities: Floats, budget: int) -> Floats:
    """(documents) chances by their priorities, whose sum is the budget; a quarter of it is spread evenly."""
    n = priorities.size
    if budget == n:
        return np.ones(n)
    return chances_within(priorities, np.zeros(n), np.ones(n), budget, np.full(n, budget / n))


def check_budget(budget: int, lists: RunLists, is_judged: npt.NDArray[np.bool_]) -> None:
    """Raise ParameterError for a budget below one document for each query that has documents to judge."""
    n_queries = np.unique(lists.query_of[~is_judged]).size
    if budget < n_queries:
        raise ParameterError(
            f"a budget of {budget} is less than one document per query ({pluralise_queries(n_queries)} to judge for); "
            f"give at least {n_queries}, or remove queries from the runs"
        )
