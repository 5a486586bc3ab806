"""`rankscope predict` as a user meets it: a model and documents in, a score a line out."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.messages import mentions
from helpers.refusals import refused

from rankscope import Features
from rankscope.io.core import open_binary
from rankscope.learning import Ranker, load_ranker, save_ranker

pytest.importorskip("safetensors", reason="the extra `learn` is not installed: pip install 'rankscope[learn]'")


def line(query: int, doc: int) -> str:
    return f"{doc % 3} qid:{query} 1:{doc} 2:{query + doc / 8} 3:{(doc * 5) % 7} #docid = D{query}-{doc}"


LINES = [line(query, doc) for query in range(1, 5) for doc in range(6)]
WORDS = ("bm25", "clicks", "age")


def table(names: tuple[str, ...] = WORDS) -> Features:
    values = np.random.default_rng(2).normal(size=(24, len(names)))
    return Features.of(values, np.arange(24) % 3, np.repeat(np.arange(4), 6), names=names)


def csv(path: str, columns: dict[str, list[float]], queries: list[int] | None = None) -> str:
    n = len(next(iter(columns.values())))
    rows = [["qid", "label", *columns]]
    rows += [[str((queries or [1] * n)[i]), "0", *(str(column[i]) for column in columns.values())] for i in range(n)]
    Path(path).write_text("".join(",".join(row) + "\n" for row in rows))
    return path


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: test.txt; m, a model of 3 numbered features; words, one of 3 named ones."""
    monkeypatch.chdir(tmp_path)
    Path("test.txt").write_text("\n".join(LINES) + "\n")
    save_ranker(Ranker(hidden=(4,), epochs=2).fit(table(("1", "2", "3"))), "m")
    save_ranker(Ranker(hidden=(), epochs=2).fit(table()), "words")
    return tmp_path


def scores(text: str) -> list[float]:
    return [float(one) for one in text.splitlines()]


def test_a_score_a_line_bit_for_bit_those_of_python(cli: Callable[..., Any], there: Path) -> None:
    done = cli("predict", "m", "test.txt")
    assert (done.code, done.err) == (0, "")
    X = [[doc, query + doc / 8, (doc * 5) % 7] for query in range(1, 5) for doc in range(6)]
    assert scores(done.out) == load_ranker("m").predict(np.float32(X)).tolist()
    assert cli("predict", "m", "test.txt", "-o", "s.txt").out == ""
    assert Path("s.txt").read_text() == done.out


def test_scores_stand_in_the_order_of_the_lines_however_queries_are_mixed(cli: Callable[..., Any], there: Path) -> None:
    together = dict(zip(LINES, scores(cli("predict", "m", "test.txt").out), strict=True))
    mixed = list(LINES)
    random.Random(5).shuffle(mixed)
    Path("mixed.txt").write_text("\n\n# a comment\n" + "\n".join(mixed) + "\n")
    done = cli("predict", "m", "mixed.txt", "-o", "mixed.scores")
    assert scores(Path("mixed.scores").read_text()) == [together[one] for one in mixed]
    assert done.err.count("\n") == 1
    assert mentions(done.err, "note: mixed: ", "4 queries")
    cli("predict", "m", "test.txt", "-o", "test.scores")
    both = [
        cli("evaluate", f"{name}.txt", f"{name}.scores", "--input", "letor", "-m", "nDCG", "--format", "csv").out
        for name in ("test", "mixed")
    ]
    assert both[0].rpartition(",")[2] == both[1].rpartition(",")[2]


def test_standard_input_is_read_and_scores_flow_on(
    cli: Callable[..., Any], there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(Path("test.txt").read_bytes()))))
    assert cli("predict", "m", "-").out == cli("predict", "m", "test.txt").out


def test_features_beyond_the_models_are_refused_with_both_numbers_and_the_line(
    cli: Callable[..., Any], there: Path
) -> None:
    Path("wide.txt").write_text("\n".join([*LINES[:4], "0 qid:9 1:1 5:2", LINES[5]]) + "\n")
    said = refused(cli, "predict", "m", "wide.txt", "-o", "s.txt")
    assert mentions(said, "wide.txt:5: ", "5 features", "'4' and '5'", 3, "'1' to '3'")
    Path("zero.txt").write_text("0 qid:9 0:1 1:2\n")
    assert mentions(refused(cli, "predict", "m", "zero.txt"), "zero: ", "2 features", "'0'")


def test_features_that_are_missing_are_zero_and_that_is_said(cli: Callable[..., Any], there: Path) -> None:
    Path("less.txt").write_text("".join(one.replace(" 3:", " #3:") + "\n" for one in LINES))
    done = cli("predict", "m", "less.txt")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert mentions(done.err, "note: less: ", "1 of the 3 features", 0, "'3'")
    Path("null.txt").write_text("".join(one.partition(" 3:")[0] + " 3:0\n" for one in LINES))
    assert done.out == cli("predict", "m", "null.txt").out


def test_columns_are_found_by_name(cli: Callable[..., Any], there: Path) -> None:
    values = {"age": [3.0, 6.0], "bm25": [1.0, 4.0], "clicks": [2.0, 5.0]}
    done = cli("predict", "words", csv("test.csv", {**values, "price": [7.0, 8.0]}))
    assert scores(done.out) == load_ranker("words").predict([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).tolist()
    assert done.err.count("\n") == 1
    assert mentions(done.err, "note: test: ", "'price'", "skipped")
    pd = pytest.importorskip("pandas")
    pd.DataFrame({"qid": [1, 1], "label": [0, 1], **values}).to_parquet("test.parquet")
    assert cli("predict", "words", "test.parquet").out == done.out


def test_a_column_that_is_missing_is_named(cli: Callable[..., Any], there: Path) -> None:
    csv("test.csv", {"age": [3.0], "bm25": [1.0]})
    said = refused(cli, "predict", "words", "test.csv")
    assert mentions(said, "test: ", "'clicks'", "'age' and 'bm25'", "all 3")
    assert mentions(refused(cli, "predict", "words", "test.txt"), "test: ", "'bm25', 'clicks' and 'age'", "'1', '2'")
    assert "'age'" in refused(cli, "predict", "m", "test.csv")  # numbers trained on, words here


def test_a_model_of_a_data_frame_scores_a_file_with_the_same_columns(cli: Callable[..., Any], there: Path) -> None:
    known = table()
    frame = pd.DataFrame(known.values, columns=list(known.names))
    ranker = Ranker(hidden=(), epochs=2).fit(frame, known.relevance, group=[6] * 4)
    save_ranker(ranker, "frames")
    columns = {name: frame[name].tolist() for name in reversed(known.names)}
    code, out, err = cli("predict", "frames", csv("frame.csv", columns))
    assert (code, err) == (0, "")
    assert list(map(float, out.split())) == pytest.approx(ranker.predict(frame).tolist())


def test_numbers_that_cannot_be_scored_are_refused(cli: Callable[..., Any], there: Path) -> None:
    Path("far.txt").write_text("0 qid:1 1:1 2:1 3:1\n0 qid:1 1:1 2:3e39 3:1\n")
    assert mentions(refused(cli, "predict", "words", "far.txt"), "far.txt:2: ", "'2:3e39'", "float32")
    csv("far.csv", {"age": [1.0, 2.0], "bm25": [1.0, 3e39], "clicks": [1.0, 1.0]})
    assert mentions(refused(cli, "predict", "words", "far.csv"), "far.csv:3: ", "bm25", "float32")


def test_features_far_outside_of_training_are_noted_and_bounded(cli: Callable[..., Any], there: Path) -> None:
    values = np.column_stack([table().values, np.full(24, 7.0)])
    ranker = Ranker(hidden=(), epochs=2, transform="standard").fit(Features.of(values, np.arange(24) % 3))
    save_ranker(ranker, "m")
    Path("near.txt").write_text("0 qid:1 1:1 2:1 3:1 4:7\n")
    assert cli("predict", "m", "near.txt").err == ""
    Path("far.txt").write_text("0 qid:1 1:1 2:3e38 3:1 4:7\n0 qid:1 1:1 2:1e9 3:1 4:8\n")
    done = cli("predict", "m", "far.txt")
    assert done.code == 0
    first, second = scores(done.out)
    assert first == second  # both are 5 deviations from the mean
    far, unused = done.err.splitlines()
    assert mentions(far, "note: far: 1 feature far outside", "'2'", "3e+38", "5 deviations")
    assert mentions(unused, "note: far: 1 feature not used", "'4'", "1 of 2 documents")


def test_a_table_to_be_scored_needs_no_grades(cli: Callable[..., Any], there: Path) -> None:
    Path("new.csv").write_text("qid,age,bm25,clicks\nq1,3,1,2\nq1,6,4,5\n")
    done = cli("predict", "words", "new.csv")
    assert (done.code, done.err) == (0, "")
    assert scores(done.out) == load_ranker("words").predict([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).tolist()
    Path("new.csv").write_text("qid,label,age,bm25,clicks\nq1,,3,1,2\nq1,,6,4,5\n")  # a column, and nothing in it
    assert cli("predict", "words", "new.csv").out == done.out
    Path("new.csv").write_text("qid,label,age,bm25,clicks\nq1,1,3,1,2\nq1,x,6,4,5\n")
    assert refused(cli, "predict", "words", "new.csv").startswith("new.csv:3: label is 'x'")


def test_a_cache_of_a_table_without_grades_is_none_to_train_on(cli: Callable[..., Any], there: Path) -> None:
    Path("new.csv").write_text("qid,age,bm25,clicks\nq1,3,1,2\nq1,6,4,5\n")
    first = cli("predict", "words", "new.csv", "--cache")
    assert cli("predict", "words", "new.csv", "--cache").out == first.out
    done = cli("train", "new.csv", "--cache", "-o", "n.model")
    assert done.code == 2
    assert mentions(done.err, "new.csv: ", "'relevance'")


def test_a_column_that_is_empty_here_is_zero_and_that_is_said(cli: Callable[..., Any], there: Path) -> None:
    Path("some.csv").write_text("qid,label,age,bm25,clicks\nq1,0,3,,2\nq1,1,6,,5\n")
    done = cli("predict", "words", "some.csv")
    assert scores(done.out) == load_ranker("words").predict([[0.0, 2.0, 3.0], [0.0, 5.0, 6.0]]).tolist()
    assert mentions(done.err.splitlines(), "note: some: ", "'bm25'", 0)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_scores_are_compressed_by_the_suffix(cli: Callable[..., Any], there: Path, suffix: str) -> None:
    plain = cli("predict", "m", "test.txt").out
    assert cli("predict", "m", "test.txt", "-o", f"s.txt{suffix}").code == 0
    with open_binary(f"s.txt{suffix}") as stream:
        assert stream.read().decode() == plain
    assert Path(f"s.txt{suffix}").read_bytes() != plain.encode()


def test_a_model_in_the_place_of_data_is_told(cli: Callable[..., Any], there: Path) -> None:
    assert mentions(refused(cli, "predict", "m", "m"), "m: ", "safetensors", "model")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "bad: is empty, expected a model that `rankscope train` wrote; train it again"),
        (b"2 qid:1 1:0.5\n", "bad: is no model, or is cut off, expected a model that `rankscope train` wrote"),
        (None, "bad: cannot be read (No such file or directory), expected a model that `rankscope train` wrote"),
    ],
)
def test_what_is_no_model_is_refused(cli: Callable[..., Any], there: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        Path("bad").write_bytes(content)
    assert refused(cli, "predict", "bad", "test.txt", "-o", "s.txt").startswith(said)


def test_a_model_that_is_damaged_is_refused(cli: Callable[..., Any], there: Path) -> None:
    Path("half").write_bytes(Path("m").read_bytes()[:-9])
    assert mentions(refused(cli, "predict", "half", "test.txt", "-o", "s.txt"), "half: ", "damaged")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "bad.txt: the file is empty"),
        ("1 1:2\n", "bad.txt:1: '1:2' after the label, expected qid:"),
        ("1 qid:1 1:inf\n", "bad.txt:1: field '1:inf', expected a finite number"),
        ("1 qid:1 1:x\n", "bad.txt:1: field '1:x'"),
    ],
)
def test_bad_documents_end_in_one_line(cli: Callable[..., Any], there: Path, text: str, said: str) -> None:
    Path("bad.txt").write_text(text)
    assert refused(cli, "predict", "m", "bad.txt", "-o", "s.txt").startswith(said)


def test_no_input_is_overwritten(cli: Callable[..., Any], there: Path) -> None:
    for output in ("m", "test.txt"):
        said = refused(cli, "predict", "m", "test.txt", "-o", output)
        assert mentions(said, f"{output}: ", "overwritten")
    assert "does not exist" in refused(cli, "predict", "m", "test.txt", "-o", "none/s.txt")
    assert refused(cli, "predict", "m").startswith("Missing argument 'TEST'")


def test_an_interrupt_leaves_the_old_scores(
    cli: Callable[..., Any], there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("s.txt").write_text("precious")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Ranker, "predict", interrupted)
    done = cli("predict", "m", "test.txt", "-o", "s.txt")
    assert (done.code, len(done.err.strip().splitlines())) == (130, 1)
    assert mentions(done.err, "rankscope: ", "interrupted", "no result")
    assert Path("s.txt").read_text() == "precious"


def test_translations_are_scored_as_a_metric_is(cli: Callable[..., Any], tmp_path: Path) -> None:
    lists, table, model = tmp_path / "lists.csv", tmp_path / "table.csv", tmp_path / "m.model"
    lists.write_text("query_id,doc_id,relevance,BLEU\n1,A,1,0.9\n1,B,0,0.2\n2,A,1,0.7\n2,B,0,0.1\n")
    table.write_text("pair,system,segment,BLEU\nde-en,A,1,0.9\nde-en,A,2,0.7\nde-en,B,1,0.2\nde-en,B,2,0.1\n")
    assert cli("train", lists, "--hidden", "0", "-o", model).code == 0
    done = cli("predict", model, table, "--metric", "mine")
    assert (done.code, done.err) == (0, "")
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert [line[:5] for line in lines] == [
        ["mine", "de-en", "table", system, segment] for system in "AB" for segment in "12"
    ]
    found = [float(line[5]) for line in lines]
    assert found[0] > found[1] > found[2] > found[3]  # as BLEU falls


def test_with_ranks_within_lists_lines_are_scored_by_their_query_and_places_are_told(
    cli: Callable[..., Any], there: Path
) -> None:
    assert cli("train", "test.txt", "--loss", "listnet(ranks=True)", "--epochs", 2, "-o", "r").code == 0
    mixed = random.Random(3).sample(LINES, len(LINES))
    Path("mixed.txt").write_text("\n".join(mixed) + "\n")
    together, apart = (cli("predict", "r", path).out.split() for path in ("test.txt", "mixed.txt"))
    assert len(set(together)) > 3
    assert dict(zip(LINES, map(float, together), strict=True)) == pytest.approx(
        dict(zip(mixed, map(float, apart), strict=True)), abs=1e-5
    )
    Path("bare.txt").write_text("0 1:1 2:2 3:1\n")
    assert mentions(refused(cli, "predict", "r", "bare.txt"), "bare.txt:1: ", "'1:1'", "qid:")
    narrow = Features.of(table().values * 1e-9, np.arange(24) % 3)
    save_ranker(Ranker("listnet(ranks=True)", hidden=(), epochs=2, transform="standard").fit(narrow), "narrow")
    Path("far.txt").write_text("0 qid:1 1:1 2:1 3:1\n0 qid:1 1:1 2:3e38 3:1\n")
    assert mentions(cli("predict", "narrow", "far.txt").err, "note: far: ", "'2'", "far outside")


def test_outputs_of_one_system_are_no_lists_to_look_at(cli: Callable[..., Any], there: Path) -> None:
    Path("lists.csv").write_text("query_id,doc_id,relevance,BLEU\n1,A,1,0.9\n1,B,0,0.2\n")
    assert cli("train", "lists.csv", "--loss", "listnet(ranks=True)", "--hidden", 0, "-o", "r").code == 0
    Path("alone.csv").write_text("pair,system,segment,BLEU\nde-en,A,1,0.9\nde-en,A,2,0.7\n")
    said = refused(cli, "predict", "r", "alone.csv", "--metric", "mine")
    assert mentions(said, "de-en", "'A'", "one system")


def test_a_metric_of_documents_or_of_a_pair_without_a_name_is_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    lists, table, model = tmp_path / "lists.csv", tmp_path / "table.csv", tmp_path / "m.model"
    lists.write_text("query_id,doc_id,relevance,BLEU\n1,A,1,0.9\n1,B,0,0.2\n")
    table.write_text("pair,system,segment,BLEU\n,A,1,0.9\n,B,1,0.2\n")
    assert cli("train", lists, "--hidden", "0", "-o", model).code == 0
    done = cli("predict", model, lists, "--metric", "mine")
    assert (done.code, done.out) == (2, "")
    assert "lists.csv:1: no column 'pair'" in done.err
    done = cli("predict", model, table, "--metric", "mine")
    assert (done.code, done.out) == (2, "")
    assert mentions(done.err, "pair", "no name")


def test_lines_that_lack_the_grade_are_refused_with_what_to_do(cli: Callable[..., Any], there: Path) -> None:
    Path("bare.txt").write_text("# a comment\nqid:1 1:2 2:3\nqid:1 1:4\n")
    assert mentions(refused(cli, "predict", "m", "bare.txt"), "bare.txt", "begin with 'qid:'", "put 0 in front")
