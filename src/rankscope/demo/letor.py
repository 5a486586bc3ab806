"""Files for learning to rank, made from the simulated collection: labels with features, and predictions.

demo-letor.txt holds all queries; demo-train.txt, demo-valid.txt and demo-test.txt the same lines, by query.
"""

from __future__ import annotations

from collections.abc import Mapping

from rankscope.demo.collection import SYSTEMS, make_collection

__all__ = ["PREDICTED", "letor_files"]

#: The systems whose scores stand in files of predictions, for all queries, and for those to test on.
PREDICTED, TESTED = ("bm25", "rerank"), ("rerank", "hybrid")
#: How many queries there are to train on, to say when to stop, and to test on.
SPLIT = {"train": 20, "valid": 10, "test": 20}
UNRANKED = 0.0
HIGHEST = 2  # the grade that LETOR's scripts know


def letor_files(seed: int) -> dict[str, str]:
    """demo-letor.txt, a line a judged document in the form of LETOR 4.0, and for some systems their predictions; the
    same split by query to train on, to validate and to test.

    The features are the scores of all systems, scaled to 0 to 1 within each query; 0 for documents not retrieved.
    """
    collection = make_collection(seed)
    texts: dict[str, list[str]] = {"demo-letor.txt": []}
    parts = [part for part, n in SPLIT.items() for _ in range(n)]
    for part, (query, judged) in zip(parts, collection.qrels.items(), strict=True):
        scaled = {name: scale(collection.runs[name].get(query, {})) for name in SYSTEMS}
        for doc, grade in judged.items():
            features = " ".join(f"{i}:{scaled[name].get(doc, UNRANKED):.6f}" for i, name in enumerate(SYSTEMS, 1))
            label = f"{min(grade, HIGHEST)} qid:{query} {features} #docid = {doc} inc = 1 prob = 1"
            texts["demo-letor.txt"].append(label)
            texts.setdefault(f"demo-{part}.txt", []).append(label)
            for where, names in (("letor", PREDICTED), ("test", TESTED if part == "test" else ())):
                for name in names:
                    lines = texts.setdefault(f"demo-{where}-{name}.txt", [])
                    lines.append(f"{scaled[name].get(doc, UNRANKED):.6f}")
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


def scale(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores of a list mapped to 0 (its last document) to 1 (its first)."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {doc: (score - low) / (high - low or 1.0) for doc, score in scores.items()}
