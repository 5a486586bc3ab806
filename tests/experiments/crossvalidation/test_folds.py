"""Which files of a folder make which fold, and what is said where some are missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.messages import mentions

from rankscope.errors import InputError
from rankscope.experiments.crossvalidation.folds import find_folds


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1 qid:1 1:0.5\n")
    return folder


def shown(folder: Path) -> list[tuple[str, list[str], str, str]]:
    return [
        (fold.name, [str(p.relative_to(folder)) for p in fold.train], str(fold.valid.relative_to(folder)),
         str(fold.test.relative_to(folder)))
        for fold in find_folds(folder)
    ]  # fmt: skip


def test_five_subsets_make_the_ring_of_letor(tmp_path: Path) -> None:
    """LETOR 4.0: Fold1 trains on S1, S2, S3, validates on S4, tests on S5; Fold2 begins with S2."""
    touch(tmp_path, *(f"S{i}.txt" for i in range(1, 6)), "readme.md", "S1.txt.rscache", "notes.txt")
    assert shown(tmp_path) == [
        ("Fold1", ["S1.txt", "S2.txt", "S3.txt"], "S4.txt", "S5.txt"),
        ("Fold2", ["S2.txt", "S3.txt", "S4.txt"], "S5.txt", "S1.txt"),
        ("Fold3", ["S3.txt", "S4.txt", "S5.txt"], "S1.txt", "S2.txt"),
        ("Fold4", ["S4.txt", "S5.txt", "S1.txt"], "S2.txt", "S3.txt"),
        ("Fold5", ["S5.txt", "S1.txt", "S2.txt"], "S3.txt", "S4.txt"),
    ]


def test_every_subset_of_a_ring_is_tested_and_validated_on_once(tmp_path: Path) -> None:
    touch(tmp_path, *(f"s{i}.txt.gz" for i in range(1, 13)))
    folds = find_folds(tmp_path)
    assert [fold.name for fold in folds][9:] == ["Fold10", "Fold11", "Fold12"]
    assert sorted(fold.test.name for fold in folds) == sorted(fold.valid.name for fold in folds)
    assert len({fold.test for fold in folds}) == 12
    for fold in folds:
        assert len({*fold.train, fold.valid, fold.test}) == 12


def test_folders_of_their_own_are_read_whatever_their_files_are_called(tmp_path: Path) -> None:
    touch(tmp_path, "Fold1/train.txt", "Fold1/vali.txt", "Fold1/test.txt", "Fold1/train.txt.rscache")
    touch(tmp_path, "fold2/TrainingSet.txt.zst", "fold2/ValidationSet.txt", "fold2/testset.txt", "fold2/about.pdf")
    touch(tmp_path, "Fold_10/training.csv", "Fold_10/Valid.csv", "Fold_10/TEST.csv.gz")
    for number in range(3, 10):
        touch(tmp_path, *(f"FOLD{number}/{name}" for name in ("train.txt", "vali.txt", "test.txt")))
    found = shown(tmp_path)
    assert found[0] == ("Fold1", ["Fold1/train.txt"], "Fold1/vali.txt", "Fold1/test.txt")
    assert found[1] == ("Fold2", ["fold2/TrainingSet.txt.zst"], "fold2/ValidationSet.txt", "fold2/testset.txt")
    assert found[9] == ("Fold10", ["Fold_10/training.csv"], "Fold_10/Valid.csv", "Fold_10/TEST.csv.gz")


def test_folds_in_folders_come_before_subsets(tmp_path: Path) -> None:
    touch(tmp_path, *(f"S{i}.txt" for i in range(1, 6)))
    touch(tmp_path, *(f"Fold{k}/{name}.txt" for k in (1, 2) for name in ("train", "vali", "test")))
    assert [fold.train[0].parent.name for fold in find_folds(tmp_path)] == ["Fold1", "Fold2"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], ("empty", "Fold1", "train.txt", "vali.txt", "test.txt")),
        (["a.txt", "b.txt"], ("no folds", "a.txt and b.txt")),
        (["train.txt", "vali.txt", "test.txt"], ("are one fold", "rankscope train", "vali.txt`", "join")),
        (["train.csv.gz", "test.csv"], ("train.csv.gz and test.csv are one fold",)),
        (["train.txt", "vali.txt"], ("no folds", "train.txt and vali.txt")),
        (["S1.txt", "S2.txt"], ("only", "S1.txt and S2.txt")),
        (["S1.txt", "S2.txt", "S4.txt"], ("S1.txt, S2.txt and S4.txt", "no S3")),
        (["S1.txt", "S1.txt.gz", "S2.txt", "S3.txt"], ("S1.txt and S1.txt.gz", "one")),
        (["Fold1/train.txt", "Fold1/vali.txt", "Fold1/test.txt"], ("only Fold1",)),
        (["Fold1/train.txt", "Fold3/train.txt"], ("Fold1 and Fold3", "no Fold2")),
        (
            ["Fold1/train.txt", "Fold1/test.txt", "Fold2/train.txt"],
            ("Fold1: no vali.txt", "vali.txt or valid.txt", "test.txt and train.txt"),
        ),
        (
            ["Fold1/train.txt", "Fold1/trainingset.txt", "Fold2/train.txt"],
            ("Fold1: train.txt and trainingset.txt", "train.txt or trainingset.txt"),
        ),
        (["Fold1/x.pdf", "Fold2/train.txt"], ("Fold1: no train.txt", "train.txt or trainingset.txt", "no file")),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_beside_what_was_found(tmp_path: Path, names: list[str], said: tuple) -> None:
    touch(tmp_path, *names)
    with pytest.raises(InputError) as caught:
        find_folds(tmp_path)
    assert mentions(caught.value, *said)
    assert "\n" not in str(caught.value)
