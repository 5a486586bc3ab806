"""`rankscope features`: tables of features of translations and the models for them, from files."""

import polars as pl
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import read_features
from rankscope.translation import load_language_model, load_lexicon, tokenised, train_lexicon, translation_features

TEXTS = {
    "news.de": "Das Haus ist blau.\nEin Buch.\nDas Buch ist neu.\n",
    "news.en": "The house is blue.\nA book.\nThe book is new.\n",
    "src.de": "Das Buch ist blau.\nEin Haus.\n",
    "ref.en": "The book is blue.\nA house.\n",
    "a.en": "The book is blue.\nA house.\n",
    "b.en": "A blau book.\nhouse\n",
}
MT = ("features", "mt", "--source", "src.de", "--reference", "ref.en", "--system", "A=a.en", "--system", "B=b.en")
TRAINED = ("--language-model", "news.en", "--parallel", "news.de", "news.en")


@pytest.fixture
def texts(tmp_path, monkeypatch):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(name):
    return TEXTS[name].splitlines()


def test_models_are_trained_saved_and_used(texts, cli):
    assert cli("features", "lm", "news.en", "--order", 3, "-o", "en.arpa").code == 0
    assert cli("features", "lexicon", "news.de", "news.en", "-o", "de-en.lexicon").out.startswith("Lexicon(")
    assert cli("features", "lexicon", "news.en", "news.de", "--no-null", "--iterations", 2, "-o", "back").code == 0
    models = ("--language-model", "en.arpa", "--forward", "de-en.lexicon", "--backward", "back")
    done = cli(*MT, *models, "--pair", "de-en", "-o", "features.parquet")
    assert (done.code, done.out, done.err) == (0, "", "")
    expected = translation_features(
        lines("src.de"),
        lines("ref.en"),
        {"A": lines("a.en"), "B": lines("b.en")},
        language_model=load_language_model("en.arpa"),
        forward=load_lexicon("de-en.lexicon"),
        backward=load_lexicon("back"),
        pair="de-en",
    )
    assert_same_bits(pl.read_parquet("features.parquet").rows(), list(expected.records()))
    assert load_lexicon("back").null is False


def test_models_are_trained_on_text_on_the_way(texts, cli):
    assert cli(*MT, *TRAINED, "--features", "forward,length", "-o", "features.csv").code == 0
    lexicon = train_lexicon(tokenised(lines("news.de")), tokenised(lines("news.en")))
    forward = lexicon.scores(tokenised(lines("src.de")), tokenised(lines("b.en"))).plain
    found = pl.read_csv("features.csv")
    assert found.columns == ["pair", "system", "segment", "forward", "length"]
    assert found["forward"].to_list()[2:] == pytest.approx(forward.tolist())


def test_judgments_give_lists_that_train_learns_from(texts, cli):
    (texts / "judged.csv").write_text("segment,system,rank\n1,A,1\n1,B,2\n2,B,2\n2,A,1\n")
    assert cli(*MT, *TRAINED, "--judgments", "judged.csv", "-o", "train.parquet").code == 0
    found = read_features("train.parquet")
    assert (found.query_ids, found.doc_ids) == (("1:1", "2:2"), ["A", "B", "B", "A"])
    assert found.relevance.tolist() == [1, 0, 0, 1]
    assert cli("train", "train.parquet", "--hidden", 0, "-o", "metric.model").code == 0


def test_scores_of_metrics_are_features(texts, cli):
    (texts / "COMET.seg.scr").write_text(
        "".join(f"COMET\tde-en\tnews\t{s}\t{i}\t0.{i}\n" for s in "AB" for i in (1, 2))
    )
    done = cli(*MT, "--pair", "de-en", "--features", "length", "--scores", "COMET.seg.scr", "-o", "features.csv")
    assert done.code == 0
    assert pl.read_csv("features.csv")["COMET"].to_list() == [0.1, 0.2, 0.1, 0.2]


def test_a_folder_of_texts_as_wmt_or_mt_metrics_eval_has_it(texts, cli):
    folders = {
        "wmt": ("sources/news-src.de", "references/news-ref.en", "system-outputs/news/de-en/A"),
        "mtme": ("sources/de-en.txt", "references/de-en.refA.txt", "system-outputs/de-en/A.txt"),
    }
    expected = translation_features(
        lines("src.de"), lines("ref.en"), {"A": lines("a.en")}, features="BLEU", pair="de-en"
    )
    for folder, places in folders.items():
        for name, place in zip(("src.de", "ref.en", "a.en"), places, strict=True):
            (texts / folder / place).parent.mkdir(parents=True, exist_ok=True)
            (texts / folder / place).write_text(TEXTS[name])
        done = cli(
            "features", "mt", "--texts", folder, "--pair", "de-en", "--features", "BLEU", "-o", f"{folder}.parquet"
        )
        assert (done.code, done.err) == (0, "")
        assert_same_bits(pl.read_parquet(f"{folder}.parquet").rows(), list(expected.records()))


def test_crlf_changes_nothing_and_empty_outputs_are_counted(texts, cli):
    assert cli(*MT, *TRAINED, "--features", "others", "-o", "lf.csv").code == 0
    for name in TEXTS:
        (texts / name).write_bytes(TEXTS[name].replace("\n", "\r\n").encode())
    assert cli(*MT, *TRAINED, "--features", "others", "-o", "crlf.csv").code == 0
    assert_same_bits((texts / "crlf.csv").read_text(), (texts / "lf.csv").read_text())
    (texts / "b.en").write_text("house\n\n")
    done = cli(*MT, *TRAINED, "-o", "features.txt")
    assert done.code == 0
    assert mentions(done.err.splitlines(), "note: 1 ", "empty", " B")


def test_the_features_are_listed(cli):
    done = cli("features", "mt", "--list")
    assert done.code == 0
    assert "log_p4" in done.out
    assert "untranslated" in done.out


@pytest.mark.parametrize(
    ("change", "args", "said"),
    [
        ({"b.en": "one\n"}, (*MT, *TRAINED, "-o", "t.csv"), "b.en: 1 line, expected 2 as in src.de"),
        ({"ref.en": "1\n2\n3\n"}, (*MT, *TRAINED, "-o", "t.csv"), "ref.en: 3 lines, expected 2 as in src.de"),
        ({"news.en": "1\n"}, (*MT, *TRAINED, "-o", "t.csv"), "news.en: 1 line, expected 3 as in news.de"),
        ({"a.en": b"ok\n\xff\n"}, (*MT, *TRAINED, "-o", "t.csv"), "a.en:2: bytes that are not UTF-8"),
        ({"src.de": "", "ref.en": "", "a.en": "", "b.en": ""}, (*MT, *TRAINED, "-o", "t.csv"), "there are no sources"),
        ({"news.en": "\n\n\n"}, (*MT, *TRAINED, "-o", "t.csv"), "news.en: the list of sentences has no word"),
        ({"x": "y"}, (*MT, "--forward", "x", "--features", "forward", "-o", "t.csv"), "x: is no lexicon"),
        ({}, (*MT, "-o", "t.csv"), "feature language_model needs a language model"),
        ({}, (*MT, "--language-model", "news.en", "-o", "t.csv"), "feature forward needs a lexicon"),
        ({}, (*MT, *TRAINED, "--forward", "x", "-o", "t.csv"), "--parallel cannot be combined with --forward"),
        ({}, (*MT, "--language-model", "-", "--features", "untranslated", "-o", "t.csv"), "cannot be standard input"),
        (
            {"cut.arpa": "\\data\\\nngram 1=5\n"},
            (*MT, "--language-model", "cut.arpa", "--features", "language_model", "-o", "t.csv"),
            "cut.arpa",
        ),
        ({}, (*MT, *TRAINED), "no output file"),
        ({}, (*MT, *TRAINED, "-o", "a.en"), "a.en: is also an input and would be overwritten"),
        ({}, (*MT, "--system", "A=b.en", "-o", "t.csv"), "--system A is given twice"),
        ({}, (*MT, "--system", "b.en", "-o", "t.csv"), "--system b.en, expected a name and a file"),
        ({}, (*MT, "--texts", "x", "-o", "t.csv"), "--texts cannot be combined with --source"),
        ({}, ("features", "mt", "--texts", "x", "-o", "t.csv"), "needs --pair"),
        ({}, ("features", "mt", "--source", "src.de", "-o", "t.csv"), "--reference is missing"),
        ({}, (*MT, "--features", "chrf", "-o", "t.csv"), "did you mean chrF"),
        ({}, ("features", "lm", "-o", "x.arpa", "nowhere"), "nowhere: no such file"),
        ({}, ("features", "lm", "-o", "-", "news.en"), "a model cannot be printed"),
        ({"news.en": ""}, ("features", "lm", "-o", "x.arpa", "news.en"), "news.en: no words, expected text"),
        ({"x": "\n"}, ("features", "lm", "-o", "y.lm", "x", "x"), "x: no words, expected text"),
        (
            {"x": "<s>a\nb\nb\n\nc </s>\n"},
            ("features", "lm", "--tokenised", "-o", "y.lm", "news.en", "x"),
            "x:5: the word </s>, which is reserved for the model",
        ),
        (
            {"x": "a\n\n", "y": "\nb\n"},
            ("features", "lexicon", "-o", "z", "x", "y"),
            "x and y: no line has words on both sides",
        ),
        (
            {"news.de": "\n\n", "news.en": "a\nb\n"},
            (*MT, "--parallel", "news.de", "news.en", "--features", "forward", "-o", "t.csv"),
            "news.de and news.en: no line has words on both sides",
        ),
        ({"news.en": "a\n"}, ("features", "lexicon", "news.de", "news.en", "-o", "x"), "news.en: 1 line"),
        ({}, ("features", "train"), "No such command 'train'"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(texts, cli, change, args, said):
    for name, content in change.items():
        (texts / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    done = cli(*args)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert said in done.err
    assert not (texts / "t.csv").exists()
