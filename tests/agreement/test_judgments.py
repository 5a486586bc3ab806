"""Which column is that of people, what in it is no rank, what orders nothing, which judgments repeat."""

from __future__ import annotations

import gzip
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import MetricScores, PairScores, Rankings, agreement
from rankscope.agreement.judgments import handle_duplicates, ranked_only
from rankscope.agreement.load import load, read_judgments
from rankscope.agreement.match import lists_with_metrics
from rankscope.agreement.rankeval import holds_rankings
from rankscope.agreement.settings import JudgmentSettings, MetricSettings
from rankscope.data.rankings import Labels
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import zstd_module

TABLE = "item,candidate,rank,m\n1,A,-1,9\n1,B,1,7\n1,C,2,8\n"
JCML = (
    '<jcml><judgedsentence id="1"><tgt system="A" rank="-1" m="9"/><tgt system="B" rank="1" m="7"/>'
    '<tgt system="C" rank="2" m="8"/></judgedsentence></jcml>'
)


def joined(judgments, scores=(), **settings):
    return lists_with_metrics(load(judgments, scores, JudgmentSettings(**settings), MetricSettings(), level="segment"))


@pytest.mark.parametrize("form", ["table", "jcml", "rankings"])
def test_not_ranked_is_no_rank_whatever_holds_it(tmp_path, form):
    path = tmp_path / "judged"
    path.write_text(JCML if form == "jcml" else TABLE)
    given = read_judgments(path) if form == "rankings" else path
    found = agreement.segments(given, rng=1)
    assert (found.value.tolist(), found.n.tolist()) == ([[1.0]], [[1]])  # B above C; A is in no pair
    assert mentions(found.notes, 1, "rank is -1")
    assert int(agreement.decisions(given).kinds.sum()) == 1


def test_not_ranked_is_no_decision_of_a_rater():
    ranks = Rankings.of([{"A": -1, "B": 1, "C": 2}, {"A": 1, "B": 2, "C": 3}])
    ranks = replace(ranks, segment=Labels.of(["1", "1"]), judge=Labels.of(["x", "y"]))
    between = agreement.raters(ranks, rng=1).rows[0]
    assert (between.n, between.agreement) == (1, 1.0)  # B and C only


def test_scores_below_0_are_scores_and_other_ranks_below_0_are_refused():
    score = Rankings.of([{"A": -1, "B": -5}], higher_is_better=True)
    assert ranked_only(score, "rank") is score
    with pytest.raises(InputError, match=r"segment 1\b.*'B': rank .*-5.*--higher"):
        ranked_only(Rankings.of([{"A": -1, "B": -5}]), "rank")


def test_the_column_of_people_is_never_guessed_beside_scores():
    one = Rankings.of([{"A": 1, "B": 2}], name="quality")
    metric = MetricScores("m", {"": PairScores.of({"A": [1], "B": [0]})})
    with pytest.raises(ParameterError, match="quality is the only column"):
        joined(one, metric)
    assert joined(one, metric, gold="quality").names == ("m",)
    assert joined(Rankings.of([{"A": 1, "B": 2}], name="Rank"), metric).gold == "Rank"


def test_a_column_of_people_without_a_value_is_refused():
    with pytest.raises(InputError, match="has no value"):
        joined(Rankings.of([{"A": None, "B": -1}]).with_column("m", np.zeros(2), higher_is_better=True))


@pytest.mark.parametrize("lists", [[{"A": 1, "B": 1}, {"A": 2, "B": 2}], [{"A": 1}, {"B": 2}]])
def test_nothing_ordered_is_refused(lists):
    given = Rankings.of(lists)
    given = given.with_column("m", np.arange(float(given.offsets[-1])), higher_is_better=True)
    with pytest.raises(InputError, match="above another"):
        agreement.segments(given)
    if len(lists[0]) > 1:  # ties of people count here
        assert agreement.segments(given, statistic="acc_eq", epsilon=0, rng=1).value.tolist() == [[0.0]]
    else:
        with pytest.raises(InputError, match="above another"):
            agreement.segments(given, statistic="acc_eq", epsilon=0)


def test_lists_of_one_item_have_a_correlation_over_segments_and_one_value_has_none():
    given = Rankings.of([{"A": 1}, {"A": 3}, {"A": 2}], higher_is_better=True)
    given = given.with_column("m", np.array([1.0, 3.0, 2.0]), higher_is_better=True)
    assert agreement.segments(given, statistic="pearson", rng=1).value[0, 0] == pytest.approx(1)
    flat = Rankings.of([{"A": 2}, {"A": 2}], higher_is_better=True)
    flat = flat.with_column("m", np.array([1.0, 3.0]), higher_is_better=True)
    with pytest.raises(InputError, match=r"rank .*\b2\b"):
        agreement.segments(flat, statistic="pearson")


TWICE = "judgment,item,candidate,rank,m\na,1,A,1,9\na,1,B,2,7\nb,1,B,2,7\nb,1,A,1,9\nc,1,A,1,9\nc,1,B,3,7\n"


def test_judgments_that_stand_twice_are_kept_dropped_or_refused(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text(TWICE)
    assert len(read_judgments(path)) == 3
    kept, dropped = (read_judgments(path, JudgmentSettings(duplicates=how)) for how in ("keep", "drop"))
    assert (len(kept), len(dropped)) == (3, 2)
    assert mentions(kept.notes[-1], "twice.csv: ", 1, "kept")
    assert dropped.table("rank").tolist() == [[1, 2], [1, 3]]
    with pytest.raises(InputError, match=r"twice.csv: judgment 2 \(segment 1\) .*judgment 1"):
        read_judgments(path, JudgmentSettings(duplicates="refuse"))
    with pytest.raises(ParameterError, match="duplicates"):
        read_judgments(path, JudgmentSettings(duplicates="maybe"))


def test_no_value_on_both_sides_is_the_same():
    twice = replace(Rankings.of([{"A": None, "B": 1}, {"B": 1, "A": None}]), segment=Labels.of(["1", "1"]))
    assert len(handle_duplicates(twice, "drop", "x")) == 1
    assert handle_duplicates(Rankings.of([]), "drop", "x").notes == ()


FILES = {
    "wmt": "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank\nFrench,English,1,a,A,B,1,2\n",
    "jcml": JCML,
    "utf-16": JCML.encode("utf-16"),
    "table": TABLE,
    "preferences": "prompt,better,worse\n1,A,B\n",
    "pairs": "1 fr-en A fr-en B\n",
}


@pytest.mark.parametrize("kind", FILES)
def test_ranks_and_segments_read_the_same_files(tmp_path, kind):
    path = tmp_path / "file"
    content = FILES[kind]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert holds_rankings(path)
    assert next(iter(read_judgments(path).columns)) == "rank"


def test_runs_and_scores_are_no_rankings(tmp_path):
    path = tmp_path / "file"
    for content in ("q1 Q0 d1 1 0.5 1\n", "q1 Q0 d1 1 0.5 tag\n", "query,doc,score\nq,d,1\n", '{"q1": {"d": 1}}\n'):
        path.write_text(content)
        assert not holds_rankings(path)


def packed(how, content):
    if how == "gzip":
        return gzip.compress(content)
    return zstd_module().compress(content) if how == "zstd" else content


@pytest.mark.parametrize("how", ["plain", "gzip", "zstd"])
def test_standard_input_is_told_by_what_it_holds(how, commands):
    code = (
        "from rankscope.agreement.load import read_judgments\n"
        "found = read_judgments('-')\nprint(found.table('rank').tolist(), found.pair.names)"
    )
    content = packed(how, FILES["wmt"].encode())
    done = subprocess.run(["python", "-c", code], env=commands, input=content, capture_output=True)
    assert done.stdout.decode().strip() == "[[1.0, 2.0]] ('fr-en',)", done.stderr.decode()
