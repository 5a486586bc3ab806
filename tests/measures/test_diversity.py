"""Measures of diversity: worked examples, a plain loop, ndeval, and what the greedy ideal is and is not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from math import log2

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits, assert_same_numbers
from helpers.strategies import ranked
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Convention, Hits
from rankscope.data.join import join

#: {query: {subtopic: {document: relevance}}}, and {query: {document: score}}.
Judged = dict[str, dict[str, dict[str, int]]]
Lists = dict[str, dict[str, float]]

FORMS = (
    *("alpha_DCG@5", "alpha_nDCG@5", "alpha_nDCG", "alpha_nDCG(alpha=0.9)@20", "alpha_nDCG(alpha=1)@3"),
    *("ERR_IA@5", "ERR_IA(alpha=0)@20", "nERR_IA@5", "nERR_IA(alpha=0.3)", "NRBP", "NRBP(alpha=0.3, beta=0.8)"),
    *("nNRBP", "nNRBP(alpha=0.9, beta=0.8)", "AP_IA", "AP_IA(rel=2)", "P_IA@5", "StRecall@5", "StRecall(rel=2)@20"),
)


def evaluate(judged: Judged, run: Lists, *forms: str, **options: object) -> rs.Scores:
    return rs.evaluate(rs.Qrels(judged), run, list(forms), **options)


def in_order(docs: str) -> dict[str, float]:
    """A list of documents, each named by a letter."""
    return {doc: float(len(docs) - i) for i, doc in enumerate(docs)}


def value(form: str, subtopics: dict[str, str], listed: str, **options: object) -> float:
    """subtopics: for each, the documents relevant to it, each a letter."""
    judged = {"q": {subtopic: dict.fromkeys(docs, 1) for subtopic, docs in subtopics.items()}}
    return evaluate(judged, {"q": in_order(listed)}, form, **options).values.item()


# --- worked examples ------------------------------------------------------------------------------

#: Clarke et al. (2008), section 4, with alpha = 1/2: documents a to j gain 2, 1/2, 1/4, 0, 2, 1/2, 1, 1/4, 0, 0, and
#: the ideal order 2, 2, 1, 1/2, 1/2, 1/4, 1/4. These subtopics are such that they do.
CRUISES = {"1": "a", "2": "abc", "3": "efh", "4": "e", "5": "g"}
TEN = "abcdefghij"
GAINS = (2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4, 0, 0)
IDEAL = (2, 2, 1, 1 / 2, 1 / 2, 1 / 4, 1 / 4)
#: The same gains where every document were relevant to all five.
ALL_FIVE = [5 * 0.5**i for i in range(10)]


def dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def err(gains: Sequence[float]) -> float:
    return sum(gain / rank for rank, gain in enumerate(gains, 1))


def rbp(gains: Sequence[float], beta: float) -> float:
    return sum(gain * beta ** (rank - 1) for rank, gain in enumerate(gains, 1))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        *((f"alpha_DCG@{k}", dcg(GAINS[:k]) / dcg(ALL_FIVE[:k])) for k in (1, 2, 5, 10)),
        *((f"alpha_nDCG@{k}", dcg(GAINS[:k]) / dcg(IDEAL[:k])) for k in (1, 2, 3, 5, 10)),
        ("alpha_nDCG", dcg(GAINS) / dcg(IDEAL)),
        ("alpha_nDCG@1000", dcg(GAINS) / dcg(IDEAL)),
        *((f"ERR_IA@{k}", err(GAINS[:k]) / err(ALL_FIVE[:k])) for k in (1, 10)),
        *((f"nERR_IA@{k}", err(GAINS[:k]) / err(IDEAL[:k])) for k in (2, 10)),
        # (1 - (1 - alpha) beta) / N sum of gain beta^(rank - 1)
        ("NRBP", (1 - 0.5 * 0.5) / 5 * rbp(GAINS, 0.5)),
        ("NRBP(beta=0.8)", (1 - 0.5 * 0.8) / 5 * rbp(GAINS, 0.8)),
        ("nNRBP", rbp(GAINS, 0.5) / rbp(IDEAL, 0.5)),
        # subtopics 1, 2, 4: found in the first five by a; abc; e; 3: by e; 5: never
        ("P_IA@5", (1 / 5 + 3 / 5 + 1 / 5 + 1 / 5 + 0) / 5),
        ("StRecall@5", 4 / 5),
        ("StRecall@1", 2 / 5),
        ("StRecall@7", 5 / 5),
        ("AP_IA", (1 + (1 / 1 + 2 / 2 + 3 / 3) / 3 + (1 / 5 + 2 / 6 + 3 / 8) / 3 + 1 / 5 + 1 / 7) / 5),
        # alpha = 0: nothing is ever repeated; alpha = 1: only what is new gains
        ("alpha_nDCG(alpha=0)@3", dcg([2, 1, 1]) / dcg([2, 2, 1])),
        ("alpha_nDCG(alpha=1)@10", dcg([2, 0, 0, 0, 2, 0, 1]) / dcg([2, 2, 1])),
        ("ERR_IA(alpha=1)@5", err([2, 0, 0, 0, 2]) / 5),
        ("NRBP(alpha=1)", 1 / 5 * rbp([2, 0, 0, 0, 2, 0, 1], 0.5)),
    ],
)
def test_the_example_of_the_paper(form: str, expected: float) -> None:
    assert value(form, CRUISES, TEN) == pytest.approx(expected, rel=1e-14)


def test_the_example_of_the_paper_discounts_as_it_prints() -> None:
    """Clarke et al. (2008), section 4: DCG = 2, 2.315, 2.440, 2.440, 3.214, ... of these gains."""
    found = [value(f"alpha_DCG@{k}", CRUISES, TEN) * dcg(ALL_FIVE[:k]) for k in (1, 2, 3, 4, 5)]
    assert found == pytest.approx([2, 2.315, 2.440, 2.440, 3.214], abs=6e-4)


def test_a_subtopic_without_a_relevant_document_does_not_count() -> None:
    judged = {"q": {"s1": {"a": 1, "b": 0}, "s2": {"a": 0, "b": -1}, "s3": {"b": 1}}}
    found = evaluate(judged, {"q": in_order("a")}, "StRecall@1", "P_IA@1", "AP_IA", "ERR_IA@1", "NRBP")
    assert found.values[0, :, 0].tolist() == [1 / 2, 1 / 2, 1 / 2, 1 / 2, (1 - 0.25) / 2]


def test_a_relevance_below_the_level_counts_as_none() -> None:
    judged = {"q": {"s1": {"a": 1, "b": 2}, "s2": {"a": 3}, "s3": {"c": 1}}}
    run = {"q": in_order("bac")}
    own = evaluate(judged, run, "StRecall(rel=2)@1", "alpha_nDCG(rel=2)@2", "AP_IA(rel=2)").values
    assert own[0, :, 0].tolist() == [1 / 2, 1.0, (1 + 1 / 2) / 2]
    assert (evaluate(judged, run, "StRecall@1", "alpha_nDCG@2", "AP_IA", rel=2).values == own).all()


def test_without_a_relevant_document_they_are_0_or_what_was_asked_for() -> None:
    judged = {"q1": {"s1": {"a": 0}, "s2": {"a": -1}}, "q2": {"s1": {"a": 1}}}
    run = {"q1": in_order("ab"), "q2": in_order("a")}
    zero = evaluate(judged, run, *FORMS)
    assert (zero.values[0, :, 0] == 0).all()
    assert mentions(zero.notes, 1, "no relevant documents")
    assert np.isnan(evaluate(judged, run, *FORMS, no_relevant="drop").values[0, :, 0]).all()
    assert (evaluate(judged, run, *FORMS, no_relevant="one").values[0, :, 0] == 1).all()


def test_an_empty_ranking_and_one_of_unjudged_documents_are_0() -> None:
    judged = {q: {"s1": {"a": 1}, "s2": {"b": 2}} for q in ("q1", "q2", "q3")}
    found = evaluate(judged, {"q2": in_order("xyz"), "q3": in_order("ab")}, *FORMS).values
    assert (found[0, :, :2] == 0).all()
    assert (found[0, :, 2] > 0).all()


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("alpha_nDCG(alpha=1.1)@5", "alpha .*0 to 1"),
        ("ERR_IA(alpha=-0.1)@5", "alpha .*0 to 1"),
        ("alpha_DCG(alpha='much')@5", "alpha .*0 to 1"),
        ("NRBP(beta=1)", "beta .*0 and 1"),
        ("nNRBP(beta=0)", "beta .*0 and 1"),
        ("alpha_nDCG@0", "cutoff is 0, .* 1"),
        ("StRecall(rel=0)@5", "rel is 0, .* above 0"),
        ("StRecall", "cutoff"),
        ("ERR_IA", "cutoff"),
        ("NRBP@10", "no cutoff"),
    ],
)
def test_parameters_out_of_range_are_refused(form: str, said: str) -> None:
    with pytest.raises(rs.ParameterError, match=said):
        rs.parse_measure(form)


# --- the plain loop -------------------------------------------------------------------------------


def loop(form: str, subtopics: dict[str, dict[str, int]], listed: Sequence[str]) -> float:
    """A measure of one query, document by document, as its docstring says."""
    measure = rs.parse_measure(form)
    level, cutoff = getattr(measure, "rel", None) or 1, getattr(measure, "cutoff", None)
    about: dict[str, set[str]] = {}
    for subtopic, docs in subtopics.items():
        for doc, relevance in docs.items():
            about.setdefault(doc, set()).update({subtopic} if relevance >= level else set())
    there = {subtopic for subtopics in about.values() for subtopic in subtopics}
    if not there:
        return 0.0
    listed = listed[:cutoff]
    name = measure.name
    if name == "StRecall":
        return len({s for doc in listed for s in about.get(doc, ())}) / len(there)
    if name == "P_IA":
        return sum(len(about.get(doc, ())) for doc in listed) / cutoff / len(there)
    if name == "AP_IA":
        return sum(average_precision({d for d in about if s in about[d]}, listed) for s in sorted(there)) / len(there)
    alpha, beta = getattr(measure, "alpha", 0), getattr(measure, "beta", 0)
    gains = gains_of(listed, about, alpha)
    ideal = gains_of(greedy(about, alpha), about, alpha)[:cutoff]
    worth: Callable[[int], float] = {
        "D": lambda rank: 1 / log2(rank + 1),
        "E": lambda rank: 1 / rank,
        "N": lambda rank: beta ** (rank - 1),
    }[name.removeprefix("alpha_").lstrip("n")[0]]
    total = sum(gain * worth(rank) for rank, gain in enumerate(gains, 1))
    if name == "NRBP":
        return total * (1 - (1 - alpha) * beta) / len(there)
    if name in ("alpha_DCG", "ERR_IA"):
        return total / sum(len(there) * (1 - alpha) ** i * worth(i + 1) for i in range(cutoff))
    return total / sum(gain * worth(rank) for rank, gain in enumerate(ideal, 1))


def average_precision(relevant: set[str], listed: Sequence[str]) -> float:
    found = [rank for rank, doc in enumerate(listed, 1) if doc in relevant]
    return sum(i / rank for i, rank in enumerate(found, 1)) / len(relevant)


def gains_of(order: Sequence[str], about: dict[str, set[str]], alpha: float) -> list[float]:
    seen: Counter[str] = Counter()
    gains = []
    for doc in order:
        gains.append(sum((1 - alpha) ** seen[subtopic] for subtopic in sorted(about.get(doc, ()))))
        seen.update(about.get(doc, ()))
    return gains


def greedy(about: dict[str, set[str]], alpha: float) -> list[str]:
    """The document that gains most, again and again; of equally good ones that with the last id."""
    left = sorted(about, key=str.encode, reverse=True)
    order: list[str] = []
    while left:
        gains = [gains_of([*order, doc], about, alpha)[-1] for doc in left]
        best = next(doc for doc, gain in zip(left, gains, strict=True) if gain > max(gains) - 1e-12)
        order.append(best)
        left.remove(best)
    return order


@st.composite
def collections(draw: st.DrawFn) -> tuple[Judged, Lists]:
    """A few small queries: subtopics that share documents, negative grades, lists with unjudged documents and ties."""
    docs = st.sampled_from("abcdefgh")
    judged = st.dictionaries(
        st.sampled_from(["1", "2", "10", "the third"]),
        st.dictionaries(docs, st.sampled_from([-1, 0, 1, 1, 2, 3]), min_size=1, max_size=7),
        min_size=1,
        max_size=4,
    )
    listed = st.dictionaries(st.sampled_from("abcdefghxyz"), st.sampled_from([3.0, 2.0, 1.0, 0.5]), max_size=9)
    queries = draw(st.lists(st.sampled_from(["q1", "q10", "q2"]), min_size=1, max_size=3, unique=True))
    return {q: draw(judged) for q in queries}, {q: draw(listed) for q in queries}


@examples(150)
@given(collections())
def test_each_is_what_a_plain_loop_gives(case: tuple[Judged, Lists]) -> None:
    judged, run = case
    found = evaluate(judged, run, *FORMS)
    for m, form in enumerate(FORMS):
        expected = [loop(form, judged[q], ranked(run[q])) for q in found.query_ids]
        assert found.values[0, m].tolist() == pytest.approx(expected, rel=1e-12, abs=1e-15), form


# --- the ideal ------------------------------------------------------------------------------------


def best_of_all_orders(about: dict[str, set[str]], alpha: float, depth: int) -> float:
    return max(dcg(gains_of(order, about, alpha)[:depth]) for order in permutations(about))


@examples(60)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("12345"), max_size=5), min_size=1, max_size=5),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.integers(1, 6),
    st.booleans(),
)
def test_where_greedy_is_optimal_the_ideal_is_the_best_of_all_orders(
    about: dict[str, set[str]], alpha: float, depth: int, one_subtopic: bool
) -> None:
    """With one subtopic, or where nothing counts as repeated, no other order gains more."""
    about = {doc: of & {"1"} for doc, of in about.items()} if one_subtopic else about
    alpha = alpha if one_subtopic else 0.0
    if not any(about.values()):
        return
    subtopics = {
        s: "".join(d for d in about if s in about[d]) for s in "12345" if any(s in of for of in about.values())
    }
    listed = "".join(about)
    expected = dcg(gains_of(listed, about, alpha)[:depth]) / best_of_all_orders(about, alpha, depth)
    assert value(f"alpha_nDCG(alpha={alpha})@{depth}", subtopics, listed) == pytest.approx(expected)


#: g is about four subtopics and taken first; a and b are about three each, and together about all six.
NOT_OPTIMAL = {"1": "ag", "2": "ag", "3": "a", "4": "bg", "5": "bg", "6": "b"}


def test_where_greedy_is_not_optimal_a_list_can_exceed_1() -> None:
    expected = (3 / log2(2) + 3 / log2(3)) / (4 / log2(2) + 1 / log2(3))
    assert expected > 1
    assert value("alpha_nDCG(alpha=1)@2", NOT_OPTIMAL, "ab") == pytest.approx(expected)
    assert value("alpha_nDCG(alpha=1)@2", NOT_OPTIMAL, "gb") == 1


@pytest.mark.parametrize(
    ("third", "ideal"),
    [
        ("z", [2, 1 / 2 + 1, 1 / 2 + 1]),  # z, about 1 and 3, is the last id: both others repeat one of its subtopics
        ("a", [2, 2, 1 / 2 + 1 / 2]),  # y, then x
    ],
)
def test_of_equally_good_documents_the_ideal_takes_the_last_id(third: str, ideal: list[float]) -> None:
    subtopics = {"1": "x" + third, "2": "x", "3": "y" + third, "4": "y"}
    listed = "yx" + third
    assert value("alpha_nDCG@3", subtopics, listed) == pytest.approx(dcg([2, 2, 1]) / dcg(ideal))
    assert value("alpha_nDCG@2", subtopics, listed) == pytest.approx(dcg([2, 2]) / dcg(ideal[:2]))


def test_documents_that_gain_the_same_are_equally_good_whatever_the_order_of_the_sum() -> None:
    """z gains (0.01 + 0.1) + 1, in float64 less than x, which gains (1 + 0.1) + 0.01; z is taken, as the last id."""
    w = 1 - 0.9
    assert (w * w + w) + 1 < (1 + w) + w * w
    # 0 and 1 are taken first; then the subtopics a have been seen never, b once, c twice
    subtopics = {"c3": "01z", "b2": "0yz", "a1": "xz", "b1": "0x", "c1": "01x", "a2": "y", "c2": "01y", "b3": "0"}
    subtopics |= dict.fromkeys(("d1", "d2", "d3"), "1")
    assert value("alpha_nDCG(alpha=0.9)@4", subtopics, "01zy") == pytest.approx(1, abs=1e-12)
    ideal = [6, 3 + 3 * w, 1 + w + w**2, 1 + w**2 + w**2]
    assert value("alpha_nDCG(alpha=0.9)@4", subtopics, "01xy") == pytest.approx(
        dcg([*ideal[:3], ideal[2]]) / dcg(ideal)
    )


def test_ids_are_compared_as_bytes_and_not_as_characters() -> None:
    """U+FFEE stands behind U+1F600 in UTF-16, and before it in UTF-8."""
    subtopics = {"1": {"\U0001f600": 1, "x": 1}, "2": {"x": 1}, "3": {"\U0001f600": 1, "\uffee": 1}, "4": {"\uffee": 1}}
    found = evaluate({"q": subtopics}, {"q": {"\uffee": 2.0, "x": 1.0}}, "alpha_nDCG@2").values.item()
    assert found == pytest.approx(dcg([2, 2]) / dcg([2, 1.5]))


# --- many queries, parts of them ------------------------------------------------------------------


def random_collection(seed: int, queries: int, *, ties: bool = True) -> tuple[Judged, Lists]:
    """What goes wrong elsewhere: unjudged documents, documents and subtopics without relevance, negative grades."""
    rng = random.Random(seed)
    judged: Judged = {}
    run: Lists = {}
    for q in range(queries):
        docs = [f"d{n}" for n in rng.sample(range(10**6), rng.randint(1, 40))]
        subtopics = judged.setdefault(f"q{q}", {})
        for s in range(rng.randint(1, 8)):
            grades = rng.choice([(0, -1), (-1, 0, 0, 0, 1, 2), (-2, 0, 1, 1, 2, 3)])  # some without anything relevant
            chosen = rng.sample(docs, rng.randint(1, len(docs)))
            subtopics[f"s{s}"] = {doc: rng.choice(grades) for doc in chosen}
        listed = [d for d in docs if rng.random() < 0.8] + [f"u{i}" for i in range(rng.randint(0, 6))]
        rng.shuffle(listed)
        if listed:
            scores = [float(rng.randint(0, 9) if ties else -i) for i in range(len(listed))]
            run[f"q{q}"] = dict(zip(listed, scores, strict=True))
    return judged, run


def test_many_queries_at_once_are_as_each_by_itself() -> None:
    judged, run = random_collection(5, 60)
    together = evaluate(judged, run, *FORMS)
    for q, query in enumerate(together.query_ids):
        alone = evaluate({query: judged[query]}, {query: run[query]}, *FORMS).values[0, :, 0]
        np.testing.assert_allclose(together.values[0, :, q], alone, rtol=1e-13)


def hits_of(judged: Judged, run: Lists, convention: Convention | None = None) -> Hits:
    return join(rs.Qrels(judged), rs.Run(run), convention)


def values(hits: Hits) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([rs.parse_measure(form)(hits) for form in FORMS])


def test_a_selection_of_queries_has_their_values() -> None:
    judged, run = random_collection(6, 20)
    hits = hits_of(judged, run)
    whole = values(hits)
    for chosen in ([3, 0, 3, 19], [], list(range(19, -1, -1))):
        np.testing.assert_allclose(values(hits.select(chosen)), whole[:, chosen], rtol=1e-13)


def test_parts_put_together_have_the_values_of_each() -> None:
    one, other = (hits_of(*random_collection(seed, 9)) for seed in (7, 8))
    whole = Hits.concat([one, other, one.select([4, 2])])
    assert whole.subtopics is not None
    np.testing.assert_allclose(
        values(whole), np.concatenate([values(one), values(other), values(one)[:, [4, 2]]], axis=1), rtol=1e-13
    )
    np.testing.assert_allclose(values(whole.select([12, 1])), values(whole)[:, [12, 1]], rtol=1e-13)


def test_put_together_with_judgments_that_are_not_by_subtopic_nothing_can_be_told_apart() -> None:
    by_subtopic = hits_of(*random_collection(9, 3))
    plain = join(rs.Qrels({"q": {"a": 1}}), rs.Run({"q": {"a": 1.0}}))
    assert Hits.concat([by_subtopic, plain]).subtopics is None
    with pytest.raises(rs.ParameterError, match="no subtopics"):
        rs.parse_measure("StRecall@5")(Hits.concat([plain, by_subtopic]))


def test_a_list_that_is_cut_has_the_values_of_a_cutoff() -> None:
    hits = hits_of(*random_collection(10, 30))
    for form in ("alpha_DCG@5", "alpha_nDCG@5", "ERR_IA@5", "nERR_IA@5", "P_IA@5", "StRecall@5"):
        measure = rs.parse_measure(form)
        assert_same_numbers(measure(hits.cut(5)), measure(hits))


def test_what_does_not_change_a_ranking_does_not_change_the_values() -> None:
    judged, run = random_collection(11, 30, ties=False)
    found = values(hits_of(judged, run))
    turned = {q: {s: dict(reversed(docs.items())) for s, docs in reversed(of.items())} for q, of in judged.items()}
    scaled = {q: {d: 10 * score + 3 for d, score in reversed(docs.items())} for q, docs in run.items()}
    np.testing.assert_allclose(values(hits_of(turned, scaled)), found, rtol=1e-13)


def test_unjudged_documents_can_be_skipped_and_bound_nothing() -> None:
    judged = {"q": {"s1": {"b": 1}, "s2": {"c": 1}}}
    run = {"q": in_order("abc")}
    assert evaluate(judged, run, "alpha_nDCG@2", "StRecall@1", unjudged="skip").values.ravel().tolist() == [1, 1 / 2]
    bounded = evaluate(judged, run, "alpha_nDCG@2", "StRecall@1", unjudged="bounds")
    assert bounded.bounds is not None
    assert np.isnan(bounded.bounds).all()
    assert mentions(bounded.notes[0], "bounds", "alpha_nDCG@2, StRecall@1")


def test_ties_are_not_averaged() -> None:
    with pytest.raises(rs.ParameterError, match=r"alpha_nDCG@5: .*no closed form"):
        value("alpha_nDCG@5", {"1": "a"}, "ab", ties="average")


def test_the_judgments_are_looked_at_once_for_all_runs() -> None:
    judged, run = random_collection(12, 5)
    hits = hits_of(judged, run)
    measure = rs.parse_measure("alpha_nDCG@5")
    expected = measure(hits)
    again = replace(hits, _memory={})  # as of another run of the same Qrels
    assert again.cached_on_qrels(("greedy", 1, 0.5, 5), lambda: pytest.fail("computed again")) is not None
    assert_same_bits(measure(again), expected)


# --- ndeval ---------------------------------------------------------------------------------------

#: Ours, and the name of pyndeval, which wraps the ndeval of the TREC Web Track and knows cutoffs up to 20.
NDEVAL = {
    **{f"P_IA(rel={{rel}})@{k}": f"P-IA@{k}" for k in (1, 5, 20)},
    **{f"StRecall(rel={{rel}})@{k}": f"strec@{k}" for k in (1, 5, 20)},
    "AP_IA(rel={rel})": "MAP-IA",
    **{f"alpha_DCG(alpha={{alpha}}, rel={{rel}})@{k}": f"alpha-DCG@{k}" for k in (2, 3, 10, 20)},
    **{f"alpha_nDCG(alpha={{alpha}}, rel={{rel}})@{k}": f"alpha-nDCG@{k}" for k in (1, 3, 10, 20)},
    **{f"ERR_IA(alpha={{alpha}}, rel={{rel}})@{k}": f"ERR-IA@{k}" for k in (2, 3, 10, 20)},
    **{f"nERR_IA(alpha={{alpha}}, rel={{rel}})@{k}": f"nERR-IA@{k}" for k in (1, 3, 10, 20)},
    "NRBP(alpha={alpha}, beta={beta}, rel={rel})": "NRBP",
    "nNRBP(alpha={alpha}, beta={beta}, rel={rel})": "nNRBP",
}


def ndeval(judged: Judged, run: Lists, names: Sequence[str], **parameters: float) -> dict[str, dict[str, float]]:
    """{query: {measure: value}} of the peer."""
    pyndeval = pytest.importorskip("pyndeval")
    rows = [(q, s, d, r) for q, of in judged.items() for s, docs in of.items() for d, r in docs.items()]
    peer = pyndeval.RelevanceEvaluator(rows, list(names), **parameters)
    found: dict[str, dict[str, float]] = peer.evaluate([(q, d, v) for q, docs in run.items() for d, v in docs.items()])
    return found


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 0.5), (0.3, 0.8), (0.5, 0.5), (0.9, 0.2), (1.0, 0.95)])
def test_all_agree_with_ndeval(alpha: float, beta: float, rel: int) -> None:
    judged, run = random_collection(int(100 * alpha) + rel, 40, ties=False)
    names = {form.format(alpha=alpha, beta=beta, rel=rel): name for form, name in NDEVAL.items()}
    peer = ndeval(judged, run, list(names.values()), relevance_level=rel, alpha=alpha, beta=beta)
    found = evaluate(judged, run, *names)
    assert set(peer) == set(run)
    for q, query in enumerate(found.query_ids):
        for m, name in enumerate(names.values()):
            expected = peer[query][name] if query in run else 0.0
            if np.isnan(expected):  # nNRBP without relevant documents: nan there, 0 here
                assert (name, found.undefined[m, q]) == ("nNRBP", True)
                expected = 0.0
            assert found.values[0, m, q] == pytest.approx(expected, rel=1e-12, abs=1e-14), (query, name)


def test_of_tied_documents_pyndeval_takes_the_first_id_and_we_the_last() -> None:
    """The tool itself takes the rank column, or (-traditional) the last id as we do."""
    judged, run = random_collection(51, 40, ties=True)
    names = {"AP_IA": "MAP-IA", "alpha_nDCG@3": "alpha-nDCG@3", "StRecall@5": "strec@5"}
    first_id = {
        q: {d: -float(i) for i, d in enumerate(sorted(docs, key=lambda d: (-docs[d], d.encode())))}
        for q, docs in run.items()
    }
    peer = ndeval(judged, run, list(names.values()))
    theirs = np.array([[peer[q][name] if q in peer else 0.0 for q in sorted(judged)] for name in names.values()])
    np.testing.assert_allclose(evaluate(judged, first_id, *names).values[0], theirs, rtol=1e-12, atol=1e-14)
    assert (np.abs(evaluate(judged, run, *names).values[0] - theirs) > 1e-3).any(axis=1).all()


def test_at_the_first_rank_ndeval_does_not_divide_alpha_dcg_and_err_ia_by_the_number_of_subtopics() -> None:
    names = {"alpha_DCG@1": "alpha-DCG@1", "ERR_IA@1": "ERR-IA@1", "alpha_nDCG@1": "alpha-nDCG@1"}
    judged = {"q": {"1": {"a": 1}, "2": {"a": 1, "b": 1}, "3": {"b": 1}, "4": {"c": 1}}}
    peer = ndeval(judged, {"q": {"a": 1.0}}, list(names.values()))["q"]
    assert list(peer.values()) == [2, 2, 1]
    assert evaluate(judged, {"q": {"a": 1.0}}, *names).values[0, :, 0].tolist() == [2 / 4, 2 / 4, 1]


def test_ndeval_exceeds_1_as_well_where_greedy_is_not_optimal() -> None:
    judged = {"q": {s: dict.fromkeys(docs, 1) for s, docs in NOT_OPTIMAL.items()}}
    peer = ndeval(judged, {"q": in_order("ab")}, ["alpha-nDCG@2"], alpha=1.0)
    assert peer["q"]["alpha-nDCG@2"] == pytest.approx((3 / log2(2) + 3 / log2(3)) / (4 / log2(2) + 1 / log2(3)))
