"""Scores out of the air, and gates on given differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Gate, Scores, gate


def made(values: Any, measure: str = "AP", system: str = "new") -> Scores:
    """Scores of one system and measure, out of the air."""
    array = np.atleast_2d(np.asarray(values, float))[:, None]
    flags = np.isnan(array[:, 0])
    return Scores(
        systems=(system,) if len(array) == 1 else tuple(f"{system}{s}" for s in range(len(array))),
        measures=tuple(rs.parse_measures([measure])),
        query_ids=tuple(f"q{i}" for i in range(array.shape[2])),
        values=array,
        missing=flags,
        undefined=flags[:1],
        settings={"queries": str(array.shape[2])},
        measure_settings=({},),
    )


def with_lists(scores: Scores, changed: int = 0) -> Scores:
    """The scores with hashes of lists, of which the first are others."""
    lists = np.arange(scores.values.size, dtype=np.uint64).reshape(scores.values.shape) % scores.values.shape[2]
    lists[..., :changed] += np.uint64(1_000_000)
    return replace(scores, lists=lists)


def gated(differences: Any, *, margin: float = 0.02, measure: str = "AP", **options: Any) -> Gate:
    """The new system has these differences to a baseline of which all values are 1/2."""
    differences = np.asarray(differences, float)
    old = made(np.full(differences.size, 0.5), measure, "old")
    return gate(made(0.5 + differences, measure), old, margin=margin, **options)


#: Differences, not all of them one.
samples = st.lists(st.integers(-40, 40).map(lambda i: i / 100), min_size=3, max_size=25).filter(
    lambda d: len(set(d)) > 1
)
