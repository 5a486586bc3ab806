"""Whether two ways to evaluate gave the same: hits, scores, errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.same import assert_same_bits

from rankscope.errors import RankscopeError

ARRAYS = ("offsets", "rank", "first", "last", "relevance", "judged", "retrieved", "missing", "grades", "grade_offsets")
FORKS = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the test forks")


def assert_same_hits(one, other):
    for name in ARRAYS:
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype, name
        assert a.tobytes() == b.tobytes(), name
    assert one.query.tolist() == other.query.tolist()
    for name in ("query_ids", "max_grade", "rel", "ties", "precision", "subtopics"):
        assert getattr(one, name) == getattr(other, name), name


def assert_same_scores(one, other):
    for name in ("systems", "query_ids", "notes", "aliases", "settings", "measure_settings"):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("values", "missing", "undefined"):
        assert_same_bits({name: getattr(one, name)}, {name: getattr(other, name)})
    assert_same_bits(one.bounds, other.bounds)


def what_is_raised(call):
    try:
        call()
    except RankscopeError as error:
        return type(error), str(error)
    return None
