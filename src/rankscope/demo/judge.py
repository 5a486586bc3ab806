"""A second judge for the demo: a simulated machine that judges the same documents, leniently, noisily and not without
a taste of its own.
"""

from __future__ import annotations

import numpy as np

from rankscope.demo.collection import GRADES, make_collection

__all__ = ["judge_files"]

LENIENT = 0.2  # how much better than the people it finds a document, in grades
NOISE = 0.5  # how far its reading wanders, in grades
BY_QUERY = 0.2  # how far it misreads a query as a whole
KIN = "dense"  # the system that is made of the same model
TASTE = 0.6  # by how much it overrates what that system ranks first
TASTE_DEPTH = 10
PEOPLE = 20  # of the queries, drawn at random, that people are said to have judged where its judgments stand for theirs


def judge_files(seed: int) -> dict[str, str]:
    """demo-judge.qrels, judgments of the documents of demo.qrels; demo-few.qrels, those of demo.qrels for a few queries
    drawn at random; demo-labels.csv, both judges' yes and no, a document a line.
    """
    collection = make_collection(seed)
    rng = np.random.default_rng([seed, 2])  # a stream of its own
    lines, labels = [], ["true,predicted"]
    words = np.array(["not relevant", "relevant"])
    for query, judged in collection.qrels.items():
        grades = np.array(list(judged.values()))
        favoured = set(list(collection.runs[KIN].get(query, {}))[:TASTE_DEPTH])
        taste = TASTE * np.array([doc in favoured for doc in judged])
        read = grades + LENIENT + taste + rng.normal(0.0, BY_QUERY) + rng.normal(0.0, NOISE, grades.size)
        found = np.clip(np.round(read), 0, len(GRADES)).astype(np.int64)
        lines += [f"{query} 0 {doc} {grade}" for doc, grade in zip(judged, found.tolist(), strict=True)]
        both = (words[(side > 0).astype(np.int64)] for side in (grades, found))
        labels += [f"{true},{predicted}" for true, predicted in zip(*both, strict=True)]
    ids = list(collection.qrels)
    drawn = np.sort(np.random.default_rng([seed, 18]).choice(len(ids), PEOPLE, replace=False)).tolist()
    few = [f"{ids[q]} 0 {doc} {grade}" for q in drawn for doc, grade in collection.qrels[ids[q]].items()]
    written = {"demo-judge.qrels": lines, "demo-few.qrels": few, "demo-labels.csv": labels}
    return {name: "\n".join(texts) + "\n" for name, texts in written.items()}
