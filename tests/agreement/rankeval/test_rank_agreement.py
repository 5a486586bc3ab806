"""rs.agreement.ranks: all measures of a set in one result, its intervals, experiments, language pairs, the preset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.paths import TESTS
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs
from rankscope import Rankings
from rankscope.agreement import per_segment, per_set
from rankscope.agreement.rankeval.kendall_tau import tau_pvalues
from rankscope.agreement.rankeval.measures import SET_MEASURES
from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError, UnknownName

README = TESTS / "reference" / "rankeval" / "readme.jcml"


def made(lists: int = 30, seed: int = 1, noise: float = 1.5, **columns: float) -> Rankings:
    """Lists of five items whose machine's ranks are people's with noise; a column more for each name and its noise."""
    rng = np.random.default_rng(seed)
    judged = Rankings.of([dict(zip("abcde", rng.integers(1, 5, 5).tolist(), strict=True)) for _ in range(lists)])
    for name, size in {"machine": noise, **columns}.items():
        values = np.round(judged.columns["rank"] + size * rng.standard_normal(5 * lists))
        judged = judged.with_column(name, values + 20, higher_is_better=False)
    return judged


def in_pairs(judged: Rankings, pairs: list[str]) -> Rankings:
    """The lists in several language pairs, one after the other."""
    from dataclasses import replace

    return replace(judged, pair=Labels.of([pairs[i % len(pairs)] for i in range(len(judged))]))


class TestValues:
    def test_each_statistic_is_what_the_module_per_set_gives(self) -> None:
        judged = made()
        found = rs.agreement.ranks(judged, metrics="machine", n_resamples=50, rng=3)
        both = judged.table("rank"), judged.table("machine")
        for name, measure in SET_MEASURES.items():
            if measure.name != "pvalue_permutation":
                assert found[name] == pytest.approx(per_set(*both, name), rel=1e-13)
        original = {"penalise_predicted_ties": False}
        assert_same_numbers(found["tau"], per_set(*both, "tau"))
        assert_same_numbers(found["tau_original"], per_set(*both, "tau", **original))
        assert found["tau_original_macro"] == pytest.approx(per_set(*both, "tau_macro", **original))
        assert 0 < found["pvalue_permutation"] <= 1

    def test_a_cutoff_is_part_of_the_names(self) -> None:
        judged = made()
        found = rs.agreement.ranks(judged, metrics="machine", cutoff=2, n_resamples=20)
        assert found["nDCG@2"] == pytest.approx(
            per_set(judged.table("rank"), judged.table("machine"), "nDCG", cutoff=2)
        )
        assert found["ERR@2"] == pytest.approx(per_set(judged.table("rank"), judged.table("machine"), "ERR", cutoff=2))

    def test_the_paper_differs_from_the_tool_where_it_should(self) -> None:
        """Two lists: what the tool prints for them is recorded beside the file."""
        ours = rs.agreement.ranks(README, n_resamples=20, rng=0)
        parts = {part.pair: part for part in ours.parts}
        assert parts["all"]["tau"] == -4 / 6
        assert parts["all"]["tau_macro"] == pytest.approx((-0.6 - 1) / 2)
        # The tie in the second list is no gain lost: nDCG is the mean of 1 and that of the other order.
        ndcg = (1 + per_segment([2, 1], [1, 2], "nDCG")) / 2
        assert parts[""]["nDCG"] == pytest.approx(ndcg)
        assert parts["all"]["average_predicted"] == 3

    def test_by_segment_every_list_is_there(self) -> None:
        judged = made(4)
        found = rs.agreement.ranks(judged, metrics="machine", by_segment=True, n_resamples=20)
        rows = {(row[2], row[4]): row for row in found.records()}
        gold, predicted = judged.table("rank"), judged.table("machine")
        for i in range(4):
            tau = per_segment(gold[i], predicted[i], "tau")
            segment = str(i + 1)
            assert_same_numbers(rows[segment, "tau"][5], tau)
            assert rows[segment, "pvalue"][5] == pytest.approx(float(tau_pvalues(tau, 5)), nan_ok=True)
            assert_same_numbers(rows[segment, "FARR"][5], per_segment(gold[i], predicted[i], "FARR"))
            assert rows[segment, "nDCG"][5] == pytest.approx(per_segment(gold[i], predicted[i], "nDCG"))
            assert rows[segment, "tau"][8] == 5
        assert rows["all", "MRR"][8] == 4

    def test_best_predicted_adds_up_to_all_lists(self) -> None:
        found = rs.agreement.ranks(made(), metrics="machine", n_resamples=20)
        rows = [row for row in found.records() if row[2].startswith("best_predicted=")]
        assert sum(row[3] for row in rows) == pytest.approx(100)
        assert sum(row[6] for row in rows) == 30


class TestIntervals:
    def test_they_hold_the_value_and_are_the_same_with_the_same_seed(self) -> None:
        one, other, third = (rs.agreement.ranks(made(), metrics="machine", rng=seed) for seed in (4, 4, 5))
        assert_same_bits(list(one.records()), list(other.records()))
        assert list(map(repr, one.records())) != list(map(repr, third.records()))
        for row in one.parts[0].statistics[:9]:
            assert row.low < row.value < row.high

    def test_a_mean_has_the_interval_of_a_naive_bootstrap(self) -> None:
        judged = made(40)
        found = rs.agreement.ranks(judged, metrics="machine", n_resamples=4000, rng=1)
        row = next(one for one in found.parts[0].statistics if one.name == "MRR")
        values = found.parts[0].of_list["FARR"]
        rng = np.random.default_rng(9)
        means = [rng.choice(values, values.size).mean() for _ in range(4000)]
        assert (row.low, row.high) == pytest.approx(np.quantile(means, [0.025, 0.975]).tolist(), abs=0.01)

    def test_lists_of_one_segment_are_drawn_together(self) -> None:
        """Each list four times, as from four judges of one mind: the interval is that of the single lists."""
        judged = made(25)
        again = judged.select(np.repeat(np.arange(25), 4))
        once, four = (rs.agreement.ranks(x, metrics="machine", rng=2).parts[0] for x in (judged, again))
        for a, b in zip(once.statistics[:9], four.statistics[:9], strict=True):
            assert (a.low, a.high) == pytest.approx((b.low, b.high))

    def test_one_segment_has_none(self) -> None:
        found = rs.agreement.ranks(made(1, seed=5), metrics="machine", n_resamples=20)
        assert all(isnan(row.low) for row in found.parts[0].statistics)
        assert mentions(str(found), "one segment only", "no intervals")


class TestSources:
    def test_several_columns_are_several_metrics_with_lines_over_them(self) -> None:
        judged = made(better=0.2, worse=4.0)
        found = rs.agreement.ranks(judged, metrics=["machine", "better", "worse"], n_resamples=20)
        assert [part.metric for part in found.parts] == ["machine", "better", "worse"]
        assert mentions(found.sections()[0].sentence, "better agrees most", "tau")
        figure = found.sections()[0].figure
        assert figure is not None
        assert figure.name == "measure_lines"
        assert figure.data["experiments"] == ["machine", "better", "worse"]
        assert figure.data["order_by"] == "MRR"

    def test_another_measure_orders_the_lines(self) -> None:
        judged = made(better=0.2, worse=4.0)
        columns = ["machine", "better", "worse"]
        for order_by, falling in (("tau_original", True), ("average_predicted", False)):
            found = rs.agreement.ranks(judged, metrics=columns, order_by=order_by, n_resamples=9)
            figure = found.sections()[0].figure
            assert figure is not None
            assert (figure.data["order_by"], figure.data["falling"]) == (order_by, falling)
            assert figure.data["measures"][0] == order_by
        with pytest.raises(ParameterError, match="order_by is 'bleu'"):
            rs.agreement.ranks(judged, metrics=columns, order_by="bleu")

    def test_a_mapping_of_rankings_is_so_many_experiments(self) -> None:
        found = rs.agreement.ranks({"first": made(seed=1), "second": made(seed=2)}, metrics="machine", n_resamples=9)
        assert [part.metric for part in found.parts] == ["first", "second"]

    def test_language_pairs_are_measured_one_by_one_and_together(self) -> None:
        judged = in_pairs(made(), ["de-en", "cs-en"])
        found = rs.agreement.ranks(judged, metrics="machine", n_resamples=9)
        assert [part.pair for part in found.parts] == ["de-en", "cs-en", "all"]
        alone = rs.agreement.ranks(judged.select(np.arange(0, 30, 2)), metrics="machine", n_resamples=9)
        assert_same_bits(alone["tau"], found["tau"])
        concordant = [part["concordant"] for part in found.parts]
        assert concordant[0] + concordant[1] == concordant[2]

    def test_the_columns_need_no_names_where_there_is_one_choice(self) -> None:
        assert_same_bits(
            rs.agreement.ranks(made(), n_resamples=9)["tau"],
            per_set(made().table("rank"), made().table("machine"), "tau"),
        )
        found = rs.agreement.ranks(made(other=1.0), n_resamples=9)
        assert [part.metric for part in found.parts] == ["machine", "other"]
        with pytest.raises(ParameterError, match="--gold"):
            rs.agreement.ranks(Rankings.of([{"a": 1}], name="mine"))

    def test_tables_in_csv_are_read_as_jcml_is(self, tmp_path: Path) -> None:
        judged = made(5)
        path = tmp_path / "judged.csv"
        lines = ["segment,system,gold,predicted"]
        names = zip(judged.judgment.tolist(), judged.system, strict=True)
        for (segment, system), gold, machine in zip(
            names, judged.columns["rank"], judged.columns["machine"], strict=True
        ):
            lines.append(f"{segment},{system},{gold:g},{machine:g}")
        path.write_text("\n".join(lines) + "\n")
        ours = rs.agreement.ranks(path, n_resamples=9)
        assert (ours["tau"], ours["nDCG"]) == pytest.approx(
            (
                per_set(judged.table("rank"), judged.table("machine"), "tau"),
                per_set(judged.table("rank"), judged.table("machine"), "nDCG"),
            )
        )


def scored(judged: Rankings, name: str, *, higher_is_better: bool = True) -> MetricScores:
    """The machine's column as scores of segments."""
    values = np.full((5, len(judged)), np.nan)
    sign = -1 if higher_is_better else 1
    values[judged.system.codes, judged.judgment] = sign * judged.columns["machine"]
    segments = tuple(judged.segment.names[code] for code in judged.segment.codes)
    return MetricScores(name, {"": PairScores(judged.systems, segments, values)}, higher_is_better)


class TestScores:
    def test_scores_of_segments_are_measured_as_columns_are(self) -> None:
        judged = made(12)
        alone = Rankings(**{**vars(judged), "columns": {"rank": judged.columns["rank"]}})
        metrics = [scored(judged, "BLEU"), scored(judged, "TER", higher_is_better=False)]
        expected = [row[1:] for row in rs.agreement.ranks(judged, by_segment=True, n_resamples=20, rng=1).records()]
        found = rs.agreement.ranks(alone, metrics, by_segment=True, n_resamples=20, rng=1)
        for name in ("BLEU", "TER"):
            assert_same_bits([row[1:] for row in found.records() if row[0] == name], expected)
        assert "higher:BLEU |" in found.signature()
        one = rs.agreement.ranks(alone, metrics, metrics="TER", n_resamples=9)
        assert [part.metric for part in one.parts] == ["TER"]
        upside_down = rs.agreement.ranks(alone, metrics[0], lower="BLEU", n_resamples=9)
        assert upside_down["tau_original"] == -found["tau_original"]

    def test_human_scores_are_ranked_in_each_segment(self) -> None:
        people = MetricScores("DA", {"": PairScores.of({"a": [90, 10, 50], "b": [70, 20, 50], "c": [80, 30, None]})})
        metric = MetricScores("m", {"": PairScores.of({"a": [9, 3, 1], "b": [5, 2, 1], "c": [7, 1, 1]})})
        found = rs.agreement.ranks(people, metric, by_segment=True, n_resamples=9)
        ranks, predicted = [[1, 3, 2], [3, 2, 1], [1, 1]], [[1, 3, 2], [1, 2, 3], [1, 1]]
        assert found["tau"] == per_set(ranks, predicted, "tau") == 0.0
        for name in ("FARR", "nDCG", "ERR", "best_predicted"):
            values = [row[5] for row in found.records() if row[4] == name and row[2] != "all"]
            expected = [per_segment(a, b, name) for a, b in zip(ranks, predicted, strict=True)]
            assert values == pytest.approx(expected, rel=1e-14)

    def test_a_translation_without_a_score_is_refused_or_skipped(self) -> None:
        judged = made(4)
        scores = scored(judged, "BLEU")
        scores.pairs[""].values[2, 1] = np.nan
        with pytest.raises(InputError, match=r"judgment 2 \(segment 2\), system 'c': BLEU has no value, .*a score"):
            rs.agreement.ranks(judged, scores)
        found = rs.agreement.ranks(judged, scores, missing="drop", n_resamples=9)
        assert found.parts[0].lengths == (5, 4, 5, 5)
        assert [note for note in found.notes if "BLEU" in note] == [
            "BLEU: 1 of 20 judged translations has no score and is skipped"
        ]

    def test_language_pairs_without_a_score_are_refused_by_name_or_skipped(self) -> None:
        rankings = made(4)
        judged = replace(rankings, pair=Labels(("de-en", "fr-en"), np.array([0, 0, 1, 1])))
        tables = {"de-en": scored(rankings, "BLEU").pairs[""]}
        with pytest.raises(InputError) as raised:
            rs.agreement.ranks(judged, MetricScores("BLEU", tables))
        assert mentions(raised.value, "BLEU", "'fr-en'", "only of 'de-en'", "--pairs", "--missing drop")
        with pytest.raises(InputError, match="write the names alike"):
            rs.agreement.ranks(judged, MetricScores("BLEU", {"cs-en": tables["de-en"], "xx": tables["de-en"]}))
        found = rs.agreement.ranks(judged, MetricScores("BLEU", tables), missing="drop", n_resamples=9)
        named = rs.agreement.ranks(judged, MetricScores("BLEU", tables), pairs="de-en", n_resamples=9)
        parts = {part.pair: part for part in found.parts}
        assert len(parts["fr-en"].lengths) == 0
        assert parts["de-en"]["tau"] == parts["all"]["tau"] == named["tau"]

    def test_scores_belong_to_one_set_of_judgments_and_not_to_the_preset(self) -> None:
        judged = made(4)
        with pytest.raises(ParameterError, match="2 experiments"):
            rs.agreement.ranks([judged, made(5)], scored(judged, "BLEU"))
        with pytest.raises(ParameterError, match="takes ranks"):
            rs.agreement.ranks(judged, scored(judged, "BLEU"), preset="rankeval")


class TestRefused:
    def test_people_who_prefer_nothing(self) -> None:
        for judgments in ([{"a": 1, "b": 1}], [{"a": 1}, {"a": 2}]):
            judged = Rankings.of(judgments)
            judged = judged.with_column("machine", np.arange(len(judged.system), dtype=float), higher_is_better=False)
            with pytest.raises(InputError, match=r"'rank' .*above another"):
                rs.agreement.ranks(judged)
            with pytest.raises(InputError, match="no pair counts"):
                rs.agreement.ranks(judged, preset="rankeval")

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            ({"metrics": "machin"}, "did you mean machine"),
            ({"gold": "machine", "metrics": "machine"}, "unknown metric 'machine'"),
            ({"preset": "rankevil"}, "did you mean rankeval"),
            ({"normalise": "dense"}, "normalise is 'dense'"),
            ({"missing": "zero"}, "missing is 'zero'"),
            ({"n_resamples": 0}, "n_resamples is 0"),
            ({"confidence_level": 95}, "confidence_level is 95"),
            ({"cutoff": 0}, "cutoff is 0"),
            ({"rng": -1}, "rng is -1"),
            ({"preset": "rankeval", "by_segment": True}, "by_segment cannot be combined with preset"),
            ({"preset": "rankeval", "cutoff": 2}, "cutoff .*preset 'rankeval'"),
            ({"metrics": []}, "metrics is empty"),
            ({"preset": "rankeval", "higher": "machine"}, "higher .*preset 'rankeval'"),
        ],
    )
    def test_arguments_out_of_range(self, arguments: dict[str, Any], why: str) -> None:
        with pytest.raises(ParameterError, match=why):
            rs.agreement.ranks(made(3), **arguments)

    def test_what_holds_no_rankings(self, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match="judgments are int"):
            rs.agreement.ranks({"a": 3})
        with pytest.raises(ParameterError, match="empty"):
            rs.agreement.ranks([])
        with pytest.raises(InputError, match="no judgment"):
            rs.agreement.ranks(Rankings.of([]))
        with pytest.raises(InputError, match="no such file"):
            rs.agreement.ranks(tmp_path / "nothing.jcml")

    def test_minus_one_by_people_is_skipped_but_under_the_preset(self) -> None:
        judged = made(3)
        gold = judged.columns["rank"].copy()
        gold[0] = -1
        judged = judged.with_column("rank", gold, higher_is_better=False)
        ours = rs.agreement.ranks(judged, n_resamples=9)
        assert any(mentions(note, "1 item", "not ranked", "rank is -1") for note in ours.notes)
        assert ours.parts[0].lengths == (4, 5, 5)
        nothing = judged.with_column("rank", np.where(gold == -1, np.nan, gold), higher_is_better=False)
        again = rs.agreement.ranks(nothing, n_resamples=9, rng=ours.settings.seed)
        assert any(mentions(note, "1 item", "rank has no value") for note in again.notes)
        assert_same_bits(list(again.records()), list(ours.records()))
        # There it is the best rank of its list.
        lowest = np.where(gold == -1, 0, gold)
        as_best = rs.agreement.ranks(judged.with_column("rank", lowest, higher_is_better=False), preset="rankeval")
        found = rs.agreement.ranks(judged, preset="rankeval")
        assert_same_numbers(list(found.records()), list(as_best.records()))


def test_minus_one_among_scores_is_a_number_and_among_ranks_says_not_ranked() -> None:
    judged = Rankings.of([{"a": 1, "b": 2, "c": 3}])
    for machine, invert, taken in (
        ([1, 2, -1], False, False),
        ([-0.5, -0.7, -1], True, True),
        ([-3, -2, -1], False, True),
    ):
        one = judged.with_column("machine", np.array(machine, float), higher_is_better=False)
        if taken:
            assert rs.agreement.ranks(one, higher=["machine"] * invert, n_resamples=9)["tau"] == 1.0
        else:
            with pytest.raises(InputError, match=r"machine .*-1 \(not ranked\)"):
                rs.agreement.ranks(one, higher=["machine"] * invert)


class TestRuns:
    A = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0}}  # noqa: RUF012 - nobody changes it
    B = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"b": 1.0}}  # noqa: RUF012 - nobody changes it

    def test_all_coefficients_of_two_runs_are_in_one_result(self) -> None:
        found = rs.agreement.runs(self.A, self.B)
        assert [part.statistic for part in found.coefficients] == [
            "tau",
            "tau_ap",
            "weighted_tau",
            "spearman",
            "gamma",
            "rbo",
        ]
        assert found["tau"] == pytest.approx(1 / 3)
        assert found.columns == ("system_a", "system_b", "statistic", "query", "value")
        rows = {row[2:4]: row[4] for row in found.records()}
        assert rows["spearman", "q1"] == pytest.approx(0.5)
        assert isnan(rows["tau", "q2"])
        assert rows["tau", "all"] == found["tau"]

    def test_one_that_refuses_is_left_out_unless_it_was_asked_for(self) -> None:
        tied = {"q1": {"a": 1.0, "b": 1.0, "c": 0.0}}
        found = rs.agreement.runs(tied, self.B)
        assert "tau_ap" not in {part.statistic for part in found.coefficients}
        assert mentions(found.notes[0], "tau_ap", "'q1'")
        with pytest.raises(InputError, match="q1"):
            rs.agreement.runs(tied, self.B, statistics=["tau_ap"])

    def test_what_makes_no_sense_is_refused(self) -> None:
        with pytest.raises(InputError, match="no query"):
            rs.agreement.runs(self.A, {"other": {"a": 1.0}})
        with pytest.raises(UnknownName):
            rs.agreement.runs(self.A, self.B, statistics=["taux"])
        with pytest.raises(ParameterError, match="a list of names"):
            rs.agreement.runs(self.A, self.B, statistics="tau")


SHOWN: dict[str, Callable[[], Any]] = {
    "ranks": lambda: rs.agreement.ranks(made(), metrics="machine", by_segment=True, n_resamples=20),
    "several": lambda: rs.agreement.ranks(made(other=1), metrics=["machine", "other"], n_resamples=20),
    "pairs": lambda: rs.agreement.ranks(in_pairs(made(), ["de-en", ""]), metrics="machine", n_resamples=20),
    "preset": lambda: rs.agreement.ranks(made(), metrics="machine", preset="rankeval"),
    "runs": lambda: rs.agreement.runs(TestRuns.A, TestRuns.B),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_every_result_has_even_tables_and_a_frame(kind: str) -> None:
    result = SHOWN[kind]()
    for section in result.sections():
        if section.table is not None:
            assert {len(row) for row in section.table.rows} == {len(section.table.columns)}
    assert result.frame().columns == list(result.columns)
    assert result.frame().height == len(list(result.records()))
    assert result.signature() in str(result)
    assert type(result).__name__ in repr(result)
