"""The best order possible as a run: all documents judged above 0, by falling grade."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.errors import InputError
from rankscope.io.core import is_path
from rankscope.io.read import read_qrels
from rankscope.kernels.segments import bounds, group_of, place_in_group
from rankscope.kernels.text import hashes
from rankscope.typing import PathLike

__all__ = [
    "IDEAL",
    "ideal_run",
]


#: The name of the ideal run.
IDEAL = "ideal"


def ideal_run(qrels: Qrels | PathLike | Any) -> Run:
    """The best order possible as a run: of each query all documents judged above 0, by falling grade.

    It shows the ceiling of most measures; those of subtopics or preferences may have a better order.

    Parameters
    ----------
    qrels
        Judgments: a Qrels, a path, or anything that `Qrels(...)` takes.

    Returns
    -------
    Run
        The run "ideal", whose scores are falling whole numbers. Documents of one grade are in the order of the
        judgments. A query without a document above 0 is not in it.

    Raises
    ------
    InputError
        The judgments cannot be read, or no document is judged above 0.

    Examples
    --------
    >>> import rankscope as rs
    >>> ideal = rs.ideal_run({"q1": {"d1": 1, "d2": 0, "d3": 2}})
    >>> ideal.frame().rows()
    [('q1', 'd3', 2.0), ('q1', 'd1', 1.0)]
    """
    judgments = read_qrels(qrels) if is_path(qrels) else qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    relevance, query = judgments.relevance, group_of(judgments.offsets)
    gaining = np.flatnonzero(relevance > 0)
    if not gaining.size:
        raise InputError("no document is judged above 0, so that there is no best order; check the judgments")
    order = gaining[np.lexsort((-relevance[gaining], query[gaining]))]
    lengths = np.bincount(query[order], minlength=len(judgments.query_ids))
    listed = np.flatnonzero(lengths)
    offsets, docs = bounds(lengths[listed]), judgments.docs.take(order)
    scores = (np.repeat(lengths[listed], lengths[listed]) - place_in_group(offsets)).astype(np.float64)
    query_ids = list(judgments.codes)
    rows = Rows([query_ids[q] for q in listed.tolist()], offsets, docs, hashes(docs), scores, lambda _: "the ideal run")
    return Run.from_rows(rows, name=IDEAL)
