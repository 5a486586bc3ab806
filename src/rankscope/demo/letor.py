"""Files for learning to rank, made from the simulated collection: labels with features, and predictions."""

from __future__ import annotations

from collections.abc import Mapping

from rankscope.demo.collection import SYSTEMS, make_collection

__all__ = ["PREDICTED", "letor_files"]

#: The systems whose scores stand in files of predictions.
PREDICTED = ("bm25", "rerank")
UNRANKED = 0.0
HIGHEST = 2  # the grade that LETOR's scripts know


def letor_files(seed: int) -> dict[str, str]:
    """demo-letor.txt, a line a judged document in the form of LETOR 4.0, and for some systems their predictions.

    The features are the scores of all systems, scaled to 0 to 1 within each query; 0 for documents not retrieved.
    """
    collection = make_collection(seed)
    labels: list[str] = []
    predictions: dict[str, list[str]] = {name: [] for name in PREDICTED}
    for query, judged in collection.qrels.items():
        scaled = {name: scale(collection.runs[name].get(query, {})) for name in SYSTEMS}
        for doc, grade in judged.items():
            features = " ".join(f"{i}:{scaled[name].get(doc, UNRANKED):.6f}" for i, name in enumerate(SYSTEMS, 1))
            labels.append(f"{min(grade, HIGHEST)} qid:{query} {features} #docid = {doc} inc = 1 prob = 1")
            for name, lines in predictions.items():
                lines.append(f"{scaled[name].get(doc, UNRANKED):.6f}")
    texts = {"demo-letor.txt": labels, **{f"demo-letor-{name}.txt": lines for name, lines in predictions.items()}}
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


def scale(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores of a list mapped to 0 (its last document) to 1 (its first)."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {doc: (score - low) / (high - low or 1.0) for doc, score in scores.items()}
