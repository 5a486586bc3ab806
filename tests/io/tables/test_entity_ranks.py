"""Tables of ranks of known entities: what is read, what is refused, and what becomes of them as hits."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import EntityRanks, read_entity_ranks
from rankscope.data.entities import hits_of_entities

GOOD = "papers\tPageRank\tcitations\nA\t1\t3.5\nB\t12\t3.5\nC\t700.0\t1\n"


def written(folder: Path, text: str | bytes, name: str = "made.tsv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def table_of(ranks: list[list[float]], **options: object) -> EntityRanks:
    names = [f"e{i}" for i in range(len(ranks[0]))]
    return EntityRanks(ranks=ranks, systems=[f"S{i}" for i in range(len(ranks))], entity_ids=names, **options)


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_table_has_a_header_of_systems_and_an_entity_a_line(tmp_path: Path) -> None:
    table = read_entity_ranks(written(tmp_path, GOOD), 1000)
    assert (table.name, table.systems, table.entity_ids) == ("made", ("PageRank", "citations"), ("A", "B", "C"))
    assert table.ranks.tolist() == [[1, 12, 700], [3.5, 3.5, 1]]
    assert table.total_ranks == 1000
    assert len(table) == 3


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\t", ","),
        GOOD.replace("\n", "\r\n"),
        "\n\n" + GOOD.replace("\nB", "\n\n   \nB") + "\n\n",
        "\ufeff" + GOOD,
        GOOD.removesuffix("\n"),
        GOOD.replace("\t", " \t "),
        GOOD.replace("A\t", '"A"\t').replace("\t", ",").replace('"A"', '"A"'),
        GOOD.replace("12", "1.2e1"),
    ],
)
def test_ways_to_write_the_same(tmp_path: Path, text: str) -> None:
    table, same = read_entity_ranks(written(tmp_path, text)), read_entity_ranks(written(tmp_path, GOOD, "good.tsv"))
    assert (table.systems, table.entity_ids) == (same.systems, same.entity_ids)
    assert table.ranks.tolist() == same.ranks.tolist()


def test_compressed_files_ids_with_commas_and_lone_quotes_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(GOOD.encode()), "made.tsv.gz")
    assert read_entity_ranks(path).name == "made"
    path = written(tmp_path, 'x,A\n"one, two",4\n', "made.csv")
    assert read_entity_ranks(path).entity_ids == ("one, two",)
    path = written(tmp_path, 'x\tA\n"one\t4\n"two\t5\n')  # with tabs, a quote that is not closed is a quote
    assert read_entity_ranks(path).entity_ids == ('"one', '"two')
    assert read_entity_ranks(written(tmp_path, 'x\tA\n"one"\t4\na"b\t5\n')).entity_ids == ("one", 'a"b')
    assert read_entity_ranks(written(tmp_path, "x,A\n" + "y" * 200_000 + ",1\n")).entity_ids == ("y" * 200_000,)


def test_the_first_column_may_have_any_name_and_none(tmp_path: Path) -> None:
    for header in ("\tA\tB", "A\tA\tB", "#\tA\tB", "# my papers\tA\tB", "x\tA\tB"):
        table = read_entity_ranks(written(tmp_path, f"{header}\ne\t1\t2\nf\t2\t1\n"))
        assert (table.systems, table.entity_ids) == (("A", "B"), ("e", "f")), header
    assert read_entity_ranks(written(tmp_path, "# one, two\nx\tA\nB\t1\n")).systems == ("A",)


def test_semicolons_and_other_formats_are_read(tmp_path: Path) -> None:
    expected = [[1, 12, 700], [3.5, 3.5, 1]]
    text = GOOD.replace("\t", ";").replace("3.5", "3,5")
    assert read_entity_ranks(written(tmp_path, text)).ranks.tolist() == expected
    lines = '{"paper": "A", "P": 1, "c": 3.5}\n{"paper": "B", "P": 12, "c": 3.5}\n{"paper": "C", "P": 700, "c": 1}\n'
    assert read_entity_ranks(written(tmp_path, lines)).ranks.tolist() == expected


BAD = [
    ("papers\tS\tT\nA\t1\t0.5\n", ":2: ... 'T' is 0.5, ... 1"),
    ("papers\tS\tT\nA\t1\t2\nB\t-3\t1\n", ":3: ... 'S' is -3, ... 1"),
    ("papers\tS\tT\nA\t1\t\n", ":2: T is empty ... fill it in"),
    ("papers\tS\tT\nA\t1\tthird\n", ":2: T is 'third' ... correct it"),
    ("papers\tS\tT\nA\t1\t1,5\n", ":2: T is '1,5' ... decimal comma"),
    ("papers\tS\tT\nA\tnan\t1\n", ":2: S is"),
    ("papers\tS\tT\nA\tinf\t1\n", ":2: S is"),
    ("papers\tS\tT\nA\tNA\t1\n", ":2: S is 'NA'"),
    ("papers\tS\nA\t1_0\n", ":2: S is '1_0'"),
    ("papers\tS\nA\t1\nB\t2\n\nA\t3\n", ":5: ... 'A' ... second time ... made.tsv:2"),
    ("papers\tS\tT\nA\t1\n", ":2: 2 fields, expected 3 (papers, S, T)"),
    ("papers\tS\nA\t1\t\n", ":2: 3 fields, expected 2 (papers, S)"),
    ("papers\tS\tT\n\t\t\n", ": a header and no rows"),
    ("papers\tS\tS\nA\t1\t2\n", ":1: two ... 'S'"),
    ("papers\tS\ts\nA\t1\t2\n", ":1: ... 'S' ... differ in case"),
    ("papers\tS\t\nA\t1\t2\n", ":1: column 3 has no name"),
    ("papers\tS\n\t4\n", ":2: papers is empty"),
    ("\tS\n\t4\n", ":2: entity is empty"),
    ("papers\tS\n", ": a header and no rows"),
    ("papers\nA\n", ":1: one column only"),
    ("", ": ... empty"),
    ("\n \n", ": ... empty"),
    (b"x\tA\nB\t1\n\xff\t4\n", ":3: this is not UTF-8"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=lambda value: str(value)[:30])
def test_what_is_no_table_is_refused_with_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(rs.InputError) as caught:
        read_entity_ranks(path)
    where, *parts = message.split(" ... ")
    assert str(caught.value).startswith(f"{path}{where}")
    assert mentions(caught.value, *parts)
    assert "\n" not in str(caught.value)


def test_a_total_below_the_largest_rank_is_refused_where_that_rank_stands(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    with pytest.raises(rs.InputError) as caught:
        read_entity_ranks(path, 699)
    assert str(caught.value).startswith(f"{path}:4: ")
    assert mentions(caught.value, "'PageRank'", 700, 699, "--total-ranks", "total_ranks")
    assert read_entity_ranks(path, 700).total_ranks == 700


@pytest.mark.parametrize("total", [0, -5, 2.5, True, "100"])
def test_a_total_that_is_no_number_of_items_is_refused(total: object) -> None:
    with pytest.raises(rs.ParameterError, match=rf"{total!r}, .*\b1\b"):
        table_of([[1.0]], total_ranks=total)


def test_with_least_0_ranks_need_only_be_above_0(tmp_path: Path) -> None:
    path = written(tmp_path, "x\tS\nA\t0.25\n")
    assert read_entity_ranks(path, least=0).ranks.tolist() == [[0.25]]
    with pytest.raises(rs.InputError, match=r"made.tsv:2: .* 0,"):
        read_entity_ranks(written(tmp_path, "x\tS\nA\t0\n"), least=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ranks": [[1, 2]], "systems": ["A"], "entity_ids": ["x"]}, "(1, 2), ... (systems, ent"),
        ({"ranks": [["one"]], "systems": ["A"], "entity_ids": ["x"]}, "no table of numbers"),
        ({"ranks": [[1], [2]], "systems": ["A", "A"], "entity_ids": ["x"]}, "two ... 'A'"),
        ({"ranks": [[1, 2]], "systems": ["A"], "entity_ids": ["x", "x"]}, "entity 'x': ... twice"),
        ({"ranks": [[np.nan]], "systems": ["A"], "entity_ids": ["x"]}, "entity 'x': ... 'A' is nan"),
        ({"ranks": [[]], "systems": ["A"], "entity_ids": []}, "1 systems and 0 entities"),
    ],
)
def test_arrays_that_are_no_table_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(rs.InputError) as caught:
        EntityRanks(**options)
    assert mentions(caught.value, *message.split(" ... "))


def test_ties_are_allowed_and_counted() -> None:
    table = table_of([[1, 2, 2, 7, 7, 7.5], [1, 2, 3, 4, 5, 6]])
    assert table.tied.tolist() == [5, 0]
    assert len(table.notes) == 1
    assert mentions(table.notes, "entities: ", "ties", "S0 5")
    assert table_of([[1.0, 3.0]]).notes == ()


# --- hits -------------------------------------------------------------------------------------------------------------


def test_a_table_is_one_query_of_relevant_documents_for_each_system(tmp_path: Path) -> None:
    table = read_entity_ranks(written(tmp_path, GOOD), 1000)
    hits = table.hits("citations")
    assert hits.query_ids == ("made",)
    assert hits.rank.tolist() == hits.first.tolist() == hits.last.tolist() == [1, 3.5, 3.5]
    assert hits.judged.tolist() == [2, 0, 1]
    assert hits.relevance.tolist() == hits.grades.tolist() == [1, 1, 1]
    assert (hits.retrieved.tolist(), hits.collection_size, hits.ties, hits.max_grade) == ([1000], 1000, "given", 1)
    assert hits.missing.tolist() == [False]


def test_without_a_total_the_list_ends_at_the_largest_rank() -> None:
    hits = table_of([[1, 9.5]]).hits()
    assert (hits.retrieved.tolist(), hits.collection_size) == ([10], None)


def test_all_systems_share_what_follows_from_the_entities_alone() -> None:
    (first, a), (second, b) = hits_of_entities(table_of([[1, 5], [4, 2]]))
    assert (first, second) == ("S0", "S1")
    assert a.n_relevant() is b.n_relevant()
    assert (a.rank.tolist(), b.rank.tolist()) == ([1, 5], [2, 4])


def test_a_system_is_named_where_there_are_several() -> None:
    table = table_of([[1, 5], [4, 2]])
    with pytest.raises(rs.ParameterError, match=r"\b2 systems.*S0, S1"):
        table.hits()
    with pytest.raises(rs.ParameterError, match="'S2'"):
        table.hits("S2")


@given(st.data())
def test_groups_as_a_matrix_as_lists_and_one_by_one_are_the_same(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 8))
    rank = st.integers(1, 9).map(lambda x: x / 2 + 0.5)
    table = table_of([data.draw(st.lists(rank, min_size=n, max_size=n)) for _ in range(2)], total_ranks=50)
    size = data.draw(st.integers(0, 5))
    group = st.lists(st.integers(0, n - 1), min_size=size, max_size=size)
    drawn = data.draw(st.lists(group, min_size=1, max_size=6))
    matrix = np.array(drawn, np.int64).reshape(len(drawn), size)
    as_matrix, as_lists = table.hits("S1", matrix), table.hits("S1", [*matrix.tolist()])
    assert as_matrix.query_ids == tuple(map(str, range(len(matrix))))
    for name in ("rank", "judged", "offsets", "grade_offsets", "grades"):
        assert getattr(as_matrix, name).tolist() == getattr(as_lists, name).tolist()
    for q, members in enumerate(matrix):
        one = as_matrix.select([q])
        assert one.rank.tolist() == sorted(table.ranks[1][members].tolist())
        assert table.ranks[1][members[one.judged]].tolist() == one.rank.tolist()


def test_groups_may_differ_in_size_and_repeat_entities() -> None:
    table = table_of([[3, 1, 2, 8]])
    hits = table.hits(groups=[[0, 1], [], [3, 3, 2]])
    assert hits.offsets.tolist() == [0, 2, 2, 5]
    assert hits.rank.tolist() == [1, 3, 2, 8, 8]
    assert hits.n_relevant().tolist() == [2, 0, 3]
    assert rs.parse_measure("AP")(hits).tolist() == pytest.approx(
        [(1 + 2 / 3) / 2, 0, (1 / 2 + 2 / 8 + 3 / 8) / 3], rel=1e-15
    )


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.array([[0, 4]]), "0 to 4 ... 0 to 3"),
        ([[-1]], "-1 to -1 ... groups"),
        (np.array([[0.5]]), "groups of type float64"),
        ([[0.5]], "groups of type float64"),
        (np.array([0, 1]), "(2,), ... (groups, size)"),
        ([0, 1], "(), ... (groups, size)"),
        ([[True, False]], "groups of type"),
    ],
)
def test_groups_that_are_none_are_refused(groups: object, message: str) -> None:
    with pytest.raises(rs.ParameterError) as caught:
        table_of([[3, 1, 2, 8]]).hits(groups=groups)
    assert mentions(caught.value, *message.split(" ... "))


# --- systems ----------------------------------------------------------------------------------------------------------

WITH_YEAR = "paper,year,field,A,B\nx,1999,Biology,1,3\ny,2004,Maths,12,3\nz,1999,Biology,5,8\n"


def test_systems_are_chosen_from_the_columns(tmp_path: Path) -> None:
    path = written(tmp_path, WITH_YEAR, "ranks.csv")
    table = read_entity_ranks(path, systems=["B", "A"])
    assert (table.systems, table.ranks.tolist()) == (("B", "A"), [[3, 3, 8], [1, 12, 5]])
    assert not any("read as systems" in note for note in table.notes)
    scores = rs.evaluate(path, measures="MeanRank", input="entity-ranks", systems="A")
    assert (scores.systems, scores.overall("MeanRank")) == (("A",), 6.0)
    assert rs.evaluate(table, measures="MeanRank", systems=["A"]).overall("MeanRank") == 6.0
    for data in (path, table):
        with pytest.raises(rs.errors.UnknownName, match="systems"):
            rs.evaluate(data, measures="MeanRank", input="entity-ranks", systems=["C"])
    with pytest.raises(rs.errors.ParameterError, match="table of ranks"):
        rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", systems=["A"])


def test_a_column_that_is_no_system_is_named(tmp_path: Path) -> None:
    with pytest.raises(rs.errors.InputError) as caught:
        read_entity_ranks(written(tmp_path, WITH_YEAR, "ranks.csv"))
    assert mentions(str(caught.value), "ranks.csv:2", "field", "'Biology'", "--systems year,A,B", "systems=")
    numbers = written(tmp_path, WITH_YEAR.replace("Biology", "7").replace("Maths", "8"), "numbers.csv")
    assert mentions(read_entity_ranks(numbers).notes[0], "4 columns", "'year'", "'field'", "'A'", "'B'")


# --- ranks of ties ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([[1, 2, 3, 4]], False),  # no ties
        ([[1, 1, 7, 9]], True),  # the mean of two tied ranks is 1.5 or more
        ([[2, 2, 7, 9]], False),  # may be the mean of 1, 2 and 3, of which one is no entity
        ([[2, 2, 2, 2]], True),  # the mean of four tied ranks is 2.5 or more
        ([[2, 2, 7, 7], [9, 9, 30, 30], [5, 5, 80, 90]], True),  # five shared ranks
        ([[2, 2, 7, 7], [9, 9, 30, 30], [5, 6, 80, 90]], False),
        ([[2, 2, 7, 7], [9, 9, 30, 30], [5, 5, 80, 90.5]], False),
    ],
)
def test_competition_ranks_are_noted(ranks: list[list[float]], expected: bool) -> None:
    table = table_of(ranks)
    assert any(mentions(note, "competition ranks", "r + (n - 1) / 2") for note in table.notes) == expected
    assert table.hits("S0").rank.tolist() == ranks[0]
