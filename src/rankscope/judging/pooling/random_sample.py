"""Random samples of pools, from whose judgments measures can be inferred."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.text import pluralise
from rankscope.evaluation.joining import as_qrels
from rankscope.io.chunk_tables import merge_inputs
from rankscope.io.core import check_single_stdin
from rankscope.judging.pooling.judgment_pool import DEEP, judgments_from
from rankscope.judging.pooling.run_lists import RunLists, grades_of, read_lists
from rankscope.kernels.resample import share_of_sizes, shuffled_ranks
from rankscope.settings import REQUIRED, Number, Settings, count, number, seed_field
from rankscope.stats.inputs import seed_of
from rankscope.typing import Ints, PathLike

__all__ = [
    "LEFT_OUT",
    "TO_JUDGE",
    "SampleSettings",
    "Sampled",
    "sample",
    "sample_pool",
]


#: Special grades: pooled and not sampled; sampled and not judged yet.
LEFT_OUT, TO_JUDGE = -1, -2


@dataclass(frozen=True, kw_only=True)
class SampleSettings(Settings):
    """Which sample of the pool is drawn; see `sample`."""

    FUNCTIONS = ("rankscope.judging:sample",)
    COMMANDS = ("pool",)

    share: float = number(
        REQUIRED,
        rule=Number(0, 1, low_open=True),
        flag="--sample",
        argument="rate",
        metavar="RATE",
        help="Share of the pool to draw at random, up to 1.",
    )
    depth: int = count(DEEP, flag="", help="Pool depth: only the first `depth` documents of each list take part.")
    seed: int = seed_field("Random seed of a sample and of thompson; the same seed continues with the same draws.")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sampled(Result):
    """A random sample of a pool.

    `qrels()` is what to judge, and what to evaluate with afterwards. `frame()` is the tidy table: query, pooled, drawn,
    judged; the last row is for all queries.

    Attributes
    ----------
    lists
        The documents of the pool.
    is_sampled
        For each document of the pool, whether it was drawn.
    grades
        Judgments of the documents that were drawn; -1 for all others.
    merged
        Whether judgments were put in.
    n_not_sampled
        Number of judgments of documents that were not drawn.
    settings
        The settings of the sample.
    """

    VIEW = "rankscope.judging.pooling.view:sample_sections"
    COLUMNS = ("query", "pooled", "drawn", "judged")

    lists: RunLists
    is_sampled: npt.NDArray[np.bool_]
    grades: Ints
    merged: bool
    n_not_sampled: int
    settings: SampleSettings

    @property
    def n_sampled(self) -> int:
        """How many documents were drawn."""
        return int(self.is_sampled.sum())

    @property
    def n_judged(self) -> int:
        """How many of them are judged."""
        return int((self.grades >= 0).sum())

    @cached_property
    def counts(self) -> Ints:
        """(queries, columns) how many documents are pooled, drawn, judged."""
        query = self.lists.query_of
        masks = (self.is_sampled, self.grades >= 0)
        mask_counts = [np.bincount(query[mask], minlength=self.lists.sizes.size) for mask in masks]
        return np.array([self.lists.sizes, *mask_counts]).T

    def records(self) -> Iterator[tuple[str, int, int, int]]:
        """The rows of the tidy table: a query each, then all of them."""
        for name, row in zip(self.lists.names, self.counts.tolist(), strict=True):
            yield (name, *row)
        yield ("all", *self.counts.sum(axis=0).tolist())

    def qrels(self) -> Qrels:
        """The whole pool: grades where judged, -2 where drawn and still to be judged, -1 where not drawn. Of each query
        those to judge come first, then those judged, then the rest.
        """
        relevance = np.where(self.is_sampled, np.where(self.grades >= 0, self.grades, TO_JUDGE), LEFT_OUT)
        query = self.lists.query_of
        group = np.where(self.is_sampled, self.grades >= 0, 2)
        order = np.lexsort((group, query))
        return judgments_from(self.lists, order, relevance[order])

    @cached_property
    def notes(self) -> tuple[str, ...]:
        notes = list(self.lists.notes)
        n_unjudged = self.n_sampled - self.n_judged
        if self.n_not_sampled:
            notes.append(
                f"{pluralise(self.n_not_sampled, 'judgment')} of documents that were not drawn "
                f"{'was' if self.n_not_sampled == 1 else 'were'} skipped: they would bias the estimates"
            )
        if self.merged and n_unjudged:
            hint = ""
            if 2 * self.n_judged < self.n_sampled and self.n_not_sampled:
                hint = "; were they drawn from the same runs with this rate, depth and seed?"
            notes.append(f"{n_unjudged:,} of the {self.n_sampled:,} drawn documents have no judgment yet (-2){hint}")
        return tuple(notes)

    def signature_parts(self) -> list[str]:
        return [
            f"sample:{self.settings.share:g}",
            f"depth:{self.lists.depth}",
            f"runs:{len(self.lists.systems)}",
            f"queries:{len(self.lists.query_ids)}",
            f"rng:{self.settings.seed}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.n_sampled:,} of {pluralise(self.lists.size, 'document')}, {self.n_judged:,} judged"


def sample(
    runs: Sequence[Run | PathLike | Any],
    rate: float,
    *,
    depth: int = DEEP,
    judged: Qrels | PathLike | Any = None,
    rng: Any = None,
    duplicates: str | None = None,
    doc_of: Any = None,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Sampled:
    """Draw a random sample of the pool to judge, from whose judgments infAP can be estimated.

    Parameters
    ----------
    runs
        List of runs, files, or anything that `Run` takes.
    rate
        Share of the pool to draw at random, up to 1.
    depth
        Pool depth: only the first `depth` documents of each list take part. Default: 100.
    judged
        Judgments of the sample made so far.
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
    Sampled
        The sample. `qrels()` holds the whole pool: the grade of each sampled document that is judged, -2 for a sampled
        document that is still to be judged, -1 for a document that was not sampled.

    Raises
    ------
    InputError
        As `pool`.
    ParameterError
        A setting is out of range.

    Notes
    -----
    The pool is the first `depth` documents of all lists. Of the n documents of a query, rate x n are drawn, rounded, at
    least one. The same seed draws the same documents: call it again with `judged` to put the judgments in. A higher
    rate then draws further documents beside them. Judgments of documents that were not drawn are skipped, with a note,
    since they would bias the estimates.

    References
    ----------
    Yilmaz and Aslam (2006), "Estimating average precision with incomplete and imperfect judgments".

    Examples
    --------
    >>> import rankscope as rs
    >>> lists = {"q": {f"d{i}": float(-i) for i in range(10)}}
    >>> drawn = rs.judging.sample([lists], 0.3, rng=4)
    >>> drawn.n_sampled, sorted(drawn.qrels().relevance.tolist())
    (3, [-2, -2, -2, -1, -1, -1, -1, -1, -1, -1])
    """
    settings = SampleSettings(share=rate, depth=depth, seed=seed_of(rng))
    return sample_pool(merge_inputs(runs, duplicates, doc_of, input), judged, settings, input=input, progress=progress)


def sample_pool(
    runs: Sequence[Run | PathLike | Any],
    judged: Qrels | PathLike | Any,
    settings: SampleSettings,
    *,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Sampled:
    """As `sample`, with its settings as one object."""
    check_single_stdin([*runs, judged] if isinstance(runs, (list, tuple)) else [judged])
    qrels = None if judged is None else as_qrels(judged)
    lists = read_lists(runs, settings.depth, input=input, progress=progress)
    drawn_documents = draw_documents(lists, float(settings.share), np.random.default_rng(settings.seed))
    grades = grades_of(lists, qrels)
    n_not_sampled = 0
    if qrels is not None:
        n_not_sampled = int((qrels.relevance >= 0).sum()) - int((grades[drawn_documents] >= 0).sum())
    is_sampled = np.zeros(lists.size, np.bool_)
    is_sampled[drawn_documents] = True
    return Sampled(
        lists=lists,
        is_sampled=is_sampled,
        grades=np.where(is_sampled, grades, -1),
        merged=qrels is not None,
        n_not_sampled=n_not_sampled,
        settings=settings,
    )


def draw_documents(lists: RunLists, rate: float, rng: np.random.Generator) -> Ints:
    """The sampled documents: those with the smallest random numbers of each query, which are the same at every rate."""
    n_drawn = np.maximum(share_of_sizes(rate, lists.sizes), 1)
    return np.flatnonzero(shuffled_ranks(rng, lists.query_of, lists.sizes) < n_drawn[lists.query_of])
