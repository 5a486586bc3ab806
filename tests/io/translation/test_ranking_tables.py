"""Tables of judged items: formats, names of columns, which rows make a judgment, numbers that are none."""

from __future__ import annotations

import io
import json

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError, UnknownName
from rankscope.io.translation import read_ranking_table

CSV = "segment,system,gold,predicted\n7,A,1,2.5\n7,B,2,0.5\n8,A,1,\n"


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "judged"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def parquet(rows):
    file = io.BytesIO()
    pl.DataFrame(rows).write_parquet(file)
    return file.getvalue()


ROWS = [
    {"segment": 7, "system": "A", "gold": 1, "predicted": 2.5},
    {"segment": 7, "system": "B", "gold": 2, "predicted": 0.5},
    {"segment": 8, "system": "A", "gold": 1, "predicted": None},
]


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        CSV.replace(",", "\t"),
        "# made up\n\n" + CSV.replace("segment,system", "Item,Candidate"),
        "\ufeff" + CSV.replace("\n", "\r\n"),
        "".join(json.dumps(row) + "\n" for row in ROWS),
        parquet(ROWS),
    ],
)
def test_one_table_in_many_forms(written, content):
    found = read_ranking_table(written(content), scores=["predicted"])
    assert list(found.segment) == ["7", "8"]
    assert list(found.system) == ["A", "B", "A"]
    assert found.table("gold").tolist() == [[1, 2], [1, pytest.approx(np.nan, nan_ok=True)]]
    np.testing.assert_array_equal(found.columns["predicted"], [2.5, 0.5, np.nan])
    assert found.score_columns == {"predicted"}
    assert mentions(found.notes[0], 1, "'predicted'")


def test_rows_of_one_pair_segment_and_judge_are_a_judgment_wherever_they_stand(written):
    content = "pair,segment,judge,system,rank\nde-en,1,x,A,1\nfr-en,1,x,A,2\nde-en,1,y,A,3\nde-en,1,x,B,4\n"
    found = read_ranking_table(written(content))
    assert list(zip(found.pair, found.segment, found.judge, strict=True)) == [
        ("de-en", "1", "x"),
        ("fr-en", "1", "x"),
        ("de-en", "1", "y"),
    ]
    np.testing.assert_array_equal(found.table("rank"), [[1, 4], [2, np.nan], [3, np.nan]])


def test_a_column_of_judgments_tells_two_of_one_judge_apart(written):
    content = "judgment,segment,system,rank\nb,1,A,1\nb,1,B,2\na,1,A,2\na,1,B,1\n"
    assert read_ranking_table(written(content)).table("rank").tolist() == [[1, 2], [2, 1]]


def test_columns_of_no_numbers_are_left_out_with_a_note_and_others_may_be_chosen(written):
    path = written("segment,system,gold,text,nothing\n1,A,1,it rains,\n1,B,2,12,\n")
    found = read_ranking_table(path)
    assert list(found.columns) == ["gold"]
    assert mentions(found.notes[0], "'text' and 'nothing'", "no numbers")
    assert list(read_ranking_table(path, ["GOLD"]).columns) == ["gold"]


def test_names_of_systems_stay_as_they_are(written):
    found = read_ranking_table(written("segment,system,gold\n1,llm.en-de.v2,1\n1,llm.en-de.v3,2\n"))
    assert found.systems == ("llm.en-de.v2", "llm.en-de.v3")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CSV.replace("system", "who"), ":1: no column 'system' among"),
        (CSV.replace("segment", "who"), ":1: no column 'segment' among"),
        (CSV.replace("B,2", "B,best"), ":3: gold is 'best'"),
        (CSV.replace("B,2", "B,inf"), ":3: gold is 'inf'"),
        (CSV.replace("7,B", "7,"), ":3: system is empty"),
        (CSV.replace("7,B", ",B"), ":3: segment is empty"),
        (CSV.replace("7,B", "7,A"), ":3: .*'A' .*twice"),
        (CSV.replace("7,B,2", "7,B,2,3"), ":3: 5 fields, expected 4"),
        ("segment,system,gold\n", "a header and no rows"),
        ("segment,system,text\n1,A,x\n", ":1: no column"),
        ("# only\n", "comments only"),
        (" \n", "the file is empty"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_with_the_line(written, content, said):
    columns = ["gold", "predicted"] if "predicted" in content else None
    with pytest.raises(InputError, match=r"judged.*" + f"({said})"):
        read_ranking_table(written(content), columns)


def test_a_row_of_parquet_is_named_by_its_number(written):
    with pytest.raises(InputError, match=r"judged: row 2: gold .*'best'"):
        read_ranking_table(
            written(parquet({"segment": ["1", "1"], "system": ["A", "B"], "gold": ["1", "best"]})), ["gold"]
        )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("[]", "judged: an empty list"),
        ('[\n{"segment": 7},\n{"segment":\n 8, "gold": NaN}\n]', "judged: row 2: .*NaN"),
    ],
    ids=["none", "no number"],
)
def test_a_row_of_a_list_is_named_by_its_number(written, rows, said):
    with pytest.raises(InputError, match=said):
        read_ranking_table(written(rows))


def test_a_column_that_was_named_and_is_not_there_is_refused(written):
    with pytest.raises(InputError, match=r":1: .*'chrF' .*'segment', 'system', 'gold', 'predicted'"):
        read_ranking_table(written(CSV), ["chrF"])


def test_a_score_that_is_no_column_is_refused(written):
    with pytest.raises(UnknownName, match="'chrF'"):
        read_ranking_table(written(CSV), scores=["chrF"])


@pytest.mark.parametrize("name", ["rank", "gold", "human", "Rank"])
@pytest.mark.parametrize("cell", ["first", "inf"])
def test_a_bad_cell_in_the_column_of_people_is_refused_and_not_passed_over(written, name, cell):
    with pytest.raises(InputError, match=f"judged:2: {name} .*'{cell}'"):
        read_ranking_table(written(f"item,candidate,{name},m\n1,A,{cell},1\n1,B,2,2\n"))


def test_columns_that_are_asked_for_must_hold_numbers(written):
    path = written("item,candidate,quality,m,human\n1,A,good,x,y\n1,B,2,2,z\n")
    for asked in ({"gold": "quality"}, {"gold": "quality", "needed": ["m"]}):
        with pytest.raises(InputError, match=":2: quality is 'good'"):
            read_ranking_table(path, **asked)
    with pytest.raises(InputError, match=":2: m is 'x'"):
        read_ranking_table(written("item,candidate,rank,m\n1,A,1,x\n1,B,2,2\n"), scores=["m"])
    # Where another column is named as that of people, one called human may hold texts.
    assert list(read_ranking_table(written("item,candidate,q,human\n1,A,1,y\n1,B,2,z\n"), gold="q").columns) == ["q"]


@pytest.mark.parametrize("name", ["judge", "rater", "annotator", "user"])
def test_scores_in_a_column_called_as_one_of_judges_are_refused(written, name):
    path = written(f"item,candidate,rank,{name}\n1,A,1,9\n1,B,2,7\n2,A,1,5\n2,B,2,5\n")
    with pytest.raises(InputError, match=f":1: column '{name}', .*numbers, .* 2 lists"):
        read_ranking_table(path)
    for asked in ({"scores": [name]}, {"gold": name}, {"needed": [name]}, {"columns": ["rank", name]}):
        with pytest.raises(InputError, match=f":1: column '{name}' .*asked for"):
            read_ranking_table(path, **asked)


def test_numbers_of_judges_are_judges_even_where_one_ranked_a_single_item(written):
    rows = "1,A,1,7\n1,B,2,7\n1,A,1,8\n1,B,2,8\n2,A,1,7\n2,B,1,8\n2,A,1,8\n"
    found = read_ranking_table(written("item,candidate,rank,judge\n" + rows))
    assert list(found.judge) == ["7", "8", "7", "8"]


def test_columns_of_json_lines_stand_as_in_the_first_object(written):
    names = [f"m{i}" for i in range(30)][::-1]
    row = {"item": "1", "candidate": "A", **{name: i for i, name in enumerate(names)}}
    other = {"z": 1, "item": "1", "candidate": "B", **dict.fromkeys(names, 2)}
    found = read_ranking_table(written(f"{json.dumps(row)}\n{json.dumps(other)}\n"))
    assert list(found.columns) == [*names, "z"]


@pytest.mark.parametrize("cell", ["oops", "inf"])
def test_a_wrong_cell_among_numbers_is_refused_and_the_column_not_dropped(tmp_path, cell):
    path = tmp_path / "llm.csv"
    path.write_text(f"prompt,system,human,reward\n0,A,3,0.5\n0,B,2,0.4\n0,C,1,{cell}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"llm\.csv:4: reward .*\b{cell}\b"):
        read_ranking_table(path)
