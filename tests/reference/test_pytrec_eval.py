"""Agreement with trec_eval 9.0.8's C code on random judgments and runs, to 1e-9."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from helpers.properties import examples
from helpers.strategies import DOC_IDS, QUERY_IDS, Case, cases, random_case, write_trec
from helpers.trec_eval_oracle import Oracle
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import parse_measures
from rankscope.measures.names import trec_name
from rankscope.measures.presets import PRESETS

CUTS = ("1", "2", "3", "5", "10", "20", "100")
RECALLS = ("0.00", "0.10", "0.25", "0.33", "0.50", "0.66", "0.70", "0.90", "1.00")
MULTIPLES = ("0.20", "0.50", "0.70", "1.00", "1.40", "2.00", "3.30")
PARAMETERS = {
    **dict.fromkeys(("map_cut", "ndcg_cut", "P", "recall", "relative_P", "success"), CUTS),
    "iprec_at_recall": RECALLS,
    "Rprec_mult": MULTIPLES,
}
#: It gives nothing of use for these: relstring is 0.0 and runid has no value.
LEFT_OUT = {"relstring", "runid"}
PLAIN = sorted(pytrec_eval.supported_measures - LEFT_OUT - set(PARAMETERS))
#: As its answer names them -> as we are asked for them. num_q is no measure here.
NAMES = {
    **{name: name for name in PLAIN if name != "num_q"},
    **{f"{stem}_{x}": f"{stem}.{x}" for stem, values in PARAMETERS.items() for x in values},
}
#: With version 9's rounding of recall.
MEASURES = {
    shown: measure
    for shown, name in NAMES.items()
    for measure in parse_measures([name], PRESETS["trec_eval-9"].parameters)
}
ASKED = [*PLAIN, *(f"{stem}.{','.join(values)}" for stem, values in PARAMETERS.items())]


def differences(case: Case, oracle: Oracle, qrels: object, run: object, level: int = 1, **options: str) -> list[str]:
    """Every value that is not the oracle's, of every query that both have."""
    expected = oracle(case.qrels, case.run, ASKED, level)
    highest = max((grade for docs in case.qrels.values() for grade in docs.values()), default=0)
    if level > highest > 0:  # trec_eval finds nothing relevant, where we refuse
        with pytest.raises(rs.ParameterError, match=f"no document is judged {level} or higher"):
            rs.evaluate(qrels, run, list(MEASURES.values()), rel=level, **options)
        return []
    scores = rs.evaluate(qrels, run, list(MEASURES.values()), rel=level, **options)
    wrong = []
    for name, measure in MEASURES.items():
        values = scores.matrix(measure)[0]
        if name.startswith("gm_"):  # it gives the logarithms of which the mean is taken
            values = np.log(np.maximum(values, 0.00001))
        by_query = dict(zip(scores.query_ids, values.tolist(), strict=True))
        for query, its in expected.items():
            if not abs(by_query[query] - its[name]) <= 1e-9:
                wrong.append(f"{name} of {query}: {by_query[query]!r}, oracle {its[name]!r}")
    return wrong


def test_no_measure_of_the_oracle_is_left_out() -> None:
    asked = {name.partition(".")[0] for name in ASKED}
    assert asked == pytrec_eval.supported_measures - LEFT_OUT
    assert len(MEASURES) == len(NAMES) > 75


def test_the_oracle_and_we_mean_the_same_by_every_name(oracle: Oracle) -> None:
    answer = oracle({"q": {"a": 1}}, {"q": {"a": 1.0}}, ASKED)["q"]
    assert set(answer) == {*NAMES, "num_q"}
    for shown, name in NAMES.items():
        if not shown.startswith("Rprec_mult"):  # one of the multiples is R-precision itself, others have our name
            assert trec_name(rs.parse_measure(name)) == shown


@examples(250)
@given(case=cases(), level=st.sampled_from([1, 2, 3]))
def test_small_lists_full_of_ties_score_as_in_trec_eval(case: Case, level: int, oracle: Oracle) -> None:
    assert not differences(case, oracle, case.qrels, case.run, level)


@examples(25)
@given(seed=st.integers(0, 2**32 - 1), level=st.sampled_from([1, 2, 3]), tied=st.booleans())
def test_hundreds_of_queries_at_once_score_as_in_trec_eval(seed: int, level: int, tied: bool, oracle: Oracle) -> None:
    case = random_case(seed, 200) if tied else random_case(seed, 200, scores=None)
    assert not differences(case, oracle, case.qrels, case.run, level)


@pytest.mark.slow
@examples(300)
@given(seed=st.integers(0, 2**32 - 1), level=st.sampled_from([1, 2, 3, 12]))
def test_many_more_queries_score_as_in_trec_eval(seed: int, level: int, oracle: Oracle) -> None:
    case = random_case(seed, 400, depth=80)
    assert not differences(case, oracle, case.qrels, case.run, level)


@pytest.mark.slow
@examples(2500)
@given(case=cases(max_queries=6), level=st.sampled_from([1, 2, 3]))
def test_many_more_small_lists_score_as_in_trec_eval(case: Case, level: int, oracle: Oracle) -> None:
    assert not differences(case, oracle, case.qrels, case.run, level)


@examples(50)
@given(case=cases(), level=st.sampled_from([1, 2]))
def test_files_score_as_in_trec_eval(case: Case, level: int, oracle: Oracle, tmp_path: Path) -> None:
    # A query with an empty list has no line in a file.
    run = {q: docs for q, docs in case.run.items() if docs}
    if not run.keys() & case.qrels.keys():
        run[next(iter(case.qrels))] = {"x": 1.0}
    case = Case(case.qrels, run)
    # Ids with a space-like character are one field only for readers that split at ASCII white space, as C does.
    assert not differences(case, oracle, *write_trec(tmp_path, case), level)


@pytest.mark.parametrize("seed", range(3))
def test_large_files_score_as_in_trec_eval(seed: int, oracle: Oracle, tmp_path: Path) -> None:
    case = random_case(seed, 300)
    case.run["q0"].pop("nobody judged this", None)
    case.run["q0"]["nobody"] = 1.0  # ids in files have no spaces
    case.run["unjudged"] = case.run.pop("not judged")
    qrels, run = write_trec(tmp_path, case)
    assert not differences(case, oracle, qrels, run)


#: Different as float64, one number as float32 (1 + 2^-24 is half a unit of float32 at 1).
CLOSE = (1.0, 1.0 + 2.0**-40, 1.0 + 2.0**-30, 2.0, 2.0 + 2.0**-40, 0.1, 0.1 + 2.0**-50, -3.0, -3.0 - 2.0**-45)


@examples(100)
@given(case=cases(scores=CLOSE))
def test_the_preset_of_trec_eval_9_ties_what_is_equal_as_float32(case: Case, oracle: Oracle) -> None:
    assert not differences(case, oracle, case.qrels, case.run, preset="trec_eval-9")


def test_scores_that_differ_only_as_float64_are_tied_by_trec_eval_9_and_by_nobody_else(oracle: Oracle) -> None:
    case = Case({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0 + 2.0**-40, "b": 1.0}})
    assert np.float32(1.0 + 2.0**-40) == np.float32(1.0)
    # As float64 a is first. As float32 they are tied, and the higher id goes first: b.
    assert rs.evaluate(*case, "RR").overall("RR") == 1 / 1
    assert rs.evaluate(*case, "RR", preset="trec_eval").overall("RR") == 1 / 1
    assert rs.evaluate(*case, "RR", preset="trec_eval-9").overall("RR") == 1 / 2
    assert oracle(*case, ["recip_rank"])["q"]["recip_rank"] == 1 / 2
    assert "precision:float32" in rs.evaluate(*case, "RR", preset="trec_eval-9").signature()


def test_the_inputs_hold_what_they_promise() -> None:
    """Ties, unjudged, missed, negative, queries without a list or judgments: else the tests above are empty."""
    case = random_case(0, 200)
    common = case.qrels.keys() & case.run.keys()
    tied = sum(len(set(docs.values())) < len(docs) for docs in case.run.values())
    unjudged = sum(bool(case.run[q].keys() - case.qrels[q].keys()) for q in common)
    missed = sum(bool(case.qrels[q].keys() - case.run[q].keys()) for q in common)
    assert tied > 100
    assert unjudged > 100
    assert missed > 100
    assert case.qrels.keys() - case.run.keys()
    assert case.run.keys() - case.qrels.keys()
    assert {-2, 12} <= {g for docs in case.qrels.values() for g in docs.values()}
    assert len({d.encode() for d in DOC_IDS}) == len(DOC_IDS)
    assert sorted(QUERY_IDS, key=str.encode)[1:4] == ["10", "100", "9"]


def test_a_query_with_negative_grades_only_is_one_without_relevant_documents() -> None:
    """trec_eval stops or crashes there (docs/differences.md); we go on."""
    scores = rs.evaluate(
        {"q": {"a": -1, "b": -2}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}, list(MEASURES.values())
    )
    others = {"NumRet": 1.0, "Utility": -1.0}  # the one document it retrieved
    for name, row in zip(scores.measure_names, scores.values[0], strict=True):
        assert row[0] == others.get(name, 0.0), name
    assert scores.undefined[scores.measure_names.index("AP")].tolist() == [True, False]
