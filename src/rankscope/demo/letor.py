"""Simulated files for learning to rank: features of products; LETOR's labels with features, and predictions.

The appeal of a product is latent. Features show parts of it: two only together, one only in the middle of its range,
and two not at all. So a linear ranker does well, and one with hidden layers better.

demo-letor.txt holds all queries; demo-train.txt, demo-valid.txt and demo-test.txt the same lines, by query.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankscope.demo.collection import SYSTEMS, make_collection

__all__ = [
    "PREDICTED",
    "feature_files",
    "letor_files",
]


QUERIES, FEWEST, MOST = 100, 10, 15
#: The features, in the order of the columns.
FEATURES = ("text_match", "title_match", "clicks", "price", "rating", "reviews", "age", "image_size")
#: The quantiles of the appeal from which documents have the grades 1 and 2.
GRADES = (0.65, 0.9)


def feature_files(seed: int) -> dict[str, str]:
    """demo-features.csv: query_id, doc_id, relevance and the features; a line a product, those of a query together."""
    rng = np.random.default_rng([seed, 7])  # a stream of its own
    sizes = rng.integers(FEWEST, MOST + 1, QUERIES)
    n = int(sizes.sum())
    text, title, clicks, price, rating, reviews, age, image = rng.uniform(size=(len(FEATURES), n))
    appeal = 1.2 * text + 0.6 * title + 0.8 * clicks
    appeal += 1.6 * (rating - 0.5) * (reviews > 0.4)  # a rating counts where there are many reviews
    appeal -= 3.0 * (price - 0.45) ** 2  # neither cheap nor dear
    appeal += 0.3 * np.repeat(rng.normal(size=QUERIES), sizes) + 0.25 * rng.normal(size=n)
    grade = np.searchsorted(np.quantile(appeal, GRADES), appeal)
    columns = [text, title, np.round(200 * clicks**3), np.exp(1 + 5 * price), 1 + 4 * rating]
    columns += [np.round(500 * reviews**2), np.round(1000 * age), np.round(100 + 900 * image)]
    lines = [",".join(("query_id", "doc_id", "relevance", *FEATURES))]
    query = np.repeat(np.arange(1, QUERIES + 1), sizes)
    for i, values in enumerate(np.array(columns).T.tolist()):
        lines.append(f"q{query[i]:03d},P{i + 1:04d},{grade[i]},{','.join(f'{value:.6g}' for value in values)}")
    return {"demo-features.csv": "\n".join(lines) + "\n"}


#: The systems with files of predictions for all queries, and for the test queries.
PREDICTED, TESTED = ("bm25", "rerank"), ("rerank", "hybrid")
#: How many queries there are for training, validation and test.
SPLIT = {"train": 20, "valid": 10, "test": 20}
UNRANKED = 0.0
HIGHEST = 2  # the highest grade that LETOR's scripts accept


def letor_files(seed: int) -> dict[str, str]:
    """demo-letor.txt, a line a judged document in the form of LETOR 4.0, and for some systems their predictions; the
    same split by query to train on, to validate and to test.

    The features are the scores of all systems, scaled to 0 to 1 within each query; 0 for documents not retrieved.
    """
    collection = make_collection(seed)
    texts: dict[str, list[str]] = {"demo-letor.txt": []}
    splits = [split for split, n in SPLIT.items() for _ in range(n)]
    for split, (query, judgments) in zip(splits, collection.qrels.items(), strict=True):
        scaled = {name: scale(collection.runs[name].get(query, {})) for name in SYSTEMS}
        for doc, grade in judgments.items():
            features = " ".join(f"{i}:{scaled[name].get(doc, UNRANKED):.6f}" for i, name in enumerate(SYSTEMS, 1))
            line = f"{min(grade, HIGHEST)} qid:{query} {features} #docid = {doc} inc = 1 prob = 1"
            texts["demo-letor.txt"].append(line)
            texts.setdefault(f"demo-{split}.txt", []).append(line)
            for prefix, names in (("letor", PREDICTED), ("test", TESTED if split == "test" else ())):
                for name in names:
                    lines = texts.setdefault(f"demo-{prefix}-{name}.txt", [])
                    lines.append(f"{scaled[name].get(doc, UNRANKED):.6f}")
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


def scale(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores of a list mapped to 0 (its last document) to 1 (its first)."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {doc: (score - low) / (high - low or 1.0) for doc, score in scores.items()}
