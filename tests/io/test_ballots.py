"""Votes in files: every form of the same votes, what stands for no rank, round trips, and each bad input's message."""

from __future__ import annotations

import gzip
import io
import json
import sys

import numpy as np
import polars as pl
import pytest
from helpers.messages import Messages
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import read_entity_ranks
from rankscope.errors import InputError, UnknownName

REFUSED = Messages("votes")

TABLE = "paper\tAnn\tBob\tCem\nX\t1\t2\t1.5\nY\t2\t1\t1.5\nZ\t3\t\t7\n"
LONG = "voter,item,rank\nAnn,X,1\nAnn,Y,2\nAnn,Z,3\nBob,Y,1\nBob,X,2\nBob,Z,NA\nCem,X,1.5\nCem,Y,1.5\nCem,Z,7\n"  #
LISTS = {"Ann": ["X", "Y", "Z"], "Bob": ["Y", "X"], "Cem": [["X", "Y"], "Z"]}
RANKS = {"Ann": {"X": 1, "Y": 2, "Z": 3}, "Bob": {"Y": 1, "X": 2}, "Cem": {"X": 1.5, "Y": 1.5, "Z": 7}}


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "votes"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet(content, separator):
    file = io.BytesIO()
    pl.read_csv(io.StringIO(content), separator=separator, null_values=["NA"]).write_parquet(file)
    return file.getvalue()


# --- what is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        TABLE.replace("\t", ","),
        TABLE.replace("\n", "\r\n"),
        "\ufeff\n" + TABLE.replace("\nY", "\n\n  \nY"),
        *(
            TABLE.replace("2\t1\t", "2\t1\t").replace("3\t\t7", f"3\t{none}\t7")
            for none in ("-", "NA", "nan", "NaN", " ")
        ),
        gzip.compress(TABLE.encode(), mtime=0),
        parquet(TABLE, "\t"),
        LONG,
        LONG.replace(",", "\t"),
        "# made by hand\n" + LONG,
        LONG.replace("voter,item,rank", "Judge,Candidate,Position").replace("NA", "-"),
        parquet(LONG, ","),
        lines([dict(zip(("voter", "item", "rank"), row.split(","), strict=True)) for row in LONG.split()[1:]]),
        json.dumps(LISTS),
        json.dumps(LISTS, indent=2),
        json.dumps(RANKS),
        json.dumps({"rankings": RANKS}),
        json.dumps({"items": ["X", "Y", "Z"], "rankings": LISTS}, indent=1),
        json.dumps({"rankings": [{"voter": voter, "ranking": found} for voter, found in LISTS.items()]}),
        json.dumps([{"voter": voter, "weight": 1, "ranking": found} for voter, found in RANKS.items()]),
        lines({"voter": voter, "ranking": found} for voter, found in LISTS.items()),
        "\n"
        + lines({"voter": voter, "ranking": found, "why": "so"} for voter, found in RANKS.items()).replace(
            "\n", "\n\n"
        ),
    ],
)
def test_ways_to_write_the_same_votes(written, content):
    votes = rs.read_votes(written(content))
    assert (votes.voters, votes.items) == (("Ann", "Bob", "Cem"), ("X", "Y", "Z"))
    by_name = {
        voter: {item: place for item, place in zip(votes.items, row, strict=True) if place == place}
        for voter, row in zip(votes.voters, votes.places.tolist(), strict=True)
    }
    assert by_name == {
        "Ann": {"X": 1, "Y": 2, "Z": 3},
        "Bob": {"X": 2, "Y": 1},
        "Cem": {"X": (1 + 2) / 2, "Y": (1 + 2) / 2, "Z": 3},
    }
    assert votes.weights.tolist() == [1, 1, 1]


@pytest.mark.parametrize("content", [json.dumps(list(LISTS.values())), lines(LISTS.values()), lines(RANKS.values())])
def test_voters_without_a_name_are_numbered(written, content):
    votes = rs.read_votes(written(content))
    assert votes.voters == ("1", "2", "3")
    assert votes.places[1].tolist()[:2] == [2, 1]


def test_a_table_of_entities_has_the_same_ranks_as_votes(written):
    path = written("paper,PageRank,citations\nA,1,3.5\nB,12,3.5\nC,700.0,1\n")
    table, votes = read_entity_ranks(path), rs.read_votes(path)
    assert (votes.voters, votes.items) == (table.systems, table.entity_ids)
    assert votes.ranks.tolist() == table.ranks.tolist()


def test_ranks_of_votes_may_be_any_finite_numbers(written):
    votes = rs.read_votes(written("x\tA\tB\nu\t-0.5\t0\nv\t-2e3\t1\n"))
    assert votes.places.tolist() == [[2, 1], [1, 2]]


def test_weights_are_read_from_ballots_and_from_rows(written):
    content = lines([{"weight": 2.5, "ranking": ["A", "B"]}, ["B", "A"]])
    assert rs.read_votes(written(content)).weights.tolist() == [2.5, 1]
    content = "voter,item,rank,weight\nu,A,1,2\nv,A,2,0.5\nu,B,2,2\nv,B,1,.5\n"
    assert rs.read_votes(written(content)).weights.tolist() == [2, 0.5]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(TABLE.encode()))))
    assert rs.read_votes("-").voters == ("Ann", "Bob", "Cem")


def test_a_format_that_is_named_is_not_told(written):
    assert rs.read_votes(written("item,voter,rank\nA,1,2\nB,2,1\n"), input="entity-ranks").voters == ("voter", "rank")
    with pytest.raises(InputError, match=r"'voter' .*'paper', 'Ann', 'Bob', 'Cem'.*--columns voter=NAME"):
        rs.read_votes(written(TABLE), input="long")
    with pytest.raises(UnknownName, match="'jsnol'; did you mean"):
        rs.read_votes(written(TABLE), input="jsnol")


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\t\x00\"'#,", exclude_categories=["Z", "C"]), min_size=1
)


@st.composite
def tables(draw: st.DrawFn) -> rs.Votes:
    voters = draw(st.lists(NAMES, min_size=2, max_size=5, unique_by=str.lower))
    items = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    cell = st.none() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False)
    rows = draw(
        st.lists(st.lists(cell, min_size=len(items), max_size=len(items)), min_size=len(voters), max_size=len(voters))
    )
    ranks = np.array([[np.nan if x is None else float(x) for x in row] for row in rows])
    ranks[:, np.isnan(ranks).all(axis=0)] = 1
    ranks[np.isnan(ranks).all(axis=1)] = 2
    return rs.Votes(ranks=ranks, items=items, voters=voters)


@examples(40)
@given(tables())
def test_tables_lists_and_rows_come_back_as_they_were_written(tmp_path, votes):
    cells = [["" if np.isnan(x) else repr(x) for x in row] for row in votes.ranks.T.tolist()]
    wide = ["\t".join(["item", *votes.voters])]
    wide += ["\t".join([item, *row]) for item, row in zip(votes.items, cells, strict=True)]
    rows = [
        {"voter": voter, "item": item, "rank": None if np.isnan(rank) else rank}
        for voter, row in zip(votes.voters, votes.ranks.tolist(), strict=True)
        for item, rank in zip(votes.items, row, strict=True)
    ]
    by_name = {
        voter: {item: rank for item, rank in zip(votes.items, row, strict=True) if rank == rank}
        for voter, row in zip(votes.voters, votes.ranks.tolist(), strict=True)
    }
    whole = json.dumps({"items": votes.items, "rankings": by_name})
    for content in ("\n".join(wide), lines(rows), whole):
        path = tmp_path / "votes"
        path.write_text(content, "utf-8")
        found = rs.read_votes(path, input="entity-ranks" if content.startswith("item") else None)
        assert (found.voters, found.items) == (votes.voters, votes.items)
        assert_same_bits(found.ranks, votes.ranks)


# --- what is refused --------------------------------------------------------------------------------------------------

TWO = '["A", "B"]\n["B", "A"]\n'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "item\tu\tv\n",
        "item\nA\n",
        "item\tu\tu\nA\t1\t2\n",
        "item\tu\t\nA\t1\t2\n",
        "item\tu\tv\nA\t1\t2\nB\t1\n",
        "item\tu\tv\n\nA\t1\tx\n",
        "item\tu\tv\nA\t1\t1e999\nB\t2\t1\n",
        "item\tu\tv\n\t1\t1\nB\t2\t1\n",
        "item\tu\tv\nA\t1\t1\nB\t2\t1\nA\t3\t3\n",
        "item\tu\tv\nA\t1\t1\nB\t\t-\nC\t2\t2\n",
        "item\tu\nA\t1\nB\t2\n",
        "item\tu\tv\nA\t1\t2\n",
        "item\tu\tv\nA\t1\t\nB\t2\t\n",
        "voter,item,rank\nu,A,1\nu,B,2\nu,A,3\n",
        "voter,item,rank\nu,A,1\nu,,2\n",
        "voter,item,rank\nu,A,1\nv,A,best\n",
        "voter,item,rank\nu,A,1\nu,B,2\nv,A,1\nv,C,\n",
        "voter,item,rank\n",
        "voter,item,rank,weight\nu,A,1,1\nv,A,2,0\n",
        "voter,item,rank,weight\nu,A,1,1\nv,A,2,2\nu,B,1,3\n",
        '["A", "B"]\n["B", "A", "B"]\n',
        '["A", "B"]\n\n["B", "A"\n',
        '["A", "B"\n["B", "A"]\n',
        '[["A", "B"],\n["B" "A"]]\n',
        '{"u": ["A", "B"], "u": ["B"]}',
        '{"u": {"A": 1, "B": Infinity}, "v": {"A": 1}}',
        '{"items": ["A", "B"], "rankings": [["A"], ["B", "C"]]}',
        '{"items": ["A", "B", "C"], "rankings": [["A"], ["B"]]}',
        '{"items": ["A", "A"], "rankings": [["A"], ["B"]]}',
        '[["A", "B"]]',
        '["A", "B"]',
        TWO + "7\n",
        TWO + '{"voter": "w", "weight": -1, "ranking": ["A"]}\n',
        TWO + '{"weight": "2", "ranking": ["A"]}\n',
        TWO + '{"voter": null, "ranking": ["A"]}\n',
        TWO + '{"voter": "1", "ranking": ["A"]}\n',
        TWO + '{"A": 1, "B": "second"}\n',
        TWO + "[]\n",
        b"\x00\x01\x02",
        "<html><body>",
        b'["\xff", "B"]\n["B"]\n',
        b"x\tu\tv\nA\t1\t2\n\xff\t2\t1\n\xfe\t3\t3\n",
        b"voter,item,rank\nx,A,1\ny,A,1\nx,\xe9,2\n",
        '[\n["A","B"],\n["A","A"]\n]\n',
        '{"x": ["A",\n"B"],\n\n "y":\n["A", "A"]}',
        '{"items": ["A", "B"],\n"rankings": [["B", "A"],\n\n{"voter": "w", "weight": 0, "ranking": ["A"]}]}',
        '{"items": ["A", "B"],\n"rankings": {"x": ["A", {"C": 1}]}}',
    ],
)
def test_each_bad_input_has_one_clear_line(written, content, monkeypatch):
    path = written(content)
    monkeypatch.chdir(path.parent)
    with pytest.raises(InputError, match=r"^votes:[^\n]*$") as caught:
        rs.read_votes("votes")
    REFUSED.check(repr(content), caught.value)


def test_a_large_table_is_read_whole(written):
    ranks = np.random.default_rng(1).permuted(np.tile(np.arange(1, 301), (200, 1)), axis=1)
    rows = ["\t".join(["item", *(f"v{i}" for i in range(200))])]
    rows += ["\t".join([f"i{i}", *map(str, column)]) for i, column in enumerate(ranks.T.tolist())]
    np.testing.assert_array_equal(rs.read_votes(written("\n".join(rows))).ranks, ranks)
