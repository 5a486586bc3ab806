"""The whole page of a collection: what stands on it, for whom, and what it refuses."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import sys
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from helpers.messages import mentions
from polars.testing import assert_frame_equal

import rankscope as rs
from rankscope.demo.collection import write_collection
from rankscope.reporting.report import MAX_MEASURES, MAX_SYSTEMS, best_systems, estimates_of_scores, take_machine


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
    return [title for _, title in headings_of(page)]


def headings_of(page: object) -> list[tuple[str, str]]:
    """Level and text of all headings but the title of the page."""
    found = re.findall(r"<(h[23])[^>]*>(.*?)</h[23]>", page.html, flags=re.DOTALL)
    return [(level, " ".join(unescape(re.sub(r"<[^>]+>", "", title)).split())) for level, title in found]


def test_the_page_has_all_that_a_reader_asks_for(folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in ("bm25", "dense", "rerank")]
    page = rs.report(folder / "demo.qrels", runs, ["nDCG@10", "AP"], figures=False, command="rankscope report ...")
    text = text_of(page)
    assert mentions(text, "rerank beats dense: nDCG@10 0.734 against 0.567 (+0.166, 95 % interval 0.")
    assert mentions(text, "With 50 queries, a difference of at least", "80 % power")
    assert headings_of(page) == [
        ("h2", "What was found"),
        ("h2", "On this page"),
        ("h2", "All systems by all measures"),
        ("h2", "nDCG@10 on 50 queries"),
        ("h2", "nDCG@10, pair by pair"),
        ("h2", "nDCG@10, query by query: rerank and dense"),
        ("h2", "Unjudged documents"),
        ("h2", "Notes"),
        ("h2", "Appendix: method and measures"),
        *(
            ("h3", f"Query {query}: nDCG@10 of rerank and dense")
            for query in (138, 117, 116, 145, 144, 103, 118, 106, 139, 134)
        ),
        ("h3", "AP on 50 queries"),
        ("h3", "nDCG@10: intervals and effect sizes"),
        ("h3", "Agreement of measures on systems"),
        ("h3", "Each pair of measures"),
        ("h3", "Stability and discriminative power of the measures"),
        ("h3", "How many queries are needed"),
        ("h3", "What these queries can show: nDCG@10"),
        ("h3", "nDCG@10: how it is spread over the queries"),
        ("h3", "Precision by recall"),
        ("h3", "nDCG by cutoff"),
        ("h2", "Provenance"),
    ]
    digest = hashlib.sha256((folder / "bm25.run").read_bytes()).hexdigest()
    for said in (digest, "rankscope report ...", f"rankscope {rs.__version__}", "test:t | correction:holm", "numpy"):
        assert said in text
    assert mentions(text, "dense has no list", "2 of 50 queries")


def test_with_a_baseline_the_verdict_is_about_it(folder: Path) -> None:
    runs = [folder / f"{name}.run" for name in ("bm25", "dense", "rerank")]
    text = text_of(rs.report(folder / "demo.qrels", runs, "AP", baseline="bm25", figures=False))
    verdict = "rerank beats the baseline bm25: AP 0.699 against 0.343 (+0.355, 95 % interval 0.323 to 0.388)."
    assert mentions(text, verdict, "Also better: dense")
    by_file = rs.report(folder / "demo.qrels", runs, "AP", baseline=runs[0], figures=False)
    assert mentions(text_of(by_file), verdict)


def before_appendix(page: object) -> str:
    """The page up to its appendix."""
    head, appendix, _ = page.html.partition('<section class="appendix"')
    assert appendix
    return head


def six_by_five(names: str = "system-{}") -> tuple[dict[str, dict[str, int]], list[rs.Run]]:
    """Judgments of 20 queries and six runs."""
    rng = np.random.default_rng(6)
    qrels = {f"q{q}": {f"d{i}": int(i < 4) for i in range(12)} for q in range(20)}
    runs = [
        rs.Run(
            {q: {f"d{i}": float(x + (i < 4) * s / 6) for i, x in enumerate(rng.random(12))} for q in qrels},
            name=names.format(s),
        )
        for s in range(6)
    ]
    return qrels, runs


@pytest.mark.parametrize("baseline", [None, "system-1"])
def test_before_the_one_appendix_there_are_few_rows_and_no_wide_table(baseline: str | None) -> None:
    page = rs.report(*six_by_five(), baseline=baseline, figures=False)
    assert page.html.count('<section class="appendix"') == 1
    tables = re.findall(r"<table.*?</table>", before_appendix(page), flags=re.DOTALL)
    folded = re.findall(r"<details>.*?</details>", before_appendix(page), flags=re.DOTALL)
    shown = [table for table in tables if not any(table in part for part in folded)]
    assert max(table.count('scope="col"') for table in shown) <= 9
    # a row is 32 pixels high: with two figures of at most 450 this leaves 2,000 for all headings and texts
    assert sum(table.count("<tr") for table in shown) <= 40


def test_the_table_of_all_measures_has_every_system_and_measure_and_marks_what_is_significant() -> None:
    qrels, runs = six_by_five()
    measures = ["nDCG@10", "AP", "RR", "P@5", "NumRet"]  # the last has no direction
    page = rs.report(qrels, runs, measures, baseline="system-1", figures=False)
    table = re.search(r"<table.*?</table>", page.html, flags=re.DOTALL)[0]
    assert re.findall(r'<th scope="col"[^>]*><bdi>(.*?)</bdi>', table) == ["system", *measures]
    scores = rs.evaluate(qrels, runs, measures)
    for name in measures:
        for value in scores.summary(name):
            assert f"<bdi>{value:.4f}</bdi>" in table
    beats = rs.compare(scores, measures[:4], baseline="system-1")
    n_better = sum(int(part.beats[:, 1].sum()) for part in beats.comparisons)
    assert table.count("<sup>▲</sup>") == n_better > 0


def test_of_many_measures_the_first_are_in_the_table_and_a_note_says_so() -> None:
    measures = [f"P@{k}" for k in range(1, 11)]
    page = rs.report(*six_by_five(), measures, figures=False)
    table = re.search(r"<table.*?</table>", page.html, flags=re.DOTALL)[0]
    assert table.count('scope="col"') == 2 + MAX_MEASURES
    assert mentions(text_of(page), f"{MAX_MEASURES} of 10 measures", "appendix")


def test_the_page_has_the_date_of_today_or_the_one_it_is_given() -> None:
    qrels, runs = six_by_five()
    today = dt.date.today()
    assert f'<p class="date">{today.day} {today:%B %Y}</p>' in rs.report(qrels, runs, "AP", figures=False).html
    assert (
        '<p class="date">5 May &lt;2026&gt;</p>'
        in rs.report(qrels, runs, "AP", date="5 May <2026>", figures=False).html
    )
    assert '<p class="date"' not in rs.report(qrels, runs, "AP", date="", figures=False).html


def test_the_notes_on_further_measures_are_with_their_tables() -> None:
    page = rs.report(*six_by_five(), ["AP", "RR"], figures=False)
    assert mentions(before_appendix(page), "AP: all 6 systems at once")
    assert "RR: all 6 systems at once" not in before_appendix(page)
    assert mentions(page.html, "RR: all 6 systems at once")


def test_measures_that_were_not_named_are_corrected_together_and_the_page_says_so() -> None:
    page, named = (rs.report(*six_by_five(), measures, figures=False).html for measures in (None, ["AP", "RR"]))
    assert mentions(page, "family:75 pairs and measures", "all 5 measures together")  # 15 pairs of 6 systems
    assert mentions(named, "family:15 pairs |", "each of the 2 measures")


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
    assert any(title.startswith("Query ") for title in titles_of(page))


def test_the_lists_of_the_queries_with_the_largest_differences_are_in_the_appendix() -> None:
    qrels = {f"q{i}": {"good": 2, "fair": 1, "bad": 0} for i in range(4)}
    a = {q: {"good": 3.0, "x": 2.0, "fair": 1.0} for q in qrels}
    b = {q: {"x": 3.0, "good": 2.0, "y": 1.0} for q in qrels} | {"q3": {"good": 2.0, "fair": 1.0}}
    runs = [rs.Run(lists, name=name) for name, lists in (("a", a), ("b", b))]
    page = rs.report(qrels, runs, "RR", figures=False)
    assert [title for title in titles_of(page) if title.startswith("Query ")] == [
        f"Query q{i}: RR of a and b" for i in range(3)
    ]
    assert mentions(text_of(page), "RR is 1.0000 for a and 0.5000 for b", "good (grade 2) at rank 1 instead of 2")
    assert "both lists of each of these queries" in text_of(page)
    tied = rs.report(qrels, runs, "RR", figures=False, conventions={"ties": "average"})
    assert mentions(text_of(tied), "Skipped", "RR is no sum over documents", "ties='average'")


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


def test_estimates_of_scores_are_those_of_the_table_that_they_come_from(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    n = 40
    quality = rng.random((2, n))
    table = pl.DataFrame(
        {
            "system": np.repeat(["a", "b"], n),
            "query": np.tile([f"q{i}" for i in range(n)], 2),
            "cluster": np.tile([f"c{i // 2}" for i in range(n)], 2),
            "people": [round(x, 3) if i < 24 else None for values in quality for i, x in enumerate(values)],
            "llm": np.clip(quality + 0.1 * rng.normal(size=quality.shape), 0, 1).ravel(),
        }
    )
    path = tmp_path / "answers.csv"
    table.write_csv(path)
    scores, machine_scores = take_machine(rs.read_scores(path), "llm")
    assert [*scores.measure_names, *machine_scores.measure_names] == ["people", "llm"]
    expected = rs.judging.estimate_items(table, human="people", machine="llm", baseline="a")
    assert_frame_equal(estimates_of_scores(scores, machine_scores, "a").frame(), expected.frame())
