"""`rankscope trec_eval`: its options, what it prints in which order, where it stops and with what."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from math import exp, log, log2
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.paths import TESTS

from rankscope.compat.trec_eval import NICKNAMES, QRELS_NICKNAMES, MissingQuery, Options, parse_measure_lines, trec_eval

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 2\n2 0 d -1\n3 0 a 1\n"
#: Query 1: a, x, b, y (c is missed); query 2: d, a; query 3 is missing; query 4 is not judged.
RUN = "1 Q0 a 1 9 tag\n1 Q0 x 2 8 tag\n1 Q0 b 3 7 tag\n1 Q0 y 4 6 tag\n2 Q0 a 2 1 tag\n2 Q0 d 1 2 tag\n4 Q0 a 1 1 tag\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return "q", "r"


@pytest.fixture
def values(files: tuple[str, str], cli: Callable[..., Any]) -> Callable[..., dict[tuple[str, str], str]]:
    """The lines of a command that succeeds: {(measure, query): value}."""

    def call(*args: str) -> dict[tuple[str, str], str]:
        done = cli("trec_eval", *args, *files)
        assert (done.code, done.err) == (0, "")
        lines = [line.split("\t") for line in done.out.splitlines()]
        return {(shown.strip(), query): value for shown, query, value in lines}

    return call


Values = Callable[..., dict[tuple[str, str], str]]


# --- what is printed -------------------------------------------------------------------------------------------------


def test_a_line_is_a_name_of_22_columns_a_query_and_a_value(files: tuple[str, str], cli: Callable[..., Any]) -> None:
    done = cli("trec_eval", "-q", "-c", "-m", "map", "-m", "num_rel", "-m", "runid", "-m", "num_q", *files)
    # AP of query 1: (1/1) / 2; of query 2: (1/2) / 1
    lines = ["num_rel\t1\t2", "map\t1\t0.5000", "num_rel\t2\t1", "map\t2\t0.5000", "num_rel\t3\t1", "map\t3\t0.0000"]
    lines += ["runid\tall\ttag", "num_q\tall\t3", "num_rel\tall\t4", "map\tall\t0.3333"]
    assert done.out == "".join("{:<22}\t{}\t{}\n".format(*line.split("\t")) for line in lines)


@pytest.mark.parametrize("measure", ["num_q", "runid", "gm_map"])
def test_what_no_query_has_a_line_of_is_printed_for_all_of_them(measure: str, values: Values) -> None:
    assert list(values("-q", "-c", "-m", measure)) == [(measure, "all")]


def test_no_measure_means_the_official_ones(values: Values) -> None:
    assert values("-c") == values("-c", "-m", "official")
    assert [shown for shown, _ in values("-c")][:8] == [
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec")
    ]


@pytest.mark.parametrize("nickname", QRELS_NICKNAMES)
def test_a_nickname_stands_for_its_measures(nickname: str, values: Values) -> None:
    one_by_one = [word for name in QRELS_NICKNAMES[nickname] for word in ("-m", name)]
    assert values("-q", "-c", "-m", nickname) == values("-q", "-c", *one_by_one)


def test_all_trec_leaves_out_what_the_tool_leaves_out() -> None:
    assert not {"dcg", "ideal_dcg", "yaap"} & set(QRELS_NICKNAMES["all_trec"])
    assert {"rbp", "unj", "relstring"} <= set(QRELS_NICKNAMES["all_trec"])


def test_the_order_of_the_lines_is_the_tools_whatever_the_order_of_m(
    files: tuple[str, str], cli: Callable[..., Any]
) -> None:
    names = ["unj.5", "yaap", "P.10,5", "map", "num_q", "ndcg_cut.3", "set_F", "relstring", "recip_rank", "G"]
    outputs = {
        cli("trec_eval", "-q", "-c", *(word for name in order for word in ("-m", name)), *files).out
        for order in (names, names[::-1], sorted(names), [*names, *names])
    }
    (out,) = outputs
    shown = [line.split()[0] for line in out.splitlines() if line.split("\t")[1] == "1"]
    assert shown == ["map", "recip_rank", "P_5", "P_10", "relstring", "G", "ndcg_cut_3", "set_F", "yaap", "unj_5"]


def test_parameters_take_the_place_of_the_defaults(values: Values) -> None:
    assert ("P_5", "all") not in values("-c", "-m", "all_trec", "-m", "P.3")
    assert [shown for shown, _ in values("-c", "-m", "P", "-m", "P.3", "-m", "P_7")] == ["P_3"]


def test_a_cutoff_is_read_up_to_its_point_or_exponent_as_by_c(values: Values) -> None:
    assert [shown for shown, _ in values("-c", "-m", "ndcg_cut.10,20,23.4", "-m", "success.1e1")] == [
        *("ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23", "success_1")
    ]


def test_where_one_parameter_is_all_there_is_the_first_one_holds(values: Values) -> None:
    """set_F.0.5 and set_F.2 of graded.collection: one line, of the first."""
    assert list(values("-c", "-m", "set_F.0.5", "-m", "set_F.2")) == [("set_F_0.5", "all")]


@pytest.mark.parametrize(
    ("measure", "shown", "expected"),
    [
        ("ndcg.1=3,2=7", "ndcg_1=3,2=7", 3 / (7 + 3 / log2(3))),
        ("rbp.p=.5", "rbp_p=.5", (1 - 0.5) * 1 / 2),
        ("rbp", "rbp", (1 - 0.9) * 1 / 2),
        ("rbp_resid.p=0.5", "rbp_resid_p=0.5", 0.5**4 + (1 - 0.5) * (0.5**1 + 0.5**3)),
        ("set_F.0.5", "set_F_0.5", 1.5 * (1 / 4) * (1 / 2) / (1 / 2 + 0.5 * (1 / 4))),
        ("utility.1,-1,-.5,0", "utility_1,-1,-.5,0", 1 - 3 - 0.5),
        ("iprec_at_recall.0.25,.5", "iprec_at_recall_0.25", 1 / 1),
        ("iprec_at_recall.0.25,.5", "iprec_at_recall_0.50", 1 / 1),
        ("Rprec_mult.2", "Rprec_mult_2.00", 1 / 4),
        ("relative_P.1", "relative_P_1", 1 / 1),
        ("unj.4", "unj_4", 2 / 4),
        ("dcg.1=5", "dcg_1=5", 5 / log2(2)),
        ("ideal_dcg", "ideal_dcg", 2 / log2(2) + 1 / log2(3)),
        ("yaap", "yaap", log((1 + 1) / (1 + 2 - 1))),
        ("map_cut.1", "map_cut_1", 1 / 2),
        ("11pt_avg", "11pt_avg", (8 * 1 + 3 * 0) / 11),  # floor(2 x + .5) is 2 (never seen) from recall .8 on
    ],
)
def test_a_parameter_is_read_and_shown_as_it_was_written(
    measure: str, shown: str, expected: float, values: Values
) -> None:
    assert values("-q", "-c", "-m", measure)[shown, "1"] == f"{expected:6.4f}"


# --- options ---------------------------------------------------------------------------------------------------------


def test_q_prints_queries_and_n_leaves_out_the_summary(values: Values) -> None:
    assert set(values("-c", "-m", "map")) == {("map", "all")}
    assert {query for _, query in values("-q", "-c", "-m", "map")} == {"1", "2", "3", "all"}
    assert {query for _, query in values("-q", "-n", "-c", "-m", "map")} == {"1", "2", "3"}
    assert values("-n", "-c", "-m", "map") == {}


def test_geometric_means_stand_in_the_summary_only_and_relstring_for_queries_only(values: Values) -> None:
    found = values("-q", "-c", "-m", "gm_map", "-m", "gm_bpref", "-m", "relstring", "-m", "num_q", "-m", "runid")
    assert {key for key in found if key[0] != "relstring"} == {
        (name, "all") for name in ("gm_map", "gm_bpref", "num_q", "runid")
    }
    assert found["gm_map", "all"] == f"{exp((log(1 / 2) + log(1 / 2) + log(0.00001)) / 3):6.4f}"
    # a is of grade 1, x and y are not in the qrels, b is of grade 0; d of grade -1; nothing for the missing query
    assert {q: found["relstring", q] for q in "123"} == {"1": "'1-0-'", "2": "'.2'", "3": "''"}
    assert values("-q", "-c", "-m", "relstring.2")["relstring_2", "1"] == "'1-'"


def test_relstring_writes_a_point_for_every_negative_grade_and_an_arrow_above_9(values: Values) -> None:
    """form_res_rels.c makes all negative grades one, so that the `<` of its description never comes."""
    with open("q", "a") as file:
        file.write("".join(f"7 0 d{i} {grade}\n" for i, grade in enumerate([-3, -2, -1, 0, 9, 10])))
    with open("r", "a") as file:
        file.write("".join(f"7 Q0 d{i} 1 {9 - i} tag\n" for i in range(7)))
    assert values("-q", "-c", "-m", "relstring")["relstring", "7"] == "'...09>-'"


def test_l_is_the_least_relevance_that_counts(values: Values) -> None:
    found = values("-q", "-c", "-l", "2", "-m", "map", "-m", "ndcg", "-m", "num_rel_ret")
    assert [found["map", q] for q in "12"] == ["0.0000", "0.5000"]
    assert found["num_rel_ret", "all"] == "1"
    assert found["ndcg", "1"] == values("-q", "-c", "-m", "ndcg")["ndcg", "1"]  # gains do not ask


def test_num_rel_of_the_summary_with_c_ignores_l_as_in_the_tool(values: Values) -> None:
    found = values("-q", "-c", "-l", "2", "-m", "num_rel")
    assert [found["num_rel", q] for q in ("1", "2", "3", "all")] == ["1", "1", "0", "4"]


def test_capital_j_drops_what_is_not_judged(values: Values) -> None:
    found = values("-q", "-c", "-J", "-m", "relstring", "-m", "num_ret", "-m", "recip_rank")
    assert [found["relstring", q] for q in "12"] == ["'10'", "'2'"]
    assert found["recip_rank", "2"] == "1.0000"
    assert found["num_ret", "all"] == "3"


def test_capital_m_cuts_the_lists_and_before_j(values: Values) -> None:
    assert values("-q", "-c", "-M", "1", "-m", "relstring")["relstring", "1"] == "'1'"
    found = values("-q", "-c", "-M", "2", "-m", "num_ret", "-m", "P.5", "-m", "map_cut.100")
    assert found["num_ret", "1"] == "2"
    assert found["P_5", "1"] == "0.2000"
    # The tool (form_res_rels.c) takes the first N, a and x, and then drops what is not judged.
    assert values("-q", "-c", "-J", "-M", "2", "-m", "relstring")["relstring", "1"] == "'1'"
    assert values("-q", "-c", "-J", "-M", "3", "-m", "relstring")["relstring", "1"] == "'10'"


def test_capital_n_is_the_size_of_the_collection(values: Values) -> None:
    found = values("-q", "-c", "-N", "100", "-m", "utility.1,-1,0,.5")
    # 1 relevant retrieved, 3 others, 1 missed, and 100 - 4 - 1 others missed
    assert found["utility_1,-1,0,.5", "1"] == f"{1 - 3 + 0.5 * (100 - 4 - 1):6.4f}"


def test_utility_with_parameters_counts_one_document_for_a_missing_query_in_version_10(values: Values) -> None:
    ten = values("-q", "-c", "-m", "utility.1,-1,-.5,0")
    assert ten["utility_1,-1,-.5,0", "3"] == f"{-1 - 0.5:6.4f}"
    assert values("-q", "-c", "-m", "utility")["utility", "3"] == "0.0000"
    nine = values("-q", "-c", "-m", "utility.1,-1,-.5,0", "--preset", "trec_eval-9")
    assert ("utility_1,-1,-.5,0", "3") not in nine


def test_capital_d_changes_nothing_and_help_says_so(values: Values, cli: Callable[..., Any]) -> None:
    assert values("-c", "-D", "3", "-m", "map") == values("-c", "-m", "map")
    assert "has no effect" in " ".join(cli("trec_eval", "--help").out.split())


def test_d_names_the_only_query_that_is_evaluated(values: Values) -> None:
    found = values("-q", "-c", "-D", "2.2", "-m", "map", "-m", "num_q", "-m", "num_rel")
    assert {query for _, query in found} == {"2", "all"}
    assert (found["num_q", "all"], found["map", "all"]) == ("1", found["map", "2"])
    assert values("-m", "num_q", "-D", "1.2")["num_q", "all"] == "1"  # query 3 is missing, and was not asked for


def test_m_0_leaves_nothing_retrieved(values: Values) -> None:
    found = values("-q", "-c", "-M", "0", "-m", "all_trec", "-m", "relstring.2", "-m", "utility.1,-1,0,0")
    same = values("-q", "-c", "-m", "num_rel")
    for (name, query), value in found.items():
        if name not in ("runid", "num_q", "num_rel", "rbp_resid", "gm_map", "gm_bpref"):
            assert value in ("0", "0.0000", "''"), (name, query, value)
    assert {key: value for key, value in found.items() if key[0] == "num_rel"} == same


def test_l_0_counts_all_that_is_judged(values: Values) -> None:
    # of query 1, a and b are retrieved at ranks 1 and 3, and c is missed; of 2, d has the grade -1
    found = values("-q", "-c", "-l", "0", "-m", "num_rel", "-m", "num_rel_ret", "-m", "map", "-m", "bpref")
    assert [found["num_rel", query] for query in "123"] == ["3", "1", "1"]
    assert [found["num_rel_ret", query] for query in "123"] == ["2", "1", "0"]
    assert found["map", "1"] == f"{(1 / 1 + 2 / 3) / 3:6.4f}"
    assert found["bpref", "1"] == f"{2 / 3:6.4f}"  # nothing is judged not relevant
    assert found["num_rel", "all"] == "4"  # with -c the grades above 0


def test_n_0_is_a_collection_of_unknown_size(values: Values) -> None:
    assert values("-c", "-N", "0", "-m", "utility") == values("-c", "-m", "utility")


@pytest.mark.parametrize("option", [("-o",), ("-T", "trec_results"), ("--Output_old_results_format", "x")])
def test_options_without_effect_are_accepted(option: tuple[str, ...], values: Values) -> None:
    assert values("-c", *option, "-m", "map") == values("-c", "-m", "map")


def test_long_options_and_their_beginnings_are_those_of_the_tool(values: Values) -> None:
    long = ["--query_eval_wanted", "--complete_rel_info_wanted", "--measure=P.2", "--level_for_rel", "2", "--nosummary"]
    long += ["--Max_retrieved_per_topic=3", "--Judged_docs_only", "--Rel_info_format", "qrels", "--Debug_level=0.1"]
    short = ["-q", "-c", "-m", "P.2", "-l2", "-n", "-M3", "-J", "-R", "qrels", "-D0.1"]
    assert values(*long) == values(*short)
    assert values("--quer", "--comp", "--mea", "P.2", "--Num=100") == values("-qc", "-mP.2")


@pytest.mark.parametrize("option", ["-v", "--version", "--vers"])
def test_the_version_goes_to_standard_error(option: str, cli: Callable[..., Any]) -> None:
    done = cli("trec_eval", option)
    assert (done.code, done.out, done.err) == (0, "", "trec_eval version 10.0\n")
    assert cli("trec_eval", option, "--preset", "trec_eval-9").err == "trec_eval version 9.0.8\n"


def test_help_explains_the_measures_and_judgments_that_are_named(cli: Callable[..., Any]) -> None:
    plain = cli("trec_eval", "--help")
    assert (plain.code, plain.err) == (0, "")
    assert "query 0 document relevance" in plain.out
    assert "Name measures with -m" in plain.out
    done = cli("trec_eval", "-h", "-m", "prefs", "-m", "P", "-R", "prefs")
    assert done.code == 0
    assert done.out.startswith(plain.out[:1000])
    assert "query group sub-group document level" in done.out
    assert "P, by default P.5,10,15,20,30,100,200,500,1000; here P@5:" in done.out
    for name in ("runid:", "num_q:", "prefs_num_prefs_poss; here NumPrefs:", "prefs_avgjg; here PrefsJG:"):
        assert name in done.out
    assert cli("trec_eval", "-h", "-m", "nothing").code == 2


def test_help_knows_every_measure(cli: Callable[..., Any]) -> None:
    words = [word for name in NICKNAMES for word in ("-m", name)]
    out = cli("trec_eval", "-h", *words).out
    for names in NICKNAMES.values():
        assert all(re.search(rf"^{name}[:;,]", out, re.MULTILINE) for name in names)


def test_runid_is_the_first_word_of_the_last_tag(values: Values) -> None:
    for last in ("4 Q0 b 2 0 other words of it\n", "\n4 Q0 c 2 -1 other\n# 1 2 3 4 5 comment\n\n", "4 Q0 d 2 -2 other"):
        with open("r", "a") as file:
            file.write(last)
        assert values("-c", "-m", "runid") == {("runid", "all"): "other"}
    long_run = "".join(f"1 Q0 {i} 0 {-i} tag{i} x\n" for i in range(200_000))  # read in several blocks
    for text in (long_run, long_run + "2 Q0 a 0 1 y\n1 Q0 a 0 9 last\n"):  # the queries are not together
        Path("r").write_text(text)
        assert values("-c", "-m", "runid")["runid", "all"] == ("tag199999" if text == long_run else "last")


GRADES = {"1.0": 1, "2.9": 2, "1e1": 1, ".5": 0, "-0.7": 0, "1.e5": 1, "+3": 3, "-1.5": -1, "12E-1": 12, "007": 7}


def test_grades_are_read_up_to_their_point_or_exponent_as_by_c(files: tuple[str, str], cli: Callable[..., Any]) -> None:
    Path("q").write_text("".join(f"1 0 d{i} {text}\n" for i, text in enumerate(GRADES)))
    Path("r").write_text("".join(f"1 Q0 d{i} 0 {-i} tag\n" for i in range(len(GRADES))))
    done = cli("trec_eval", "-q", "-n", "-m", "relstring", *files)
    letters = {-1: ".", 12: ">"}
    assert done.out.split("\t")[2].strip() == "'" + "".join(letters.get(g, str(g)) for g in GRADES.values()) + "'"
    assert done.code == 0
    assert done.err == (
        "rankscope: note: q: 7 grades that are no whole numbers are read as trec_eval reads them, 2.9 as 2; "
        "`rankscope evaluate` takes their values\n"
    )
    Path("q").write_text("1 0 d0 1.0\n1 0 d1 0.0\n")
    done = cli("trec_eval", "-q", "-n", "-m", "relstring.2", *files)
    assert (done.out.split("\t")[2].strip(), done.err) == ("'10'", "")  # nothing was lost


def test_in_python_a_changed_grade_is_a_warning(files: tuple[str, str]) -> None:
    Path("q").write_text("1 0 a .5\n")
    with pytest.warns(UserWarning, match=r"q: 1 grade that is no whole number is read .* \.5 as 0"):
        trec_eval(*files, ["map"], options=Options())


def test_options_may_stand_together_and_touch_their_values(values: Values) -> None:
    assert values("-qcn", "-mmap", "-l1", "-M100") == values("-q", "-c", "-n", "-m", "map")


@pytest.mark.parametrize("which", [0, 1])
def test_a_dash_is_standard_input(
    which: int, files: tuple[str, str], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = cli("trec_eval", "-q", "-c", *files).out
    content = (QRELS, RUN)[which]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(content.encode()))))
    done = cli("trec_eval", "-q", "-c", *("-" if i == which else name for i, name in enumerate(files)))
    assert (done.code, done.err) == (0, "")
    assert done.out == expected


# --- versions --------------------------------------------------------------------------------------------------------


def test_version_9_averages_over_the_queries_in_both_where_version_10_stops(
    files: tuple[str, str], cli: Callable[..., Any]
) -> None:
    nine = cli("trec_eval", "-m", "map", "--preset", "trec_eval-9", *files)
    assert (nine.code, nine.out, nine.err) == (0, f"{'map':<22}\tall\t0.5000\n", "")  # (1/2 + 1/2) / 2
    ten = cli("trec_eval", "-m", "map", *files)
    assert (ten.code, ten.out, ten.err) == (4, "", "trec_eval: result qid '3' not found in qrels\n")


def test_the_recorded_case_without_c_stops_with_exit_code_4_and_its_message(cli: Callable[..., Any]) -> None:
    folder = TESTS / "reference" / "trec_eval"
    done = cli("trec_eval", "-q", "-m", "all_trec", folder / "graded.qrels", folder / "graded.run")
    assert (done.code, done.out, done.err) == (4, "", "trec_eval: result qid '4' not found in qrels\n")


def test_nothing_stops_without_c_where_no_query_is_missing(files: tuple[str, str], cli: Callable[..., Any]) -> None:
    Path("r").write_text(RUN + "3 Q0 a 1 1 tag\n")
    assert cli("trec_eval", "-q", *files).out == cli("trec_eval", "-q", "-c", *files).out


@pytest.mark.parametrize("measure", ["dcg", "ideal_dcg", "rbp", "rbp_resid", "unj", "unj.5", "rbp.p=.5"])
def test_version_9_refuses_what_only_version_10_has(
    measure: str, files: tuple[str, str], cli: Callable[..., Any]
) -> None:
    done = cli("trec_eval", "-c", "-m", measure, "--preset", "trec_eval-9", *files)
    assert (done.code, done.out) == (2, "")
    assert mentions(done.err, "unknown measure", f"'{measure}'")
    assert cli("trec_eval", "-c", "-m", measure, *files).code == 0


def test_version_9_leaves_them_out_of_all_trec() -> None:
    stems = {line.stem for line in parse_measure_lines(["all_trec"], "trec_eval-9")}
    assert not stems & {"dcg", "rbp", "rbp_resid", "unj"}
    assert {line.stem for line in parse_measure_lines(["all_trec"])} - stems == {"rbp", "rbp_resid", "unj"}


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("foo", "unknown measure .*'foo'; .*11pt_avg, G, P,"),
        ("foo", "official, set, all_trec"),
        ("recip_rnk", r"did you mean recip_rank\?"),
        ("nDCG@10", "unknown measure .*'nDCG@10'"),
        ("all_trec.5", r"did you mean all_trec\?"),
        ("num_q.5", r"did you mean num_q\?"),
        ("map.5", "map takes no parameters"),
        ("P.", "cannot read ''"),
        ("P.ten", "cannot read 'ten'"),
        ("P.0", "cutoff is 0, .*1"),
        ("P.-5", "cutoff is -5, .*1"),
        ("P.1_0", "cannot read '1_0'"),
        ("success.1e", "cannot read '1e'"),
        ("success..5", "cutoff is 0, .*1"),
        ("iprec_at_recall.1.5", r"recall is 1\.5, .*0 to 1"),
        ("utility.1,2", r"cannot read '1,2', .*utility\.1,-1,0,0"),
        ("utility.1,-1,0,1", r"\bd needs .*documents .*\(-N\)"),
        ("ndcg.1", r"gains .*ndcg\.1=3,2=7"),
        ("ndcg.1=3,1=4", r"gains .*ndcg\.1=3,2=7"),
        ("rbp.0.5", r"persistence, .*rbp\.p=\.5"),
        ("rbp.p=2", r"p is 2\.0, .*0 and 1"),
        ("relstring.x", r"relstring\.x: cannot read 'x'"),
        ("relstring.0", r"relstring\.0: cannot read '0'"),
        ("set_F.x", "cannot read 'x'"),
    ],
)
def test_an_unknown_measure_or_parameter_names_what_is_known(
    measure: str, message: str, files: tuple[str, str], cli: Callable[..., Any]
) -> None:
    done = cli("trec_eval", "-c", "-m", measure, *files)
    assert (done.code, done.out) == (2, "")
    assert re.search(message, done.err)
    assert done.err.startswith("rankscope: ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("r", "1 Q0 z\n", "r:8: "),
        ("r", "1 Q0 z 1 high tag\n", "r:8: score 'high'"),
        ("r", "1 Q0 a 9 0.5 tag\n", r"r:8: .*'a' .*'1' .*twice.* r:1\b(?!.*--duplicates)"),
        ("q", "1 0 z\n", "q:7: "),
        ("q", "1 0 z one\n", "q:7: "),
        ("q", "1 0 a 2\n", "q:7: "),
    ],
)
def test_a_malformed_line_is_named_with_its_file(
    name: str, line: str, message: str, files: tuple[str, str], cli: Callable[..., Any]
) -> None:
    with open(name, "a") as file:
        file.write(line)
    done = cli("trec_eval", "-c", *files)
    assert (done.code, done.out) == (2, "")
    assert re.match(f"rankscope: {message}", done.err)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "args",
    [
        ("-l", "x"),
        *(("-l", "-1"), ("-M", "-1"), ("-N", "-1"), ("-N", "x"), ("-z",), ("--preset", "10"), ("-T", "other")),
        *(("-R", "other"), ("-D", "x"), ("-D", "1.nowhere"), ("--no", "x"), ("--Out",)),
    ],
)
def test_an_option_that_is_none_is_exit_code_2(
    args: tuple[str, ...], files: tuple[str, str], cli: Callable[..., Any]
) -> None:
    done = cli("trec_eval", "-c", *args, *files)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1


def test_a_file_that_is_not_there_is_named(files: tuple[str, str], cli: Callable[..., Any]) -> None:
    assert cli("trec_eval", "-c", "q", "nowhere").err == "rankscope: nowhere: no such file; check the path\n"
    assert cli("trec_eval", "-c", "nowhere", "r").code == 2


# --- mended ----------------------------------------------------------------------------------------------------------


def test_a_query_with_negative_grades_only_is_one_without_relevant_documents(values: Values) -> None:
    """The tool stops there (`Can't calculate measure`) or crashes."""
    with open("q", "a") as file:
        file.write("5 0 a -1\n5 0 b -2\n")
    with open("r", "a") as file:
        file.write("5 Q0 a 1 2 tag\n")
    found = values("-q", "-c", "-m", "all_trec", "-m", "yaap")
    not_0 = {shown: v for (shown, query), v in found.items() if query == "5" and v.strip() not in ("0", "0.0000")}
    # One document is there and not judged: utility -1, 1/5 of five documents, and RBP could still be 1.
    unjudged = {"unj_5": "0.2000", "unj_10": "0.1000", "unj_20": "0.0500", "rbp_resid": "1.0000"}
    assert not_0 == {"num_ret": "1", "utility": "-1.0000", "relstring": "'.'", **unjudged}


@pytest.mark.parametrize("preset", ["trec_eval", "trec_eval-9"])
def test_nothing_is_ever_nan(preset: str, values: Values) -> None:
    found = values("-q", "-c", "-J", "-M", "1", "-m", "all_trec", "-m", "yaap", "--preset", preset)
    assert not [key for key, value in found.items() if "nan" in value or "inf" in value]


# --- in Python -------------------------------------------------------------------------------------------------------


def test_the_function_gives_what_the_command_prints(files: tuple[str, str], cli: Callable[..., Any]) -> None:
    options = Options(by_query=True, complete=True)
    assert (
        trec_eval(*files, ["map", "P.5"], options=options)
        == cli("trec_eval", "-q", "-c", "-m", "map", "-m", "P.5", *files).out
    )
    with pytest.raises(MissingQuery, match="result qid '3'"):
        trec_eval(*files, options=Options())
