"""Directions that somebody may have forgotten: by name, by value, of people; and none where all is well."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.agreement import compare_metrics, systems
from rankscope.agreement.direction import direction_notes
from rankscope.data.metric_scores import MetricScores


@pytest.mark.parametrize("name", ["TER", "ter", "WER", "CDER", "HTER", "PER", "TER-refA", "sTER", "TERp", "CharacTER"])
def test_error_rates_are_told_by_their_name(name):
    found = direction_notes([name, "BLEU"], [name, "BLEU"], np.array([0.4, 0.5]), chance=0.0)
    assert len(found) == 1
    assert mentions(found, name, "higher", f"--lower {name}")
    assert direction_notes([name], [], np.array([0.4]), chance=0.0) == []


@pytest.mark.parametrize("name", ["BLEU", "METEOR", "terrific", "COMET", "answer", "reward", "power", "YiSi"])
def test_other_names_are_left_in_peace(name):
    assert direction_notes([name], [name], np.array([0.4]), chance=0.0) == []


def test_values_far_below_chance_are_asked_about_in_either_direction():
    (said,) = direction_notes(["m"], [], np.array([[0.1, 0.2]]), chance=0.5)
    assert mentions(said, "m ", "0.1500", "lower", "--higher m")
    assert direction_notes(["m"], ["m"], np.array([0.3]), chance=0.5) == []
    both = direction_notes(["m", "n"], ["m", "n", "human"], np.array([-0.8, -0.9]), chance=0.0, gold="human")
    assert len(both) == 1
    assert mentions(both, "all metrics", "higher human", "--lower human")


def test_results_ask_where_a_direction_was_forgotten():
    people = MetricScores.of("human", {"": {"A": 0.6, "B": 0.5, "C": 0.3, "D": 0.1}})
    bleu = MetricScores.of("BLEU", {"": {"A": 30.0, "B": 31.5, "C": 25.0, "D": 24.0}})
    errors = MetricScores.of("TER", {"": {"A": 50.0, "B": 51.0, "C": 52.0, "D": 54.0}})
    wanted = "--lower TER"
    for found in (systems(people, [bleu, errors]), compare_metrics(people, [bleu, errors], n_resamples=20)):
        notes = [note for section in found.sections() for note in section.notes]
        assert sum(wanted in note for note in notes) == 1
    for told in (
        systems(people, [bleu, errors], lower="TER"),
        systems(people, [bleu, errors], statistic="pearson", absolute=True),
    ):
        assert not any("better?" in note for note in told.sections()[0].notes)
