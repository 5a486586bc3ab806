"""A folder of partitions is one run: what a file gives that holds them one after the other."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from helpers.clusters import Processes, hide
from helpers.joining import join_one, join_with_workers
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.same_scores import FORKS, assert_same_hits, assert_same_scores, what_is_raised
from helpers.strategies import cases, random_case
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, RankscopeError
from rankscope.evaluation.conventions import make_plan
from rankscope.evaluation.joining import workers as pieces
from rankscope.io.large_runs import ParquetSplit, split_rows
from rankscope.io.tables import formats as table_stretches
from rankscope.io.tables import formats as tables

COLUMNS = ("query_id", "doc_id", "score")
MEASURES = ["nDCG@10", "AP", "RR", "P@5"]


def rows_of(lists):
    return [(query, doc, score) for query, docs in lists.items() for doc, score in docs.items()]


def trec(rows, tag):
    return "".join(f"{query} Q0 {doc} 0 {score!r} {tag}\n" for query, doc, score in rows).encode()


def separated(rows, tag, mark=","):
    return "\n".join([mark.join(COLUMNS), *(mark.join(map(str, row)) for row in rows), ""]).encode()


def jsonl(rows, tag):
    return "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows).encode()


def parquet(path, rows, group=3):
    pl.DataFrame(rows, COLUMNS, orient="row").write_parquet(path, row_group_size=group)


TEXTS = {"trec": trec, "csv": separated, "tsv": partial(separated, mark="\t"), "jsonl": jsonl}
FORMS = [*TEXTS, "parquet", "gz"]


def write_part(path, rows, form="trec", tag="tag"):
    if form == "parquet":
        parquet(path, rows)
    else:
        text = TEXTS["trec" if form == "gz" else form](rows, tag)
        path.write_bytes(gzip.compress(text) if form == "gz" else text)


def write_folder(folder, parts, forms=("trec",), tag="tag"):
    folder.mkdir()
    for i, rows in enumerate(parts):
        write_part(folder / f"part-{i:04}", rows, forms[i % len(forms)], tag)
    return folder


def split(rows, number):
    return [part.tolist() for part in np.array_split(np.array(rows, object), number) if len(part)]


# Against a file that holds all


@st.composite
def folders(draw):
    """Judgments, the rows of a run, grouped or not, and where they are cut."""
    judged, listed = draw(cases(max_queries=5))
    rows = rows_of({**listed, "stranger": {"d1": 1.0, "d2": 0.5}})
    if draw(st.booleans()):
        rows = draw(st.permutations(rows))
    cuts = draw(st.lists(st.integers(1, max(1, len(rows) - 1)), max_size=4, unique=True))
    bounds = [0, *sorted(cut for cut in cuts if cut < len(rows)), len(rows)]
    return judged, [rows[a:b] for a, b in pairwise(bounds)]


@pytest.mark.parametrize("ties", ["doc_id_desc", "file", "average", "error"])
@examples(15, quick=4)
@given(case=folders(), forms=st.lists(st.sampled_from(FORMS), min_size=1, max_size=3), size=st.integers(1, 200))
def test_a_folder_gives_what_its_files_give_in_one(tmp_path_factory, ties, case, forms, size):
    judged, parts = case
    base = tmp_path_factory.mktemp("run")
    folder = write_folder(base / "tag", parts, forms)
    (base / "whole").write_bytes(trec([row for rows in parts for row in rows], "tag"))
    qrels, convention = rs.Qrels(judged), make_plan(["P@5"], ties=ties).convention

    def in_pieces():
        with pytest.MonkeyPatch.context() as patch:
            for name in ("MAX_PIECE_BYTES", "MIN_PIECE_BYTES"):
                patch.setattr(pieces, name, size)
            patch.setattr(table_stretches, "SLICE", 2)
            return join_with_workers(qrels, [folder], convention)[0]

    raised = what_is_raised(lambda: join_one(qrels, base / "whole", convention))
    if raised is not None:
        found = what_is_raised(lambda: join_one(qrels, folder, convention))
        assert found is not None
        assert found[0] is raised[0]
        assert what_is_raised(in_pieces) == found
        return
    whole = join_one(qrels, base / "whole", convention)
    one, other = join_one(qrels, folder, convention), in_pieces()
    for found in (one, other):
        assert_same_hits(found.hits, whole.hits)
        assert (found.name, found.path) == ("tag", folder)
        assert found.unjudged_queries == whole.unjudged_queries
        assert found.notes == tuple(note.replace(str(base / "whole"), str(folder)) for note in whole.notes)
    run, expected = rs.read_run(folder), rs.read_run(base / "whole")
    assert run.frame().equals(expected.frame())
    assert run.notes == one.notes


@examples(40)
@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=9),
    of=st.integers(1, 12),
    size=st.integers(1, 8),
)
def test_each_query_of_a_parquet_file_is_in_one_share(tmp_path_factory, lengths, of, size):
    path = tmp_path_factory.mktemp("run") / "run.parquet"
    rows = [(f"q{q}", f"d{i}", float(-i)) for q, length in enumerate(lengths) for i in range(length)]
    parquet(path, rows)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_stretches, "SLICE", size)
        for number in range(of):
            for part in split_rows(path, ParquetSplit(number, of)):
                found += zip(part.query_ids, np.diff(part.offsets).tolist(), strict=True)
    assert found == [(f"q{q}".encode(), length) for q, length in enumerate(lengths)]


# Shared among workers


@pytest.fixture
def small(monkeypatch):
    for name in ("MAX_PIECE_BYTES", "MIN_PIECE_BYTES", "MAX_CLUSTER_PIECE_BYTES"):
        monkeypatch.setattr(pieces, name, 600)
    monkeypatch.setattr(table_stretches, "SLICE", 16)


@pytest.fixture
def case():
    return random_case(seed=11, queries=24)


@pytest.fixture
def sent(monkeypatch):
    """The units that were joined in this process, by the names of their files, and whether each could be."""
    found = []

    def watch(shared, unit, old=pieces.join_task):
        result = old(shared, unit)
        found.append((Path(unit.path).name, isinstance(result[1], pieces.RunPart)))
        return result

    monkeypatch.setattr(pieces, "join_task", watch)
    return found


@pytest.mark.parametrize("form", ["trec", "parquet"])
def test_large_partitions_are_cut_further_and_none_is_read_twice(tmp_path, small, sent, case, form):
    lists = list(case.run.items())
    parts = [rows_of(dict(lists[:8])), rows_of(dict(lists[8:]))]
    folder = write_folder(tmp_path / "run", parts, [form])
    expected = rs.hits_of(case.qrels, case.run)
    (found,) = join_with_workers(rs.Qrels(case.qrels), [folder], make_plan(["AP"]).convention)
    assert_same_hits(found.hits, expected)
    names = [name for name, _ in sent]
    assert min(names.count("part-0000"), names.count("part-0001")) > 1
    assert all(good for _, good in sent)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("q12", "d9", float("nan")), "row 63: score is nan"),
        (("q12", "d2", 1.0), "row 63: document 'd2' of query 'q12' "),
        ((None, "d9", 1.0), "row 63: query_id is empty"),
    ],
    ids=["score", "twice", "no query"],
)
def test_what_cannot_be_read_of_parquet_in_shares_is_told_with_its_row(tmp_path, small, sent, row, said):
    rows = [(f"q{i // 5}", f"d{i % 5}", float(-i)) for i in range(100)]
    rows[63] = row
    folder = write_folder(tmp_path / "run", [rows], ["parquet"])
    qrels, convention = rs.Qrels({"q1": {"d1": 1}}), make_plan(["AP"]).convention
    for run in (folder, folder / "part-0000"):
        expected = what_is_raised(lambda run=run: join_one(qrels, run, convention))
        assert expected is not None
        assert expected[1].startswith(f"{folder / 'part-0000'}: {said}")
        assert what_is_raised(lambda run=run: join_with_workers(qrels, [run], convention)) == expected
    assert not all(good for _, good in sent)


def test_progress_counts_the_bytes_of_all_partitions(tmp_path, small, case):
    folder = write_folder(tmp_path / "run", split(rows_of(case.run), 3))
    in_this_process = lambda qrels, runs, convention, progress: join_one(qrels, runs[0], convention, progress=progress)  # noqa: E731
    for join in (join_with_workers, in_this_process):
        told = []
        join(rs.Qrels(case.qrels), [folder], make_plan(["AP"]).convention, progress=told.append)
        assert sum(told) == sum(path.stat().st_size for path in folder.iterdir())


@pytest.fixture
def _forked(monkeypatch):
    """Other tests have loaded polars, whose threads make workers spawn, which is slower; no unit here uses it."""
    monkeypatch.setattr("rankscope.parallel.pool.start_method", lambda: "fork")


def forks(test):
    """A test whose workers are forked."""
    ignored = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
    return FORKS(ignored(pytest.mark.usefixtures("_forked")(test)))


@forks
@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_any_number_of_workers_gives_the_scores_of_one(tmp_path, small, case, on_error):
    lists = list(case.run.items())
    whole = write_folder(tmp_path / "whole", [rows_of(dict(lists[i : i + 6])) for i in range(0, 24, 6)], ["trec", "gz"])
    mixed = write_folder(tmp_path / "mixed", split(rows_of(case.run), 5), ["gz", "trec"], "other")
    if on_error == "skip":
        (whole / "part-0002").write_bytes((whole / "part-0002").read_bytes() + b"q99 Q0\n")
    runs = [whole, tmp_path / "not there", mixed][:: 1 if on_error == "skip" else 2]
    one = rs.evaluate(case.qrels, runs, MEASURES, workers=1, on_error=on_error)
    assert one.systems == ("tag", "other")
    for workers in (2, 4):
        assert_same_scores(rs.evaluate(case.qrels, runs, MEASURES, workers=workers, on_error=on_error), one)


@pytest.mark.slow
def test_processes_give_the_scores_of_one_for_parquet(tmp_path, small, case):
    folder = write_folder(tmp_path / "run.parquet", split(rows_of(case.run), 3), ["parquet"])
    alone = tmp_path / "alone.parquet"
    parquet(alone, rows_of(case.run))
    one = rs.evaluate(case.qrels, [folder, alone], MEASURES, workers=1)
    for workers in (2, 4):
        assert_same_scores(rs.evaluate(case.qrels, [folder, alone], MEASURES, workers=workers), one)


def test_partitions_go_to_a_cluster(client, tmp_path, small, case, monkeypatch):
    lists = list(case.run.items())
    whole = write_folder(tmp_path / "whole", [rows_of(dict(lists[i : i + 6])) for i in range(0, 24, 6)], FORMS)
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for i, rows in enumerate(split(rows_of(case.run), 5)):
        parquet(mixed / f"part-{i:04}", rows, group=16)  # in fewer than by threes, for each piece is a task of Dask
    monkeypatch.chdir(tmp_path)
    for runs, on_error in ((["whole", "mixed"], "stop"), (["whole", "mixed", "bad"], "skip")):
        if on_error == "skip":
            write_folder(tmp_path / "bad", split(rows_of(case.run), 3), ["parquet", "csv"])
            (tmp_path / "bad" / "part-0001").write_bytes(b"")
        one = rs.evaluate(case.qrels, runs, MEASURES, workers=1, on_error=on_error)
        with rs.parallel.use(client):
            assert_same_scores(rs.evaluate(case.qrels, runs, MEASURES, on_error=on_error), one)
    assert {whole.name, mixed.name} <= {Path(run).name for run in runs}


@pytest.mark.slow
def test_a_partition_that_a_worker_cannot_see_is_named_or_left_out(client, tmp_path, tmp_path_factory, case):
    """It is there when the folder is listed, and gone when a worker reads it."""
    lists = list(case.run.items())
    folder = write_folder(tmp_path / "run", [rows_of(dict(lists[i : i + 6])) for i in range(0, 24, 6)])
    with Processes(tmp_path_factory.mktemp("elsewhere")) as processes:
        for _ in range(2):
            processes.worker()
        with rs.parallel.use(processes.address, timeout=60) as used:
            used.client.wait_for_workers(2, timeout=60)
            assert_same_scores(
                rs.evaluate(case.qrels, folder, MEASURES), rs.evaluate(case.qrels, rs.read_run(folder), MEASURES)
            )
            used.client.run(hide, str(folder / "part-0001"))
            with pytest.raises(InputError, match=r"part-0001: worker tcp://\S+ cannot see"):
                rs.evaluate(case.qrels, folder, MEASURES)
            scores = rs.evaluate(case.qrels, folder, MEASURES, on_error="skip")
    assert mentions(scores.notes[0], 4, 1, "skipped")
    assert "cannot see the file" in scores.notes[1]
    rest = dict(lists[:6] + lists[12:])
    assert_same_bits(scores.values, rs.evaluate(case.qrels, rest, MEASURES).values)


def test_a_url_of_a_folder_ends_with_a_slash(client, tmp_path, small, case, monkeypatch):
    fsspec = pytest.importorskip("fsspec", reason="the extra `scale` is not installed")
    monkeypatch.setattr(
        tables, "PARQUET", replace(tables.PARQUET, small_size=0)
    )  # which polars could not open by itself
    folder = write_folder(tmp_path / "run", split(rows_of(case.run), 3), ["trec", "parquet", "gz"])
    (folder / "_SUCCESS").touch()
    memory = fsspec.filesystem("memory")
    for path in folder.iterdir():
        memory.pipe(f"/partitions/run/{path.name}", path.read_bytes())
    memory.makedirs("/partitions/deep/inside", exist_ok=True)
    expected = rs.evaluate(case.qrels, folder, MEASURES, workers=1)
    for url in ("memory://partitions/run/", f"file://{folder}/"):
        one = rs.evaluate(case.qrels, url, MEASURES, workers=1)
        assert one.systems == expected.systems
        assert_same_bits(one.values, expected.values)
        assert rs.read_run(url).frame().equals(rs.read_run(folder).frame())
        with rs.parallel.use(client):
            assert_same_scores(rs.evaluate(case.qrels, url, MEASURES), one)
    for url, said in (
        ("memory://partitions/gone/", "no such folder"),
        ("memory://partitions/deep/", "folder inside"),
        ("memory://partitions/run/part-0000/", "is a file, .*folder"),
        (f"file://{folder}/part-0000/", "is a file, .*folder"),
        (f"file://{folder}", "directory, .*folder with /"),
    ):
        with pytest.raises(InputError, match=said):
            rs.evaluate(case.qrels, url, "AP", workers=1)
    memory.rm("/partitions", recursive=True)


# What the run is called, and what is left out


@pytest.mark.parametrize("end", ["", "/"])
def test_the_tag_names_the_run_where_all_agree_else_the_folder_does(tmp_path, end):
    qrels = {f"q{i}": {"d1": 1} for i in range(3)}
    folder = write_folder(tmp_path / "bm25.parquet", [[("q0", "d1", 1.0)], [("q1", "d1", 1.0)]], ["parquet"])
    assert rs.evaluate(qrels, f"{folder}{end}", "RR").systems == ("bm25",)
    write_part(folder / "part-0002", [("q2", "d1", 1.0)], tag="dense")
    assert rs.evaluate(qrels, f"{folder}{end}", "RR").systems == ("dense",)
    write_part(folder / "part-0001", [("q1", "d1", 1.0)], tag="sparse")
    scores = rs.evaluate(qrels, f"{folder}{end}", "RR")
    assert scores.systems == ("bm25",)
    assert scores.notes == rs.read_run(f"{folder}{end}").notes
    assert len(scores.notes) == 1
    assert mentions(scores.notes, f"{folder}{end}: ", "('sparse' and 'dense')", "'bm25'")


def test_the_working_folder_has_a_name_too(tmp_path, monkeypatch):
    folder = write_folder(tmp_path / "dense.csv", [[("q0", "d1", 1.0)]], ["csv"])
    monkeypatch.chdir(folder)
    assert rs.evaluate({"q0": {"d1": 1}}, ".", "RR").systems == ("dense",)


def test_what_writers_keep_beside_partitions_is_passed_over(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 1.0)]])
    for name in ("_SUCCESS", "_metadata", ".part-0000.crc"):
        (folder / name).write_bytes(b"\0")
    (folder / "_temporary").mkdir()
    assert rs.evaluate({"q0": {"d1": 1}}, folder, "RR").overall("RR") == 1.0


def test_lines_of_one_query_may_follow_each_other_from_file_to_file(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d2", 2.0)], [("q0", "d1", 1.0)], [("q1", "d1", 1.0)]])
    scores = rs.evaluate({"q0": {"d1": 1}, "q1": {"d1": 1}}, folder, "RR")
    assert scores.matrix("RR").tolist() == [[0.5, 1.0]]
    assert scores.notes == ()


# What is refused, in evaluate and in whatever else reads runs


def refused(folder, **options):
    qrels = {"q0": {"d1": 1}, "q1": {"d1": 1}}
    with pytest.raises(InputError) as caught:
        rs.evaluate(qrels, folder, "RR", workers=1, **options)
    with pytest.raises(InputError) as again:
        rs.read_run(folder)
    assert str(caught.value) == str(again.value)
    return str(caught.value)


def test_a_folder_without_partitions_is_refused(tmp_path):
    (tmp_path / "run").mkdir()
    assert mentions(refused(tmp_path / "run"), f"{tmp_path / 'run'}: ", "nothing")
    (tmp_path / "run" / "_SUCCESS").touch()
    assert mentions(refused(tmp_path / "run"), "nothing", ". or _")


def test_folders_inside_are_refused(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 1.0)]])
    (folder / "year=2024").mkdir()
    assert mentions(refused(folder), "year=2024: ", "folder inside")


def test_a_broken_link_is_refused(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 1.0)]])
    (folder / "part-0001").symlink_to(tmp_path / "gone")
    assert mentions(refused(folder), "part-0001: ", "no file")


@pytest.mark.parametrize("form", ["trec", "csv", "parquet"])
def test_an_empty_partition_is_named(tmp_path, form):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 1.0)]])
    if form == "trec":
        (folder / "part-0001").touch()
    elif form == "csv":
        (folder / "part-0001").write_text(",".join(COLUMNS) + "\n")
    else:
        pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}).write_parquet(
            folder / "part-0001"
        )
    said = refused(folder)
    assert said.startswith(f"{folder / 'part-0001'}: ")
    assert "expected" in said


def test_objects_that_cannot_be_read_in_part_are_no_partitions(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 1.0)]])
    (folder / "part-0001").write_text('{"q1": {"d1": 1.5}}')
    assert mentions(refused(folder), "part-0001: json ", "trec, csv, tsv", "jsonl, parquet")


def test_runs_of_several_systems_are_no_partitions_of_one(tmp_path):
    folder = write_folder(tmp_path / "runs", [[("q9", "d1", 1.0), ("q0", "d1", 1.0)]], tag="bm25")
    write_part(folder / "part-0001", [("q0", "d3", 1.0)], "csv")
    write_part(folder / "part-0002", [("q0", "d2", 1.0)], tag="dense")
    said = refused(folder)
    one, other = folder / "part-0000", folder / "part-0002"
    assert said.startswith(f"{other}: ")
    assert mentions(said, "'q0'", one, "'dense'", "'bm25'")
    write_part(folder / "part-0002", [("q9", "d2", 1.0)], tag="dense")  # a query without judgments
    assert mentions(refused(folder), f"{other}: ", "'q9'", one)


def test_a_document_in_two_partitions_is_named_with_both(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 1.0)], [("q1", "d1", 1.0), ("q0", "d1", 2.0)]])
    with pytest.raises(InputError) as caught:
        rs.evaluate({"q0": {"d1": 1}}, folder, "RR")
    said = str(caught.value)
    assert said.startswith(f"{folder / 'part-0001'}:2: ")
    assert mentions(said, "'d1'", "'q0'", f"{folder / 'part-0000'}:1")
    assert mentions(said, "run of its own")


def test_a_folder_is_no_file_of_judgments(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 1.0)]])
    with pytest.raises(InputError, match=r"directory, .*file"):
        rs.evaluate(folder, folder, "RR")


# Partitions that cannot be read


@forks
@pytest.mark.parametrize("workers", [1, 2])
def test_a_partition_that_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path, workers):
    folder = write_folder(tmp_path / "run", [[(f"q{i}", "d1", 1.0)] for i in range(4)])
    (folder / "part-0001").write_bytes(b"q1 Q0\n")
    (folder / "part-0003").write_bytes(b"")
    qrels = {f"q{i}": {"d1": 1} for i in range(4)}
    with pytest.raises(InputError, match=r"part-0001:1: 2 fields"):
        rs.evaluate(qrels, folder, "RR", workers=workers)
    scores = rs.evaluate(qrels, folder, "RR", workers=workers, on_error="skip")
    assert scores.matrix("RR").tolist() == [[1.0, 0.0, 1.0, 0.0]]
    incomplete, first, second, missing = scores.notes
    assert mentions(incomplete, f"{folder}: ", "'tag'", "incomplete", 4, 2)
    assert mentions(first, f"{folder} ", "on_error:skip", f"{folder / 'part-0001'}:1: ", 2)
    assert mentions(second, f"{folder} ", "on_error:skip", f"{folder / 'part-0003'}: ")
    assert mentions(missing, "tag ", 2, 4)


def test_a_query_that_two_sound_partitions_hold_is_merged_where_others_are_left_out(tmp_path):
    rows = [[("q0", "d2", 2.0)], [("q1", "d1", 1.0)], [("q0", "d1", 1.0)]]
    folder = write_folder(tmp_path / "run", rows)
    (folder / "part-0003").write_bytes(b"q0 Q0\n")
    scores = rs.evaluate({"q0": {"d1": 1}, "q1": {"d1": 1}}, folder, "RR", on_error="skip")
    assert scores.matrix("RR").tolist() == [[0.5, 1.0]]
    assert mentions(scores.notes[0], 4, 1, "skipped")
    assert mentions(scores.notes[-1], f"{folder}: ", 1, "merged")


@forks
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_of_which_nothing_can_be_read_is_left_out_as_a_whole(tmp_path, workers):
    good = write_folder(tmp_path / "good", [[("q0", "d1", 1.0)]])
    bad = write_folder(tmp_path / "bad", [[("q0", "d1", 1.0)]] * 2)
    for path in bad.iterdir():
        path.write_bytes(b"q0\n")
    scores = rs.evaluate({"q0": {"d1": 1}}, [bad, good], "RR", on_error="skip", workers=workers)
    assert scores.systems == ("tag",)
    (said,) = scores.notes
    assert mentions(said, "on_error:skip", f"{bad}: ", 2)


@forks
@pytest.mark.parametrize("workers", [1, 2])
def test_a_folder_of_several_systems_is_left_out_and_the_next_run_is_read_all_the_same(tmp_path, workers):
    several = write_folder(tmp_path / "several", [[("q0", "d1", 1.0)]], tag="bm25")
    for i in range(1, 5):
        write_part(several / f"part-{i:04}", [("q0", f"d{i}", 1.0)], tag="dense")
    good = write_folder(tmp_path / "good", [[("q0", "d2", 2.0)], [("q0", "d1", 1.0)]])
    scores = rs.evaluate({"q0": {"d1": 1}}, [several, good], "RR", on_error="skip", workers=workers)
    assert (scores.systems, scores.overall("RR")) == (("tag",), 0.5)
    (said,) = scores.notes
    assert mentions(said, "on_error:skip", f"{several / 'part-0001'}: ", "'q0'", several / "part-0000")


def test_partitions_of_other_queries_only_are_no_run_for_these_judgments(tmp_path):
    folder = write_folder(tmp_path / "run", [[("x", "d1", 1.0)], [("y", "d1", 1.0)]])
    with pytest.raises(RankscopeError, match=r"'tag' .*\(qrels: q0; run: x, y\)"):
        rs.evaluate({"q0": {"d1": 1}}, folder, "RR")


@given(st.lists(st.integers(1, 3000)), st.integers(1, 4000))
def test_small_files_share_a_unit_of_work_in_their_order(sizes, most):
    tasks = [pieces.JoinTask((0, i), "", "", True, size) for i, size in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "FILE_COST", 100)
        batches = list(pieces.batches_of(iter(tasks), most))
        cost = lambda batch: sum(max(task.size, 100) for task in batch)  # noqa: E731
        assert [task for batch in batches for task in batch] == tasks
        assert all(batch and (len(batch) == 1 or cost(batch) <= most) for batch in batches)
        assert all(cost([*batch, following[0]]) > most for batch, following in pairwise(batches))


def test_of_partitions_of_a_few_lines_64_are_one_unit_of_work(tmp_path, monkeypatch):
    queries = [f"q{i}" for i in range(130)]
    folder = write_folder(tmp_path / "run", [[(query, "d1", 1.0)] for query in queries])
    sent = []

    def watch(function, units, *, shared, **_):
        for unit in units:
            sent.append(len(unit))
            yield function(shared, unit)

    monkeypatch.setattr(pieces, "run_units", watch)
    scores = rs.evaluate({query: {"d1": 1} for query in queries}, folder, "RR", workers=2)
    assert scores.overall("RR") == 1.0
    assert sent == [64, 64, 2]


def test_whatever_reads_runs_takes_folders(tmp_path):
    folder = write_folder(tmp_path / "run", [[("q0", "d1", 2.0)], [("q1", "d1", 1.0), ("q1", "d2", 0.5)]])
    target = tmp_path / "target.run"
    assert rs.convert(folder, target) == ()
    assert target.read_text() == "q0 Q0 d1 1 2.0 tag\nq1 Q0 d1 1 1.0 tag\nq1 Q0 d2 2 0.5 tag\n"
    assert rs.Evaluator({"q1": {"d2": 1}}, "RR")(folder).overall("RR") == 0.5
    assert rs.compare_conventions({"q1": {"d2": 1}}, folder, "RR").rows[0][3] == 0.5
    assert rs.hits_of({"q1": {"d2": 1}}, folder).rank.tolist() == [2.0]
    fused = rs.fusion.fuse([folder, target], "comb-sum")
    assert set(fused.query_ids) == {"q0", "q1"}
    with pytest.raises(RankscopeError, match="overwritten"):
        rs.convert(folder, folder / "part-0000", to="trec")
