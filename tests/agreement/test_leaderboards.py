"""Judges of runs against the truth: leaderboards of TREC AutoJudge (run, measure, topic, value), recorded here by their
documented form.
"""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from helpers.messages import mentions
from scipy import stats

from rankscope.agreement import compare_metrics, favour, ranks, segments, systems
from rankscope.errors import InputError, ParameterError
from rankscope.measures.rank_similarity import tau_ap

RUNS, TOPICS = [f"run{i}" for i in range(1, 9)], [f"t{i}" for i in range(1, 13)]


def leaderboard(path, measures, *, swap=False):
    """Writes the values of measures, (runs, topics), with the mean over the topics as the topic "all"."""
    lines = []
    for measure, values in measures.items():
        for run, row in zip(RUNS, values.tolist(), strict=True):
            for topic, value in (*zip(TOPICS, row, strict=True), ("all", float(np.mean(row)))):
                lines.append(f"{run} {topic} {measure} {value}" if swap else f"{run}\t{measure}\t{topic}\t{value}")
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.fixture
def boards(tmp_path):
    rng = np.random.default_rng(8)
    quality = rng.normal(size=(8, 1)) + 0.5 * rng.normal(size=(8, 12))
    tables = [quality + noise * rng.normal(size=(8, 12)) for noise in (0.1, 0.5, 2.0)]
    return tables, tmp_path


def test_a_truth_and_a_file_for_each_judge_give_all_correlations_of_the_mean_over_topics(boards):
    (truth, near, far), folder = boards
    files = [
        leaderboard(folder / "truth.txt", {"GRADE": truth}),
        leaderboard(folder / "near.txt", {"SCORE": near}),
        leaderboard(folder / "far.txt", {"SCORE": far}, swap=True),
    ]
    names = ("kendall_b", "spearman", "pearson", "tau_ap")
    found = systems(files[0], files[1:], statistic=names, top=4, n_resamples=20, rng=1)
    assert (found.gold, found.metrics, found.systems) == ("GRADE", ("near", "far"), (tuple(RUNS),))
    means = [table.mean(axis=1) for table in (truth, near, far)]
    peers = {"kendall_b": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}
    best = np.sort(np.argsort(-means[0])[:4])
    assert found.top_systems == (tuple(RUNS[i] for i in best),)
    for part, rows in ((found.statistics, np.arange(8)), (found.top, best)):
        for values in part:
            for m, judge in enumerate(means[1:]):
                pair = means[0][rows], judge[rows]
                peer = peers[values.statistic](*pair)[0] if values.statistic in peers else tau_ap(*pair)
                assert values.value[m, 0] == pytest.approx(peer)
    # Topics are the segments that the bootstrap draws; the rows "all" are none of them.
    assert found.interval == "segments"
    assert mentions(found.signature(), "human:mean(common)", "top:4")


def test_one_file_of_several_judges_is_as_a_file_for_each(boards):
    (truth, near, far), folder = boards
    board = leaderboard(folder / "truth.txt", {"GRADE": truth})
    together = leaderboard(folder / "judges.txt", {"near": near, "far": far})
    alone = [leaderboard(folder / f"{name}.txt", {"GRADE": table}) for name, table in (("near", near), ("far", far))]
    found = [systems(board, judges, statistic="tau_ap", n_resamples=20, rng=1) for judges in (together, alone)]
    assert found[0].metrics == found[1].metrics == ("near", "far")
    for name in ("value", "low", "high"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))
    # People and judges in one file: the column of people is named.
    single = leaderboard(folder / "all.txt", {"near": near, "GRADE": truth, "far": far})
    assert systems(single, gold="GRADE", statistic="tau_ap", rng=1).value.tolist() == found[0].value.tolist()
    with pytest.raises(ParameterError, match="which measure holds the human judgments"):
        systems(single, statistic="tau_ap")


def test_names_of_judges_come_from_files_only_where_measures_share_one(boards):
    (truth, near, far), folder = boards
    board = leaderboard(folder / "truth.txt", {"TRUTH": truth})
    named = [leaderboard(folder / "a.txt", {"NEAR": near}), leaderboard(folder / "b.txt", {"FAR": far})]
    assert systems(board, named).metrics == ("NEAR", "FAR")
    same = [leaderboard(folder / "a.txt.gz", {"X": near}), leaderboard(folder / "b.txt", {"X": near, "FAR": far})]
    assert systems(board, same).metrics == ("a", "b:X", "FAR")
    # The judge's measure has the name of the truth's.
    assert systems(board, leaderboard(folder / "c.txt", {"TRUTH": near})).metrics == ("c",)


def test_which_judge_is_better_is_tested_over_topics_by_a_paired_bootstrap(boards):
    (truth, near, far), folder = boards
    files = [
        leaderboard(folder / f"{name}.txt", {"GRADE": table})
        for name, table in (("truth", truth), ("near", near), ("far", far))
    ]
    found = compare_metrics(
        files[0], files[1:], level="system", statistic="tau_ap", test="bootstrap", n_resamples=400, rng=3
    )
    assert found.metrics == ("near", "far")
    means = [table.mean(axis=1) for table in (truth, near, far)]
    assert found.value[0] == pytest.approx([tau_ap(means[0], judge) for judge in means[1:]])
    rng = np.random.default_rng(5)
    differences = []
    for _ in range(400):
        topics = rng.integers(0, 12, 12)
        drawn = [table[:, topics].mean(axis=1) for table in (truth, near, far)]
        differences.append(tau_ap(drawn[0], drawn[1]) - tau_ap(drawn[0], drawn[2]))
    share = np.mean(np.array(differences) <= 0)
    assert found.pvalue[0, 0, 1] == pytest.approx(2 * min(share, 1 - share), abs=0.06)
    # Systems swapped between the judges, and drawn.
    for test in ("perm_both", "boot_both"):
        tested = compare_metrics(files[0], files[1:], level="system", statistic="tau_ap", test=test, n_resamples=50)
        assert 0 < tested.pvalue[0, 0, 1] <= 1


def summaries_of(path):
    """Keeps the lines of the topic "all"."""
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "all" in line.split()))
    return path


@pytest.mark.parametrize("swap", [False, True])
def test_summaries_alone_are_scores_of_whole_systems(boards, swap):
    (truth, near, far), folder = boards
    board = leaderboard(folder / "truth.txt", {"GRADE": truth})
    judges = summaries_of(leaderboard(folder / "judges.txt", {"near": near, "far": far}, swap=swap))
    expected = [stats.kendalltau(truth.mean(axis=1), judge.mean(axis=1))[0] for judge in (near, far)]
    found = systems(board, judges, statistic="kendall_b", n_resamples=20, rng=1)
    assert found.metrics == ("near", "far")
    assert found.value[:, 0] == pytest.approx(expected)
    assert mentions(found.notes, "judges.txt", "summaries only", "whole systems")
    # A truth of summaries has no topics to draw: intervals of Fisher's z, and tests that swap systems.
    given = systems(summaries_of(board), judges, statistic="kendall_b")
    assert (given.gold, given.interval) == ("GRADE", "fisher")
    assert given.value[:, 0] == pytest.approx(expected)
    tested = compare_metrics(board, judges, level="system", statistic="kendall_b", n_resamples=20, rng=1)
    assert tested.value[0] == pytest.approx(expected)
    assert tested.tests == ("perm_both",)
    # A file of people and judges in one.
    single = summaries_of(leaderboard(folder / "all.txt", {"near": near, "GRADE": truth, "far": far}, swap=swap))
    assert systems(single, gold="GRADE", statistic="kendall_b").value[:, 0] == pytest.approx(expected)


def test_summaries_alone_are_no_scores_of_segments(boards):
    (truth, near, _), folder = boards
    board = leaderboard(folder / "truth.txt", {"GRADE": truth})
    summaries = summaries_of(leaderboard(folder / "near.txt", {"GRADE": near}))
    for function, arguments in (
        (segments, (board, summaries)),
        (segments, (summaries, board)),
        (ranks, (board, summaries)),
    ):
        with pytest.raises(InputError) as raised:
            function(*arguments)
        assert mentions(raised.value, "near.txt", "summaries only")
    with pytest.raises(InputError) as raised:
        favour(board, summaries, families={"run1": "x"})
    assert mentions(raised.value, "near", "scores of systems only")
    with pytest.raises(ParameterError, match="judgment_weight"):
        systems(summaries, board, judgment_weight="w")


def test_lines_that_do_not_say_what_is_a_topic_are_refused(boards):
    (truth, near, _), folder = boards
    board = leaderboard(folder / "truth.txt", {"GRADE": truth})
    lines = leaderboard(folder / "near.txt", {"GRADE": near}).read_text().splitlines(keepends=True)
    (folder / "near.txt").write_text("".join(line for line in lines if "\tall\t" not in line))
    with pytest.raises(InputError) as raised:
        systems(board, folder / "near.txt")
    assert mentions(raised.value, "near.txt:1", "'all'")
    # A run that the judge lacks.
    (folder / "near.txt").write_text("".join(line for line in lines if not line.startswith("run3\t")))
    with pytest.raises(InputError) as raised:
        systems(board, folder / "near.txt")
    assert mentions(raised.value, "run3", "--common")
    assert len(systems(board, folder / "near.txt", common=True).systems[0]) == 7
