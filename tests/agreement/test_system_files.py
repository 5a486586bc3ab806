"""Files of scores of systems and of segments: told by what they hold, alone, in folders, of people or of metrics."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope.agreement import compare_metrics, systems
from rankscope.agreement.load import load, read_metric_scores
from rankscope.agreement.settings import JudgmentSettings, MetricSettings
from rankscope.errors import InputError, ParameterError
from rankscope.io.translation import detect_system_kind
from rankscope.io.translation.detect import is_system_line


def read_system_level(path):
    return read_metric_scores(path, level="system")


SYS = "BLEU\tde-en\tset\tA\t31.5\nBLEU\tde-en\tset\tB\t28\nBLEU\tde-en\tset\tC\t20\n"


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return written


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("BLEU de-en set A 31.5", True),
        ("BLEU de-en set 2020 31.5", True),  # a system may be called so
        ("BLEU\tde-en\tset\tA\t31.5\tnon-ensemble\tyes", True),
        ("BLEU\tde-en\tset\tA\t1\t31.5", False),
        ("BLEU\tde-en\tset\tA\t1\t31.5\tnon-ensemble\tyes", False),
        ("A 31.5", False),
        ("segment system rank llm reward", False),
    ],
)
def test_a_line_of_systems_is_told_from_one_of_segments(line, expected):
    assert is_system_line(line) is expected


def test_each_kind_of_file_is_told(write):
    assert [one.pairs["de-en"].by_system["A"] for one in read_system_level(write("bleu.sys.scr", SYS))] == [31.5]
    (found,) = read_system_level(write("chrF.sys.score", "A\t3\nB\t4\n"))
    assert (found.metric, found.pairs[""].by_system) == ("chrF", {"A": 3.0, "B": 4.0})
    (found,) = read_system_level(write("scores.txt", "A 3\nB 4\n"))  # each system once
    assert found.level == "system"
    (found,) = read_system_level(write("chrF.seg.score", "A\t3\nB\t4\n"))  # named as of segments
    assert found.level == "segment"
    (found,) = read_system_level(write("other.txt", "A 3\nA 4\nB 3\nB 5\n"))
    assert found.level == "segment"
    assert len(read_system_level(write("table.csv", "system,BLEU,chrF\nA,1,2\nB,2,3\n"))) == 2
    assert read_system_level(write("x.seg.scr", "m\tde-en\tset\tA\t1\t2\n"))[0].level == "segment"
    assert detect_system_kind(write("judged.csv", "segment,system,rank\n1,A,1\n1,B,2\n"), {}) is None


def test_in_a_folder_scores_of_systems_go_before_those_of_segments(write, tmp_path):
    write("metric-scores/de-en/BLEU.sys.score", "A\t1\nB\t2\n")
    write("metric-scores/cs-en/BLEU.sys.score", "A\t2\nB\t1\n")
    write("metric-scores/de-en/BLEU.seg.score", "A\t1\nB\t2\n")
    write("metric-scores/de-en/chrF.seg.score", "A\t1\nA\t2\nB\t2\nB\t5\n")
    bleu, chrf = read_system_level(tmp_path)
    assert {pair: scores.by_system for pair, scores in bleu.pairs.items()} == {
        "cs-en": {"A": 2.0, "B": 1.0},
        "de-en": {"A": 1.0, "B": 2.0},
    }
    assert chrf.level == "segment"


def test_judgments_may_be_a_table_of_systems_with_their_metrics(write):
    path = write("systems.csv", "system,human,BLEU,TER\nA,0.6,31.5,0.5\nB,0.4,28,0.7\nC,0.3,29,0.8\n")
    found = systems(path, lower="TER", statistic="spearman")
    assert found.metrics == ("BLEU", "TER")
    assert found.value[:, 0].tolist() == pytest.approx([0.5, 1])
    assert found.gold == "human"
    with pytest.raises(ParameterError, match="which column"):
        systems(write("unnamed.csv", "system,x,y\nA,1,2\nB,2,3\n"))
    assert systems(write("unnamed.csv", "system,x,y\nA,1,2\nB,2,3\n"), gold="y").metrics == ("x",)
    assert systems(path, write("bleu.csv", "system,BLEU\nA,3\nB,2\nC,1\n")).metrics == ("BLEU",)


def test_judgments_may_be_sys_score_and_metrics_sys_scr(write):
    people = write("human.sys.score", "A\t3\nB\t2\nC\t1\n")
    assert systems(people, write("bleu.sys.scr", SYS)).value.tolist() == [[1]]


def test_scores_of_segments_stand_for_people_and_metrics(write):
    human = write("human-scores/de-en.mqm.seg.score", "A\t-1\nA\t0\nB\t-5\nB\tNone\n")
    metric = write("metric-scores/de-en/m.seg.score", "A\t1\nA\t2\nB\t0\nB\t5\n")
    found = systems(human, metric, rng=1)
    assert found.human[0].tolist() == [-1, -5]  # the segment of which both have a score
    assert found.scores[0].tolist() == [[1, 0]]
    assert found.value[0, 0] == 1
    assert mentions(found.notes, "de-en: ", 1, 2, "segments")
    assert np.isnan(found.low).all()  # of one segment nothing can be drawn
    assert systems(human, metric, over="own", rng=1).human[0].tolist() == [-0.5, -5]


def test_what_cannot_be_read_is_refused(write):
    for name, text, said in (
        ("empty.scr", "", "the file is empty"),
        ("page.html", "<!doctype html><html></html>", "page.html"),
        ("x.sys.score", "A\t3\nA\t4\n", "a second score of system 'A'"),
    ):
        with pytest.raises(InputError, match=said):
            read_system_level(write(name, text))


def test_directions_may_be_said_of_columns_and_of_scores_of_people(write):
    judged = write("judged.csv", "segment,system,rank,llm\n1,A,1,9\n1,B,2,7\n2,A,2,5\n2,B,1,4\n3,A,1,4\n3,B,2,3\n")
    bleu = write("bleu.csv", "system,BLEU\nA,3\nB,2\n")
    assert systems(judged, bleu, higher="llm", rng=1).metrics == ("BLEU",)  # llm is not used
    hter = write("hter.seg.score", "A\t0.1\nA\t0.2\nB\t0.5\nB\t0.4\n")
    for name in ("hter", "human"):
        found = systems(hter, bleu, lower=name, rng=1)
        assert found.value[0, 0] == 1
        assert "lower:hter" in found.signature()


def test_another_column_never_stands_for_people_whose_own_cannot_be_read(write):
    judged = write("systems.csv", "system,human,BLEU\nA,0.7,31\nB,O.64,29\nC,0.5,30\n")
    chrf = write("chrf.csv", "system,chrF\nA,1\nB,2\nC,3\n")
    with pytest.raises(InputError, match=r"systems\.csv:3: human is 'O\.64'"):
        systems(judged, chrf)


def both_levels(write):
    """A folder in which a metric has scores of segments and of systems, with people's scores of both."""
    rng = np.random.default_rng(1)
    good = rng.normal(size=(5, 12)) + np.arange(5)[:, None]

    def of_segments(table):
        return "".join(f"{s}\t{x}\n" for s, row in zip("ABCDE", table, strict=True) for x in row.tolist())

    for name, noise in (("chrF", 2), ("COMET", 0.5)):
        table = good + noise * rng.normal(size=good.shape)
        write(f"mte/metric-scores/de-en/{name}.seg.score", of_segments(table))
        write(f"mte/metric-scores/de-en/{name}.sys.score", of_segments(10 * table.mean(axis=1, keepdims=True)))
    segments = write("mte/human-scores/de-en.mqm.seg.score", of_segments(good))
    whole = write("mte/human-scores/de-en.mqm.sys.score", of_segments(good.mean(axis=1, keepdims=True)))
    return segments, whole, segments.parent.parent


def test_soft_accuracy_takes_the_scores_of_segments_of_a_folder_with_both(write):
    segments, _, folder = both_levels(write)
    soft = systems(segments, folder, statistic="soft_pairwise_accuracy", n_resamples=50)
    assert (soft.metrics, soft.has_segment_scores) == (("COMET", "chrF"), (True, True))
    assert systems(segments, folder, n_resamples=50).has_segment_scores == (False, False)


def test_metrics_of_a_folder_are_of_systems_where_judgments_are(write):
    segments, whole, folder = both_levels(write)
    for people, level in ((whole, "system"), (segments, "segment")):
        inputs = load(people, folder, JudgmentSettings(), MetricSettings(), level="any")
        assert {metric.level for metric in inputs.metrics} == {level}
    found = compare_metrics(whole, folder, n_resamples=50, statistic="pearson")
    plain = systems(whole, folder, statistic="pearson")
    assert found.value[0] == pytest.approx(plain.value[:, 0])


def test_lines_without_a_score_are_counted_with_their_language_pair(write):
    human = write("de-en.mqm.seg.score", "A\t-1\nA\t0\nA\t-2\nB\t-5\nB\tNone\nB\t-4\n")
    metric = write("metric-scores/de-en/m.seg.score", "A\t1\nA\t2\nA\t3\nB\t0\nB\t5\nB\t3\n")
    assert mentions(systems(human, metric, n_resamples=10).notes, "mqm", "de-en", 1, "without a score")
