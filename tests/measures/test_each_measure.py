"""The properties that need one or two evaluations, a test for each measure, on six queries.

`test_all_measures.py` tries many more cases, with all measures in one test: too slow for judging mutants one by one.
"""

from __future__ import annotations

import pytest
from measures.properties import check_ideal, check_plain, check_range, check_rel, check_used
from measures.table import FORMS, TABLE
from measures.test_all_measures import CHECKS
from strategies import random_case

CASE = random_case(1, 6, scores=None)


@pytest.mark.parametrize("name", TABLE)
def test_a_measure_has_its_properties(name: str) -> None:
    check_range([m for m in FORMS if m.name == name], CASE)
    for check in (check_rel, check_used, check_plain, check_ideal):
        check([m for m in CHECKS[check][0] if m.name == name], CASE)
