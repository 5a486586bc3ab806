"""`rankscope train` as a user meets it: files in, a model out, and one line for whatever is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.refusals import refused

from rankscope import read_features
from rankscope.learning import Ranker, load_ranker

pytest.importorskip("safetensors", reason="the extra `learn` is not installed: pip install 'rankscope[learn]'")


def nogood(text: str, name: str = "bad.txt") -> str:
    Path(name).write_text(text)
    return name


def test_from_files_to_a_tested_table_in_three_lines(cli: Callable[..., Any], letor: Path) -> None:
    done = cli("train", "demo-train.txt", "--valid", "demo-valid.txt", "--hidden", 0, "-o", "demo.model")
    assert (done.code, done.err) == (0, "")
    assert mentions(
        " ".join(done.out.split("\n\n")[0].split()),
        "20 queries",
        "892 documents",
        "6 features",
        "10 queries",
        "demo-valid",
    )
    assert mentions(done.out.splitlines(), "| train:demo-train | valid:demo-valid", "| features:6 | rankscope ")
    done = cli("predict", "demo.model", "demo-test.txt", "-o", "scores.txt")
    assert (done.code, done.out, done.err) == (0, "", "")
    files = ("demo-test.txt", "scores.txt", "demo-test-rerank.txt", "demo-test-hybrid.txt")
    done = cli("evaluate", *files, "--input", "letor", "-m", "nDCG@10", "--format", "csv")
    values = {line.split(",")[0]: float(line.split(",")[-1]) for line in done.out.splitlines()[1:]}
    assert values["scores"] > max(values["demo-test-rerank"], values["demo-test-hybrid"])
    assert cli("compare", *files[:3], "--input", "letor", "-m", "nDCG@10").code == 0


@pytest.mark.parametrize(
    "loss",
    ["listmle", "ranknet", "lambdaloss(kind='2++')", "squared", "neuralndcg", "approxndcg", "ordinal"],
)
def test_every_kind_of_loss_trains_a_network_from_the_command_line(
    cli: Callable[..., Any], letor: Path, loss: str
) -> None:
    done = cli("train", "demo-valid.txt", "--loss", loss, "--epochs", 2, "--hidden", "3,2", "-o", "m")
    assert (done.code, done.err) == (0, "")
    assert f"\n{loss} | hidden:3x2 | epochs:2 " in done.out
    ranker = load_ranker("m")
    assert (ranker.loss, ranker.hidden, ranker.epochs) == (loss, (3, 2), 2)


def test_the_same_seed_gives_the_same_file(cli: Callable[..., Any], letor: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        cli("train", "demo-valid.txt", "--epochs", 2, "--seed", seed, "-o", name)
    assert Path("a").read_bytes() == Path("b").read_bytes() != Path("c").read_bytes()


def test_every_option_is_the_rankers(cli: Callable[..., Any], letor: Path) -> None:
    options = "--hidden 5 --epochs 3 --patience 2 --stop-on AP --learning-rate .01 --batch-lists 4 --dropout .1"
    options += " --weight-decay .5 --transform log --models 2 --seed 9 --loss listnet(k=2)"
    done = cli("train", "demo-valid.txt", "--valid", "demo-test.txt", *options.split(), "-o", "m")
    assert done.code == 0
    expected = Ranker(
        "listnet(k=2)",
        hidden=(5,),
        epochs=3,
        patience=2,
        stop_on="AP",
        learning_rate=0.01,
        batch_lists=4,
        dropout=0.1,
        weight_decay=0.5,
        transform="log",
        models=2,
        rng=9,
    )
    assert load_ranker("m").get_params() == expected.get_params()


def test_the_course_of_training_goes_to_programs_and_figures(cli: Callable[..., Any], letor: Path) -> None:
    base = ("train", "demo-valid.txt", "--valid", "demo-test.txt", "--epochs", 2, "-o", "m")
    rows = cli(*base, "--format", "csv").out.splitlines()
    assert rows[0] == "model,epoch,part,measure,value"
    assert [row.split(",")[:3] for row in rows[1:]] == [["1", e, p] for p in ("train", "valid") for e in "12"]
    assert json.loads(cli(*base, "--format", "json").out)
    pytest.importorskip("altair", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
    assert cli(*base, "--plot", "curve.json").code == 0
    assert Path("curve.json").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "bad.txt: the file is empty"),
        ("# only this\n", "bad.txt: no data, only comments"),
        ("1 1:2 2:3\n", "bad.txt:1: '1:2' after the label, expected qid:"),
        ("high qid:1 1:2\n", "bad.txt:1: label 'high', expected a finite number"),
        ("1 qid:1 1:2\n0 qid:1 1:nan\n", "bad.txt:2: field '1:nan', expected a finite number"),
        ("1 qid:1 1:2 1:3\n", "bad.txt:1: "),
        (
            "1 qid:1 1:2\n1 qid:1 1:3\n",
            "bad: the documents of every query have one grade, so there is nothing to learn from",
        ),
        ("1 qid:1 1:2\n0 qid:2 1:3\n", "bad: the documents of every query have one grade"),
        ("1 qid:1\n0 qid:1\n", "bad.txt: no line has features"),
    ],
)
def test_bad_data_end_in_one_line_and_no_model(cli: Callable[..., Any], letor: Path, text: str, said: str) -> None:
    nogood(text)
    assert refused(cli, "train", "bad.txt", "-o", "m").startswith(said)
    if "one grade" not in said:  # which does for validation, if badly
        assert refused(cli, "train", "demo-valid.txt", "--hidden", 0, "--valid", "bad.txt", "-o", "m").startswith(said)


def test_validation_that_tells_no_epoch_from_another_is_noted(cli: Callable[..., Any], letor: Path) -> None:
    nogood("1 qid:1 1:2 6:1\n1 qid:1 1:3\n", "valid.txt")
    done = cli("train", "demo-valid.txt", "--valid", "valid.txt", "--epochs", 3, "-o", "m")
    assert mentions(done.out.splitlines(), "valid ", "same", "epoch", "first")


def test_grades_below_0_are_noted(cli: Callable[..., Any], letor: Path) -> None:
    nogood("-1 qid:1 1:2\n1 qid:1 1:3\n0 qid:1 1:1\n")
    done = cli("train", "bad.txt", "--hidden", 0, "--epochs", 2, "-o", "m")
    assert mentions(done.out.splitlines(), "1 of 3 documents has a grade below 0", "pooled, but not judged")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--loss nothing_like_it", "unknown loss 'nothing_like_it'; known: approxmrr, approxndcg, lambdaloss, "),
        ("--loss list-net", "unknown loss 'list-net'; did you mean listnet?"),
        ("--loss lambda-mart", "unknown loss 'lambda-mart'; did you mean lambdamart?"),
        ("--loss lisnet", "unknown loss 'lisnet'; did you mean listnet?"),
        ("--loss listnet(q=2)", "unknown parameter of listnet 'q'; known: k"),
        ("--loss lambdaloss(kind='9')", "kind is '9', expected one of '1', '2', '2++'"),
        ("--loss listnet(", "cannot read the loss 'listnet('; expected a form like "),
        ("--stop-on nDGC", "unknown measure 'nDGC'; did you mean "),
        ("--hidden 4,x", "Invalid value for '--hidden': '4,x', expected sizes of layers as 64 or 64,32, or 0 for none"),
        ("--hidden 0,4", "Invalid value for '--hidden': '0,4'"),
        ("--hidden 99999999999999999", "Invalid value for '--hidden': '99999999999999999'"),
        ("--learning-rate 0", "Invalid value for '--learning-rate'"),
        ("--learning-rate nan", "--learning-rate is nan"),
        ("--dropout 1", "Invalid value for '--dropout'"),
        ("--epochs 0", "Invalid value for '--epochs'"),
        ("--transform square", "Invalid value for '--transform'"),
        ("--seed -1", "Invalid value for '--seed'"),
        ("--valid none.txt", "none.txt: no such file"),
        ("--plot m", "m: "),
    ],
)
def test_wrong_options_are_told_before_anything_is_trained(
    cli: Callable[..., Any], letor: Path, monkeypatch: pytest.MonkeyPatch, options: str, said: str
) -> None:
    monkeypatch.setattr(Ranker, "fit", lambda *_, **__: pytest.fail("it was trained"))
    assert refused(cli, "train", "demo-valid.txt", *options.split(" ", 1), "-o", "m").startswith(said)


def test_a_figure_and_the_model_need_two_files(cli: Callable[..., Any], letor: Path) -> None:
    pytest.importorskip("altair", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
    said = refused(cli, "train", "demo-valid.txt", "--plot", "m.svg", "-o", "m.svg")
    assert mentions(said, "m.svg: ", "model", "figure")


def test_a_measure_that_lists_of_grades_have_not_is_refused(cli: Callable[..., Any], letor: Path) -> None:
    options = ("--valid", "demo-test.txt", "--stop-on", "alpha_nDCG@10", "-o", "m")
    assert "by subtopic" in refused(cli, "train", "demo-valid.txt", *options)


@pytest.mark.parametrize("rate", ["1e12", "1e30", "1e300"])
def test_a_rate_that_makes_the_loss_diverge_is_named(cli: Callable[..., Any], letor: Path, rate: str) -> None:
    said = refused(cli, "train", "demo-valid.txt", "--loss", "squared", "--learning-rate", rate, "-o", "m")
    assert mentions(said, "squared", "diverged")
    assert mentions(said, f"learning_rate={float(rate):g}", f" {float(rate) / 10:g}")


def test_one_that_grows_but_stays_finite_is_noted(cli: Callable[..., Any], letor: Path) -> None:
    done = cli("train", "demo-valid.txt", "--learning-rate", 1e4, "--epochs", 5, "-o", "m")
    assert done.code == 0
    assert mentions(done.out.splitlines(), "note: ", 10000, 1000)


def test_a_network_too_large_for_any_memory_is_refused(cli: Callable[..., Any], letor: Path) -> None:
    said = refused(cli, "train", "demo-valid.txt", "--hidden", "100000000000000", "-o", "m")
    assert mentions(said, "memory", "467 documents", "--hidden", "--batch-lists")


def test_where_the_model_goes_must_be_said_and_be_no_input(cli: Callable[..., Any], letor: Path) -> None:
    assert refused(cli, "train", "demo-valid.txt").startswith("Missing option '-o'")
    assert mentions(refused(cli, "train", "demo-valid.txt", "-o", "demo-valid.txt"), "demo-valid.txt: ", "overwritten")
    valid = ("--valid", "demo-test.txt", "-o", "demo-test.txt")
    assert mentions(refused(cli, "train", "demo-valid.txt", *valid), "demo-test.txt: ", "overwritten")
    assert mentions(refused(cli, "train", "demo-valid.txt", "-o", "-"), "-o", "file")
    assert "does not exist" in refused(cli, "train", "demo-valid.txt", "-o", "none/m")


def test_an_interrupt_leaves_no_file_and_the_old_model(
    cli: Callable[..., Any], letor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("m").write_text("precious")
    before = sorted(letor.iterdir())

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankscope.learning.trainer.Adam.step", interrupted)
    done = cli("train", "demo-valid.txt", "-o", "m")
    assert (done.code, done.out) == (130, "")
    assert len(done.err.strip().splitlines()) == 1
    assert mentions(done.err, "rankscope: ", "interrupted", "no result")
    assert Path("m").read_text() == "precious"
    assert sorted(letor.iterdir()) == before


def test_without_the_extra_nothing_is_read(
    cli: Callable[..., Any], letor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "safetensors.numpy", None)
    monkeypatch.setitem(__import__("sys").modules, "safetensors", None)
    monkeypatch.setattr("rankscope.cli.learn.train.read_features", lambda *_, **__: pytest.fail("it was read"))
    said = refused(cli, "train", "demo-valid.txt", "-o", "m")
    assert mentions(said, "safetensors", "pip install 'rankscope[learn]'")


def test_validation_columns_are_found_by_name(cli: Callable[..., Any], letor: Path) -> None:
    nogood("qid,grade,a,b\n" + "".join(f"{q},{d % 2},{d},{q}\n" for q in range(4) for d in range(4)), "train.csv")
    nogood("qid,b,more,grade,a\n" + "".join(f"{q},{q},7,{d % 2},{d}\n" for q in range(4) for d in range(4)), "v.csv")
    done = cli("train", "train.csv", "--valid", "v.csv", "--hidden", 0, "--epochs", 3, "-o", "m")
    assert done.code == 0
    assert mentions(done.out.splitlines(), "note: v: ", "'more'", "skipped")
    assert load_ranker("m").feature_names_ == ("a", "b")
    nogood("qid,grade,a\n1,1,2\n1,0,3\n", "less.csv")
    said = refused(cli, "train", "train.csv", "--valid", "less.csv", "-o", "n")
    assert mentions(said, "less: ", "'b'", "'a'")


def test_columns_without_numbers_and_features_that_never_vary_are_noted(cli: Callable[..., Any], letor: Path) -> None:
    nogood(
        "qid,grade,a,empty,same\n" + "".join(f"{q},{d % 2},{d},nan,3\n" for q in range(4) for d in range(4)), "t.csv"
    )
    done = cli("train", "t.csv", "--hidden", 0, "-o", "m")
    assert mentions(done.out.splitlines(), "note: t.csv: ", "'empty'", "skipped")
    assert mentions(done.out.splitlines(), "note: t: ", "1 feature", 2, "same value", "'same'")


def test_features_that_vary_in_a_handful_of_documents_are_noted(cli: Callable[..., Any], letor: Path) -> None:
    rows = "".join(f"{d // 20},{d % 2},{d},{int(d == 7)},{int(d < 40)},{int(d in (3, 5))}\n" for d in range(200))
    nogood("qid,grade,a,once,often,twice\n" + rows, "t.csv")
    done = cli("train", "t.csv", "--hidden", 0, "-o", "m")
    (note,) = (line for line in done.out.splitlines() if "too few" in line)
    assert mentions(note, "note: t: ", "2 features of 4", "'once' in 1 and 'twice' in 2", 200)
    assert load_ranker("m").scaling_.deviation[[1, 3]].tolist() == [0, 0]


def test_a_cache_beside_the_file_gives_the_same_model(cli: Callable[..., Any], letor: Path) -> None:
    for name in ("a", "b"):  # written, then read
        assert cli("train", "demo-valid.txt", "--cache", "--epochs", 2, "-o", name).code == 0
        assert Path("demo-valid.txt.rscache").exists()
    cli("train", "demo-valid.txt", "--epochs", 2, "-o", "c")
    assert Path("a").read_bytes() == Path("b").read_bytes() == Path("c").read_bytes()


def test_validation_by_the_file_that_is_trained_on_is_noted(cli: Callable[..., Any], letor: Path) -> None:
    for valid in ("demo-valid.txt", "./demo-valid.txt"):
        done = cli("train", "demo-valid.txt", "--valid", valid, "--epochs", 2, "-o", "m")
        assert done.code == 0
        assert mentions(done.out.splitlines(), f"{valid} ", "TRAIN", "--valid")
    assert "TRAIN" not in cli("train", "demo-valid.txt", "--valid", "demo-test.txt", "-o", "m").out


def test_features_that_only_validation_has_are_refused_with_the_line(cli: Callable[..., Any], letor: Path) -> None:
    nogood("1 qid:1 1:2 2:1\n0 qid:1 1:1\n", "few.txt")
    nogood("1 qid:1 1:2\n\n0 qid:1 2:1 5:3\n", "many.txt")
    said = refused(cli, "train", "few.txt", "--valid", "many.txt", "-o", "m")
    assert mentions(said, "many.txt:3: ", "5 features", "'3', '4' and '5'", "trained on 2")


@pytest.mark.parametrize("hidden", [0, 4])
@pytest.mark.parametrize("loss", ["lambdaloss", "approxndcg", "neuralndcg", "ranknet(weights='gains')", "lambdarank"])
def test_grades_whose_gains_are_no_numbers_are_no_fault_of_the_learning_rate(
    cli: Callable[..., Any], letor: Path, loss: str, hidden: int, recwarn: pytest.WarningsRecorder
) -> None:
    nogood("5000 qid:1 1:2 2:1\n0 qid:1 1:1\n1 qid:1 2:4\n", "high.txt")
    said = refused(cli, "train", "high.txt", "--loss", loss, "--hidden", hidden, "-o", "m")
    assert mentions(said, " 5000", "2^5000", "float64", 900)
    assert not recwarn.list


@pytest.mark.parametrize("loss", ["listnet", "ranknet", "listmle", "ranksvm", "softmax_cross_entropy", "approxmrr"])
def test_losses_without_powers_take_grades_of_any_height(cli: Callable[..., Any], letor: Path, loss: str) -> None:
    nogood("5000 qid:1 1:2 2:1\n0 qid:1 1:1\n1 qid:1 2:4\n", "high.txt")
    assert cli("train", "high.txt", "--loss", loss, "--hidden", 0, "--epochs", 2, "-o", "m").code == 0


def test_linear_before_a_loss_is_the_same_as_no_hidden_layers(cli: Callable[..., Any], letor: Path) -> None:
    for loss, name in (("linear:listnet", "a"), ("listnet", "b")):
        hidden = () if name == "a" else ("--hidden", 0)
        assert cli("train", "demo-train.txt", "--loss", loss, *hidden, "-o", name).code == 0
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert "lambdamart" in refused(cli, "train", "demo-train.txt", "-o", "c", "--loss", "linear:lambdamart")


def test_columns_of_features_may_be_called_otherwise(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{q},{(q * d) % 3},{d / 4},{(q + d) % 5}" for q in range(6) for d in range(4)]
    Path("plain.csv").write_text("\n".join(["query_id,relevance,x,y", *rows]) + "\n")
    Path("named.csv").write_text("\n".join(["Frage,Note,x,y", *rows]) + "\n")
    columns = ("--columns", "query_id=Frage,relevance=Note")
    for file, options in (("plain", ()), ("named", columns)):
        assert cli("train", f"{file}.csv", "--hidden", 0, "-o", f"{file}.model", *options).code == 0
    plain = cli("predict", "plain.model", "plain.csv").out
    assert plain
    assert cli("predict", "named.model", "named.csv", *columns).out == plain
    tested = cli("crossvalidate", "named.csv", "--loss", "linear:listnet", "--folds", 3, "--seeds", 1, *columns)
    assert tested.code == 0
    assert mentions(refused(cli, "train", "named.csv", "-o", "m"), "named.csv:1", "--columns query_id=NAME")
    assert mentions(refused(cli, "train", "named.csv", "-o", "m", "--cache", *columns), "--cache", "--columns")
    features = read_features("named.csv", columns={"query_id": "Frage", "relevance": "Note"})
    assert features.values.tolist() == read_features("plain.csv").values.tolist()
