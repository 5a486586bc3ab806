"""The grammar of names: ours, ir_measures', trec_eval's; and what is said about names that are none."""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs
from rankscope.measures import MEASURES
from rankscope.measures.binary import AP, RR, P, R, SetF, Success
from rankscope.measures.cascade import ERR, RBP
from rankscope.measures.graded import DCG, nDCG
from rankscope.measures.judged import Bpref, Judged
from rankscope.measures.names import TREC_NAMES, parse_measures, trec_name


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
    ],
)
def test_a_name_of_trec_eval_is_read(name: str, ours: list[str]) -> None:
    assert [str(m) for m in rs.parse_measures([name])] == ours


def test_every_name_of_trec_eval_comes_back_from_its_measures() -> None:
    for stem, (_, parameter, _) in TREC_NAMES.items():
        for measure in rs.parse_measures([stem]):
            name = trec_name(measure)
            assert name == (f"{stem}_{measure.cutoff}" if parameter == "cutoff" else stem)  # type: ignore[attr-defined]
            assert rs.parse_measures([name]) == [measure]


@pytest.mark.parametrize("name", ["ERR@20", "AP(rel=2)", "AP(rel=2)@5", "nDCG(gain='exp')@10", "RBP(p=0.8)"])
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
    ],
)
def test_a_cutoff_and_whatever_differs_from_the_default_is_printed(measure: rs.Measure, name: str) -> None:
    assert str(measure) == name


def test_a_measure_named_twice_is_computed_once() -> None:
    assert [str(m) for m in rs.parse_measures(["map", "AP", AP(), "MAP", "P@5", "P.5"])] == ["AP", "P@5"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NDGC@10", r"unknown measure 'NDGC@10'; did you mean nDCG@10\?"),
        ("Sucess@5", r"did you mean Success@5\?"),
        ("recip_rnk", r"unknown measure 'recip_rnk'"),
        ("AP(rle=2)", r"unknown parameter of AP 'rle'; did you mean rel\?"),
        ("nDCG(p=0.5)", "unknown parameter of nDCG 'p'"),
    ],
)
def test_a_misspelt_name_gets_the_nearest_one(name: str, message: str) -> None:
    with pytest.raises(rs.UnknownName, match=message):
        rs.parse_measure(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "cannot read the measure ''"),
        ("@10", "cannot read the measure '@10'"),
        ("AP(rel=2", r"cannot read the measure 'AP\(rel=2'"),
        ("AP)", "cannot read the measure"),
        ("nDCG@", "the cutoff is '', expected a whole number"),
        ("nDCG@ten", "the cutoff is 'ten'"),
        ("nDCG@-1", "the cutoff is '-1'"),
        ("nDCG@1.5", "the cutoff is '1.5'"),
        ("AP@5@6", "the cutoff is '5@6'"),
        ("nDCG@٣", "the cutoff is '٣'"),  # digits that are no ASCII digits
        ("P@0", "cutoff is 0, expected a whole number of at least 1"),
        ("P(cutoff=True)", "cutoff is True, expected a whole number"),
        ("P()", "P needs a cutoff, as in P@10"),
        ("R(rel=2)", "R needs a cutoff, as in R@10"),
        ("P", "'P' stands for 9 measures"),
        ("NumRet@5", "NumRet takes no cutoff; write NumRet without @5"),
        ("Bpref@5", "Bpref takes no cutoff"),
        ("AP(2)", "cannot read the parameters"),
        ("AP(rel=)", "cannot read the parameters"),
        ("AP(rel=two)", "cannot read the parameters"),
        ("AP(**{'rel': 2})", "cannot read the parameters"),
        ("AP(rel=2)(rel=3)", "cannot read the parameters"),
        ("AP(rel=__import__('os'))", "cannot read the parameters"),
        ("AP(rel=0)", "rel is 0, expected a whole number of at least 1"),
        ("AP(rel=-1)", "rel is -1"),
        ("AP(rel=1.5)", "rel is 1.5"),
        ("AP(rel='2')", "rel is '2'"),
        ("RBP(p=1.0)", "p is 1.0, expected a persistence between 0 and 1"),
        ("RBP(p=0.0)", "p is 0.0"),
        ("RBP(p='0.8')", "p is '0.8'"),
        ("RBP(rel=1, gmax=2)", "expected no gmax beside rel"),
        ("ERR(gmax=0)", "gmax is 0, expected a whole number from 1"),
        ("SetF(beta=-1)", "beta is -1, expected a number of at least 0"),
        ("nDCG(gain='cubic')", "gain is 'cubic', expected 'linear' or 'exp'"),
        ("nDCG(dcg='cubic')", "dcg is 'cubic', expected 'log2' or 'exp-log2'"),
        ("map.5", "map takes no parameters; write map"),
        ("ndcg_cut.x", r"expected numbers after ndcg_cut, as in ndcg_cut\.10,20"),
        ("P_0", "cutoff is 0"),
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
    with pytest.raises(rs.ParameterError, match="a measure is named by a string or is a Measure"):
        rs.parse_measures(names)  # type: ignore[arg-type]


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
    assert [str(m) for m in parse_measures(["infap", "setp", "NUMRET"])] == ["infAP", "SetP", "NumRet"]
