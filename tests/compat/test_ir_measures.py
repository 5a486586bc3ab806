"""The provider for ir_measures: the values of its own pipeline, what it takes, what it gives where there is nothing."""

from __future__ import annotations

import importlib
import io
import logging
import math
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs

irm = pytest.importorskip("ir_measures")
pytest.importorskip("pytrec_eval")

from rankscope.compat import ir_measures as face  # noqa: E402 - not without the package
from rankscope.compat.ir_measures import provider  # noqa: E402 - the same

AD_HOC = [
    *("P@5", "P(rel=2)@5", "P(judged_only=True)@3", "RR", "RR(rel=2)", "RR(judged_only=True)", "RR@3", "RR(rel=2)@10"),
    *("Rprec", "Rprec(rel=3)", "Rprec(judged_only=True)", "AP", "AP@5", "AP(rel=2)", "AP(rel=2,judged_only=True)@10"),
    *("nDCG", "nDCG@10", "nDCG(judged_only=True)@10", "nDCG(gains={1:5,2:1,3:0})@10", "nDCG(gains={0:1,1:-1,-1:2})"),
    *(
        "nDCG(gains={0:-1,3:7},judged_only=True)",
        "R@10",
        "R(rel=2)@5",
        "R(judged_only=True)@5",
        "Bpref",
        "Bpref(rel=2)",
    ),
    *("NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumQ", "NumRel", "SetP", "SetP(rel=2)", "SetRelP"),
    *("SetP(relative=True,rel=2)", "SetP(judged_only=True)", "SetR", "SetR(rel=2)", "SetF", "SetF(beta=2.0)"),
    *("SetF(beta=0.5,rel=2)", "SetF(judged_only=True)", "SetAP", "SetAP(rel=2)", "SetAP(judged_only=True)"),
    *("Success@1", "Success(rel=3)@5", "Success(judged_only=True)@1", "IPrec@0.0", "IPrec@0.3", "IPrec(rel=2)@0.5"),
    *("IPrec(judged_only=True)@0.1", "infAP", "infAP(rel=2)", "Judged", "Judged@5", "Judged@50"),
    *("Compat", "Compat(p=0.8)", "Compat(p=0.9,normalize=False)"),
]
CWL = [
    *("RBP(rel=1)", "RBP(p=0.5,rel=2)", "RBP(p=0.999,rel=1)", "BPM(max_rel=3)@5", "BPM(T=2.5,min_rel=1,max_rel=3)@10"),
    *("SDCG(max_rel=3)@10", "SDCG(max_rel=2,min_rel=1)@5", "NERR8(max_rel=2)@10", "NERR9(max_rel=3)@5"),
    *("NERR10(max_rel=3)", "NERR10(p=0.7,max_rel=1)", "NERR11(max_rel=3)", "NERR11(T=2.0,max_rel=2)"),
    *("INST(max_rel=3)", "INST(T=2.0,min_rel=1,max_rel=3)", "INSQ(max_rel=3)", "INSQ(T=3.0,max_rel=1)"),
    *("INSQ(min_rel=-1,max_rel=2)", "SDCG(min_rel=-2,max_rel=3)@10"),
]
DIVERSE = [
    *("ERR_IA@5", "ERR_IA(rel=2)@20", "nERR_IA@5", "nERR_IA(rel=2)@20", "alpha_DCG@5", "alpha_DCG(alpha=0.9)@10"),
    *("alpha_nDCG@5", "alpha_nDCG(alpha=0.2)@10", "alpha_nDCG(rel=2)@20", "NRBP", "NRBP(alpha=0.2,beta=0.8)"),
    *("nNRBP", "nNRBP(alpha=0.9,beta=0.3)", "AP_IA", "AP_IA(rel=2)", "P_IA@5", "P_IA(rel=2)@10", "StRecall@5"),
    "StRecall(rel=2)@10",
]
#: As close as sums of the same numbers in another order.
WITHIN = 1e-9


def read(name):
    """`nDCG(gains={1:5})@10` as a measure; the package's own reader cannot be used on all versions of Python."""
    head, _, at = name.partition("@")
    measure = eval(head, {**vars(irm.measures), "NumRelRet": irm.NumRelRet, "SetRelP": irm.SetRelP})
    return measure @ (float(at) if "." in at else int(at)) if at else measure


def case(seed=0, queries=30, documents=40, grades=(-1, 0, 1, 2, 3)):
    """Without ties; queries that one side lacks, judgments that nobody retrieved, documents nobody judged."""
    rng = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(2 * documents)]
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.choice(names, rng.integers(1, documents), replace=False)
        qrels[f"{q}"] = {str(d): int(rng.choice(grades)) for d in judged}
        if q % 7:
            listed = rng.choice(names, rng.integers(1, documents), replace=False)
            run[f"{q}"] = {str(d): float(s) for d, s in zip(listed, rng.permutation(documents) + 1.0, strict=False)}
    run["not judged"] = {"d1": 1.0}
    return qrels, run


def by_query(metrics):
    return {(m.query_id, str(m.measure)): m.value for m in metrics}


def agree(found, expected, within=WITHIN):
    assert found.keys() == expected.keys()
    wrong = {key: (found[key], expected[key]) for key in found if abs(found[key] - expected[key]) > within}
    assert not wrong


def silent(monkeypatch):
    """The package's advice on grades is not what is tested."""
    monkeypatch.setattr(logging.getLogger("ir_measures"), "disabled", True)
    monkeypatch.setattr(logging.getLogger("ir_measures.cwl_eval"), "disabled", True)


# Values


@pytest.mark.parametrize("seed", range(3))
def test_ad_hoc_measures_have_the_values_of_the_package(seed):
    """There one at a time: NumRet and nDCG are computed from grades or lists that another measure has changed."""
    qrels, run = case(seed)
    measures = [read(name) for name in AD_HOC]
    expected = {}
    for measure in measures:
        expected |= by_query(irm.iter_calc([measure], qrels, run))
    agree(by_query(provider.iter_calc(measures, qrels, run)), expected)


def test_no_measure_changes_what_another_sees():
    """The package counts two documents retrieved, or three, by the order in which it is asked."""
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    measures = [irm.P(judged_only=True) @ 1, irm.nDCG(gains={1: 5, 2: 1}), irm.nDCG, irm.NumRet]
    ndcg = (1 / math.log2(3) + 2 / math.log2(4)) / (2 / math.log2(2) + 1 / math.log2(3))
    for asked in (measures, measures[::-1]):
        found = provider.calc_aggregate(asked, qrels, run)
        assert found[irm.NumRet] == 3
        assert found[irm.nDCG] == pytest.approx(ndcg, rel=1e-13)
    assert irm.pytrec_eval.calc_aggregate(measures, qrels, run)[irm.NumRet] == 2


@pytest.mark.parametrize("seed", range(2))
def test_measures_of_the_cwl_framework_have_the_values_of_cwl_eval(seed, monkeypatch):
    pytest.importorskip("cwl")
    silent(monkeypatch)
    qrels, run = case(seed)
    measures = [read(name) for name in CWL]
    agree(by_query(provider.iter_calc(measures, qrels, run)), by_query(irm.iter_calc(measures, qrels, run)))


def test_the_list_is_read_to_rank_1000_as_by_cwl_eval(monkeypatch):
    """1,200 documents, the last ones relevant: what is below rank 1,000 is not seen."""
    pytest.importorskip("cwl")
    silent(monkeypatch)
    run = {"q": {f"d{i}": 1200.0 - i for i in range(1200)}}
    qrels = {"q": {f"d{i}": 1 for i in (0, 998, 999, 1000, 1100)}}
    measures = [read(name) for name in CWL if "min_rel=1" not in name]
    agree(by_query(provider.iter_calc(measures, qrels, run)), by_query(irm.iter_calc(measures, qrels, run)))


def subtopics(seed, queries=15, documents=30):
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for q in range(queries):
        for d in rng.choice(documents, rng.integers(1, documents), replace=False):
            covered = [t for t in range(1 + q % 4) if rng.random() < 0.6]
            qrels += [irm.Qrel(f"{q}", f"d{d:02}", int(rng.choice([0, 1, 2])), f"{t}") for t in covered]
        if q % 5:
            listed = rng.permutation(documents)[: rng.integers(1, documents)]
            run += [irm.ScoredDoc(f"{q}", f"d{d:02}", 100.0 - i) for i, d in enumerate(listed)]
    return qrels, run


@pytest.mark.parametrize("name", DIVERSE)
def test_measures_of_diversity_have_the_values_of_pyndeval(name):
    """One at a time: given two that differ in alpha or rel, the package computes the first and calls the others 0."""
    pytest.importorskip("pyndeval")
    qrels, run = subtopics(1)
    found, expected = (by_query(tool.iter_calc([read(name)], qrels, run)) for tool in (provider, irm.pyndeval))
    agree(found, expected)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is written in Perl")
def test_err_and_exponential_gain_have_the_five_decimals_of_gdeval():
    qrels, run = case(5, grades=(-1, 0, 1, 2, 3, 4))
    del run["not judged"]  # gdeval refuses a query that is no number
    measures = [read(name) for name in ("ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20")]
    found, expected = (by_query(tool.iter_calc(measures, qrels, run)) for tool in (provider, irm.gdeval))
    agree(found, expected, within=0.000005 + WITHIN)


def test_err_takes_4_for_the_highest_grade():
    """gdeval: a document of grade 1 stops the reader with probability (2^1 - 1) / 2^4."""
    case = {"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}
    assert provider.calc_aggregate([irm.ERR @ 20], *case) == {irm.ERR @ 20: 1 / 2 * (2**1 - 1) / 2**4}
    with pytest.raises(rs.ParameterError, match=r"gmax is 4, .*judged 5"):
        provider.calc_aggregate([irm.ERR @ 20], {"q": {"a": 5}}, {"q": {"a": 1.0}})


def test_accuracy_has_the_value_of_the_package_and_leaves_out_queries_where_nothing_relevant_was_found():
    qrels, run = case(3)
    for name in ("Accuracy", "Accuracy(rel=2)", "Accuracy(cutoff=5)"):
        judged = {q: docs for q, docs in qrels.items() if q not in run or lists_others(docs, run[q], read(name))}
        found, expected = (by_query(tool.iter_calc([read(name)], judged, run)) for tool in (provider, irm.accuracy))
        assert 0 < len(found) < len(judged)
        agree(found, expected)


def lists_others(judged, listed, measure):
    """Whether something not relevant is in the list; else the package divides by zero."""
    cutoff = measure.params.get("cutoff", len(listed))
    first = sorted(listed, key=listed.get, reverse=True)[:cutoff]
    return any(judged.get(doc, 0) < measure["rel"] for doc in first)


def test_what_the_package_cannot_compute_has_a_value():
    """Arithmetic of the definitions: a cutoff for RBP, its graded form, NumRel of a higher grade, ERR of the list."""
    qrels, run = {"q": {"a": 2, "b": 1, "c": 4}}, {"q": {"x": 4.0, "b": 3.0, "a": 2.0, "y": 1.0}}
    expected = {
        "RBP(p=0.5,rel=1)@2": (1 - 0.5) * 0.5,
        "RBP(p=0.5)": (1 - 0.5) * (0.5 * 1 / 4 + 0.5**2 * 2 / 4),
        "NumRel(rel=2)": 2,
        "RR(judged_only=True)@1": 1,
        "ERR": 1 / 2 * 1 / 16 + 1 / 3 * (1 - 1 / 16) * 3 / 16,
        "nDCG(dcg='exp-log2',judged_only=True)@1": (2**1 - 1) / (2**4 - 1),
        "alpha_nDCG": (1 / math.log2(3) + 0.5 / math.log2(4)) / (1 + 0.5 / math.log2(3) + 0.25 / math.log2(4)),
    }
    found = provider.calc_aggregate([read(name) for name in expected], qrels, run)
    assert list(found.values()) == pytest.approx(list(expected.values()), rel=1e-13)


def test_tied_documents_have_one_order_in_all_measures():
    """The package's helpers: the last id first (trec_eval), the first id first, the order of the input."""
    qrels, run = {"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    measures = [irm.RR, irm.RR @ 10, irm.P @ 1, irm.Success @ 1]
    assert set(provider.calc_aggregate(measures, qrels, run).values()) == {1.0}
    assert irm.calc_aggregate([irm.RR], qrels, run) != irm.calc_aggregate([irm.RR @ 10], qrels, run)


def test_scores_are_compared_as_float32():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.00000001, "b": 1.0}}
    for measures in ([irm.RR], [irm.RR @ 10]):
        assert list(provider.calc_aggregate(measures, qrels, run).values()) == [1 / 2]


# What is missing


def test_queries_that_one_side_lacks_are_treated_as_there():
    qrels, run = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 1}}, {"a": {"d": 1.0}, "b": {}, "z": {"d": 1.0}}
    measures = [irm.AP, irm.NumRel, irm.NumQ, irm.NumRet]
    expected = {irm.AP: 1 / 3, irm.NumRel: 1.0, irm.NumQ: 1.0, irm.NumRet: 1.0}
    assert_same_numbers(provider.calc_aggregate(measures, qrels, run), expected)
    assert_same_numbers(irm.calc_aggregate(measures, qrels, {q: docs for q, docs in run.items() if docs}), expected)
    for value in provider.calc_aggregate(measures, qrels, run).values():
        assert type(value) is float


@pytest.mark.parametrize(
    "run", [{}, {"q": {}}, {"z": {"a": 1.0}}, [], pd.DataFrame(columns=["query_id", "doc_id", "score"])]
)
def test_a_run_that_answers_nothing_has_defaults(run):
    assert provider.calc_aggregate([irm.AP, irm.NumRet], {"q": {"a": 1}}, run) == {irm.AP: 0.0, irm.NumRet: 0.0}


@pytest.mark.parametrize("qrels", [{}, [], pd.DataFrame(columns=["query_id", "doc_id", "relevance"])])
def test_no_judgments_have_no_mean(qrels):
    found = provider.calc_aggregate([irm.AP, irm.NumRet], qrels, {"q": {"a": 1.0}})
    assert math.isnan(found[irm.AP])
    assert found[irm.NumRet] == 0


def test_a_query_without_judgments_counts():
    found = provider.calc_aggregate([irm.AP, irm.NumRet], {"q": {}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}})
    assert found == {irm.AP: 1 / 2, irm.NumRet: 1}


# What is taken


def forms(qrels, run):
    """The same judgments and run in all forms: name -> (qrels, run)."""
    judged = [irm.Qrel(q, d, r) for q, docs in qrels.items() for d, r in docs.items()]
    scored = [irm.ScoredDoc(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    mixed = [one if i % 3 else one._replace(score=int(one.score)) for i, one in enumerate(scored)]
    yield "dicts", (qrels, run)
    yield "lists of named tuples", (judged, scored)
    yield "iterators", (iter(judged), iter(mixed))
    yield "frames", (pd.DataFrame(judged), pd.DataFrame(scored))
    yield "frames of objects", (pd.DataFrame(judged).astype(object), pd.DataFrame(scored).astype(object))
    yield (
        "without iteration",
        (pd.DataFrame(judged).drop(columns="iteration"), pd.DataFrame(scored).assign(rank=1)),
    )
    yield "ours", (rs.Qrels(qrels), rs.Run(run))


def test_all_forms_of_input_give_the_same():
    qrels, run = case(7)
    measures = [irm.nDCG @ 10, irm.AP, irm.Judged @ 5]
    expected = irm.calc_aggregate(measures, qrels, run)
    for name, (judged, scored) in forms(qrels, run):
        assert provider.calc_aggregate(measures, judged, scored) == pytest.approx(expected, rel=1e-12), name


def test_rows_of_a_query_need_not_stand_together():
    qrels, run = case(8)
    mixed = pd.DataFrame([(q, d, s) for q, docs in run.items() for d, s in docs.items()], columns=irm.ScoredDoc._fields)
    mixed = mixed.sample(frac=1, random_state=1)
    for scored in (mixed, mixed.itertuples()):
        assert_same_bits(
            provider.calc_aggregate([irm.AP], qrels, scored), provider.calc_aggregate([irm.AP], qrels, run)
        )


def test_subtopics_come_from_the_field_or_column_iteration():
    qrels, run = subtopics(2)
    measures = [irm.alpha_nDCG @ 10, irm.StRecall @ 5, irm.AP]
    first = provider.calc_aggregate(measures, qrels, run)
    assert_same_bits(provider.calc_aggregate(measures, pd.DataFrame(qrels), pd.DataFrame(run)), first)
    numbers = pd.DataFrame(qrels).astype({"iteration": int})
    assert_same_bits(provider.calc_aggregate(measures, numbers, run), first)
    nested = {}
    for one in qrels:
        nested.setdefault(one.query_id, {}).setdefault(one.iteration, {})[one.doc_id] = one.relevance
    assert_same_bits(provider.calc_aggregate(measures, nested, run), first)


def test_other_measures_take_the_highest_relevance_of_all_subtopics():
    qrels = [irm.Qrel("q", "a", 1, "1"), irm.Qrel("q", "a", 0, "2"), irm.Qrel("q", "b", 0, "1")]
    run = {"q": {"b": 2.0, "a": 1.0}}
    assert provider.calc_aggregate([irm.RR], qrels, run) == {irm.RR: 1 / 2}
    assert irm.calc_aggregate([irm.RR], qrels, run) == {irm.RR: 0}  # the last line's


def test_measures_of_diversity_without_subtopics_are_warned_of():
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    logging.getLogger("ir_measures").addHandler(handler)
    try:
        provider.calc_aggregate([irm.alpha_nDCG @ 5], {"q": {"a": 1}}, {"q": {"a": 1.0}})
    finally:
        logging.getLogger("ir_measures").removeHandler(handler)
    assert mentions(said.getvalue(), "no query", "subtopic")


def test_an_evaluator_takes_many_runs_and_keeps_no_trace_of_them():
    qrels, run = case(9)
    measures = [read(name) for name in AD_HOC]
    other = {q: {d: -s for d, s in docs.items()} for q, docs in run.items()}
    evaluator = provider.evaluator(iter(measures), qrels)
    first = evaluator.calc_aggregate(run)
    assert_same_bits(evaluator.calc_aggregate(other), provider.calc_aggregate(measures, qrels, other))
    assert_same_bits(evaluator.calc_aggregate(run), first)
    aggregated, per_query = evaluator.calc(run)
    assert_same_bits(aggregated, first)
    assert len(per_query) == len(measures) * len(qrels)
    assert {type(one) for one in per_query} == {irm.Metric}


# What is refused


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ([irm.ScoredDoc("q", "a", 1.0), irm.ScoredDoc("q", "a", 2.0)], "'a' .*'q' .*twice(?!.*duplicates)"),
        ({"q": {"a": float("nan")}}, "document 'a' is nan"),
        ({"q": {1: 1.0}}, "document id 1 is"),
        (
            pd.DataFrame({"query_id": ["q"], "docno": ["a"], "score": [1.0]}),
            "run: .*'doc_id' .*'query_id', 'docno'",
        ),
        ([("q", "a", 1.0)], "run: no 'query_id' .*no fields"),
        ([irm.ScoredDoc("q", "a", "high")], "document 'a' is 'high'"),
        ([irm.ScoredDoc("q", "a", 1.0), ("q", "b", 1.0)], "run: .*row .*cannot"),
        ([irm.ScoredDoc(q, "a", 1.0) for q in "qpq"], "'a' .*'q' .*twice"),
        ([irm.ScoredDoc(["q"], "a", 1.0)], "run: .*row .*cannot"),
        ("a.run", "run: a str; expected"),
        (3, "run: a int; expected"),
    ],
)
def test_a_run_that_cannot_be_read_is_refused_in_one_line(run, said):
    with pytest.raises(rs.InputError, match=said) as caught:
        provider.calc_aggregate([irm.AP], {"q": {"a": 1}}, run)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({"q": {"a": 0.5}}, "takes whole numbers only"),
        ([irm.Qrel("q", "a", "1")], "'relevance' .*row .*cannot"),
        ([irm.Qrel("q", "a", 1), irm.Qrel("q", "a", 0)], "'a' .*'q' .*twice"),
        ({"q": 1}, "qrels: .*values .*not mappings"),
    ],
)
def test_judgments_that_cannot_be_read_are_refused(qrels, said):
    with pytest.raises(rs.InputError, match=said):
        provider.evaluator([irm.AP], qrels)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (irm.nDCG(gains={1: 0.5}), "gains is {1: 0.5}, .*whole"),
        (irm.SDCG @ 10, "SDCG@10 needs max_rel"),
        (irm.SDCG(min_rel=2, max_rel=2) @ 10, "max_rel is 2, .*min_rel, 2"),
        (irm.alpha_DCG, "alpha_DCG needs a cutoff"),
        (irm.P, "P needs cutoff"),
        (irm.AP(rel="1"), "AP.*: invalid param rel='1'"),
        (irm.AP(rel=0), "rel is 0, .* above 0"),
        (irm.INST(T=0.1, max_rel=2), "T is 0.1, .*0.25"),
        ("nDCG@10", "'nDCG@10' .*ir_measures"),
        (irm.define_byquery(lambda qrels, run: 1.0, "Own"), "ir_measures 'Own'"),
    ],
)
def test_a_measure_that_cannot_be_computed_is_refused(measure, said):
    with pytest.raises(rs.ParameterError, match=said):
        provider.evaluator([measure], {"q": {"a": 1}})


# Its place in the package


def test_it_is_in_the_registry_and_supports_all_measures_of_the_package():
    assert irm.providers.registry["rankscope"] is provider
    assert provider.is_available()
    needed = {"cutoff": 5, "recall": 0.5, "max_rel": 2}
    for name, measure in irm.measures.registry.items():
        full = measure(**{p: value for p, value in needed.items() if p in measure.SUPPORTED_PARAMS})
        assert provider.supports(full), name


def test_what_it_cannot_compute_it_does_not_claim():
    for measure in (irm.AP(rel=0), irm.INST(T=0.1, max_rel=2), irm.alpha_DCG, irm.define_byquery(len, "Own")):
        assert not provider.supports(measure)


@pytest.fixture
def installed():
    face.install()
    face.install()
    yield
    face.uninstall()
    face.uninstall()


def test_installed_it_is_the_first_choice_of_the_package(installed):
    names = [one.NAME for one in irm.DefaultPipeline.providers]
    assert names[0] == "rankscope"
    assert names.count("rankscope") == 1
    tied = {"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    assert (irm.RR @ 10).calc_aggregate(*tied) == 1.0
    assert (irm.RR(rel=0) @ 10).calc_aggregate({"q": {"a": 0}}, {"q": {"a": 1.0}}) == 1.0  # by another one


def test_uninstalled_all_is_as_before(installed):
    face.uninstall()
    assert irm.DefaultPipeline.providers[0].NAME == "runtime"
    assert "rankscope" not in [one.NAME for one in irm.DefaultPipeline.providers]


def test_one_line_changes_code_written_for_the_package():
    own = irm.define_byquery(lambda qrels, run: float(len(run)), "Own")
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    assert face.calc_aggregate([face.nDCG @ 10, face.ERR @ 5, own], qrels, run) == {
        irm.nDCG @ 10: 1.0,
        irm.ERR @ 5: 1 / 16,
        own: 2.0,
    }
    assert {type(one.value) for one in face.iter_calc([face.AP], qrels, run)} == {float}
    assert face.evaluator([face.AP], qrels).calc_aggregate(run) == {irm.AP: 1.0}
    assert face.read_trec_qrels is irm.read_trec_qrels
    assert set(irm.__all__) <= set(face.__all__)
    with pytest.raises(AttributeError, match="nDGC"):
        _ = face.nDGC


def test_without_the_package_one_line_says_what_to_install():
    script = "import sys; sys.modules['ir_measures'] = None; import rankscope.compat.ir_measures"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: rankscope.compat.ir_measures needs ir_measures")
    assert last.endswith("pip install ir-measures")
    importlib.import_module("rankscope")


def test_the_preset_gives_the_values_of_the_provider():
    qrels, run = case(11)
    qrels = {q: docs for q, docs in qrels.items() if q in run}
    names = ["nDCG@10", "AP", "RR", "P@10", "ERR@20", "IPrec@0.3"]
    ours = rs.evaluate(qrels, run, names, preset="ir_measures")
    found = provider.calc_aggregate([read(name) for name in names], qrels, run)
    for name, asked in zip(ours.measure_names, names, strict=True):
        assert ours.overall(name) == pytest.approx(found[read(asked)], rel=1e-13)
