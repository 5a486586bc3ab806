"""The demo's table of queries: which of them ask for the same thing, which are asked often, and how often.

People word one need in several ways, and query expansion (`EXPANDED`) helps all wordings of a need, or none: so their
differences are alike. It helps what is asked often, and hurts what is asked rarely.
"""

from __future__ import annotations

import numpy as np

from rankscope.demo.collection import make_collection

__all__ = [
    "query_files",
]


#: The system that expands queries, and the one without.
EXPANDED, PLAIN = "bm25-rm3", "bm25"
DEPTH = 10  # of the lists that are compared
WORDINGS = (2, 5)  # fewest and most queries of a need
NOISE = 1.0  # by how many relevant documents the wordings of a need differ
OFTEN, RARELY = (10, 59), (1, 5)  # fewest and most times that a query of either kind is asked on a day


def query_files(seed: int) -> dict[str, str]:
    """demo-queries.csv: a row for each query of demo.qrels, with its group, cluster and weight."""
    rng = np.random.default_rng([seed, 34])  # a stream of its own
    collection = make_collection(seed)
    queries = list(collection.qrels)

    def n_relevant(system: str, query: str) -> int:
        documents = list(collection.runs[system].get(query, {}))[:DEPTH]
        return sum(collection.qrels[query].get(document, 0) > 0 for document in documents)

    gains = np.array([n_relevant(EXPANDED, query) - n_relevant(PLAIN, query) for query in queries])
    order = np.argsort(-(gains + rng.normal(0.0, NOISE, gains.size)), kind="stable")
    ends = np.cumsum(rng.integers(*WORDINGS, size=gains.size, endpoint=True))
    need = np.empty(gains.size, np.int64)
    need[order] = np.searchsorted(ends, np.arange(gains.size), side="right")
    gain_of_need = np.bincount(need, gains) / np.bincount(need)
    is_frequent = (gain_of_need >= np.median(gain_of_need))[need]
    numbers = 1 + rng.permutation(gain_of_need.size)
    counts = np.where(
        is_frequent,
        rng.integers(*OFTEN, size=gains.size, endpoint=True),
        rng.integers(*RARELY, size=gains.size, endpoint=True),
    )
    lines = ["query,group,cluster,weight"]
    lines += [
        f"{query},{'head' if frequent else 'tail'},need{number:02d},{count}"
        for query, frequent, number, count in zip(
            queries, is_frequent.tolist(), numbers[need].tolist(), counts.tolist(), strict=True
        )
    ]
    return {"demo-queries.csv": "\n".join(lines) + "\n"}
