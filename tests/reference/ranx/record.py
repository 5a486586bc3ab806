"""Records what ranx 0.3.21 gives on random judgments and runs, for tests/compat/test_ranx.py.

    python tests/reference/ranx/record.py

where ranx is installed. No two documents of a query have one score, since the order of ties is not defined there.
bpref is recorded only where each query has relevant documents and others; docs/ranx.md says what it gives elsewhere.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
STEMS = (
    *("hits", "hit_rate", "precision", "recall", "f1", "mrr", "map"),
    *("dcg", "dcg_burges", "ndcg", "ndcg_burges", "r-precision"),
)
METRICS = (
    *STEMS,
    *(f"{stem}{cutoff}" for stem in STEMS for cutoff in ("@1", "@5", "@10-l2")),
    *("precision@100", "f1@100", "recall@100", "map@0", "map-l0", "precision-l3", "ndcg-l2", "dcg_burges-l3"),
    *("rbp.95", "rbp.5", "rbp@80", "rbp.0", "rbp.8-l2", "map@5@7", "rbp.9.5", "hits@ 3", "mrr-l-1"),
)
BPREF = ("bpref", "bpref@3", "bpref-l2")
#: What is done to an empty Qrels and to an empty Run, one after the other.
STEPS = (
    ("add_score", "q2", "a", 1),
    ("add_score", "q2", "b", 2),
    ("add_score", "q1", "c", 1),
    ("add_score", "q2", "a", 3),
    ("sort",),
    ("add_score", "q0", "z", 2),
    ("add_score", "q2", "n", 5),
    ("add", "q1", ["k", "l"], [1, 3]),
    ("add_multi", ["q9", "q00"], [["k"], ["m", "o"]], [[1], [3, 4]]),
)


def collection(seed, whole):
    """Judgments and a run; whole: each query has documents of grades 2 and 0 and a list; else some have not."""
    rng = np.random.default_rng(seed)
    ids = [f"d{i:02d}" for i in range(40)]
    qrels, run = {}, {}
    for number in rng.permutation(14).tolist():
        query = f"q{number:02d}"
        grades = (-1, 0, 0, 1, 1, 2, 3, 5) if whole or rng.random() < 0.7 else (0, -1)
        docs = rng.permutation(ids)[: rng.integers(2, 20)].tolist()
        qrels[query] = dict(zip(docs, rng.choice(grades, len(docs)).tolist(), strict=True))
        if whole:
            qrels[query] |= {docs[0]: 2, docs[1]: 0}
        depth = int(rng.integers(1, 30))
        scores = (rng.permutation(depth) * 0.25 - 2).tolist()
        run[query] = dict(zip(rng.permutation(ids)[:depth].tolist(), scores, strict=True))
    if not whole:
        del run[next(iter(run))], qrels[next(reversed(qrels))]
    return qrels, run


def values(array):
    return [round(float(value), 12) for value in array]


def main():
    import ranx

    cases = []
    for seed, whole in ((1, True), (2, True), (3, False), (4, False)):
        qrels, run = collection(seed, whole)
        metrics = [*METRICS, *(BPREF if whole else ())]
        judged, listed = ranx.Qrels(qrels), ranx.Run(run, name="made")
        means = ranx.evaluate(judged, listed, metrics, return_std=True, make_comparable=not whole)
        assert listed.get_query_ids() == judged.get_query_ids() == sorted(qrels)
        by_query = {metric: values(listed.scores[metric].values()) for metric in metrics}
        summary = {metric: values([found["mean"], found["std"]]) for metric, found in means.items()}
        cases.append({"qrels": qrels, "run": run, "whole": whole, "by_query": by_query, "mean_std": summary})
    steps = []
    judged, listed = ranx.Qrels(), ranx.Run()
    for name, *arguments in STEPS:
        for data in (judged, listed):
            getattr(data, name)(*arguments)
        after = [[[query, list(docs.items())] for query, docs in data.to_dict().items()] for data in (judged, listed)]
        steps.append([name, arguments, *after])
    found = {"ranx": version("ranx"), "cases": cases, "steps": steps}
    text = json.dumps(found, separators=(",", ":")).replace('"by_query"', '\n"by_query"').replace("],", "],\n")
    (HERE / "recorded.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
