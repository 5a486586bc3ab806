"""The sentences: that they name the right measures and claim no more than the numbers say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import Messages, mentions
from helpers.study_data import made, normal_values, ranks_table

import rankscope as rs
from rankscope.stability import view as words
from rankscope.stability.reliability import RELIABILITY
from rankscope.stability.view import main_condition, main_level, verdict

SENTENCES = Messages("stability")

QUICK = {"iterations": 12, "n_resamples": 99, "rng": 3}
CLEAR = [0.2, 0.5, 0.8]


def sentence(means, measures=("AP",), queries=30, sd=0.1, seed=1, **more):
    values = normal_values(np.random.default_rng(seed), means, queries, sd=sd, measures=len(measures))
    found = rs.stability.study(made(values, measures), **{**QUICK, **more})
    assert found.sections()[0].sentence == verdict(found)
    text = verdict(found)
    assert "nan" not in text.split()
    assert "inf" not in text.split()
    assert text.endswith(".")
    assert "  " not in text
    return found, text


def test_clear_differences_make_a_stable_and_sensitive_measure():
    found, text = sentence(CLEAR)
    SENTENCES.check("clear differences", text)
    needed = found.outcomes[0].reliability[0, words.NEEDED : words.NEEDED + 3]
    assert mentions(text, f"95 % interval: {needed[1]:,.0f} to {needed[2]:,.0f};")


def test_one_query_is_not_spoken_of_as_several():
    _, text = sentence(CLEAR, sd=0.01)
    assert mentions(text, "about 1 query")


def test_without_differences_nothing_is_said_to_be_found():
    _, text = sentence([0.5] * 4, sd=0.3, seed=4)
    assert "is not stable" in text or "in most comparisons" in text
    assert mentions(text, "hardly any difference") or mentions(text, "no measure is sensitive")
    assert "wrong" not in text


def test_identical_systems_tie_and_that_is_no_merit():
    values = np.repeat(normal_values(np.random.default_rng(1), [0.5], 20), 3, axis=0)
    text = verdict(rs.stability.study(made(values), **QUICK))
    SENTENCES.check("identical systems", text)


def test_only_stable_measures_are_compared_for_sensitivity():
    rng = np.random.default_rng(1)
    good, bad = normal_values(rng, CLEAR, 30), normal_values(rng, [0.5, 0.5, 0.5], 30, sd=0.4)
    found = rs.stability.study(made(np.concatenate([good, bad], axis=1), ["AP", "RR"]), **QUICK)
    assert found.outcomes[0].error[1, 0] > 5
    text = verdict(found)
    stable, sensitive, *_ = text.split(". ")
    assert mentions(stable, "AP (0.0 %)", "is stable", "RR (")
    assert stable.endswith(") is not")
    assert mentions(sensitive, "AP", "100.0 %", "3 pairs")
    assert "most sensitive" not in text  # of one


def test_up_to_five_percent_of_errors_a_measure_is_stable():
    values = normal_values(np.random.default_rng(1), CLEAR, 30)
    found = rs.stability.study(made(np.repeat(values, 3, axis=1), ["AP", "RR", "nDCG"]), **QUICK)

    def said(*errors):
        outcome = replace(found.outcomes[0], error=np.array(errors)[:, None])
        return verdict(replace(found, outcomes=(outcome,))).partition(". ")[0]

    SENTENCES.check("up to 5 % of errors", said(5.0, 5.1, 1.0))
    SENTENCES.check("more than 5 % of errors", said(9.0, 5.1, 8.0))


def test_measures_that_come_out_alike_share_the_praise():
    values = normal_values(np.random.default_rng(1), CLEAR, 30)
    text = verdict(rs.stability.study(made(np.repeat(values, 2, axis=1), ["AP", "RR"]), **QUICK))
    SENTENCES.check("two measures that come out alike", text)


def test_of_two_systems_draws_are_counted_and_not_pairs():
    _, text = sentence([0.3, 0.7])
    SENTENCES.check("two systems", text)
    assert "pair" not in text


def test_of_drawn_systems_pairs_are_not_counted():
    _, text = sentence(CLEAR, systems=2)
    assert mentions(text, "100.0 % of pairs")


def test_without_error_rates_nothing_is_said_of_them():
    _, text = sentence(CLEAR, ("AP", "RR"), error_tie=False)
    assert "stable" not in text
    assert "ties" not in text
    assert text.startswith("In this study ")


def test_where_no_query_is_ever_left_out_stability_cannot_be_told():
    found, text = sentence(CLEAR, set_size=30)
    SENTENCES.check("every set holds all queries", text)
    assert found.outcomes[0].error[0, 0] == 0
    _, text = sentence(CLEAR, set_size=[10, 30])
    assert mentions(text, "set of 10 queries")


def test_without_values_nothing_is_said():
    values = np.full((3, 1, 12), np.nan)
    text = verdict(rs.stability.study(made(values), **QUICK))
    SENTENCES.check("no values", text)


def test_entities_are_spoken_of_as_groups_and_that_all_are_drawn_is_said():
    text = verdict(rs.stability.study(ranks_table(1), measures=["MeanRank", "P@10"], **QUICK))
    assert "stable:" not in text
    assert mentions(text, "all 60 entities")
    assert "(--entities 30, entities=30)" in text
    text = verdict(rs.stability.study(ranks_table(1), measures=["MeanRank"], entities=40, splits=4, **QUICK))
    assert "Every draw" not in text
    assert mentions(text, "4 random groups", "10 entities")


def test_how_many_entities_are_needed_is_that_many_groups_times_their_size():
    result = rs.stability.study(ranks_table(1), measures=["MeanRank"], entities=40, splits=4, **QUICK)
    section = next(section for section in result.sections() if section.title == "How many entities are needed")
    cells = dict(zip(section.table.columns, section.table.rows[0], strict=False))
    needed = result.outcomes[main_condition(result)].reliability[0, RELIABILITY.index("needed_relative")]
    assert cells["entities"] == f"{10 * needed:,.0f}"
    assert mentions(verdict(result), f"{10 * needed:.0f} entities, in groups of about 10")


def test_as_coded_it_is_single_groups_that_are_compared():
    text = verdict(rs.stability.study(ranks_table(1), measures=["MeanRank"], preset="dunaiski", entities=40, **QUICK))
    assert mentions(text, "one of 10", "4 entities")


@pytest.mark.parametrize("seed", range(6))
def test_no_sentence_breaks_on_any_data(seed):
    rng = np.random.default_rng(seed)
    systems, queries = int(rng.integers(2, 5)), int(rng.integers(4, 12))
    values = rng.integers(0, 3, (systems, 2, queries)) / 2
    if seed % 2:
        values[rng.random(values.shape) < 0.3] = np.nan
    found = rs.stability.study(made(values, ["AP", "RR"]), iterations=3, n_resamples=9, rng=seed)
    text = verdict(found)
    assert text.endswith(".")
    assert "nan" not in text


def test_the_main_condition_has_most_systems_then_the_largest_sets_and_the_main_level_is_near_05():
    values = normal_values(np.random.default_rng(1), CLEAR, 40)
    found = rs.stability.study(made(values), set_size=[6, 20, 13], systems=[3, 2], alpha=[0.2, 0.04, 0.01], **QUICK)
    assert found.conditions[main_condition(found)].size == 20
    assert found.conditions[main_condition(found)].systems == 3
    assert found.settings.tested_alpha[main_level(found)] == 0.04
    table = rs.stability.study(ranks_table(1), measures=["AP"], entities=[30, 60, 40], splits=4, **QUICK)
    assert table.conditions[main_condition(table)].entities == 40  # of all 60 only the grouping differs
