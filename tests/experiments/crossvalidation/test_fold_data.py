"""Folds as features: read once, with the same features, cut at random where there is one file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Features
from rankscope.errors import InputError, ParameterError
from rankscope.experiments.crossvalidation import cross_validate, join_features, read_folds
from rankscope.experiments.crossvalidation import folds as fold_data
from rankscope.experiments.crossvalidation.folds import align_parts


def letor(queries: range, width: int = 2) -> str:
    lines = [
        f"{(q + d) % 2} qid:{q} " + " ".join(f"{f + 1}:{q + d / 10 + f}" for f in range(width)) + f" #docid = D{d}"
        for q in queries
        for d in range(3)
    ]
    return "\n".join(lines) + "\n"


def subsets(folder: Path, n: int = 3) -> Path:
    for i in range(n):
        (folder / f"S{i + 1}.txt").write_text(letor(range(10 * i, 10 * i + i + 2)))
    return folder


def test_each_file_is_read_once_and_a_ring_puts_them_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, real = [], fold_data.read_features
    monkeypatch.setattr(
        fold_data, "read_features", lambda path, **more: (read.append(path.name), real(path, **more))[1]
    )
    found = read_folds(subsets(tmp_path, 4))
    assert sorted(read) == ["S1.txt", "S2.txt", "S3.txt", "S4.txt"]
    first = join_features(found.folds[0].train, "training")
    assert first.query_ids == ("0", "1", "10", "11", "12")
    assert np.diff(first.offsets).tolist() == [3] * 5
    assert first.values[:, 0] == pytest.approx(
        [0, 0.1, 0.2, 1, 1.1, 1.2, 10, 10.1, 10.2, 11, 11.1, 11.2, 12, 12.1, 12.2]
    )
    assert (found.folds[0].valid.query_ids, found.folds[0].test.query_ids[0]) == (("20", "21", "22", "23"), "30")
    assert (found.name, found.how, found.notes, found.max_grade) == (tmp_path.name, "4", (), 1)


def test_a_cache_is_kept_beside_each_file_where_asked_for_and_not_taken_for_data(tmp_path: Path) -> None:
    once = read_folds(subsets(tmp_path), cache=True)
    assert sorted(path.name for path in tmp_path.glob("*.rscache")) == [f"S{i}.txt.rscache" for i in (1, 2, 3)]
    again = read_folds(tmp_path, cache=True)
    for a, b in zip(once.folds, again.folds, strict=True):
        np.testing.assert_array_equal(a.test.values, b.test.values)


def test_a_file_that_leaves_out_the_last_features_has_zeros_there(tmp_path: Path) -> None:
    subsets(tmp_path)
    (tmp_path / "S2.txt").write_text(letor(range(50, 52), width=3))
    found = read_folds(tmp_path)
    assert found.feature_names == ("1", "2", "3")
    assert found.folds[1].test.values[:, 2].tolist() == [0] * 6  # S1
    assert (found.folds[0].train[0].values[:, 2] == 0).all()


def test_named_features_may_stand_in_another_order_but_not_be_missing(tmp_path: Path) -> None:
    for i, head in enumerate(("a,b", "b,a", "a,b"), 1):
        (tmp_path / f"S{i}.csv").write_text(f"query_id,relevance,{head}\nq{i},1,{i},20\nq{i},0,3,40\n")
    found = read_folds(tmp_path)
    assert found.folds[2].test.values.tolist() == [[20, 2], [40, 3]]  # S2: a, b
    (tmp_path / "S3.csv").write_text("query_id,relevance,a,c\nq3,1,1,2\n")
    with pytest.raises(InputError, match=r"S1\.csv: no feature c\b"):
        read_folds(tmp_path)


def test_queries_of_one_file_are_dealt_out_whole_and_each_is_tested_on_once(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text(letor(range(17)))
    found = read_folds(path, folds=4, rng=3)
    assert [len(fold.test.query_ids) for fold in found.folds] == [4, 5, 4, 4]  # a ring begins with the last
    assert sorted(int(q) for fold in found.folds for q in fold.test.query_ids) == list(range(17))
    for fold in found.folds:
        parts = [
            set(join_features(fold.train, "training").query_ids),
            set(fold.valid.query_ids),
            set(fold.test.query_ids),
        ]
        assert sum(map(len, parts)) == len(set.union(*parts)) == 17
    assert (found.name, found.how) == ("all", "4,cut at random")
    again, other = read_folds(path, folds=4, rng=3), read_folds(path, folds=4, rng=4)
    assert again.folds[0].test.query_ids == found.folds[0].test.query_ids != other.folds[0].test.query_ids


def test_features_are_cut_as_a_file_is(tmp_path: Path) -> None:
    features = Features.of(np.arange(24.0).reshape(12, 2), [0, 1] * 6, sizes=[2] * 6)
    found = read_folds(features, folds=3)
    assert sum(len(fold.test) for fold in found.folds) == 12


def test_query_ids_that_a_ranker_has_seen_are_told(tmp_path: Path) -> None:
    for fold in (1, 2):
        for i, name in enumerate(("train", "vali", "test")):
            path = tmp_path / f"Fold{fold}" / f"{name}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(letor(range(10 * i * (fold - 1), 10 * i * (fold - 1) + 2)))
    (note,) = read_folds(tmp_path).notes
    assert mentions(note, "Fold1", "2 query ids", "test lists", "training or validation")


def test_folds_with_the_same_test_lists_are_told(tmp_path: Path) -> None:
    for fold in (1, 2, 3):
        for i, name in enumerate(("train", "vali", "test")):
            path = tmp_path / f"Fold{fold}" / f"{name}.txt"
            path.parent.mkdir(exist_ok=True)
            first = 900 if name == "test" and fold < 3 else 10 * fold + 100 * i
            path.write_text(letor(range(first, first + 2)))
    (note,) = read_folds(tmp_path).notes
    assert mentions(note, "Fold1 and Fold2", "same test lists", "2 times")


def test_notes_of_the_files_are_kept(tmp_path: Path) -> None:
    subsets(tmp_path)
    (tmp_path / "S2.txt").write_text("1 qid:5 1:1 2:2\n0 qid:6 1:2 2:1\n0 qid:5 1:3 2:2\n")
    assert "not together" in read_folds(tmp_path).notes[0]


@pytest.mark.parametrize("folds", [2, 0, True, 3.0, "3"])
def test_fewer_than_three_folds_of_a_file_are_refused(folds: object) -> None:
    with pytest.raises(ParameterError, match=r"\bfolds\b.*\b3\b"):
        cross_validate(Features.of(np.ones((9, 1)), sizes=[3, 3, 3]), folds=folds)


def test_more_folds_than_queries_and_folds_of_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\b3 queries\b.*\bfolds\b.*\b4\b"):
        read_folds(Features.of(np.ones((9, 1)), sizes=[3, 3, 3]), folds=4)
    with pytest.raises(ParameterError, match=r"\bfolds\b.*\bfolder\b"):
        read_folds(subsets(tmp_path), folds=3)


def test_joined_features_are_those_of_the_parts() -> None:
    one = Features.of([[1.0], [2.0]], [1, 0], ["a", "a"])
    two = Features.of([[3.0], [4.0], [5.0]], [0, 2, 1], ["b", "b", "c"])
    both = join_features([one, two], "both")
    assert both.values[:, 0].tolist() == [1, 2, 3, 4, 5]
    assert (both.relevance.tolist(), both.offsets.tolist()) == ([1, 0, 0, 2, 1], [0, 2, 4, 5])
    assert (both.query_ids, both.name) == (("a", "b", "c"), "both")
    assert join_features([one], "alone") is one


def test_queries_of_one_name_in_two_parts_stay_two():
    part = Features.of([[1.0], [2.0]], [1, 0], ["q", "r"], name="S1")
    found = join_features([part, part.select([0])], "both")
    assert found.query_ids == ("1:q", "1:r", "2:q")
    assert join_features([part.select([0]), part.select([1])], "both").query_ids == ("q", "r")


def test_a_column_that_is_empty_in_one_file_is_zero_there():
    full = Features.of([[1.0, 2.0]], [1], ["q"], names=("a", "b"))
    less = Features.of([[3.0]], [1], ["r"], names=("a",), empty=("b",))
    assert [one.values.tolist() for one in align_parts([full, less], [Path("a"), Path("b")])] == [
        [[1.0, 2.0]],
        [[3.0, 0.0]],
    ]


def test_a_column_that_is_empty_in_one_file_of_a_folder_is_noted(tmp_path):
    for i, b in enumerate(["1", "", "3"], 1):
        (tmp_path / f"S{i}.csv").write_text(f"qid,rel,a,b\nq{i},1,1,{b}\nq{i},0,2,{b}\n")
    found = read_folds(tmp_path)
    assert mentions(found.notes, "S2.csv", "'b'", "no number", 0)
