"""The simulated collection is what its page says."""

from collections import Counter

import pytest

from rankscope.demo.collection import SYSTEMS, collection_files, make_collection, write_collection, write_files
from rankscope.errors import OutputError
from rankscope.evaluation.engine import evaluate


@pytest.fixture(scope="module")
def collection():
    return make_collection()


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    first = write_collection(tmp_path / "a", 7)
    second = write_collection(tmp_path / "b", 7)
    assert [p.name for p in first] == [p.name for p in second]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_another_seed_writes_other_bytes():
    assert collection_files(1) != collection_files(2)


def test_there_are_fifty_queries_with_grades_from_0_to_3(collection):
    assert len(collection.qrels) == 50
    assert {grade for docs in collection.qrels.values() for grade in docs.values()} == {0, 1, 2, 3}


def test_every_query_has_a_relevant_document(collection):
    assert all(max(docs.values()) > 0 for docs in collection.qrels.values())


def test_there_are_six_runs_of_a_hundred_documents_and_one_lacks_two_queries(collection):
    assert [len(lists) for lists in collection.runs.values()] == [50, 50, 48, 50, 50, 50]
    assert {len(docs) for lists in collection.runs.values() for docs in lists.values()} == {100}


def test_the_judgments_are_incomplete_at_the_top_and_more_so_further_down(collection):
    def judged(system, begin, end):
        lists = collection.runs[system]
        return sum(doc in collection.qrels[q] for q, docs in lists.items() for doc in list(docs)[begin:end])

    for system, lists in collection.runs.items():
        top, deep = judged(system, 0, 20) / (20 * len(lists)), judged(system, 80, 100) / (20 * len(lists))
        assert deep < top < 1
    for system in ("rerank", "dense", "bm25"):  # these were pooled
        assert judged(system, 0, 20) > 0.85 * 20 * len(collection.runs[system])


def test_runs_hold_ties_and_the_simplest_system_most(collection):
    def tied(system):
        counts = [Counter(docs.values()) for docs in collection.runs[system].values()]
        return sum(n for count in counts for n in count.values() if n > 1) / (100 * len(counts))

    assert tied("boolean") > 0.9
    assert 0 < tied("bm25") < 0.9


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "R@100"])
def test_the_systems_come_out_in_the_order_in_which_they_were_made(collection, measure):
    means = [evaluate(collection.qrels, dict(lists), [measure]).overall(measure) for lists in collection.runs.values()]
    assert list(collection.runs) == list(SYSTEMS)
    assert means == sorted(means, reverse=True)
    assert len(set(means)) == 6


def test_files_hold_what_the_collection_holds(tmp_path, collection):
    paths = {p.name: p for p in write_collection(tmp_path)}
    files = evaluate(paths["demo.qrels"], paths["bm25.run"], ["AP", "nDCG@10"])
    memory = evaluate(collection.qrels, dict(collection.runs["bm25"]), ["AP", "nDCG@10"])
    assert (files.values == memory.values).all()


def test_a_folder_that_is_not_empty_is_refused_and_untouched(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"not empty; name another one, or pass --overwrite"):
        write_collection(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_overwrite_replaces_the_files_of_the_demo_and_leaves_others_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "demo.qrels").write_text("old")
    paths = write_collection(tmp_path, overwrite=True)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "demo.qrels").read_text() == collection_files(2003)["demo.qrels"]
    assert {p.name for p in tmp_path.iterdir()} == {"mine.txt"} | {p.name for p in paths}


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(OutputError, match="is a file, expected a folder"):
        write_files(tmp_path / "taken", {"a": "b"})
    with pytest.raises(OutputError, match="cannot be used"):
        write_files(tmp_path / "taken" / "inside", {"a": "b"})
