"""The demo's experiment with users: two of the systems, interleaved, and what simulated users clicked in two weeks.

Users examine a list by the position-based model. Some search more than others, and each clicks more or less readily, so
that impressions of one user are not independent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from rankscope.data.run import Run
from rankscope.demo.collection import make_collection
from rankscope.online.click_models import simulate_clicks
from rankscope.online.interleaving import interleave

__all__ = [
    "click_files",
]


#: The systems that are interleaved.
SYSTEMS = ("dense", "bm25")
LISTS = 6  # of each query
LENGTH = 10
IMPRESSIONS, USERS, DAYS = 4000, 500, 14
BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
ATTRACTION = (0.05, 0.25, 0.45, 0.7)  # of documents of grade 0 to 3
UNJUDGED = 0.1
ETA = 0.8  # the exponent of the position bias


def click_files(seed: int) -> dict[str, str]:
    """demo-interleaved.jsonl, the credit record of the lists of each query; demo-clicks.jsonl, a line an impression."""
    collection = make_collection(seed)
    rng = np.random.default_rng([seed, 38])  # a stream of its own
    runs = [Run(collection.runs[name], name=name) for name in SYSTEMS]
    records = [
        {"list": f"{record['query']}-{number}", **record}
        for number in range(1, LISTS + 1)
        for record in interleave(
            runs, method="probabilistic", length=LENGTH, rng=int(rng.integers(2**31))
        ).credit_records()
    ]
    records.sort(key=lambda record: record["list"])
    attraction = np.array([attraction_of(record, collection.qrels[record["query"]]) for record in records])
    queries = np.arange(len(collection.qrels))
    query = rng.choice(queries, IMPRESSIONS, p=(weights := 1 / (queries + 5.0)) / weights.sum())
    lists = query * LISTS + rng.integers(LISTS, size=IMPRESSIONS)
    activity = rng.dirichlet(np.full(USERS, 0.5))
    user = rng.choice(USERS, IMPRESSIONS, p=activity)
    eagerness = rng.uniform(0.5, 1.4, USERS)[user]
    clicks = simulate_clicks(np.minimum(attraction[lists] * eagerness[:, None], 1), eta=ETA, rng=rng)
    seconds = np.sort(rng.integers(DAYS * 86_400, size=IMPRESSIONS))
    lines = [
        json.dumps(
            {
                "time": (BEGIN + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "user": f"u{number:03d}",
                "query": records[place]["query"],
                "list": records[place]["list"],
                "clicks": (np.flatnonzero(row) + 1).tolist(),
            }
        )
        for second, number, place, row in zip(seconds.tolist(), user.tolist(), lists.tolist(), clicks, strict=True)
    ]
    files = {"demo-interleaved.jsonl": map(json.dumps, records), "demo-clicks.jsonl": lines}
    return {name: "\n".join(file_lines) + "\n" for name, file_lines in files.items()}


def attraction_of(record: Mapping[str, Any], grades: Mapping[str, int]) -> list[float]:
    """The attraction of each document of a list, by its grade; 0 behind the end of the list."""
    chances = [ATTRACTION[grades[doc]] if doc in grades else UNJUDGED for doc in record["documents"]]
    return chances + [0.0] * (LENGTH - len(chances))
