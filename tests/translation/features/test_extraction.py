"""The features of translations, by hand and against loops."""

import html
import math
import sys

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers
from sacrebleu.metrics.ter import TER

from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.translation import (
    EXTENDED,
    FEATURES,
    NINE,
    feature_names,
    tokenised,
    train_language_model,
    train_lexicon,
    translation_features,
)
from rankscope.translation.features.chrf import character_f, consensus_f
from rankscope.translation.sentence_scores import sentence_scorers

SOURCES = ["Das Haus ist Blau.", "Ein Buch", "", "Der Zug f\u00e4hrt ab"]
REFERENCES = ["The house is blue.", "A book", "nothing", "The train leaves"]
OUTPUTS = {
    "A": ["the house is Blau .", "a book", "", "the the train"],
    "B": ["The house &quot;is&quot; blue.", "", "x", "Zug leaves"],
    "C": ["blue", "the book\r", "nothing", "The train leaves"],
}
TEXT = ["the house is green .", "a book is blue", "the train leaves", "nothing"]
FOREIGN = ["das haus ist gr\u00fcn .", "ein buch ist blau", "der zug f\u00e4hrt", "nichts"]
MODELS = {
    "language_model": train_language_model(TEXT, order=3),
    "forward": train_lexicon(FOREIGN, TEXT),
    "backward": train_lexicon(TEXT, FOREIGN),
}


def table_of(features, **more):
    options = {**MODELS, "pair": "de-en", **more}
    return translation_features(SOURCES, REFERENCES, OUTPUTS, features=features, **options)


def columns(table):
    return {name: table.values[:, :, i] for i, name in enumerate(table.names)}


def test_precisions_without_a_match_are_halved_one_after_the_other():
    found = columns(translation_features(["x"], ["a b c d e"], {"A": ["a b q d"], "B": [""]}, features=NINE[:5]))
    # 3 of 4 words, 1 of 3 pairs; no triple of 2, no four of 1. Of nothing, four times nothing.
    assert [found[f"log_p{n}"][0, 0] for n in (1, 2, 3, 4)] == pytest.approx(
        [math.log(p) for p in (3 / 4, 1 / 3, 1 / (2 * 2), 1 / (4 * 1))]
    )
    assert [found[f"log_p{n}"][1, 0] for n in (1, 2, 3, 4)] == pytest.approx([math.log(1 / 2**k) for k in (1, 2, 3, 4)])
    assert found["log_brevity"][:, 0].tolist() == pytest.approx([1 - 5 / 4, 1 - 5 / 1])


def test_bleu_and_chrf_are_those_of_the_scorers():
    found, scorers = columns(table_of(["BLEU", "chrF"])), sentence_scorers().metrics
    for i, outputs in enumerate(OUTPUTS.values()):
        pairs = list(zip(outputs, REFERENCES, strict=True))
        assert found["BLEU"][i].tolist() == pytest.approx([scorers["sentBLEU"](*pair) for pair in pairs])
        assert found["chrF"][i].tolist() == pytest.approx([scorers["chrF"](*pair) for pair in pairs])


def test_what_models_say_is_natural_logarithms_of_tokenised_outputs():
    found = columns(table_of(["smoothed", "forward", "backward"]))
    sources = tokenised(SOURCES)
    for i, outputs in enumerate(OUTPUTS.values()):
        texts = tokenised(outputs)
        expected = MODELS["language_model"].scores(texts).log10 * math.log(10)
        assert found["language_model"][i].tolist() == pytest.approx(expected.tolist())
        assert found["length"][i].tolist() == [len(text.split()) for text in texts]
        forward, backward = MODELS["forward"].scores(sources, texts), MODELS["backward"].scores(texts, sources)
        for name, scores in (("forward", forward), ("backward", backward)):
            assert found[name][i].tolist() == pytest.approx(scores.plain.tolist())
            assert found[f"{name}_smoothed"][i].tolist() == pytest.approx(scores.smoothed.tolist())


def test_other_features():
    found = columns(table_of(["chrF_unescaped", "TER", "untranslated", "consensus", "consensus_mean"]))
    # Blau of A and Zug of B are words of the source that no text in English has.
    assert found["untranslated"].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    flat = [line for lines in OUTPUTS.values() for line in lines]
    segments = np.tile(np.arange(4), 3)
    clean = character_f([html.unescape(line) for line in flat], segments, [REFERENCES])
    assert found["chrF_unescaped"].ravel().tolist() == pytest.approx(clean.tolist())
    expected = [TER().sentence_score(line, [REFERENCES[i]]).score for line, i in zip(flat, segments, strict=True)]
    assert found["TER"].ravel().tolist() == pytest.approx(expected)
    alike = consensus_f(flat, segments).reshape(3, 4)
    assert found["consensus"].tolist() == pytest.approx(alike)
    assert found["consensus_mean"].tolist() == pytest.approx(np.repeat(alike.mean(axis=1)[:, None], 4, axis=1))


def test_a_word_of_the_source_in_a_reference_is_no_untranslated_one():
    options = {"features": ["untranslated"], "language_model": MODELS["language_model"]}
    outputs = {"A": ["Zug Zug Bahn", "Bahn"]}
    for references, expected in ((["a", "b"], [2, 0]), (["Zug", "b"], [0, 0]), ([["a", "b"], ["zug", "c"]], [0, 0])):
        found = translation_features(["Zug", "Zug"], references, outputs, **options)
        assert found.values.ravel().tolist() == expected


def test_several_references_count_together():
    one, other = ["a b c d", "x"], ["a b e", "y z"]
    outputs = {"A": ["a b c e", "y"]}
    found = columns(translation_features(["", ""], [one, other], outputs, features=["log_p1", "log_brevity", "chrF"]))
    assert found["log_p1"].tolist() == pytest.approx(np.log([[4 / 4, 1 / 1]]))
    assert found["log_brevity"].tolist() == [[0, 0]]
    single = [
        columns(translation_features(["", ""], side, outputs, features=["chrF"]))["chrF"] for side in (one, other)
    ]
    assert_same_numbers(found["chrF"].tolist(), np.maximum(*single).tolist())


def test_columns_of_ones_own_stand_behind_the_others():
    found = table_of(["length"], extra={"mine": np.arange(12).reshape(3, 4), "each": [1, 2, 3, 4]})
    assert found.names == ("length", "mine", "each")
    assert found.values[1, 2].tolist() == [1, 6, 3]


def test_models_of_another_language_are_noticed():
    english, german = ["the house is green", "a book"], ["das haus ist gr\u00fcn", "ein buch"]
    given = {"A": english}
    models = {
        "language_model": train_language_model(german, order=2),
        "forward": train_lexicon(english, german),  # exchanged
        "backward": train_lexicon(english, german),
    }
    found = translation_features(german, english, given, features="nine", **models)
    assert len(found.notes) == 3
    said = [note.partition(":")[0] for note in found.notes]
    assert mentions(said[0], "language_model", "100%", "outputs")
    assert mentions(said[1], "forward", "100%", "sources")
    assert mentions(said[2], "forward", "100%", "outputs")
    right = {**models, "language_model": train_language_model(english, order=2)}
    right["forward"] = train_lexicon(german, english)
    assert translation_features(german, english, given, features="nine", **right).notes == ()
    # A model that no feature uses is not looked at.
    assert translation_features(german, english, given, features=["log_p1"], **models).notes == ()


def test_the_table_has_names_settings_and_notes():
    found = table_of("nine")
    assert found.columns == ("pair", "system", "segment", *NINE)
    assert len(found) == 12
    assert next(found.records())[:3] == ("de-en", "A", "1")
    assert found.frame().rows() == list(found.records())
    assert len(found.notes) == 2
    assert mentions(found.notes[0], "1 source", "empty")
    assert mentions(found.notes[1], "2 outputs", "empty", "A and B")
    assert found.settings.split(" | ")[:2] == ["words:13a,lowercase", "references:1"]
    assert " | sacrebleu " in found.settings
    chosen = found.select(["length", "log_p1"])
    assert chosen.values[0, 0].tolist() == [5, found.values[0, 0, 0]]
    with pytest.raises(UnknownName, match="lenght"):
        found.select(["lenght"])


def test_progress_adds_up_to_1_and_every_feature_can_be_had():
    told = []
    found = table_of(list(FEATURES), progress=told.append)
    assert found.names == tuple(FEATURES)
    assert np.isfinite(found.values).all()
    assert sum(told) == pytest.approx(1)


def test_names_of_sets_stand_for_several():
    assert feature_names("extended") == EXTENDED
    assert feature_names(["chrF", "nine", "chrF"]) == ("chrF", *NINE)
    with pytest.raises(UnknownName, match="did you mean chrF"):
        feature_names(["chrf"])
    with pytest.raises(ParameterError, match="there are no features"):
        feature_names([])


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"sources": ["a"]}, InputError, "reference 1: 4 lines, .*1 "),
        ({"references": [REFERENCES, ["a"]]}, InputError, "reference 2: 1 line, expected 4"),
        ({"outputs": {"A": OUTPUTS["A"], "B": ["a", "b"]}}, InputError, "system 'B': 2 lines, expected 4"),
        ({"sources": [], "references": [], "outputs": {"A": []}}, InputError, "there are no sources"),
        ({"outputs": {}}, InputError, "there are no outputs"),
        ({"outputs": ["a"]}, ParameterError, "outputs are a mapping"),
        ({"outputs": {"A": "text"}}, ParameterError, "outputs of A .*one text"),
        ({"references": "text"}, ParameterError, "references is one text"),
        ({"features": ["lm"]}, UnknownName, "lm"),
        ({"language_model": None}, ParameterError, "'language_model' needs language_model"),
        ({"backward": None}, ParameterError, "'backward' needs backward"),
        ({"extra": {"mine": [1, 2]}}, InputError, r"column 'mine' of shape \(2,\), expected \(3, 4\)"),
        ({"extra": {"length": [1, 2, 3, 4]}}, InputError, "name of a feature"),
        ({"extra": {"pair": [1, 2, 3, 4]}}, InputError, "two columns .*'pair'"),
        ({"extra": {"mine": [1, 2, 3, math.nan]}}, InputError, "'mine' .*'A', segment 4 .*nan"),
    ],
)
def test_what_does_not_fit_is_refused(changed, error, said):
    given = {"sources": SOURCES, "references": REFERENCES, "outputs": OUTPUTS, **MODELS, **changed}
    with pytest.raises(error, match=said):
        translation_features(given.pop("sources"), given.pop("references"), given.pop("outputs"), **given)


def test_without_sacrebleu_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ParameterError, match=r"pip install 'rankscope\[mt\]'"):
        table_of("nine")
