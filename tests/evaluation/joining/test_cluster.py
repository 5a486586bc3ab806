"""`evaluate` and others on a Dask cluster: what they give on one worker, two and four, to the last bit."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from helpers.clusters import Processes, hide
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.errors import InputError
from rankscope.evaluation.joining import workers as pieces
from rankscope.parallel import cluster_run

pytest.importorskip("distributed", reason="the extra `scale` is not installed: pip install 'rankscope[scale]'")
fsspec = pytest.importorskip("fsspec", reason="the extra `scale` is not installed: pip install 'rankscope[scale]'")

MEASURES = ["nDCG@10", "AP", "RBP(p=0.8)", "infAP", "bpref"]
QUERIES, DOCUMENTS = 40, 30


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments, and runs in several formats, in the working folder; files are cut into pieces of two queries or so."""
    rng = np.random.default_rng(5)
    qrels, lines = [], []
    for q in range(QUERIES):
        qrels += [f"q{q} 0 d{d} {g}\n" for d, g in zip(rng.permutation(50)[:20], rng.integers(-1, 4, 20), strict=True)]
        scores = np.sort(rng.random(DOCUMENTS).round(2))[::-1]
        lines += [f"q{q} Q0 d{d} 1 {s} one\n" for d, s in zip(rng.permutation(50)[:DOCUMENTS], scores, strict=True)]
    text = "".join(lines)
    (tmp_path / "qrels").write_text("".join(line for line in qrels if not line.startswith("q3 ")))
    (tmp_path / "one.run").write_text(text)
    (tmp_path / "two.run.gz").write_bytes(gzip.compress(text.replace(" one\n", " two\n").encode(), mtime=0))
    (tmp_path / "mixed.run").write_text("".join(rng.permutation(lines)).replace(" one\n", " mixed\n"))
    rs.convert(str(tmp_path / "one.run"), str(tmp_path / "three.parquet"))
    monkeypatch.chdir(tmp_path)
    for bound in ("MAX_PIECE_BYTES", "MIN_PIECE_BYTES", "MAX_CLUSTER_PIECE_BYTES"):
        monkeypatch.setattr(pieces, bound, 1500)
    return tmp_path


@pytest.fixture
def sent(monkeypatch):
    """How many units were sent to the cluster."""
    found = []
    send = cluster_run.ClusterWorkers.send
    monkeypatch.setattr(cluster_run.ClusterWorkers, "send", lambda self, one: found.append(one) or send(self, one))
    return found


def same(scores, expected):
    assert scores.systems == expected.systems
    assert any(note.endswith("has no judgments and does not count: q3") for note in scores.notes)
    assert scores.notes == expected.notes
    assert_same_bits(scores.values, expected.values)
    assert scores.missing.tobytes() == expected.missing.tobytes()


RUNS = ["one.run", "two.run.gz", "mixed.run", "three.parquet"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("unjudged", ["nonrelevant", "skip"])
def test_values_are_the_same_on_one_worker_and_on_a_cluster(client, sent, unjudged):
    expected = rs.evaluate("qrels", RUNS, MEASURES, unjudged=unjudged, workers=1)
    assert not sent
    with rs.parallel.use(client):
        same(rs.evaluate("qrels", RUNS, MEASURES, unjudged=unjudged), expected)
    assert len(sent) > QUERIES / 4


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_values_are_the_same_on_two_and_four_workers_and_on_a_cluster(client):
    with rs.parallel.use(client):
        expected = rs.evaluate("qrels", RUNS, MEASURES)
    for workers in (2, 4):
        same(rs.evaluate("qrels", RUNS, MEASURES, workers=workers), expected)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("run", RUNS)
def test_a_single_file_is_read_where_the_workers_are(client, sent, run):
    expected = rs.evaluate("qrels", run, MEASURES, workers=1)
    with rs.parallel.use(client):
        same(rs.evaluate("qrels", run, MEASURES), expected)
    assert sent


def test_urls_are_cut_and_read_where_the_workers_are(client, sent, folder):
    memory = fsspec.filesystem("memory")
    for name in RUNS:
        memory.pipe(f"/cluster/{name}", (folder / name).read_bytes())
    expected = rs.evaluate("qrels", RUNS, MEASURES, workers=1)
    urls = [f"memory://cluster/{name}" for name in RUNS]
    with rs.parallel.use(client):
        found = rs.evaluate("qrels", urls, MEASURES)
    assert len(sent) > QUERIES / 4
    assert found.systems == expected.systems
    assert_same_bits(found.values, expected.values)
    assert [note.replace("memory://cluster/", "") for note in found.notes] == list(expected.notes)
    memory.rm("/cluster", recursive=True)


def test_a_file_that_is_damaged_is_told_as_without_a_cluster_and_may_be_left_out(client, folder):
    with (folder / "one.run").open("a") as file:
        file.write("q9999 Q0\n")
    for runs in (["two.run.gz", "one.run"], ["one.run", "two.run.gz"]):
        with pytest.raises(InputError) as expected:
            rs.evaluate("qrels", runs, "AP", workers=1)
        with rs.parallel.use(client):
            with pytest.raises(InputError) as found:
                rs.evaluate("qrels", runs, "AP")
            scores = rs.evaluate("qrels", runs, "AP", on_error="skip")
        assert str(found.value) == str(expected.value)
        same(scores, rs.evaluate("qrels", runs, "AP", on_error="skip", workers=1))
        assert len(scores.notes) == 2  # also on the query without judgments
        assert mentions(scores.notes, "on_error:skip", expected.value)


@pytest.mark.usefixtures("folder")
def test_an_empty_file_among_others_is_told_and_may_be_left_out(client):
    Path("empty.run").touch()
    with rs.parallel.use(client):
        with pytest.raises(InputError, match=r"^empty\.run: .*empty"):
            rs.evaluate("qrels", ["one.run", "empty.run"], "AP")
        scores = rs.evaluate("qrels", ["one.run", "empty.run"], "AP", on_error="skip")
    assert scores.systems == ("one",)
    assert mentions(scores.notes[0], "on_error:skip", "empty.run: ")


@pytest.mark.usefixtures("folder")
def test_fusion_is_tuned_the_same_on_a_cluster(client, sent):
    runs = [rs.read_run(name) for name in ("one.run", "mixed.run")]
    expected = rs.fusion.train("qrels", runs, "weighted-sum", measure="AP", folds=3, workers=1)
    with rs.parallel.use(client):
        found = rs.fusion.train("qrels", runs, "weighted-sum", measure="AP", folds=3)
    assert str(found) == str(expected)
    assert sent


@pytest.mark.slow
def test_workers_that_are_processes_elsewhere_give_the_same_and_name_what_they_cannot_see(folder, tmp_path_factory):
    """They run in another folder; one file is there for the first look, and gone when they read it."""
    expected = rs.evaluate("qrels", RUNS, MEASURES, workers=1)
    with Processes(tmp_path_factory.mktemp("elsewhere")) as processes:
        for _ in range(2):
            processes.worker()
        with rs.parallel.use(processes.address, timeout=60) as used:
            used.client.wait_for_workers(2, timeout=60)
            same(rs.evaluate("qrels", RUNS, MEASURES), expected)
            used.client.run(hide, str(folder / "one.run"))
            with pytest.raises(InputError, match=r"one\.run: worker tcp://\S+ cannot see"):
                rs.evaluate("qrels", RUNS, MEASURES)
            scores = rs.evaluate("qrels", RUNS, MEASURES, on_error="skip")
    assert scores.systems == expected.systems[1:]
    assert "cannot see the file" in scores.notes[0]
