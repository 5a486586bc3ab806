"""Judgments of a sample with unequal chances: the column of their weights, from a file or a table to the statistics."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.agreement import compare_metrics, segments, systems
from rankscope.errors import InputError, ParameterError, UnknownName

ROWS = "segment,system,rank,llm,w\n1,A,1,9,2\n1,B,2,7,2\n2,A,2,5,1\n2,B,1,4,1\n3,A,1,3,0.5\n3,B,2,8,0.5\n"
CHOICE = {"higher": "llm", "metrics": "llm", "rng": 1}


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text(ROWS)
    return path


def test_pairs_of_translations_count_as_much_as_their_judgments(judged):
    found = segments(judged, judgment_weight="w", **CHOICE)
    assert float(found.value[0, 0]) == pytest.approx((2 - 1 - 0.5) / 3.5)
    assert int(found.n[0, 0]) == 3  # pairs, not their weights
    assert "judgment_weight:w" in found.signature()
    assert float(segments(judged, **CHOICE).value[0, 0]) == pytest.approx((1 - 1 - 1) / 3)


def test_wins_and_means_of_systems_are_weighted(judged):
    wins = systems(judged, judgment_weight="w", **CHOICE)
    assert wins.human[0] == pytest.approx([2.5 / 3.5, 1 / 3.5])
    scores = {"people": [[1, 2, 6], [3, 1, 1]], "metric": [[5, 1, 0], [1, 1, 2]]}
    frame = pl.DataFrame(
        [
            {"system": system, "query": query, "measure": measure, "value": scores[measure][s][q], "weight": 2.0**q}
            for measure in scores
            for s, system in enumerate("AB")
            for q, query in enumerate("xyz")
        ]
    )
    means = systems(rs.Scores.of(frame), gold="people", judgment_weight="weight", rng=1)
    assert means.human[0] == pytest.approx([(1 + 2 * 2 + 4 * 6) / 7, (3 + 2 * 1 + 4 * 1) / 7])
    assert means.scores[0][0] == pytest.approx([(5 + 2 * 1) / 7, (1 + 2 * 1 + 4 * 2) / 7])


def test_tests_of_metrics_take_weights_of_segments(judged):
    rng = np.random.default_rng(1)
    lines = ["segment,system,rank,a,b,w"]
    for segment in range(30):
        ranks = rng.permutation(3) + 1
        lines += [
            f"{segment},{system},{rank},{rank + rng.normal()},{rank + 3 * rng.normal()},{1 + segment % 3}"
            for system, rank in zip("ABC", ranks, strict=True)
        ]
    judged.write_text("\n".join(lines))
    choice = {"metrics": ["a", "b"], "lower": ["a", "b"], "judgment_weight": "w", "n_resamples": 99, "rng": 1}
    found = compare_metrics(judged, **choice)
    one_by_one = segments(judged, metrics=["a", "b"], lower=["a", "b"], judgment_weight="w", rng=1)
    assert found.value[0] == pytest.approx(one_by_one.value[:, 0])
    with pytest.raises(ParameterError, match="weight"):
        compare_metrics(judged, test="boot_both", **choice)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"judgment_weight": "nosuch"}, UnknownName, ["nosuch", "llm, rank, w"]),
        ({"judgment_weight": "llm"}, InputError, ["system 'B'", "llm is 7", "one weight"]),
    ],
)
def test_what_is_no_weight_is_refused(judged, settings, error, words):
    with pytest.raises(error) as raised:
        segments(judged, **{**CHOICE, "metrics": None, **settings})
    assert mentions(raised.value, *words)


def test_a_weight_of_0_or_of_scores_without_columns_is_refused(judged, tmp_path):
    judged.write_text(ROWS.replace(",2\n", ",0\n", 2))
    with pytest.raises(InputError, match="above 0"):
        segments(judged, judgment_weight="w", **CHOICE)
    judged.write_text(ROWS.replace(",2\n", ",-1\n", 2))
    with pytest.raises(InputError, match="w is -1, expected a weight above 0"):  # and not "not ranked"
        segments(judged, judgment_weight="w", **CHOICE)
    people = tmp_path / "people.seg.score"
    people.write_text("A\t1\nA\t2\nB\t2\nB\t0\n")
    with pytest.raises(ParameterError, match="judgment_weight"):
        segments(people, people, judgment_weight="w")
    with pytest.raises(ParameterError, match="judgment_weight"):
        systems(judged, statistic="soft_pairwise_accuracy", judgment_weight="w", **CHOICE)
