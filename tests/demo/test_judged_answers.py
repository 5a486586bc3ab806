"""The table of judged answers of the demo is what its page says."""

import csv
import io

import numpy as np
import pytest

from rankscope.agreement import raters, segments
from rankscope.agreement.load import read_judgments
from rankscope.agreement.settings import JudgmentSettings
from rankscope.demo.rankings import ANSWER_PROMPTS, MACHINES, POINTS, RATERS, WRITERS, answer_files


def rows_of(seed):
    return list(csv.DictReader(io.StringIO(answer_files(seed)["demo-answers.csv"])))


@pytest.fixture(scope="module", params=[2003, 1, 2])
def judged(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "demo-answers.csv"
    path.write_text(answer_files(request.param)["demo-answers.csv"])
    return read_judgments(path, JudgmentSettings(higher=tuple(MACHINES)))


def test_the_same_seed_writes_the_same_table_and_another_seed_another():
    assert answer_files(3) == answer_files(3)
    assert answer_files(3) != answer_files(4)


def test_two_of_three_people_rank_all_answers_to_each_prompt(judged):
    assert (len(judged), len(judged.segment.names)) == (2 * ANSWER_PROMPTS, ANSWER_PROMPTS) == (120, 60)
    assert judged.systems == tuple(WRITERS)
    assert set(judged.judge.names) == set(RATERS)
    seen = set(zip(judged.segment, judged.judge, strict=True))
    assert len(seen) == 2 * ANSWER_PROMPTS  # nobody twice
    assert judged.table("rank").shape == (120, 4)


def test_ranks_begin_with_1_and_some_are_tied(judged):
    ranks = judged.table("rank")
    assert (ranks.min(axis=1) == 1).all()
    expected = 1 + (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2)  # as many as are better, and one
    assert (ranks == expected).all()
    tied = sum(len(set(row)) < 4 for row in ranks.tolist())
    assert 20 <= tied <= 100


def test_the_language_model_gives_whole_points_and_one_answer_none():
    rows = rows_of(2003)
    points = {(row["item"], row["candidate"]): row["llm"] for row in rows}
    given = [int(text) for text in points.values() if text]
    assert len(given) == len(points) - 1 == ANSWER_PROMPTS * len(WRITERS) - 1
    assert POINTS[0] <= min(given) < max(given) <= POINTS[1]
    assert len({row["reward"] for row in rows}) > 200
    both = {(row["item"], row["candidate"], row["llm"], row["reward"]) for row in rows}
    assert len(both) == len(points)  # a machine says the same whoever reads


def test_the_better_machine_agrees_more_and_the_answer_without_points_is_counted(judged):
    found = segments(judged, rng=1)
    assert found.metrics == tuple(MACHINES)
    assert found.value[0, 0] > found.value[1, 0] + 0.05 > 0.15
    assert found.missing.ravel().tolist() == [2, 0]  # once for each of its raters
    assert np.isclose(raters(judged, n_resamples=10, rng=1).rows[0].kappa, 0.5, atol=0.15)
