"""Measures that no peer among the tests knows, against a loop down the list."""

from __future__ import annotations

from math import floor, isnan, log, log2

import numpy as np
import pytest
from helpers.properties import examples
from helpers.strategies import Case, as_lists, cases, ranked
from hypothesis import given

import rankscope as rs


@examples(150)
@given(case=cases())
def test_rbp_and_its_residual_bound_what_any_judgment_of_the_unjudged_would_give(case: Case) -> None:
    """Moffat and Zobel (2008), section 4.2: judged as relevant as can be, the unjudged raise RBP by exactly the
    residual within the list, and at most by all of it."""
    names = ["RBP(p=0.8, rel=1)", "RBPResidual(p=0.8)"]
    scores = rs.evaluate(case.qrels, case.run, names)
    judged = {
        q: {**docs, **{d: 1 for d in case.run.get(q, {}) if docs.get(d, -1) < 0}} for q, docs in case.qrels.items()
    }
    best = rs.evaluate(judged, case.run, names[:1])
    low, residual = (scores.matrix(name)[0] for name in names)
    high = best.matrix(names[0])[0]
    for i, query in enumerate(scores.query_ids):
        after_the_end = 0.8 ** len(case.run.get(query, {}))
        assert high[i] == pytest.approx(low[i] + residual[i] - after_the_end, abs=1e-12)
        assert low[i] + residual[i] <= 1 + 1e-12


def loop(name: str, grades: list[int | None], judged: list[int], gmax: int) -> float:
    """The measures that pytrec_eval does not know, as loops down the list. grades: None for unjudged."""
    p = 0.8
    if name == "ERR":
        total, trust = 0.0, 1.0
        for rank, grade in enumerate(grades, 1):
            stop = (2 ** max(grade or 0, 0) - 1) / 2**gmax
            total += trust * stop / rank
            trust *= 1 - stop
        return total
    if name == "RBP(p=0.8)":
        return (1 - p) * sum(max(g or 0, 0) / max(gmax, 1) * p ** (r - 1) for r, g in enumerate(grades, 1))
    if name == "RBPResidual(p=0.8)":
        unjudged = sum(p ** (r - 1) for r, g in enumerate(grades, 1) if g is None or g < 0)
        return p ** len(grades) + (1 - p) * unjudged
    if name == "Judged":
        return sum(g is not None and g >= 0 for g in grades) / len(grades) if grades else 0.0
    if name == "Unj@3":
        return sum(g is None or g < 0 for g in grades[:3]) / 3
    if name == "Yaap":
        s, seen = 0.0, 0
        for rank, grade in enumerate(grades, 1):
            if (grade or 0) >= 1:
                seen += 1
                s += seen / rank
        return log((1 + s) / (1 + sum(g >= 1 for g in judged) - s))
    if name == "IPrec@0.4":
        seen = [sum((g or 0) >= 1 for g in grades[:rank]) for rank in range(1, len(grades) + 1)]
        needed = floor(0.4 * sum(g >= 1 for g in judged) + 0.5)
        return max((n / rank for rank, n in enumerate(seen, 1) if n >= needed), default=0.0)
    if name.startswith(("AUC", "F", "AP", "nERR")):
        return newer_loop(name, [g or 0 for g in grades], judged, gmax)
    power = "exp" in name
    gain = [(2 ** max(g or 0, 0) - 1 if power else max(g or 0, 0)) for g in grades]
    dcg = sum(g / log2(r + 1) for r, g in enumerate(gain, 1))
    if name.startswith("DCG"):
        return dcg
    if "gains" in name:
        table = {1: 7, 2: 3}
        dcg = sum(table.get(g or 0, max(g or 0, 0)) / log2(r + 1) for r, g in enumerate(grades, 1))
        best = sorted((table.get(g, max(g, 0)) for g in judged), reverse=True)
        return dcg / ideal if (ideal := sum(g / log2(r + 1) for r, g in enumerate(best, 1))) else 0.0
    best = sorted((2 ** max(g, 0) - 1 if power else max(g, 0) for g in judged), reverse=True)
    ideal = sum(g / log2(r + 1) for r, g in enumerate(best, 1))
    if name == "IdealDCG":
        return ideal
    return dcg / ideal if ideal else 0.0


def newer_loop(name: str, grades: list[int], judged: list[int], gmax: int) -> float:
    """Those with a cutoff of 3 in their names, or with none. grades: 0 for unjudged."""
    read = grades[:3] if name.endswith("@3") else grades
    found, n = sum(g >= 1 for g in read), sum(g >= 1 for g in judged)
    if name.startswith("nERR"):
        best = sorted(judged, reverse=True)[: 3 if name.endswith("@3") else None]
        return loop("ERR", [*read], judged, gmax) / ideal if (ideal := loop("ERR", [*best], judged, gmax)) else 0.0
    if name.startswith("F"):
        beta = 2.0 if "beta" in name else 1.0
        precision, recall = found / 3, found / n if n else 0.0
        below = beta**2 * precision + recall
        return (1 + beta**2) * precision * recall / below if below else 0.0
    if name.startswith("AUC"):
        pairs = [(a, b) for a in range(len(read)) for b in range(len(read)) if read[a] >= 1 > read[b]]
        return sum(a < b for a, b in pairs) / len(pairs) if pairs else float(found > 0)
    total = sum(sum(g >= 1 for g in read[:rank]) / rank for rank, grade in enumerate(read, 1) if grade >= 1)
    divisor = found if "found" in name else min(n, 3)
    return total / divisor if divisor else 0.0


LOOPS = [
    *("F@3", "F(beta=2)@3", "AUC", "AUC@3", "nERR", "nERR@3"),
    *("AP(norm='min')@3", "AP(norm='found')", "AP(norm='found')@3"),
    *("ERR", "RBP(p=0.8)", "RBPResidual(p=0.8)", "Judged", "DCG", "DCG(gain='exp')", "nDCG(gain='exp')"),
    *("IdealDCG", "nDCG(gains={1: 7, 2: 3}, others='gain')", "Unj@3", "Yaap", "IPrec@0.4"),
]


@examples(250)
@given(case=cases())
def test_measures_that_pytrec_eval_does_not_know_agree_with_a_loop_down_the_list(case: Case) -> None:
    gmax = max(g for docs in case.qrels.values() for g in docs.values())
    scores = rs.evaluate(case.qrels, case.run, LOOPS)
    for i, query in enumerate(scores.query_ids):
        docs = case.qrels[query]
        grades = [docs.get(d) for d in ranked(case.run.get(query, {}))]
        for name in LOOPS:
            expected = loop(name, grades, list(docs.values()), max(gmax, 0))
            assert scores.matrix(name)[0, i] == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, query)


def test_auc_is_the_accuracy_of_ir_measures_where_that_has_a_value() -> None:
    """ir_measures 0.4.3 divides by zero where all documents of the list are relevant (here 1), and has no value where
    none of them is (here 0).
    """
    ir_measures = pytest.importorskip("ir_measures")
    rng = np.random.default_rng(11)
    accuracy = ir_measures.Accuracy
    asked = {"AUC": accuracy, "AUC@4": accuracy @ 4, "AUC(rel=2)": accuracy(rel=2)}
    for _ in range(60):
        grades = rng.integers(-1, 3, rng.integers(5, 15)).tolist()
        case = as_lists([None if g < 0 else g for g in grades[1:]] + [0], (2,))
        for ours, theirs in asked.items():
            if ours == "AUC@4" and min(grades[1:5]) >= 1:
                continue
            expected = ir_measures.calc_aggregate([theirs], *case)[theirs]
            expected = 0.0 if isnan(expected) else expected
            assert rs.evaluate(*case, ours).overall(ours) == pytest.approx(expected, rel=1e-13, abs=1e-13)
