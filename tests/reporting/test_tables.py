"""Scores as text: nothing in a name breaks a table, and nothing of a number is lost where programs read it."""

from __future__ import annotations

import csv
import io
import json
import math
import re

import pytest
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.data.text import align_columns
from rankscope.measures import MEASURES
from rankscope.reporting.measure_list import LIST_FORMATS, explain_measure, list_measures, list_presets
from rankscope.reporting.tables import FORMATS, render_scores

QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q|2": {"a": 1}}


def scores_of(*names: str, measures: tuple[str, ...] = ("RR", "nDCG@10")) -> rs.Scores:
    run = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q|2": {"y": 3.0, "z": 2.0, "a": 1.0}}
    return rs.evaluate(QRELS, [rs.Run(run, name=name) for name in names], measures)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("by_query", [False, True])
def test_a_text_ends_with_one_newline(form: str, by_query: bool) -> None:
    text = render_scores(scores_of("a"), form, by_query=by_query)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_an_unknown_format_is_named_with_the_nearest() -> None:
    with pytest.raises(rs.UnknownName, match="did you mean markdown"):
        render_scores(scores_of("a"), "markdwn")


# Names of systems as files give them: no line breaks, no blanks at the ends.
NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=12).filter(
    lambda name: name == name.strip()
)
TWO_NAMES = st.lists(NAMES, min_size=2, max_size=2, unique=True)


@examples(60)
@given(TWO_NAMES)
def test_csv_gives_back_names_and_every_bit_of_the_numbers(names: list[str]) -> None:
    scores = scores_of(*names)
    rows = list(csv.reader(io.StringIO(render_scores(scores, "csv", by_query=True))))
    assert rows[0] == ["system", "measure", "query", "value"]
    assert [(*r[:3], float(r[3])) for r in rows[1:]] == list(scores.records(by_query=True))


@examples(60)
@given(TWO_NAMES)
def test_json_gives_back_names_and_every_bit_of_the_numbers(names: list[str]) -> None:
    scores = scores_of(*names)
    expected = [r._asdict() for r in scores.records(by_query=True)]
    assert json.loads(render_scores(scores, "json", by_query=True)) == expected
    lines = render_scores(scores, "jsonl", by_query=True).splitlines()
    assert [json.loads(line) for line in lines] == expected


@examples(60)
@given(TWO_NAMES)
def test_a_markdown_table_keeps_its_columns_whatever_the_names(names: list[str]) -> None:
    lines = render_scores(scores_of(*names), "markdown", by_query=True).split("\n\n")[0].split("\n")
    assert len(lines) == 2 + 2 * (2 + 1)
    for line in lines:
        unescaped = re.sub(r"\\[\\|]", "", line)  # what is left of | separates cells
        assert unescaped.count("|") == 4 + 1


@examples(60)
@given(TWO_NAMES)
def test_a_latex_table_keeps_its_columns_whatever_the_names(names: list[str]) -> None:
    text = render_scores(scores_of(*names), "latex", by_query=True)
    body = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].split("\n")
    assert len(body) == 2 * (2 + 1)
    for line in body:
        bare = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", line.removesuffix(r" \\"))
        assert bare.count("&") == 4 - 1
        assert not set(bare) & set("%$#_{}~^\\")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a_b", r"a\_b"),
        ("50%", r"50\%"),
        ("R&D", r"R\&D"),
        ("$x$", r"\$x\$"),
        ("#1", r"\#1"),
        ("{x}", r"\{x\}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("a\\b", r"a\textbackslash{}b"),
    ],
)
def test_what_latex_would_take_as_a_command_is_escaped(name: str, shown: str) -> None:
    assert f"\n{shown} & 0.4167 & " in render_scores(scores_of(name), "latex")  # RR: (1/2 + 1/3) / 2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b", r"a\|b"),
        ("a\\b", r"a\\b"),
        ("<b>", r"&lt;b>"),
        ("a_b", "a_b"),
        ("*a*", r"\*a\*"),
        ("`a`", r"\`a\`"),
        ("_a_", r"\_a\_"),
        ("[a](b)", r"\[a\](b)"),
    ],
)
def test_what_markdown_would_take_as_markup_is_escaped(name: str, shown: str) -> None:
    line = render_scores(scores_of(name), "markdown").splitlines()[2]
    # An underscore between letters is none of markup's; escaping it does no harm.
    assert line.startswith((f"| {shown} | 0.4167 |", f"| {shown.replace('_', chr(92) + '_')} | 0.4167 |"))


def test_notes_and_signature_are_comments_in_latex() -> None:
    scores = rs.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, rs.Run({"q1": {"a": 1.0}}, name="50%"), ["RR"])
    after = render_scores(scores, "latex").split("\\end{tabular}\n")[1]
    assert len(after.splitlines()) == 2
    assert all(line.startswith("% ") for line in after.splitlines())


def test_a_table_is_even_also_where_signs_are_wide() -> None:
    lines = align_columns([["a", "1"], ["日本語", "22"], ["éé", "333"]], 1)
    assert lines == ["a         1", "日本語   22", "éé      333"]


def test_a_value_that_there_is_not_is_shown_as_none() -> None:
    scores = rs.evaluate({"q1": {"a": 1}, "q2": {"b": 0}}, {"q1": {"a": 1.0}}, ["RR"], no_relevant="drop")
    assert math.isnan(scores.matrix("RR")[0][1])
    assert [line.split() for line in render_scores(scores, "table", by_query=True).splitlines()[1:4]] == [
        ["run", "q1", "1.0000"],
        ["run", "q2", "-"],
        ["run", "all", "1.0000"],
    ]
    assert "run,RR,q2,\n" in render_scores(scores, "csv", by_query=True)
    assert json.loads(render_scores(scores, "json", by_query=True))[1]["value"] is None
    trec = render_scores(scores, "trec", by_query=True)
    assert "\tq1\t" in trec
    assert "\tq2\t" not in trec


def test_counts_are_whole_numbers_and_summed() -> None:
    scores = scores_of("a", measures=("NumRel", "NumRet"))
    assert render_scores(scores, "table").splitlines()[1].split() == ["a", str(2 + 1), str(3 + 3)]
    assert render_scores(scores, "trec").splitlines()[1:] == [
        f"{'num_rel':<22}\tall\t{2 + 1}",
        f"{'num_ret':<22}\tall\t{3 + 3}",
    ]


def test_a_measure_that_trec_eval_has_not_keeps_our_name() -> None:
    text = render_scores(scores_of("a", measures=("ERR@20", "P@7")), "trec")
    assert [line.split("\t")[0].strip() for line in text.splitlines()] == ["runid", "ERR@20", "P_7"]


# --- bounds -------------------------------------------------------------------------------------------


def bounded_scores(*names: str) -> rs.Scores:
    """x, y and z were not judged. P@2: q1 has a at rank 2, q2 neither; NumRelRet: 2 and 1."""
    run = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q|2": {"y": 3.0, "z": 2.0, "a": 1.0}}
    return rs.evaluate(QRELS, [rs.Run(run, name=n) for n in names], ["P@2", "AP", "NumRelRet"], unjudged="bounds")


def test_a_table_shows_bounds_behind_each_measure_that_has_them() -> None:
    text = render_scores(bounded_scores("a", "b"), "table")
    head, *rows = text.splitlines()[:3]
    columns = ["system", "P@2", "P@2 low", "P@2 high", "AP", "NumRelRet", "NumRelRet low", "NumRelRet high"]
    assert head.split() == " ".join(columns).split()
    ap = ((1 / 2 + 2 / 3) / 2 + 1 / 3) / 2
    for name, row in zip("ab", rows, strict=True):
        assert row.split() == [name, "0.2500", "0.2500", "1.0000", f"{ap:.4f}", "3", "3", str(3 + 3)]
    for form, sign in (("latex", " & "), ("markdown", " | ")):
        assert sign.join(["P@2", "P@2 low", "P@2 high", "AP"]) in render_scores(bounded_scores("a"), form)


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
@pytest.mark.parametrize("by_query", [False, True])
def test_programs_get_every_bit_of_the_bounds_and_none_where_there_are_none(form: str, by_query: bool) -> None:
    scores = bounded_scores("a", "b")
    text = render_scores(scores, form, by_query=by_query)
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
    else:
        rows = json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
    expected = list(scores.records(by_query=by_query))
    assert len(rows) == len(expected) == 2 * 3 * (3 if by_query else 1)
    for row, record in zip(rows, expected, strict=True):
        assert tuple(row) == ("system", "measure", "query", "value", "low", "high")
        for column, number in zip(("value", "low", "high"), tuple(record)[3:], strict=True):
            there = row[column] not in ("", None)
            assert there == (not math.isnan(number))
            assert not there or float(row[column]) == number


def test_lines_of_trec_eval_have_no_place_for_bounds() -> None:
    with pytest.raises(rs.ParameterError, match=r"\btrec\b.*\bbounds\b"):
        render_scores(bounded_scores("a"), "trec")


# --- the list of measures -------------------------------------------------------------------------


@pytest.mark.parametrize("form", LIST_FORMATS)
def test_every_measure_is_listed(form: str) -> None:
    text = list_measures(form)
    for name, measure in MEASURES.items():
        assert name in text
        if form != "table":
            assert re.sub(r"\\", "", measure.source) in re.sub(r"\\", "", text.replace("&lt;", "<"))


def test_the_page_of_measures_has_four_columns_and_links_to_a_part_for_each() -> None:
    page = list_measures("markdown")
    table = [line for line in page.splitlines() if line.startswith("| ")]
    assert {line.count(" | ") for line in table} == {3}  # more would not fit a phone
    links = re.findall(r"^\| \[[^]]+\]\(#(\w+)\)", page, flags=re.MULTILINE)
    assert links == [heading.lower() for heading in re.findall(r"^## (\w+)$", page, flags=re.MULTILINE)]
    assert len(links) == len(set(links)) == len(MEASURES)


def test_the_list_of_measures_has_a_line_each_that_fits_a_terminal() -> None:
    head, *lines = list_measures().splitlines()[: len(MEASURES) + 1]
    assert head.split() == ["name", "range", "better", "what"]
    assert [line.split()[0] for line in lines] == list(MEASURES)
    assert max(map(len, lines)) <= 100
    assert mentions(lines[0], "higher  Precision: ")


def test_an_unknown_list_format_is_named() -> None:
    with pytest.raises(rs.UnknownName):
        list_measures("jsn")


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_explained(name: str) -> None:
    text = explain_measure(name)
    assert text.splitlines()[0].split()[0] == name
    assert MEASURES[name].source in text
    low, high = MEASURES[name].range
    shown = text.split("range")[1].split()[0:2]
    assert shown[0] == ("(-∞," if math.isinf(low) else f"[{low:g},")
    assert shown[1].startswith("∞)" if math.isinf(high) else f"{high:g}]")


@pytest.mark.parametrize(
    ("asked", "name"), [("ndcg@10", "nDCG"), ("map", "AP"), ("ndcg_cut", "nDCG"), ("RBP(p=0.5)", "RBP"), ("mrr", "RR")]
)
def test_a_measure_is_explained_under_any_of_its_names(asked: str, name: str) -> None:
    assert explain_measure(asked) == explain_measure(name)


def test_an_unknown_measure_is_explained_by_the_nearest_name() -> None:
    with pytest.raises(rs.UnknownName, match="did you mean nDCG"):
        explain_measure("nDGC@10")


def test_presets_are_listed_with_their_measures() -> None:
    assert {"trec_eval", "trec_eval-9", "gdeval"} <= {line.split()[0] for line in list_presets().splitlines()[1:]}
