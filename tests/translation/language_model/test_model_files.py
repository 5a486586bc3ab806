"""Language models as files: what is written is read again, files of other tools are read, damaged ones are named."""

import gzip
from contextlib import suppress

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope.errors import InputError, OutputError, ParameterError
from rankscope.io.core import pack_arrays, unpack_arrays
from rankscope.translation import load_language_model, save_language_model, train_language_model
from rankscope.translation.language_model import LANGUAGE_MODEL_MAGIC

TEXT = ["the cat sat on the mat", "the dog sat", "a cat ran to the dog", "ein schöner Tag", "the cat ran"]
ASKED = ["the cat ran", "a dog sat on a mat", "", "ein Hund"]
#: A model with nothing but what it needs: fields with blanks and tabs, back-offs here and there, -99, as SRILM writes.
SMALL = """\
a comment of whoever wrote it

\\data\\
ngram 1=5
ngram  2 = 3

\\1-grams:
-99\t<s>\t-0.3
-0.5 </s>
-0.7\ta\t-0.2
-0.8 b -0.1
-1.5\t<unk>

\\2-grams:
-0.1 <s> a
-0.2\ta b
-inf\tb </s>

\\end\\
"""


def model(order=3):
    return train_language_model(TEXT, order=order)


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture(scope="module")
def compact(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m"
    save_language_model(model(), path)
    return path.read_bytes()


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz", "m.arpa.zst", "M.ARPA.GZ"])
def test_arpa_is_read_as_it_was_written(tmp_path, name):
    save_language_model(model(), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.lower().endswith(".gz")
    again = load_language_model(tmp_path / name)
    assert again.words == model().words
    for one, other in zip(model().levels, again.levels, strict=True):
        assert (one.keys == other.keys).all()
        assert one.log10 == pytest.approx(other.log10, abs=1e-8)
        assert one.backoff == pytest.approx(other.backoff, abs=1e-8)
    save_language_model(again, tmp_path / f"2{name}")
    assert (tmp_path / f"2{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_arpa_in_pieces_of_any_size_is_the_same(tmp_path, monkeypatch):
    save_language_model(model(), tmp_path / "a.arpa")
    monkeypatch.setattr("rankscope.translation.language_model.arpa.NGRAMS_AT_ONCE", 5)
    monkeypatch.setattr("rankscope.translation.language_model.arpa.LINES_AT_ONCE", 3)
    save_language_model(model(), tmp_path / "b.arpa")
    assert_same_bits((tmp_path / "a.arpa").read_bytes(), (tmp_path / "b.arpa").read_bytes())
    assert load_language_model(tmp_path / "b.arpa").scores(ASKED).log10 == pytest.approx(model().scores(ASKED).log10)


@pytest.mark.parametrize("name", ["m", "m.lm.gz", "m.lm.zst"])
@pytest.mark.parametrize("order", [2, 6])
def test_the_compact_form_keeps_every_bit(tmp_path, name, order):
    first = model(order)
    save_language_model(first, tmp_path / name)
    again = load_language_model(tmp_path / name)
    assert_same_bits((again.words, again.discounts, again.notes), (first.words, first.discounts, first.notes))
    assert_same_bits(again.scores(ASKED).log10, first.scores(ASKED).log10)
    save_language_model(again, tmp_path / f"2{name}")
    assert (tmp_path / f"2{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_the_form_can_be_said(tmp_path):
    save_language_model(model(), tmp_path / "m.arpa", form="compact")
    assert (tmp_path / "m.arpa").read_bytes().startswith(LANGUAGE_MODEL_MAGIC)
    save_language_model(model(), tmp_path / "m", form="arpa")
    assert (tmp_path / "m").read_bytes().startswith(b"\\data\\\nngram 1=")
    with pytest.raises(ParameterError, match="form is 'text'"):
        save_language_model(model(), tmp_path / "m", form="text")
    with pytest.raises(OutputError, match="does not exist"):
        save_language_model(model(), tmp_path / "none" / "m")


@pytest.mark.parametrize(
    "change", [lambda text: text, lambda text: text.replace("\n", "\r\n"), lambda text: text * 1 + "\n\n"]
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_arpa_of_other_tools_is_read(tmp_path, change, pack):
    found = load_language_model(put(tmp_path / "other", pack(change(SMALL).encode())))
    assert found.words == (b"<unk>", b"<s>", b"</s>", b"a", b"b")
    assert found.notes == ()
    assert found.discounts == ()
    scores = found.scores(["a b", "b", "a x", "a"])
    # a after <s>, b after a, then never </s>; b backs off from <s>; unknown words back off and leave no context.
    expected = [-0.1 - 0.2 - 99, (-0.3 - 0.8) - 99, -0.1 + (-0.2 - 1.5) + (0 - 0.5), -0.1 + (-0.2 - 0.5)]
    assert scores.log10 == pytest.approx(expected)


def test_a_model_without_unk_says_what_unknown_words_count(tmp_path):
    found = load_language_model(put(tmp_path / "m", SMALL.replace("-1.5\t<unk>\n", "").replace("1=5", "1=4")))
    assert len(found.notes) == 1
    assert mentions(found.notes, "<unk>", "log10 -100")
    assert found.scores(["x"]).log10 == pytest.approx([-0.3 - 100 - 0.5])


def test_unk_in_capitals_is_unk(tmp_path):
    found = load_language_model(put(tmp_path / "m", SMALL.replace("<unk>", "<UNK>").replace("a b", "a <UNK>")))
    assert found.scores(["a x"]).log10 == pytest.approx([-0.1 - 0.2 - 0.5])
    assert found.scores(["a x"]).unknown.tolist() == [1]


def test_words_alone_are_a_model(tmp_path):
    only = SMALL.split("\\2-grams")[0].replace("ngram  2 = 3\n", "") + "\\end\\\n"
    assert load_language_model(put(tmp_path / "m", only)).scores(["a b"]).log10 == pytest.approx([-0.7 - 0.8 - 0.5])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\\data\\", "", r"m: no line \\data\\"),
        ("ngram 1=5\nngram  2 = 3\n", "", r"m:5: no number of n-grams"),
        ("ngram  2 = 3", "ngram 3=3", r"m:5: .*order 3, .*order 2"),
        ("ngram 1=5", "ngram 1=0", r"m:4: 0 n-grams of order 1"),
        ("ngram 1=5", "ngram 1=6", r"m:13: 5 n-grams of order 1, .*6 "),
        ("ngram 1=5", "ngram 1=4", r"m:12: .* 4 n-grams of order 1, .*\\2-grams:"),
        ("2 = 3", "2 = 4", r"m:18: 3 n-grams of order 2, expected 4"),
        ("2 = 3", "2 = 2", r"m:17: .* 2 n-grams of order 2, .*\\end\\"),
        ("\\2-grams:", "\\3-grams:", r"m:14: .* expected the line \\2-grams:"),
        ("-0.2\ta b", "-0.2\ta", r"m:16: 2 fields, .*3 or 4 \(log10 "),
        ("-0.2\ta b", "-0.2\ta b c d", r"m:16: 5 fields"),
        ("-0.2\ta b", "0.2\ta b", r"m:16: log10 0.2 of a probability"),
        ("-0.2\ta b", "nan\ta b", r"m:16: 'nan' .*log10"),
        ("-0.8 b -0.1", "-0.8 b 1e999", r"m:11: log10 -0.8 .*inf .*back-off"),
        ("-0.8 b -0.1", "-0.8 b x", r"m:11: 'x' .*log10 .*back-off"),
        ("-0.8 b -0.1", "-0.8 a -0.1", r"m:11: .*'a' .*second"),
        ("-0.2\ta b", "-0.2\ta c", r"m:16: .*'c' .*order 1"),
        ("-inf\tb </s>", "-1\ta b", r"m:17: .*order 2 .*second"),
        ("-0.5 </s>", "-0.5 c", r"no word </s> among 5"),
        ("\\end\\", "", r"m:19: .*3 n-grams of order 2, .*\\end\\; .*cut short"),
    ],
)
def test_what_is_wrong_in_arpa_is_named_with_its_line(tmp_path, old, new, said):
    assert old in SMALL
    with pytest.raises(InputError, match=said) as caught:
        load_language_model(put(tmp_path / "m", SMALL.replace(old, new)))
    assert "\n" not in str(caught.value)


def test_an_ngram_whose_context_is_not_there_is_named(tmp_path):
    three = SMALL.replace("ngram  2 = 3", "ngram 2=3\nngram 3=1").replace("\\end\\", "\\3-grams:\n-1 b b a\n\n\\end\\")
    with pytest.raises(InputError, match=r"m:21: .*'b b' .*order 2"):
        load_language_model(put(tmp_path / "m", three))


def test_arpa_cut_at_any_line_is_refused_with_a_line(tmp_path):
    lines = SMALL.splitlines(keepends=True)
    for n in range(1, len(lines)):
        with pytest.raises(InputError, match=r"/m(:\d+)?: "):
            load_language_model(put(tmp_path / "m", "".join(lines[:n])))


def test_an_empty_file_and_a_packed_one_cut_short_are_named(tmp_path):
    with pytest.raises(InputError, match="empty"):
        load_language_model(put(tmp_path / "m", b""))
    save_language_model(model(), tmp_path / "m.arpa.gz")
    content = (tmp_path / "m.arpa.gz").read_bytes()
    with pytest.raises(InputError, match="truncated or damaged"):
        load_language_model(put(tmp_path / "m.arpa.gz", content[: len(content) // 2]))
    with pytest.raises(InputError, match="no such file"):
        load_language_model(tmp_path / "none")


def test_a_compact_file_that_is_cut_anywhere_or_has_more_is_refused(tmp_path, compact):
    path = tmp_path / "cut"
    for length in (*range(1, 60), *range(60, len(compact), 97), len(compact) - 1):
        with pytest.raises(InputError, match=r"cut: .*(damaged|no line)"):
            load_language_model(put(path, compact[:length]))
    with pytest.raises(InputError, match="1 bytes too many"):
        load_language_model(put(path, compact + b"x"))


def test_a_wrong_byte_anywhere_is_told(tmp_path, compact):
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(compact), 80).tolist():
        changed = bytearray(compact)
        changed[place] ^= int(rng.integers(1, 256))
        with pytest.raises(InputError):
            load_language_model(put(tmp_path / "m", bytes(changed)))


def test_another_form_is_said(tmp_path, compact):
    with pytest.raises(InputError, match="form is not 3"):
        load_language_model(
            put(tmp_path / "m", compact.replace(LANGUAGE_MODEL_MAGIC, LANGUAGE_MODEL_MAGIC.replace(b"3", b"2")))
        )


def rewritten(content, change):
    """The bytes with other arrays, whose checksums are right."""
    about, arrays = unpack_arrays(LANGUAGE_MODEL_MAGIC, content)
    changed = {name: array.copy() for name, array in arrays.items()}
    change(changed)
    rest = {key: value for key, value in about.items() if key not in ("arrays", "version")}
    return b"".join(pack_arrays(LANGUAGE_MODEL_MAGIC, rest, changed))


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays["keys.2"].__setitem__(0, -1),
        lambda arrays: arrays["keys.2"].__setitem__(-1, 10**9),
        lambda arrays: arrays["keys.3"].__setitem__(0, arrays["keys.3"][1]),
        lambda arrays: arrays["log10.2"].__setitem__(0, np.nan),
        lambda arrays: arrays["backoff.1"].__setitem__(0, np.inf),
        lambda arrays: arrays.update({"log10.2": arrays["log10.2"][1:]}),
        lambda arrays: arrays.update({"log10.2": arrays["log10.2"].astype("f4")}),
        lambda arrays: arrays.update({"log10.2": arrays["log10.2"][:, None]}),
        lambda arrays: arrays.pop("keys.3"),
        lambda arrays: arrays.update(words=arrays["words"][5:]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, compact, change):
    with pytest.raises(InputError, match="damaged"):
        load_language_model(put(tmp_path / "m", rewritten(compact, change)))


def test_arrays_that_were_not_changed_are_read(tmp_path, compact):
    assert load_language_model(put(tmp_path / "m", rewritten(compact, lambda arrays: None))).order == 3


def test_bytes_of_other_files_are_no_models(tmp_path):
    rng = np.random.default_rng(1)
    for content in (
        b"\x80\x04pickle",
        rng.bytes(5000),
        LANGUAGE_MODEL_MAGIC,
        LANGUAGE_MODEL_MAGIC + rng.bytes(300),
        b"the cat\nsat\n",
    ):
        with suppress(InputError):
            load_language_model(put(tmp_path / "m", content))
            raise AssertionError
