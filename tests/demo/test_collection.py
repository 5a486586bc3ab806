"""The simulated collection is what its page says."""

from collections import Counter

import pytest
from helpers.same import assert_same_bits

from rankscope import Qrels, Run, evaluate
from rankscope.demo import collection as module
from rankscope.demo.collection import SYSTEMS, collection_files, make_collection, write_collection, write_files
from rankscope.errors import OutputError


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


def test_every_query_has_three_to_six_subtopics_under_which_each_judged_document_stands(collection):
    assert collection.subtopics.keys() == collection.qrels.keys()
    assert {len(of) for of in collection.subtopics.values()} == {3, 4, 5, 6}
    for query, of in collection.subtopics.items():
        assert all(list(docs) == list(collection.qrels[query]) for docs in of.values())


def test_the_highest_grade_of_a_document_over_subtopics_is_the_one_it_has_without_them(collection):
    for query, docs in collection.qrels.items():
        of = collection.subtopics[query].values()
        assert {doc: max(grades[doc] for grades in of) for doc in docs} == docs


def test_most_relevant_documents_are_about_the_first_subtopic_and_some_about_two(collection):
    about = Counter()
    numbers = Counter()
    for query, docs in collection.qrels.items():
        for doc in (doc for doc, grade in docs.items() if grade > 0):
            of = [s for s, grades in collection.subtopics[query].items() if grades[doc] > 0]
            about.update(of)
            numbers[len(of)] += 1
    assert about["1"] > about["2"] > about["3"] > about["4"] > about["5"] > about["6"] > 0
    assert numbers.keys() == {1, 2}
    assert 0.02 < numbers[2] / numbers.total() < module.SECOND_SUBTOPIC_SHARE


@pytest.mark.parametrize("seed", [2003, 1, 2])
def test_one_run_shows_more_subtopics_than_the_better_ones(seed):
    made = make_collection(seed)
    runs = [Run(dict(lists), name=name) for name, lists in made.runs.items()]
    scores = evaluate(Qrels(made.subtopics), runs, ["nDCG@10", "alpha_nDCG@10", "StRecall@10"])
    assert [scores.systems[i] for i in scores.summary("nDCG@10").argsort()[::-1][:2]] == ["rerank", "hybrid"]
    for measure in ("alpha_nDCG@10", "StRecall@10"):
        assert scores.systems[scores.summary(measure).argmax()] == module.DIVERSE == "hybrid"


def test_subtopics_change_no_other_file(monkeypatch):
    """Judgments by subtopic have a random stream of their own: what other pages show of the demo stays."""
    monkeypatch.setattr(module, "make_collection", module.make_collection.__wrapped__)  # keeps none
    files = collection_files(3)
    monkeypatch.setattr(module, "SUBTOPICS", (2, 9))
    monkeypatch.setattr(module, "SECOND_SUBTOPIC_SHARE", 0.7)
    others = collection_files(3)
    assert list(files) == ["demo.qrels", "demo-diversity.qrels", *(f"{name}.run" for name in SYSTEMS)]
    assert [name for name in files if files[name] != others[name]] == ["demo-diversity.qrels"]


def test_files_hold_what_the_collection_holds(tmp_path, collection):
    paths = {p.name: p for p in write_collection(tmp_path)}
    files = evaluate(paths["demo.qrels"], paths["bm25.run"], ["AP", "nDCG@10"])
    memory = evaluate(collection.qrels, dict(collection.runs["bm25"]), ["AP", "nDCG@10"])
    assert_same_bits(files.values, memory.values)
    diverse = evaluate(paths["demo-diversity.qrels"], paths["bm25.run"], ["AP", "nDCG@10", "AP_IA"])
    assert_same_bits(diverse.values[:, :2], files.values)
    assert_same_bits(
        diverse.matrix("AP_IA"), evaluate(Qrels(collection.subtopics), paths["bm25.run"], ["AP_IA"]).values[0]
    )


def test_a_folder_that_is_not_empty_is_refused_and_untouched(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"not empty.*--overwrite"):
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
    with pytest.raises(OutputError, match="taken: is a file"):
        write_files(tmp_path / "taken", {"a": "b"})
    with pytest.raises(OutputError, match="no folder"):
        write_files(tmp_path / "taken" / "inside", {"a": "b"})
