"""Fusion that learns, in loops over queries and documents, as the formulas stand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from helpers.naive_fusion import Lists, ranked, scaled

Grades = Mapping[str, Mapping[str, int]]
Learned = list[Any]
LEVELS = [(1, 5), (6, 10), (11, 15), (16, 20), (21, 30), (31, 100), (101, 200), (201, 500), (501, 1000)]


def learned(method: str, runs: Sequence[Lists], qrels: Grades, setting: Mapping[str, Any]) -> Learned:
    """For each run what the method learns from it."""
    queries = [query for query in dict.fromkeys(query for run in runs for query in run) if query in qrels]
    pooled = {query: {doc for run in runs for doc in run.get(query, {})} for query in queries}
    found = []
    for run in runs:
        # (docs, judgments) of each list that it has
        lists = [(ranked(run[query]), qrels[query], pooled[query]) for query in queries if run.get(query)]
        if method == "map-fuse":
            found.append(sum(precision(docs, grades) for docs, grades, _ in lists) / len(queries))
        elif method in ("pos-fuse", "slide-fuse"):
            deepest = max((len(docs) for docs, *_ in lists), default=0)
            reaching = [[is_relevant(docs[r], g) for docs, g, _ in lists if len(docs) > r] for r in range(deepest)]
            found.append([fmean(one) for one in reaching])
        elif method == "prob-fuse":
            found.append(of_segments(lists, setting["segments"], setting.get("judged_only", 0)))
        elif method == "seg-fuse":
            found.append([of_ranks(lists, 5 * (2**k - 1) + 1, 5 * (2 ** (k + 1) - 1)) for k in range(10)])
        else:
            found.append(smoothed(lists) if setting.get("smoothed") else odds(lists))
    return found


def is_relevant(doc: str, grades: Mapping[str, int]) -> bool:
    return grades.get(doc, 0) >= 1


def precision(docs: list[str], grades: Mapping[str, int]) -> float:
    relevant = sum(grade >= 1 for grade in grades.values())
    hits = [rank for rank, doc in enumerate(docs, 1) if is_relevant(doc, grades)]
    return sum((i + 1) / rank for i, rank in enumerate(hits)) / relevant if relevant else 0.0


def of_segments(lists: list[Any], segments: int, judged_only: int) -> list[float]:
    found = [0.0] * segments
    for docs, grades, _ in lists:
        step = math.ceil(len(docs) / segments)
        for k in range(segments):
            part = docs[k * step : (k + 1) * step]
            if judged_only:
                part = [doc for doc in part if grades.get(doc, -1) >= 0]
            if part:
                found[k] += sum(is_relevant(doc, grades) for doc in part) / len(part) / len(lists)
    return found


def of_ranks(lists: list[Any], first: int, last: int) -> float:
    """The share of relevant documents of all these ranks."""
    hits = sum(is_relevant(doc, grades) for docs, grades, _ in lists for doc in docs[first - 1 : last])
    return hits / ((last - first + 1) * len(lists)) if lists else 0.0


def odds(lists: list[Any]) -> list[float]:
    shares = [of_ranks(lists, first, last) for first, last in LEVELS] + [0.001]
    return [math.log(s / (1 - s)) for s in ({0: 0.001, 1: 0.999}.get(share, share) for share in shares)]


def smoothed(lists: list[Any]) -> list[float]:
    found = []
    for first, last in [*LEVELS, (None, None)]:
        hits = there = 0
        for docs, grades, pooled in lists:
            part = docs[first - 1 : last] if first and last else [doc for doc in pooled if doc not in docs[:1000]]
            hits += sum(is_relevant(doc, grades) for doc in part)
            there += len(part)
        found.append(math.log((hits + 0.5) / (there - hits + 0.5)))
    return found


def applied(
    method: str, runs: Sequence[Lists], known: Learned, setting: Mapping[str, Any], how: str
) -> dict[str, dict[str, float]]:
    """{query: {document: fused score}}. known: of the weighted methods, the weights."""
    found: dict[str, dict[str, float]] = {}
    for query in dict.fromkeys(query for run in runs for query in run):
        # Of each list that there is: the rank of each document, its normalised score, what is known of the run.
        having = [
            ({doc: i for i, doc in enumerate(ranked(run[query]), 1)}, scaled(run[query], how, 0), one)
            for run, one in zip(runs, known, strict=True)
            if run.get(query)
        ]
        documents = list(dict.fromkeys(doc for ranks, *_ in having for doc in ranks))
        found[query] = {doc: of_document(method, doc, having, setting) for doc in documents}
    return found


def of_document(method: str, doc: str, having: list[Any], setting: Mapping[str, Any]) -> float:
    mine = [(ranks[doc], len(ranks), scores[doc], one) for ranks, scores, one in having if doc in ranks]
    if method in ("weighted-sum", "weighted-mnz", "mixed"):
        values = [(value, weight) for _, _, value, weight in mine]
        weighted = sum(value * weight for value, weight in values)
        if method == "weighted-mnz":
            return sum(value for value, _ in values) * sum(weight for _, weight in values)
        return weighted * (math.sqrt(len(values)) if method == "mixed" else 1)
    total = 0.0
    for rank, size, value, one in mine:
        if method == "map-fuse":
            total += one / rank
        elif method == "pos-fuse":
            total += one[rank - 1] if rank <= len(one) else 0
        elif method == "slide-fuse":
            around = range(max(1, rank - setting["window"]), min(size, rank + setting["window"]) + 1)
            total += fmean(one[r - 1] if r <= len(one) else 0.0 for r in around)
        elif method == "prob-fuse":
            segment = (rank - 1) // math.ceil(size / len(one))
            total += one[segment] / (segment + 1)
        elif method == "seg-fuse":
            total += (1 + value) * one[next(k for k in range(10) if rank <= 5 * (2 ** (k + 1) - 1))]
        else:
            total += one[next((k for k, (_, last) in enumerate(LEVELS) if rank <= last), 9)]
    if method == "bayes-fuse":
        total += sum(one[9] for ranks, _, one in having if doc not in ranks)
    return total
