"""The comparisons of the demo are what its page says."""

import csv
import io

import numpy as np
import pytest

from rankscope.demo.rankings import ASSISTANTS, COMPARED_PROMPTS, COMPARISONS, preference_files


def rows_of(seed):
    return list(csv.DictReader(io.StringIO(preference_files(seed)["demo-preferences.csv"])))


def test_the_same_seed_writes_the_same_table_and_another_seed_another():
    assert preference_files(3) == preference_files(3)
    assert preference_files(3) != preference_files(4)


@pytest.mark.parametrize("seed", [2003, 1, 2])
def test_there_are_six_hundred_comparisons_of_six_assistants_on_prompts(seed):
    rows = rows_of(seed)
    assert len(rows) == COMPARISONS == 600
    assert len({row["prompt"] for row in rows}) == COMPARED_PROMPTS == 150
    assert {row["left"] for row in rows} == {row["right"] for row in rows} == set(ASSISTANTS)
    assert all(row["winner"] in (row["left"], row["right"], "tie") and row["left"] != row["right"] for row in rows)
    assert 60 <= sum(row["winner"] == "tie" for row in rows) <= 140


@pytest.mark.parametrize("seed", [2003, 1, 2])
def test_longer_and_left_answers_win_more_than_half(seed):
    decided = [row for row in rows_of(seed) if row["winner"] != "tie"]
    left = np.array([row["winner"] == row["left"] for row in decided])
    longer = np.array([float(row["length"]) > 0 for row in decided])
    assert left.mean() > 0.52
    assert (left == longer).mean() > 0.55
