"""Properties that orders of consensus should have, of every method that has them: helpers/consensus_methods.py."""

import numpy as np
import pytest
from helpers.consensus_methods import PROPERTIES, TABLE, changed, some_votes
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.consensus import METHODS


def test_every_method_is_in_the_table_and_says_what_its_score_is():
    listed = {type(entry.method) for entry in TABLE}
    assert listed == set(METHODS.values()), "add a line to TABLE of tests/helpers/consensus_methods.py"
    silent = [entry.method.name for entry in TABLE if not entry.method.describe_score()]
    assert silent == [], "say in `meaning` what a score is"


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: str(entry.method))
@examples(12, quick=4)
@given(data=st.data())
def test_a_method_has_its_properties(entry, data):
    votes = data.draw(some_votes(ties=entry.ties, partial=entry.partial))
    if entry.equal:
        votes = changed(votes, weights=np.ones(len(votes.weights)))
    for name in entry.properties:
        PROPERTIES[name](entry.method, votes)
