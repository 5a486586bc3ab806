"""The language model against arithmetic by hand, a naive loop, and what probabilities are."""

from math import log10

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.naive_kneser_ney import NaiveModel
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import InputError, ParameterError
from rankscope.translation import train_language_model
from rankscope.translation.language_model.kneser_ney import closed_form
from rankscope.translation.language_model.vocabulary import START

THREE = ["a b", "a c", "a b"]
CORPORA = st.lists(st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join), min_size=1, max_size=12).filter(
    lambda lines: any(line for line in lines)
)


def test_three_sentences_give_what_arithmetic_by_hand_gives():
    """Chen and Goodman (1998), equations 23 to 26, on "a b", "a c", "a b", order 2.

    Before a stands <s>; before b and c stands a; before </s> stand b and c: the counts of words are a 1, b 1, c 1,
    </s> 2, 5 in all. Three of them are 1, one is 2, none 3, so the discounts are .5, 1, 1.5, and all together takes off
    .5 + .5 + .5 + 1 = 2.5, that is 2.5/5 = .5, shared by <unk>, </s>, a, b, c: .1 each.
    Pairs: <s> a 3, a b 2, b </s> 2, a c 1, c </s> 1; so n1 = 2, n2 = 2, n3 = 1, n4 = 0, and Y = 2/(2 + 2 * 2) = 1/3.
    """
    model = train_language_model(THREE, order=2)
    d1, d2, d3 = 1 - 2 / 3 * 2 / 2, 2 - 3 / 3 * 1 / 2, 3 - 4 / 3 * 0 / 1
    assert model.discounts == ((0.5, 1.0, 1.5), pytest.approx((d1, d2, d3)))
    a = b = c = (1 - 0.5) / 5 + 0.1
    end, unknown = (2 - 1) / 5 + 0.1, 0 / 5 + 0.1
    words = dict(zip(model.words, 10 ** model.levels[0].log10, strict=True))
    assert words.pop(b"<s>") == pytest.approx(0)
    expected = {b"a": a, b"b": b, b"c": c, b"</s>": end, b"<unk>": unknown}
    assert words == pytest.approx(expected)
    assert sum(expected.values()) == pytest.approx(1)

    after_start = d3 / 3  # what is left for words that do not follow it: all
    after_a, after_b, after_c = (d2 + d1) / 3, d2 / 2, d1 / 1
    a_first = (3 - d3) / 3 + after_start * a
    b_next, c_next = (2 - d2) / 3 + after_a * b, (1 - d1) / 3 + after_a * c
    b_last, c_last = (2 - d2) / 2 + after_b * end, (1 - d1) / 1 + after_c * end
    found = model.scores(["a b", "a c", "b a", "a x", ""])
    assert found.log10 == pytest.approx(
        [
            log10(a_first * b_next * b_last),
            log10(a_first * c_next * c_last),
            log10(after_start * b * after_b * a * after_a * end),
            log10(a_first * after_a * unknown * end),  # nothing is known to follow <unk>
            log10(after_start * end),
        ]
    )
    assert found.unknown.tolist() == [0, 0, 0, 1, 0]
    assert found.tokens.tolist() == [3, 3, 3, 3, 1]
    assert len(model.notes) == 1
    assert "order 1" in model.notes[0]


@examples(25)
@given(lines=CORPORA, order=st.integers(2, 4))
def test_the_probabilities_of_all_next_words_add_up_to_one_after_every_context(lines, order):
    model = train_language_model(lines, order=order)
    contexts = {""}
    for line in lines:
        words = ["<s>", *line.split()]
        contexts |= {
            " ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + order, len(words)) + 1)
        }
    for context in sorted(contexts):
        after = 10 ** model.following(context)
        assert after[START] < 1e-90
        assert after.sum() == pytest.approx(1, abs=1e-12)


@examples(40)
@given(
    lines=CORPORA, order=st.integers(2, 6), asked=st.lists(st.lists(st.sampled_from("abcdx"), max_size=6).map(" ".join))
)
def test_it_agrees_with_a_loop_over_words(lines, order, asked):
    model, naive = train_language_model(lines, order=order), NaiveModel(lines, order)
    assert model.discounts == tuple(pytest.approx(found) for found in naive.discounts[1:])
    assert model.scores(asked + lines).log10 == pytest.approx([naive.score(line) for line in asked + lines], abs=1e-9)


def test_what_follows_is_what_the_loop_gives_for_each_word():
    naive, model = NaiveModel([*THREE, "b c a b", ""], 3), train_language_model([*THREE, "b c a b", ""], order=3)
    for context in ("", "<s>", "<s> a", "a b", "c a b", "x a", "a x", "b c"):
        after = dict(zip(model.words, 10 ** model.following(context), strict=True))
        words = ["<unk>" if word == "x" else word for word in context.split()]
        for word in naive.words:
            assert after[word.encode()] == pytest.approx(naive.probability(words, word))


def test_discounts_are_those_of_the_formula():
    n1, n2, n3, n4 = 40, 15, 8, 5
    y = n1 / (n1 + 2 * n2)
    assert closed_form((n1, n2, n3, n4)) == pytest.approx(
        (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    )


@pytest.mark.parametrize("seen", [(0, 3, 2, 1), (5, 0, 2, 1), (5, 3, 0, 1), (10, 1, 9, 1)])
def test_counts_of_counts_that_give_no_discounts_give_none(seen):
    assert closed_form(seen) is None


def test_degenerate_text_takes_the_fallback_and_says_so_or_is_refused():
    model = train_language_model(["the cat sat"], order=3, fallback=(0.4, 0.9, 1.4))
    assert model.discounts == ((0.4, 0.9, 1.4),) * 3
    assert len(model.notes) == 3
    assert mentions(model.notes[0], "0.4, 0.9, 1.4", "fallback")
    with pytest.raises(InputError, match=r"discounts of order 1 .*lower order"):
        train_language_model(["the cat sat"], order=3, fallback=None)


def test_sentences_shorter_than_the_order_leave_it_empty():
    model = train_language_model(["a", "a", "b"], order=5)
    assert [level.keys.size for level in model.levels] == [5, 4, 2, 0, 0]
    assert model.scores(["a"]).log10 == pytest.approx([NaiveModel(["a", "a", "b"], 5).score("a")])


@pytest.mark.parametrize("order", [1, 7, 2.5, "4", True])
def test_an_order_out_of_range_is_refused(order):
    with pytest.raises(ParameterError, match=r"order is .* from 2 to 6"):
        train_language_model(THREE, order=order)


@pytest.mark.parametrize("fallback", [(0, 1, 1.5), (0.5, 1), (0.5, 2.5, 1), 0.5, "abc", (0.5, 1, float("nan"))])
def test_a_fallback_out_of_range_is_refused(fallback):
    with pytest.raises(ParameterError, match="fallback is"):
        train_language_model(THREE, order=2, fallback=fallback)


def test_progress_is_told_of_all_the_work():
    told = []
    train_language_model(THREE, order=4, progress=told.append)
    assert len(told) == 9
    assert sum(told) == pytest.approx(1)


def test_the_same_text_gives_the_same_model_in_blocks_of_any_size(monkeypatch):
    lines = [" ".join(words) for words in np.random.default_rng(0).choice(list("abcdefg"), (90, 6)).tolist()]
    whole = train_language_model(lines, order=3)
    monkeypatch.setattr("rankscope.translation.language_model.vocabulary.SENTENCES", 7)
    parts = train_language_model(lines, order=3)
    assert parts.words == whole.words
    for one, other in zip(parts.levels, whole.levels, strict=True):
        assert all((getattr(one, name) == getattr(other, name)).all() for name in ("keys", "log10", "backoff"))
    assert_same_bits(parts.scores(lines).log10, whole.scores(lines).log10)
