"""A system none of whose documents is judged, as where ids are written in two ways: no verdict, and why, first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli.main import main

QRELS = {f"q{i}": {f"d{i}": 1, f"e{i}": 0} for i in range(12)}


def run(name: str, prefix: str = "", n_first: int = 6, depth: int = 10) -> rs.Run:
    """A run that finds the relevant document first for some queries, else second; all ids have the prefix."""
    lists = {}
    for i in range(12):
        docs = [f"d{i}", *(f"x{k}" for k in range(depth - 1))]
        docs[:2] = docs[:2] if i < n_first else docs[1::-1]
        lists[f"q{i}"] = {prefix + doc: float(-rank) for rank, doc in enumerate(docs)}
    return rs.Run(lists, name=name)


GOOD, FAIR, FOREIGN = run("good", n_first=11), run("fair", n_first=2), run("foreign", "doc/")


@pytest.fixture(scope="module")
def scores() -> rs.Scores:
    return rs.evaluate(QRELS, [GOOD, FAIR, FOREIGN], ["RR", "P@5"])


@pytest.mark.parametrize("test", ["t", "permutation", "sign", "bayes-t", "tukey", "nemenyi"])
@pytest.mark.parametrize("baseline", [None, "foreign", "good"])
def test_there_is_no_verdict_on_it_and_one_on_the_others(scores: rs.Scores, test: str, baseline: str | None) -> None:
    if baseline is not None and test in ("tukey", "nemenyi"):
        return
    result = rs.compare(scores, baseline=baseline, test=test, rng=1)
    for comparison in result.comparisons:
        names = np.array(comparison.systems)
        withheld = (names[comparison.first] == "foreign") | (names[comparison.second] == "foreign")
        assert (comparison.withheld == withheld).all()
        assert (comparison.decisions[withheld] == 0).all()
        for numbers in (comparison.pvalue, comparison.pvalue_corrected, comparison.low, comparison.high):
            assert np.isnan(numbers[withheld]).all()
        overview, first = (section.sentence for section in result.sections()[:2])
        for sentence in (overview, first):
            assert sentence.startswith("No verdict on foreign: none of the documents of foreign is judged")
        assert ("good has" in first or "baseline good" in first) == (baseline != "foreign")
    if baseline is None and test == "t":
        assert result["RR"].decisions.tolist() == [1, 0, 0]
        assert rs.compare(scores.select(systems=[0, 1]), test="t")["RR"].pvalue == result["RR"].pvalue[0]


def test_a_pair_has_no_verdict_and_is_not_called_better(scores: rs.Scores) -> None:
    result = rs.compare(scores.select(systems=[0, 2]), "RR")
    text = str(result)
    assert "No verdict" in text.split("\n\n")[1]
    assert "better than" not in text
    assert result["RR"].difference.item() == pytest.approx(23 / 24)


def test_runs_of_few_documents_and_runs_with_one_judged_document_are_compared() -> None:
    small = rs.evaluate(QRELS, [GOOD, run("foreign", "doc/", depth=2)], "RR")
    lists = {query: dict(docs) for query, docs in FOREIGN.mapping.items()} if FOREIGN.mapping else {}
    lists["q0"]["e0"] = -20.0
    nearly = rs.evaluate(QRELS, [GOOD, rs.Run(lists, name="nearly")], "RR")
    for scores in (small, nearly):
        assert scores.unjudged_systems == ()
        assert rs.compare(scores)["RR"].decisions.tolist() == [1]


def test_nothing_is_planned_and_a_gate_is_refused(scores: rs.Scores) -> None:
    result = rs.plan(scores, "RR")
    assert result.sections()[0].sentence.startswith("Nothing can be planned: none of the documents of foreign")
    assert not [row for row in result.records() if row[1] == "t"]
    new, old = scores.select(systems=[2]), scores.select(systems=[0])
    for pair in ((new, old), (old, new)):
        with pytest.raises(rs.InputError, match="no verdict: none of the documents of foreign is judged"):
            rs.gate(*pair, margin=0.02)


def test_it_is_known_after_saving_selecting_and_joining(scores: rs.Scores, tmp_path: Path) -> None:
    rs.write_scores(scores, tmp_path / "scores.parquet")
    assert rs.read_scores(tmp_path / "scores.parquet").unjudged_systems == ("foreign",)
    assert scores.select(systems=[0, 1]).unjudged_systems == ()
    joined = rs.join_scores(scores.select(systems=[2]), scores.select(systems=[2]))
    assert joined.unjudged_systems == ("foreign", "foreign (baseline)")
    sentence = rs.compare(joined, "RR").sections()[0].sentence
    assert sentence.startswith("No verdict on foreign and foreign (baseline)")


def test_a_report_says_so_first_and_a_gate_of_files_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{q} 0 {doc} {grade}\n" for q, docs in QRELS.items() for doc, grade in docs.items()]
    (tmp_path / "q.qrels").write_text("".join(lines))
    for r in (GOOD, FOREIGN):
        assert r.mapping is not None
        text = "".join(f"{q} Q0 {doc} 1 {s} {r.name}\n" for q, docs in r.mapping.items() for doc, s in docs.items())
        (tmp_path / f"{r.name}.run").write_text(text)
    paths = {name: str(tmp_path / name) for name in ("q.qrels", "good.run", "foreign.run")}
    page = rs.report(paths["q.qrels"], [paths["good.run"], paths["foreign.run"]], ["RR"])
    assert "No verdict on foreign" in page.html
    assert "significantly better" not in page.html
    with pytest.raises(SystemExit) as end:
        main(["gate", paths["q.qrels"], paths["good.run"], paths["foreign.run"], "--margin", "0.02"])
    assert end.value.code == 2
    assert "no verdict: none of the documents of foreign is judged" in capsys.readouterr().err
