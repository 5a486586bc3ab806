"""Fusion in loops over queries and documents, as the formulas stand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median, pstdev

Lists = Mapping[str, Mapping[str, float]]


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Documents by falling score, equal ones by falling id."""
    return sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)


def scaled(scores: Mapping[str, float], how: str, candidates: int) -> dict[str, float]:
    values, order = list(scores.values()), ranked(scores)
    least, most = min(values), max(values)
    if how in ("min-max", "sum", "z-score", "min-max-inverted") and least == most:
        return dict.fromkeys(scores, 0.0)
    formula = {
        "none": lambda d: scores[d],
        "min-max": lambda d: (scores[d] - least) / (most - least),
        "min-max-inverted": lambda d: (most - scores[d]) / (most - least),
        "max": lambda d: scores[d] / most,
        "sum": lambda d: (scores[d] - least) / sum(v - least for v in values),
        "z-score": lambda d: (scores[d] - fmean(values)) / pstdev(values),
        "rank": lambda d: 1 - order.index(d) / len(order),
        "borda": lambda d: 1 - order.index(d) / candidates,
    }
    return {doc: formula[how](doc) for doc in scores}


def naive(
    runs: Sequence[Lists], method: str, normalise: str = "min-max", weights: Sequence[float] | None = None
) -> dict[str, dict[str, float]]:
    """{query: {document: fused score}}, parameters as they are by default."""
    weights = weights or [1.0] * len(runs)
    found = {}
    for query in dict.fromkeys(query for run in runs for query in run):
        having = [(run[query], w) for run, w in zip(runs, weights, strict=True) if run.get(query)]
        documents = list(dict.fromkeys(doc for scores, _ in having for doc in scores))
        found[query] = {doc: of_document(doc, documents, having, method, normalise) for doc in documents}
    return found


def of_document(
    doc: str, documents: list[str], having: list[tuple[Mapping[str, float], float]], method: str, how: str
) -> float:
    n = len(documents)
    if method == "condorcet":
        return 1 + sum(beats(doc, other, having) for other in documents if other != doc)
    if method == "borda":
        return sum(w * (n - place(s, doc) if doc in s else (n - len(s) + 1) / 2) for s, w in having)
    ranks = [(place(s, doc) + 1, w) for s, w in having if doc in s]
    isr = sum(1 / rank**2 for rank, _ in ranks)
    by_rank = {
        "rrf": sum(w / (60 + rank) for rank, w in ranks),
        "rbc": sum(w * (1 - 0.8) * 0.8 ** (rank - 1) for rank, w in ranks),
        "isr": len(ranks) * isr,
        "log-isr": math.log(len(ranks)) * isr,
        "logn-isr": math.log(len(ranks) + 0.01) * isr,
    }
    if method in by_rank:
        return by_rank[method]
    values, total = [], 0.0
    for scores, w in having:
        mine = scaled(scores, how, n)
        if doc in mine or how == "borda":
            values.append(mine.get(doc, 0.5 - (len(scores) - 1) / (2 * n)))
            total += w * values[-1]
    return {
        "comb-sum": total,
        "comb-mnz": total * len(values),
        "comb-gmnz": total * len(values),
        "comb-anz": total / len(values),
        "comb-min": min(values),
        "comb-max": max(values),
        "comb-med": median(values),
    }[method]


def place(scores: Mapping[str, float], doc: str) -> int:
    return ranked(scores).index(doc)


def beats(doc: str, other: str, having: list[tuple[Mapping[str, float], float]]) -> float:
    """1, a half or 0."""
    net = 0.0
    for scores, w in having:
        mine = place(scores, doc) if doc in scores else math.inf
        its = place(scores, other) if other in scores else math.inf
        net += w * ((mine < its) - (mine > its))
    return 1.0 if net > 1e-9 else 0.5 if net > -1e-9 else 0.0
