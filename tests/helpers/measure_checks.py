"""Which checks of `measure_properties` are made on which measures and cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import hypothesis.strategies as st
from helpers.measure_properties import (
    check_averages,
    check_best_grade,
    check_chunks,
    check_deeper,
    check_direction,
    check_ideal,
    check_input_order,
    check_missing,
    check_other_queries,
    check_plain,
    check_pure,
    check_range,
    check_rel,
    check_renaming,
    check_tail,
    check_used,
)
from helpers.measure_table import FORMS, TABLE
from helpers.strategies import Case, cases

import rankscope as rs
from rankscope.measures import MEASURES

#: The table of measures before any test or example adds to it.
ALL = dict(MEASURES)

#: A list that grows past the cutoff is not "short" any more.
TAILED = [rs.parse_measure(form) for row in TABLE.values() if row.tail for form in row.forms if "short=" not in form]
#: Measures that end at 1, which the ideal list reaches.
NORMALISED = [
    name
    for name, row in TABLE.items()
    if (ALL[name].range, ALL[name].higher_is_better, row.no_ideal) == ((0, 1), True, "")
]
#: With gains that do not rise with the grade the list in falling order of grade is no ideal one.
IDEALS = [
    rs.parse_measure(form)
    for name in NORMALISED
    for form in TABLE[name].forms
    if form not in TABLE[name].shallow and not re.search("rel=2|gains=|short=", form)
]
#: Measures that have a direction, and of which falling order of grade is the better one. (What measures of subtopics
#: see is another matter: a document of a higher grade may show fewer subtopics.)
DIRECTED = [
    m
    for m in FORMS
    if m.higher_is_better is not None
    and TABLE[m.name].falling
    and getattr(m, "gains", None) is None
    and not m.needs_subtopics
]
COUNTED = [rs.parse_measure(form) for row in TABLE.values() if row.counted for form in row.forms]
DEEPER = [row.deeper for row in TABLE.values() if row.deeper]

CHECKS: dict[Callable[..., None], tuple[Sequence[Any], st.SearchStrategy[Case]]] = {
    check_range: (FORMS, cases()),
    check_deeper: (DEEPER, cases()),
    check_renaming: (FORMS, cases(ties=False)),
    check_input_order: (FORMS, cases()),
    check_tail: (TAILED, cases()),
    check_ideal: (IDEALS, cases()),
    check_direction: (DIRECTED, cases()),
    check_chunks: (FORMS, cases()),
    check_other_queries: (FORMS, cases()),
    check_used: (COUNTED, cases()),
    check_missing: (FORMS, cases()),
    check_pure: (FORMS, cases(max_queries=2)),
    check_rel: (FORMS, cases()),
    check_plain: (FORMS, cases()),
    check_averages: (FORMS, cases(ties=False)),
    check_best_grade: (FORMS, cases()),
}
