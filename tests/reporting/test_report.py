"""The whole page of a collection: what stands on it, for whom, and what it refuses."""

from __future__ import annotations

import hashlib
import re
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.demo.collection import write_collection
from rankscope.reporting.report import MAX_SYSTEMS, best_systems


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report")
    write_collection(path)
    return path


def text_of(page: object) -> str:
    """What a reader sees, blanks made one."""
    body = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", page.html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def titles_of(page: object) -> list[str]:
    found = re.findall(r"<h2[^>]*>(.*?)</h2>", page.html, flags=re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", title)).split()) for title in found]


def test_the_page_has_all_that_a_reader_asks_for(folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in ("bm25", "dense", "rerank")]
    page = rs.report(folder / "demo.qrels", runs, ["nDCG@10", "AP"], figures=False, command="rankscope report ...")
    text = text_of(page)
    assert mentions(text, "rerank has the highest", "nDCG@10: 0.7337")
    assert mentions(text, "would have been enough")
    titles = titles_of(page)
    for title in (
        "nDCG@10 on 50 queries",
        "nDCG@10, pair by pair",
        "nDCG@10, query by query: rerank and dense",
        "Unjudged documents",
        "AP on 50 queries",
        "Queries needed: nDCG@10",
        "Precision by recall",
    ):
        assert title in titles
    assert any("Agreement of measures" in title for title in titles)
    needed = titles.index("Queries needed: nDCG@10")
    assert mentions(titles[needed - 2], "measures", "Stability")
    assert mentions(titles[needed - 1], "How many queries")
    digest = hashlib.sha256((folder / "bm25.run").read_bytes()).hexdigest()
    for said in (digest, "rankscope report ...", f"rankscope {rs.__version__}", "test:t | correction:holm", "numpy"):
        assert said in text
    assert mentions(text, "dense has no list", "2 of 50 queries")


def test_with_a_baseline_the_verdict_is_about_it(folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in ("bm25", "dense", "rerank")]
    text = text_of(rs.report(folder / "demo.qrels", runs, "AP", baseline="bm25", figures=False))
    assert mentions(text, "Compared with bm25", "AP of 0.3431")
    by_file = rs.report(folder / "demo.qrels", runs, "AP", baseline=runs[0], figures=False)
    assert mentions(text_of(by_file), "Compared with bm25", "AP of 0.3431")


def test_one_system_is_described_and_compared_with_none(folder: Path) -> None:
    text = text_of(rs.report(folder / "demo.qrels", folder / "bm25.run", figures=False))
    assert mentions(text, "bm25", "nDCG@10 of 0.4055", "50 queries", "no other system")
    assert "Unjudged documents" in text


def test_the_title_says_whose_results_these_are(folder: Path) -> None:
    def title(runs: object, qrels: object = folder / "demo.qrels") -> str:
        html = rs.report(qrels, runs, "AP", figures=False).html
        return unescape(re.search(r"<title>(.*?)</title>", html)[1])

    runs = [folder / f"{name}.run" for name in ("bm25", "dense", "rerank", "hybrid")]
    assert title(runs[:1]) == "bm25 on demo.qrels"
    assert mentions(title(runs[:3]), "bm25, dense and rerank", "demo.qrels")
    assert mentions(title(runs[:2], rs.read_qrels(folder / "demo.qrels")), "bm25 and dense", "50 queries")
    assert mentions(title(runs), "4 systems", "50 queries")
    long = rs.Run({"101": {"a": 1.0}}, name="x" * 80)
    assert mentions(title([long, runs[0]]), "2 systems", "50 queries")


def test_one_query_gives_a_page_that_says_how_little_that_is() -> None:
    qrels = {"q1": {"a": 1, "b": 0}}
    runs = [rs.Run({"q1": {"a": 1.0, "b": b}}, name=name) for name, b in (("x", 0.5), ("y", 2.0))]
    text = text_of(rs.report(qrels, runs, ["RR", "AP"], figures=False))
    assert mentions(text, "one query")


def test_a_measure_without_values_or_direction_is_left_out_and_the_page_says_why(folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in ("bm25", "dense")]
    text = text_of(rs.report(folder / "demo.qrels", runs, ["AP", "NumRet"], figures=False))
    assert mentions(text, "Not compared: of NumRet")
    with pytest.raises(rs.InputError, match=r"\bNumRet\b.* neither"):
        rs.report(folder / "demo.qrels", runs, ["NumRet"], figures=False)


def test_of_very_many_systems_the_best_are_shown_and_the_page_says_so() -> None:
    rng = np.random.default_rng(3)
    qrels = {f"q{q}": {f"d{i}": int(i < 3) for i in range(10)} for q in range(5)}

    def run(s: int) -> rs.Run:
        lists = {
            f"q{q}": {f"d{i}": float(x + (i < 3) * s / 30) for i, x in enumerate(rng.random(10))} for q in range(5)
        }
        return rs.Run(lists, name=f"s{s:03}")

    runs = [run(s) for s in range(MAX_SYSTEMS + 10)]
    scores = rs.evaluate(qrels, runs, "AP")
    best = [scores.systems[i] for i in np.argsort(-scores.summary("AP"), kind="stable")]
    page = rs.report(qrels, runs, "AP", baseline=best[-1], figures=False)
    text = text_of(page)
    assert mentions(text, f"{MAX_SYSTEMS + 10} systems;", f"the {MAX_SYSTEMS + 1} best by AP", "baseline")
    assert best[0] in text
    assert best[-1] in text
    left = best[MAX_SYSTEMS:-1]
    assert not any(re.search(rf"{name}\b(?!, in memory)", text) for name in left)


@pytest.mark.parametrize(
    ("measures", "first", "said"),
    [
        (["MinRank"], 0, "best by MinRank"),  # lower is better
        (["RR"], 0, "best by RR"),
        (["NumRet", "RR"], 0, "best by RR"),  # the first by which a system can be better than another
        (["NumRet"], 10, "first"),  # in the order in which they were given
    ],
)
def test_the_best_are_those_of_the_first_measure_that_has_a_direction(
    measures: list[str], first: int, said: str
) -> None:
    """System s has its relevant document at rank s + 1; they are given from rank 11 on, the first ten at the end."""
    order = [*range(10, MAX_SYSTEMS + 10), *range(10)]
    runs = [rs.Run({"q": {f"d{s}": 0.0, **above(s)}}, name=f"s{s}") for s in order]
    scores = rs.evaluate({"q": {f"d{s}": 1 for s in order}}, runs, measures)
    kept, notes = best_systems(scores, None)
    assert {scores.systems[i] for i in kept} == {f"s{s}" for s in range(first, first + MAX_SYSTEMS)}
    assert mentions(notes[0], "60 systems", f"{MAX_SYSTEMS} {said} are shown")


def above(n: int) -> dict[str, float]:
    """So many documents that nobody judged, before all others."""
    return {f"x{i}": 1.0 + i for i in range(n)}


def test_a_system_without_a_value_is_none_of_the_best() -> None:
    runs = [rs.Run({"q": {"x": 1.0} if s == 3 else {"d": 1.0}}, name=f"s{s}") for s in range(MAX_SYSTEMS + 1)]
    kept, _ = best_systems(rs.evaluate({"q": {"d": 1}}, runs, "MinRank"), None)
    assert 3 not in kept


def test_which_measures_can_be_trusted_is_what_a_study_of_the_same_scores_finds(folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in ("bm25", "dense", "rerank")]
    page = rs.report(folder / "demo.qrels", runs, ["NumRet", "nDCG@10", "AP"], figures=False, rng=5, alpha=0.1)
    scores = rs.evaluate(folder / "demo.qrels", runs, ["nDCG@10", "AP"])
    study = rs.stability.study(scores, alpha=0.1, iterations=20, n_resamples=500, rng=5)
    assert study.sections()[0].sentence in text_of(page)
    assert mentions(text_of(page), "20 draws, 500 bootstrap", "rng:5")


def test_of_many_systems_the_study_draws_fewer_samples_and_of_few_queries_there_is_none() -> None:
    rng = np.random.default_rng(4)

    def page(systems: int, queries: int) -> object:
        qrels = {f"q{q}": {f"d{i}": int(i < 3) for i in range(10)} for q in range(queries)}
        runs = [
            rs.Run({q: {f"d{i}": float(x) for i, x in enumerate(rng.random(10))} for q in qrels}, name=f"s{s}")
            for s in range(systems)
        ]
        return rs.report(qrels, runs, ["AP", "RR"], figures=False)

    assert mentions(text_of(page(44, 10)), "20 draws, 105 bootstrap")  # 4,000,000 / (44 x 43 / 2 x 2 x 20)
    assert mentions(titles_of(page(2, 10)), "measures", "Stability")
    assert not mentions(titles_of(page(2, 9)), "Stability")


def test_names_are_shown_as_they_are(folder: Path) -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(6)}
    name = "<script>alert(1)</script>"
    runs = [rs.Run({f"q{i}": {"a": 1.0, "b": b} for i in range(6)}, name=n) for n, b in ((name, 0.5), ("y & z", 2.0))]
    page = rs.report(qrels, runs, ["RR"], title="<b>bold</b>")
    assert name not in page.html
    assert "<b>bold</b>" not in page.html
    assert name in text_of(page)


def test_a_table_of_ranks_and_letor_files_give_a_page_too(tmp_path: Path) -> None:
    from rankscope.demo.letor import letor_files
    from rankscope.demo.rankings import entity_files

    for name, text in {**entity_files(1), **letor_files(1)}.items():
        (tmp_path / name).write_text(text)
    page = rs.report(tmp_path / "demo-ranks.tsv", measures=["AP", "MeanRank"], input="entity-ranks", figures=False)
    assert "Unjudged documents" not in text_of(page)
    assert "MeanRank: lower is better" in text_of(page)
    predictions = [tmp_path / "demo-letor-bm25.txt", tmp_path / "demo-letor-rerank.txt"]
    page = rs.report(tmp_path / "demo-letor.txt", predictions, ["nDCG@10", "AP"], input="letor", figures=False)
    assert "ties:file" in text_of(page)


def test_ties_may_be_averaged_and_what_that_leaves_out_is_not_there(folder: Path) -> None:
    runs = [folder / "boolean.run", folder / "bm25.run"]
    page = rs.report(folder / "demo.qrels", runs, "nDCG@10", figures=False, conventions={"ties": "average"})
    titles = titles_of(page)
    assert "nDCG by cutoff" in titles
    assert "Precision by recall" not in titles
    assert "Unjudged documents" not in titles


def test_the_curves_are_made_by_the_conventions_of_the_table() -> None:
    from rankscope.evaluation.conventions import ConventionSettings, InputSettings
    from rankscope.evaluation.engine import plan_and_join
    from rankscope.reporting.report import scores_of_extra_sections

    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    plan, joined = plan_and_join(
        qrels,
        {"q1": {"a": 1.0}, "q2": {"a": 1.0}},
        "nDCG@10",
        ConventionSettings(no_relevant="drop"),
        InputSettings(),
    )
    assert (
        scores_of_extra_sections(joined, plan)["curve_scores"].overall("nDCG@10") == 1.0
    )  # of q1 alone, as in the table


def test_the_same_input_gives_the_same_page(folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in ("bm25", "dense")]
    pages = [
        rs.report(folder / "demo.qrels", runs, ["AP", "RR"], test="permutation", n_resamples=500) for _ in range(2)
    ]
    assert pages[0].html == pages[1].html


def test_without_the_extra_the_message_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    from rankscope.reporting import page

    page.template.cache_clear()
    with pytest.raises(rs.ParameterError, match=r"pip install 'rankscope\[report\]'"):
        rs.report(folder / "demo.qrels", folder / "bm25.run", "AP", figures=False)


def test_arguments_that_exclude_each_other_are_refused(folder: Path) -> None:
    runs = [folder / "bm25.run", folder / "dense.run"]
    with pytest.raises(rs.UnknownName, match=r"\bbaseline\b"):
        rs.report(folder / "demo.qrels", runs, baseline="zzz", figures=False)
    with pytest.raises(rs.ParameterError, match="alpha is 2"):
        rs.report(folder / "demo.qrels", runs, alpha=2, figures=False)
