"""`--columns`: what columns are called, in every command that reads tables of judgments, runs or scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COLUMNS = "query_id=frage,doc_id=treffer,relevance=note,score=wert"


@pytest.fixture
def tables(folder: Path) -> Path:
    """The judgments and the run of `folder` again, as tables with other names of columns."""
    Path("qrels.csv").write_text("frage;treffer;note\n1;a;1\n1;b;0\n2;a;2\n")
    Path("run.csv").write_text("frage,treffer,wert\n1,a,2.5\n1,b,1.5\n2,c,9\n2,a,8\n")
    return folder


@pytest.mark.parametrize(
    "call",
    [
        "evaluate {qrels} {run} --by-query",
        "evaluate {qrels} {run} --workers 2",
        "agree judgments {qrels} {qrels}",
        "pool {run} --judged {qrels} --depth 2",
    ],
)
def test_tables_with_other_names_give_what_trecs_files_give(cli: Callable[..., Any], tables: Path, call: str) -> None:
    expected = cli(*call.format(qrels="qrels", run="run").split())
    done = cli(*call.format(qrels="qrels.csv", run="run.csv").split(), "--columns", COLUMNS)
    assert (done.code, expected.code) == (0, 0), done.err
    assert done.out.replace("run", "bm25").split() == expected.out.replace("run", "bm25").split()


def test_convert_and_compare(cli: Callable[..., Any], tables: Path) -> None:
    assert cli("convert", "qrels.csv", "new.qrels", "--columns", COLUMNS).code == 0
    assert Path("new.qrels").read_text() == Path("qrels").read_text()
    for qrels, run, options in (("qrels", "run", ()), ("qrels.csv", "run.csv", ("--columns", COLUMNS))):
        assert cli("features", "runs", qrels, run, "-o", f"{run}.features.tsv", *options).code == 0
    features = Path("run.csv.features.tsv").read_text()
    assert features.replace("run", "bm25") == Path("run.features.tsv").read_text().replace("run", "bm25")
    Path("other.csv").write_text("frage,treffer,wert\n1,b,2\n2,a,1\n")
    done = cli("compare", "qrels.csv", "run.csv", "other.csv", "-m", "RR", "--columns", COLUMNS)
    assert done.code == 0
    assert "other" in done.out


def test_a_file_of_scores_is_known_by_what_the_user_calls_its_items(cli: Callable[..., Any], tables: Path) -> None:
    lines = [f"{system},{i},{value + i / 100}" for i in range(8) for system, value in (("a", 0.1), ("b", 0.2))]
    Path("scores.csv").write_text("\n".join(["model,frage,value", *lines]))
    done = cli("compare", "scores.csv", "-m", "F1", "--columns", "query=frage")
    assert done.code == 0, done.err
    assert "source:table" in done.out


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("query_id", "NAME=COLUMN"),
        ("topic=frage", "has 'topic', expected some of query_id"),
        ("query_id=nothing", "qrels.csv:1: no column 'nothing', which columns (--columns) names, among 'frage'"),
        ("query_id=frage", "--columns doc_id=NAME"),
    ],
)
def test_names_that_do_not_fit(cli: Callable[..., Any], tables: Path, columns: str, message: str) -> None:
    done = cli("evaluate", "qrels.csv", "run.csv", "--columns", columns)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_name_need_not_fit_a_file_that_is_complete_in_another_form(cli: Callable[..., Any], folder: Path) -> None:
    Path("gold.csv").write_text("query,ref,grade\n1,a,1\n2,a,2\n")
    Path("lists.jsonl").write_text('{"query": "1", "hits": ["a", "b"]}\n{"query": "2", "hits": ["c", "a"]}\n')
    Path("table.csv").write_text("query,chunk_id,rank\n1,a,2\n1,b,1\n2,a,1\n")
    call = ("evaluate", "gold.csv", "lists.jsonl", "table.csv", "-m", "RR", "--format", "csv", "--columns")
    done = cli(*call, "retrieved_ids=hits,doc_id=ref")
    assert done.code == 2
    assert "table.csv:1: no column 'ref'" in done.err  # a document a row, and ref is called for this form
    Path("gold.csv").write_text("query,chunk_id,grade\n1,a,1\n2,a,2\n")
    done = cli(*call, "retrieved_ids=hits")
    assert done.code == 0, done.err
    assert [line.split(",")[-1] for line in done.out.splitlines()[1:]] == ["0.75", "0.75"]
    Path("table.csv").write_text("query,ref,rank\n1,a,2\n1,b,1\n2,a,1\n")
    done = cli("evaluate", "gold.csv", "lists.jsonl", "-m", "RR", "--columns", "retrieved_ids=hit")
    assert done.code == 2
    assert "no column 'hit'" in done.err


@pytest.mark.parametrize("query", ["prompt", "prompt_id", "question_id"])
def test_one_table_of_prompts_serves_the_judge_and_the_comparison(
    cli: Callable[..., Any], folder: Path, query: str
) -> None:
    values = [
        f"p{i},{system},{3 + i % 3 + (i % 2) * bonus},{2 + (i + bonus) % 3}\n"
        for i in range(8)
        for bonus, system in enumerate("ab")
    ]
    Path("judged.csv").write_text(f"{query},system,llm,human\n{''.join(values)}")
    for call in (
        "compare judged.csv -m llm",
        "estimate judged.csv --human human --machine llm",
        "agree segments judged.csv --higher llm,human",
    ):
        assert (done := cli(*call.split())).code == 0, done.err


def test_judgments_whose_documents_have_another_name_are_not_only_refused_as_scores(
    cli: Callable[..., Any], folder: Path
) -> None:
    Path("gold.csv").write_text("question,ref,grade\n1,a,1\n1,b,0\n")
    for options in ((), ("--rel", "1")):
        done = cli("compare", "gold.csv", "run", "run", *options)
        assert done.code == 2
        assert "--columns doc_id=" in done.err


def test_fuse(cli: Callable[..., Any], tables: Path) -> None:
    Path("other.csv").write_text("frage,treffer,wert\n1,b,2\n2,a,1\n")
    done = cli("fuse", "run.csv", "other.csv", "--evaluate", "qrels.csv", "-m", "AP", "--columns", COLUMNS)
    assert done.code == 0, done.err
    assert "other" in done.out


def test_tables_of_spans_and_of_chunks(cli: Callable[..., Any], folder: Path) -> None:
    for begin, end, names in (("begin", "end", ()), ("von", "bis", ("--columns", "begin=von,end=bis,score=wert"))):
        Path("gold.csv").write_text(f"query,file,{begin},{end}\nq1,a,10,20\nq2,a,0,5\n")
        Path("found.csv").write_text(
            f"query,file,{begin},{end},{'wert' if names else 'score'}\nq1,a,0,50,1\nq2,b,0,9,2\n"
        )
        done = cli("evaluate", "gold.csv", "found.csv", "-m", "R@2", "--overlap", "0.5", *names)
        assert (done.code, done.out.split()[3]) == (0, "0.5000"), done.err
    done = cli("evaluate", "gold.csv", "found.csv", "--overlap", "0.5")
    assert done.code == 2
    assert "--columns begin=NAME" in done.err
    Path("parts.csv").write_text("teil,ganz\na1,a\na2,a\n")
    Path("chunks.csv").write_text("query_id,treffer,score\n1,a1,2\n2,a2,3\n")
    call = ("evaluate", "qrels", "chunks.csv", "-m", "NumRelRet", "--columns")
    done = cli(*call, "doc_id=treffer,chunk=teil,document=ganz", "--doc-of", "parts.csv")
    assert (done.code, done.out.split()[3]) == (0, "2"), done.err
    for options, message in (
        (("doc_id=treffer,chunk=teil",), "table of chunks"),
        (("doc_id=treffer,chunk=teil", "--doc-of", "^(.)"), "table of chunks"),
        (("doc_id=treffer,chunk=falsch", "--doc-of", "parts.csv"), "no column 'falsch'"),
    ):
        done = cli(*call, *options)
        assert done.code == 2
        assert message in done.err
