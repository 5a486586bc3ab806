"""Votes in files: every form of the same votes, what stands for no rank, round trips, and each bad input's message."""

from __future__ import annotations

import gzip
import io
import json
import sys

import numpy as np
import polars as pl
import pytest
from helpers.messages import Messages, mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import read_entity_ranks
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName

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


# --- ballots as rows --------------------------------------------------------------------------------------------------

BALLOTS = "voter,1st,2nd,3rd\nAnna,Pizza,Sushi,Taco\nBen,Sushi,Pizza,\nCem,Taco,,Sushi\n"
BALLOT_LISTS = {"Anna": ["Pizza", "Sushi", "Taco"], "Ben": ["Sushi", "Pizza"], "Cem": ["Taco", "Sushi"]}


@pytest.mark.parametrize(
    "content",
    [
        BALLOTS,
        BALLOTS.replace(",", "\t"),
        BALLOTS.replace(",", ";"),
        BALLOTS.replace("Pizza,\n", "Pizza,-\n").replace("Taco,,", "Taco, NA ,"),
        *(
            BALLOTS.replace("1st,2nd,3rd", names)
            for names in (
                "1,2,3",
                "First,Second,Third",
                "first choice,second choice,third choice",
                "Choice 1,Choice 2,Choice 3",
                "rank_1,rank_2,rank_3",
                "Your order? [1st choice],Your order? [2nd choice],Your order? [3rd choice]",
            )
        ),
        BALLOTS.replace("voter", "Name") + "Dora,,-,\n",
        "# of 7 March\nwhen,3rd,voter,2nd,1st\n1,Taco,Anna,Sushi,Pizza\n1,,Ben,Pizza,Sushi\n2,Sushi,Cem,,Taco\n",
        parquet(BALLOTS, ","),
        lines([dict(zip(("voter", "1st", "2nd", "3rd"), row.split(","), strict=True)) for row in BALLOTS.split()[1:]]),
        json.dumps(
            [dict(zip(("voter", "1st", "2nd", "3rd"), row.split(","), strict=True)) for row in BALLOTS.split()[1:]]
        ),
    ],
)
def test_ways_to_write_the_same_ballots(written, content):
    votes, expected = rs.read_votes(written(content)), rs.Votes.of(BALLOT_LISTS)
    assert votes.voters == expected.voters
    columns = [votes.items.index(item) for item in expected.items]
    np.testing.assert_array_equal(votes.places[:, columns], expected.places)


def test_ballots_may_have_weights_and_no_names(written):
    votes = rs.read_votes(written("why,1st,2nd,weight\nx,A,B,2\nx,B,A,.5\n"))
    assert (votes.voters, votes.weights.tolist()) == (("1", "2"), [2, 0.5])
    assert mentions(votes.notes, "'why'", "voters are numbered", "--columns voter=NAME")


def test_a_ballot_without_an_item_is_skipped_and_counted(written):
    votes = rs.read_votes(written(BALLOTS + "Dora,,,\nEve,-,,\n"))
    assert votes.voters == ("Anna", "Ben", "Cem")
    assert mentions(votes.notes, 2, "without an item")


def test_places_with_numbers_alone_are_ranks_unless_the_format_is_named(written):
    path = written("item,1,2\n7,1,2\n8,2,1\n")
    assert rs.read_votes(path).voters == ("1", "2")
    ballots = rs.read_votes(path, input="ballots")
    assert (ballots.items, ballots.ranks.tolist()) == (("1", "2"), [[1, 2], [2, 1]])


@examples(30)
@given(st.data())
def test_ballots_are_read_as_lists_are(tmp_path, data):
    items = data.draw(st.lists(NAMES.filter(str.isalpha), min_size=2, max_size=5, unique_by=str.casefold))
    orders = data.draw(st.lists(st.permutations(items), min_size=2, max_size=4))
    orders = [orders[0], *(order[: data.draw(st.integers(1, len(items)))] for order in orders[1:])]
    rows = [[str(i), *order, *[""] * (len(items) - len(order))] for i, order in enumerate(orders, 1)]
    path = tmp_path / "ballots"
    header = ["voter", *(f"choice {i}" for i in range(1, len(items) + 1))]
    path.write_text("\n".join("\t".join(row) for row in [header, *rows]) + "\n", "utf-8")
    if any(item.lower() in ("na", "nan", "null") for item in items):
        return
    found, expected = rs.read_votes(path), rs.Votes.of(orders)
    assert (found.items, found.voters) == (expected.items, expected.voters)
    np.testing.assert_array_equal(found.ranks, expected.ranks)


# --- names of columns, and directions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (LONG.replace("voter,item,rank", "who,dish,x"), {"voter": "who", "item": "dish", "rank": "x"}),
        (LONG.replace("voter,item,rank", "item,voter,x"), {"voter": "item", "item": "voter", "rank": "x"}),
        (
            lines({"who": voter, "order": ranking} for voter, ranking in LISTS.items()),
            {"voter": "who", "ranking": "order"},
        ),
        ("w,fav,next,last\nAnn,X,Y,Z\nBob,Y,X,\n", {"voter": "w", "1": "fav", "2": "next", "3": "last"}),
    ],
)
def test_columns_may_be_named(written, content, columns):
    votes = rs.read_votes(written(content), columns=columns)
    assert (votes.items, votes.voters[:2]) == (("X", "Y", "Z"), ("Ann", "Bob"))
    np.testing.assert_array_equal(votes.places[:2], [[1, 2, 3], [2, 1, np.nan]])


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        (LONG, {"rank": "score"}, "votes:1: no column 'score', which columns (--columns) names, among 'voter'"),
        (LONG, {"query": "item"}, "columns (--columns) has 'query', expected some of voter, item, rank"),
        (TABLE, {"item": "book"}, "votes:1: no column 'book'"),
        (BALLOTS, {"2": "4th"}, "votes:1: no column '4th'"),
        (json.dumps(LISTS), {"voter": "who"}, "an object with this key"),
        (json.dumps(LISTS), {"rank": "who"}, "'rank', expected some of voter, weight and ranking"),
    ],
)
def test_columns_that_are_not_there_are_refused(written, monkeypatch, content, columns, message):
    monkeypatch.chdir(written(content).parent)
    with pytest.raises(RankscopeError) as caught:
        rs.read_votes("votes", columns=columns)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("x\tA\tB\nu\t0.3\t1\nv\t0.7\t2\n", "0.3"),
        ("x\tA\tB\nu\t12\t11\nv\t7\t5\n", "the lowest is 5, not 1"),
        ("x\tA\tB\nu\t1\t40\nv\t70\t3\n", "70 is far above the number of items, 2"),
        ("voter,item,rank\na,A,90\na,B,80\nb,A,70\nb,B,60\n", "the lowest is 60"),
        (json.dumps({"a": {"A": 0.9, "B": 0.2}, "b": {"A": 0.1, "B": 0.2}}), "0.9"),
    ],
)
def test_numbers_that_look_like_scores_are_told_and_can_be_turned(written, content, reason):
    path = written(content)
    votes, turned = rs.read_votes(path), rs.read_votes(path, higher=True)
    assert mentions(votes.notes, "look like scores", reason, "lowest is the best", "--higher (higher=True)")
    np.testing.assert_array_equal(turned.ranks, -votes.ranks)
    assert mentions(turned.notes, "highest is the best")


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        LONG,
        BALLOTS,
        json.dumps(LISTS),
        "x\tA\tB\nu\t0\t1\nv\t1\t0\n",
        "x\tA\tB\nu\t2\t2\nv\t2\t2\nw\t2\t2\n",
    ],
)
def test_ranks_do_not_look_like_scores(written, content):
    assert rs.read_votes(written(content)).notes == ()


def test_an_order_of_names_has_its_direction(written):
    for content in (BALLOTS, json.dumps(LISTS)):
        with pytest.raises(ParameterError, match=r"higher \(--higher\) is for numbers"):
            rs.read_votes(written(content), higher=True)


def test_a_row_a_voter_in_a_table_of_ranks_is_told(written):
    votes = rs.read_votes(written("voter,Pizza,Sushi\nAnna,1,2\nBen,2,1\n"))
    assert votes.items == ("Anna", "Ben")
    assert mentions(votes.notes, "'voter'", "transpose")


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
        "voter,1st,2nd\nu,A,B\nv,B,B\n",
        "voter,1st,2nd\nu,A,B\nv,b,A\n",
        "voter,1st,2nd\nu,A,B\nu,B,A\n",
        "voter,1st,2nd\nu,A,B\n,B,A\n",
        "voter,1st,2nd\nu,A,B\nv,B\n",
        "voter,1st,3rd\nu,A,B\nv,B,A\n",
        "voter,1st,2nd,first choice\nu,A,B,C\nv,B,A,C\n",
        "voter,1st,2nd,weight\nu,A,B,1\nv,B,A,0\n",
        "voter,1st,2nd,weight\nu,A,B,1\nv,B,A,\n",
        "voter,1st,2nd\nu,,\nv,-,\n",
        "voter,1st,2nd\nu,A,\nv,A,\n",
        "item,u,U\nA,1,2\nB,2,1\n",
        "item,u,v\nA,1,nan\nB,2,many\n",
        "item,u,v\nA,1,-inf\nB,2,1\n",
        "item,u,v\nA,1,2\nB,2,1\nu,A,3\n",
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


def test_a_table_of_too_many_columns_is_refused_soon(written):
    header = ",".join(["item", *(f"v{i}" for i in range(100_000))])
    with pytest.raises(InputError, match=r"100,001 columns, expected at most"):
        rs.read_votes(written(f"{header}\nA{',1' * 100_000}\n"[:-100_000]))
