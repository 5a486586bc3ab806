"""`rankscope features runs`: runs as features, and the way from there to a run that was learned."""

from __future__ import annotations

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope import read_features
from rankscope.demo.collection import SEED, collection_files
from rankscope.fusion import run_features


@pytest.fixture(scope="module")
def files():
    return collection_files(SEED)


@pytest.fixture(autouse=True)
def demo(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("demo.qrels", "bm25.run", "dense.run"):
        (tmp_path / name).write_text(files[name])


def test_a_ranker_that_learned_on_some_queries_makes_a_run_of_others(tmp_path, cli):
    lines = (tmp_path / "demo.qrels").read_text().splitlines(keepends=True)
    for name, wanted in (("train", range(101, 131)), ("test", range(131, 151))):
        (tmp_path / f"{name}.qrels").write_text("".join(line for line in lines if int(line.split()[0]) in wanted))
        done = cli("features", "runs", f"{name}.qrels", "bm25.run", "dense.run", "-o", f"{name}.txt")
        assert (done.code, done.out) == (0, "")
        assert mentions(done.err.splitlines(), "note: ", "numbered", 1, 9)
    assert cli("train", "train.txt", "--hidden", 0, "--epochs", 15, "-o", "fusion.model").code == 0
    assert cli("predict", "fusion.model", "test.txt", "-o", "learned.scores").code == 0
    done = cli("convert", "learned.scores", "learned.run", "--input", "letor", "--labels", "test.txt")
    assert done.code == 0
    learned = rs.read_run("learned.run")
    fused = rs.fusion.fuse(["bm25.run", "dense.run"])
    queries = [query for query in fused.query_ids if int(query) > 130]
    assert sorted(learned.query_ids) == sorted(queries)
    expected = {row[:2] for row in fused.frame().rows() if int(row[0]) > 130}
    assert {row[:2] for row in learned.frame().rows()} == expected
    values = rs.evaluate("test.qrels", [learned, "bm25.run"], ["nDCG@10"]).matrix("nDCG@10").mean(axis=1)
    assert values[0] > values[1]


def test_the_command_writes_what_the_function_gives(cli):
    options = ("--normalise", "z-score", "--unjudged", "drop")
    done = cli("features", "runs", "demo.qrels", "bm25.run", "dense.run", *options, "-o", "train.parquet")
    expected = run_features("demo.qrels", ["bm25.run", "dense.run"], normalise="z-score", unjudged="drop")
    found = read_features("train.parquet", dtype="float64")
    assert done.err.splitlines() == [f"note: {note}" for note in expected.notes]
    assert (found.names, found.query_ids, found.doc_ids) == (expected.names, expected.query_ids, expected.doc_ids)
    assert_same_bits(found.values, expected.values)
    assert found.relevance.tolist() == expected.relevance.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("demo.qrels", "bm25.run"), "name a file with -o"),
        (("demo.qrels", "bm25.run", "-o", "bm25.run"), "is also an input and would be overwritten"),
        (("bm25.run", "bm25.run", "-o", "x.txt"), "this looks like a run, but judgments are expected here"),
        (("demo.qrels", "no.run", "-o", "x.txt"), "no.run: no such file"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(tmp_path, cli, arguments, message):
    done = cli("features", "runs", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
    assert not (tmp_path / "x.txt").exists()
