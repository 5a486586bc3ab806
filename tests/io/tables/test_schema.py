"""The one reader of tables: matrices of rows, quotes and comments, headers, and numbers in all other columns."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.data.tables import Column, Schema, Table
from rankscope.errors import InputError
from rankscope.io.tables import column_names, parse_table

LONG = Schema(
    columns=(
        Column(name="voter", required=True),
        Column(name="item", required=True),
        Column(name="rank", kind="number", required=True),
    ),
    expected="ranks",
)
WIDE = Schema(columns=(Column(name="item", first=True, required=True),), expected="ranks", all_numbers=True)


def table_of(text: str, schema: Schema = LONG) -> Table:
    return parse_table(text.encode(), "file", schema, {})


@examples(40)
@given(st.data())
def test_a_matrix_has_each_value_in_its_place(data: st.DataObject) -> None:
    cells = data.draw(
        st.dictionaries(
            st.tuples(st.sampled_from("abcd"), st.sampled_from(["x", "007", "é"])),
            st.none() | st.floats(-9, 9),
            min_size=1,
        )
    )
    rows = [f"{voter},{item},{'' if rank is None else repr(rank)}" for (voter, item), rank in cells.items()]
    matrix = table_of("voter,item,rank\n" + "\n".join(rows) + "\n").matrix("voter", "item", "rank")
    assert matrix.rows == tuple(dict.fromkeys(voter for voter, _ in cells))
    assert matrix.columns == tuple(dict.fromkeys(item for _, item in cells))
    expected = [
        [np.nan if (rank := cells.get((voter, item))) is None else rank for item in matrix.columns]
        for voter in matrix.rows
    ]
    np.testing.assert_array_equal(matrix.values, expected)
    assert [matrix.rows[code] for code in matrix.row_codes] == [voter for voter, _ in cells]


def test_a_value_that_stands_twice_is_refused_with_both_lines() -> None:
    with pytest.raises(InputError, match=r"^file:6: .*voter and item \('a' and 'x'\).* file:4; keep"):
        table_of("# note\nvoter,item,rank\nb,x,1\na,x,\n\na,x,2\nb,x,3\n").matrix("voter", "item", "rank")


def test_a_matrix_that_would_be_nearly_empty_is_refused() -> None:
    rows = "".join(f"v{i},i{i},1\n" for i in range(5000))
    with pytest.raises(InputError, match=r"^file: 5,000 x 5,000 voters and items.* 1 cell in 5,000"):
        table_of(f"voter,item,rank\n{rows}").matrix("voter", "item", "rank")


@pytest.mark.parametrize(("complete", "cell"), [*product([False, True], ["", "1.5", "x", "inf", "1,5", "nan"])])
def test_all_other_columns_are_numbers(complete: bool, cell: str) -> None:
    table = table_of(f"item\ta\tb\np\t1\t{cell}\nq\t3\t4\n", WIDE)
    if cell == "1.5" or (not cell and not complete):
        values = table.number_columns_matrix(["a", "b"], complete=complete)
        np.testing.assert_array_equal(values, [[1, 3], [float(cell or "nan"), 4]])
        return
    with pytest.raises(InputError, match=r"^file:2: b is .*expected a finite number; ") as caught:
        table.number_columns_matrix(["a", "b"], complete=complete)
    assert ("decimal comma" in str(caught.value)) == (cell == "1,5")


def test_with_tabs_quotes_count_where_all_of_them_are_closed() -> None:
    text = 'voter\titem\trank\n"a\tb"\t"say ""x"""\t1\n"c\nd"\ty\t2\n'
    table = table_of(text)
    assert table.ids("voter").to_list() == ["a\tb", "c\nd"]
    assert table.ids("item").to_list() == ['say "x"', "y"]
    assert table.locate(1) == "file:3"
    with pytest.raises(InputError, match=r"^file:2: 4 fields, expected 3"):
        table_of(text + '"e\tz\t3\n')
    assert table_of('voter\titem\trank\n"e\tz\t3\n"f"\tz\t3\n').ids("voter").to_list() == ['"e', '"f"']


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ('\ufeff# made by hand\n\n a ;"b"\n1;2\n', ["a", "b"]),
        ("#\tA\tB\nx\t1\t2\n", ["#", "A", "B"]),
        ("# one, two\nx,A\nb,1\n", ["x", "A"]),
        ('{"a": 1, "b": [2]}\n{"c": 3}\n', ["a", "b"]),
        ('[{"a": 1},\n{"b": 2}]', ["a"]),
        ('[["a", "b"]]', []),
        ("", []),
        ("PAR1 damaged", []),
    ],
)
def test_the_names_of_columns_are_told_by_the_first_bytes(content: str, names: list[str]) -> None:
    assert column_names(content.encode()) == names


#: Values of one key in two lines that polars refuses to read, and what they are in a column.
MIXED = [
    (True, 2, [1.0, 2.0]),
    (0.5, False, [0.5, 0.0]),
    (True, ["a"], ["true", '["a"]']),
    ({"a": 1}, 2, ['{"a": 1}', "2"]),
    (["a"], {"a": 1}, ['["a"]', '{"a": 1}']),
]


@pytest.mark.parametrize(("first", "second", "expected"), MIXED)
@pytest.mark.parametrize("is_list", [False, True])
def test_a_key_of_several_kinds_of_values_costs_no_other(
    first: object, second: object, expected: list[object], is_list: bool
) -> None:
    rows = [
        {"voter": "v", "item": 7, "rank": 1, "more": first, "big": 2**70},
        {"voter": "w", "item": 8, "more": second},
    ]
    text = json.dumps(rows) if is_list else "\n".join(map(json.dumps, rows))
    table = table_of(text)
    assert table.frame["more"].to_list() == expected
    assert table.frame["big"].to_list() == [str(2**70), None]
    assert table.ids("item").to_list() == ["7", "8"]
    np.testing.assert_array_equal(table.numbers("rank"), [1.0, np.nan])


def test_a_value_of_another_kind_is_refused_with_its_line() -> None:
    table = table_of('{"voter": "v", "item": "a", "rank": 1}\n\n{"voter": "v", "item": "b", "rank": [2]}\n')
    with pytest.raises(InputError, match=r"file:3: rank is '\[2\]', expected a finite number"):
        table.numbers("rank")
