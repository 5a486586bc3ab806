"""What each document contributes to the difference of two runs, against values of the runs and plain loops."""

from __future__ import annotations

import gzip
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.measure_table import FORMS
from helpers.messages import mentions
from helpers.properties import examples
from helpers.strategies import by_subtopic, cases
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.comparison.diff import RunDiff, shapley
from rankscope.data.hit_pairs import HitPairs
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.measures import Measure

#: Why a measure cannot be explained by documents: what `diff` refuses.
REFUSED = (
    "of no direction",
    "a geometric mean",
    "without a value where nothing relevant was found",
    "of ranks on a scale, which lists do not have",
    "of weights for the documents of a collection, whose size is not known",
)


def can_be_explained(measure: Measure) -> bool:
    return (
        measure.higher_is_better is not None
        and measure.summary in ("mean", "sum")
        and not measure.may_lack_value()
        and getattr(measure, "scale", None) is None
        and not getattr(measure, "d", 0)
    )


EXPLAINED = [measure for measure in FORMS if can_be_explained(measure)]
Lists = dict[str, dict[str, float]]


@st.composite
def two_runs(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], Lists, Lists]:
    """Judgments and two runs, of lists of any lengths with ties, each with a judged query."""
    ids = tuple(f"d{i}" for i in range(8))
    case = draw(cases(doc_ids=ids, grades=(-1, 0, 1, 1, 2, 3), max_queries=3))
    other = draw(cases(doc_ids=ids, grades=(0, 1), max_queries=3))
    queries = list(case.qrels)
    lists = {q: docs for q, docs in zip(queries, other.run.values(), strict=False) if docs}
    first = {q: docs for q, docs in case.run.items() if docs}
    full = {queries[0]: {"d0": 1.0}}
    return case.qrels, first if set(first) & set(queries) else full, lists or full


def explain(qrels: Any, a: Lists, b: Lists, measure: Any, **options: Any) -> RunDiff:
    return rs.diff(qrels, rs.Run(a, name="a"), rs.Run(b, name="b"), measure, **options)


def sums_by_query(result: RunDiff) -> np.ndarray:
    n = result.queries.size
    return np.bincount(result.documents.query, result.documents.contribution, n) + result.length


def check_sums(case: tuple[dict[str, dict[str, int]], Lists, Lists], measures: list[Measure]) -> None:
    """Raise AssertionError unless the contributions to each measure sum to the difference of its values."""
    qrels, a, b = case
    judgments = rs.Qrels(by_subtopic(qrels))
    scores = rs.evaluate(judgments, [rs.Run(a, name="a"), rs.Run(b, name="b")], measures)
    for place, measure in enumerate(measures):
        result = explain(judgments, a, b, measure)
        values = scores.values[:, place]
        assert sums_by_query(result) == pytest.approx(values[0] - values[1], abs=1e-12), measure
        total = sum(term.total for term in result.sources) / result.total
        means = values.sum(axis=1) / result.total
        assert total == pytest.approx(means[0] - means[1], abs=1e-12), measure


@pytest.mark.slow
@examples(5)
@given(two_runs())
def test_contributions_sum_to_the_difference_of_every_measure(case):
    check_sums(case, EXPLAINED)


@examples(60, quick=5)
@given(two_runs(), st.data())
def test_contributions_sum_to_the_difference(case, data):
    check_sums(case, data.draw(st.lists(st.sampled_from(EXPLAINED), min_size=1, max_size=3, unique_by=str)))


@examples(60, quick=5)
@given(two_runs(), st.data())
def test_the_reverse_comparison_has_the_opposite_contributions(case, data):
    qrels, a, b = case
    judgments = rs.Qrels(by_subtopic(qrels))
    measure = data.draw(st.sampled_from(EXPLAINED))
    there, back = explain(judgments, a, b, measure), explain(judgments, b, a, measure)
    found = {(row[0], row[1]): row[5] for row in there.records()}
    opposite = {(row[0], row[1]): -row[5] for row in back.records()}
    assert found == pytest.approx(opposite, abs=1e-12), measure


def test_two_documents_that_meet_on_their_way_are_a_rank_apart():
    """Two relevant documents change places, so that both are at rank 1 in half of the orders."""
    result = explain({"q": {"d0": 1, "d2": 1}}, {"q": {"d0": 1.0}}, {"q": {"d2": 3.5, "d0": 1.0}}, "nDCGRel")
    assert np.isfinite(result.documents.contribution).all()
    ranks = shapley.distinct_ranks(np.array([[1.0, 1.0, 2.0, 5.0, 5.0, np.inf]]))
    assert ranks.tolist() == [[1, 2, 3, 5, 6, np.inf]]


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("NumRet", "neither higher nor lower"),
        ("GMAP", "geometric mean"),
        ("MeanRank", "no value where nothing relevant was found"),
    ],
)
def test_measures_that_documents_cannot_explain_are_refused(measure, why):
    with pytest.raises(ParameterError) as raised:
        explain({"q": {"d": 1}}, {"q": {"d": 1.0}}, {"q": {"x": 1.0}}, measure)
    assert mentions(raised.value, measure, why)


# Shapley values by calls of the measure


def naive_shapley(measure: Measure, pairs: HitPairs) -> list[float]:
    """The mean over all orders of what each player changes; the lists' length is the last player if it differs."""
    one = HitPairs.of(pairs.a.select([0]), pairs.b.select([0]))
    n = len(one)
    has_length = bool(one.a.retrieved[0] != one.b.retrieved[0])
    players = list(range(n + has_length))

    @cache
    def value(moved: frozenset[int]) -> float:
        ranks = np.array([(one.rank_a if i in moved else one.rank_b)[i] for i in range(n)])
        retrieved = int((one.a if n in moved else one.b).retrieved[0])
        order = [i for i in np.argsort(ranks, kind="stable").tolist() if ranks[i] < np.inf]
        taken = 0.0
        for i in order:  # where two documents meet, one is a rank further down
            taken = ranks[i] = max(ranks[i], taken + 1)
        hits = shapley.hits_of_subsets(
            one,
            np.zeros(1, np.int64),
            np.array([len(order)]),
            ranks[order],
            np.array(order, np.int64),
            np.array([retrieved]),
        )
        return float(measure(hits)[0])

    totals = np.zeros(len(players))
    orders = list(permutations(players))
    for order in orders:
        before = value(frozenset())
        for i, player in enumerate(order):
            after = value(frozenset(order[: i + 1]))
            totals[player] += after - before
            before = after
    return (totals / len(orders)).tolist()


@pytest.mark.parametrize("name", ["Q", "nDCGRel", "Bpref", "infAP", "Judged@3", "SetF", "INST", "Compat(p=0.8)", "F@3"])
def test_exact_shapley_values_are_means_over_all_orders(name):
    qrels = rs.Qrels({"q": {"d1": 2, "d2": 0, "d3": 1, "d4": -1, "d5": 3}})
    a, b = (
        rs.hits_of(qrels, {"q": docs}) for docs in (["d2", "d1", "x", "d5", "d3"], ["y", "d1", "d4", "d3", "z", "d2"])
    )
    pairs, measure = HitPairs.of(a, b), rs.parse_measure(name)
    found = shapley.shapley_values(measure, pairs, 10, 0, np.array([0]))
    expected = naive_shapley(measure, pairs)
    assert [*found.values, found.length[0]] == pytest.approx(expected, abs=1e-12)
    assert not found.errors.any()
    assert found.n_sampled == 0


def test_sampled_shapley_values_are_near_the_exact_ones_and_sum_to_the_difference(monkeypatch):
    rng = np.random.default_rng(8)
    docs = [f"d{i}" for i in range(11)]
    qrels = rs.Qrels({"q": dict(zip(docs, rng.integers(0, 3, 11).tolist(), strict=True))})
    a, b = (rs.hits_of(qrels, {"q": rng.permutation(docs)[:9].tolist()}) for _ in range(2))
    pairs = HitPairs.of(a, b)
    for name in ("Q", "INST"):
        measure = rs.parse_measure(name)
        exact = shapley.shapley_values(measure, pairs, 300, 1, np.array([0]))
        with monkeypatch.context() as patched:
            patched.setattr(shapley, "MAX_EXACT", 3)
            sampled = shapley.shapley_values(measure, pairs, 300, 1, np.array([0]))
        assert exact.n_sampled == 0
        assert sampled.n_sampled == 1
        assert (np.abs(sampled.values - exact.values) <= 4 * sampled.errors + 1e-12).all(), name
        assert 0 < sampled.errors.max() < 0.03
        assert sampled.values.sum() == pytest.approx((measure(a) - measure(b)).item(), abs=1e-12)


def many_moves(name: str = "Q", **options: Any) -> RunDiff:
    docs = [f"d{i}" for i in range(20)]
    qrels = {q: {doc: i % 3 for i, doc in enumerate(docs)} for q in ("q1", "q2")}
    lists = {q: {doc: float(i) for i, doc in enumerate(docs)} for q in qrels}
    turned = {q: {doc: float(i * 7 % 20) for i, doc in enumerate(docs)} for q in qrels}
    return explain(qrels, lists, turned, name, **options)


def test_samples_depend_on_the_seed_and_not_on_the_choice_of_queries():
    first, again, other = (many_moves(rng=seed, n_resamples=60) for seed in (4, 4, 5))
    assert first.documents.contribution.tolist() == again.documents.contribution.tolist()
    assert first.documents.contribution.tolist() != other.documents.contribution.tolist()
    alone = many_moves(rng=4, n_resamples=60, query="q2")
    assert alone.documents.contribution.tolist() == first.documents.contribution[first.documents.of_query(1)].tolist()
    assert mentions(first.notes, 2, "sampled", "60", "standard errors")
    assert "orders:60 | rng:4" in first.signature()
    few = many_moves(rng=4, n_resamples=10)
    assert few.documents.error.mean() > 1.5 * first.documents.error.mean()


def test_closed_forms_and_sums_are_not_sampled():
    for name, method in (("AP", "shapley"), ("ERR", "shapley"), ("nDCG", "sum")):
        result = many_moves(name)
        assert (result.method, result.n_sampled, result.documents.error.max()) == (method, 0, 0)
        assert "rng:" not in result.signature()


# Ranks and ids


def listed(qrels: Any, run: Lists, query: str, depth: int) -> list[str]:
    """The first documents of a list by the default tie rule, as one would sort them."""
    docs = run.get(query, {})
    return sorted(docs, key=lambda doc: (docs[doc], doc.encode()), reverse=True)[:depth]


@examples(60)
@given(two_runs(), st.integers(1, 6))
def test_documents_have_the_ranks_of_both_lists(case, depth):
    qrels, a, b = case
    result = explain(qrels, a, b, "nDCG@10", depth=depth)
    rows = {(row[0], row[1]): row for row in result.records()}
    for query, judged in qrels.items():
        lists = [listed(qrels, run, query, 99) for run in (a, b)]
        shown = {doc for docs in lists for doc in docs[:depth]}
        assert shown <= {doc for q, doc in rows if q == query}
        for doc in shown:
            _, _, grade, *ranks, contribution, _, source, _ = rows[query, doc]
            assert grade == judged[doc] if doc in judged else np.isnan(grade)
            for rank, docs in zip(ranks, lists, strict=True):
                expected = docs.index(doc) + 1 if doc in docs else None
                if doc not in judged and (expected is None or expected > depth):
                    expected = None  # nobody knows it: unjudged documents further down are not kept
                assert rank == expected if expected is not None else np.isnan(rank)
            assert doc in judged or (contribution, source) == (0, "unjudged")


@pytest.mark.parametrize("ties", ["doc_id_desc", "file", "average"])
def test_ties_are_broken_as_the_evaluation_breaks_them(ties):
    qrels = {"q": {"d1": 2, "d4": 1}}
    a, b = {"q": {"d1": 1.0, "d2": 1.0, "d3": 1.0, "d4": 0.5}}, {"q": {"d4": 3.0, "d1": 1.0, "d5": 1.0}}
    result = explain(qrels, a, b, "nDCG@3", conventions={"ties": ties})
    ranks = {row[1]: row[3:5] for row in result.records()}
    first = {"doc_id_desc": (3, 2, 1), "file": (1, 2, 3), "average": (2, 2, 2)}[ties]
    second = {"doc_id_desc": (3, 2), "file": (2, 3), "average": (2.5, 2.5)}[ties]
    assert [ranks[doc][0] for doc in ("d1", "d2", "d3")] == [*first]
    assert [ranks[doc][1] for doc in ("d1", "d5")] == [*second]
    scores = rs.evaluate(qrels, [rs.Run(a, name="a"), rs.Run(b, name="b")], "nDCG@3", ties=ties)
    assert sums_by_query(result) == pytest.approx(scores.values[0, 0] - scores.values[1, 0], abs=1e-12)


def test_averaged_ties_need_a_measure_that_is_a_sum():
    with pytest.raises(ParameterError) as raised:
        explain({"q": {"d": 1}}, {"q": {"d": 1.0}}, {"q": {"x": 1.0}}, "AP", conventions={"ties": "average"})
    assert mentions(raised.value, "AP", "ties='average'", "doc_id_desc", "nDCG")


def test_chunks_count_as_their_documents_and_duplicates_as_the_convention_says():
    qrels = {"q": {"d1": 1, "d2": 1}}
    a = {"q": {"d1#1": 5.0, "d1#2": 4.0, "x#1": 3.0, "d2#1": 2.0}}
    b = {"q": {"x#3": 5.0, "d2#9": 4.0}}
    result = explain(qrels, a, b, "P@2", conventions={"doc_of": "^([^#]+)"})
    assert {row[1]: row[3:5] for row in result.records()}["d1"][0] == 1
    assert [row[1] for row in result.records()] == ["d1", "x", "d2"]
    assert sums_by_query(result) == pytest.approx([1 / 2 - 1 / 2], abs=1e-12)


def test_condensed_lists_have_no_unjudged_documents():
    qrels = {"q": {"d1": 1, "d2": 0}}
    a, b = {"q": {"x": 3.0, "d1": 2.0}}, {"q": {"d2": 3.0, "y": 2.0, "d1": 1.0}}
    result = explain(qrels, a, b, "RR", conventions={"unjudged": "skip"})
    assert {row[1]: row[3:5] for row in result.records()}["d1"] == (1.0, 2.0)
    assert not {"x", "y"} & set(result.documents.ids)
    assert sums_by_query(result) == pytest.approx([1 - 1 / 2])
    with pytest.raises(ParameterError, match="bounds"):
        explain(qrels, a, b, "RR", conventions={"unjudged": "bounds"})


def test_queries_that_a_run_lacks_are_empty_or_skipped():
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 0}}
    a, b = {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}, "q3": {"d1": 1.0}}, {"q1": {"x": 2.0, "d1": 1.0}}
    result = explain(qrels, a, b, "RR")
    assert result.query_ids == ("q1", "q2", "q3")
    assert sums_by_query(result).tolist() == [0.5, 1.0, 0.0]
    assert mentions(result.notes, "b", "no list for 2 of 3")
    dropped = explain(qrels, a, b, "RR", conventions={"missing": "drop"})
    assert dropped.query_ids == ("q1",)
    assert mentions(dropped.notes, "2 queries of 3 skipped")
    one = explain(qrels, a, b, "RR", conventions={"no_relevant": "one"})
    assert sums_by_query(one).tolist() == [0.5, 1.0, 0.0]
    with pytest.raises(InputError) as raised:
        explain(qrels, a, b, "RR", query="q2", conventions={"missing": "drop"})
    assert mentions(raised.value, "q2", "missing:drop")


def test_a_query_that_the_judgments_lack_is_named():
    with pytest.raises(UnknownName, match="q17"):
        explain({"q7": {"d": 1}}, {"q7": {"d": 1.0}}, {"q7": {"x": 1.0}}, "RR", query="q17")


def write_run(path: Path, lists: Lists, name: str) -> Path:
    lines = [f"{q} Q0 {doc} 1 {score!r} {name}\n" for q, docs in lists.items() for doc, score in docs.items()]
    path.write_text("".join(lines))
    return path


def test_files_folders_workers_and_scattered_queries_give_the_same(tmp_path):
    rng = np.random.default_rng(2)
    ids = [f"doc{i}" for i in range(40)]
    qrels = {f"q{q}": {doc: int(rng.integers(0, 3)) for doc in rng.choice(ids, 12, replace=False)} for q in range(9)}
    runs = [
        {q: dict(zip(rng.permutation(ids)[:25].tolist(), (-np.arange(25.0)).tolist(), strict=True)) for q in qrels}
        for _ in range(2)
    ]
    expected = list(explain(qrels, *runs, "nDCG@5", depth=7).records())
    files = [write_run(tmp_path / f"{name}.run", run, name) for name, run in zip("ab", runs, strict=True)]
    lines = files[0].read_text().splitlines(keepends=True)
    scattered = tmp_path / "scattered.run"
    scattered.write_text("".join(lines[::2] + lines[1::2]))
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "1.run").write_text("".join(lines[:100]))
    (folder / "2.run").write_text("".join(lines[100:]))
    packed = tmp_path / "a.run.gz"
    packed.write_bytes(gzip.compress(files[0].read_bytes()))
    for a in (files[0], scattered, folder, packed):
        for workers in (1, 2):
            found = rs.diff(qrels, a, files[1], "nDCG@5", depth=7, workers=workers)
            assert list(map(repr, found.records())) == list(map(repr, expected)), (a, workers)


# Sources


def test_worked_sources_of_a_difference():
    """Five relevant documents: found, moved up, down behind an unjudged and a judged one, lost, and not moved."""
    qrels = {"q": {"found": 1, "up": 1, "down": 1, "lost": 1, "still": 1, "no": 0}}
    a = {"q": ["still", "new", "up", "no", "down", "found"]}
    b = {"q": ["still", "down", "lost", "up"]}
    result = rs.diff(qrels, rs.Run(a, name="a"), rs.Run(b, name="b"), "RBP(p=0.5)")
    weight = {rank: 0.5 * 0.5 ** (rank - 1) for rank in range(1, 7)}
    rows = {row[1]: (row[5], row[7], row[8]) for row in result.records()}
    # `down` falls by 3 ranks and has 1 more unjudged document (new) above it; `up` rises by 1, although there is one.
    assert rows == {
        "still": (0, "same", 0),
        "new": (0, "unjudged", 0),
        "no": (0, "nonrelevant", 0),
        "up": (pytest.approx(weight[3] - weight[4]), "higher", 0),
        "down": (pytest.approx(weight[5] - weight[2]), "lower", pytest.approx((weight[5] - weight[2]) / 3)),
        "found": (pytest.approx(weight[6]), "found", 0),
        # of the first 3 places, the last of which was its own, an unjudged document has 1 now and none before
        "lost": (pytest.approx(-weight[3]), "lost", pytest.approx(-weight[3] / 3)),
    }
    terms = {term.name: (term.n_documents, term.n_queries, term.total) for term in result.sources}
    assert terms == {
        "found": (1, 1, pytest.approx(weight[6])),
        "higher": (1, 1, pytest.approx(weight[3] - weight[4])),
        "lower": (1, 1, pytest.approx((weight[5] - weight[2]) * 2 / 3)),
        "lost": (1, 1, pytest.approx(-weight[3] * 2 / 3)),
        "unjudged_ahead": (2, 1, pytest.approx((weight[5] - weight[2]) / 3 - weight[3] / 3)),
    }


def test_what_the_length_of_a_list_contributes_is_a_term_of_its_own():
    result = explain({"q": {"d": 1}}, {"q": {"d": 1.0}}, {"q": {"d": 2.0, "x": 1.0}}, "SetP")
    assert [(term.name, term.total) for term in result.sources] == [("length", 0.5)]
    assert sums_by_query(result).tolist() == [0.5]


# The ideal


def test_the_ideal_is_the_best_order_and_moves_as_few_documents_as_possible():
    qrels = {"q": {"d1": 1, "d2": 2, "d3": 1, "d4": 0, "d5": 1}}
    run = rs.Run({"q": ["d3", "x", "d2", "d1"]}, name="mine")
    result = rs.diff(qrels, run, ideal=True, measure="nDCG@5")
    assert result.systems == ("ideal", "mine")
    ranks = {row[1]: row[3:5] for row in result.records()}
    assert [ranks[doc][0] for doc in ("d2", "d3", "d1", "d5")] == [1, 2, 3, 4]  # d3 stays before d1; d5 is missing
    assert result.values[0].tolist() == [1.0]
    assert {term.name for term in result.sources} == {"found", "higher", "lower", "unjudged_gone"}
    binary = rs.diff(qrels, run, ideal=True, measure="AP")
    assert [row[3:5] for row in binary.records() if row[1] == "d3"] == [(1, 1)]  # as relevant as d2
    assert binary.values[0].tolist() == [1.0]
    gains = rs.diff(qrels, run, ideal=True, measure="nDCG(gains={1: 5, 2: 1})")
    assert [row[3] for row in gains.records() if row[1] == "d2"] == [4]
    assert gains.values[0].tolist() == [1.0]


@pytest.mark.parametrize("runs", [{}, {"b": {"q": ["d"]}}])
def test_an_ideal_takes_one_run_and_a_comparison_two(runs):
    with pytest.raises(ParameterError) as raised:
        rs.diff({"q": {"d": 1}}, {"q": ["d"]}, **runs, ideal=bool(runs))
    assert mentions(raised.value, "--ideal", len(runs) + 1)


def test_tables_of_ranks_hold_no_documents():
    with pytest.raises(ParameterError, match="lists of documents"):
        rs.diff("ranks.tsv", "a.run", "b.run", input="entity-ranks")
