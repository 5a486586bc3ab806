"""`--dask`: what is printed is what one worker gives, and what is wrong is told in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope.demo.collection import SEED, write_collection
from rankscope.demo.letor import letor_files
from rankscope.parallel import cluster as cluster_checks
from rankscope.parallel import cluster_run
from rankscope.parallel.cluster import IN_USE

EVALUATE = ("evaluate", "demo.qrels", "bm25.run", "boolean.run", "--by-query", "--format", "json")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a scheduler with two workers, all in this process."""
    distributed = pytest.importorskip(
        "distributed", reason="the extra `scale` is not installed: pip install 'rankscope[scale]'"
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is sent to the cluster."""
    found: list[object] = []
    send = cluster_run.ClusterWorkers.send

    def counted(self: Any, one: Any) -> None:
        found.append(one)
        send(self, one)

    monkeypatch.setattr(cluster_run.ClusterWorkers, "send", counted)
    return found


def refused(cli: Callable[..., Any], *arguments: object) -> str:
    done = cli(*arguments)
    assert (done.code, done.out) == (2, ""), done.err
    assert done.err.count("\n") == 1
    assert IN_USE == []
    return str(done.err.removeprefix("rankscope: ").rstrip("\n"))


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    "command",
    [
        EVALUATE,
        ("compare", "demo.qrels", "bm25.run", "boolean.run", "--format", "json"),
        ("stability", "demo.qrels", "bm25.run", "boolean.run", "dense.run", "--seed", "5", "--format", "json"),
        ("fuse", "bm25.run", "dense.run", "--train", "demo.qrels", "--folds", "3", "--format", "json"),
    ],
    ids=lambda command: command[0],
)
def test_what_is_printed_is_the_same_on_a_cluster(cli, address, sent, command):
    expected = cli(*command)
    assert expected.code == 0, expected.err
    assert_same_bits(cli(*command, "--dask", address), expected)
    assert sent


def test_crossvalidation_is_the_same_on_a_cluster(cli, address, sent, tmp_path, monkeypatch):
    (tmp_path / "train.txt").write_text(letor_files(SEED)["demo-train.txt"])
    monkeypatch.chdir(tmp_path)
    command = ("crossvalidate", "train.txt", "--loss", "linear:listnet", "--seeds", 1, "--epochs", 2, "--format", "csv")
    expected = cli(*command, "--workers", 1)
    assert expected.code == 0, expected.err
    assert_same_bits(cli(*command, "--dask", address).out, expected.out)
    assert len(sent) == 5


@pytest.mark.usefixtures("demo")
def test_a_file_that_is_damaged_is_told_as_by_one_worker(cli, address):
    with open("boolean.run", "a") as file:
        file.write("a line\n")
    assert refused(cli, *EVALUATE, "--dask", address) == refused(cli, *EVALUATE, "--workers", 1)


@pytest.mark.usefixtures("demo")
def test_an_address_nobody_answers_at_is_named_with_the_time_limit(cli, address):
    found = refused(cli, *EVALUATE, "--dask", "tcp://127.0.0.1:1", "--dask-timeout", 0.3)
    assert mentions(found, "Dask", "tcp://127.0.0.1:1 ", "0.3 seconds", "--dask-timeout")


@pytest.mark.usefixtures("demo")
def test_what_is_no_address_is_told(cli):
    assert mentions(refused(cli, *EVALUATE, "--dask", "somewhere"), "'somewhere'", "Dask", "address")


@pytest.mark.usefixtures("demo")
def test_workers_of_another_version_are_refused(cli, address, monkeypatch):
    monkeypatch.setattr(cluster_checks, "__version__", "99.1")
    assert mentions(refused(cli, *EVALUATE, "--dask", address), "expected 99.1")


@pytest.mark.usefixtures("demo")
def test_without_dask_it_is_said_what_to_install(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = refused(cli, *EVALUATE, "--dask", "tcp://127.0.0.1:1")
    assert mentions(found, "Dask", "pip install 'rankscope[scale]'")


@pytest.mark.usefixtures("demo")
def test_options_that_exclude_each_other_are_refused_before_anything_is_asked(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    cluster = ("--dask", "tcp://127.0.0.1:1")
    assert "--dask cannot be combined with --workers" in refused(cli, *EVALUATE, *cluster, "--workers", 2)
    assert "--dask-timeout needs --dask" in refused(cli, *EVALUATE, "--dask-timeout", 2)
    assert "--dask needs --train" in refused(cli, "fuse", "bm25.run", "boolean.run", "-o", "a.run", *cluster)


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("seconds", [0, -1, "soon"])
def test_a_time_limit_is_a_number_above_0(cli, seconds):
    assert "--dask-timeout" in refused(cli, *EVALUATE, "--dask", "a:1", "--dask-timeout", seconds)


@pytest.mark.usefixtures("demo")
def test_machine_judgments_are_not_for_a_cluster(cli, address):
    found = refused(cli, *EVALUATE[:4], "--machine", "demo.qrels", "--dask", address)
    assert found.startswith("--machine cannot be combined with --dask")


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("cluster", [False, True])
def test_a_run_that_cannot_be_read_is_left_out_where_that_is_asked_for(cli, request, cluster):
    Path("empty.run").touch()
    where = ("--dask", request.getfixturevalue("address")) if cluster else ()
    command = ("evaluate", "demo.qrels", "empty.run", "bm25.run", *where)
    assert mentions(refused(cli, *command), "empty.run: ", "is empty")
    done = cli(*command, "--on-error", "skip")
    assert done.code == 0
    assert "bm25" in done.out
    assert mentions((done.out + done.err).splitlines(), "on_error:skip", "empty.run: ", "is empty")


@pytest.mark.usefixtures("demo")
def test_leaving_runs_out_is_not_for_what_asks_for_all(cli):
    command = ("evaluate", "demo.qrels", "bm25.run", "--on-error", "skip")
    assert "--conventions cannot be combined with --on-error" in refused(cli, *command, "--conventions", "nDCG@10")
    assert "--machine cannot be combined with --on-error" in refused(cli, *command, "--machine", "demo.qrels")
