"""Outcomes in tables: every form of the same comparisons, against a loop, and each bad input's message."""

from __future__ import annotations

import gzip
import io
import json

import numpy as np
import polars as pl
import pytest
from helpers.messages import Messages, mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.agreement import read_wmt_rankings
from rankscope.errors import InputError
from rankscope.io.preferences import parse_choice

REFUSED = Messages("preferences")

#: A beats B; B and C are tied; C beats A, who stands on the left.
GOOD = "left,right,winner\nA,B,left\nB,C,tie\nA,C,right\n"
HEADS = ("model_a,model_b", "system_a,system_b", "a,b", "Left , Right", "player1,player2", "response_1,response_2")


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "outcomes"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


def cells(one, tie, other, head="left,right,winner"):
    return f"{head}\nA,B,{one}\nB,C,{tie}\nA,C,{other}\n"


def parquet(content):
    file = io.BytesIO()
    pl.read_csv(io.StringIO(content)).write_parquet(file)
    return file.getvalue()


def json_lines(content):
    return pl.read_csv(io.StringIO(content)).write_ndjson()


# --- what is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace(",", "\t"),
        GOOD.replace("\n", "\r\n"),
        "# from the arena\n" + GOOD + "\n\n",
        GOOD.replace("B,C", "\nB,C").replace(",", ";"),
        gzip.compress(GOOD.encode(), mtime=0),
        parquet(GOOD),
        json_lines(GOOD),
        json_lines(cells(1, 0, 2)),
        json.dumps(  # as AlpacaEval writes it
            [
                {"generator_1": one, "generator_2": two, "preference": value, "annotator": "x"}
                for one, two, value in (("A", "B", 1.0), ("B", "C", 0.0), ("A", "C", 2.0))
            ]
        ),
        parquet(cells(1, 0, -1)),
        *(GOOD.replace("left,right,winner", f"{head},winner") for head in HEADS),
        *(GOOD.replace("winner", name) for name in ("outcome", "Choice", "preferred", "human", "label", "result")),
        cells("a", "tie", "b"),
        cells("A ", "draw", "C"),
        cells("[[A]]", "[[C]]", "[[B]]"),
        cells("1-0", "1/2-1/2", "0-1"),
        cells("1.0", "0.0", "2.0"),
        cells("A", "equal", "C"),
        cells("model_a", "tie (both good)", "model_b", "model_a,model_b,winner"),
        cells("Model_A", "Neither", "RIGHT", "model_a,model_b,winner"),
        cells("first", "both", "second", "first_text,a,b").replace("first_text,a,b", "a,b,winner"),
    ],
)
def test_ways_to_write_the_same_comparisons(written, content):
    found = rs.read_preferences(written(content))
    assert found.systems == ("A", "B", "C")
    assert (found.left.tolist(), found.right.tolist()) == ([0, 1, 0], [1, 2, 2])
    assert found.outcome.tolist() == [1, 0, -1]
    assert found.weight.tolist() == [1, 1, 1]
    assert (found.cluster, dict(found.covariates)) == (None, {})


@pytest.mark.parametrize("head", ["better,worse", "winner,loser", "prompt,better,worse"])
def test_columns_may_say_who_is_better(written, head):
    first = "p," if head.startswith("prompt") else ""
    found = rs.read_preferences(written(f"{head}\n{first}A,B\n{first}C,A\n"))
    assert (found.systems, found.outcome.tolist()) == (("A", "B", "C"), [1, 1])
    assert (found.left.tolist(), found.right.tolist()) == ([0, 2], [1, 0])


def test_both_bad_is_a_tie_and_a_row_without_a_winner_none(written):
    found = rs.read_preferences(written(GOOD + "A,D,\nA,B,tie (bothbad)\nB,A,NA\n"))
    assert found.systems == ("A", "B", "C")  # D has no outcome
    assert found.outcome.tolist() == [1, 0, -1, 0]
    assert len(found.notes) == 2
    assert mentions(found.notes[0], 2, "winner")
    assert mentions(found.notes[1], "'tie (bothbad)'", "a tie")


def test_weights_units_and_covariates_are_those_of_the_rows_with_a_winner(written):
    content = (
        "left,right,winner,weight,len_left,len_right,n_a,n_b,first,Judge\n"
        "A,B,left,2,10,4,1,2,1,ann\nA,C,,-1,,,,,,\nB,C,tie,.5,5,7,3,1,-1,bob\nC,A,right,1,1,1,0,4,0.5,ann\n"
    ).replace(",,,,,,\n", ",,,,,,zoe\n")
    found = rs.read_preferences(written(content), covariates=["len", "n", "FIRST"], cluster_by="judge")
    assert found.weight.tolist() == [2, 0.5, 1]
    assert {name: x.tolist() for name, x in found.covariates.items()} == {
        "len": [10 - 4, 5 - 7, 1 - 1],
        "n": [1 - 2, 3 - 1, 0 - 4],
        "FIRST": [1, -1, 0.5],
    }
    assert (found.cluster.names, found.cluster.codes.tolist()) == (("ann", "bob"), [0, 1, 0])


def test_only_a_column_of_that_name_is_a_weight_and_a_note_says_so(written):
    found = rs.read_preferences(written("n,count,left,right,winner\n1,5,A,B,A\n2,5,A,B,B\n"))
    assert found.weight.tolist() == [1, 1]
    assert found.notes == ()
    found = rs.read_preferences(written("left,right,winner,Weight\nA,B,A,2\nA,B,B,3\n"))
    assert found.weight.tolist() == [2, 3]
    assert mentions(found.notes[0], "'Weight'", "the weight")


def test_a_table_of_better_and_worse_has_no_sides(written):
    assert not rs.read_preferences(written("better,worse\nA,B\nB,A\n")).sides
    assert rs.read_preferences(written("left,right,winner\nA,B,A\nA,B,B\n")).sides


def test_of_several_columns_that_may_be_the_winner_the_first_is_read_and_one_may_be_named(written):
    path = written("item,a,b,human,judge,outcome\n1,A,B,a,tie,b\n2,A,B,b,b,b\n")
    found = rs.read_preferences(path)
    assert found.outcome.tolist() == [-1, -1]
    assert mentions(found.notes[0], "'outcome'", "the winner", "'human' not read")
    assert rs.read_preferences(path, columns={"winner": "human"}).outcome.tolist() == [1, -1]
    assert rs.read_preferences(path, columns={"winner": "judge"}).outcome.tolist() == [0, -1]


def test_a_name_of_a_system_is_that_name_even_where_it_is_a_word(written):
    found = rs.read_preferences(written("left,right,winner\nA,B,A\nB,A,A\nB,tie,tie\nA,B,tie\n"))
    assert found.outcome.tolist() == [1, -1, -1, 0]
    assert mentions(found.notes[0], "'winner'", "names of systems")


@pytest.mark.parametrize("name", ["prompt", "Question_ID", "conversation"])
def test_prompts_that_repeat_are_noted_unless_they_are_the_clusters(written, name):
    content = f"left,right,winner,{name}\nA,B,left,p1\nB,C,tie,p1\nA,C,right,p2\n"
    found = rs.read_preferences(written(content))
    assert mentions(found.notes[0], "3 rows of 2 different", name, "independent", f"--cluster-by {name}")
    assert rs.read_preferences(written(content), cluster_by=name).notes == ()
    for cells in (("p1", "p2", "p3"), ("p1", "p1", "p1")):  # as many as rows, or a single one
        text = "".join(f"A,B,left,{cell}\n" for cell in cells)
        assert rs.read_preferences(written(f"left,right,winner,{name}\n{text}")).notes == ()
    assert rs.read_preferences(written(content.replace(name, "length"))).notes == ()
    found = rs.read_preferences(written("left,right,winner\n0,1,1\n1,0,0\n"))  # no doubt about 0 here
    assert found.outcome.tolist() == [-1, -1]


NAMES = st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=5, max_size=7).filter(
    lambda name: parse_choice(name) is None
)


@examples(50)
@given(st.data())
def test_a_table_has_the_outcomes_of_a_loop(tmp_path, data):
    systems = data.draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    rows = data.draw(
        st.lists(st.tuples(st.permutations(systems), st.sampled_from([1, 0, -1])), min_size=1, max_size=10)
    )
    pairs = [(order[0], order[1], outcome) for order, outcome in rows]
    expected = rs.Preferences.of([(a, b, {1: a, -1: b, 0: "tie"}[outcome]) for a, b, outcome in pairs])
    words = data.draw(
        st.sampled_from([("left", "tie", "right"), ("A", "Draw", "B"), ("1", "0", "-1"), (None, "=", None)])
    )
    path = tmp_path / "outcomes"
    lines = [f"{a},{b},{words[1 - outcome] or (a if outcome == 1 else b)}" for a, b, outcome in pairs]
    if {line.rpartition(",")[2] for line in lines} == {"0", "1"}:
        lines.append(f"{pairs[0][1]},{pairs[0][0]},-1")
        expected = rs.Preferences.of(
            [(a, b, {1: a, -1: b, 0: "tie"}[o]) for a, b, o in [*pairs, (pairs[0][1], pairs[0][0], -1)]]
        )
    path.write_text("\n".join(["a,b,winner", *lines]) + "\n")
    found = rs.read_preferences(path)
    assert found.systems == expected.systems
    for name in ("left", "right", "outcome"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_the_better_pairs_of_rankings_by_people_are_those_of_a_loop(data):
    files = sorted((data / "wmt12").glob("*RNK*.csv"))
    if not files:
        pytest.skip("no ranking CSV in the folder wmt12 of the real data")
    rankings = read_wmt_rankings(files[0])
    column = next(iter(rankings.columns))
    chosen = rankings.select(np.arange(min(len(rankings), 300)))
    found = rs.Preferences.from_rankings(chosen, column)
    wins = losses = ties = 0
    for row in chosen.table(column):
        ranks = row[~np.isnan(row)]
        for i in range(ranks.size):
            for j in range(i + 1, ranks.size):
                wins += ranks[i] < ranks[j]
                losses += ranks[i] > ranks[j]
                ties += ranks[i] == ranks[j]
    assert [(found.outcome == x).sum() for x in (1, -1, 0)] == [wins, losses, ties]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "",
        "left,right,winner\n",
        GOOD + "A,B\n",
        'left,right,winner\n"A",B,\nA,C\n',
        GOOD + "A,B,D\n",
        GOOD + "X,Z,left\nA,B,X\n",
        cells("left", "A", "right"),
        GOOD + "A,A,left\n",
        GOOD + "A,,left\n",
        "left,winner\nA,A\n",
        "left,right,who\nA,B,A\n",
        cells(1, 0, 1),
        cells(1, 2, -1),
        cells("", "", "NA"),
        "left,right,winner,weight\nA,B,left,1\nB,A,left,0\n",
        "left,right,winner,weight\nA,B,left,1\nB,A,left,\n",
        "left,right,winner,weight\nA,B,left,1\nB,A,left,many\n",
        json.dumps({"left": "A", "right": "B", "winner": True}),
    ],
)
def test_each_bad_input_has_one_clear_line(written, content, monkeypatch):
    path = written(content)
    monkeypatch.chdir(path.parent)
    with pytest.raises(InputError, match=r"^outcomes:[^\n]*$") as caught:
        rs.read_preferences("outcomes")
    REFUSED.check(repr(content), caught.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"covariates": "length"},
        {"covariates": "len_left"},
        {"covariates": ["judge"]},
        {"cluster_by": "prompt"},
        {"cluster_by": "judge"},
        {"columns": {"winner": "human"}},
    ],
)
def test_what_is_asked_for_must_be_there(written, asked, monkeypatch):
    monkeypatch.chdir(written("left,right,winner,len_left,judge\nA,B,left,2,ann\nB,A,left,,\n").parent)
    with pytest.raises(InputError, match=r"^outcomes:[^\n]*$") as caught:
        rs.read_preferences("outcomes", **asked)
    REFUSED.check(f"asked for {asked}", caught.value)
