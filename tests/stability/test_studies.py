"""`rs.stability.study` as a whole: what it is given, what it does not depend on, what it refuses."""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.study_data import collection, made, normal_values, ranks_table
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.measures.graded import nDCG

study = rs.stability.study
QUICK = {"iterations": 6, "n_resamples": 25, "rng": 3}


def same(one, other, but=()):
    """Whether all rows are the same, to the last digit."""
    rows = (
        [[repr(v) for k, v in row._asdict().items() if k not in but] for row in found.records()]
        for found in (one, other)
    )
    return sorted(next(rows)) == sorted(next(rows))


@pytest.fixture(scope="module")
def table():
    return ranks_table(1)


@pytest.fixture(scope="module")
def scores():
    values = normal_values(np.random.default_rng(1), [0.3, 0.4, 0.45, 0.6], 24, measures=2)
    return made(values, ["AP", "nDCG@10"])


@pytest.mark.usefixtures("forked_workers")
@pytest.mark.parametrize("what", ["table", "scores"])
def test_the_number_of_workers_changes_nothing(monkeypatch, request, what):
    data = request.getfixturevalue(what)
    ranges = {"systems": [2, 3], "splits": [2, 4]}
    alone = study(data, **ranges, **QUICK)
    monkeypatch.setattr(import_module("rankscope.stability.studies"), "MIN_PARALLEL_DIFFERENCES", 0)
    assert same(alone, study(data, **ranges, **QUICK, workers=2))


def test_neither_order_nor_number_of_conditions_changes_any(table):
    whole = study(table, splits=[4, 6], entities=[30, 60], systems=[2, 3], **QUICK)
    assert same(whole, study(table, splits=[6, 4], entities=[60, 30], systems=[3, 2], **QUICK))
    one = study(table, splits=6, entities=30, systems=2, **QUICK)
    part = [row for row in whole.records() if (row.splits, row.entities, row.systems) == (6, 30, 2)]
    assert_same_bits(part, list(one.records()))


def test_levels_fuzz_and_measures_beside_it_change_no_row(table):
    one = study(table, measures=["P@10"], alpha=0.1, fuzz=0.1, **QUICK)
    many = study(table, measures=["MeanRank", "P@10", "AP"], alpha=[0.01, 0.1], fuzz=[0.0, 0.1, 0.2], **QUICK)
    part = [row for row in many.records() if (row.measure, row.level, row.fuzz) == ("P@10", 0.1, 0.1)]
    assert_same_bits(part, list(one.records()))


def test_the_same_seed_gives_the_same_and_another_does_not(table):
    assert same(study(table, **QUICK), study(table, **QUICK))
    assert not same(study(table, **QUICK), study(table, **{**QUICK, "rng": 4}))
    generators = (np.random.default_rng(5), np.random.default_rng(5))
    one, other = (study(table, **{**QUICK, "rng": rng}) for rng in generators)
    assert same(one, other)
    assert one.settings.seed == other.settings.seed


def test_judgments_runs_dictionaries_and_scores_give_the_same_numbers():
    qrels, runs = collection()
    measures = ["AP", "P@5", "RR"]
    from_runs = study(qrels, runs, measures, **QUICK)
    from_scores = study(rs.evaluate(qrels, runs, measures), **QUICK)
    assert same(from_runs, from_scores, but=("used_rate",))
    assert same(from_runs, study(rs.Qrels(qrels), runs, measures, **QUICK))
    assert all(row.used_rate > 0 for row in from_runs.records())
    assert all(math.isnan(row.used_rate) for row in from_scores.records())


def test_measures_of_scores_can_be_chosen_and_are_in_the_order_asked_for(scores):
    both = study(scores, **QUICK)
    one = study(scores, measures=["nDCG@10"], **QUICK)
    assert one.names == ("nDCG@10",)
    assert_same_bits(list(one.records()), [row for row in both.records() if row.measure == "nDCG@10"])
    assert study(scores, measures=["nDCG@10", "AP"], **QUICK).names == ("nDCG@10", "AP")


def test_a_table_is_the_same_from_its_file(tmp_path, table):
    lines = ["e\t" + "\t".join(table.systems)]
    lines += [
        f"{e}\t" + "\t".join(f"{rank:g}" for rank in row)
        for e, row in zip(table.entity_ids, table.ranks.T, strict=True)
    ]
    path = tmp_path / "ranks.tsv"
    path.write_text("\n".join(lines) + "\n")
    assert same(study(table, **QUICK), study(path, input="entity-ranks", **QUICK))


def test_permille_measures_take_the_total_from_the_table_or_the_argument():
    name = "AP(scale='permille')"
    one = study(ranks_table(1, total_ranks=2000), measures=[name], **QUICK)
    assert same(one, study(ranks_table(1), measures=[name], total_ranks=2000, **QUICK))
    assert not same(one, study(ranks_table(1), measures=[name], total_ranks=9000, **QUICK))


def test_cutoffs_are_crossed_with_measures_that_have_none(table):
    found = study(table, measures=["P", "nDCG", "MedianRank", "R@7"], cutoffs=[5, 20], **QUICK)
    assert found.names[:4] == ("P@5", "P@20", "nDCG@5", "nDCG@20")
    assert [row.cutoff for row in found.records()][::3][:4] == [5, 20, 5, 20]
    assert "R@7" in found.names
    same_as = study(table, measures=list(found.names), **QUICK)
    assert same(found, same_as)
    by_object = study(table, measures=[nDCG()], cutoffs=5, **QUICK)
    assert by_object.names == ("nDCG@5",)


def test_a_size_of_sets_is_the_same_as_its_splits_and_queries(scores):
    assert same(study(scores, set_size=7, **QUICK), study(scores, splits=3, entities=21, **QUICK))


def test_numbers_that_nobody_wants_are_left_out(scores):
    found = study(scores, error_tie=False, **QUICK)
    for row in found.records():
        assert all(
            map(
                math.isnan,
                (row.error_rate, row.error_rate_sd, row.tie_rate, row.tie_rate_sd, row.t_rate, row.used_rate),
            )
        )
    assert same(
        found,
        study(scores, **QUICK),
        but=("error_rate", "error_rate_sd", "tie_rate", "tie_rate_sd", "t_rate", "used_rate"),
    )


def test_pairs_are_decided_by_the_bootstrap_or_by_either_swap_method(scores):
    found = {
        name: study(scores, alpha=0.2, **more, **QUICK)
        for name, more in {
            "bootstrap": {}, "swap": {"swap": True}, "disjoint": {"swap": True, "swap_sets": "disjoint"},
        }.items()
    }  # fmt: skip
    for name, one in found.items():
        outcome = one.outcomes[0]
        needed = {"bootstrap": outcome.est_diff, "swap": outcome.swap_diff[0, 0], "disjoint": outcome.swap_diff[0, 1]}[
            name
        ]
        for m, row in enumerate(one.records()):
            means = outcome.means[m]
            pairs = [(a, b) for a in range(4) for b in range(a)]
            expected = 100 * np.mean([abs(means[a] - means[b]) > needed[m, 0] > 0 for a, b in pairs])
            assert row.decisions == pytest.approx(math.nan if np.isnan(needed[m, 0]) else expected, nan_ok=True)
    rows = {name: next(iter(one.records())) for name, one in found.items()}
    assert rows["bootstrap"].swap_diff_min == rows["swap"].swap_diff_min
    assert found["disjoint"].outcomes[0].swap_diff[0, 1, 0, 0] == pytest.approx(
        rows["disjoint"].swap_diff_min, nan_ok=True
    )


def test_progress_adds_up_to_all_of_the_work(table, tmp_path):
    told = []
    study(table, splits=[4, 6], progress=told.append, checkpoint=tmp_path / "c", **QUICK)
    assert sum(told) == pytest.approx(1)
    again = []
    study(table, splits=[4, 6, 8], progress=again.append, checkpoint=tmp_path / "c", **QUICK)
    assert (sum(again), again[0]) == pytest.approx((1, 2 / 3))


def test_identical_copies_of_systems_are_never_told_apart():
    values = normal_values(np.random.default_rng(2), [0.3, 0.5], 20)
    found = study(made(np.repeat(values, 2, axis=0)), alpha=[0.05, 0.2, 0.49], **QUICK)
    outcome = found.outcomes[0]
    copies = [0, 5]  # the pairs (0, 1) and (2, 3)
    assert outcome.asl[0, copies].tolist() == [1, 1]
    marks = found.marks(outcome, 0)
    assert {marks[a][b] for a, b in ((0, 1), (1, 0), (2, 3), (3, 2))} == {" "}
    only = study(made(np.repeat(values[:1], 3, axis=0)), alpha=[0.05, 0.2, 0.49], **QUICK)
    for row in only.records():
        assert (row.asl_rate, row.t_rate, row.decisions, row.tie_rate, row.error_rate) == (0, 0, 0, 100, 0)


@examples(10)
@given(st.integers(2, 5), st.integers(4, 16), st.integers(0, 10**6), st.sampled_from([1, 20, 1000]))
def test_rates_are_percentages_and_order_and_names_of_systems_change_nothing(systems, queries, seed, grades):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, grades + 1, (systems, 2, queries)) / grades
    quick = {"iterations": 4, "n_resamples": 19, "rng": seed}
    found = study(made(values, ["AP", "RR"]), alpha=[0.01, 0.05, 0.2], **quick)
    for row in found.records():
        rates = (row.error_rate, row.tie_rate, row.t_rate, row.asl_rate, row.decisions)
        assert all(math.isnan(rate) or 0 <= rate <= 100 for rate in rates)
        assert row.error_rate <= 50
        assert 2 * row.error_rate + row.tie_rate <= 100 + 1e-9  # as many are right as are wrong, at least
        assert math.isnan(row.correlation) or -1 <= row.correlation <= 1
        assert math.isnan(row.est_diff) or row.est_diff >= 0
        assert math.isnan(row.swap_diff_min) or 0 <= row.swap_diff_min <= row.swap_diff_max
    by_level = [row.asl_rate for row in found.records()]
    assert math.isnan(by_level[0])  # of 19 resamples no p is below .05
    assert by_level[1] <= by_level[2] or math.isnan(by_level[1])  # nor with sets of 2 or 3 queries below .1
    order = rng.permutation(systems)
    other = study(
        made(values[order], ["AP", "RR"], [f"other{i}" for i in range(systems)]), alpha=[0.01, 0.05, 0.2], **quick
    )
    for one, two in zip(found.records(), other.records(), strict=True):
        assert tuple(one)[7:] == pytest.approx(tuple(two)[7:], nan_ok=True, abs=1e-9)


def test_scaled_ranks_scale_differences_and_nothing_else():
    table = ranks_table(4)
    scaled = rs.EntityRanks(ranks=4 * table.ranks, systems=table.systems, entity_ids=table.entity_ids)
    lengths = ("est_diff", "swap_diff_min", "swap_diff_max")
    one, other = (study(data, measures=["MeanRank"], **QUICK) for data in (table, scaled))
    assert same(one, other, but=lengths)
    for row, big in zip(one.records(), other.records(), strict=True):
        for name in lengths:
            assert getattr(big, name) == pytest.approx(4 * getattr(row, name), nan_ok=True)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"alpha": 0}, ("alpha", 0, 0.05)),
        ({"alpha": [0.05, 1]}, ("alpha", 1)),
        ({"alpha": math.nan}, ("alpha", "nan")),
        ({"alpha": "0.05"}, ("alpha", "'0.05'")),
        ({"alpha": []}, ("alpha", "no value")),
        ({"fuzz": 1}, ("fuzz is 1",)),
        ({"fuzz": [0.1, -0.1]}, ("fuzz", -0.1)),
        ({"iterations": 0}, ("iterations", 0)),
        ({"n_resamples": 2.5}, ("n_resamples", 2.5)),
        ({"workers": 0}, ("workers", 0)),
        ({"workers": 1025}, ("workers", 1025, 1024)),
        ({"swap_sets": "both"}, ("swap_sets", "'both'", "'bootstrap', 'disjoint'")),
        ({"cutoffs": 5}, ("scores", "cutoffs", "nDCG@10")),
        ({"ablation": True}, ("ablation", "judgments and runs")),
        ({"runs": {}}, ("scores", "runs", "evaluate")),
        ({"preset": "dunaiski"}, ("scores", "evaluate")),
        ({"total_ranks": 5}, ("scores", "evaluate")),
        ({"rng": "seed"}, ("rng",)),
        ({"rng": -1}, ("rng",)),
        ({"measures": ["P@9"]}, ("P@9",)),
        ({"systems": 5}, ("systems", 5, "2 to 4")),
    ],
)
def test_arguments_that_make_no_sense_are_refused_in_one_line(scores, more, said):
    with pytest.raises(RankscopeError) as caught:
        study(scores, **{**QUICK, **more})
    assert mentions(caught.value, *said)
    assert "\n" not in str(caught.value)


def test_cutoffs_that_no_measure_takes_are_refused_and_unknown_names_are_told_as_such(table):
    with pytest.raises(ParameterError, match=r"\bmeasures\b.*\bnDCG\b"):
        study(table, measures=["P@10"], cutoffs=5)
    with pytest.raises(UnknownName, match="nDGC"):
        study(table, measures=["nDGC"], cutoffs=5)
    with pytest.raises(UnknownName, match="nDGC"):
        study(table, measures=["nDGC", "P"], cutoffs=5)


def test_data_that_cannot_be_studied_are_refused(table, scores):
    with pytest.raises(InputError, match=r"\b1 system\b.*\b2\b"):
        study(scores.select(systems=[0]), **QUICK)
    with pytest.raises(ParameterError, match=r"\bpermille\b.*--total-ranks"):
        study(table, measures=["AP(scale='permille')"], **QUICK)
    with pytest.raises(InputError, match=r"\b5 items\b.*--total-ranks"):
        study(table, measures=["AP(scale='permille')"], total_ranks=5, **QUICK)
    with pytest.raises(ParameterError, match=r"\bNumRel\b.* neither"):
        study(*collection(), ["NumRel"], **QUICK)
    with pytest.raises(ParameterError, match=r"\bablation\b.*\bjudgments\b"):
        study(table, ablation=True, **QUICK)
    with pytest.raises(ParameterError, match="leave out runs"):
        study(table, collection()[1], **QUICK)


def test_equal_and_fractional_ranks_are_ties_and_allowed():
    ranks = np.array([[1.5, 1.5, 3, 4, 5, 6, 6, 6], [2, 2, 2, 2, 7, 9, 10, 11], [1, 2, 3, 4, 5, 6, 7, 8]])
    found = study(rs.EntityRanks(ranks=ranks, systems="ABC", entity_ids="abcdefgh"), splits=4, **QUICK)
    assert any("ties" in note for note in found.notes)
    assert mentions(found.notes, "2 entities", "small")
