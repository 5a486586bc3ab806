"""Runs that several workers share, whole or in pieces: bit for bit what one worker finds, says and refuses."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from helpers.joining import join_one, join_with_workers
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.same_scores import FORKS, assert_same_hits, assert_same_scores, what_is_raised
from helpers.strategies import cases, random_case
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
import rankscope.parallel.pool
import rankscope.parallel.run
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import make_plan
from rankscope.evaluation.joining import inputs
from rankscope.evaluation.joining import workers as pieces

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10"]


@pytest.fixture
def small(monkeypatch):
    """Pieces of at least so many bytes, so that tiny files are cut, too."""

    def set_size(size):
        monkeypatch.setattr(pieces, "MAX_PIECE_BYTES", size)
        monkeypatch.setattr(pieces, "MIN_PIECE_BYTES", size)

    set_size(200)
    return set_size


@pytest.fixture
def _forked(monkeypatch):
    """Other tests may have loaded polars, whose threads make workers spawn, which is slower; no unit here uses it."""
    monkeypatch.setattr(rankscope.parallel.pool, "start_method", lambda: "fork")


def run_lines(lists, tag="tag"):
    return "".join(
        f"{query} Q0 {doc} {rank} {score!r} {tag}\n"
        for query, docs in lists.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    )


def written(path, lists, tag="tag"):
    path.write_text(run_lines(lists, tag), "utf-8")
    return path


def assert_same_joined(one, other):
    assert (one.name, one.notes, one.path) == (other.name, other.notes, other.path)
    assert one.unjudged_queries == other.unjudged_queries
    assert_same_hits(one.hits, other.hits)


# In pieces, all in this process


@examples(60)
@given(
    case=cases(max_queries=6),
    size=st.integers(1, 300),
    ties=st.sampled_from(["doc_id_desc", "file", "average", "error"]),
    preset=st.sampled_from([None, "trec_eval"]),
    more=st.integers(0, 3),
)
def test_a_file_in_pieces_of_any_size_gives_the_hits_of_the_whole(tmp_path_factory, case, size, ties, preset, more):
    judged, listed = case
    listed = {**listed, **{f"stranger{i}": {"d1": 1.0, "d2": float(i)} for i in range(more)}}
    path = written(tmp_path_factory.mktemp("run") / "some.run", {q: docs for q, docs in listed.items() if docs})
    convention = make_plan(MEASURES[:2], ties=ties, preset=preset).convention
    qrels = rs.Qrels(judged)

    def whole():
        return [join_one(qrels, path, convention)]

    def in_pieces():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pieces, "MAX_PIECE_BYTES", size)
            patch.setattr(pieces, "MIN_PIECE_BYTES", size)
            return join_with_workers(qrels, [path], convention)

    raised = what_is_raised(whole)
    assert what_is_raised(in_pieces) == raised
    if raised is None:
        assert_same_joined(in_pieces()[0], whole()[0])


@pytest.fixture
def cut(monkeypatch):
    """How many units each file was cut into, by its name, and which of them failed."""
    found = {"units": {}, "failed": []}

    def count(place, run, input_, size, old=pieces.tasks_of_run):
        one = old(place, run, input_, size)
        found["units"][Path(run).name if isinstance(run, (str, Path)) else "memory"] = len(one)
        return one

    def watch(shared, unit, old=pieces.join_task):
        result = old(shared, unit)
        if result[1] is None:
            found["failed"].append(Path(unit.path).name)
        return result

    monkeypatch.setattr(pieces, "tasks_of_run", count)
    monkeypatch.setattr(pieces, "join_task", watch)
    return found


def joined_both_ways(qrels, runs, cut=None, **options):
    plan = make_plan(["AP"], **options)
    qrels = rs.Qrels(qrels)
    one = [join_one(qrels, run, plan.convention) for run in runs]
    other = join_with_workers(qrels, runs, plan.convention)
    for a, b in zip(one, other, strict=True):
        assert_same_joined(a, b)
    return one


def test_the_pieces_of_a_file_are_joined_and_not_the_file(tmp_path, small, cut):
    case = random_case(seed=1, queries=20)
    path = written(tmp_path / "a.run", case.run)
    joined_both_ways(case.qrels, [path])
    assert cut["units"]["a.run"] > 5
    assert cut["failed"] == []


def test_lines_of_a_query_in_two_pieces_are_merged_with_the_note_of_one_worker(tmp_path, small, cut):
    first = {f"q{i}": {f"d{j}": float(9 - j) for j in range(5)} for i in range(9)}
    text = run_lines(first) + run_lines({"q0": {"late": 99.0}, "q3": {"later": 98.0}})
    path = tmp_path / "mixed.run"
    path.write_text(text)
    (joined,) = joined_both_ways({f"q{i}": {"d1": 1, "late": 2} for i in range(9)}, [path])
    assert cut["units"]["mixed.run"] > 2
    assert mentions(joined.notes[0], 2, "together")


def test_a_query_without_judgments_in_two_pieces_is_noticed(tmp_path, small, cut):
    lists = {f"q{i}": {f"d{j}": float(9 - j) for j in range(5)} for i in range(9)}
    path = tmp_path / "mixed.run"
    path.write_text(run_lines({"x": {"d1": 3.0}}) + run_lines(lists) + run_lines({"x": {"d2": 2.0}}))
    (joined,) = joined_both_ways({f"q{i}": {"d1": 1} for i in range(9)}, [path])
    assert cut["units"]["mixed.run"] > 2
    assert cut["failed"] == []  # each piece by itself is sound
    assert mentions(joined.notes[0], 1, "together")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lambda lines: "\ufeff" + lines, id="byte order mark"),
        pytest.param(lambda lines: lines.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda lines: lines.replace(" ", "  \t"), id="several blanks"),
        pytest.param(lambda lines: lines.replace("\n", "\n# comment\n\n"), id="comments"),
        pytest.param(lambda lines: lines.rstrip("\n"), id="no newline at the end"),
        pytest.param(lambda lines: lines.replace(" tag", ""), id="no tag"),
        pytest.param(lambda lines: lines.replace(" tag", " a tag of words"), id="long tag"),
    ],
)
def test_lines_of_any_form_give_what_one_worker_reads(tmp_path, small, cut, text):
    case = random_case(seed=2, queries=12)
    path = tmp_path / "form.run"
    path.write_text(text(run_lines(case.run)), "utf-8", newline="")
    joined_both_ways(case.qrels, [path])
    assert cut["units"]["form.run"] > 2
    assert cut["failed"] == []


def test_a_byte_order_mark_within_joined_files_belongs_to_no_query(tmp_path, small):
    one, other = ({f"{letter}{i}": {"d1": 2.0} for i in range(9)} for letter in "ab")
    path = tmp_path / "two.run"
    path.write_text("\ufeff" + run_lines(one) + "\ufeff" + run_lines(other), "utf-8")
    for size in (1, 20, 50, 160):
        small(size)
        (joined,) = joined_both_ways({f"{letter}{i}": {"d1": 1} for i in range(9) for letter in "ab"}, [path])
        assert not joined.hits.missing.any()


BAD = {
    "few fields": lambda lines: [*lines[:40], "q7 Q0 d1\n", *lines[40:]],
    "score": lambda lines: [*lines[:40], lines[40].replace(" 2.0 ", " high "), *lines[41:]],
    "infinite": lambda lines: [*lines[:40], lines[40].replace(" 2.0 ", " inf "), *lines[41:]],
    "twice": lambda lines: [*lines[:41], lines[40], *lines[41:]],
    "nul": lambda lines: [*lines[:40], "q7 Q0 d\0 1 2 t\n", *lines[40:]],
    "two errors": lambda lines: [*lines[:30], "q7 Q0 d1\n", *lines[30:50], "q8\n", *lines[50:]],
    "error behind a query that comes again": lambda lines: [*lines[:30], lines[0], *lines[30:50], "q8\n", *lines[50:]],
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("size", [40, 150, 700])
def test_what_cannot_be_read_is_refused_with_the_line_of_the_file(tmp_path, small, monkeypatch, name, size):
    small(size)
    monkeypatch.chdir(tmp_path)
    lines = run_lines({f"q{i}": {"d1": 3.0, "d2": 2.0, "d3": 2.0} for i in range(30)}).splitlines(keepends=True)
    Path("bad.run").write_text("".join(BAD[name](lines)))
    qrels = rs.Qrels({f"q{i}": {"d1": 1} for i in range(30)})
    convention = make_plan(["AP"]).convention
    expected = what_is_raised(lambda: join_one(qrels, "bad.run", convention))
    assert expected is not None
    assert expected[0] is InputError
    assert what_is_raised(lambda: join_with_workers(qrels, ["bad.run"], convention)) == expected
    if name != "nul":
        assert "bad.run:" in expected[1]


@pytest.mark.parametrize(("ties", "qrels"), [("error", {"q3": {"d3": 1}}), ("file", {"other": {"d1": 1}})])
def test_ties_and_queries_that_are_refused_are_refused_alike(tmp_path, small, ties, qrels):
    path = written(tmp_path / "a.run", {f"q{i}": {"d1": 3.0, "d2": 2.0, "d3": 2.0} for i in range(30)})
    convention = make_plan(["AP"], ties=ties).convention
    expected = what_is_raised(lambda: join_one(rs.Qrels(qrels), path, convention))
    assert expected is not None
    assert what_is_raised(lambda: join_with_workers(rs.Qrels(qrels), [path], convention)) == expected


def test_a_run_none_of_whose_documents_was_judged_has_its_note(tmp_path, small, cut):
    path = written(tmp_path / "odd.run", {f"q{i}": {f"x{j}": float(-j) for j in range(20)} for i in range(9)})
    (joined,) = joined_both_ways({f"q{i}": {"d1": 1} for i in range(9)}, [path])
    assert cut["units"]["odd.run"] > 2
    assert mentions(joined.notes[0], 180, "judged", "'x0'", "'d1'")


def test_runs_of_all_kinds_are_joined_in_their_order(tmp_path, small, cut, monkeypatch):
    case = random_case(seed=3, queries=12)
    plain = written(tmp_path / "plain.run", case.run, "plain")
    packed = tmp_path / "packed.run.gz"
    packed.write_bytes(gzip.compress(run_lines(case.run, "packed").encode()))
    short = written(tmp_path / "short.run", dict(list(case.run.items())[:1]), "short")
    table = tmp_path / "table.json"
    table.write_text(json.dumps({next(iter(case.qrels)): {"d1": 2.5}}), "utf-8")
    memory = rs.Run(case.run, name="memory")
    found = joined_both_ways(case.qrels, [short, plain, memory, packed, table])
    assert [one.name for one in found] == ["short", "plain", "memory", "packed", "table"]
    assert (cut["units"]["packed.run.gz"], cut["units"]["memory"], cut["units"]["table.json"]) == (1, 0, 1)
    assert cut["failed"] == []


def test_of_several_bad_runs_the_first_is_told(tmp_path, small):
    good = {f"q{i}": {"d1": 3.0, "d2": 2.0} for i in range(30)}
    qrels, convention = rs.Qrels({"q1": {"d1": 1}}), make_plan(["AP"]).convention
    first, second = tmp_path / "first.run", tmp_path / "second.run"
    first.write_text(run_lines(good) + "q99 Q0\n")
    second.write_text("q99 Q0\n" + run_lines(good))
    bad = {"q1": {"d1": float("nan")}}
    for runs, name in (([first, second], "first.run:61"), ([second, first], "second.run:1"), ([bad, first], "nan")):
        with pytest.raises(InputError, match=name):
            join_with_workers(qrels, runs, convention)


def test_progress_counts_the_bytes_of_all_files(tmp_path, small):
    case = random_case(seed=4, queries=12)
    paths = [written(tmp_path / f"{name}.run", case.run, name) for name in "ab"]
    told = []
    join_with_workers(rs.Qrels(case.qrels), paths, make_plan(["AP"]).convention, progress=told.append)
    assert sum(told) == sum(path.stat().st_size for path in paths)
    assert len(told) > 4


# In processes


@FORKS
@pytest.mark.usefixtures("_forked")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
class TestProcesses:
    @pytest.mark.parametrize("workers", [2, 4])
    def test_any_number_of_workers_gives_the_scores_of_one(self, tmp_path, small, workers):
        case = random_case(seed=5, queries=25)
        paths = [written(tmp_path / f"{name}.run", case.run, name) for name in "ab"]
        for options in ({}, {"preset": "trec_eval"}, {"ties": "average"}, {"unjudged": "bounds"}):
            measures = ["nDCG@10", "AP", "P@5"] if options.get("ties") != "average" else ["nDCG@10", "P@5"]
            one = rs.evaluate(case.qrels, paths, measures, workers=1, **options)
            assert_same_scores(rs.evaluate(case.qrels, paths, measures, workers=workers, **options), one)

    def test_judgments_by_subtopic_reach_the_workers(self, tmp_path, small):
        lists = {f"q{i}": {f"d{j}": float((i * j) % 7) for j in range(12)} for i in range(12)}
        qrels = {f"q{i}": {"s1": {"d1": 1, "d2": 1}, "s2": {"d2": 1, "d5": 2}} for i in range(14)}
        path = written(tmp_path / "a.run", lists)
        one, two = (rs.evaluate(qrels, path, ["alpha_nDCG@10", "StRecall@5"], workers=n) for n in (1, 2))
        assert one.values.any()
        assert_same_scores(one, two)

    def test_missing_queries_and_strangers_are_told_alike(self, tmp_path, small):
        lists = {f"q{i}": {f"d{j}": float(j) for j in range(6)} for i in range(20)}
        path = written(tmp_path / "a.run", {**lists, "stranger": {"d1": 1.0}})
        qrels = {f"q{i}": {"d1": 1} for i in range(10, 30)}
        one, two = (rs.evaluate(qrels, path, "AP", missing="drop", workers=n) for n in (1, 2))
        assert one.missing.sum() == 10
        assert_same_scores(one, two)
        expected = what_is_raised(lambda: rs.evaluate(qrels, path, "AP", missing="error", workers=1))
        assert expected is not None
        assert what_is_raised(lambda: rs.evaluate(qrels, path, "AP", missing="error", workers=2)) == expected

    def test_an_error_in_a_worker_is_the_error_of_one(self, tmp_path, small):
        lists = {f"q{i}": {"d1": 3.0, "d2": 2.0} for i in range(30)}
        path = tmp_path / "bad.run"
        path.write_text(run_lines(lists) + "q99 Q0\n")
        with pytest.raises(InputError, match=r"bad\.run:61: 2 fields"):
            rs.evaluate({"q1": {"d1": 1}}, path, "AP", workers=2)

    def test_long_files_get_all_cores_and_short_ones_one(self, tmp_path, small, monkeypatch):
        asked = []

        def note(*args, old=pieces.join_in_workers):
            asked.append(args[2])
            return old(*args)

        monkeypatch.setattr(pieces, "join_in_workers", note)
        monkeypatch.setattr(rankscope.parallel.run, "all_cores", lambda: 3)
        case = random_case(seed=6, queries=12)
        path = written(tmp_path / "a.run", case.run)
        one = rs.evaluate(case.qrels, path, "AP")
        assert asked == []
        monkeypatch.setattr(inputs, "PARALLEL_BYTES", path.stat().st_size)
        assert_same_scores(rs.evaluate(case.qrels, path, "AP"), one)
        assert asked == [3]

    def test_nobody_gets_workers_unasked_that_would_run_his_script_again(self, tmp_path, small, monkeypatch):
        monkeypatch.setattr(rankscope.parallel.pool, "start_method", lambda: "spawn")
        monkeypatch.setattr(inputs, "PARALLEL_BYTES", 1)
        monkeypatch.setattr(rankscope.parallel.run, "all_cores", lambda: 2)
        assert inputs.n_workers(None, [written(tmp_path / "a.run", {"q": {"d": 1.0}})]) == 1
        assert inputs.n_workers(2, []) == 2

    def test_conventions_side_by_side_do_not_depend_on_workers(self, tmp_path, small):
        case = random_case(seed=7, queries=20)
        path = written(tmp_path / "a.run", case.run)
        one, two = (rs.compare_conventions(case.qrels, path, "AP", workers=n) for n in (1, 2))
        assert_same_bits((one.rows, one.notes), (two.rows, two.notes))


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", 10**6])
def test_what_is_no_number_of_workers_is_refused_before_anything_is_read(workers):
    with pytest.raises(ParameterError, match=r"workers .*\b1 to 1024"):
        rs.evaluate("not there.qrels", "not there.run", "AP", workers=workers)


def test_hits_survive_the_way_through_a_part(tmp_path):
    from rankscope.data.join import Joiner

    for seed, ties in enumerate(("doc_id_desc", "file", "average")):
        case = random_case(seed=seed, queries=8)
        qrels, convention = rs.Qrels(case.qrels), make_plan(["P@5"], ties=ties).convention
        hits = rs.hits_of(qrels, case.run, convention)
        there, joiner = Joiner(qrels, convention, "run"), Joiner(qrels, convention, "run")
        there.add_mapping(case.run)
        joiner.merge(there.part())
        assert_same_hits(joiner.finish(), hits)
        assert np.isfinite(hits.rank).all()
