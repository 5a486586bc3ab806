"""Documents without judgment: not relevant, taken out, or bounds of the value beside it."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases, random_case, ranked
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.cli.main import main
from rankscope.evaluation import conventions
from rankscope.measures import MEASURES
from rankscope.reporting.tables import FORMATS, render_scores

#: What the tests see of the table, before any test adds to it.
ALL = dict(MEASURES)

#: What missing judgments bound, and what they do not (it could fall as well, or its divisor would change).
BOUNDED = [
    *("P@1", "P@3", "P(rel=2)@2", "Success@1", "Success@3", "RR", "RR@2", "RR(rel=2)", "DCG", "DCG@2"),
    *("DCG(gain='exp')@3", "DCG(discount='jk', base=3)", "ERR", "ERR@2", "ERR(gmax=4)", "RBP(p=0.8)", "RBP(p=0.5)@3"),
    *("RBP(p=0.8, rel=2)", "RBP(p=0.8, gmax=4)", "SetP", "SetP(rel=2)", "NumRelRet", "NumRelRet(rel=2)"),
    *("INSQ", "INSQ(T=3.0, gmin=1)", "SDCG@3", "SDCG(gmin=1)@2", "SDCG(depth=2)@3", "SDCG(gmax=4)@2"),
]
UNBOUNDED = [
    *("AP", "R@3", "F@3", "nDCG", "nDCG@3", "Rprec", "Bpref", "infAP", "nERR", "RBP(p=0.8, gmax='query')", "SetR"),
    *("Q", "Compat", "AUC", "DCG(gains={1: 3, 2: 1, 3: 2})", "NumRet", "NumRel", "Unj@3", "Judged@3"),
    *("INST", "BPM@3", "NERR8@3", "RBPResidual(p=0.8)", "SetF", "Utility"),
]
ALL_NAMES = ["nDCG@3", "AP", "RR", "P@3", "Bpref", "infAP", "Judged@3", "RBP(p=0.8)", "ERR", "SetP", "NumRet", "Compat"]


def judged_in(docs: dict[str, int], doc: str) -> bool:
    """A negative grade is none."""
    return docs.get(doc, -1) >= 0


def condensed(case: Case) -> Case:
    return Case(
        case.qrels,
        {q: {d: s for d, s in docs.items() if judged_in(case.qrels.get(q, {}), d)} for q, docs in case.run.items()},
    )


# --- taken out --------------------------------------------------------------------------------------------------------


@examples(150)
@given(case=cases())
def test_to_skip_the_unjudged_is_to_evaluate_lists_without_them(case: Case) -> None:
    found = rs.evaluate(case.qrels, case.run, ALL_NAMES, unjudged="skip")
    expected = rs.evaluate(case.qrels, condensed(case).run, ALL_NAMES)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-13)
    assert_same_bits(
        rs.Evaluator(case.qrels, ALL_NAMES, unjudged="skip")(case.run).values.tolist(), found.values.tolist()
    )


def test_skipped_documents_by_hand() -> None:
    scores = rs.evaluate(
        {"q": {"a": 1, "b": 0, "c": -1}}, {"q": {"x": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}}, ["RR", "P@5"]
    )
    assert scores.values[0, :, 0].tolist() == [1 / 4, 1 / 5]
    skipped = rs.evaluate(
        {"q": {"a": 1, "b": 0, "c": -1}},
        {"q": {"x": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}},
        ["RR", "P@5", "NumRet"],
        unjudged="skip",
    )
    assert skipped.values[0, :, 0].tolist() == [1 / 2, 1 / 5, 2]


@pytest.mark.parametrize(
    "option", [{"ties": "file"}, {"preset": "trec_eval-9"}, {"missing": "drop"}, {"rel": 2}], ids=str
)
def test_skipping_goes_with_every_other_convention(option: dict[str, object]) -> None:
    case = random_case(2, 30)
    found = rs.evaluate(case.qrels, case.run, ["AP", "RR", "P@5"], unjudged="skip", **option)
    expected = rs.evaluate(case.qrels, condensed(case).run, ["AP", "RR", "P@5"], **option)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-13)


def test_skipped_with_ties_averaged_the_rest_of_a_group_is_averaged() -> None:
    """Of a, b, x tied, x not judged: a and b are left, so a is first half the time."""
    case = {"q": {"a": 1, "b": 0}}, {"q": {"x": 1.0, "a": 1.0, "b": 1.0}}
    scores = rs.evaluate(*case, ["RR", "P@1"], unjudged="skip", ties="average")
    assert scores.values[0, :, 0].tolist() == [(1 + 1 / 2) / 2, 1 / 2]
    assert rs.evaluate(*case, "P@1", ties="average").overall("P@1") == pytest.approx(1 / 3, rel=1e-15)


# --- bounds -----------------------------------------------------------------------------------------------------------


@st.composite
def small(draw: st.DrawFn) -> tuple[dict[str, int], list[str]]:
    """Grades 0 to 3, of which 3 is judged somewhere; up to four documents that were not judged."""
    grades = draw(st.lists(st.sampled_from([None, None, -1, 0, 1, 2, 3]), min_size=1, max_size=6))
    while sum(g is None or g < 0 for g in grades) > 4:
        grades.pop()
    judged = {f"d{i}": g for i, g in enumerate(grades) if g is not None}
    return judged | {"missed": draw(st.sampled_from([0, 1, 3]))}, [f"d{i}" for i in range(len(grades))]


def judgments_possible(judged: dict[str, int], listed: list[str], highest: int) -> Iterator[dict[str, int]]:
    """All that could have been judged of the listed documents without judgment."""
    unknown = [d for d in listed if not judged_in(judged, d)]
    for grades in product(range(highest + 1), repeat=len(unknown)):
        yield judged | dict(zip(unknown, grades, strict=True))


@examples(60)
@given(query=small())
@pytest.mark.parametrize("highest", [3, 4])
def test_the_bounds_are_those_of_trying_all_judgments(highest: int, query: tuple[dict[str, int], list[str]]) -> None:
    """The highest grade is that of the qrels, here 3, unless the measure knows of a higher one, here 4."""
    judged, listed = query
    names = [name for name in BOUNDED if ("gmax=4" in name) == (highest == 4)]
    run = {d: float(-i) for i, d in enumerate(listed)}
    top = {"t": {"x": 3}}  # so that grades go up to 3, whatever is drawn
    scores = rs.evaluate({"q": judged, **top}, {"q": run}, names, unjudged="bounds")
    every = {f"q{i:03d}": possible for i, possible in enumerate(judgments_possible(judged, listed, highest))}
    tried = rs.evaluate({**every, **top}, dict.fromkeys(every, run), names)
    assert scores.bounds is not None
    for m, name in enumerate(names):
        values = tried.matrix(name)[0, :-1]
        assert scores.values[0, m, 0] == pytest.approx(values.min(), rel=1e-13, abs=1e-13), name
        assert scores.bounds[0, 0, m, 0] == scores.values[0, m, 0], name
        assert scores.bounds[1, 0, m, 0] == pytest.approx(values.max(), rel=1e-13, abs=1e-13), name


def test_every_measure_that_is_bounded_is_tried_here() -> None:
    """A measure that learns to give its best grade comes into the list above."""
    hits = rs.hits_of({"q": {"a": 1}}, {"q": {"a": 1.0}})
    bounded = {name for name, kind in ALL.items() if kind.best_grade is not rs.Measure.best_grade}
    assert bounded == {rs.parse_measure(name).name for name in BOUNDED}
    assert [rs.parse_measure(name).best_grade(hits) for name in UNBOUNDED] == [None] * len(UNBOUNDED)


def test_bounds_by_hand() -> None:
    """q1: not judged at rank 1, relevant at rank 2; q2: all is judged."""
    qrels = {"q1": {"a": 1}, "q2": {"a": 0, "b": 1}}
    run = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    scores = rs.evaluate(qrels, run, ["RR", "P@2", "NumRelRet", "AP"], unjudged="bounds")
    assert scores.values[0].tolist() == [[1 / 2, 1 / 2], [1 / 2, 1 / 2], [1, 1], [1 / 2, 1 / 2]]
    assert scores.bounds is not None
    assert scores.bounds[1, 0, :3].tolist() == [[1, 1 / 2], [2 / 2, 1 / 2], [2, 1]]
    assert np.isnan(scores.bounds[:, 0, 3]).all()
    # Means of bounds, and sums of counts.
    assert scores.overall_bounds("RR") == ((1 / 2 + 1 / 2) / 2, (1 + 1 / 2) / 2)
    assert scores.overall_bounds("NumRelRet") == (1 + 1, 2 + 1)
    assert all(map(math.isnan, scores.overall_bounds("AP")))
    assert mentions(scores.notes, "no bounds", " AP")


def test_measures_that_missing_judgments_do_not_bound_have_nan_and_one_note() -> None:
    case = random_case(4, 12)
    judged = {q: {d: min(g, 3) for d, g in docs.items()} for q, docs in case.qrels.items()}
    scores = rs.evaluate(judged, case.run, [*UNBOUNDED, "P@5"], unjudged="bounds")
    assert scores.bounds is not None
    for m, name in enumerate(UNBOUNDED):
        assert np.isnan(scores.bounds[:, :, m]).all(), name
    assert not np.isnan(scores.bounds[:, :, -1]).any()
    (note,) = (note for note in scores.notes if "no bounds" in note)
    assert note.endswith(f" {', '.join(UNBOUNDED)}")
    bounded = rs.evaluate(judged, case.run, BOUNDED, unjudged="bounds")
    assert not any("no bounds" in note for note in bounded.notes)


def test_a_measure_of_ones_own_is_not_bounded(own_measures: None) -> None:
    @rs.define_measure("Best", range=(0, np.inf))
    def best(hits: rs.Hits) -> np.ndarray:
        return hits.sum(hits.relevance.astype(float))

    scores = rs.evaluate(QRELS, RUN, ["Best", "RR"], unjudged="bounds")
    assert scores.bounds is not None
    assert np.isnan(scores.bounds[:, :, 0]).all()
    assert mentions(scores.notes, "no bounds", "Best")


@pytest.mark.parametrize("names", [["P@1", "P@9", "RR@4"], ["P@9", "P@1"], ["RR@2", "ERR", "P@5"], BOUNDED], ids=str)
def test_the_bounds_of_a_measure_do_not_depend_on_what_else_was_asked(names: list[str]) -> None:
    case = random_case(7, 30)
    qrels = {q: {d: min(g, 3) for d, g in docs.items()} for q, docs in case.qrels.items()}
    together = rs.evaluate(qrels, case.run, names, unjudged="bounds").bounds
    assert together is not None
    for m, name in enumerate(names):
        alone = rs.evaluate(qrels, case.run, name, unjudged="bounds").bounds
        assert alone is not None
        np.testing.assert_allclose(together[:, :, m], alone[:, :, 0], rtol=1e-13, err_msg=name)


@pytest.mark.parametrize("block", [1, 7, 50])
@pytest.mark.parametrize("names", [BOUNDED, ["P@3", "RR@2"], ["AP", "P@3"]], ids=["all", "cut", "mixed"])
def test_blocks_of_queries_give_the_numbers_of_one(
    block: int, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = random_case(5, 40)
    qrels = {q: {d: min(g, 3) for d, g in docs.items()} for q, docs in case.qrels.items()}
    runs = [rs.Run(case.run, name="one"), rs.Run(random_case(6, 40).run, name="two")]
    whole = rs.evaluate(qrels, runs, names, unjudged="bounds")
    monkeypatch.setattr(conventions, "BLOCK", block)
    parts = rs.evaluate(qrels, runs, names, unjudged="bounds")
    assert whole.bounds is not None
    assert parts.bounds is not None
    np.testing.assert_allclose(parts.bounds, whole.bounds, rtol=1e-13)


@examples(100)
@given(case=cases())
def test_the_value_lies_within_its_bounds_and_is_that_without_them(case: Case) -> None:
    names = [name for name in BOUNDED if "gmax" not in name]
    scores = rs.evaluate(case.qrels, case.run, names, unjudged="bounds")
    assert scores.bounds is not None
    low, high = scores.bounds
    assert_same_bits(low, scores.values)
    assert (high >= scores.values - 1e-13).all()
    assert_same_bits(scores.values.tolist(), rs.evaluate(case.qrels, case.run, names).values.tolist())
    for i, query in enumerate(scores.query_ids):
        listed = ranked(case.run.get(query, {}))
        if all(judged_in(case.qrels[query], d) for d in listed):
            np.testing.assert_allclose(high[0, :, i], low[0, :, i], rtol=1e-13, err_msg=query)


def test_what_queries_count_as_holds_for_their_bounds_too() -> None:
    """q0 and q1 have nothing relevant, and q0 lists nothing unjudged either; q2 has no list."""
    qrels = {"q0": {"a": 0}, "q1": {"a": 0}, "q2": {"a": 1}, "q3": {"a": 1}}
    run = {"q0": {"a": 1.0}, "q1": {"x": 1.0}, "q3": {"x": 2.0, "a": 1.0}}

    def bounds(**options: str) -> list[list[float | None]]:
        found = rs.evaluate(qrels, run, ["RR", "AP", "NumRelRet"], unjudged="bounds", **options).bounds
        assert found is not None
        assert np.isnan(found[:, 0, 1]).all()  # AP: whatever the conventions
        return [[None if math.isnan(x) else x for x in found[side, 0, 0]] for side in (0, 1)]

    assert bounds() == [[0, 0, 0, 1 / 2], [0, 1, 0, 1]]
    assert bounds(missing="drop") == [[0, 0, None, 1 / 2], [0, 1, None, 1]]
    assert bounds(no_relevant="one") == [[1, 1, 0, 1 / 2], [1, 1, 0, 1]]
    assert bounds(no_relevant="drop") == [[None, None, 0, 1 / 2], [None, None, 0, 1]]
    assert bounds(no_relevant="drop", missing="drop") == [[None, None, None, 1 / 2], [None, None, None, 1]]


def test_bounds_of_averages_over_orders_are_refused() -> None:
    for call in (rs.evaluate, lambda qrels, run, *rest, **options: rs.Evaluator(qrels, *rest, **options)):
        with pytest.raises(rs.ParameterError) as refused:
            call({"q": {"a": 1}}, {"q": {"a": 1.0}}, "P@1", unjudged="bounds", ties="average")
        assert mentions(refused.value, "unjudged='bounds'", "doc_id_desc", "file")


def test_another_word_is_refused() -> None:
    with pytest.raises(rs.ParameterError, match=r"unjudged .*'drop', .*'nonrelevant', 'skip', 'bounds'"):
        rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "P@1", unjudged="drop")


def test_the_signature_says_what_was_done_unless_nothing_was() -> None:
    def signature(**options: str) -> str:
        return rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "P@1", **options).signature()

    assert mentions(signature(unjudged="skip"), " | unjudged:skip | ", " | queries:1 | ")
    assert mentions(signature(unjudged="bounds"), " | unjudged:bounds | ", " | queries:1 | ")
    assert "unjudged" not in signature(unjudged="nonrelevant") == signature()


# --- shown ------------------------------------------------------------------------------------------------------------

QRELS = {"q1": {"a": 1}, "q2": {"a": 0, "b": 1}}
RUN = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
COLUMNS = ["system", "measure", "query", "value", "low", "high"]
#: RR's rows and AP's, which has no bounds.
ROWS = [
    ["run", "RR", "q1", 1 / 2, 1 / 2, 1.0],
    ["run", "RR", "q2", 1 / 2, 1 / 2, 1 / 2],
    ["run", "RR", "all", 1 / 2, 1 / 2, 3 / 4],
    ["run", "AP", "q1", 1 / 2, None, None],
    ["run", "AP", "q2", 1 / 2, None, None],
    ["run", "AP", "all", 1 / 2, None, None],
]


def shown(form: str, by_query: bool = True, **options: str) -> str:
    return render_scores(rs.evaluate(QRELS, RUN, ["RR", "AP"], **options), form, by_query=by_query)


def test_programs_read_bounds_in_columns_of_their_own() -> None:
    header, *rows = csv.reader(io.StringIO(shown("csv", unjudged="bounds")))
    assert header == COLUMNS
    assert [[*row[:3], *(float(x) if x else None for x in row[3:])] for row in rows] == ROWS
    records = json.loads(shown("json", unjudged="bounds"))
    assert [list(record) for record in records] == [COLUMNS] * 6
    assert [list(record.values()) for record in records] == ROWS
    assert [json.loads(line) for line in shown("jsonl", unjudged="bounds").splitlines()] == records
    frame = rs.evaluate(QRELS, RUN, ["RR", "AP"], unjudged="bounds").frame()
    assert frame.columns == COLUMNS
    assert [list(row) for row in frame.rows()] == [row for row in ROWS if row[2] != "all"]


def test_people_read_bounds_behind_their_measure() -> None:
    lines = shown("table", unjudged="bounds").splitlines()
    assert lines[0].split() == ["system", "query", "RR", "RR", "low", "RR", "high", "AP"]
    assert [line.split() for line in lines[1:4]] == [
        ["run", "q1", "0.5000", "0.5000", "1.0000", "0.5000"],
        ["run", "q2", "0.5000", "0.5000", "0.5000", "0.5000"],
        ["run", "all", "0.5000", "0.5000", "0.7500", "0.5000"],
    ]
    assert mentions(lines, "note: ", "no bounds", " AP")
    assert shown("markdown", unjudged="bounds").startswith("| system | query | RR | RR low | RR high | AP |\n")
    assert "\nsystem & query & RR & RR low & RR high & AP \\\\\n" in shown("latex", unjudged="bounds")


def test_lines_of_trec_eval_have_no_place_for_bounds() -> None:
    with pytest.raises(rs.ParameterError, match=r"trec .*bounds"):
        shown("trec", unjudged="bounds")


@pytest.mark.parametrize("form", FORMATS)
def test_whoever_asked_for_no_bounds_sees_none(form: str) -> None:
    text = shown(form)
    assert "low" not in text
    assert "high" not in text


# --- on the command line ----------------------------------------------------------------------------------------------


def command(capsys: pytest.CaptureFixture[str], folder: Path, *options: str) -> tuple[int, str, str]:
    (folder / "qrels").write_text("q1 0 a 1\nq2 0 a 0\nq2 0 b 1\n")
    (folder / "run").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n")
    code: object = 0
    try:
        main(["evaluate", str(folder / "qrels"), str(folder / "run"), "-m", "RR", "--format", "csv", *options])
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    return int(str(code or 0)), captured.out, captured.err


def test_the_command_line_takes_the_same_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command(capsys, tmp_path)[1].splitlines() == ["system,measure,query,value", "t,RR,all,0.5"]
    assert command(capsys, tmp_path, "--unjudged", "skip")[1].splitlines()[1] == "t,RR,all,0.75"
    code, out, _ = command(capsys, tmp_path, "--unjudged", "bounds")
    assert (code, out.splitlines()) == (0, ["system,measure,query,value,low,high", "t,RR,all,0.5,0.5,0.75"])


@pytest.mark.parametrize(
    "options",
    [["--unjudged", "drop"], ["--unjudged", "bounds", "--ties", "average"], ["--ties", "average", "-m", "Bpref"]],
)
def test_what_cannot_be_done_ends_with_2_and_one_line(
    options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, err = command(capsys, tmp_path, *options)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
