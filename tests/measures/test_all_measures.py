"""Properties of all measures: a table says what holds of which, and nothing may be missing from it.

After scikit-learn's test_common.py. A new measure needs its line in TABLE; the tests at the end show that each check
fails on a measure made to break it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import GRADES, Case, cases, random_case, ranked

import rankscope as rs
from rankscope.data.hits import Hits
from rankscope.data.join import Convention
from rankscope.measures import MEASURES
from rankscope.measures.base import Floats, Measure

#: The table of measures before any test or example adds to it.
ALL = dict(MEASURES)


@dataclass(frozen=True)
class Row:
    """What holds of a measure.

    forms: names with parameters; every parameter is set in one of them. tail: unjudged documents below the list change
    nothing. ideal: what exactly the relevant documents in falling order of grade give; None: not normalised.
    deeper: a form with {k}, if the value never falls with a deeper cutoff.
    """

    forms: tuple[str, ...]
    tail: bool = True
    ideal: float | None = None
    deeper: str | None = None


TABLE = {
    "P": Row(("P@1", "P@5", "P(rel=2)@3"), deeper=None),
    "R": Row(("R@100", "R@2", "R(rel=2)@100"), ideal=1, deeper="R@{k}"),
    "Success": Row(("Success@1", "Success@5", "Success(rel=2)@5"), ideal=1, deeper="Success@{k}"),
    "RelP": Row(("RelP@1", "RelP@5", "RelP(rel=2)@3"), ideal=1),
    "AP": Row(("AP", "AP(rel=2)", "AP@100", "AP@3"), ideal=1, deeper="AP@{k}"),
    "GMAP": Row(("GMAP", "GMAP(rel=2)", "GMAP@100", "GMAP@3"), ideal=1, deeper="GMAP@{k}"),
    "IPrec": Row(
        ("IPrec@0.0", "IPrec@0.3", "IPrec@1.0", "IPrec(rounding='plus_point_nine')@0.45", "IPrec(rel=2)@0.5"), ideal=1
    ),
    "AvgIPrec": Row(("AvgIPrec", "AvgIPrec(rel=2)", "AvgIPrec(rounding='plus_point_nine')"), ideal=1),
    "RR": Row(("RR", "RR(rel=2)", "RR@2"), ideal=1, deeper="RR@{k}"),
    "Rprec": Row(("Rprec", "Rprec(rel=2)", "Rprec(mult=0.2)"), ideal=1),
    "nDCG": Row(
        (
            "nDCG",
            "nDCG@3",
            "nDCG(gain='exp')",
            "nDCG(gain='exp')@5",
            "nDCG(gains={1: 7, 2: 3.5})",
            "nDCG(gains={3: 0})@4",
        ),
        ideal=1,
    ),
    "DCG": Row(("DCG", "DCG@3", "DCG(gain='exp')@5", "DCG(gains={1: 7, 2: 3.5})"), deeper="DCG(gain='exp')@{k}"),
    "IdealDCG": Row(("IdealDCG", "IdealDCG@3", "IdealDCG(gain='exp')@5", "IdealDCG(gains={1: 7})")),
    "nDCGRel": Row(("nDCGRel", "nDCGRel(gain='exp')", "nDCGRel(gains={1: 7, 2: 3.5})"), ideal=1),
    "RnDCG": Row(("RnDCG", "RnDCG(rel=2)", "RnDCG(gain='exp')", "RnDCG(gains={1: 7, 2: 3.5})"), tail=False, ideal=1),
    "G": Row(("G", "G(gain='exp')", "G(gains={1: 7, 2: 3.5})"), ideal=1),
    "BinG": Row(("BinG", "BinG(rel=2)"), ideal=1),
    "Q": Row(("Q", "Q(beta=0.3)", "Q(gain='exp')", "Q(gains={1: 7, 2: 3.5}, others='gain')"), ideal=1),
    "ERR": Row(("ERR", "ERR(gmax=12)", "ERR@3"), deeper="ERR@{k}"),
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
    "NumRet": Row(("NumRet",), tail=False),
    "NumRel": Row(("NumRel", "NumRel(rel=2)")),
    "NumRelRet": Row(("NumRelRet", "NumRelRet(rel=2)")),
    "NumNonrelRet": Row(("NumNonrelRet", "NumNonrelRet(rel=2)")),
}
FORMS = [rs.parse_measure(form) for row in TABLE.values() for form in row.forms]
TAILED = [rs.parse_measure(form) for row in TABLE.values() if row.tail for form in row.forms]
#: With a cutoff below R some ideals are below 1 (R@2), and with gains that do not rise with the grade the list in
#: falling order of grade is no ideal one: those at full depth and in that order only.
IDEALS = [
    rs.parse_measure(form)
    for row in TABLE.values()
    if row.ideal == 1
    for form in row.forms
    if form not in ("R@2", "AP@3", "GMAP@3") and "rel=2" not in form and "gains=" not in form
]
DEEPER = [row.deeper for row in TABLE.values() if row.deeper]


def hits_of(case: Case, rel: int = 1) -> Hits:
    """Of a collection of a thousand documents, which Utility asks for."""
    return replace(rs.hits_of(rs.Qrels(case.qrels), rs.Run(case.run), Convention(rel=rel)), collection_size=1000)


def refuse(measure: Measure, bad: Any, why: str, *values: Any) -> None:
    """The one way in which the checks fail."""
    assert not np.any(bad), f"{measure}: {why}: {values}"


def expect_same(measure: Measure, a: Floats, b: Floats, why: str) -> None:
    refuse(measure, a.shape != b.shape or not np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True), why, a, b)


# --- the checks: each takes measures and a case, and fails with the measure's name -----------------------------------


def check_range(measures: Sequence[Measure], case: Case) -> None:
    hits = hits_of(case)
    for measure in measures:
        values = measure(hits)
        low, high = measure.range
        refuse(measure, values.shape != (len(hits),) or values.dtype != np.float64, "one float64 a query", values)
        refuse(measure, ~np.isfinite(values), "not finite", values)
        refuse(measure, (values < low) | (values > high + 1e-12), f"outside [{low}, {high}]", values)


def check_deeper(forms: Sequence[str], case: Case) -> None:
    hits = hits_of(case)
    for form in forms:
        deepening = [rs.parse_measure(form.format(k=k)) for k in (1, 2, 3, 4, 5, 7, 10, 50)]
        values = np.stack([measure(hits) for measure in deepening])
        refuse(deepening[0], values[1:] < values[:-1] - 1e-15, "falls with a deeper cutoff", values)


def check_renaming(measures: Sequence[Measure], case: Case) -> None:
    """case: without ties. The new names sort the other way round, and so do the documents in the dicts."""

    def renamed(docs: dict[str, Any]) -> dict[str, Any]:
        return {f"x{''.join(chr(0x10000 - ord(c) % 0x5000) for c in d)}y": v for d, v in reversed(list(docs.items()))}

    other = Case({q: renamed(d) for q, d in case.qrels.items()}, {q: renamed(d) for q, d in case.run.items()})
    for measure in measures:
        expect_same(measure, measure(hits_of(case)), measure(hits_of(other)), "changed by renaming documents")


def check_input_order(measures: Sequence[Measure], case: Case) -> None:
    def turned(lists: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {q: dict(reversed(docs.items())) for q, docs in reversed(lists.items())}

    hits, other = hits_of(case), hits_of(Case(turned(case.qrels), turned(case.run)))
    assert hits.query_ids == other.query_ids
    for measure in measures:
        expect_same(measure, measure(hits), measure(other), "changed by the order of the input")


def check_tail(measures: Sequence[Measure], case: Case) -> None:
    hits = hits_of(case)
    longer = {
        q: {**docs, **{f"unseen-{i}": min(docs.values(), default=0.0) - 1.0 - i for i in range(3)}}
        for q, docs in case.run.items()
    }
    other = hits_of(Case(case.qrels, longer))
    for measure in measures:
        expect_same(measure, measure(hits), measure(other), "changed by unjudged documents at the tail")


def check_ideal(measures: Sequence[Measure], case: Case) -> None:
    """infAP's smoothing keeps it 0.00001 below 1."""
    best = {
        q: {d: float(g) for d, g in docs.items() if g >= 1} for q, docs in case.qrels.items() if max(docs.values()) >= 1
    }
    if not best:
        return
    hits = hits_of(Case({q: case.qrels[q] for q in best}, best))
    for measure in measures:
        values = measure(hits)
        refuse(measure, np.abs(values - 1) > 2e-5, "the ideal list does not give 1", values)


def check_chunks(measures: Sequence[Measure], case: Case) -> None:
    hits = hits_of(case)
    places = range(len(hits))
    alone = [hits.select([i]) for i in places]
    again = Hits.concat([hits.select([*places[::2]]), *(alone[i] for i in places[1::2])])
    order = [*places[::2], *places[1::2]]
    repeated = hits.select([*reversed(places), 0])
    for measure in measures:
        values = measure(hits)
        expect_same(measure, values, np.concatenate([measure(one) for one in alone]), "other values query by query")
        expect_same(measure, values[order], measure(again), "other values when put together again")
        expect_same(
            measure, values[[*reversed(places), 0]], measure(repeated), "other values when queries are selected"
        )


#: Behind every other id in the order of bytes.
LAST = "\U0010fffd"


def check_other_queries(measures: Sequence[Measure], case: Case) -> None:
    """A query before and one behind all others, with grades that were there already."""
    grades = {g for docs in case.qrels.values() for g in docs.values()}
    judged = {f"o{i}": g for i, g in enumerate(sorted(grades))}
    more = Case(
        {"!": judged, **case.qrels, LAST: judged}, {**case.run, LAST: {d: float(len(d)) for d in [*judged, "unseen"]}}
    )
    assert [*hits_of(more).query_ids] == ["!", *hits_of(case).query_ids, LAST]
    for measure in measures:
        expect_same(measure, measure(hits_of(case)), measure(hits_of(more))[1:-1], "changed by another query")


def check_used(measures: Sequence[Measure], case: Case) -> None:
    """A value rests on the relevant documents retrieved within the cutoff."""
    hits = hits_of(case)
    for measure in measures:
        level = getattr(measure, "rel", None) or getattr(measure, "gmin", 0) + 1
        cutoff = min((k for name in ("cutoff", "depth") if (k := getattr(measure, name, None))), default=None)
        expected = [
            sum(case.qrels[q].get(d, 0) >= level for d in ranked(case.run.get(q, {}))[:cutoff]) for q in hits.query_ids
        ]
        expect_same(measure, measure.used(hits), np.array(expected, float), "rests on another number of documents")


def check_missing(measures: Sequence[Measure], case: Case) -> None:
    """A query without a list scores as one with an empty list."""
    listed = {**{q: {} for q in case.qrels}, **case.run}
    hits, other = hits_of(case), hits_of(Case(case.qrels, listed))
    for measure in measures:
        expect_same(measure, measure(hits), measure(other), "a missing query is no empty ranking")


def check_pure(measures: Sequence[Measure], case: Case) -> None:
    hits = hits_of(case)
    before = copy.deepcopy({f.name: getattr(hits, f.name) for f in fields(hits) if not f.name.startswith("_")})
    for measure in measures:
        values = measure(hits)
        expect_same(measure, values, measure(hits), "another value when called again")
        for name, array in before.items():
            refuse(measure, not np.array_equal(array, getattr(hits, name)), f"changed hits.{name}")


def check_name(measures: Sequence[Measure], case: Case | None = None) -> None:
    for measure in measures:
        refuse(measure, rs.parse_measure(str(measure)) != measure, "its name reads back as another measure")


def check_rel(measures: Sequence[Measure], case: Case) -> None:
    """Where a measure has `rel`, asking for it by the measure or by the evaluation is the same."""
    for measure in measures:
        parameters = {f.name: getattr(measure, f.name) for f in fields(measure)}
        if measure.name != "RBP" and parameters.get("rel", 0) is None:  # RBP without rel has graded gain
            asked = type(measure)(**{**parameters, "rel": 2})
            expect_same(
                measure, measure(hits_of(case, 2)), asked(hits_of(case)), "rel=2 of measure and evaluation differ"
            )


CHECKS: dict[Callable[..., None], tuple[Sequence[Any], st.SearchStrategy[Case]]] = {
    check_range: (FORMS, cases()),
    check_deeper: (DEEPER, cases()),
    check_renaming: (FORMS, cases(ties=False)),
    check_input_order: (FORMS, cases()),
    check_tail: (TAILED, cases()),
    check_ideal: (IDEALS, cases()),
    check_chunks: (FORMS, cases()),
    check_other_queries: (FORMS, cases()),
    check_used: (FORMS, cases()),
    check_missing: (FORMS, cases()),
    check_pure: (FORMS, cases(max_queries=2)),
    check_rel: (FORMS, cases()),
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
        "cutoff": whole,
        "rel": whole,
        "gmax": st.integers(1, 1000) | (st.just("query") if kind.name == "RBP" else st.nothing()),
        "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
        "beta": st.floats(0, 1e17) | st.integers(0, 9),
        "gain": st.sampled_from(["linear", "exp"]),
        "gains": st.dictionaries(st.integers(-3, 99), st.floats(-1e17, 1e17) | st.integers(-9, 999), max_size=4),
        "recall": st.floats(0, 1) | st.sampled_from([0, 1, 1e-9, 5e-324]),
        "mult": st.floats(1e-9, 10),
        "rounding": st.sampled_from(["half_up", "plus_point_nine"]),
        "gmin": st.integers(0, 1000),
        "depth": whole,
        "T": st.floats(0.25, 1e17) | st.integers(1, 9),
        "normalize": st.booleans(),
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
    measure = kind(**chosen)
    check_name([measure])
    assert hash(rs.parse_measure(str(measure))) == hash(measure)


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
    never = {"AP", "GMAP", "RR", "R", "Success", "RBP", "ERR", "DCG"}
    assert never == {name for name, row in TABLE.items() if row.deeper}


def test_whatever_is_bounded_by_1_says_what_the_ideal_list_gives_or_is_known_to_have_no_ideal_of_1() -> None:
    bounded = {name for name, kind in ALL.items() if kind.range == (0.0, 1.0)}
    not_normalised = {"P", "ERR", "RBP", "RBPResidual", "Unj"}
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
        assert kind.higher_is_better is (None if name in neither else name not in ("RBPResidual", "Unj"))


def test_measures_are_frozen_and_take_keywords_only() -> None:
    for measure in FORMS:
        with pytest.raises(AttributeError):
            measure.cutoff = 3  # type: ignore[attr-defined]
        with pytest.raises(TypeError):
            type(measure)(3)  # type: ignore[call-arg]


# --- each check fails on a measure made to break it -------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Wrong(Measure):
    """Relevant documents retrieved over judged ones, correct but for what a subclass breaks."""

    name: ClassVar[str] = "Wrong"
    source: ClassVar[str] = "made to fail"

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(1)) / np.maximum(np.diff(hits.grade_offsets), 1)


class TooLarge(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits) + 1.5


class NotANumber(Wrong):
    def values(self, hits: Hits) -> Floats:
        return np.where(hits.missing, np.nan, super().values(hits))


class OneNumber(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits)[:1]


class ByOrderOfJudgments(Wrong):
    """As a measure whose ties are broken by where a document stood in the input."""

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.judged / 100)


class OverAllRetrieved(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / np.maximum(hits.retrieved, 1)


class Halved(Wrong):
    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / 2


class OverAllQueries(Wrong):
    """As a measure that looks at the best query of a chunk."""

    def values(self, hits: Hits) -> Floats:
        return super().values(hits) / (1 + len(hits))


class RestsOnAll(Wrong):
    def used(self, hits: Hits) -> Floats:
        return hits.retrieved.astype(np.float64)


class HalfForMissing(Wrong):
    def values(self, hits: Hits) -> Floats:
        return np.where(hits.missing, 0.5, super().values(hits))


CALLS: list[int] = []


class Counting(Wrong):
    def values(self, hits: Hits) -> Floats:
        CALLS.append(1)
        return super().values(hits) / len(CALLS)


class Changing(Wrong):
    def values(self, hits: Hits) -> Floats:
        values = super().values(hits)
        object.__setattr__(hits, "relevance", np.ones_like(hits.relevance))
        return values


@dataclass(frozen=True, kw_only=True)
class DeafToRel(Wrong):
    """To that of the evaluation."""

    rel: int | None = None

    def values(self, hits: Hits) -> Floats:
        return hits.sum(hits.relevant(self.rel or 1))


@dataclass(frozen=True, kw_only=True)
class Nameless(Wrong):
    depth: int = 3

    def __str__(self) -> str:
        return "Wrong"


MANY = random_case(1, 40, scores=None)
COUNTEREXAMPLES: list[tuple[Callable[..., None], Any]] = [
    (check_range, TooLarge()),
    (check_range, NotANumber()),
    (check_range, OneNumber()),
    (check_deeper, "P@{k}"),
    (check_deeper, "nDCG@{k}"),
    (check_renaming, ByOrderOfJudgments()),
    (check_input_order, ByOrderOfJudgments()),
    (check_tail, OverAllRetrieved()),
    (check_tail, rs.parse_measure("SetP")),
    (check_ideal, Halved()),
    (check_ideal, rs.parse_measure("P@50")),
    (check_chunks, OverAllQueries()),
    (check_other_queries, OverAllQueries()),
    (check_used, RestsOnAll()),
    (check_missing, HalfForMissing()),
    (check_pure, Counting()),
    (check_pure, Changing()),
    (check_rel, DeafToRel()),
    (check_name, Nameless(depth=4)),
]


@pytest.mark.parametrize(
    ("check", "wrong"),
    COUNTEREXAMPLES,
    ids=lambda x: getattr(x, "__name__", x if isinstance(x, str) else type(x).__name__),
)
def test_each_check_fails_on_a_measure_made_to_break_it(
    check: Callable[..., None], wrong: Any, own_measures: None
) -> None:
    if isinstance(wrong, Wrong):
        MEASURES["Wrong"] = Nameless if check is check_name else type(wrong)
    with pytest.raises(AssertionError, match=r"^\S+: "):
        check([wrong], MANY)


def test_each_check_has_a_counterexample() -> None:
    assert {check for check, _ in COUNTEREXAMPLES} == {*CHECKS, check_name}


def test_renaming_changes_values_where_documents_are_tied() -> None:
    """Why that check is made without ties: with them, the names decide."""
    tied = Case({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}})
    with pytest.raises(AssertionError, match="RR: changed by renaming"):
        check_renaming([rs.parse_measure("RR")], tied)


def test_the_cases_reach_what_the_checks_are_about() -> None:
    assert min(GRADES) < 0 < max(GRADES)
    assert any(q not in MANY.run for q in MANY.qrels)
    assert any(len(docs) > 20 for docs in MANY.run.values())
