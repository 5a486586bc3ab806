"""Runs fused: every method against loops, properties, what is noted and what is refused."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.naive_fusion import naive, ranked
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.data.rows import decode_ids
from rankscope.fusion import METHODS, NORMALISATIONS, pool
from rankscope.fusion import condorcet as majority
from rankscope.kernels.text import decode

SCORES = (-2.0, -1.0, 0.25, 0.5, 1.0, 3.5, 10.0)
DOCUMENTS = (*"abcdefgh", "long-id-of-a-document", "\u00e9")


def some_runs(seed: int) -> list[dict[str, dict[str, float]]]:
    """One to five runs of up to three queries, some of them shared, with many ties."""
    draw = random.Random(seed)

    def docs() -> dict[str, float]:
        return {doc: draw.choice(SCORES) for doc in draw.sample(DOCUMENTS, draw.randint(1, 9))}

    others = ("q1", "q2", "q3")
    return [
        {"common": docs()} | {query: docs() for query in draw.sample(others, draw.randint(0, 2))}
        for _ in range(1 + seed % 5)
    ]


RUNS = [some_runs(seed) for seed in range(15)]
BY_RANK = [name for name, known in METHODS.items() if not known.uses_scores]
WEIGHTED = [name for name, known in METHODS.items() if known.takes_weights]


def found(run: rs.Run) -> dict[str, dict[str, float]]:
    rows = run.rows()
    assert rows is not None
    docs, scores = decode_ids(decode(rows.docs)), rows.values.tolist()
    parts = itertools.pairwise(rows.offsets.tolist())
    return {q: dict(zip(docs[a:b], scores[a:b], strict=True)) for q, (a, b) in zip(run.query_ids, parts, strict=True)}


def check(ours: dict[str, dict[str, float]], expected: dict[str, dict[str, float]]) -> None:
    assert list(ours) == list(expected)
    for query, scores in expected.items():
        assert ours[query] == pytest.approx(scores, rel=1e-9, abs=1e-9)
        assert list(ours[query]) == ranked(ours[query])


@pytest.mark.parametrize("method", METHODS)
def test_each_method_is_its_formula(method: str) -> None:
    for runs in RUNS:
        check(found(rs.fusion.fuse(runs, method)), naive(runs, method))


@pytest.mark.parametrize("method", ["comb-sum", "comb-mnz", "comb-min", "comb-med"])
@pytest.mark.parametrize("how", [name for name in NORMALISATIONS if name != "max"])
def test_each_normalisation_is_its_formula(method: str, how: str) -> None:
    for runs in RUNS[:6]:
        check(found(rs.fusion.fuse(runs, method, normalise=how)), naive(runs, method, how))


@pytest.mark.parametrize("method", WEIGHTED)
def test_weights_multiply_what_a_run_adds(method: str) -> None:
    for runs in RUNS:
        weights = [0.5, 1.0, 2.0, 0.1, 0.7][: len(runs)]
        check(found(rs.fusion.fuse(runs, method, weights=weights)), naive(runs, method, weights=weights))


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_runs_does_not_matter(method: str) -> None:
    for runs in RUNS:
        expected = found(rs.fusion.fuse(runs, method))
        for turned in (runs[::-1], runs[1:] + runs[:1]):
            assert_same_bits(found(rs.fusion.fuse(turned, method)), expected)


@pytest.mark.parametrize("method", [name for name in BY_RANK if name != "log-isr"])
def test_one_run_fuses_to_its_own_order(method: str) -> None:
    for run in itertools.chain(*RUNS):
        fused = found(rs.fusion.fuse([run], method))
        assert {q: list(docs) for q, docs in fused.items()} == {q: ranked(docs) for q, docs in run.items()}


def test_one_run_keeps_its_scores_bit_by_bit_without_normalisation() -> None:
    run = {"q": {"a": 0.1 + 0.2, "b": 0.3}}
    assert found(rs.fusion.fuse([run], "comb-sum", normalise="none")) == run


def test_where_lower_scores_are_better_lists_are_turned_round() -> None:
    near = {"q": {"a": 0.1, "b": 0.7, "c": 2.1}}
    for method in METHODS:
        if method != "log-isr":
            (docs,) = found(rs.fusion.fuse([near], method, normalise="min-max-inverted")).values()
            assert list(docs) == ["a", "b", "c"], method


def test_sums_of_the_same_terms_in_another_order_are_tied() -> None:
    runs = [
        {"q": {"a": 3.0, "b": 2.0, "c": 1.0}},
        {"q": {"b": 3.0, "c": 2.0, "a": 1.0}},
        {"q": {"c": 3.0, "a": 2.0, "b": 1.0}},
    ]
    (docs,) = found(rs.fusion.fuse(runs, "rrf")).values()
    assert len(set(docs.values())) == 1
    assert list(docs) == ["c", "b", "a"]  # ties by document id, falling


def test_a_circle_of_majorities_is_a_tie() -> None:
    runs = [{"q": dict(zip(order, (3.0, 2.0, 1.0), strict=True))} for order in ("abc", "bca", "cab")]
    assert found(rs.fusion.fuse(runs, "condorcet"))["q"] == {"c": 2.0, "b": 2.0, "a": 2.0}


def test_a_query_that_a_run_lacks_is_fused_from_the_others() -> None:
    one = rs.Run({"q": {"a": 1.0}, "r": {"b": 2.0, "c": 1.0}}, name="one")
    fused = rs.fusion.fuse([one, {"q": {"a": 1.0}}], "borda")
    assert found(fused) == {"q": {"a": 2.0}, "r": {"b": 2.0, "c": 1.0}}
    (note,) = fused.notes
    assert mentions(note, "1 of 2 queries", "not in every run")


def test_a_query_without_documents_in_any_run_stays_empty_and_a_note_says_so() -> None:
    one = rs.Run({"q": {"a": 1.0}, "e": {}, "r": {"b": 1.0}}, name="one")
    fused = rs.fusion.fuse([one, {"q": {"a": 1.0}, "e": {}}], "rrf")
    assert set(fused.query_ids) == {"q", "e", "r"}
    assert mentions(fused.notes[0], "1 of 3 queries is not in every run")
    assert fused.notes[1:] == ("1 of 3 queries has no document in any run: its fused list is empty",)


def test_lists_of_equal_scores_are_0_and_said() -> None:
    runs = [rs.Run({"q": {"a": 5.0, "b": 5.0}}, name="flat"), {"q": {"a": 1.0, "c": 0.0}}]
    fused = rs.fusion.fuse(runs, "comb-sum", normalise="z-score")
    assert found(fused)["q"] == pytest.approx({"a": 1.0, "b": 0.0, "c": -1.0})
    (note,) = fused.notes
    assert mentions(note, "flat", "1 query", "equal", "z-score", 0)


def test_equal_names_are_numbered_with_a_note() -> None:
    runs = [{"q": {"a": 5.0}}, {"q": {"a": 1.0}}]
    fused = rs.fusion.fuse(runs, "comb-sum")
    assert mentions(fused.notes[0], "called run", "numbered")
    assert [note.partition(":")[0] for note in fused.notes[1:]] == ["run", "run-2"]


def test_names_say_method_and_parameters() -> None:
    runs = [{"q": {"a": 1.0, "b": 2.0}}, {"q": {"a": 5.0, "b": 3.0}}]
    assert rs.fusion.fuse(runs).name == "rrf(k=60)"
    assert rs.fusion.fuse(runs, "borda").name == "borda"
    assert rs.fusion.fuse(runs, "comb-sum", weights=[2, 0.5]).name == "comb-sum(min-max,weights=2,0.5)"
    assert rs.fusion.fuse(runs, "comb-gmnz", normalise="none", gamma=2).name == "comb-gmnz(gamma=2)"
    assert rs.fusion.fuse(runs, name="mine").name == "mine"


@pytest.mark.parametrize(
    ("runs", "method", "options", "said"),
    [
        ([{"q": {"a": 1.0}}, {"r": {"a": 1.0}}], "rrf", {}, ("no query", "2 runs")),
        ([{"q": {"a": math.nan}}], "rrf", {}, ("nan", "finite")),
        ([{"q": {"a": -1.0}}], "comb-sum", {"normalise": "max"}, (-1, "min-max")),
        ([{"q": {"a": 1e308}}, {"q": {"a": 1e308}}], "comb-sum", {"normalise": "none"}, ("too large",)),
        ([], "rrf", {}, ("no runs",)),
        ({"q": {"a": 1.0}}, "rrf", {}, ("runs", "list")),
        ([{"q": {"a": 1.0}}], "rff", {}, ("rrf?",)),
        ([{"q": {"a": 1.0}}], "comb-sum", {"normalise": "zscore"}, ("z-score?",)),
        ([{"q": {"a": 1.0}}], "rrf", {"normalise": "sum"}, ("rrf uses ranks only", "sum")),
        ([{"q": {"a": 1.0}}], "rrf", {"weights": [1, 2]}, ("2 weights", "1 run")),
        ([{"q": {"a": 1.0}}], "rrf", {"weights": [-1]}, ("weights is", -1)),
        ([{"q": {"a": 1.0}}], "rrf", {"weights": [0]}, ("all weights", 0)),
        ([{"q": {"a": 1.0}}], "rrf", {"weights": "x"}, ("weights", "'x'", "each run")),
        ([{"q": {"a": 1.0}}] * 2, "rrf", {"weights": "12"}, ("weights", "'12'", "each run")),
        ([{"q": {"a": 1.0}}] * 2, "rrf", {"weights": ["1", "2"]}, ("weights", "'1'", "at least 0")),
        ([{"q": {"a": 1.0}}] * 2, "comb-gmnz", {"gamma": 5000}, ("too large", "smaller parameters")),
        ([{"q": {"a": 1.0}}], "comb-max", {"weights": [1]}, ("comb-max", "no weights", "rrf, rbc")),
        ([{"q": {"a": 1.0}}], "rrf", {"p": 0.5}, ("p is", 0.5, "rrf", "it has k")),
        ([{"q": {"a": 1.0}}], "rrf", {"k": -1}, ("k is", -1)),
        ([{"q": {"a": 1.0}}], "rbc", {"p": 1.0}, ("p is", 1.0)),
        ([{"q": {"a": 1.0}}], "logn-isr", {"sigma": 2}, ("sigma", 2)),
    ],
)
def test_what_cannot_be_fused_is_refused(runs: Any, method: str, options: Any, said: tuple) -> None:
    with pytest.raises((rs.InputError, rs.ParameterError)) as caught:
        rs.fusion.fuse(runs, method, **options)
    assert mentions(caught.value, *said)


def test_a_document_twice_in_a_list_is_refused() -> None:
    twice = {"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1.0, 2.0]}
    with pytest.raises(rs.InputError, match=r"'a'.*'q'.*\btwice\b"):
        rs.fusion.fuse([rs.Run(twice), {"q": {"a": 1.0}}])


@pytest.fixture
def runs_of_all_sizes() -> list[dict[str, dict[str, float]]]:
    rng = np.random.default_rng(3)
    sizes = {"big": 30, "mid": 12, "small": 2, "one": 1, "other": 3}
    return [
        {q: {f"d{i}": float(rng.random()) for i in rng.permutation(2 * n)[:n]} for q, n in sizes.items()}
        for _ in range(3)
    ]


def test_queries_of_all_sizes_and_small_blocks_give_the_same(
    monkeypatch: pytest.MonkeyPatch, runs_of_all_sizes: list[Any]
) -> None:
    monkeypatch.setattr(pool, "CELLS", 10)
    monkeypatch.setattr(majority, "PAIRS", 10)
    for method in ("rrf", "borda", "condorcet", "comb-med"):
        check(found(rs.fusion.fuse(runs_of_all_sizes, method)), naive(runs_of_all_sizes, method))


def test_hashes_that_clash_are_told_apart_by_their_bytes(
    monkeypatch: pytest.MonkeyPatch, runs_of_all_sizes: list[Any]
) -> None:
    expected = naive(runs_of_all_sizes, "rrf")
    monkeypatch.setattr("rankscope.data.row_input.hashes", lambda fields: np.zeros(fields.starts.size, np.uint64))
    check(found(rs.fusion.fuse(runs_of_all_sizes, "rrf")), expected)


def test_long_ids_are_fused_as_short_ones() -> None:
    runs = [{"q": {"x" * 70 + doc: score for doc, score in docs}} for docs in ([("a", 2.0), ("b", 1.0)], [("b", 2.0)])]
    check(found(rs.fusion.fuse(runs)), naive(runs, "rrf"))
