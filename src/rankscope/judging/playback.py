"""Judging played back: with judgments that are known, how soon each method would have found the relevant documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.errors import ParameterError
from rankscope.evaluation.sources import as_qrels
from rankscope.judging.lists import grades_of, read_lists
from rankscope.judging.methods import judging_order, validate_method
from rankscope.judging.played import Played
from rankscope.judging.pooling import DEEP, check_budget
from rankscope.stats.inputs import check_count, seed_of
from rankscope.typing import PathLike

__all__ = ["play_back"]


def play_back(
    runs: Sequence[Run | PathLike | Any],
    qrels: Qrels | PathLike | Any,
    method: str | Sequence[str] = ("depth", "mtf", "hedge", "bandit"),
    budget: int | None = None,
    *,
    depth: int = DEEP,
    rel: int = 1,
    rate: float | None = None,
    beta: float | None = None,
    rng: Any = None,
    input: str | None = None,
) -> Played:
    """How many relevant documents each method finds by how many judgments, had these judgments been made in its order.

    One document a query is judged at a time, and what is found says what is next. A document without a judgment counts
    as judged not relevant. method: one of those of `pool`, or several. budget: judgments over all queries; by default
    all documents among the first `depth`. rate, beta: of the one method that has them.

    Raises as `pool`.

    >>> import rankscope as rs
    >>> one = rs.Run({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, name="one")
    >>> two = rs.Run({"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, name="two")
    >>> found = rs.judging.play_back([one, two], {"q": {"x": 1, "y": 1, "a": 0, "b": 0}}, ["depth", "bandit"])
    >>> found.relevant("depth").tolist(), found.relevant("bandit").tolist()
    ([1, 1, 2, 2, 2, 2], [1, 2, 2, 2, 2, 2])
    """
    names = [method] if isinstance(method, str) else list(method)
    if not names:
        raise ParameterError("no method given, expected at least one")
    if (rate is not None or beta is not None) and len(names) > 1:
        raise ParameterError("rate and beta are of one method; name only that one")
    methods = [validate_method(name, rate, beta) for name in dict.fromkeys(names)]
    check_count("depth", depth)
    check_count("rel", rel)
    if budget is not None:
        check_count("budget", budget)
    seed = seed_of(rng)
    judged = as_qrels(qrels)
    lists = read_lists(runs, depth, input=input)
    grades = grades_of(lists, judged)
    relevant, free = grades >= rel, np.zeros(lists.size, np.bool_)
    if budget is not None:
        check_budget(budget, lists, free)
    most = lists.size if budget is None else min(budget, lists.size)
    found = {}
    for one in methods:
        doc, _ = judging_order(lists, one, relevant, free, most, np.random.default_rng(seed))
        found[str(one)] = relevant[doc]
    return Played(
        found=found,
        known=int(relevant.sum()),
        queries=len(lists.query_ids),
        runs=len(lists.systems),
        depth=depth,
        rel=rel,
        seed=seed if any(one.name == "thompson" for one in methods) else None,
        notes=lists.notes,
    )
