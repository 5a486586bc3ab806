"""A random sample of a pool to be judged, the rest marked, so that measures can be inferred from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.errors import ParameterError
from rankscope.evaluation.sources import as_qrels
from rankscope.io.streams import check_single_stdin
from rankscope.judging.lists import RunLists, grades_of, read_lists
from rankscope.judging.pooling import DEEP
from rankscope.judging.sampled import Sampled
from rankscope.stats.inputs import check_count, is_real, seed_of
from rankscope.typing import Ints, PathLike

__all__ = ["sample"]


def sample(
    runs: Sequence[Run | PathLike | Any],
    rate: float,
    *,
    depth: int = DEEP,
    judged: Qrels | PathLike | Any = None,
    rng: Any = None,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Sampled:
    """A random sample of the pool to be judged, and judgments from which infAP can be inferred once it is.

    The pool is the first `depth` documents of all lists. Of each query's n documents rate x n are drawn, rounded, at
    least one. Its `qrels()` hold the whole pool: the grade of each drawn document that `judged` has; -2 where it is
    still to be judged; -1 for all others, pooled and left out by chance. With the same rng the same documents are
    drawn, so that calling it again with `judged` puts the judgments in; a higher rate then draws further ones beside
    them. Judgments of documents that were not drawn are left out, with a note: taken in, they would bias what is
    inferred.

    rate: above 0, up to 1. runs, input: as for `pool`.

    Raises ParameterError for a rate outside (0, 1], a depth below 1; InputError as `pool`.

    Source: Yilmaz and Aslam (2006), "Estimating average precision with incomplete and imperfect judgments".

    >>> import rankscope as rs
    >>> lists = {"q": {f"d{i}": float(-i) for i in range(10)}}
    >>> drawn = rs.judging.sample([lists], 0.3, rng=4)
    >>> drawn.drawn, sorted(drawn.qrels().relevance.tolist())
    (3, [-2, -2, -2, -1, -1, -1, -1, -1, -1, -1])
    """
    if not (is_real(rate) and 0 < rate <= 1):
        raise ParameterError(f"the rate of a sample is {rate!r}, expected a number above 0, and 1 at most, as 0.2")
    check_count("depth", depth)
    seed = seed_of(rng)
    check_single_stdin([*runs, judged] if isinstance(runs, (list, tuple)) else [judged])
    qrels = None if judged is None else as_qrels(judged)
    lists = read_lists(runs, depth, input=input, progress=progress)
    chosen = draw_documents(lists, float(rate), np.random.default_rng(seed))
    grades = grades_of(lists, qrels)
    elsewhere = 0
    if qrels is not None:
        elsewhere = int((qrels.relevance >= 0).sum()) - int((grades[chosen] >= 0).sum())
    mask = np.zeros(lists.size, np.bool_)
    mask[chosen] = True
    return Sampled(
        lists=lists,
        chosen=mask,
        grades=np.where(mask, grades, -1),
        merged=qrels is not None,
        elsewhere=elsewhere,
        rate=float(rate),
        seed=seed,
    )


def draw_documents(lists: RunLists, rate: float, rng: np.random.Generator) -> Ints:
    """The numbers of the documents drawn: of each query those of the least random numbers, the same at every rate."""
    query = lists.query_of
    order = np.lexsort((rng.random(lists.size), query))
    wanted = np.maximum(np.floor(rate * lists.sizes + 0.5), 1)
    place = np.arange(lists.size) - lists.offsets[query]
    return np.sort(order[place < wanted[query]])
