"""Tables of features read back, and scored by a ranker, as scores of a metric."""

import numpy as np
import pytest
from helpers.same import assert_same_bits

from rankscope import Rankings, read_segment_scores
from rankscope.agreement import segments
from rankscope.errors import InputError
from rankscope.learning import Ranker
from rankscope.translation import (
    TranslationFeatures,
    judged_lists,
    read_translation_features,
    score_translations,
    seg_score_lines,
    write_translation_features,
)

SYSTEMS, SEGMENTS = ("A", "B", "C"), ("1", "2")
TABLE = TranslationFeatures(
    pair="de-en",
    systems=SYSTEMS,
    segments=SEGMENTS,
    names=("x", "y"),
    values=np.array([[[0.9, 0.1], [0.8, 0.3]], [[0.5, 0.2], [0.4, 0.7]], [[0.1, 0.3], [0.2, 1 / 3]]]),
)
JUDGED = Rankings.of([{"A": 1, "B": 2, "C": 3}, {"C": 3, "A": 1, "B": 2}])


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_is_read_as_it_was_written(tmp_path, form):
    other = TranslationFeatures(**{**vars(TABLE), "pair": "en-de", "values": TABLE.values * 2})
    write_translation_features([TABLE, other], tmp_path / f"f.{form}")
    found = read_translation_features(tmp_path / f"f.{form}")
    assert [(one.pair, one.systems, one.segments, one.names) for one in found] == [
        (pair, SYSTEMS, SEGMENTS, ("x", "y")) for pair in ("de-en", "en-de")
    ]
    assert_same_bits([one.values.tolist() for one in found], [TABLE.values.tolist(), other.values.tolist()])


def test_a_learned_metric_agrees_with_those_whom_it_learned_from(tmp_path):
    ranker = Ranker("ranknet", hidden=()).fit(judged_lists(TABLE, JUDGED))
    scores = score_translations(ranker, [TABLE], "mine")
    expected = [[ranker.predict(TABLE.values[s, i : i + 1])[0] for i in range(2)] for s in range(3)]
    assert scores.pairs["de-en"].values.tolist() == pytest.approx(np.array(expected, np.float64))
    path = tmp_path / "mine.seg.scr"
    path.write_text("".join(seg_score_lines(scores, "news")))
    [again] = read_segment_scores(path)
    assert again.metric == "mine"
    assert_same_bits(again.pairs["de-en"].values.tolist(), scores.pairs["de-en"].values.tolist())
    assert set(segments(JUDGED, [again], n_resamples=10).frame()["value"]) == {1.0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pair,system,x\nde-en,A,1\n", "f.csv:1: no column 'segment'"),
        ("pair,system,segment\nde-en,A,1\n", "f.csv: no feature"),
        ("pair,system,segment,x\n", "f.csv: a header and no rows"),
        ("pair,system,segment,x\nde-en,A,1,one\n", "f.csv:2: x is 'one'"),
        ("pair,system,segment,x\nde-en,A,1,\n", "f.csv:2: x is empty"),
        ("pair,system,segment,x\nde-en,A,1,2\nde-en,A,1,3\n", r"f.csv:3: .*'A' and '1'"),
        ("pair,system,segment,x\nde-en,A,1,2\nde-en,B,2,3\n", "'A', segment 2 of de-en"),
        ("pair,system,segment,x\nde-en,,1,2\n", "f.csv:2: system is empty"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, text, said):
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_translation_features(tmp_path / "f.csv")


@pytest.mark.parametrize("metric", ["a\tb", "a\nb"])
def test_names_that_would_break_a_line_of_scores_are_refused(metric):
    ranker = Ranker("ranknet", hidden=()).fit(judged_lists(TABLE, JUDGED))
    for name, test_set in ((metric, "news"), ("mine", metric)):
        with pytest.raises(InputError, match=r"seg\.scr"):
            list(seg_score_lines(score_translations(ranker, [TABLE], name), test_set))
