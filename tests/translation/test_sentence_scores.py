"""Sentence BLEU by its recipe, and scores of the translations that people judged."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Rankings
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError
from rankscope.translation.sentence_scores import Scorers, judged_scores, sentence_bleu, sentence_scorers

needs_sacrebleu = pytest.mark.skipif(
    importlib.util.find_spec("sacrebleu") is None, reason="sacrebleu is not installed: pip install 'rankscope[mt]'"
)
#: How long the output and how long the reference is.
BY_LENGTH = Scorers({"length": lambda output, reference: len(output) - len(reference) / 100}, "length")


def naive_bleu(words, reference):
    """By counting: exp(mean of log p_1..4 + min(0, 1 - r/c)); the k-th p without a match is 1 / (2^k max(total, 1))."""

    def ngrams(text, n):
        return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))

    logs, without = [], 0
    for n in range(1, 5):
        matches, total = (ngrams(words, n) & ngrams(reference, n)).total(), max(len(words) - n + 1, 1)
        without += not matches
        logs.append(math.log(matches / total if matches else 1 / (2**without * total)))
    return math.exp(sum(logs) / 4 + min(0, 1 - len(reference) / max(len(words), 1)))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # a b c d e against a b c d f: 4/5, 3/4, 2/3, 1/2; as long
        (([4, 3, 2, 1], [5, 4, 3, 2], 5, 5), (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4)),
        # a b against a c x y: 1/2; then 1/(2*1), 1/(4*1), 1/(8*1), though there is no trigram; exp(1 - 4/2)
        (([1, 0, 0, 0], [2, 1, 0, 0], 2, 4), (1 / 2 * 1 / 2 * 1 / 4 * 1 / 8) ** (1 / 4) * math.exp(1 - 4 / 2)),
        # nothing at all: 1/2, 1/4, 1/8, 1/16; of length 1
        (([0, 0, 0, 0], [0, 0, 0, 0], 0, 3), (1 / 2 * 1 / 4 * 1 / 8 * 1 / 16) ** (1 / 4) * math.exp(1 - 3)),
        # longer than the reference: no penalty
        (([1, 1, 1, 1], [2, 1, 1, 1], 9, 3), (1 / 2) ** (1 / 4)),
    ],
)
def test_sentence_bleu_is_the_geometric_mean_of_precisions_smoothed_by_halving(counts, expected):
    assert sentence_bleu(*counts) == pytest.approx(expected, rel=1e-14)


@needs_sacrebleu
@given(st.lists(st.sampled_from("aBcd,"), max_size=9), st.lists(st.sampled_from("abcd,"), min_size=1, max_size=9))
def test_the_counts_of_sacrebleu_give_what_counting_gives(words, reference):
    bleu = sentence_scorers().metrics["sentBLEU"]
    expected = naive_bleu([word.lower() for word in words], reference)
    assert bleu(" ".join(words), " ".join(reference)) == pytest.approx(expected, rel=1e-12)


@needs_sacrebleu
def test_the_scorers_say_how_they_count_and_chrf_is_that_of_sacrebleu():
    from sacrebleu.metrics import CHRF

    scorers = sentence_scorers()
    assert list(scorers.metrics) == ["sentBLEU", "chrF"]
    assert scorers.settings.split(" | ")[:2] == ["sentBLEU:13a,lowercase,halving", "chrF:6,2"]
    assert " | sacrebleu " in scorers.settings
    assert_same_numbers(
        scorers.metrics["chrF"]("a cat sat", "the cat sat"),
        CHRF().sentence_score("a cat sat", ["the cat sat"]).score,
    )
    assert scorers.metrics["sentBLEU"]("A cat, sat", "a CAT , sat") == 1


def test_without_sacrebleu_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ParameterError, match=r"pip install 'rankscope\[mt\]'"):
        sentence_scorers()


@pytest.fixture
def folder(tmp_path):
    """Three segments of de-en, translated by A and B."""
    texts = {
        "sources/set-src.de": "eins\nzwei\ndrei\n",
        "references/set-ref.en": "one\ntwo\nthree\n",
        "system-outputs/set/de-en/set.de-en.A": "1\n22\n333\n",
        "system-outputs/set/de-en/set.de-en.B": "4444\n55555\n666666\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def judged(*lists, segments):
    found = Rankings.of(list(lists))
    n = len(lists)
    return replace(found, pair=Labels.of(["de-en"] * n), segment=Labels.of(segments))


def test_each_judged_translation_has_a_score_once_and_the_others_none(folder):
    calls, told = [], []

    def score(output, reference):
        calls.append((output, reference))
        return len(output)

    people = judged({"A": 1, "B": 2}, {"A": 1}, {"B": 1}, segments=["3", "3", "1"])
    (found,) = judged_scores(people, folder, Scorers({"length": score}, ""), progress=told.append)
    scores = found.pairs["de-en"]
    assert scores.systems == ("A", "B")
    assert np.array_equal(scores.values, [[np.nan, np.nan, 3], [4, np.nan, 6]], equal_nan=True)
    assert calls == [("333", "three"), ("666666", "three"), ("4444", "one")]
    assert sum(told) == pytest.approx(1)


@pytest.mark.parametrize("segment", ["4", "0", "x", "-1", "1.0"])
def test_a_judged_segment_that_is_no_line_is_refused(folder, segment):
    with pytest.raises(InputError, match=rf"'{segment}' .*de-en .*\b3 lines"):
        judged_scores(judged({"A": 1, "B": 2}, segments=[segment]), folder, BY_LENGTH)


def test_a_judged_system_without_output_is_named(folder):
    with pytest.raises(InputError, match=r"\bC .*de-en, .*A and B"):
        judged_scores(judged({"A": 1, "C": 2}, segments=["1"]), folder, BY_LENGTH)
