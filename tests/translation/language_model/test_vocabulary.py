"""What counts as a sentence and as a word, and what is refused."""

import gzip

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import InputError, ParameterError
from rankscope.kernels.text import as_fields, decode
from rankscope.translation import train_language_model
from rankscope.translation.language_model import vocabulary
from rankscope.translation.language_model.vocabulary import WordIndex, learned_tokens, split_words

LINES = ["the cat sat", "the dog sat", "", "ein schöner Tag"]


def written(path, content):
    path.write_bytes(content)
    return path


def same(one, other):
    return one.words == other.words and all(
        (getattr(x, name) == getattr(y, name)).all()
        for x, y in zip(one.levels, other.levels, strict=True)
        for name in ("keys", "log10", "backoff")
    )


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(LINES),
        "\n".join(LINES) + "\n",
        "\r\n".join(LINES) + "\r\n",
        "\ufeff" + "\n".join(LINES),
        "  the\tcat \x0b sat\nthe dog\x0csat \n\t\nein\0schöner Tag\n",
    ],
)
def test_files_and_sentences_of_the_same_words_give_the_same_model(tmp_path, content):
    of_lines = train_language_model(LINES, order=3)
    path = written(tmp_path / "text", content.encode())
    assert same(train_language_model(path, order=3), of_lines)
    assert same(train_language_model(str(path), order=3), of_lines)
    packed = written(tmp_path / "text.gz", gzip.compress(content.encode()))
    assert same(train_language_model(packed, order=3), of_lines)


def test_a_file_in_blocks_of_any_size_gives_the_same_model(tmp_path, monkeypatch):
    path = written(tmp_path / "text", "\n".join(LINES * 9).encode())
    whole = train_language_model(path, order=3)
    monkeypatch.setattr("rankscope.translation.language_model.vocabulary.BYTES", 11)
    assert same(train_language_model(path, order=3), whole)


def test_blanks_of_unicode_stand_inside_words():
    tokens, words = learned_tokens(["a\u00a0b c", "\u2028 c"])
    assert words[3:] == ["a\u00a0b".encode(), b"c", "\u2028".encode()]
    assert tokens.tolist() == [1, 3, 4, 2, 1, 5, 4, 2]


def test_a_line_feed_inside_a_sentence_is_a_blank():
    assert same(train_language_model(["a\nb", "c"], order=2), train_language_model(["a b", "c"], order=2))


@pytest.mark.parametrize("content", [b"", b"\n", b" \n\t\n"])
def test_a_text_without_words_is_refused(tmp_path, content):
    with pytest.raises(InputError, match="no word"):
        train_language_model(written(tmp_path / "none", content))


def test_no_sentences_are_refused():
    with pytest.raises(InputError, match=r"list of sentences .*no word"):
        train_language_model([])


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path, monkeypatch):
    path = written(tmp_path / "bad", b"fine\n" * 7 + b"caf\xe9\nfine\n")
    with pytest.raises(InputError, match=r"bad:8: .*UTF-8"):
        train_language_model(path)
    monkeypatch.setattr("rankscope.translation.language_model.vocabulary.BYTES", 9)
    with pytest.raises(InputError, match=r"bad:8: .*UTF-8"):
        train_language_model(path)


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>"])
def test_a_mark_of_the_model_in_a_text_to_learn_from_is_named_with_its_line(tmp_path, word):
    path = written(tmp_path / "marked", f"a b\nx<s>y </s>z\nc {word} d\n".encode())
    with pytest.raises(InputError, match=rf"marked:3: .*{word}"):
        train_language_model(path)
    with pytest.raises(InputError, match=rf"sentence 2: .*{word}"):
        train_language_model(["a", f"{word}\0b"])


def test_marks_in_a_text_to_be_scored_are_unknown_words():
    model = train_language_model(["a b", "a c", "a b"], order=3)
    marked = [f"a {word} b" for word in ("<s>", "</s>", "<unk>", "x", "</s>\0<s>")]
    found = model.scores(marked)
    assert found.unknown.tolist() == [1, 1, 1, 1, 2]
    assert found.log10[:4] == pytest.approx([found.log10[3]] * 4)
    assert found.tokens.tolist() == [4, 4, 4, 4, 5]


def test_what_is_no_text_is_named():
    for call in (train_language_model, train_language_model(["a"]).scores):
        with pytest.raises(InputError, match=r"sentence 3 .*\blist\b"):
            call(["a", "b", ["c", "d"]])
        with pytest.raises(InputError, match=r"sentence 2: .*surrogate"):
            call(["a", "b\udce9"])


def test_one_text_in_the_place_of_sentences_is_refused():
    with pytest.raises(ParameterError, match=r"one text, .*sentences"):
        train_language_model(["a"]).scores("a b")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        train_language_model(tmp_path / "none")


def test_no_sentences_have_no_scores_and_an_empty_one_has_one():
    model = train_language_model(["a b"])
    none = model.scores([])
    assert [part.size for part in none] == [0, 0, 0]
    assert model.token_scores([]).offsets.tolist() == [0]
    assert model.scores([""]).tokens.tolist() == [1]
    with pytest.raises(InputError, match="no sentences"):
        model.perplexity([])


def test_the_scores_of_tokens_add_up_to_those_of_their_sentences(monkeypatch):
    model = train_language_model(LINES * 3, order=3)
    asked = ["the cat", "", "ein Hund sat", "dog dog the cat sat"]
    monkeypatch.setattr("rankscope.translation.language_model.vocabulary.SENTENCES", 3)
    each, whole = model.token_scores(asked), model.scores(asked)
    assert each.offsets.tolist() == [0, 3, 4, 8, 14]
    parts = np.split(each.log10, each.offsets[1:-1])
    assert [part.sum() for part in parts] == pytest.approx(whole.log10.tolist())
    assert whole.unknown.tolist() == [0, 0, 1, 0]
    assert each.matched.tolist()[:3] == [2, 3, 1]
    assert model.perplexity(asked) == pytest.approx(10 ** (-whole.log10.sum() / 14))
    known = each.log10[~each.unknown]
    assert model.perplexity(asked, unknown=False) == pytest.approx(10 ** (-known.sum() / 13))


def test_it_shows_as_one_short_line():
    assert mentions(repr(train_language_model(["a b"], order=2)), "LanguageModel(order 2, ", "5 words", "3 n-grams")


def test_what_follows_more_than_a_line_is_refused():
    with pytest.raises(InputError, match="more than one line"):
        train_language_model(["a b"]).following("a\nb")


WORD = st.text("abé", min_size=1, max_size=12).map(str.encode)


@given(st.lists(st.lists(WORD, max_size=4), max_size=4), st.sampled_from([b" ", b"\t", b" \r", b"\x0b\x0c"]))
def test_words_are_those_that_python_splits(lines, blank):
    text = b"".join(blank + blank.join(words) + blank + b"\n" for words in lines)
    words, line_ends = split_words(text)
    assert decode(words) == text.split()
    assert line_ends.tolist() == np.cumsum([len(words) for words in lines]).tolist()


@given(st.lists(WORD, unique=True, min_size=1, max_size=30), st.lists(WORD, max_size=30))
def test_numbers_of_words_are_those_of_a_dictionary(known, asked):
    numbers = {word: i for i, word in enumerate(known)}
    found = WordIndex(known).find(as_fields([*asked, *known]))
    assert found.tolist() == [numbers.get(word, -1) for word in [*asked, *known]]


def test_words_that_share_a_hash_are_told_apart(monkeypatch):
    hashes = vocabulary.hashes

    def coarse(fields, seed=0):
        return hashes(fields, seed) & np.uint64(3) if seed < 2 else hashes(fields, seed)

    monkeypatch.setattr(vocabulary, "hashes", coarse)
    words = [b"a", b"b", b"a long word", b"another long word", b"c"]
    index = WordIndex(words)
    assert index.seed == 2
    assert index.find(as_fields([*words, b"d"])).tolist() == [0, 1, 2, 3, 4, -1]


def test_a_long_word_with_the_hash_of_another_is_unknown():
    index = WordIndex([b"first long word", b"b"])
    other = as_fields([b"other long word"])
    index.index.find = lambda keys: index.index.search(
        vocabulary.hashes(as_fields([b"first long word"])).view(np.int64)
    )
    assert index.find(other).tolist() == [-1]
