"""Favour for families from files and objects: which judges and families, ranks, language pairs, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope import MetricScores, PairScores, Rankings
from rankscope.agreement import favour
from rankscope.agreement.favouritism import favour_contrast, spread_within_queries
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.stats import adjust_pvalues

NAMES = tuple("ABCDEF")
FAMILIES = {"A": "x", "B": "x", "C": "y", "D": "y"}


def scored(name, values, pair="", higher=True):
    segments = tuple(map(str, range(values.shape[1])))
    return MetricScores(name, {pair: PairScores(NAMES, segments, values)}, higher)


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(2)
    quality = np.array([1.0, 0, 1, 0, 1, 0])[:, None] + rng.normal(size=(6, 30))
    people = quality + rng.normal(size=(6, 30))
    kin = 10 * (quality + rng.normal(size=(6, 30))) + np.array([[15.0], [15], [0], [0], [0], [0]])
    return people, kin, quality + rng.normal(size=(6, 30))


def test_each_judge_and_family_is_its_contrast_and_all_are_corrected_together(tables):
    people, kin, fair = tables
    found = favour(scored("p", people), [scored("kin", kin), scored("fair", -fair, higher=False)], families=FAMILIES)
    assert (found.judges, found.families, found.others) == (("kin", "fair"), ("x", "y"), ("E", "F"))
    assert found.systems == (("A", "B"), ("C", "D"))
    pvalues = []
    for j, table in enumerate((kin, fair)):
        for f, rows in enumerate(([0, 1], [2, 3])):
            contrast = favour_contrast(people, table, np.isin(np.arange(6), rows))
            scale = spread_within_queries(table)
            assert found.favour[j, f] == pytest.approx(contrast.favour / scale)
            assert found.by_judge[j, f] - found.expected[j, f] == pytest.approx(found.favour[j, f])
            assert found.by_people[j, f] == pytest.approx(contrast.by_people / spread_within_queries(people))
            assert found.n[j, f] == 30
            pvalues.append(contrast.pvalue)
    assert found.pvalue.ravel() == pytest.approx(pvalues)
    assert found.pvalue_corrected.ravel() == pytest.approx(adjust_pvalues(pvalues, method="holm").pvalue)
    assert found.pvalue_corrected[0, 0] < 0.05 < found.pvalue_corrected[1].min()
    assert mentions(str(found), "kin favours x", "correction:holm (4 tests)", "higher:p,kin", "lower:fair")
    assert len(list(found.records())) == 4


def test_own_families_only_and_two_families_that_are_all_systems(tables):
    people, kin, fair = tables
    judges = [scored("kin", kin), scored("fair", fair)]
    own = favour(scored("p", people), judges, families={**FAMILIES, "kin": "x"}, own=True)
    assert [row[:2] for row in own.records()] == [("kin", "x")]
    assert own.pvalue_corrected[0, 0] == own.pvalue[0, 0]
    assert np.isnan(own.pvalue[1]).all()
    assert mentions(own.notes, "fair", "not tested")
    halves = favour(scored("p", people), judges, families={name: "xxyyyy"[i] for i, name in enumerate(NAMES)})
    assert [row[:2] for row in halves.records()] == [("kin", "x"), ("fair", "x")]
    assert mentions(halves.notes, "disfavour")
    with pytest.raises(ParameterError, match="no judge has a family"):
        favour(scored("p", people), judges, families=FAMILIES, own=True)


def test_queries_of_all_language_pairs_count_alike(tables):
    people, kin, _ = tables
    halves = [
        MetricScores(
            name, {pair: PairScores(NAMES, tuple(map(str, range(15))), table[:, part]) for pair, part in
                   (("a-b", slice(15)), ("b-a", slice(15, 30)))}
        )
        for name, table in (("p", people), ("kin", kin))
    ]  # fmt: skip
    found = favour(halves[0], halves[1], families=FAMILIES)
    together = favour(scored("p", people), scored("kin", kin), families=FAMILIES)
    assert found.favour == pytest.approx(together.favour)
    assert found.pvalue == pytest.approx(together.pvalue)


def test_ranks_are_shares_of_won_comparisons_with_ties_as_half():
    lists = [{"A": 1, "B": 2, "C": 2, "D": 4}, {"A": 1, "B": 1, "C": 3, "D": 2}] * 6
    judged = Rankings.of(lists, name="rank")
    shares = np.array([[1, 2.5 / 3], [1.5 / 3, 2.5 / 3], [1.5 / 3, 0], [0, 1 / 3]])
    people = np.tile(shares, 6)
    judge = people + np.random.default_rng(1).normal(size=people.shape)
    judged = judged.with_column("judge", judge.T.ravel(), higher_is_better=True)
    found = favour(judged, families={"A": "x", "C": "x"})
    contrast = favour_contrast(people, judge, np.array([True, False, True, False]))
    assert found.favour[0, 0] * found.scale[0] == pytest.approx(contrast.favour)
    assert found.rule == "shares"


def test_families_of_a_table_and_scores_by_measures(tmp_path, tables):
    people, kin, _ = tables
    values = np.stack([people, kin], axis=1)
    rows = "".join(
        f"{NAMES[s]},{q},{('human', 'kin')[m]},{float(values[s, m, q])!r}\n" for s, m, q in np.ndindex(values.shape)
    )
    (tmp_path / "scores.csv").write_text("system,query,measure,value\n" + rows)
    (tmp_path / "families.csv").write_text("model,vendor\nA,x\nB,x\nC,y\nD,y\nZ,z\nA,x\n")
    found = favour(tmp_path / "scores.csv", families=tmp_path / "families.csv")
    assert found.favour == pytest.approx(favour(scored("p", people), scored("kin", kin), families=FAMILIES).favour)
    assert mentions(found.notes, "1 system that nobody judged")
    scores = rs.read_scores(tmp_path / "scores.csv")
    assert favour(scores, families=FAMILIES).pvalue == pytest.approx(found.pvalue)
    (tmp_path / "families.csv").write_text("system,family\nA,x\nA,y\n")
    with pytest.raises(InputError) as raised:
        favour(scores, families=tmp_path / "families.csv")
    assert mentions(raised.value, "families.csv:3", "'A'", "'y'", "'x'")


def test_data_that_cannot_tell_are_said_to_be_so(tables):
    people, kin, _ = tables
    found = favour(scored("p", people[:, :3]), scored("kin", kin[:, :3]), families=FAMILIES)
    assert mentions(str(found), "fewer than 4 queries")
    rng = np.random.default_rng(1)
    alike = np.array([[1.0], [1], [0], [0], [0], [0]]) + np.zeros((6, 9))
    found = favour(scored("p", alike), scored("kin", rng.normal(size=(6, 9))), families={"A": "x", "B": "x"})
    assert mentions(str(found), "no verdict", "No judge can be tested")


def test_a_favour_whose_slope_is_not_known_without_some_query_is_not_shown():
    rng = np.random.default_rng(5)
    people, judge = rng.normal(size=(6, 20)), rng.normal(size=(6, 20))  # systems are alike for people
    family = np.arange(6) < 2
    contrast = favour_contrast(people, judge, family)
    assert np.isnan(contrast.pvalue)
    assert not np.isnan(contrast.favour)  # of any size, since the slope is noise divided by noise
    found = favour(scored("p", people), scored("kin", judge), families={"A": "x", "B": "x"})
    assert np.isnan([found.expected, found.favour, found.slope, found.low, found.pvalue]).all()
    assert found.by_judge[0, 0] == pytest.approx(contrast.by_judge / spread_within_queries(judge))
    assert mentions(str(found), "no verdict")


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"families": {"A": "x", "b": "x"}}, UnknownName, ["'b'", "B"]),
        ({"families": {"kin": "x"}}, InputError, ["no system belongs"]),
        ({"families": dict.fromkeys(NAMES, "x")}, InputError, ["all systems are of the family x"]),
        ({"families": {}}, ParameterError, ["families"]),
        ({"families": {"A": 1}}, ParameterError, ["families"]),
        ({"alpha": 0.7}, ParameterError, ["alpha"]),
        ({"scores": MetricScores.of("kin", {"": dict.fromkeys(NAMES, 1.0)})}, InputError, ["kin", "systems only"]),
        ({"scores": scored("flat", np.tile(np.arange(30.0), (6, 1)))}, InputError, ["flat"]),
    ],
)  # fmt: skip
def test_wrong_input_is_refused(tables, change, error, words):
    options = {"scores": scored("kin", tables[1]), "families": FAMILIES, **change}
    with pytest.raises(error) as raised:
        favour(scored("p", tables[0]), **options)
    assert mentions(raised.value, *words)
