"""seg.scr and sys.scr: columns, several metrics, compression, test sets, and what is refused with its line."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError, ParameterError
from rankscope.io.core import BLOCK, zstd_module
from rankscope.io.translation import detect_kind, detect_system_kind, read_seg_scores, read_sys_scores

LINES = [
    "chrF\tde-en\tnewstest2012\tA\t1\t0.5",
    "chrF\tde-en\tnewstest2012\tB\t2\t0.25",
    "chrF\tcz-en\tnewstest2012\tA\t10\t-1e-3",
    "TER\tde-en\tnewstest2012\tA\t2\tnan",
    "chrF\tcz-en\tnewstest2012\tA\t9\t7",
]


@pytest.fixture
def written(tmp_path):
    def write(lines, pack=lambda content: content):
        path = tmp_path / "scores.scr"
        path.write_bytes(pack(("\n".join(lines) + "\n").encode()))
        return path

    return write


def as_values(found):
    return {
        (one.metric, pair, system, segment): value
        for one in found
        for pair, scores in one.pairs.items()
        for system, row in zip(scores.systems, scores.values.tolist(), strict=True)
        for segment, value in zip(scores.segments, row, strict=True)
        if not np.isnan(value)
    }


EXPECTED = {
    ("chrF", "de-en", "A", "1"): 0.5,
    ("chrF", "de-en", "B", "2"): 0.25,
    ("chrF", "cs-en", "A", "10"): -1e-3,
    ("chrF", "cs-en", "A", "9"): 7,
}


@pytest.mark.parametrize(
    "pack", [lambda content: content, gzip.compress, lambda content: zstd_module().compress(content)]
)
def test_several_metrics_and_pairs_in_one_file_plain_or_compressed(written, pack):
    found = read_seg_scores(written(LINES, pack))
    assert [one.metric for one in found] == ["chrF", "TER"]
    assert as_values(found) == EXPECTED
    assert found[0].pairs["cs-en"].segments == ("9", "10")  # by number, not as they stand
    assert mentions(found[1].notes[0], 1, "TER")
    assert all(one.higher_is_better for one in found)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace("\t", " "),
        lambda line: line + "\r",
        lambda line: line + "\tnon-ensemble\tyes",
        lambda line: line.replace("newstest2012", "newstest2012\tbbc.123\trefA"),
        lambda line: line.replace("newstest2012", "newstest2012\tbbc.123") + "\tensemble\tpublic",
        lambda line: line.replace("\tA", "\tnewstest2012.de-en.A").replace("\tB", "\tnewstest2012.de-en.B"),
    ],
)
def test_more_columns_are_told_from_both_ends(written, change):
    assert as_values(read_seg_scores(written(map(change, LINES)))) == EXPECTED


def test_columns_may_be_named(written):
    swapped = [line.replace("\tA\t", "\t1\tA\t").replace("\tB\t", "\t1\tB\t") for line in LINES]
    columns = ("metric", "pair", "test set", "run", "system", "segment", "score")
    assert as_values(read_seg_scores(written(swapped), columns=columns)) == EXPECTED
    with pytest.raises(ParameterError, match="'segment'"):
        read_seg_scores(written(swapped), columns=("metric", "pair", "test set", "system", "score"))


def test_blanks_inside_fields_of_a_file_with_tabs_stay(written):
    lines = [
        line.replace("chrF", "chr F").replace("\tA\t", "\tSFU - Kriya\t").replace("0.5", " 0.5 ") for line in LINES
    ]
    found = read_seg_scores(written(lines))
    assert as_values(found)["chr F", "de-en", "SFU - Kriya", "1"] == 0.5
    assert found[1].metric == "TER"


def test_comments_and_blank_lines_are_left_out_and_lines_are_still_counted(written):
    lines = ["# made", "", *LINES, "", LINES[0]]
    assert as_values(read_seg_scores(written(lines[:-1]))) == EXPECTED
    with pytest.raises(InputError, match=r":9: .*chrF, .*de-en, .*A, .*\b1\b.*line 3"):
        read_seg_scores(written(lines))


def test_a_file_of_several_blocks_is_read_whole(written):
    n = BLOCK // 25
    lines = [f"m\tde-en\tset\t{system}\t{i}\t{i}.5" for system in "AB" for i in range(1, n + 1)]
    [found] = read_seg_scores(written(lines))
    assert found.pairs["de-en"].values.shape == (2, n)
    np.testing.assert_array_equal(found.pairs["de-en"].values[1], np.arange(1, n + 1) + 0.5)
    with pytest.raises(InputError, match=rf":{2 * n + 1}: .*line {n}\b"):
        read_seg_scores(written([*lines, lines[n - 1]]))


def test_one_of_several_test_sets_is_to_be_chosen(written):
    lines = [*LINES, LINES[0].replace("2012", "2013").replace("0.5", "9")]
    with pytest.raises(InputError, match=r"\b2 .*newstest2012 and newstest2013"):
        read_seg_scores(written(lines))
    assert as_values(read_seg_scores(written(lines), test_set="newstest2012")) == EXPECTED
    [one] = read_seg_scores(written(lines), test_set="newstest2013")
    assert as_values([one]) == {("chrF", "de-en", "A", "1"): 9}
    with pytest.raises(InputError, match=r"'x', .*newstest2012 and newstest2013"):
        read_seg_scores(written(lines), test_set="x")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("chrF\tde-en\tnewstest2012\tA\t3\tgood", ":6: score 'good'"),
        ("chrF\tde-en\tnewstest2012\tA\t3\tinf", ":6: score 'inf'"),
        ("chrF\tde-en\tnewstest2012\tA\t3\t1e999", ":6: score '1e999'"),
        ("chrF\tde-en\tnewstest2012\tA\t0.5", ":6: 5 fields, expected 6 .*sys.scr"),
        ("chrF\tde-en\tnewstest2012\tA\t3\t0.5\tx", ":6: 7 fields, expected 6"),
        ("chrF\tcs-en\tnewstest2012\tA\t9\t1", ":6: .*chrF, .*cs-en, .*A, .*9"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_by_file_and_line(written, line, said):
    with pytest.raises(InputError, match=said):
        read_seg_scores(written([*LINES, line]))


@pytest.mark.parametrize("lines", [[], ["# nothing"]])
@pytest.mark.parametrize("read", [read_seg_scores, read_sys_scores])
def test_a_file_without_scores_is_refused(written, read, lines):
    with pytest.raises(InputError, match=r"scores\.scr"):
        read(written(lines))


def test_scores_of_systems(written):
    lines = ["BLEU\tde-en\tt\tt.de-en.A\t0.25", "BLEU\tde-en\tt\tB\tNone", "TER\ten-de\tt\tA\t1"]
    bleu, ter = read_sys_scores(written([f"{line}\tensemble" for line in lines]), higher_is_better=False)
    assert bleu.pairs["de-en"].by_system["A"] == 0.25
    assert np.isnan(bleu.pairs["de-en"].by_system["B"])
    assert (list(ter.pairs), ter.pairs["en-de"].by_system) == (["en-de"], {"A": 1})
    assert not ter.higher_is_better
    assert mentions(bleu.notes[0], 1, "BLEU")


def test_the_two_kinds_of_files_are_not_mistaken_for_each_other(written):
    with pytest.raises(InputError, match=r"seg\.scr"):
        read_sys_scores(written(LINES))
    with pytest.raises(InputError, match=r":1: 5 fields, .*\b6 .*sys\.scr"):
        read_seg_scores(written(["BLEU\tde-en\tt\tA\t0.25"]))
    with pytest.raises(InputError, match=r":2: .*BLEU, .*de-en, .*\bA\b"):
        read_sys_scores(written(["BLEU\tde-en\tt\tA\t0.25"] * 2))


@pytest.mark.parametrize("word", ["nan", "None", "NA", "null", "-"])
def test_a_file_that_begins_with_a_missing_score_is_detected_and_read(written, word):
    path = written([f"chrF\tde-en\tnewstest2012\tA\t1\t{word}", "chrF\tde-en\tnewstest2012\tA\t2\t0.25"])
    assert detect_kind(path) == "seg.scr"
    assert as_values(read_seg_scores(path)) == {("chrF", "de-en", "A", "2"): 0.25}
    path = written([f"chrF\tde-en\tnewstest2012\tA\t{word}", "chrF\tde-en\tnewstest2012\tB\t0.25"])
    assert detect_system_kind(path, {}) == "sys.scr"
    assert read_sys_scores(path)[0].pairs["de-en"].by_system["B"] == 0.25


def test_a_dash_behind_the_score_is_no_score(written):
    line = "chrF\tde-en\tnewstest2012\tbbc.123\tA\t1\t0.5\t-"
    assert as_values(read_seg_scores(written([line]))) == {("chrF", "de-en", "A", "1"): 0.5}
