"""Evaluation where queries have groups, clusters and weights: means, bounds, the tidy table, saved scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.reporting.tables import FORMATS, render_scores

IDS = ("q1", "q2", "q3", "q4", "q5")
QRELS = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}, "q3": {"a": 2}, "q4": {"b": 1, "c": 0}, "q5": {"a": 1}}
GOOD = rs.Run({q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in IDS}, name="good")
POOR = rs.Run({q: {"c": 3.0, "b": 2.0, "a": 1.0} for q in IDS[:4]}, name="poor")
GROUPS = ["head", "tail", "head", "tail", "tail"]
WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0, 10.0])


def scores(measures: Any = ("RR", "P@2", "NumRet"), **options: Any) -> rs.Scores:
    return rs.evaluate(QRELS, [GOOD, POOR], list(measures), **options)


def known(table: rs.Scores, **columns: Any) -> rs.Scores:
    return table.with_queries({"query": list(IDS), **columns})


def chosen(name: str) -> Any:
    return np.array(GROUPS) == name


# Means


def test_means_are_weighted_and_sums_are_not() -> None:
    plain, found = scores(), known(scores(), weight=WEIGHTS)
    for measure in ("RR", "P@2"):
        expected = (plain.matrix(measure) * WEIGHTS).sum(axis=1) / 20
        np.testing.assert_allclose(found.summary(measure), expected)
    assert found.summary("NumRet").tolist() == plain.summary("NumRet").tolist()
    assert mentions(found.notes, "NumRet", "sums", "without weights")


def test_a_group_has_the_mean_of_its_queries() -> None:
    plain, found = scores(), known(scores(), group=GROUPS)
    for name in ("head", "tail"):
        assert_same_bits(found.summary("RR", group=name), plain.matrix("RR")[:, chosen(name)].mean(axis=1))
        assert found.overall("NumRet", "good", group=name) == 3 * chosen(name).sum()
    assert_same_bits(found.summary("RR"), plain.summary("RR"))


def test_a_group_has_the_weighted_mean_of_its_queries() -> None:
    plain, found = scores(), known(scores(), group=GROUPS, weight=WEIGHTS)
    expected = np.average(plain.matrix("RR")[:, chosen("tail")], axis=1, weights=WEIGHTS[chosen("tail")])
    np.testing.assert_allclose(found.summary("RR", group="tail"), expected)


def test_a_geometric_mean_is_weighted_by_logarithms() -> None:
    values = [0.5, 0.25, 1.0, 0.125, 0.5]
    table = rs.Scores.of({"x": dict(zip(IDS, values, strict=True))}, measures="GMAP")
    found = known(table, weight=WEIGHTS)
    assert found.overall("GMAP") == pytest.approx(np.exp(WEIGHTS @ np.log(values) / WEIGHTS.sum()))


def test_weights_of_large_sums_and_of_geometric_means_warn_of_nothing() -> None:
    values = dict.fromkeys(IDS, 1e6)
    table = rs.Scores.of({"x": {q: {"NumRel": v, "GMAP": 0.5} for q, v in values.items()}})
    found = known(table, weight=WEIGHTS)
    assert (found.overall("NumRel"), found.overall("GMAP")) == (5e6, pytest.approx(0.5))


def test_a_query_without_a_value_has_no_weight_either() -> None:
    table = scores(["RR"], missing="drop")  # poor lacks q5, which has half of all weight
    found = known(table, weight=WEIGHTS, group=GROUPS)
    expected = np.average(table.matrix("RR")[1, :4], weights=WEIGHTS[:4])
    assert found.overall("RR", "poor") == pytest.approx(expected)


def test_bounds_are_weighted_and_by_group_too() -> None:
    run = rs.Run({q: {"x": 4.0, "a": 3.0, "b": 2.0} for q in IDS}, name="r")
    plain = rs.evaluate(QRELS, run, ["P@2"], unjudged="bounds")
    found = known(plain, weight=WEIGHTS, group=GROUPS)
    assert plain.bounds is not None
    for name, part in ((None, slice(None)), ("head", chosen("head"))):
        expected = [np.average(end[part], weights=WEIGHTS[part]) for end in plain.bounds[:, 0, 0]]
        np.testing.assert_allclose(found.overall_bounds("P@2", group=name), expected)


def test_clusters_change_no_value_and_stand_in_the_signature() -> None:
    plain, found = scores(), known(scores(), cluster=list("aabbc"))
    assert list(found.records(by_query=True)) == list(plain.records(by_query=True))
    assert str(found).replace(" | clusters:3", "") == str(plain)


# Tables


def test_the_tidy_table_has_a_row_for_each_group_before_that_of_all() -> None:
    found = known(scores(["RR"]), group=GROUPS)
    assert found.columns == ("system", "measure", "query", "group", "value")
    rows = list(found.records())
    assert [(row.system, row.query, row.group) for row in rows] == [  # type: ignore[union-attr]
        (system, "all", group) for system in ("good", "poor") for group in ("head", "tail", "all")
    ]
    assert rows[1].value == found.overall("RR", "good", group="tail")
    each = [row for row in found.records(by_query=True) if row.query != "all"]
    assert [(row.query, row.group) for row in each][:5] == list(zip(IDS, GROUPS, strict=True))  # type: ignore[union-attr]
    assert tuple(found.frame().columns) == found.columns


def test_bounds_stand_behind_the_value() -> None:
    found = known(scores(["P@2"], unjudged="bounds"), group=GROUPS)
    assert found.columns == ("system", "measure", "query", "group", "value", "low", "high")
    assert all(len(row) == 7 for row in found.records(by_query=True))


def test_the_table_for_people_counts_the_queries_of_each_group() -> None:
    found = known(scores(["RR"]), group=GROUPS)
    heading, *rows = found.cells()
    assert heading == ["system", "group", "queries", "RR"]
    assert [row[1:3] for row in rows[:3]] == [["head", "2"], ["tail", "3"], ["all", "5"]]
    heading, *rows = found.cells(by_query=True)
    assert heading == ["system", "query", "group", "RR"]
    assert [row[1:3] for row in rows[:8]] == [
        *map(list, zip(IDS, GROUPS, strict=True)),
        *[["all", g] for g in ("head", "tail", "all")],
    ]
    assert found.sections()[0].table.n_name_columns == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "trec"])
@pytest.mark.parametrize("by_query", [False, True])
def test_every_format_holds_the_values_of_groups(form: str, by_query: bool) -> None:
    text = render_scores(known(scores(["RR"]), group=GROUPS, weight=WEIGHTS), form, by_query=by_query)
    assert "tail" in text


def test_the_format_of_trec_eval_has_weighted_means_and_no_groups() -> None:
    weighted = known(scores(["RR"]), weight=WEIGHTS)
    text = render_scores(weighted, "trec")
    assert f"recip_rank            \tall\t{weighted.overall('RR', 'poor'):.4f}" in text
    with pytest.raises(ParameterError) as raised:
        render_scores(known(scores(["RR"]), group=GROUPS), "trec")
    assert mentions(raised.value, "trec", "groups")


# Files and errors


def test_saved_scores_keep_all_three(tmp_path: Path) -> None:
    found = known(scores(), group=GROUPS, cluster=list("aabbc"), weight=WEIGHTS)
    rs.write_scores(found, tmp_path / "s.parquet")
    again = rs.read_scores(tmp_path / "s.parquet")
    assert dict(again.query_columns) == dict(found.query_columns)
    assert list(again.records()) == list(found.records())
    assert (str(again), again.signature()) == (str(found), found.signature())


def test_a_file_of_scores_brings_its_own(tmp_path: Path) -> None:
    known(scores(), group=GROUPS, weight=WEIGHTS).frame().write_csv(tmp_path / "scores.csv")
    again = rs.read_scores(tmp_path / "scores.csv")
    assert again.queries.group == tuple(GROUPS)
    assert_same_numbers(again.summary("RR"), known(scores(), weight=WEIGHTS).summary("RR"))


def test_an_unknown_group_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"'haed'.*\bhead\b"):
        known(scores(), group=GROUPS).summary("RR", group="haed")


def test_a_group_called_all_is_refused() -> None:
    with pytest.raises(InputError) as raised:
        known(scores(), group=["all", *GROUPS[1:]])
    assert mentions(raised.value, "'all'")


@pytest.mark.parametrize(
    ("weight", "named"), [(0.0, "row 0"), (-1.0, "row 0"), (float("inf"), "row 0"), (1e9, "'q1' has 100 %")]
)
def test_weights_without_sense_are_refused(weight: float, named: str) -> None:
    with pytest.raises(InputError) as raised:
        known(scores(), weight=[weight, 1, 1, 1, 1])
    assert mentions(raised.value, "weight", named)
