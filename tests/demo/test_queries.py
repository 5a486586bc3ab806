"""The demo's table of queries: needs in several wordings, asked often or rarely."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict

import pytest

from rankscope.demo.collection import SEED, make_collection
from rankscope.demo.queries import OFTEN, RARELY, WORDINGS, query_files


@pytest.mark.parametrize("seed", [SEED, 1, 2])
def test_each_query_has_a_need_that_is_asked_often_or_rarely(seed: int) -> None:
    rows = list(csv.DictReader(io.StringIO(query_files(seed)["demo-queries.csv"])))
    assert [row["query"] for row in rows] == list(make_collection(seed).qrels)
    sizes = Counter(row["cluster"] for row in rows)
    assert sorted(sizes.values())[1] >= WORDINGS[0]  # the last need may have fewer
    assert max(sizes.values()) <= WORDINGS[1]
    groups = defaultdict(set)
    for row in rows:
        groups[row["cluster"]].add(row["group"])
        least, most = OFTEN if row["group"] == "head" else RARELY
        assert least <= int(row["weight"]) <= most
    assert all(len(names) == 1 for names in groups.values())
    assert {name for names in groups.values() for name in names} == {"head", "tail"}


def test_the_same_seed_gives_the_same_table() -> None:
    assert query_files(SEED) == query_files(SEED)
    assert query_files(SEED) != query_files(SEED + 1)
