"""Folders of texts and scores: plain texts as WMT publishes them, scores of people and metrics as mt-metrics-eval."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import MetricScores, PairScores
from rankscope.agreement.match import attach_scores
from rankscope.errors import InputError, ParameterError
from rankscope.io.translation import (
    list_mt_scores,
    read_lines,
    read_mt_documents,
    read_mt_scores,
    read_mt_system_scores,
    read_mt_texts,
    read_plain_texts,
    read_wmt_rankings,
)


@pytest.fixture
def folder(tmp_path):
    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
        return tmp_path

    return write


PLAIN = {
    "sources/news-src.de": "eins\nzwei\n",
    "references/news-ref.en": "one\ntwo\n",
    "system-outputs/news/de-en/news.de-en.A": "a &amp; b\u2028c\x85d\r\n\n",
    "system-outputs/news/de-en/news.de-en.B": "x\ny",
}


def test_lines_end_at_line_feeds_only_and_are_left_as_they_are(folder):
    found = read_plain_texts(folder(PLAIN), "de-en")
    assert (found.sources, found.references) == (("eins", "zwei"), ("one", "two"))
    assert found.systems == {"A": ("a &amp; b\u2028c\x85d\r", ""), "B": ("x", "y")}
    assert len(found) == 2


def test_files_that_name_both_languages_are_found(folder):
    names = {"sources/news-src.de": "sources/news-deen-src.de", "references/news-ref.en": "references/news-deen-ref.en"}
    root = folder({names.get(name, name): content for name, content in PLAIN.items()})
    assert read_plain_texts(root, "de-en").sources == ("eins", "zwei")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"references/news-ref.en": "one\n"}, r"news-ref\.en: 1 line, .*2 .*news-src\.de"),
        ({"system-outputs/news/de-en/news.de-en.B": "x\ny\nz\n"}, r"news\.de-en\.B: 3 lines, expected 2"),
        ({"system-outputs/new/de-en/A": "x\ny\n"}, r"de-en .*2 test sets \(new and news\)"),
        ({"system-outputs/news/de-en/B": "x\ny\n"}, r"second file .*'B'"),
    ],
)
def test_folders_that_do_not_fit_together_are_refused_by_name(folder, changed, said):
    with pytest.raises(InputError, match=said):
        read_plain_texts(folder({**PLAIN, **changed}), "de-en")


@pytest.mark.parametrize(("pair", "said"), [("fr-en", "fr-en; .*de-en"), ("english", "not a language pair")])
def test_a_pair_that_is_not_there_is_refused(folder, pair, said):
    with pytest.raises(InputError, match=said):
        read_plain_texts(folder(PLAIN), pair)


def test_a_folder_without_outputs_is_refused(tmp_path):
    with pytest.raises(InputError, match="sources/"):
        read_plain_texts(tmp_path, "de-en")


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"good\nb\xe4d\n")
    with pytest.raises(InputError, match=r"out:2: .*UTF-8"):
        read_lines(path)


def test_every_system_that_was_judged_in_wmt12_has_an_output_of_3003_lines(data):
    judged = dict(read_wmt_rankings(data / "wmt12" / "wmt12.RNK_results.csv").by_pair())
    for pair in ("fr-en", "en-cs"):
        texts = read_plain_texts(data / "wmt12" / "plain", pair)
        one = judged[pair]
        assert {one.systems[code] for code in set(one.system.codes.tolist())} == set(texts.systems)
        assert {len(lines) for lines in texts.systems.values()} == {len(texts)} == {3003}
        lengths = {system: list(map(len, lines)) for system, lines in texts.systems.items()}
        found = attach_scores(one, MetricScores("length", {pair: PairScores.of(lengths)}))
        assert not np.isnan(found.columns["length"]).any()


def test_the_judged_systems_of_wmt13_have_outputs_under_the_same_names(data):
    judged = read_wmt_rankings(data / "wmt13" / "sample-fr-en-train.csv")
    assert set(judged.systems) <= set(read_plain_texts(data / "wmt13" / "plain", "fr-en").systems)


SCORES = {
    "human-scores/de-en.mqm.seg.score": "A\t-1.5\nA\tNone\nB\t0\nB\t-5\n",
    "human-scores/de-en.mqm.sys.score": "A\t-1.5\nB\tNone\n",
    "metric-scores/de-en/BLEU-refA.seg.score": "A\t0.5\nB\t0.25\nA\t1\nB\t2\n",
    "sources/de-en.txt": "eins\nzwei\n",
    "references/de-en.refA.txt": "one\ntwo\n",
    "system-outputs/de-en/A.txt": "a\nb\n",
    "system-outputs/de-en/B.txt": "c\nd\n",
    "documents/de-en.docs": "news\tdoc1\nnews\tdoc2\n",
}


def test_scores_of_people_and_metrics_are_found_in_the_folder_or_by_their_file(folder):
    root = folder(SCORES)
    human = read_mt_scores(root, pair="de-en", name="mqm")
    np.testing.assert_array_equal(human.pairs["de-en"].values, [[-1.5, np.nan], [0, -5]])
    assert len(human.notes) == 1
    assert mentions(human.notes, "mqm", "de-en", 1)
    metric = read_mt_scores(root / "metric-scores" / "de-en" / "BLEU-refA.seg.score")
    assert (metric.metric, list(metric.pairs)) == ("BLEU-refA", ["de-en"])
    assert metric.pairs["de-en"].values.tolist() == [[0.5, 1], [0.25, 2]]  # of each system in order, though mixed
    system = read_mt_system_scores(root, pair="de-en", name="mqm")
    assert system.pairs["de-en"].by_system["A"] == -1.5
    assert np.isnan(system.pairs["de-en"].by_system["B"])
    assert [(one.kind, one.name) for one in list_mt_scores(root)] == [("human", "mqm"), ("metric", "BLEU-refA")]


def test_texts_and_documents_of_such_a_folder(folder):
    root = folder(SCORES)
    texts = read_mt_texts(root, "de-en")
    assert texts.systems == {"A": ("a", "b"), "B": ("c", "d")}
    assert texts.references == ("one", "two")
    assert read_mt_documents(root, "de-en") == ("doc1", "doc2")
    with pytest.raises(InputError, match=r"de-en .*refA"):
        read_mt_texts(root, "de-en", reference="refB")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("A\t1\nA\t2\nB\t3\n", "1 line .*'B', .*2 .*'A'"),
        ("A\t1\nA\tgood\n", ":2: score 'good', .*None"),
        ("A\t1\nA\tinf\n", ":2: score 'inf'"),
        ("A\t1\nA\n", r":2: 1 field, expected 2 \(SYSTEM<TAB>SCORE\)"),
        ("", "the file is empty"),
    ],
)
def test_files_of_scores_that_cannot_be_read_are_refused(tmp_path, content, said):
    path = tmp_path / "de-en.x.seg.score"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        read_mt_scores(path)


def test_what_is_not_there_is_refused_with_what_there_is(folder):
    root = folder(SCORES)
    with pytest.raises(InputError, match=r"'da' .*de-en; .*mqm and BLEU-refA"):
        read_mt_scores(root, pair="de-en", name="da")
    with pytest.raises(InputError, match=r"fr-en; .*de-en"):
        read_mt_scores(root, pair="fr-en", name="mqm")
    with pytest.raises(ParameterError, match=r"language pair .*name"):
        read_mt_scores(root, pair="de-en")
    with pytest.raises(InputError, match=r"systems, .*segments"):
        read_mt_scores(root / "human-scores" / "de-en.mqm.sys.score")
    with pytest.raises(InputError, match="no such folder"):
        list_mt_scores(root / "nowhere")
    with pytest.raises(ParameterError, match=r"level='doc', .*seg, sys"):
        list_mt_scores(root, level="doc")


def test_a_file_of_segments_under_the_name_of_systems_is_noticed(tmp_path):
    path = tmp_path / "de-en.x.sys.score"
    path.write_text("A\t1\nA\t2\n")
    with pytest.raises(InputError, match=r":2: .*'A'.*seg\.score"):
        read_mt_system_scores(path)
