"""Two judges: the documents of both, agreement on them, and what the second does to the ranking of systems."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.properties import examples
from helpers.same import assert_same_numbers
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from rankscope import Qrels, Run, agree_judgments, evaluate, read_qrels
from rankscope.data.result import as_text
from rankscope.demo.collection import KIN, SEED, collection_files, judge_files, make_collection, write_files
from rankscope.errors import InputError, ParameterError
from rankscope.reporting.tables import RESULT_FORMATS, render_result

SENTENCES = Messages("judgment_agreement")

A = {"1": {"a": 2, "b": 0, "c": 1, "d": 1}, "2": {"a": 0, "e": 1}}
B = {"1": {"a": 2, "b": 1, "c": 0, "x": 1}, "2": {"a": 0, "e": 2}}
UP = Run({"1": {"a": 3.0, "c": 2.0, "b": 1.0}, "2": {"e": 2.0, "a": 1.0}}, name="up")
DOWN = Run({"1": {"b": 3.0, "a": 2.0, "c": 1.0}, "2": {"a": 2.0, "e": 1.0}}, name="down")
JUDGED = st.dictionaries(
    st.sampled_from("pqrs"),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(-1, 3), min_size=1, max_size=6),
    min_size=1,
    max_size=4,
)


def value(result, statistic, label="", measure="", system=""):
    (found,) = [row for row in result.records() if row[:4] == (statistic, label, measure, system)]
    return found[4]


def plain(result):
    """What is printed, on one line."""
    return " ".join(str(result).split())


def test_agreement_of_two_judges_by_hand():
    found = agree_judgments(A, B)
    # Judged by both: a b c of query 1, a e of query 2; grades 2 2, 0 1, 1 0, 0 0, 1 2.
    assert (found.n_both, found.n_only_a, found.n_only_b, found.n_queries) == (5, 1, 1, 2)
    assert found.confusion.labels == (0, 1, 2)
    assert found.confusion.counts.tolist() == [[1, 1, 0], [1, 0, 1], [0, 0, 1]]
    assert found.chance_corrected.kappa.agreement == 2 / 5
    assert found.chance_corrected.kappa.chance == pytest.approx((2 * 2 + 2 * 1 + 1 * 2) / 25)
    # Relevant from grade 1 on: yes yes, no yes, yes no, no no, yes yes.
    assert found.relevance_rates.of("relevant")["precision"] == 2 / 3
    assert found.relevance_rates.of("relevant")["recall"] == 2 / 3
    assert found.relevance_rates.of("relevant")["specificity"] == 1 / 2
    assert found.overlap == 2 / 4
    assert_same_numbers(found.overlap_by_query, (1 / 3 + 1 / 1) / 2)
    assert found.effects == ()


@given(a=JUDGED, b=JUDGED)
@examples(60)
def test_what_both_judged_is_what_a_loop_finds(a, b):
    pairs = [(q, a[q][d], b[q][d]) for q in a for d in a[q] if d in b.get(q, {}) and a[q][d] >= 0 and b[q][d] >= 0]
    assume(len({grade for _, *both in pairs for grade in both}) > 1)
    found = agree_judgments(a, b)
    queries, true, predicted = zip(*pairs, strict=True)
    assert (found.n_both, found.n_queries) == (len(pairs), len(set(queries)))
    assert found.n_only_a == sum(grade >= 0 for docs in a.values() for grade in docs.values()) - len(pairs)
    assert found.n_only_b == sum(grade >= 0 for docs in b.values() for grade in docs.values()) - len(pairs)
    labels = sorted({*true, *predicted})
    assert found.confusion.counts.tolist() == metrics.confusion_matrix(true, predicted, labels=labels).tolist()
    scale = list(range(labels[0], labels[-1] + 1))
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        if len(labels) > 2 or weights is None:
            expected = metrics.cohen_kappa_score(true, predicted, weights=weights, labels=scale)
            assert value(found, name) == pytest.approx(expected)
    of = {q: [(t > 0, p > 0) for query, t, p in pairs if query == q] for q in set(queries)}
    overlaps = [sum(t and p for t, p in docs) / sum(t or p for t, p in docs) for docs in of.values() if np.any(docs)]
    assert (
        found.overlap_by_query == pytest.approx(np.mean(overlaps)) if overlaps else math.isnan(found.overlap_by_query)
    )


def test_judgments_may_be_files_frames_or_objects(tmp_path):
    for name, data in (("a.qrels", A), ("b.qrels", B)):
        text = "".join(f"{q} 0 {d} {rel}\n" for q, docs in data.items() for d, rel in docs.items())
        (tmp_path / name).write_text(text)
    files = agree_judgments(tmp_path / "a.qrels", tmp_path / "b.qrels")
    assert files.names == ("a", "b")
    frames = agree_judgments(read_qrels(tmp_path / "a.qrels").frame(), Qrels(B))
    assert frames.names == ("A", "B")
    rows = [list(x.records()) for x in (files, frames, agree_judgments(A, B))]
    assert repr(rows[0]) == repr(rows[1]) == repr(rows[2])
    assert agree_judgments(A, B, names=("people", "machine")).names == ("people", "machine")


def test_a_grade_below_0_means_not_judged():
    found = agree_judgments({"q": {"a": -2, "b": 1, "c": 0}}, {"q": {"a": 1, "b": 1, "c": 1}})
    assert (found.n_both, found.n_only_a, found.n_only_b) == (2, 0, 1)
    assert mentions(found.notes, "1 judgment of A", 0)


def test_judgments_of_grades_apart_are_weighed_by_grade():
    a, b = {"q": {"a": 0, "b": 1, "c": 3, "d": 3}}, {"q": {"a": 0, "b": 3, "c": 3, "d": 1}}
    expected = metrics.cohen_kappa_score([0, 1, 3, 3], [0, 3, 3, 1], weights="linear", labels=[0, 1, 2, 3])
    assert value(agree_judgments(a, b), "kappa_linear") == pytest.approx(expected)


# The ranking of systems


def test_systems_change_places_by_hand():
    found = agree_judgments(A, B, [UP, DOWN], "P@1")
    (effect,) = found.effects
    # The first documents: up a, e, relevant to both judges; down b, a, of which B alone finds b relevant.
    assert effect.mean_a.tolist() == [1, 0]
    assert effect.mean_b.tolist() == [1, 1 / 2]
    assert (effect.rank_a.tolist(), effect.rank_b.tolist()) == ([1, 2], [1, 2])
    assert (effect.tau_b, effect.tau_ap, effect.swaps) == (1, 1, ())
    assert effect.mean_change == (0 + 1 / 2) / 2
    (turned,) = agree_judgments(A, {"1": {"a": 0, "b": 1, "c": 0}, "2": {"a": 1, "e": 0}}, [UP, DOWN], "P@1").effects
    assert (turned.tau_b, turned.tau_ap, turned.swaps, turned.rank_change) == (-1, -1, (("up", "down"),), 1)


@pytest.mark.parametrize("judged", ["both", "own"])
def test_systems_are_ranked_by_what_both_judged_or_by_all_that_each_has(judged):
    found = agree_judgments(A, B, [UP, DOWN], ["AP", "nDCG@10"], judged=judged)
    own = (A, B)
    if judged == "both":
        own = tuple(
            {q: {d: rel for d, rel in docs.items() if d in A[q] and d in B[q]} for q, docs in x.items()} for x in own
        )
    for effect in found.effects:
        for means, qrels in zip((effect.mean_a, effect.mean_b), own, strict=True):
            assert_same_numbers(
                means.tolist(), evaluate(qrels, [UP, DOWN], effect.measure).summary(effect.measure).tolist()
            )
    assert f"judged:{judged}" in found.signature()
    assert any("(judged='own')" in note for note in found.notes) == (judged == "both")


def test_a_measure_where_lower_is_better_ranks_the_lowest_first():
    qrels = {"q": {"a": 1, "b": 0}}
    runs = [Run({"q": {"a": 2.0, "b": 1.0}}, name="good"), Run({"q": {"b": 2.0, "a": 1.0}}, name="bad")]
    (effect,) = agree_judgments(qrels, {"q": {"a": 2, "b": 0}}, runs, "MeanRank").effects
    assert effect.mean_a.tolist() == [1, 2]
    assert effect.rank_a.tolist() == [1, 2]


def test_systems_that_one_judge_ties_and_one_system_alone_are_said():
    tied = agree_judgments(A, B, [UP, Run(UP.mapping, name="again"), DOWN], "P@1")
    (effect,) = tied.effects
    assert effect.rank_a.tolist() == [1, 1, 3]
    assert "tau_AP,b" in effect.notes[0]
    (alone,) = agree_judgments(A, B, UP, "P@1").effects
    assert math.isnan(alone.tau_b)
    assert "no ranking to compare" in plain(agree_judgments(A, B, UP, "P@1"))
    one = Run({"1": {"z": 1.0}}, name="one")
    (none,) = agree_judgments(A, B, [one, Run(one.mapping, name="two")], "P@1").effects
    assert math.isnan(none.tau_b)
    assert math.isnan(none.tau_ap)


def test_scales_of_different_height_are_said_where_a_measure_takes_the_highest_grade():
    a, b = {"q": {"a": 3, "b": 0, "c": 1}}, {"q": {"a": 1, "b": 0, "c": 1}}
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert any("highest grades differ" in n and "ERR@5" in n for n in agree_judgments(a, b, run, ["ERR@5", "AP"]).notes)
    assert not any("highest grades differ" in note for note in agree_judgments(a, b, run, "AP").notes)


def test_notes_of_one_judges_scores_bear_its_name():
    a, b = {"q": {"a": 1, "b": 0}, "r": {"c": 1}}, {"q": {"a": 1, "b": 1}, "r": {"c": 0}}
    notes = agree_judgments(a, b, {"q": {"a": 1.0}}, "AP", names=("people", "machine")).notes
    assert mentions(notes, "by machine: 1 query", "relevant")
    assert sum(mentions(note, "no list", "1 of 2") for note in notes) == 1


# What is shown


def test_every_format_shows_a_result_and_the_tidy_table_has_its_columns():
    found = agree_judgments(A, B, [UP, DOWN], "P@1", normalise="row")
    assert all(render_result(found, format_).endswith("\n") for format_ in RESULT_FORMATS)
    assert found.frame().columns == ["statistic", "label", "measure", "system", "value", "low", "high", "n"]
    assert str(found) == as_text(found)
    figure = found.sections()[1].figure
    assert figure.name == "confusion_matrix"
    assert figure.data == {
        "labels": ("0", "1", "2"),
        "counts": [[1, 1, 0], [1, 0, 1], [0, 0, 1]],
        "rows": "A",
        "columns": "B",
        "normalise": "row",
    }
    assert value(found, "share_of_row", "0 -> 1") == 1 / 2
    assert mentions(repr(found), "JudgeAgreement(A and B, ", "5 documents", "1 measure)")


def test_what_is_said_needs_no_statistics_and_the_numbers_in_it_are_those_of_the_table():
    said = agree_judgments(A, B).sections()
    SENTENCES.check("agreement in part", said[0].sentence)  # by chance 8 / 25
    SENTENCES.check("relevant or not", said[-1].sentence)
    assert said[0].sentence in plain(agree_judgments(A, B))
    SENTENCES.check("full agreement", agree_judgments(A, A).sections()[0].sentence)
    turned = {q: {d: (rel + 1) % 3 for d, rel in docs.items()} for q, docs in A.items()}
    SENTENCES.check("less agreement than by chance", agree_judgments(A, turned).sections()[0].sentence)


# What is refused


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (A, {"3": {"a": 1}}, r"A and B \(6 judgments, such as 'a' of query '1' and 1 "),
        (A, {"1": {"z": 1}}, "judged in both"),
        ({"1": {"a": -1}}, {"1": {"a": 1}}, "judged in both"),
        ({"1": {"a": 1, "b": 1}}, {"1": {"a": 1, "b": 1}}, r"A and B .*grade 1 \(2 "),
        ({"1": {"a": 1}}, {"1": {"a": 1}}, r"A and B .*grade 1 \(1 .* 2"),
    ],
)
def test_judgments_that_cannot_be_compared_are_refused_in_one_line(a, b, message):
    with pytest.raises(InputError, match=message) as caught:
        agree_judgments(a, b)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rel": 0}, "rel is 0"),
        ({"beta": 0.0}, "beta is 0"),
        ({"confidence_level": 1.0}, "confidence_level is 1.0"),
        ({"judged": "all"}, "judged is 'all', .*'both', 'own'"),
        ({"normalise": "rows"}, "normalise is 'rows'"),
        ({"measures": "AP"}, "need runs"),
        ({"missing": "drop"}, "need runs"),
        ({"runs": UP, "measures": "alpha_nDCG@10"}, "measures of diversity"),
        ({"runs": UP, "unjudged": "bounds"}, r"unjudged='bounds'\) has no meaning"),
        ({"names": 5}, "names are 5, .*A and B"),
        ({"names": ("a",)}, "names are .*, .*A and B"),
        ({"names": "ab"}, "names are 'ab', .*A and B"),
        ({"runs": UP, "input": "letor"}, "LETOR's files"),
        ({"runs": []}, "no runs given"),
        ({"runs": ["-", "-"]}, "standard input"),
        ({"runs": UP, "measures": "NDGC@10"}, "did you mean nDCG@10"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(options, message):
    with pytest.raises(ParameterError, match=message) as caught:
        agree_judgments(A, B, **options)
    assert "\n" not in str(caught.value)


# The demo's second judge


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    write_files(folder, {**collection_files(SEED), **judge_files(SEED)})
    return folder


def test_the_demos_second_judge_is_lenient_and_overrates_its_kin(demo):
    runs = sorted(demo.glob("*.run"))
    found = agree_judgments(demo / "demo.qrels", demo / "demo-judge.qrels", runs, "nDCG@10")
    assert (found.n_only_a, found.n_only_b) == (0, 0)
    assert found.relevance_rates.fp[1] > 3 * found.relevance_rates.fn[1]
    assert 0.4 < found.chance_corrected.kappa.value < 0.7
    (effect,) = found.effects
    assert effect.systems[int(np.argmax(effect.mean_b - effect.mean_a))] == KIN
    assert len(effect.swaps) > 0


def test_the_second_judge_changes_no_other_file_and_is_the_same_for_the_same_seed():
    before = collection_files(3)
    assert judge_files(3) == judge_files(3)
    assert judge_files(3) != judge_files(4)
    assert collection_files(3) == before
    lines = judge_files(3)["demo-labels.csv"].splitlines()
    assert lines[0] == "true,predicted"
    assert set(lines[1:]) == {f"{a},{b}" for a in ("relevant", "not relevant") for b in ("relevant", "not relevant")}
    assert len(lines) - 1 == sum(map(len, make_collection(3).qrels.values()))
