"""Preferences and judgment groups as measures of `evaluate`: worked examples, values of trec_eval, wrong input."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.paths import TESTS
from helpers.recorded_trec_eval import printed, read_lines

import rankscope as rs
from rankscope.errors import InputError, ParameterError
from rankscope.measures import MEASURES
from rankscope.measures.diversity import Diversity
from rankscope.measures.names import TREC_GROUP_NAMES, expand_trec, trec_name

#: What the tests see of the table, before any test adds to it.
ALL = dict(MEASURES)
FOLDER = TESTS / "reference" / "trec_eval" / "groups"

#: Two people: ann prefers a to b to c, and bob c to a; d was judged by bob alone, and not relevant.
PEOPLE = {"ann": {"a": 2, "b": 1, "c": 0}, "bob": {"c": 2, "a": 1, "d": 0}}
#: b is not retrieved. Of ann's preferences a > b, a > c, b > c the first two are fulfilled; of bob's c > a, c > d and
#: a > d the last two. Those of two retrieved documents: a > c of ann, all of bob.
LIST = ["a", "c", "d"]
EXAMPLES = [
    ("NumPrefs", 3 + 3),
    ("NumPrefs(among='retrieved')", 1 + 3),
    ("NumPrefsFul", 2 + 2),
    ("NumPrefsFul(among='retrieved')", 1 + 2),
    ("Prefs", 4 / 6),
    ("Prefs(among='retrieved')", 3 / 4),
    ("Prefs(among='implied')", 4 / 6),
    # a and c: one of two agrees; ab, cd and ad: fulfilled; bc: not
    ("PrefsPair", (1 / 2 + 1 + 1 + 1 + 0) / 5),
    ("PrefsPair(among='retrieved')", (1 / 2 + 1 + 1) / 3),
    ("PrefsJG", (2 / 3 + 2 / 3) / 2),
    ("PrefsJG(among='retrieved')", (1 / 1 + 2 / 3) / 2),
    # two relevant documents and one that is not: each relevant one that was retrieved is preferred to one more
    ("PrefsJGR", ((2 + 1) / (3 + 2) + (2 + 2) / (3 + 2)) / 2),
    # of ann's retrieved ones one is relevant, and one is not
    ("PrefsJGR(among='retrieved')", ((1 + 0) / (1 + 0) + (2 + 2) / (3 + 2)) / 2),
    # ann: a at 1, b missed; bob: a at 1 and c at 2
    ("AP_JG", ((1 / 1) / 2 + (1 / 1 + 2 / 2) / 2) / 2),
    ("AP_JG(rel=2)", (1 / 1 + 1 / 2) / 2),
    ("P_JG@2", (1 / 2 + 2 / 2) / 2),
    ("Rprec_JG", (1 / 2 + 2 / 2) / 2),
    ("Rprec_JG(mult=0.5)", (1 / 1 + 1 / 1) / 2),
]


@pytest.mark.parametrize(("measure", "expected"), EXAMPLES)
def test_a_worked_example_of_groups(measure: str, expected: float) -> None:
    run = {"q": {doc: -float(place) for place, doc in enumerate(LIST)}}
    assert rs.evaluate({"q": PEOPLE}, run, measure).overall(measure) == pytest.approx(expected, rel=1e-13)


def test_every_measure_of_groups_has_a_worked_example() -> None:
    expected = {name for name, kind in ALL.items() if kind.needs_subtopics and not issubclass(kind, Diversity)}
    assert {rs.parse_measure(name).name for name, _ in EXAMPLES} == expected


def test_names_of_trec_eval_name_them() -> None:
    for stem in TREC_GROUP_NAMES:
        for name, measure in expand_trec(stem, None):
            assert trec_name(measure) == name
            assert rs.parse_measure(name) == measure


@pytest.mark.parametrize(
    ("case", "kind"), [("prefs1", "prefs"), ("prefs3", "prefs"), *((f"prefs{i}", "groups") for i in (1, 2, 3))]
)
def test_evaluating_files_gives_what_trec_eval_printed(case: str, kind: str) -> None:
    lines = [line for line in read_lines(FOLDER / f"{case}.{kind}.v10.txt") if line.measure not in ("runid", "num_q")]
    measures = {line.measure: rs.parse_measure(line.measure) for line in lines}
    run = rs.read_run(FOLDER / f"{case}.run").frame().sort("query_id", "doc_id")
    # For preferences the tool ranks documents of one score by their ids, rising.
    ties = "file" if kind == "prefs" else "doc_id_desc"
    scores = rs.evaluate(FOLDER / f"{case}.{kind}", rs.Run(run), list(measures.values()), ties=ties)
    values = {(r.measure, r.query): r.value for r in scores.records(by_query=True)}
    for line in lines:
        measure = measures[line.measure]
        value = scores.overall(measure) if line.query == "all" else values[str(measure), line.query]
        assert printed(measure, value) == line.value, line


def test_preferences_are_detected_by_their_five_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # a over b over c, and b over d in another sub-group: a over d follows
    Path("judgments").write_text("q u s a 3\nq u s b 2\nq u s c 0\nq u t b 5\nq u t d 4\n")
    Path("run").write_text("".join(f"q Q0 {doc} 0 {-place} run\n" for place, doc in enumerate("acb")))
    scores = rs.evaluate("judgments", "run", ["NumPrefs", "prefs_num_prefs_ful", "DCG@1"])
    # b > c is not fulfilled; other measures take the highest level of a document for its grade
    assert scores.values.ravel().tolist() == [5, 4, 3]


def test_preferences_in_a_table_have_a_column_subgroup() -> None:
    names = ("query_id", "subtopic", "subgroup", "doc_id", "relevance")
    rows = [("q", "u", "s", "a", 3), ("q", "u", "s", "b", 2), ("q", "u", "t", "b", 5), ("q", "u", "t", "d", 4)]
    qrels = rs.Qrels([dict(zip(names, row, strict=True)) for row in rows])
    for judgments in (qrels, rs.Qrels(qrels.frame())):
        scores = rs.evaluate(judgments, {"q": {"a": 3.0, "b": 2.0, "d": 1.0}}, ["NumPrefs", "Prefs"])
        assert scores.values.ravel().tolist() == [3, 1]  # a over b over d


def test_a_document_is_ranked_by_the_tie_rule_of_all_measures() -> None:
    qrels, run = {"q": {"u": {"a": 1, "b": 0}}}, {"q": {"a": 1.0, "b": 1.0}}
    assert rs.evaluate(qrels, run, ["Prefs", "RR"]).values.ravel().tolist() == [0.0, 0.5]
    assert rs.evaluate(qrels, run, ["Prefs", "RR"], ties="file").values.ravel().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("measure", ["AP_IA", "AP_JG"])
def test_preferences_by_sub_group_are_no_grades(tmp_path: Path, measure: str) -> None:
    (tmp_path / "prefs").write_text("q u s a 1\nq u t a 2\nq u t b 0\n")
    with pytest.raises(ParameterError, match=r"preferences by sub-group, expected one grade .*; use Prefs"):
        rs.evaluate(tmp_path / "prefs", {"q": {"a": 1.0}}, measure)


def test_judgments_without_groups_are_refused() -> None:
    with pytest.raises(InputError, match=r"Prefs needs judgments by subtopic"):
        rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "Prefs")
    hits = rs.hits_of({"q": {"a": 1}}, {"q": {"a": 1.0}})
    for name in ("Prefs", "AP_JG"):
        with pytest.raises(ParameterError, match="hold no groups"):
            rs.parse_measure(name)(hits)


@pytest.mark.parametrize("name", ["NumPrefsFul(among='implied')", "PrefsJGR(among='implied')", "Prefs(among='some')"])
def test_an_unknown_kind_of_preferences_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=r"among is '(implied|some)', expected 'all' or 'retrieved'"):
        rs.parse_measure(name)
