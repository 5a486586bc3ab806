"""P(e|f) of many sentences, against loops."""

import math
import random

import numpy as np
import pytest
from helpers.same import assert_same_bits, assert_same_numbers

from rankscope.errors import InputError
from rankscope.io.core import pack_arrays, unpack_arrays
from rankscope.translation import load_lexicon, save_lexicon, train_lexicon
from rankscope.translation.lexicon import LEXICON_MAGIC
from rankscope.translation.lexicon import lexicon as lexical_sums


def texts(seed, words, n=30, least=0):
    rng = random.Random(seed)
    return [" ".join(rng.choices(words, k=rng.randint(least, 7))) for _ in range(n)]


def trained(null=True):
    return train_lexicon(texts(1, "abcdef"), texts(2, "uvwxyz"), null=null)


def by_loops(lexicon, source, target):
    """The two logarithms, as the docstring has them."""
    t = {(f, e): p for f in lexicon.source_words for e, p in lexicon.translations(f).items()}
    share = dict(zip(lexicon.target_words, lexicon.counts.tolist(), strict=True))
    n, words = sum(share.values()), source.split()
    plain = smoothed = 0.0
    for e in target.split():
        summed = sum(t.get((f, e), 0.0) for f in [*([""] if lexicon.null else []), *words])
        plain += math.log(max(summed, 1e-7))
        copied = 0.1 * (e in words and e not in share)
        unigram = (share.get(e, 0) + 1) / (n + len(share) + 1)
        smoothed += math.log(0.9 * (summed + copied) / (len(words) + 1) + 0.1 * unigram)
    return plain, smoothed


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize("groups", [None, [0] * 30, [i // 4 for i in range(30)], [i % 3 for i in range(30)]])
@pytest.mark.parametrize("at_once", [1, 50, 1 << 19])
def test_scores_are_the_definition_whatever_is_looked_up_together(monkeypatch, null, groups, at_once):
    monkeypatch.setattr(lexical_sums, "CELLS_AT_ONCE", at_once)
    lexicon = trained(null)
    sources, targets = texts(3, "abcdefgh"), texts(4, "uvwxyzagh")  # with unknown words, and such that stand in both
    found = lexicon.scores(sources, targets, groups=groups)
    expected = [by_loops(lexicon, source, target) for source, target in zip(sources, targets, strict=True)]
    assert np.column_stack([found.plain, found.smoothed]).tolist() == pytest.approx(np.array(expected))


def test_by_hand():
    lexicon = train_lexicon(["a", "b b"], ["x", "y y"], null=False)  # t(x|a) = t(y|b) = 1
    found = lexicon.scores(["a b", "a q", "a"], ["x y", "q", ""])
    x, y, unknown = (1 + 1) / (3 + 2 + 1), (2 + 1) / (3 + 2 + 1), 1 / (3 + 2 + 1)
    assert found.plain.tolist() == pytest.approx([math.log(1 * 1), math.log(1e-7), 0])
    first = math.log(0.9 * 1 / 3 + 0.1 * x) + math.log(0.9 * 1 / 3 + 0.1 * y)
    assert found.smoothed.tolist() == pytest.approx([first, math.log(0.9 * 0.1 / 3 + 0.1 * unknown), 0])


def test_without_sentences_there_are_no_scores():
    found = trained().scores([], [])
    assert found.plain.shape == found.smoothed.shape == (0,)


def test_the_translations_of_an_unknown_word_are_none_and_most_limits_those_of_others():
    lexicon = trained()
    assert lexicon.translations("nobody") == {}
    all_of_them = list(lexicon.translations("a").items())
    assert_same_numbers(list(lexicon.translations("a", 2).items()), all_of_them[:2])
    assert [p for _, p in all_of_them] == sorted((p for _, p in all_of_them), reverse=True)


def test_unequal_numbers_are_refused():
    with pytest.raises(InputError, match=r"\b1 source .*\b2 targets"):
        trained().scores(["a"], ["x", "y"])
    with pytest.raises(InputError, match=r"\b3 groups .*\b1 sentence"):
        trained().scores(["a"], ["x"], groups=[1, 2, 3])


def test_progress_adds_up_to_1():
    told = []
    trained().scores(texts(3, "abc"), texts(4, "xyz"), progress=told.append)
    assert sum(told) == pytest.approx(1)


# Files


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_file_keeps_every_bit(tmp_path, suffix):
    lexicon = train_lexicon(["das haus", "ein büro \ud800"], ["the house", "an office"])
    path = tmp_path / f"de-en.lexicon{suffix}"
    save_lexicon(lexicon, path)
    again = load_lexicon(path)
    assert (again.source_words, again.target_words) == (lexicon.source_words, lexicon.target_words)
    for name in ("begins", "targets", "probability", "counts"):
        assert np.array_equal(getattr(again, name), getattr(lexicon, name)), name
    assert_same_bits((again.null, again.likelihood), (lexicon.null, lexicon.likelihood))
    first = path.read_bytes()
    save_lexicon(again, path)
    assert path.read_bytes() == first


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "lexicon"
    for content, said in ((b"", "is empty"), (b"the house\n", "is no lexicon"), (b"rankscope lexicon 7\n", "its form")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=said):
            load_lexicon(path)
    with pytest.raises(InputError, match="no such file"):
        load_lexicon(tmp_path / "other")


def test_a_file_that_was_changed_or_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "lexicon"
    save_lexicon(train_lexicon(["a b"], ["x y"]), path)
    content = path.read_bytes()
    for place in range(0, len(content), 23):
        for damaged in (content[:place], content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]):
            path.write_bytes(damaged)
            with pytest.raises(InputError):
                load_lexicon(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(InputError, match="too many"):
        load_lexicon(path)


@pytest.mark.parametrize("name", ["begins", "targets", "probability", "counts"])
def test_numbers_in_more_than_one_dimension_are_refused(tmp_path, name):
    path = tmp_path / "lexicon"
    save_lexicon(train_lexicon(["a b"], ["x y"]), path)
    about, arrays = unpack_arrays(LEXICON_MAGIC, path.read_bytes())
    rest = {key: value for key, value in about.items() if key not in ("arrays", "version")}
    path.write_bytes(b"".join(pack_arrays(LEXICON_MAGIC, rest, {**arrays, name: arrays[name][:, None]})))
    with pytest.raises(InputError, match=r"damaged.*the shapes of its numbers"):
        load_lexicon(path)
