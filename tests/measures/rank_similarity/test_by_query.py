"""Two runs, query by query."""

from __future__ import annotations

from math import isnan, nan
from typing import ClassVar

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs
from rankscope.measures.rank_similarity import STATISTICS, between_runs, rbo


class TestTwoRuns:
    a: ClassVar = {
        "q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0},
        "q2": {"d1": 1.0, "d2": 2.0},
        "q3": {"d5": 1.0, "d6": 1.0},
        "q4": {},
    }
    b: ClassVar = {
        "q3": {"d5": 2.0, "d6": 1.0},
        "q2": {"d9": 1.0, "d2": 2.0},
        "q1": {"d3": 5.0, "d2": 6.0, "d7": 9.0},
        "q9": {},
    }

    def test_have_one_value_for_each_query_that_both_answer(self):
        found = between_runs(self.a, self.b)
        assert found.query_ids == ("q1", "q2", "q3")
        # q1: d2 and d3 are in both, in one order; q2: one document; q3: all tied in a
        assert found.values.tolist() == pytest.approx([1.0, nan, nan], nan_ok=True)
        assert found.mean == 1.0
        assert len(found.notes) == 3
        assert mentions(found.notes[0], 2, "skipped")
        assert mentions(found.notes[1], "1 of 3", "fewer than 2", "(q2)")
        assert mentions(found.notes[2], "1 of 3", "ties", "(q3)")

    def test_are_compared_by_rank_biased_overlap_on_all_documents(self):
        found = between_runs(self.a, self.b, "rbo", p=0.7, ties="b")
        for query, value in zip(found.query_ids, found.values.tolist(), strict=True):
            assert_same_numbers(value, rbo(self.a[query], self.b[query], p=0.7, ties="b"))
        assert found.statistic == "rbo(p=0.7, ties='b')"

    def test_that_share_no_document_of_a_query_overlap_by_0_there(self):
        found = between_runs({"q": {"a": 1.0}, "r": {}}, {"q": {"b": 1.0}, "r": {"c": 1.0}}, "rbo")
        assert found.values.tolist() == [0, 0]
        (note,) = found.notes
        assert mentions(note, "2 of 2", 0, "(q, r)")

    @pytest.mark.parametrize("statistic", sorted(STATISTICS))
    def test_give_the_same_as_mappings_as_frames_and_as_runs(self, statistic):
        rng = np.random.default_rng(1)
        runs = []
        for _ in range(2):
            lists = {f"q{q}": dict.fromkeys(rng.permutation(12)[:9].tolist(), 0.0) for q in range(5)}
            runs.append(
                {
                    q: {f"d{d}": float(s) for d, s in zip(docs, rng.permutation(9), strict=True)}
                    for q, docs in lists.items()
                }
            )
        frames = [rs.Run(rs.Run(run).frame()) for run in runs]
        found = between_runs(*runs, statistic)
        assert_same_bits(found.values.tolist(), between_runs(*frames, statistic).values.tolist())
        for query, value in zip(found.query_ids, found.values.tolist(), strict=True):
            options = {} if statistic == "rbo" else {"common": True}
            assert_same_numbers(value, STATISTICS[statistic](runs[0][query], runs[1][query], **options))

    def test_print_as_a_table_and_give_a_tidy_frame(self):
        found = between_runs(rs.Run(self.a, name="bm25"), rs.Run(self.b, name="dense"), "tau", variant="a")
        assert str(found).splitlines()[:5] == [
            "query  tau(variant='a')",
            "q1               1.0000",
            "q2                    -",
            "q3               0.0000",
            "all              0.5000",
        ]
        frame = found.frame()
        assert frame.columns == ["system_a", "system_b", "statistic", "query", "value"]
        assert frame.row(0) == ("bm25", "dense", "tau(variant='a')", "q1", 1.0)
        assert frame["value"].to_list() == [1.0, None, 0.0]
        assert mentions(repr(found), "BetweenRuns(tau(variant='a') ", "'bm25'", "'dense'", "3 queries)")

    def test_without_a_value_have_no_mean(self):
        assert isnan(between_runs({"q": {"a": 1.0}}, {"q": {"a": 1.0}}).mean)

    @pytest.mark.parametrize(
        ("a", "b", "message"),
        [
            (
                {"q": {"a": 1.0}},
                {"r": {"a": 1.0}},
                r"'run' \(1 .*'run' \(1 .*no query",
            ),
            ({"q": {"a": nan}}, {"q": {"a": 1.0}}, r"run 'run': .*'q' .*finite number"),
            ({"q": {"a": 1.0}}, {"q": {"a": "x"}}, r"run 'run': .*'q' .*finite number"),
            (
                {"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1.0, 2.0]},
                {"q": {"a": 1.0}},
                r"run 'run': .*'q' .*twice",
            ),
        ],
    )
    def test_that_cannot_be_compared_are_refused(self, a, b, message):
        with pytest.raises(rs.InputError, match=message):
            between_runs(a, b)

    def test_with_a_tied_truth_are_refused_by_query(self):
        with pytest.raises(rs.InputError, match="query 'q3': tau_ap: 2 of 2 "):
            between_runs({"q3": self.a["q3"]}, self.b, "tau_ap")

    def test_need_a_statistic_and_parameters_that_exist(self):
        with pytest.raises(rs.UnknownName, match=r"'spearmans'; .*spearman"):
            between_runs(self.a, self.b, "spearmans")
        with pytest.raises(rs.ParameterError, match=r"tau .*parameter 'p', .*variant"):
            between_runs(self.a, self.b, p=0.9)
        with pytest.raises(rs.ParameterError, match=r"spearman .*parameter 'common', .*none"):
            between_runs(self.a, self.b, "spearman", common=False)
        with pytest.raises(rs.ParameterError, match=r"rbo: p is 1\.5, .*0 and 1"):
            between_runs(self.a, self.b, "rbo", p=1.5)
