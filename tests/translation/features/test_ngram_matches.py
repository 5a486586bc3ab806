"""n-grams in common, against sacrebleu's counts."""

import random
from collections import Counter, defaultdict

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from rankscope.translation import tokenised
from rankscope.translation.features.chrf import character_f, consensus_f
from rankscope.translation.features.ngram_matches import closest_lengths, ngram_matches
from rankscope.translation.token_lists import TokenLists, slices_by_size, sorted_unique

LINES = st.lists(
    st.tuples(*[st.text("abAB .,&'1-\u00e9\u00a0<>;quot\U0001f600", max_size=18)] * 3), min_size=1, max_size=5
)
COUNTING = BLEU(lowercase=True, tokenize="13a", smooth_method="none", effective_order=True, force=True)


def numbered(*sides):
    numbers = defaultdict()
    numbers.default_factory = numbers.__len__
    found = [TokenLists.split([line.split() for line in side], numbers) for side in sides]
    return [TokenLists(tuple(numbers), side.tokens, side.offsets) for side in found]


@given(LINES)
@examples(60)
def test_counts_and_lengths_are_those_of_sacrebleu_with_one_reference_and_with_two(lines):
    outputs, *references = zip(*lines, strict=True)
    ours, *theirs = numbered(*map(tokenised, (outputs, *references)))
    segments = np.arange(len(lines))
    for n in (1, 2):
        found = ngram_matches(ours, segments, theirs[:n])
        closest = closest_lengths(ours.lengths, segments, [side.lengths for side in theirs[:n]])
        for i, line in enumerate(lines):
            score = COUNTING.sentence_score(line[0], list(line[1 : 1 + n]))
            assert found.matches[:, i].tolist() == score.counts
            assert found.totals[:, i].tolist() == score.totals
            assert (ours.lengths[i], closest[i]) == (score.sys_len, score.ref_len)


@given(LINES)
@examples(60)
def test_chrf_is_that_of_sacrebleu_with_one_reference_and_with_two(lines):
    outputs, *references = zip(*lines, strict=True)
    metric = CHRF()
    for n in (1, 2):
        found = character_f(outputs, np.arange(len(lines)), references[:n])
        expected = [metric.sentence_score(line[0], list(line[1 : 1 + n])).score for line in lines]
        assert found.tolist() == pytest.approx(expected, abs=1e-9)


def test_chrf_is_the_same_piece_by_piece_and_in_any_order(monkeypatch):
    rng = random.Random(1)
    outputs, reference = (["".join(rng.choices("ab c", k=rng.randint(0, 9))) for _ in range(20)] for _ in "12")
    segments = np.array([rng.randint(0, 19) for _ in range(20)])
    whole = character_f(outputs, segments, [reference])
    monkeypatch.setattr("rankscope.translation.features.chrf.CHARACTERS_AT_ONCE", 7)
    assert_same_bits(character_f(outputs, segments, [reference]).tolist(), whole.tolist())


def test_outputs_find_their_segments_in_any_order():
    output, reference = numbered(["a b c", "d e", "a b c", ""], ["d e f", "a b x"])
    found = ngram_matches(output, np.array([1, 0, 0, 1]), [reference], 3)
    assert found.matches.tolist() == [[2, 2, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    assert found.totals.tolist() == [[3, 2, 3, 0], [2, 1, 2, 0], [1, 0, 1, 0]]
    assert found.reference_totals.tolist() == [[3, 3, 3, 3], [2, 2, 2, 2], [1, 1, 1, 1]]


def test_of_two_references_that_are_as_close_the_shorter_one_counts():
    lengths = [np.array([7]), np.array([3]), np.array([9])]
    assert closest_lengths(np.array([5]), np.array([0]), lengths).tolist() == [3]


# The other outputs


def consensus_by_loops(outputs, segments):
    """As the docstring has it, n-gram by n-gram."""
    found = []
    for i, text in enumerate(outputs):
        others = [other for j, other in enumerate(outputs) if segments[j] == segments[i] and j != i]
        precision = recall = orders = 0
        for n in range(1, 7):
            mine, *theirs = (
                Counter(one[k : k + n] for k in range(len(one) - n + 1))
                for one in ("".join(line.split()) for line in (text, *others))
            )
            total, average = sum(mine.values()), sum(sum(one.values()) for one in theirs) / max(len(others), 1)
            if not total or not average:
                continue
            matches = sum(min(c, sum(one[gram] for one in theirs) / len(others)) for gram, c in mine.items())
            precision, recall, orders = precision + matches / total, recall + matches / average, orders + 1
        precision, recall = precision / max(orders, 1), recall / max(orders, 1)
        found.append(100 * 5 * precision * recall / (4 * precision + recall) if precision else 0.0)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_consensus_is_the_definition(monkeypatch, seed):
    monkeypatch.setattr("rankscope.translation.features.chrf.NGRAMS_AT_ONCE", 30)
    rng = random.Random(seed)
    outputs = ["".join(rng.choices("ab c\u00e9", k=rng.randint(0, 12))) for _ in range(14)]
    segments = np.array([rng.randint(0, 4) for _ in outputs])
    assert consensus_f(outputs, segments).tolist() == pytest.approx(consensus_by_loops(outputs, segments))


def test_against_one_other_output_the_consensus_is_chrf():
    outputs = ["the cat sat", "a cat sits"]
    found = consensus_f(outputs, np.array([0, 0]))
    assert found.tolist() == pytest.approx(character_f(outputs, np.array([0, 1]), [outputs[::-1]]).tolist())


def test_an_output_without_others_has_no_consensus():
    assert consensus_f(["alone", "", ""], np.array([0, 1, 1])).tolist() == [0, 0, 0]
    assert consensus_f([], np.array([], np.int64)).tolist() == []


# Sentences as numbers


def test_pieces_are_whole_and_in_order():
    sizes = np.array([4, 4, 9, 0, 1, 1, 30])
    pieces = slices_by_size(sizes, 8)
    assert [i for piece in pieces for i in range(piece.start, piece.stop)] == list(range(7))
    assert slices_by_size(np.array([], np.int64), 8) == []


def test_different_keys_rise():
    assert sorted_unique(np.array([3, 1, 3, 2, 1])).tolist() == [1, 2, 3]
    assert sorted_unique(np.array([], np.int64)).tolist() == []


def test_characters_are_code_points():
    found = TokenLists.of_characters(["a\U0001f600", "", "b"])
    assert found.tokens.tolist() == [ord("a"), 0x1F600, ord("b")]
    assert found.offsets.tolist() == [0, 2, 2, 3]
