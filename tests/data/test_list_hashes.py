"""Hashes of lists: equal for the same documents in the same order, as far as a measure sees them."""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs

QRELS = {"1": {"a": 1}, "2": {"a": 1}}
BASE = {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0}


def hashes(docs: dict[str, float], measures: list[str], **options: str) -> list[int]:
    found = rs.evaluate(QRELS, {"1": docs}, measures, hash_lists=True, **options).lists
    assert found is not None
    assert found.shape == (1, len(measures), 2)
    assert (found[0, :, 1] == 0).all()  # no list
    return [int(x) for x in found[0, :, 0]]


@pytest.mark.parametrize(
    ("docs", "at_2", "at_all"),
    [
        ({"a": 50.0, "b": 49.0, "c": 4.0, "d": 0.5}, True, True),  # other scores
        ({"d": 2.0, "c": 3.0, "b": 4.0, "a": 5.0}, True, True),  # another order of the lines
        ({"a": 5.0, "b": 4.0, "d": 3.0, "c": 2.0}, True, False),
        ({"a": 5.0, "b": 4.0, "c": 3.0}, True, False),
        ({"a": 5.0, "x": 4.0, "c": 3.0, "d": 2.0}, False, False),
        ({"b": 5.0, "a": 4.0, "c": 3.0, "d": 2.0}, False, False),
    ],
)
def test_lists_are_the_same_as_far_as_a_measure_sees_them(docs: dict[str, float], at_2: bool, at_all: bool) -> None:
    base, other = hashes(BASE, ["P@2", "AP"]), hashes(docs, ["P@2", "AP"])
    assert [a == b for a, b in zip(base, other, strict=True)] == [at_2, at_all]


def test_documents_of_one_score_have_no_order() -> None:
    """Ties beyond the cutoff change nothing; across it, all of them count."""
    tied = {"a": 5.0, "b": 4.0, "c": 4.0, "d": 2.0}
    swapped = {"a": 5.0, "c": 4.0, "b": 4.0, "d": 2.0}
    assert hashes(tied, ["P@2", "AP"]) == hashes(swapped, ["P@2", "AP"])
    assert hashes(tied, ["P@2"]) != hashes({**tied, "c": 3.0}, ["P@2"])
    assert hashes(tied, ["AP"], ties="file") != hashes(swapped, ["AP"], ties="file")


def test_where_unjudged_documents_are_skipped_the_whole_list_counts() -> None:
    """P@2 of judged documents may see any of them."""
    assert (
        len(
            set(
                map(tuple, [hashes(BASE, ["P@2"], unjudged="skip"), hashes({**BASE, "e": 1}, ["P@2"], unjudged="skip")])
            )
        )
        == 2
    )


def test_they_are_kept_where_they_are_requested_only(tmp_path: object) -> None:
    assert rs.evaluate(QRELS, {"1": BASE}, ["AP"]).lists is None


def test_files_and_dicts_have_the_same_hashes(tmp_path: object) -> None:
    rng = np.random.default_rng(3)
    run = {str(q): {f"d{d}": float(s) for d, s in enumerate(rng.integers(0, 30, 50))} for q in range(20)}
    qrels = {q: {"d1": 1, "d7": 2} for q in run}
    path = f"{tmp_path}/a.run"
    with open(path, "w") as file:
        file.writelines(f"{q} Q0 {d} 1 {s} a\n" for q, docs in run.items() for d, s in docs.items())
    (memory, read) = (rs.evaluate(qrels, x, ["P@10", "AP"], hash_lists=True).lists for x in (run, path))
    assert memory is not None
    assert read is not None
    np.testing.assert_array_equal(memory, read)
