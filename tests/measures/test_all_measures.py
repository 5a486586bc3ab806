"""Properties of all measures: a table says what holds of which, and nothing may be missing from it.

After scikit-learn's test_common.py. A new measure needs its line in TABLE. The checks are in `properties.py`;
`test_properties.py` shows that each fails on a measure made to break it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measures import properties
from measures.properties import (
    check_averages,
    check_best_grade,
    check_chunks,
    check_deeper,
    check_ideal,
    check_input_order,
    check_missing,
    check_name,
    check_other_queries,
    check_plain,
    check_pure,
    check_range,
    check_rel,
    check_renaming,
    check_tail,
    check_used,
)
from strategies import Case, cases, random_case

import rankscope as rs
from rankscope.measures import MEASURES

#: The table of measures before any test or example adds to it.
ALL = dict(MEASURES)


@dataclass(frozen=True)
class Row:
    """What holds of a measure.

    forms: names with parameters; every parameter is set in one of them. tail: unjudged documents below the list change
    nothing. ideal: what exactly the relevant documents in falling order of grade give; None: not normalised.
    deeper: a form with {k}, if the value never falls with a deeper cutoff. counted: it rests on the relevant documents
    up to the cutoff.
    """

    forms: tuple[str, ...]
    tail: bool = True
    ideal: float | None = None
    deeper: str | None = None
    counted: bool = True


TABLE = {
    "P": Row(
        ("P@1", "P@5", "P(rel=2)@3", "P@size", "P@mean", "P@median", "P@recall=0.3", "P(scale='permille')@3"),
        deeper=None,
    ),
    # F is 1 only where k = R
    "F": Row(("F@3", "F(beta=2)@5", "F(beta=0.5, rel=2)@100", "F(beta=0)@2")),
    "R": Row(
        ("R@100", "R@2", "R(rel=2)@100", "R@size", "R@recall=1.0", "R(scale='permille')@100"), ideal=1, deeper="R@{k}"
    ),
    "Success": Row(("Success@1", "Success@5", "Success(rel=2)@5"), ideal=1, deeper="Success@{k}"),
    "RelP": Row(("RelP@1", "RelP@5", "RelP(rel=2)@3"), ideal=1),
    "AP": Row(
        (
            *("AP", "AP(rel=2)", "AP@100", "AP@3", "AP(norm='min')@3", "AP(norm='found')", "AP(norm='found', rel=2)@3"),
            *("AP@size", "AP(norm='min')@recall=0.5", "AP(norm='found')@mean", "AP(norm='min')@median"),
            *("AP(scale='percentile')", "AP(scale='permille', norm='min')@mean"),
        ),
        ideal=1,
        deeper="AP@{k}",
    ),
    "GMAP": Row(
        (
            *("GMAP", "GMAP(rel=2)", "GMAP@100", "GMAP@3", "GMAP(norm='min')@3", "GMAP(norm='found')"),
            "GMAP(scale='percentile')",
        ),
        ideal=1,
        deeper="GMAP@{k}",
    ),
    "IPrec": Row(
        ("IPrec@0.0", "IPrec@0.3", "IPrec@1.0", "IPrec(rounding='plus_point_nine')@0.45", "IPrec(rel=2)@0.5"), ideal=1
    ),
    "AvgIPrec": Row(("AvgIPrec", "AvgIPrec(rel=2)", "AvgIPrec(rounding='plus_point_nine')"), ideal=1),
    "RR": Row(("RR", "RR(rel=2)", "RR@2"), ideal=1, deeper="RR@{k}"),
    "Rprec": Row(("Rprec", "Rprec(rel=2)", "Rprec(mult=0.2)"), ideal=1, counted=False),  # those in the first R
    # an unjudged document below a relevant one is one more pair in the right order
    "AUC": Row(("AUC", "AUC(rel=2)", "AUC@4"), tail=False, ideal=1),
    "nDCG": Row(
        (
            *("nDCG", "nDCG@3", "nDCG(gain='exp')", "nDCG(gain='exp')@5", "nDCG(discount='natural')@4"),
            *("nDCG(discount='jk')@4", "nDCG(discount='jk', base=3)", "nDCG(discount='jk', base=2.5, gain='exp')@5"),
            *("nDCG(ideal='listed')", "nDCG(ideal='listed', discount='natural')@3"),
            *("nDCG@size", "nDCG(gain='exp')@recall=0.5", "nDCG(short='zero')@3", "nDCG@median"),
            *("nDCG(scale='percentile')", "nDCG(gain='exp', scale='permille')@3", "nDCG(scale='permille')@mean"),
            *("nDCG(gains={1: 7, 2: 3.5, 3: 4, 12: 1})", "nDCG(gains={1: 7, 2: 3.5}, others='gain')"),
            *("nDCG(gains={3: 0}, others='gain')@4", "nDCG(gains={1: 2, 2: 0.5}, others='gain', ideal='listed')@3"),
        ),
        ideal=1,
    ),
    "DCG": Row(
        (
            *("DCG", "DCG@3", "DCG(gain='exp')@5", "DCG(gains={1: 7, 2: 3.5}, others='gain')"),
            *("DCG(discount='natural')", "DCG(discount='jk', base=3)@5", "DCG(gains={1: 7, 2: 3, 3: 4, 12: 0})@6"),
        ),
        deeper="DCG(gain='exp')@{k}",
    ),
    "IdealDCG": Row(
        (
            *("IdealDCG", "IdealDCG@3", "IdealDCG(gain='exp')@5", "IdealDCG(gains={1: 7}, others='gain')"),
            *("IdealDCG(discount='natural')", "IdealDCG(discount='jk', base=3)@5"),
        )
    ),
    "nDCGRel": Row(("nDCGRel", "nDCGRel(gain='exp')", "nDCGRel(gains={1: 7, 2: 3.5}, others='gain')"), ideal=1),
    "RnDCG": Row(
        ("RnDCG", "RnDCG(rel=2)", "RnDCG(gain='exp')", "RnDCG(gains={1: 7, 2: 3.5}, others='gain')"),
        tail=False,
        ideal=1,
    ),
    "G": Row(("G", "G(gain='exp')", "G(gains={1: 7, 2: 3.5}, others='gain')"), ideal=1),
    "BinG": Row(("BinG", "BinG(rel=2)"), ideal=1),
    "Q": Row(("Q", "Q(beta=0.3)", "Q(gain='exp')", "Q(gains={1: 7, 2: 3.5}, others='gain')"), ideal=1),
    "ERR": Row(("ERR", "ERR(gmax=12)", "ERR@3"), deeper="ERR@{k}"),
    "nERR": Row(("nERR", "nERR(gmax=14)", "nERR@3"), ideal=1),
    "RBP": Row(
        ("RBP(p=0.8)", "RBP(p=0.5, rel=2)", "RBP(p=0.95, gmax=14)@3", "RBP(p=0.9, gmax='query')"),
        deeper="RBP(p=0.8)@{k}",
    ),
    "RBPResidual": Row(("RBPResidual(p=0.8)", "RBPResidual(p=0.5)@3")),
    "SDCG": Row(("SDCG@3", "SDCG(gmin=1, gmax=14)@5", "SDCG(depth=4)@10")),
    "INST": Row(("INST", "INST(T=3)", "INST(T=0.25, gmin=1, gmax=14, depth=4)")),
    "INSQ": Row(("INSQ", "INSQ(T=0.1)", "INSQ(T=3, gmin=1, gmax=14, depth=4)")),
    "BPM": Row(("BPM@3", "BPM(T=0.5)@100", "BPM(T=2, gmin=1, gmax=14, depth=4)@10")),
    "NERR8": Row(("NERR8@3", "NERR8(gmin=1, gmax=14)@5", "NERR8(depth=4)@10")),
    "NERR9": Row(("NERR9@3", "NERR9(gmin=1, gmax=14)@5", "NERR9(depth=4)@10")),
    "NERR10": Row(("NERR10", "NERR10(p=0.5)", "NERR10(gmin=1, gmax=14, depth=4)")),
    "NERR11": Row(("NERR11", "NERR11(T=0.1)", "NERR11(T=3, gmin=1, gmax=14, depth=4)")),
    "Compat": Row(("Compat", "Compat(p=0.5)", "Compat(p=0.9, normalize=False)"), tail=False, ideal=1),
    # of diversity: those over a greedy ideal have no bound, as it is not always the best; the list in falling order of
    # grade is no ideal one of theirs; and those over the most that k documents could have may fall with a deeper cutoff
    "alpha_nDCG": Row(("alpha_nDCG", "alpha_nDCG@3", "alpha_nDCG(alpha=0.2, rel=2)@5", "alpha_nDCG(alpha=1)")),
    "alpha_DCG": Row(("alpha_DCG@3", "alpha_DCG(alpha=0, rel=2)@100", "alpha_DCG(alpha=0.9)@1")),
    "ERR_IA": Row(("ERR_IA@3", "ERR_IA(alpha=0.1, rel=2)@100", "ERR_IA(alpha=1.0)@2")),
    "nERR_IA": Row(("nERR_IA", "nERR_IA@3", "nERR_IA(alpha=0.3, rel=2)@5", "nERR_IA(alpha=0)@2")),
    "NRBP": Row(("NRBP", "NRBP(alpha=0.2, beta=0.8)", "NRBP(alpha=0, beta=0.95, rel=2)")),
    "nNRBP": Row(("nNRBP", "nNRBP(alpha=0.2, beta=0.8)", "nNRBP(alpha=1, beta=0.1, rel=2)")),
    "AP_IA": Row(("AP_IA", "AP_IA(rel=2)")),
    "P_IA": Row(("P_IA@1", "P_IA@5", "P_IA(rel=2)@3")),
    "StRecall": Row(("StRecall@100", "StRecall@2", "StRecall(rel=2)@3"), ideal=1, deeper="StRecall@{k}"),
    "Bpref": Row(("Bpref", "Bpref(rel=2)"), ideal=1),
    "GMBpref": Row(("GMBpref", "GMBpref(rel=2)"), ideal=1),
    "infAP": Row(("infAP", "infAP(rel=2)"), ideal=1),
    "Judged": Row(("Judged", "Judged@3"), tail=False, ideal=1),
    "Unj": Row(("Unj@1", "Unj@5"), tail=False),
    "SetP": Row(("SetP", "SetP(rel=2)"), tail=False, ideal=1),
    "SetRelP": Row(("SetRelP", "SetRelP(rel=2)"), tail=False, ideal=1),
    "SetR": Row(("SetR", "SetR(rel=2)"), ideal=1),
    "SetAP": Row(("SetAP", "SetAP(rel=2)"), tail=False, ideal=1),
    "SetF": Row(("SetF", "SetF(beta=0.5)", "SetF(rel=2)"), tail=False, ideal=1),
    "Yaap": Row(("Yaap", "Yaap(rel=2)")),
    "Utility": Row(("Utility", "Utility(rel=2)", "Utility(a=2.5, b=-0.5, c=-1, d=0.25)"), tail=False),
    "MeanRank": Row(("MeanRank", "MeanRank(rel=2)@5", "MeanRank@mean", "MeanRank(scale='percentile')")),
    "MedianRank": Row(("MedianRank", "MedianRank(rel=2)@5", "MedianRank@size", "MedianRank(scale='permille')@4")),
    "MinRank": Row(("MinRank", "MinRank(rel=2)@5", "MinRank(scale='percentile')@1"), counted=False),  # on one
    "MaxRank": Row(("MaxRank", "MaxRank(rel=2)@5", "MaxRank(scale='percentile')@median"), counted=False),
    "IAP": Row(
        (
            *("IAP", "IAP(rel=2)@5", "IAP(norm='min')@3", "IAP(norm='found')@size", "IAP(scale='percentile')"),
            "IAP(scale='permille', norm='min')@recall=0.5",
        ),
        ideal=1,
    ),
    "PRAUC": Row(
        ("PRAUC", "PRAUC(rel=2)", "PRAUC(interpolated=True)", "PRAUC(scale='percentile', interpolated=True)"), ideal=1
    ),
    "APIntervals": Row(
        (
            *("APIntervals", "APIntervals(rel=2, step=1, depth=7)", "APIntervals(step=2, depth=40)"),
            *("APIntervals(average='geometric')", "APIntervals(step=5, depth=20, average='geometric')"),
        ),
        ideal=1,
    ),
    "AUCIntervals": Row(
        ("AUCIntervals", "AUCIntervals(rel=2, step=1, depth=7)", "AUCIntervals(step=3, depth=30)"), ideal=1
    ),
    # as coded elsewhere: on what they rest is counted as there
    "DunaiskiP": Row(
        (
            *("DunaiskiP@5", "DunaiskiP(rel=2)@mean", "DunaiskiP@recall=0.5", "DunaiskiP(scale='permille')@3"),
            *("DunaiskiP(scale='permille')@median", "DunaiskiP(scale='permille')@recall=0.5"),
        ),
        counted=False,
    ),
    "DunaiskiR": Row(
        ("DunaiskiR@5", "DunaiskiR(rel=2)@mean", "DunaiskiR(scale='permille')@3", "DunaiskiR(scale='permille')@size"),
        counted=False,
    ),
    "DunaiskiAP": Row(
        (
            *("DunaiskiAP", "DunaiskiAP(rel=2)@5", "DunaiskiAP@median", "DunaiskiAP(scale='permille')"),
            *("DunaiskiAP(scale='permille')@4", "DunaiskiAP(scale='permille')@mean"),
        ),
        counted=False,
    ),
    "DunaiskiNDCG": Row(
        (
            *("DunaiskiNDCG", "DunaiskiNDCG(rel=2)@5", "DunaiskiNDCG@median", "DunaiskiNDCG@recall=0.5"),
            *("DunaiskiNDCG(scale='permille')", "DunaiskiNDCG(scale='permille')@4"),
        ),
        counted=False,
    ),
    "DunaiskiIAP": Row(("DunaiskiIAP", "DunaiskiIAP(rel=2)", "DunaiskiIAP(scale='permille')"), counted=False),
    "DunaiskiPRAUC": Row(
        (
            *("DunaiskiPRAUC", "DunaiskiPRAUC(rel=2, interpolated=True)", "DunaiskiPRAUC(scale='permille')"),
            "DunaiskiPRAUC(scale='permille', interpolated=True)",
        ),
        counted=False,
    ),
    "DunaiskiAUC": Row(
        ("DunaiskiAUC", "DunaiskiAUC(rel=2)@5", "DunaiskiAUC@mean", "DunaiskiAUC(scale='permille')"), counted=False
    ),
    "DunaiskiAPIntervals": Row(
        (
            *("DunaiskiAPIntervals", "DunaiskiAPIntervals(rel=2, step=2, depth=40)"),
            "DunaiskiAPIntervals(average='geometric')",
        ),
        counted=False,
    ),
    "DunaiskiAUCIntervals": Row(
        ("DunaiskiAUCIntervals", "DunaiskiAUCIntervals(rel=2, step=2, depth=40)"), counted=False
    ),
    "NumRet": Row(("NumRet",), tail=False),
    "NumRel": Row(("NumRel", "NumRel(rel=2)")),
    "NumRelRet": Row(("NumRelRet", "NumRelRet(rel=2)")),
    "NumNonrelRet": Row(("NumNonrelRet", "NumNonrelRet(rel=2)")),
}
FORMS = [rs.parse_measure(form) for row in TABLE.values() for form in row.forms]
#: A list that grows past the cutoff is not "short" any more.
TAILED = [rs.parse_measure(form) for row in TABLE.values() if row.tail for form in row.forms if "short=" not in form]
#: With a cutoff below R some ideals are below 1 (R@2, StRecall@2), and with gains that do not rise with the grade the
#: list in falling order of grade is no ideal one: those at full depth and in that order only.
IDEALS = [
    rs.parse_measure(form)
    for row in TABLE.values()
    if row.ideal == 1
    for form in row.forms
    if form not in ("R@2", "AP@3", "GMAP@3", "StRecall@2")
    and "rel=2" not in form
    and "gains=" not in form
    and "short=" not in form
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


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@settings(max_examples=60)
@given(data=st.data())
def test_a_property_holds_for_all_measures_of_which_the_table_says_so(
    check: Callable[..., None], data: st.DataObject
) -> None:
    measures, strategy = CHECKS[check]
    check(measures, data.draw(strategy))


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@settings(max_examples=500)
@given(data=st.data())
def test_a_property_holds_on_many_more_inputs(check: Callable[..., None], data: st.DataObject) -> None:
    measures, strategy = CHECKS[check]
    check(measures, data.draw(strategy))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_property_holds_on_longer_lists(check: Callable[..., None]) -> None:
    check(CHECKS[check][0], random_case(3, 25, scores=None))


def test_the_name_of_every_form_reads_back() -> None:
    check_name(FORMS)


@settings(max_examples=800)
@given(data=st.data())
def test_the_name_of_any_measure_reads_back(data: st.DataObject) -> None:
    kind = ALL[data.draw(st.sampled_from(sorted(ALL)))]
    whole = st.integers(1, 10**6)
    values = {
        "cutoff": whole
        | (st.sampled_from(["mean", "median", "size", "recall=0.5"]) if kind.own_cutoffs else st.nothing()),
        "rel": whole,
        "gmax": st.integers(1, 1000) | (st.just("query") if kind.name == "RBP" else st.nothing()),
        "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
        "beta": st.floats(1e-300, 1, exclude_max=True)
        if kind.name.endswith("NRBP")
        else st.floats(0, 1e17) | st.integers(0, 9),
        "alpha": st.floats(0, 1) | st.sampled_from([0, 1]),
        "norm": st.sampled_from(["R", "min", "found"]),
        "others": st.sampled_from(["error", "gain"]),
        "discount": st.sampled_from(["log2", "natural", "jk"]),
        "base": st.floats(1, 1e17, exclude_min=True) | st.integers(2, 99),
        "ideal": st.sampled_from(["judged", "listed"]),
        "short": st.sampled_from(["filled", "zero"]),
        "gain": st.sampled_from(["linear", "exp"]),
        "gains": st.dictionaries(st.integers(-3, 99), st.floats(-1e17, 1e17) | st.integers(-9, 999), max_size=4),
        "recall": st.floats(0, 1) | st.sampled_from([0, 1, 1e-9, 5e-324]),
        "mult": st.floats(1e-9, 10),
        "rounding": st.sampled_from(["half_up", "plus_point_nine"]),
        "gmin": st.integers(0, 1000),
        "depth": st.integers(1, 10**6),
        "T": st.floats(0.25, 1e17) | st.integers(1, 9),
        "normalize": st.booleans(),
        "interpolated": st.booleans(),
        "scale": st.just("permille")
        if kind.name.startswith("Dunaiski")
        else st.sampled_from(["percentile", "permille"]),
        "step": st.integers(10, 1000),
        "average": st.sampled_from(["arithmetic", "geometric"]),
        **dict.fromkeys("abcd", st.floats(-1e17, 1e17) | st.integers(-9, 9)),
    }
    chosen = {}
    for f in fields(kind):
        if f.default is MISSING or data.draw(st.booleans()):
            chosen[f.name] = data.draw(values[f.name])
    if kind.name == "RBP" and {"rel", "gmax"} <= chosen.keys():
        del chosen["gmax"]  # one or the other
    if "gmin" in chosen and chosen["gmin"] >= (chosen.get("gmax") or 1001):
        del chosen["gmin"]  # above gmin
    if kind.name.endswith("Intervals"):
        chosen["depth"] = chosen.get("step", 100) * 7  # no less than the step
    if chosen.get("short") == "zero" or (kind.name == "DunaiskiAUC" and "cutoff" in chosen):
        chosen.pop("scale", None)
    if chosen.get("norm") == "min" or chosen.get("short") == "zero":
        chosen.setdefault("cutoff", 10)
    if "gains" not in chosen:
        chosen.pop("others", None)
    if chosen.get("discount") != "jk":
        chosen.pop("base", None)
    measure = kind(**chosen)
    check_name([measure])
    assert hash(rs.parse_measure(str(measure))) == hash(measure)


def test_every_check_is_made() -> None:
    checks = {check for name, check in vars(properties).items() if name.startswith("check_")}
    assert checks == {*CHECKS, check_name}


# --- the table is complete --------------------------------------------------------------------------------------------


def test_no_measure_is_missing_from_the_table() -> None:
    assert set(TABLE) == set(ALL)
    for name, row in TABLE.items():
        assert {rs.parse_measure(form).name for form in row.forms} == {name}


def test_every_parameter_of_every_measure_is_set_in_some_form() -> None:
    for name, kind in ALL.items():
        forms = [m for m in FORMS if m.name == name]
        for f in fields(kind):
            assert any(getattr(m, f.name) != f.default for m in forms), f"{name}: no form sets {f.name}"


def test_the_measures_of_which_the_design_says_so_never_fall_with_a_deeper_cutoff() -> None:
    never = {"AP", "GMAP", "RR", "R", "Success", "RBP", "ERR", "DCG", "StRecall"}
    assert never == {name for name, row in TABLE.items() if row.deeper}


def test_whatever_is_bounded_by_1_says_what_the_ideal_list_gives_or_is_known_to_have_no_ideal_of_1() -> None:
    bounded = {name for name, kind in ALL.items() if kind.range == (0.0, 1.0)}
    not_normalised = {"P", "F", "ERR", "RBP", "RBPResidual", "Unj"}
    not_normalised |= {"DunaiskiP", "DunaiskiR", "DunaiskiPRAUC"}  # with their defects
    not_normalised |= {"alpha_DCG", "ERR_IA", "NRBP", "AP_IA", "P_IA"}  # falling grades are no ideal of diversity
    not_normalised |= {"SDCG", "INST", "INSQ", "BPM", "NERR8", "NERR9", "NERR10", "NERR11"}  # gain a document read
    assert {name for name, row in TABLE.items() if row.ideal == 1} == bounded - not_normalised


def test_every_measure_says_what_a_user_asks() -> None:
    for name, kind in ALL.items():
        assert kind.name == name
        assert kind.__doc__
        assert kind.source
        assert kind.range[0] < kind.range[1]
        assert kind.summary == ("sum" if name.startswith("Num") else "geometric" if name.startswith("GM") else "mean")
        # Neither is better for how much was retrieved, judged, judged not relevant, or could have been gained.
        neither = {"NumRet", "NumRel", "NumNonrelRet", "IdealDCG"}
        lower = {"RBPResidual", "Unj", "MeanRank", "MedianRank", "MinRank", "MaxRank"}
        assert kind.higher_is_better is (None if name in neither else name not in lower)


def test_measures_are_frozen_and_take_keywords_only() -> None:
    for measure in FORMS:
        with pytest.raises(AttributeError):
            measure.cutoff = 3  # type: ignore[attr-defined]
        with pytest.raises(TypeError):
            type(measure)(3)  # type: ignore[call-arg]
