"""What to judge next: what `rankscope pool` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.data.wording import pluralise_queries
from rankscope.errors import ParameterError
from rankscope.evaluation.sources import as_qrels
from rankscope.io.streams import check_single_stdin
from rankscope.judging.lists import RunLists, grades_of, read_lists
from rankscope.judging.methods import judging_order, validate_method
from rankscope.judging.pooled import Pooled
from rankscope.stats.inputs import check_count, seed_of
from rankscope.typing import PathLike

__all__ = ["pool"]

#: How far down lists are read: where every document is to be judged, and where a budget says how many.
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
    settled = validate_method(method, rate, beta)
    check_count("rel", rel)
    if depth is not None:
        check_count("depth", depth)
    if budget is not None:
        check_count("budget", budget)
    seed = seed_of(rng)
    check_single_stdin([*runs, judged] if isinstance(runs, (list, tuple)) else [judged])
    deep = depth if depth is not None else SHALLOW if budget is None else DEEP
    qrels = None if judged is None else as_qrels(judged)
    lists = read_lists(runs, deep, input=input, progress=progress)
    grades = grades_of(lists, qrels)
    if budget is not None:
        check_budget(budget, lists, grades >= 0)
    most = lists.size if budget is None else budget
    doc, step = judging_order(lists, settled, grades >= rel, grades >= 0, most, np.random.default_rng(seed))
    return Pooled(
        lists=lists,
        grades=grades,
        document=doc,
        step=step,
        method=settled,
        budget=budget,
        rel=rel,
        seed=seed,
    )


def check_budget(budget: int, lists: RunLists, free: npt.NDArray[np.bool_]) -> None:
    """Raise for less than one document a query, those left out that have none to judge. free: (documents) judged."""
    open_ = np.unique(lists.query_of[~free]).size
    if budget < open_:
        raise ParameterError(
            f"a budget of {budget} is less than one document a query ({pluralise_queries(open_)} to judge for); give at least "
            f"{open_}, or leave queries out of the runs"
        )
