"""A table of ranks, made up: where three ways to rank authors put those who are known to be good."""

from __future__ import annotations

import numpy as np

__all__ = ["TOTAL", "entity_files"]

#: Authors that were ranked in all.
TOTAL = 5000
KNOWN = 24
#: How far up each way puts the known ones: the mean of the logarithm of their ranks, best first.
WAYS = {"pagerank": 4.0, "h-index": 4.6, "citations": 5.2}
TIED = "h-index"  # of which many authors have the same: ranks are means of tied ones


def entity_files(seed: int) -> dict[str, str]:
    """demo-ranks.tsv: a header of systems, then a known author a line, with the rank in each."""
    rng = np.random.default_rng([seed, 1])  # a stream of its own
    latent = rng.normal(size=KNOWN)
    columns = []
    for name, level in WAYS.items():
        logs = level + 0.8 * latent + 0.8 * rng.normal(size=KNOWN)
        ranks = np.clip(np.floor(np.exp(logs)), 1, TOTAL - KNOWN)
        ranks[np.argsort(ranks, kind="stable")] += np.arange(KNOWN)  # no two alike
        if name == TIED:
            ranks = np.floor(ranks / 10) * 10 + 4.5
        columns.append([f"{rank:g}" for rank in ranks])
    lines = ["\t".join(["author", *WAYS])]
    lines += ["\t".join([f"A{i:02d}", *row]) for i, row in enumerate(zip(*columns, strict=True), 1)]
    return {"demo-ranks.tsv": "\n".join(lines) + "\n"}
