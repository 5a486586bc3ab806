"""Scores in which lower is better, columns of ranks, and fractions whose direction nobody named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

from rankscope import MetricScores, PairScores, Rankings
from rankscope.agreement import compare_metrics, decisions, ranks, segments, systems
from rankscope.errors import InputError, ParameterError

N_SEGMENTS = 12


def write_table(path, *, sign=1, gold="MQM"):
    """Penalties of people, 0 to 25, a score and an error rate, of four systems. sign: of the penalties."""
    rng = np.random.default_rng(5)
    lines = [f"system,segment,{gold},COMET,TER"]
    for s in range(4):
        for i in range(N_SEGMENTS):
            penalty = min(25, int(rng.poisson(2 + 2 * s)))
            comet, ter = 0.9 - 0.03 * penalty + rng.normal() * 0.1, 40 + 3 * penalty + rng.integers(0, 20)
            lines.append(f"{'ABCD'[s]},{i},{sign * penalty},{comet:.3f},{ter}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def penalties(tmp_path):
    return write_table(tmp_path / "penalties.csv")


@pytest.fixture
def negated(tmp_path):
    return write_table(tmp_path / "negated.csv", sign=-1)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (systems, {"statistic": ["pearson", "pairwise_accuracy", "soft_pairwise_accuracy"], "human": "mean"}),
        (systems, {"human": "wins"}),
        (segments, {"statistic": "pearson"}),
        (segments, {"statistic": "acc_eq", "grouping": "segment"}),
        (decisions, {}),
        (compare_metrics, {"statistic": "pearson", "n_resamples": 20}),
    ],
)
def test_penalties_of_people_are_scores_that_agree_as_their_negatives_do(penalties, negated, function, options):
    if function is not decisions:
        options = {"n_resamples": 50, "rng": 1, **options}
    low = function(penalties, gold="MQM", higher="COMET", lower=["MQM", "TER"], **options)
    high = function(negated, gold="MQM", higher=["COMET", "MQM"], lower="TER", **options)
    numbers = [[value for row in found.records() for value in row if isinstance(value, float)] for found in (low, high)]
    assert len(numbers[0]) > 3
    assert numbers[0] == pytest.approx(numbers[1], nan_ok=True)
    assert mentions(low.signature(), "higher:COMET", "lower:MQM,TER")
    assert not [note for note in low.notes if "read as ranks" in note]


def test_the_mean_of_penalties_is_the_score_of_a_system(penalties):
    found = systems(penalties, gold="MQM", higher="COMET", lower=["MQM", "TER"], rng=1)
    assert found.rule == "mean"
    rows = [line.split(",") for line in penalties.read_text().splitlines()[1:]]
    means = [np.mean([float(row[2]) for row in rows if row[0] == system]) for system in "ABCD"]
    assert found.human[0] == pytest.approx(means)
    assert means == sorted(means)
    assert (found.value > 0.5).all()


def test_whole_numbers_of_no_direction_are_ranks_as_are_columns_that_are_named_so(penalties, tmp_path):
    unnamed = systems(penalties, gold="MQM", higher="COMET", lower="TER", rng=1)
    assert mentions(unnamed.notes, "MQM is read as ranks", "--higher MQM", "--lower", "--ranks MQM")
    named = systems(penalties, gold="MQM", higher="COMET", lower="TER", ranks="MQM", rng=1)
    assert not [note for note in named.notes if "read as ranks" in note]
    of_ranks = write_table(tmp_path / "ranks.csv", gold="rank")
    for found in (unnamed, named, systems(of_ranks, higher="COMET", lower=["rank", "TER"], rng=1)):
        assert found.rule == "wins"
        assert_same_bits(found.value, unnamed.value)
    with pytest.raises(ParameterError) as refused:
        systems(penalties, gold="MQM", higher="COMET", lower="TER", ranks="MQM", human="mean")
    assert mentions(refused.value, "MQM holds ranks", "--higher MQM", "--lower MQM")


def test_fractions_of_no_direction_are_refused_in_one_line_that_names_the_columns(penalties):
    for function in (segments, systems, decisions, ranks, compare_metrics):
        with pytest.raises(InputError) as refused:
            function(penalties, gold="MQM")
        assert mentions(refused.value, "COMET (such as 0.", "--higher COMET", "--ranks")
        assert "\n" not in str(refused.value)
        assert "TER" not in str(refused.value)
    assert segments(penalties, gold="MQM", ranks="COMET", rng=1, n_resamples=20).higher == ()
    assert segments(penalties, gold="MQM", metrics="TER", rng=1, n_resamples=20).metrics == ("TER",)


def test_an_error_rate_of_fractions_is_advised_to_be_lower(tmp_path):
    path = tmp_path / "rates.csv"
    path.write_text("segment,system,rank,chrF,WER\n1,A,1.5,0.7,0.2\n1,B,1.5,0.6,0.3\n1,C,3,0.5,0.9\n")
    with pytest.raises(InputError) as refused:
        segments(path)
    assert mentions(refused.value, "--higher chrF --lower WER")
    assert "rank (" not in str(refused.value)  # halves are ranks that items share


def test_a_column_has_one_direction(penalties):
    for names in (
        {"higher": "MQM", "lower": "MQM"},
        {"higher": "MQM", "ranks": "MQM"},
        {"lower": "MQM", "ranks": "MQM"},
    ):
        with pytest.raises(ParameterError) as refused:
            segments(penalties, gold="MQM", **names)
        assert mentions(refused.value, "MQM is named in both", *names)
    lists = Rankings.of([{"A": 1}], name="x", higher_is_better=True)
    with pytest.raises(InputError, match="'x'"):
        replace(lists, lower_columns=frozenset(["x"]))


def test_hter_of_segments_is_compared_over_segments_like_any_score():
    values = np.random.default_rng(2).random((3, 8))
    metric = MetricScores(
        "m", {"": PairScores.of({name: (-row).tolist() for name, row in zip("ABC", values, strict=True)})}, True
    )
    hter = MetricScores("HTER", {"": PairScores.of(dict(zip("ABC", values.tolist(), strict=True)))}, False)
    found = segments(hter, metric, statistic="pearson", rng=1, n_resamples=20)
    assert found.value[0, 0] == pytest.approx(1)


def test_metrics_come_in_a_table_of_their_own(tmp_path):
    people, metrics, single = (tmp_path / name for name in ("people.csv", "metrics.tsv", "mine.csv"))
    people.write_text("segment,system,human\n1,A,80\n1,B,60\n2,A,90\n2,B,50\n")
    metrics.write_text("segment\tsystem\tchrF\tTER\n1\tA\t0.5\t0.1\n1\tB\t0.4\t0.2\n2\tA\t0.5\t0.3\n2\tB\t0.6\t0.4\n")
    single.write_text("segment,system,score\n1,A,1\n1,B,2\n2,A,1\n")
    found = segments(people, [metrics, single], higher="human", lower="TER", rng=1, n_resamples=20)
    assert found.metrics == ("chrF", "TER", "mine")
    assert found.value[:, 0].tolist() == [0, 1, -1]
    assert found.n[:, 0].tolist() == [2, 2, 1]
    with pytest.raises(InputError) as refused:
        segments(people, people, higher="human")
    assert mentions(refused.value, "people.csv", "'human'", "judgments first")


def test_a_metric_may_be_called_metric_where_people_have_a_column(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("segment,system,human,metric,score\n1,A,80,0.9,3\n1,B,60,0.7,2\n2,A,90,,1\n2,B,50,0.4,4\n")
    found = segments(path, higher=["human", "metric", "score"], rng=1, n_resamples=20)
    assert (found.metrics, found.value[:, 0].tolist(), found.n[:, 0].tolist()) == (("metric", "score"), [1, 0], [1, 2])


def test_one_system_and_people_who_tell_nothing_apart_are_refused_as_such(tmp_path):
    path = tmp_path / "few.csv"
    for rows, texts in (
        ("1,A,8,0.9\n2,A,6,0.7\n", ("A is the only system",)),
        ("1,A,8,1\n1,B,8,2\n", ("human is 8", "people")),
    ):
        path.write_text(f"segment,system,human,score\n{rows}")
        with pytest.raises(InputError) as refused:
            systems(path, higher=["human", "score"])
        assert mentions(refused.value, *texts)
