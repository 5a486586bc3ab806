"""The grammar of names: ours, ir_measures', trec_eval's; and what is said about names that are none."""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs
from rankscope import parse_measures
from rankscope.measures import MEASURES
from rankscope.measures.binary import AP, AUC, GMAP, RR, F, P, R, RelP, Rprec, Success
from rankscope.measures.cascade import ERR, RBP, nERR
from rankscope.measures.curves import AvgIPrec, IPrec
from rankscope.measures.diversity import AP_IA, NRBP, alpha_DCG, alpha_nDCG
from rankscope.measures.graded import DCG, BinG, G, IdealDCG, RnDCG, nDCG, nDCGRel
from rankscope.measures.incomplete_judgments import Bpref, GMBpref, Judged, Unj
from rankscope.measures.names import TREC_NAMES, expand_trec, split_trec, trec_name
from rankscope.measures.sets import SetAP, SetF, SetRelP, Utility, Yaap


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("nDCG@10", nDCG(cutoff=10)),
        ("nDCG", nDCG()),
        ("nDCG(gain='exp')@10", nDCG(gain="exp", cutoff=10)),
        ('nDCG(gain="exp")', nDCG(gain="exp")),
        ("AP(rel=2)@100", AP(rel=2, cutoff=100)),
        ("P(rel=2)@5", P(rel=2, cutoff=5)),
        ("RBP(p=0.8)", RBP(p=0.8)),
        ("RBP(p=.95, rel=1)@20", RBP(p=0.95, rel=1, cutoff=20)),
        ("RBP", RBP(p=0.8)),
        ("ERR(gmax=4)@20", ERR(gmax=4, cutoff=20)),
        ("SetF(beta=0.5)", SetF(beta=0.5)),
        ("AP(cutoff=5)", AP(cutoff=5)),
        ("AP()", AP()),
        # white space where a person puts it
        (" nDCG ( gain = 'exp' ) @10 ", nDCG(gain="exp", cutoff=10)),
        ("RBP( p=0.5,rel=2 )", RBP(p=0.5, rel=2)),
        # ir_measures' forms
        ("nDCG(dcg='exp-log2')@10", nDCG(gain="exp", cutoff=10)),
        ("nDCG(dcg='log2')@10", nDCG(cutoff=10)),
        ("DCG(dcg='exp-log2')", DCG(gain="exp")),
        ("Success@5", Success(cutoff=5)),
        ("Judged@10", Judged(cutoff=10)),
        # other words and other cases
        ("MAP", AP()),
        ("MRR@10", RR(cutoff=10)),
        ("Precision@3", P(cutoff=3)),
        ("recall@3", R(cutoff=3)),
        ("NDCG@10", nDCG(cutoff=10)),
        ("ndcg@10", nDCG(cutoff=10)),
        ("err@20", ERR(cutoff=20)),
        ("bpref", Bpref()),
        ("BPREF", Bpref()),
        # the number behind the @ is a recall
        ("IPrec@0.1", IPrec(recall=0.1)),
        ("IPrec@.25", IPrec(recall=0.25)),
        ("IPrec@1", IPrec(recall=1.0)),
        ("IPrec(recall=0.1)", IPrec(recall=0.1)),
        ("IPrec(rel=2, rounding='plus_point_nine')@0.3", IPrec(rel=2, recall=0.3, rounding="plus_point_nine")),
        ("AvgIPrec", AvgIPrec()),
        # gains by grade
        ("nDCG(gains={1: 3, 2: 7})@10", nDCG(gains={1: 3, 2: 7}, cutoff=10)),
        ("nDCG(gains={2: 7.0, 1: 3})", nDCG(gains={1: 3, 2: 7})),
        ("DCG(gains={-1: -0.5, 0: .25})", DCG(gains={-1: -0.5, 0: 0.25})),
        ("G(gains={1: 2})", G(gains={1: 2})),
        ("IdealDCG@5", IdealDCG(cutoff=5)),
        ("ndcgrel", nDCGRel()),
        ("RnDCG(rel=2)", RnDCG(rel=2)),
        ("Rprec(mult=0.2)", Rprec(mult=0.2)),
        ("RBP(p=0.9, gmax='query')", RBP(p=0.9, gmax="query")),
        ("Utility(a=2, d=-.5)", Utility(a=2, d=-0.5)),
        ("GMAP", GMAP()),
        ("Unj@5", Unj(cutoff=5)),
        ("nDCG(gains={1: 3}, others='gain')", nDCG(gains={1: 3}, others="gain")),
        ("nDCG(discount='jk', base=3, ideal='listed')@9", nDCG(discount="jk", base=3, ideal="listed", cutoff=9)),
        ("AP(norm='min')@5", AP(norm="min", cutoff=5)),
        ("AP(norm='found')", AP(norm="found")),
        ("F(beta=2)@10", F(beta=2, cutoff=10)),
        ("AUC@10", AUC(cutoff=10)),
        ("nERR(gmax=4)@20", nERR(gmax=4, cutoff=20)),
        ("alpha_nDCG(alpha=0.3)@20", alpha_nDCG(alpha=0.3, cutoff=20)),
        ("NRBP(alpha=0, beta=0.8)", NRBP(alpha=0, beta=0.8)),
        # as ranx and ir_measures call them
        ("f1@10", F(cutoff=10)),
        ("hit_rate@10", Success(cutoff=10)),
        ("α_nDCG@20", alpha_nDCG(cutoff=20)),
        ("α_DCG@20", alpha_DCG(cutoff=20)),
        ("MAP_IA", AP_IA()),
        ("alpha_ndcg@20", alpha_nDCG(cutoff=20)),
    ],
)
def test_a_name_is_read(name: str, measure: rs.Measure) -> None:
    assert rs.parse_measure(name) == measure
    assert rs.parse_measure(str(measure)) == measure


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("map", ["AP"]),
        ("recip_rank", ["RR"]),
        ("map_cut.5", ["AP@5"]),
        ("map_cut_5", ["AP@5"]),
        ("ndcg_cut.10", ["nDCG@10"]),
        ("ndcg_cut.5,20", ["nDCG@5", "nDCG@20"]),
        ("ndcg_cut_10", ["nDCG@10"]),
        ("P_5", ["P@5"]),
        ("P.5,10", ["P@5", "P@10"]),
        ("P", [f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        ("success", ["Success@1", "Success@5", "Success@10"]),
        ("set_F", ["SetF"]),
        ("set_F.0.5", ["SetF(beta=0.5)"]),
        ("set_F_0.5", ["SetF(beta=0.5)"]),
        ("num_nonrel_judged_ret", ["NumNonrelRet"]),
        ("gm_map", ["GMAP"]),
        ("gm_bpref", ["GMBpref"]),
        ("iprec_at_recall", [f"IPrec@{i / 10}" for i in range(11)]),
        ("iprec_at_recall.0.25,0.5", ["IPrec@0.25", "IPrec@0.5"]),
        ("iprec_at_recall_0.10", ["IPrec@0.1"]),
        ("11pt_avg", ["AvgIPrec"]),
        (
            "Rprec_mult",
            [f"Rprec(mult={m})" if m != 1 else "Rprec" for m in (0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2.0)],
        ),
        ("Rprec_mult_0.20", ["Rprec(mult=0.2)"]),
        ("Rprec_mult.0.2,.5", ["Rprec(mult=0.2)", "Rprec(mult=0.5)"]),
        ("ndcg.1=3,2=7", ["nDCG(gains={1: 3.0, 2: 7.0}, others='gain')"]),
        ("ndcg_1=3,2=7", ["nDCG(gains={1: 3.0, 2: 7.0}, others='gain')"]),
        ("dcg.1=3", ["DCG(gains={1: 3.0}, others='gain')"]),
        ("ideal_dcg.1=3", ["IdealDCG(gains={1: 3.0}, others='gain')"]),
        ("ndcg_rel.1=3", ["nDCGRel(gains={1: 3.0}, others='gain')"]),
        ("Rndcg.1=3", ["RnDCG(gains={1: 3.0}, others='gain')"]),
        ("G.1=3", ["G(gains={1: 3.0}, others='gain')"]),
        ("ndcg_rel", ["nDCGRel"]),
        ("utility", ["Utility"]),
        ("utility.1,-1,0,0", ["Utility"]),
        ("utility.2,-1,.5,-.25", ["Utility(a=2.0, c=0.5, d=-0.25)"]),
        ("relative_P.5", ["RelP@5"]),
        ("set_relative_P", ["SetRelP"]),
        ("set_map", ["SetAP"]),
        ("rbp", ["RBP(p=0.9, gmax='query')"]),
        ("rbp.p=.5", ["RBP(p=0.5, gmax='query')"]),
        ("rbp_p=0.5", ["RBP(p=0.5, gmax='query')"]),
        ("rbp_resid.p=.5", ["RBPResidual(p=0.5)"]),
        ("unj", ["Unj@5", "Unj@10", "Unj@20"]),
        ("yaap", ["Yaap"]),
        ("binG", ["BinG"]),
    ],
)
def test_a_name_of_trec_eval_is_read(name: str, ours: list[str]) -> None:
    assert [str(m) for m in rs.parse_measures([name])] == ours


def test_every_name_of_trec_eval_comes_back_from_its_measures() -> None:
    for stem in TREC_NAMES:
        for shown, measure in expand_trec(stem, None):
            assert rs.parse_measures([shown]) == [measure]
            # One measure has two names there: Rprec_mult_1.00 is Rprec.
            assert trec_name(measure) == ("Rprec" if shown == "Rprec_mult_1.00" else shown)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("AP@7", "map_cut_7"),
        ("IPrec@0.25", "iprec_at_recall_0.25"),
        ("IPrec@0.5", "iprec_at_recall_0.50"),
        ("RelP@7", "relative_P_7"),
        # versions 9 and 10 compute them in two ways under one name
        ("IPrec(rounding='plus_point_nine')@0.1", "iprec_at_recall_0.10"),
        ("AvgIPrec(rounding='plus_point_nine')", "11pt_avg"),
        ("Unj@7", "unj_7"),
        ("Success@2", "success_2"),
    ],
)
def test_a_parameter_that_is_not_printed_by_default_is_named_as_trec_eval_does(name: str, shown: str) -> None:
    assert trec_name(rs.parse_measure(name)) == shown


def test_a_recall_of_three_digits_is_shown_with_two_as_trec_eval_prints_it() -> None:
    assert trec_name(IPrec(recall=0.125)) == "iprec_at_recall_0.12"


@pytest.mark.parametrize(
    ("text", "stem", "tail"),
    [
        ("Rprec_mult_0.20", "Rprec_mult", "0.20"),
        ("Rprec", "Rprec", None),
        ("ndcg_cut_10", "ndcg_cut", "10"),
        ("ndcg_1=3,2=7", "ndcg", "1=3,2=7"),
        ("set_P", "set_P", None),
        ("set_F.0.5", "set_F", "0.5"),
        ("rbp_resid_p=.5", "rbp_resid", "p=.5"),
        ("map.5", "map", "5"),
    ],
)
def test_the_longest_name_that_fits_is_the_one_that_is_meant(text: str, stem: str, tail: str | None) -> None:
    assert split_trec(text) == (stem, tail)


def test_gains_are_a_table_that_nobody_can_change_and_in_whatever_order_the_same() -> None:
    given = {2: 7, 1: 3}
    measure = nDCG(gains=given)
    given[1] = 99
    assert str(measure) == "nDCG(gains={1: 3, 2: 7})"
    assert measure == nDCG(gains={1: 3.0, 2: 7.0})
    assert hash(measure) == hash(nDCG(gains={1: 3.0, 2: 7.0}))
    assert len({measure, nDCG(gains={1: 3, 2: 7}), nDCG()}) == 2


@pytest.mark.parametrize(
    "name", ["ERR@20", "AP(rel=2)", "AP(rel=2)@5", "nDCG(gain='exp')@10", "RBP(p=0.8)", "SetF(beta=0.3)"]
)
def test_a_measure_that_trec_eval_cannot_name_keeps_our_name(name: str) -> None:
    assert trec_name(rs.parse_measure(name)) == name


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (RBP(), "RBP(p=0.8)"),  # p is always shown: everybody sets it differently
        (nDCG(cutoff=10), "nDCG@10"),
        (nDCG(gain="exp"), "nDCG(gain='exp')"),
        (AP(rel=2, cutoff=100), "AP(rel=2)@100"),
        (SetF(), "SetF"),
        (ERR(gmax=4, cutoff=20), "ERR(gmax=4)@20"),
        (IPrec(recall=0.1), "IPrec@0.1"),
        (IPrec(recall=1), "IPrec@1"),
        (IPrec(recall=1e-9), "IPrec@1e-09"),
        (nDCG(gains={2: 7, 1: 3}, cutoff=5), "nDCG(gains={1: 3, 2: 7})@5"),
        (RBP(p=0.9, gmax="query"), "RBP(p=0.9, gmax='query')"),
        (Utility(), "Utility"),
        (Utility(b=-0.5), "Utility(b=-0.5)"),
        (Rprec(mult=0.2), "Rprec(mult=0.2)"),
        (SetAP(rel=2), "SetAP(rel=2)"),
    ],
)
def test_a_cutoff_and_whatever_differs_from_the_default_is_printed(measure: rs.Measure, name: str) -> None:
    assert str(measure) == name


def test_a_measure_named_twice_is_computed_once() -> None:
    assert [str(m) for m in rs.parse_measures(["map", "AP", AP(), "MAP", "P@5", "P.5"])] == ["AP", "P@5"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NDGC@10", r"'NDGC@10'; .*nDCG@10\?"),
        ("Sucess@5", r"did you mean Success@5\?"),
        ("recip_rnk", r"unknown measure 'recip_rnk'"),
        ("AP(rle=2)", r"AP 'rle'; .*rel\?"),
        ("nDCG(p=0.5)", "nDCG 'p'"),
    ],
)
def test_a_misspelt_name_gets_the_nearest_one(name: str, message: str) -> None:
    with pytest.raises(rs.UnknownName, match=message):
        rs.parse_measure(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "cannot read .*''"),
        ("@10", "cannot read .*'@10'"),
        ("AP(rel=2", r"cannot read .*'AP\(rel=2'"),
        ("AP)", "cannot read the measure"),
        ("nDCG@", "cutoff is ''"),
        ("nDCG@ten", "cutoff is 'ten'"),
        ("nDCG@-1", "cutoff is '-1'"),
        ("nDCG@1.5", "cutoff is '1.5'"),
        ("AP@5@6", "cutoff is '5@6'"),
        ("nDCG@٣", "cutoff is '٣'"),  # digits that are no ASCII digits
        ("P@0", "cutoff is 0, .* 1"),
        ("P(cutoff=True)", "cutoff is True"),
        ("P()", "P .*cutoff, .*P@10"),
        ("R(rel=2)", "R .*cutoff, .*R@10"),
        ("P", "'P' .*9 measures"),
        ("NumRet@5", "NumRet takes no cutoff"),
        ("Bpref@5", "Bpref takes no cutoff"),
        ("AP(2)", "cannot read the parameters"),
        ("AP(rel=)", "cannot read the parameters"),
        ("AP(rel=two)", "a word needs quotes"),
        ("AP(**{'rel': 2})", "cannot read the parameters"),
        ("AP(rel=2)(rel=3)", "cannot read the parameters"),
        ("AP(rel=__import__('os'))", "cannot read the parameters"),
        ("AP(rel=0)", "rel is 0, .* above 0"),
        ("AP(rel=-1)", "rel is -1"),
        ("AP(rel=-0.5)", "rel is -0.5"),
        ("AP(rel='2')", "rel is '2'"),
        ("RBP(p=1.0)", "p is 1.0, .*0 and 1"),
        ("RBP(p=0.0)", "p is 0.0"),
        ("RBP(p='0.8')", "p is '0.8'"),
        ("RBP(rel=1, gmax=2)", "no gmax beside rel"),
        ("ERR(gmax=0)", "gmax is 0, .* 1"),
        ("SetF(beta=-1)", "beta is -1, .* 0"),
        ("nDCG(gain='cubic')", "gain is 'cubic', .*'linear', 'exp' or 'binary'"),
        ("nDCG(dcg='cubic')", "dcg is 'cubic', .*'log2' .*'exp-log2'"),
        ("map.5", "map takes no parameters"),
        ("ndcg_cut.x", r"ndcg_cut\.x: cannot read 'x'"),
        ("P_0", "cutoff is 0"),
        ("P.5,", "cannot read ''"),
        ("P.1_0", "cannot read '1_0'"),
        ("P. 5", "cannot read ' 5'"),
        ("P.٣", "cannot read '٣'"),
        ("IPrec", "IPrec .*recall, .*IPrec"),
        ("IPrec@1.5", "recall is 1.5, .*0 to 1"),
        ("IPrec@-0.1", "recall is '-0.1'"),
        ("IPrec@nan", "recall is 'nan'"),
        ("IPrec(recall=0.1)@0.2", "recall .*twice"),
        ("IPrec(rounding='up')@0.2", "rounding is 'up', .*half_up, plus_point_nine"),
        ("iprec_at_recall.x", "cannot read 'x'"),
        ("iprec_at_recall.2", "recall is 2.0, .*0 to 1"),
        ("iprec_at_recall.nan", "cannot read 'nan'"),
        ("Rprec(mult=0)", "mult is 0, .* 0"),
        ("Rprec(mult='2')", "mult is '2', .* 0"),
        ("Rprec_mult.0.2,x", "cannot read 'x'"),
        ("nDCG(gains={1: 'a'})", "gains is {1: 'a'}"),
        ("nDCG(gains={'x': 2})", "gains is {'x': 2}"),
        ("nDCG(gains=[1, 2])", r"gains is \[1, 2\]"),
        ("nDCG(gains={1: 1e999})", "gains is {1: inf}"),
        ("nDCG(gains={True: 1})", "gains is {True: 1}"),
        ("ndcg.1", "cannot read '1', .*ndcg.1=3,2=7"),
        ("ndcg.1=3,2=x", "gains .*ndcg.1=3,2=7"),
        ("ndcg.1=3,1=4", "1=3,1=4"),
        ("utility.1,2", "cannot read '1,2', .*utility.1,-1,0,0"),
        ("utility.1,2,3,x", "four .*utility.1,-1,0,0"),
        ("Utility(a='1')", "a is '1'"),
        ("utility.1,2,3,nan", "cannot read '1,2,3,nan'"),
        ("rbp.0.5", "persistence, .*rbp.p=.5"),
        ("rbp.q=0.5", "persistence, .*rbp.p=.5"),
        ("rbp.p=1.5", "p is 1.5, .*0 and 1"),
        ("RBP(gmax='all')", "gmax is 'all', .*1, .*'query'"),
        ("set_F.x", "cannot read 'x'"),
        ("set_F.-1", "beta is -1.0, .* 0"),
        ("unj.x", "cannot read 'x'"),
        ("Unj", "'?Unj'? (.*cutoff, .*Unj@10|.*3 measures)"),
        ("Yaap@5", "Yaap takes no cutoff"),
        ("gm_map.5", "gm_map takes no parameters"),
        # a cutoff there would have no effect
        ("nDCGRel@5", "nDCGRel takes no cutoff"),
        ("RnDCG@5", "RnDCG takes no cutoff"),
        ("G@5", "G takes no cutoff"),
        ("BinG@5", "BinG takes no cutoff"),
        ("AP(norm='max')", "AP: norm is 'max', .*'R', 'min' .*'found'"),
        ("AP(norm='min')", r"norm is 'min', .*AP\(norm='min'\)@10"),
        ("F", "F .*cutoff, .*F@10"),
        ("F(beta=-1)@5", "F: beta is -1, .* 0"),
        ("alpha_nDCG(alpha=1.5)", "alpha is 1.5, .*0 to 1"),
        ("alpha_DCG", "alpha_DCG needs a cutoff"),
        ("NRBP(beta=1)", "beta is 1, .*0 and 1"),
        ("NRBP@10", "NRBP takes no cutoff"),
        ("AP_IA@10", "AP_IA takes no cutoff"),
        ("nERR(gmax=0)", "nERR: gmax is 0, .*1 to 1000"),
        # found by looking for what is taken without a word
        ("AP(rel=1, rel=2)", "rel"),
        ("AP(cutoff=5)@6", "cutoff"),
        ("nDCG(dcg='log2', gain='exp')", "gain"),
        ("nDCG(gain=['exp'])@10", "gain is"),
        ("P@" + "9" * 5000, "cutoff"),
        ("SetF(beta=1e999)", "beta is inf"),
    ],
)
def test_a_name_that_is_none_is_refused_with_what_was_expected(name: str, message: str) -> None:
    with pytest.raises(rs.ParameterError, match=message):
        rs.parse_measure(name)


@pytest.mark.parametrize("names", [[5], [None], [b"AP"], [["AP"]]])
def test_what_is_neither_a_name_nor_a_measure_is_refused(names: list[object]) -> None:
    with pytest.raises(rs.ParameterError, match=r"measure .*string .*Measure"):
        rs.parse_measures(names)


def test_a_number_of_numpy_is_a_parameter_as_any_other() -> None:
    """As from a loop over np.linspace: the name must still read back."""
    measure = RBP(p=np.float64(0.5))
    assert str(measure) == "RBP(p=0.5)"
    assert rs.parse_measure(str(measure)) == measure


def test_measures_with_equal_parameters_are_equal_and_hash_alike() -> None:
    assert nDCG(cutoff=10) == nDCG(cutoff=10) != nDCG(cutoff=5)
    assert len({nDCG(cutoff=10), nDCG(cutoff=10), AP(cutoff=10)}) == 2


def test_the_table_is_complete_by_class_and_name() -> None:
    assert all(kind.name == name for name, kind in MEASURES.items())
    assert {"P", "R", "AP", "RR", "nDCG", "ERR", "RBP", "Bpref", "infAP", "Judged", "SetF", "NumRet"} <= set(MEASURES)
    new = {GMAP, GMBpref, IPrec, AvgIPrec, RelP, IdealDCG, nDCGRel, RnDCG, G, BinG, Unj, SetRelP, SetAP, Yaap, Utility}
    assert new <= set(MEASURES.values())
    assert [str(m) for m in parse_measures(["infap", "setp", "NUMRET"])] == ["infAP", "SetP", "NumRet"]


def test_accuracy_is_asked_about_except_where_a_tool_defines_it() -> None:
    for name in ("Accuracy@5", "accuracy", "ACCURACY_5"):
        with pytest.raises(rs.ParameterError, match=r"Success.* or AUC"):
            parse_measures(name)
    qrels, run = {"q": {"a": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    scores = rs.evaluate(qrels, run, "Accuracy", preset="ir_measures")
    assert (scores.measure_names, scores.overall("Accuracy")) == (("AUC",), 0.5)


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("hit@5", "Success@5"), ("Hits@5", "Success@5"), ("hits_3", "Success@3"), ("hit", "Success@10")],
)
def test_a_hit_rate_is_suggested_by_the_names_of_other_tools(name: str, suggestion: str) -> None:
    with pytest.raises(rs.ParameterError, match=f"did you mean {suggestion} "):
        parse_measures(name)
