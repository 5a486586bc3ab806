"""Properties that orders of consensus should have, of every method that has them (the table is in every_method.py)."""

import pytest
from consensus.every_method import PROPERTIES, TABLE, some_votes
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: str(entry.method))
@settings(max_examples=12)
@given(data=st.data())
def test_a_method_has_its_properties(entry, data):
    votes = data.draw(some_votes(ties=entry.ties, partial=entry.partial))
    for name in entry.properties:
        PROPERTIES[name](entry.method, votes)
