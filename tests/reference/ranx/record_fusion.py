"""Records what all fusion methods of ranx 0.3.21 give on random runs, for tests/fusion/test_ranx.py.

    python tests/reference/ranx/record_fusion.py

where ranx is installed. No two documents of a list have one score, since the order of ties is not defined there.
Methods that learn do so from other runs of the same systems. Condorcet fuse has runs of its own that all rank all
documents and whose majorities do not go in circles, since nothing else has a defined result there.
"""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
NORMS = ("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda")
WEIGHTS = [0.5, 2.0, 1.25]
SEGMENTS, WINDOW = 4, 2
#: Of each method, what it is told; those by ranks come last.
BY_SCORES = {
    **{method: {} for method in ("anz", "max", "med", "min", "mnz", "sum")},
    "gmnz": {"gamma": 0.5},
    **{method: {"weights": WEIGHTS} for method in ("mixed", "wmnz", "wsum")},
}
BY_RANKS = {
    **{method: {} for method in ("bordafuse", "isr", "log_isr")},
    "logn_isr": {"sigma": 0.01},
    "rbc": {"phi": 0.8},
    "rrf": {"k": 60},
    "w_bordafuse": {"weights": WEIGHTS},
}
CONDORCET = {"condorcet": {}, "w_condorcet": {"weights": WEIGHTS}}


def collection(rng, queries, grades):
    """Three runs, and judgments."""
    docs = [f"d{i:02d}" for i in range(16)]
    runs, qrels = [], {}
    for _ in range(3):
        run = {}
        for number in range(queries):
            depth = int(rng.integers(4, 13))
            scores = (rng.permutation(40)[:depth] * 0.25 + 0.5).tolist()
            run[f"q{number}"] = dict(zip(rng.permutation(docs)[:depth].tolist(), scores, strict=True))
        runs.append(run)
    for number in range(queries):
        some = rng.permutation(docs)[:10].tolist()
        qrels[f"q{number}"] = dict(zip(some, rng.choice(grades, len(some)).tolist(), strict=True))
    return runs, qrels


def orders(rng):
    """Three orders of the same documents, each with some neighbours changed."""
    runs = []
    for _ in range(3):
        docs = [f"d{i:02d}" for i in range(12)]
        for place in (1 + 3 * rng.permutation(4)[:3]).tolist():
            docs[place - 1], docs[place] = docs[place], docs[place - 1]
        runs.append({"q0": {doc: 20.0 - i for i, doc in enumerate(docs)}})
    return runs


def main():
    warnings.filterwarnings("ignore")
    import ranx
    from ranx import fusion

    rng = np.random.default_rng(16)
    train, qrels = collection(rng, 6, (-1, 0, 0, 1, 1, 2))
    runs, _ = collection(rng, 3, (0,))
    full = orders(rng)

    def made(given):
        return [ranx.Run(run, name=f"run{i}") for i, run in enumerate(given)]

    def fused(given, norm, method, params):
        found = ranx.fuse(made(given), norm=norm, method=method, params=params).to_dict()
        return {query: {doc: round(float(score), 12) for doc, score in docs.items()} for query, docs in found.items()}

    def learned(norm):
        judged = ranx.Qrels(qrels)
        listed = made(train)
        if norm == "min-max-inverted":
            listed = [ranx.normalize(run, norm) for run in listed]
        return {
            "bayesfuse": {"log_odds": fusion.bayesfuse_train(judged, listed)},
            "mapfuse": {"map_scores": fusion.mapfuse_train(judged, listed)},
            "posfuse": {"probs": fusion.posfuse_train(judged, listed)},
            "probfuse": {"probs": fusion.probfuse_train(judged, listed, SEGMENTS)},
            "segfuse": {"probs": fusion.segfuse_train(judged, listed)},
            "slidefuse": {"probs": fusion.slidefuse_train(judged, listed), "w": WINDOW},
        }

    cases = []
    for norm in NORMS:
        methods = dict(BY_SCORES)
        if norm != "borda":  # which adds documents to a list, all of one score
            methods["segfuse"] = learned(norm)["segfuse"]
        if norm == "min-max":
            methods |= BY_RANKS | learned(norm)
        cases += [[method, norm, "runs", fused(runs, norm, method, params)] for method, params in methods.items()]
    cases += [
        [method, "min-max", "full", fused(full, "min-max", method, params)] for method, params in CONDORCET.items()
    ]
    found = {
        "ranx": version("ranx"),
        "weights": WEIGHTS,
        "segments": SEGMENTS,
        "window": WINDOW,
        "train": train,
        "qrels": qrels,
        "runs": runs,
        "full": full,
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    body = ",\n".join(json.dumps(case) for case in cases)
    (HERE / "recorded_fusion.json").write_text("{" + ",\n".join([*lines, f'"cases": [\n{body}\n]']) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
