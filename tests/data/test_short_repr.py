"""What a notebook shows of loaded data is one short line, however much it holds."""

import numpy as np
import pytest

import rankscope as rs
from rankscope.data.preferences import Preferences

N = 2000
FEATURES = rs.Features.of(np.ones((N, 3)), [1] * N, sizes=[N // 2] * 2)
HITS = rs.hits_of({"q": {str(i): 1 for i in range(N)}}, {"q": {str(i): float(i) for i in range(N)}})


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        (FEATURES, "Features('features', 2 queries, 2,000 documents, 3 features)"),
        (HITS, "Hits(1 query, 2,000 hits)"),
        (rs.Votes.of([[str(i) for i in range(N)]] * 2), "Votes(2 voters, 2,000 items)"),
        (Preferences.of([("A", "B", "A")] * N), "Preferences(2 systems, 2,000 comparisons)"),
        (
            rs.EntityRanks(ranks=np.ones((1, N)), systems=["A"], entity_ids=[str(i) for i in range(N)]),
            "EntityRanks(1 system, 2,000 entities)",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_data_is_shown_by_what_it_holds(thing, shown):
    assert repr(thing) == shown
