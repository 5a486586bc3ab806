"""WMT's ranking CSVs: made-up rows for every rule, and the published numbers of pairs on the real judgments."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError, ParameterError
from rankscope.io.translation import read_wmt_rankings
from rankscope.kernels.pairs import count_pairs_by_row

HEADER = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
HEADER += "system3Number,system3Id,system1rank,system2rank,system3rank"
ROW = "Czech,English,7,cs-en.test,7,ann,1,A,2,B,3,C,1,2,2"

#: Li et al. 2013, tables 2 and 3: how many pairs of outputs people did not find equal.
PUBLISHED = {
    "fr-en": 11594,
    "de-en": 11934,
    "es-en": 9796,
    "cs-en": 11021,
    "en-fr": 11562,
    "en-de": 14553,
    "en-es": 11834,
    "en-cs": 18805,
}


@pytest.fixture
def written(tmp_path):
    def write(*rows, header=HEADER):
        path = tmp_path / "judged.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return path

    return write


def decided_pairs(found):
    table = found.table("rank")
    counts = count_pairs_by_row(table, table)
    return int((counts.concordant + counts.discordant).sum())


def test_the_numbers_of_pairs_of_wmt12_are_the_published_ones(data):
    found = read_wmt_rankings(data / "wmt12" / "wmt12.RNK_results.csv")
    assert len(found) == 12339
    assert {pair: decided_pairs(one) for pair, one in found.by_pair()} == PUBLISHED
    said = [note.partition(": ")[2] for note in found.notes]
    assert len(said) == 2
    assert mentions(said[0], 17, "kept", "WMT")
    assert mentions(said[1], 355, "-1")


def test_without_the_reference_wmt11_has_the_pairs_that_its_mapping_was_made_from(data):
    path, lines = data / "wmt11" / "wmt11-maneval-indivsystems.RNK_results.csv", data / "wmt11" / "index-to-line.txt"
    found = dict(read_wmt_rankings(path, reference="drop", lines=lines).by_pair())
    assert sum(decided_pairs(found[pair]) for pair in ("de-en", "en-es", "en-fr")) == 20542
    target = lines.read_text().split()
    first = next(iter(found["cs-en"].segment))
    assert first == target[1992 - 1]  # the file's first row is of index 1992


def test_fillers_of_wmt11_are_left_out_and_counted(data):
    found = read_wmt_rankings(data / "wmt11" / "wmt11-maneval-combosystems.RNK_results.csv")
    assert "blank" not in found.systems
    assert mentions(found.notes, "2,400 ", "'blank'", "1,200 ")


def test_the_test_set_and_pair_in_front_of_names_of_wmt13_are_taken_away(data):
    found = read_wmt_rankings(data / "wmt13" / "sample-fr-en-train.csv")
    assert {"online-A", "cu-zeman.2738", "DCU__primary.2828"} <= set(found.systems)


def test_a_row_is_a_judgment_with_its_pair_segment_and_judge(written):
    found = read_wmt_rankings(written(ROW, "English,German,8,x,8,bob,1,A,2,B,3,C,3,-1,1"))
    assert list(zip(found.pair, found.segment, found.judge, strict=True)) == [
        ("cs-en", "7", "ann"),
        ("en-de", "8", "bob"),
    ]
    np.testing.assert_array_equal(found.table("rank"), [[1, 2, 2], [3, np.nan, 1]])
    assert found.score_columns == frozenset()


def test_columns_are_found_by_name_in_any_order_and_case(written):
    names, cells = HEADER.split(","), ROW.split(",")
    order = list(range(len(names)))
    random.Random(11).shuffle(order)
    path = written(",".join(cells[i] for i in order), header=",".join(names[i].upper() for i in order))
    found = read_wmt_rankings(path)
    np.testing.assert_array_equal(found.table("rank"), [[1, 2, 2]])
    assert list(found.system) == ["A", "B", "C"]


def test_rows_of_two_systems_without_numbers_are_read_too(written):
    header = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
    found = read_wmt_rankings(written("deu,eng,3,3,judge1,A,2,B,1,17", header=header))
    assert found.pair.names == ("de-en",)
    assert found.table("rank").tolist() == [[2, 1]]


def test_languages_that_are_not_known_stay_in_lower_case(written):
    found = read_wmt_rankings(written(ROW.replace("Czech", "Haitian Creole (Raw)")))
    assert found.pair.names == ("haitian creole (raw)-en",)


def test_fillers_and_on_request_the_reference_are_no_items(written):
    path = written("Czech,English,7,d,7,ann,1,_ref,2,B,0,blank,1,2,-1")
    assert list(read_wmt_rankings(path).system) == ["_ref", "B"]
    dropped = read_wmt_rankings(path, reference="drop")
    assert list(dropped.system) == ["B"]
    assert len(dropped) == 1
    assert mentions(dropped.notes, "1 place", "'_ref'", "1 row")


def test_repeated_rows_are_kept_dropped_or_refused(written):
    path = written(ROW, ROW.replace("ann", "bob"), ROW)
    assert len(read_wmt_rankings(path)) == 3
    assert list(read_wmt_rankings(path, duplicates="drop").judge) == ["ann", "bob"]
    with pytest.raises(InputError, match=r":4: .*\bline 2\b"):
        read_wmt_rankings(path, duplicates="refuse")


def test_tabs_line_ends_of_windows_and_a_byte_order_mark_are_read(tmp_path):
    path = tmp_path / "judged.tsv"
    path.write_bytes("\ufeff".encode() + f"{HEADER}\r\n{ROW}\r\n".replace(",", "\t").encode())
    assert list(read_wmt_rankings(path).system) == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ROW.replace("C,1,2,2", "C,1,x,2"), r":3: rank 'x', .*1 .*-1"),
        (ROW.replace("C,1,2,2", "C,1,,2"), ":3: a rank is empty"),
        (ROW.replace("C,1,2,2", "C,1,0,2"), ":3: rank '0'"),
        (ROW.replace("C,1,2,2", "C,1,nan,2"), ":3: rank 'nan'"),
        (ROW.replace("C,1,2,2", "C,1,2"), ":3: 14 fields, expected 15"),
        (ROW.replace("2,B", "2,A"), ":3: .*'A' .*twice"),
        (ROW.replace("2,B", "2,"), ":3: .*without a name"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_by_file_and_line(written, row, said):
    with pytest.raises(InputError, match=r"judged\.csv" + said):
        read_wmt_rankings(written(ROW, row))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty"),
        (HEADER, "a header and no rows"),
        (HEADER.replace("srclang", "x") + f"\n{ROW}", ":1: no column 'srclang'"),
        (HEADER.replace("srcIndex", "x").replace("segmentId", "y") + f"\n{ROW}", ":1: no column 'srcIndex'"),
        (HEADER.replace("system2rank", "x") + f"\n{ROW}", ":1: no column 'system2rank'"),
        ("srclang,trglang,srcIndex,system1Id,system1rank\na,b,1,A,1", ":1: columns of 1 system"),
    ],
)
def test_a_file_that_is_no_ranking_csv_is_refused(tmp_path, content, said):
    path = tmp_path / "judged.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        read_wmt_rankings(path)


def test_a_segment_beyond_the_mapping_is_refused(written, tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("10\n11\n")
    with pytest.raises(InputError, match=r":2: segment '7', .*\b1 to 2"):
        read_wmt_rankings(written(ROW), lines=lines)


@pytest.mark.parametrize("choice", [{"duplicates": "once"}, {"reference": "no"}])
def test_unknown_choices_are_refused(written, choice):
    with pytest.raises(ParameterError, match="keep, drop"):
        read_wmt_rankings(written(ROW), **choice)
