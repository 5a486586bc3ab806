"""`rankscope consensus`: from files to the order, its options, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope import read_votes
from rankscope.consensus import METHODS, merge_rankings, merge_runs
from rankscope.consensus.registry import MethodOptions, parameters_of

WORKED = [["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]]
TABLE = "book\tAda\tBen\tCleo\tIvo\nEmma\t1\t1\t2\t3\nKim\t2\t\t1\t1\nWalden\t3\t2\t\t2\n"


@pytest.fixture
def files(folder: Path) -> Path:
    """Votes as JSON and as a table, and two runs beside `run`."""
    (folder / "votes.json").write_text(json.dumps(WORKED))
    (folder / "votes.tsv").write_text(TABLE)
    (folder / "second").write_text("1 Q0 b 1 2.5 x\n1 Q0 a 2 1.5 x\n2 Q0 a 1 9.0 x\n2 Q0 c 2 8.0 x\n")
    (folder / "third").write_text("1 Q0 b 1 2.5 y\n1 Q0 d 2 1.5 y\n")
    return folder


def records(done: Any) -> list[dict[str, str]]:
    assert (done.code, done.err) == (0, "")
    return list(csv.DictReader(io.StringIO(done.out)))


def as_text(result: Any) -> list[tuple[str, ...]]:
    return [tuple("" if cell != cell else str(cell) for cell in record) for record in result.records()]


def test_the_worked_example_on_the_command_line(cli: Callable[..., Any], files: Path) -> None:
    found = records(cli("consensus", "votes.json", "--format", "csv"))
    assert [(row["item"], float(row["rank"]), float(row["score"])) for row in found] == [
        ("A", 1, 5),
        ("B", 2, 3),
        ("C", 3, 1),
    ]
    assert list(found[0]) == ["item", "rank", "score", "low", "high"]


def test_ballots_names_of_columns_and_the_direction(cli: Callable[..., Any], files: Path) -> None:
    (files / "ballots.csv").write_text("who,fav,then\n1,A,B\n2,A,C\n3,B,A\n")
    found = records(cli("consensus", "ballots.csv", "--columns", "voter=who,1=fav,2=then", "--format", "csv"))
    assert [row["item"] for row in found] == ["A", "B", "C"]
    (files / "points.csv").write_text("item,u,v\nA,7,9\nB,9,7\nC,10,9.3\n")
    lowest, highest = (
        records(cli("consensus", "points.csv", "--resamples", "0", "--format", "csv", *more))
        for more in ((), ("--higher",))
    )
    assert (lowest[-1]["item"], highest[0]["item"]) == ("C", "C")
    assert mentions(cli("consensus", "points.csv").out, "look like scores", "--higher")
    done = cli("consensus", "run", "second", "--higher")
    assert (done.code, mentions(done.err, "--higher", "these are runs")) == (2, True)


def test_options_are_those_of_the_function(cli: Callable[..., Any], files: Path) -> None:
    options = ("--unranked", "worst", "--weight", "Ada=2", "--weight", "Ivo=.5", "--points", "3,1")
    more = ("--confidence-level", ".8", "--resamples", "40", "--seed", "5", "--format", "csv")
    found = records(cli("consensus", "votes.tsv", *options, *more))
    expected = merge_rankings(
        read_votes("votes.tsv"),
        unranked="worst",
        points=(3, 1),
        weights={"Ada": 2, "Ivo": 0.5},
        confidence_level=0.8,
        n_resamples=40,
        rng=5,
    )
    assert [tuple(row.values()) for row in found] == as_text(expected)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_asked_for(cli: Callable[..., Any], files: Path, method: str) -> None:
    more = ("--prior", "1") if method == "plackett-luce" else ()
    done = cli("consensus", "votes.tsv", "--method", method, "--resamples", "20", *more)
    assert (done.code, done.err) == (0, "")
    assert f"method:{METHODS[method].name}" in done.out


def test_every_parameter_of_every_method_has_an_option() -> None:
    """But a seed, the names of a centre, and a quick search, which runs take by themselves: Python can give these."""
    known = {name for method in METHODS for name in parameters_of(method)}
    assert known - {"rng", "center", "quick"} == set(MethodOptions.declared()) - {"method"}


def test_fewer_draws_than_say_something_are_refused_and_help_says_how_many_are_enough(
    cli: Callable[..., Any], files: Path
) -> None:
    assert cli("consensus", "votes.json", "--resamples", "20").code == 0
    done = cli("consensus", "votes.json", "--resamples", "19")
    assert done.code == 2
    assert mentions(done.err, 19, 20, 0)
    assert mentions(" ".join(cli("consensus", "--help").out.split()), "at least 20", "0 for no intervals")
    assert "x>=20" in cli("leaderboard", "--help").out


def test_several_files_are_runs(cli: Callable[..., Any], files: Path) -> None:
    found = records(cli("consensus", "run", "second", "--format", "csv"))
    assert list(found[0]) == ["query", "item", "rank", "score", "low", "high"]
    assert [tuple(row.values()) for row in found] == as_text(merge_runs(["run", "second"], rng=0))
    assert found[0]["low"] == ""
    asked = records(cli("consensus", "run", "second", "third", "--format", "csv", "--resamples", "20"))
    assert asked[0]["low"]


def test_the_text_of_runs_shows_each_query(cli: Callable[..., Any], files: Path) -> None:
    done = cli("consensus", "run", "second", "third", "--method", "copeland", "--weight", "y=2")
    assert done.code == 0
    assert mentions(done.out.splitlines(), "2 queries", "copeland")
    assert mentions(
        done.out.splitlines(), "| method:copeland | queries:2", "| ties:doc_id_desc | weights:y=2", "| rng:0"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("votes.json --method copeland --points 3,1", "--points is not for the method copeland; it takes --unranked"),
        ("votes.json --time-limit 3", "--time-limit is not for the method borda; it takes --unranked, --points"),
        (
            "votes.json --weight 2",
            "Invalid value for '--weight': '2', expected the name of a voter, an equals sign and a number, such as "
            "editor=2; see `rankscope consensus --help`",
        ),
        (
            "votes.json --points 3,x",
            "Invalid value for '--points': '3,x', expected numbers separated by commas, as 3,1,0; see "
            "`rankscope consensus --help`",
        ),
        ("votes.tsv --weight Zoe=2", "a weight for 'Zoe', who is not a voter; voters: Ada, Ben, Cleo and Ivo"),
        (
            "votes.tsv --weight Ada=0",
            "the weight of voter 'Ada' is 0, expected a number above 0; leave out voters who do not count",
        ),
        ("run second --weight z=2", "a weight for 'z', who votes on no query; voters: bm25 and x"),
        ("run second --input json", "2 files of votes, expected one; for several runs use --input run"),
        ("run --input run", "1 run, expected at least two; there is nothing to merge"),
        ("absent.tsv", "absent.tsv: no such file; check the path"),
        ("votes.tsv -o votes.tsv", "votes.tsv: is also an input and would be overwritten; write to another file"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(cli: Callable[..., Any], files: Path, arguments: str, said: str) -> None:
    done = cli("consensus", *arguments.split())
    assert (done.code, done.out) == (2, "")
    assert done.err == f"rankscope: {said}\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[["A", "B"]]', "1 voter, expected at least two; there is nothing to merge"),
        ('[["A", "B"], ["A", "A"]]', "ranked 'A' twice"),
        ('{"items": ["A", "B"], "rankings": [["A", "B"], ["C", "A"]]}', "'C', which is not among the 2 items"),
        ('{"items": ["A", "B", "C"], "rankings": [["A", "B"], ["B", "A"]]}', "nobody ranked 'C'"),
        ('{"items": ["A", "B"], "rankings": [["A"], {"voter": "x", "weight": -1, "ranking": ["B"]}]}', "weight"),
    ],
)
def test_bad_votes_are_told_in_one_line(cli: Callable[..., Any], files: Path, content: str, said: str) -> None:
    (files / "bad.json").write_text(content)
    done = cli("consensus", "bad.json")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.startswith("rankscope: bad.json")
    assert done.err.count("\n") == 1
