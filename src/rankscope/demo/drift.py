"""The demo's judge that changed: half of the queries were judged by an old version of a model, half by a new one.

The new version is more lenient: it reads every document as `DRIFT` of a grade more relevant than the old one does.
"""

from __future__ import annotations

import numpy as np

from rankscope.demo.collection import GRADES, make_collection

__all__ = [
    "drift_files",
]


DRIFT = 0.5
LENIENCY = 0.1  # of the old version
BY_QUERY, NOISE = 0.2, 0.5  # how far its leniency varies over queries, and its readings over documents


def drift_files(seed: int) -> dict[str, str]:
    """demo-drift.qrels, judgments by both versions; demo-batches.csv, which version judged each query."""
    rng = np.random.default_rng([seed, 41])  # a stream of its own
    collection = make_collection(seed)
    n_queries = len(collection.qrels)
    is_new = rng.permutation(n_queries) >= n_queries // 2
    lines, batches = [], ["query,group"]
    for (query, judgments), new in zip(collection.qrels.items(), is_new.tolist(), strict=True):
        grades = np.array(list(judgments.values()))
        leniency = LENIENCY + DRIFT * new + rng.normal(0.0, BY_QUERY)
        readings = grades + leniency + rng.normal(0.0, NOISE, grades.size)
        machine_grades = np.clip(np.round(readings), 0, len(GRADES)).astype(np.int64)
        lines += [f"{query} 0 {doc} {grade}" for doc, grade in zip(judgments, machine_grades.tolist(), strict=True)]
        batches.append(f"{query},{'new' if new else 'old'}")
    return {"demo-drift.qrels": "\n".join(lines) + "\n", "demo-batches.csv": "\n".join(batches) + "\n"}
