"""In which order and under which name parameters are printed."""

from __future__ import annotations

import pytest

import rankscope as rs
from rankscope.compat.trec_eval import parse_measure_lines


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        (["P.10,5"], ["P_5", "P_10"]),
        (["P.10", "P.5"], ["P_10"]),
        (["P.05,5"], ["P_5"]),
        (["iprec_at_recall.0.5,.1"], ["iprec_at_recall_0.10", "iprec_at_recall_0.50"]),
        (["map", "P.5", "num_q"], ["num_q", "map", "P_5"]),
        (["set_F.0.5", "set_F.2"], ["set_F_0.5"]),
    ],
)
def test_lines_rise_with_their_parameter(asked: list[str], printed: list[str]) -> None:
    assert [line.printed_name for line in parse_measure_lines(asked)] == printed


@pytest.mark.parametrize("name", ["relstring.x", "relstring.0", "P.x", "P.", "iprec_at_recall.x", "rbp.q=.5"])
def test_a_parameter_that_is_none_is_told_what_was_expected(name: str) -> None:
    with pytest.raises(rs.ParameterError, match=r"expected .* as in "):
        parse_measure_lines([name])
