"""IBM model 1, against the definition written as loops."""

import math
import random

import numpy as np
import pytest

from rankscope.errors import InputError, ParameterError
from rankscope.translation import train_lexicon
from rankscope.translation.lexicon import ibm_model_1 as lexicon_training


def texts(seed, words, n=40, least=0):
    rng = random.Random(seed)
    return [" ".join(rng.choices(words, k=rng.randint(least, 7))) for _ in range(n)]


def by_loops(sources, targets, iterations, null):
    """t(e|f) and the logarithm of the likelihood before each iteration and after the last: Koehn (2010), figure 4.3."""
    pairs = [
        ([*([""] if null else []), *source.split()], target.split())
        for source, target in zip(sources, targets, strict=True)
        if source.split() and target.split()
    ]
    vocabulary = {e for _, target in pairs for e in target}
    t = {(f, e): 1 / len(vocabulary) for source, target in pairs for f in source for e in target}
    likelihood = []
    for i in range(iterations + 1):
        count, total, found = dict.fromkeys(t, 0.0), {}, 0.0
        for source, target in pairs:
            for e in target:
                norm = sum(t[f, e] for f in source)
                found += math.log(norm / len(source))
                for f in source:
                    count[f, e] += t[f, e] / norm
                    total[f] = total.get(f, 0.0) + t[f, e] / norm
        likelihood.append(found)
        if i < iterations:
            t = {(f, e): count[f, e] / total[f] for f, e in t}
    return t, likelihood


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize("at_once", [1, 60, 1 << 18])
def test_it_is_the_definition_where_words_repeat_and_lines_are_empty(monkeypatch, null, at_once):
    monkeypatch.setattr(lexicon_training, "CELLS_AT_ONCE", at_once)
    sources, targets = texts(1, "abcde"), texts(2, "uvwxyz")
    expected, likelihood = by_loops(sources, targets, 4, null)
    lexicon = train_lexicon(sources, targets, iterations=4, null=null)
    found = {(f, e): p for f in lexicon.source_words for e, p in lexicon.translations(f).items()}
    assert found == pytest.approx(expected, abs=1e-7)  # kept as float32
    assert lexicon.likelihood == pytest.approx(likelihood)
    assert lexicon.null is null
    assert ("" in lexicon.source_words) is null


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("null", [False, True])
def test_no_iteration_lowers_the_likelihood(seed, null):
    lexicon = train_lexicon(texts(seed, "abcdefgh"), texts(seed + 9, "uvwxyz"), iterations=8, null=null)
    assert len(lexicon.likelihood) == 9
    assert np.all(np.diff(lexicon.likelihood) >= -1e-9)


def test_translations_of_each_word_sum_to_1():
    lexicon = train_lexicon(texts(3, "abc"), texts(4, "xyz"))
    assert [sum(lexicon.translations(f).values()) for f in lexicon.source_words] == pytest.approx([1] * 4, abs=1e-6)


def test_one_iteration_by_hand_with_a_word_that_stands_twice():
    # "x x y" for "a b": each target word is a's with 1/2, so c(x|a) = 2 * 1/2 and c(y|a) = 1/2, and t = 1/(3/2).
    lexicon = train_lexicon(["a b"], ["x x y"], iterations=1, null=False)
    assert lexicon.translations("a") == pytest.approx({"x": 1 / (3 / 2), "y": (1 / 2) / (3 / 2)})
    # "x" for "a a b": 2/3 of x is a's, 1/3 b's; both have nothing else.
    lexicon = train_lexicon(["a a b", "b"], ["x", "y"], iterations=1, null=False)
    assert lexicon.translations("b") == pytest.approx({"x": (1 / 3) / (4 / 3), "y": 1 / (4 / 3)})


def test_words_that_stand_together_find_each_other():
    lexicon = train_lexicon(["das haus", "das buch", "ein buch"], ["the house", "the book", "a book"], iterations=30)
    assert [next(iter(lexicon.translations(f))) for f in ("das", "buch", "haus", "ein")] == [
        "the",
        "book",
        "house",
        "a",
    ]


def test_the_order_of_lines_does_not_matter():
    sources, targets = texts(5, "abcde"), texts(6, "uvwxyz")
    back = train_lexicon(sources[::-1], targets[::-1])
    lexicon = train_lexicon(sources, targets)
    for f in lexicon.source_words:
        assert back.translations(f) == pytest.approx(lexicon.translations(f), abs=1e-6)


def test_progress_adds_up_to_1():
    told = []
    train_lexicon(texts(1, "abc"), texts(2, "xyz"), progress=told.append)
    assert sum(told) == pytest.approx(1)


@pytest.mark.parametrize(
    ("sources", "targets", "options", "error", "said"),
    [
        (["a"], ["x", "y"], {}, InputError, "1 line of sources .*2 "),
        (["", " "], ["x", "y"], {}, InputError, "no pair of lines"),
        ([], [], {}, InputError, "no pair of lines"),
        ("a b", ["x"], {}, ParameterError, "sources is one text"),
        (["a"], [3], {}, InputError, "targets: line 1 .*int"),
        (["a"], ["x"], {"iterations": 0}, ParameterError, "iterations is 0"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(sources, targets, options, error, said):
    with pytest.raises(error, match=said):
        train_lexicon(sources, targets, **options)
