"""Files of judgments and scores are told by what they hold."""

from __future__ import annotations

import gzip

import pytest

from rankscope import MetricScores, PairScores, Rankings
from rankscope.agreement import segments
from rankscope.agreement.load import merge_metrics, read_judgments, read_metric_scores
from rankscope.agreement.settings import JudgmentSettings
from rankscope.errors import InputError

WMT = (
    "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank\nFrench,English,1,ann,A,B,1,2\n",
    ("rank",),
)
APPRAISE = (
    '<results><HIT source-language="fra" target-language="eng"><ranking-task id="1"><ranking-result user="ann">'
    '<translation system="A" rank="1"/><translation system="B" rank="2"/></ranking-result></ranking-task></HIT>'
    "</results>",
    ("rank",),
)
KINDS = {
    "wmt.csv": WMT,
    "results.xml": APPRAISE,
    "pairs.txt": ("1 fr-en A fr-en B\n", ("rank",)),
    "named-pairs.txt": ("LP SID BETTER WORSE\nfr-en 1 A B\n", ("rank",)),
    "table.csv": ("segment,system,gold,llm\n1,A,1,5\n1,B,2,3\n", ("gold", "llm")),
    "table.tsv": ("segment\tsystem\tgold\n1\tA\t1\n1\tB\t2\n", ("gold",)),
    "table.jsonl": ('{"segment": 1, "system": "A", "gold": 1}\n{"segment": 1, "system": "B", "gold": 2}\n', ("gold",)),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", KINDS)
def test_judgments_are_read_in_every_format(tmp_path, name, packed):
    text, columns = KINDS[name]
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = read_judgments(path)
    assert isinstance(found, Rankings)
    assert (tuple(found.columns), found.systems) == (columns, ("A", "B"))
    assert found.table(columns[0]).tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("human.scr", "human\tfr-en\tset\tA\t1\t0.5\nhuman\tfr-en\tset\tB\t1\tnan\n"),
        ("fr-en.human.seg.score", "A\t0.5\nB\tNone\n"),
    ],
)
def test_scores_of_people_are_judgments_too(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    found = read_judgments(path)
    assert isinstance(found, MetricScores)
    assert (found.metric, list(found.pairs)) == ("human", ["fr-en"])
    assert [one.metric for one in read_metric_scores(path, level="segment")] == ["human"]


def test_columns_of_a_table_are_scores_where_they_are_named(tmp_path):
    (tmp_path / "t.csv").write_text(KINDS["table.csv"][0])
    found = read_judgments(tmp_path / "t.csv", JudgmentSettings(higher=("llm",)))
    assert found.score_columns == {"llm"}
    assert segments(found, rng=1).value.tolist() == [[1.0]]


def test_a_folder_gives_all_its_metrics_with_all_their_pairs(tmp_path):
    for pair in ("de-en", "en-de"):
        folder = tmp_path / "metric-scores" / pair
        folder.mkdir(parents=True)
        for metric in ("BLEU", "chrF"):
            (folder / f"{metric}-refA.seg.score").write_text("A\t0.5\nB\t0.25\n")
    human = tmp_path / "human-scores"
    human.mkdir()
    (human / "de-en.mqm.seg.score").write_text("A\t-1\nB\t-5\n")
    found = read_metric_scores(tmp_path, level="segment")
    assert [(one.metric, sorted(one.pairs)) for one in found] == [
        ("BLEU-refA", ["de-en", "en-de"]),
        ("chrF-refA", ["de-en", "en-de"]),
    ]
    agreed = segments(human / "de-en.mqm.seg.score", tmp_path, rng=1)
    assert (agreed.pairs, agreed.value.tolist()) == (("de-en",), [[1.0], [1.0]])
    with pytest.raises(InputError, match=r"folder, .*file"):
        read_judgments(tmp_path)


def test_a_pair_that_comes_twice_stays_apart():
    one = MetricScores("m", {"x": PairScores.of({"A": [1]})})
    other = MetricScores("m", {"y": PairScores.of({"A": [2]})})
    assert [sorted(found.pairs) for found in merge_metrics([one, other, one])] == [["x", "y"], ["x"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("m\tfr-en\tset\tA\t1\t0.5\nn\tfr-en\tset\tA\t1\t0.5\n", "scores of 2 metrics"),
        ("<!DOCTYPE html><html></html>", "this is an HTML page"),
    ],
)
def test_what_is_no_judgments_is_refused(tmp_path, text, message):
    path = tmp_path / "odd"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_judgments(path)


def test_a_folder_without_metrics_is_refused(tmp_path):
    with pytest.raises(InputError, match="no metric-scores"):
        read_metric_scores(tmp_path, level="segment")
