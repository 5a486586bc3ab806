"""Documents as numbers, made up, to learn to rank from: what a shop knows of the products found for each query.

What people want of a product is latent; the features see parts of it, two of them only together, one only in the middle
of its range, and two say nothing. So a linear ranker gets far, and one with hidden layers further.
"""

from __future__ import annotations

import numpy as np

__all__ = ["feature_files"]

QUERIES, FEWEST, MOST = 100, 10, 15
#: The features, in the order of the columns.
FEATURES = ("text_match", "title_match", "clicks", "price", "rating", "reviews", "age", "image_size")
#: From these shares of the documents on, by what people want, the grades 1 and 2.
GRADES = (0.65, 0.9)


def feature_files(seed: int) -> dict[str, str]:
    """demo-features.csv: query_id, doc_id, relevance and the features; a line a product, those of a query together."""
    rng = np.random.default_rng([seed, 7])  # a stream of its own
    sizes = rng.integers(FEWEST, MOST + 1, QUERIES)
    n = int(sizes.sum())
    text, title, clicks, price, rating, reviews, age, image = rng.uniform(size=(len(FEATURES), n))
    wanted = 1.2 * text + 0.6 * title + 0.8 * clicks
    wanted += 1.6 * (rating - 0.5) * (reviews > 0.4)  # a rating counts where there are many reviews
    wanted -= 3.0 * (price - 0.45) ** 2  # neither cheap nor dear
    wanted += 0.3 * np.repeat(rng.normal(size=QUERIES), sizes) + 0.25 * rng.normal(size=n)
    grade = np.searchsorted(np.quantile(wanted, GRADES), wanted)
    columns = [text, title, np.round(200 * clicks**3), np.exp(1 + 5 * price), 1 + 4 * rating]
    columns += [np.round(500 * reviews**2), np.round(1000 * age), np.round(100 + 900 * image)]
    lines = [",".join(("query_id", "doc_id", "relevance", *FEATURES))]
    query = np.repeat(np.arange(1, QUERIES + 1), sizes)
    for i, values in enumerate(np.array(columns).T.tolist()):
        lines.append(f"q{query[i]:03d},P{i + 1:04d},{grade[i]},{','.join(f'{value:.6g}' for value in values)}")
    return {"demo-features.csv": "\n".join(lines) + "\n"}
