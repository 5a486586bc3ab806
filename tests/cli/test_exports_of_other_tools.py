"""What other programs write and users hand over as it is, and names of outputs that tell the format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.input_files import GOOD, make_files
from helpers.same import assert_same_bits

Cli = Callable[..., Any]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)


def values(cli: Cli, qrels: str, run: str) -> list[tuple[str, float]]:
    done = cli("evaluate", qrels, run, "-m", "AP", "-m", "nDCG@10", "--by-query", "--format", "json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)
    return [(row["query"], row["value"]) for row in (rows["scores"] if isinstance(rows, dict) else rows)]


RUN = [line.split() for line in GOOD["bm25.run"].splitlines()]
QRELS = [line.split() for line in GOOD["my.qrels"].splitlines()]
RUNS = {
    "pandas.csv": ",query_id,doc_id,score\n"
    + "".join(f"{i},{q},{d},{s}\n" for i, (q, _, d, _, s, _) in enumerate(RUN)),
    "pyterrier.csv": "qid,docid,docno,rank,score,query\n"
    + "".join(f"{q},{i},{d},{r},{s},what the user wrote\n" for i, (q, _, d, r, s, _) in enumerate(RUN)),
    "marco.tsv": "".join(f"{q}\t{d}\t{r}\n" for q, _, d, r, *_ in RUN),
    "records.jsonl": "".join(json.dumps({"qid": q, "docno": d, "score": float(s)}) + "\n" for q, _, d, _, s, _ in RUN),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_another_program_has_the_values_of_trec_lines(cli: Cli, name: str) -> None:
    Path(name).write_text(RUNS[name])
    assert_same_bits(values(cli, "my.qrels", name), values(cli, "my.qrels", "bm25.run"))


JUDGMENTS = {
    "beir.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{g}\n" for q, _, d, g in QRELS),
    "qrels.dev.tsv": "".join(f"{q}\t0\t{d}\t{g}\n" for q, _, d, g in QRELS),
}


@pytest.mark.parametrize("name", JUDGMENTS)
def test_judgments_of_another_program_too(cli: Cli, name: str) -> None:
    Path(name).write_text(JUDGMENTS[name])
    assert_same_bits(values(cli, name, "bm25.run"), values(cli, "my.qrels", "bm25.run"))


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_comparisons_in_json_is_the_same_table(cli: Cli, indent: int | None) -> None:
    header, *rows = (line.split(",") for line in GOOD["arena.csv"].splitlines())
    Path("arena.json").write_text(json.dumps([dict(zip(header, row, strict=True)) for row in rows], indent=indent))
    asked = ("--format", "json", "--interval", "information")
    plain, listed = (cli("leaderboard", name, *asked) for name in ("arena.csv", "arena.json"))
    assert (plain.code, listed.code) == (0, 0), listed.err
    assert_same_bits(listed.out, plain.out)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"left": "a", "right": "b", "winner": "a"}, 7]', "a list that does not only hold objects"),
        ('[{"left": "a", "right": "b", "winner": "a"},\n{"left"', "arena.json:2: not valid JSON"),
    ],
    ids=["a number", "cut off"],
)
def test_a_broken_list_of_comparisons_is_refused(cli: Cli, text: str, said: str) -> None:
    Path("arena.json").write_text(text)
    done = cli("leaderboard", "arena.json")
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("suffix", "format_"),
    [("csv", "csv"), ("json", "json"), ("jsonl", "jsonl"), ("md", "markdown"), ("tex", "latex"), ("txt", "table")],
)
@pytest.mark.parametrize(
    "call", [("evaluate", "my.qrels", "bm25.run"), ("compare", "my.qrels", "bm25.run", "dense.run", "-m", "AP")]
)
def test_the_suffix_of_the_output_tells_its_format(cli: Cli, call: tuple[str, ...], suffix: str, format_: str) -> None:
    assert cli(*call, "-o", f"out.{suffix}").code == 0
    assert cli(*call, "--format", format_, "-o", "asked").code == 0
    assert_same_bits(Path(f"out.{suffix}").read_bytes(), Path("asked").read_bytes())


def test_a_format_that_is_asked_for_comes_before_the_suffix(cli: Cli) -> None:
    assert cli("evaluate", "my.qrels", "bm25.run", "--format", "json", "-o", "out.csv").code == 0
    assert json.loads(Path("out.csv").read_text())
