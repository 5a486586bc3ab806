"""Every result is shown by the same few means: tidy table, sections, signature, notes, frame, text, one line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.same import assert_same_bits
from helpers.walks import import_all, subclasses

import rankscope as rs
from rankscope import Rankings
from rankscope.comparison.compare import PaperTable, paper_table
from rankscope.comparison.judges import LabelAgreement
from rankscope.data.rankings import Labels
from rankscope.data.result import Result, as_text
from rankscope.data.scores import EachQuery
from rankscope.data.section import Section
from rankscope.evaluation.unjudged import UnjudgedShares, unjudged_measures, unjudged_shares
from rankscope.reporting.page import result_page
from rankscope.reporting.tables import RESULT_FORMATS
from rankscope.stability import StabilityStudy
from rankscope.stability.ablation_result import Ablation
from rankscope.translation.experiment.human_agreement import SYSTEM_RULES as RULES
from rankscope.translation.experiment.human_agreement import PairTest, SegmentTaus, SystemCorrelations
from rankscope.translation.experiment.result import DirectionResult
from rankscope.translation.experiment.settings import ExperimentSettings
from rankscope.translation.experiment.training import LearnedMetric
from rankscope.translation.wmt12 import SegmentLevel, SystemLevel

#: A name that breaks lines, ends comments, opens markup, and is no UTF-8.
AWFUL = b"two\nlines | & % _ caf\xe9".decode("utf-8", "surrogateescape")
QRELS = {f"q{i}": {"a": 1, "b": i % 3, "c": 0, "e": 1} for i in range(8)}
SECOND_JUDGE = {f"q{i}": {"a": 1, "b": 1, "c": i % 2, "e": 0} for i in range(8)}
FEW = {query: QRELS[query] for query in ("q0", "q2", "q3", "q5", "q6")}


def run(name: str, shift: int) -> rs.Run:
    """Lists that differ from query to query."""
    lists = {f"q{i}": {d: float((i * 3 + j * 5 + shift) % 7) for j, d in enumerate("abcdx")} for i in range(8)}
    return rs.Run(lists, name=name)


RUNS = [run(AWFUL, 0), run("plain", 1), run("third", 3)]


@cache
def scores() -> rs.Scores:
    return rs.evaluate(QRELS, RUNS, ["RR", "nDCG@3", "MinRank"])


def favoured(shift: int) -> rs.PairScores:
    """Scores of four systems on eight segments."""
    return rs.PairScores.of(
        {name: [(3 * i * j + shift * i + j) % 7 for i in range(8)] for j, name in enumerate("ABCD")}
    )


@cache
def judged() -> Rankings:
    """Two judges of a segment and a metric with such a name, in two language pairs."""
    ranks = Rankings.of([{"A": 1, "B": 2, "C": 2 + i % 2} for i in range(8)])
    labels = {"segment": Labels.of(list("ssttuuvv")), "judge": Labels.of(["x", "y"] * 4)}
    found = replace(ranks, **labels, pair=Labels.of(["a-b"] * 4 + ["c-d"] * 4))
    found = found.with_column(AWFUL, np.arange(24.0) * 5 % 7, higher_is_better=True)
    return found.with_column("m", np.arange(24.0), higher_is_better=True)


@cache
def preferred() -> rs.Preferences:
    """Comparisons of systems, one with such a name, and a covariate with it, too."""
    seen = [(a, b, a if i % 3 else b) for i in range(8) for a, b in ((AWFUL, "plain"), ("plain", "&"), ("&", AWFUL))]
    return rs.Preferences.of(seen, covariates={AWFUL: np.arange(24.0) * 7 % 5})


@cache
def trained() -> rs.learning.Training:
    """A ranker trained on and watched on files with such a name."""
    given = rs.Features.of(np.arange(24.0).reshape(8, 3) * 7 % 5, np.arange(8) % 3, sizes=[4, 4], name=AWFUL)
    ranker = rs.learning.Ranker(hidden=(2,), epochs=3, models=2).fit(given, eval_set=given)
    return rs.learning.Training(ranker=ranker, train=given, valid=given)


@cache
def blended() -> rs.learning.BlendTraining:
    """A blend of two rankers, one with such a name, trained and watched on files with it."""
    given = trained().train
    rankers = {
        AWFUL: rs.learning.Ranker(hidden=(), epochs=2),
        "two": rs.learning.Ranker("ranknet", hidden=(), epochs=2),
    }
    blend = rs.learning.Blend(rankers).fit(given, eval_set=given)
    return rs.learning.BlendTraining(blend=blend, train=given, valid=given, settings={"seeds": 1})


@cache
def features() -> rs.Features:
    """Lists to learn from, a feature with such a name."""
    x = np.arange(90.0).reshape(45, 2) * 7 % 11
    return rs.Features.of(x, np.arange(45) % 3, sizes=[5] * 9, names=(AWFUL, "b"))


def translations() -> rs.translation.TranslationExperiment:
    """A model with such a name, and a metric that was not trained."""
    one, ends = np.array([[0.2], [0.1]]), np.array([0.2, 0.1])
    on_segments = SegmentTaus(
        metrics=(AWFUL, "chrF"),
        pairs=("de-en",),
        value=one,
        low=one - 0.1,
        high=one + 0.1,
        n=np.array([11_934]),
        average=ends,
        average_low=ends - 0.1,
        average_high=ends + 0.1,
        average_resamples=np.tile(ends[:, None], 3),
    )
    by_rule = {
        rule: rs.agreement.systems(judged(), statistic="spearman", interval="none", over="own", rng=1) for rule in RULES
    }
    return rs.translation.TranslationExperiment(
        settings=ExperimentSettings(protocol="cv"),
        pairs=("de-en",),
        results={"into": DirectionResult(segments=on_segments, systems=SystemCorrelations(by_rule=by_rule))},
        tests=(PairTest("into", AWFUL, "chrF", 0.1, 0.0, 0.2, 0.04, 0.08),),
        models=(LearnedMetric(AWFUL, "listnet", "nine", ("length", AWFUL)),),
        by_seed=np.array([[[0.2, 0.21]]]),
        scores={"de-en": {AWFUL: np.zeros((1, 1)), "chrF": np.zeros((1, 1))}},
        systems={"de-en": ("A",)},
        seconds=1.0,
        feature_settings="as the test has it",
    )


def items() -> pl.DataFrame:
    """Values of a machine, and people's of some, of two systems, one with such a name."""
    rows = [
        (system, f"{AWFUL.partition('caf')[0]}{i}", s + i % 5 / 5)
        for s, system in enumerate((AWFUL.partition("caf")[0], "B"))
        for i in range(20)
    ]
    table = pl.DataFrame(rows, schema=["system", "query", "llm"], orient="row")
    return table.with_columns(people=pl.when(pl.int_range(40) % 20 < 8).then(pl.col("llm") ** 2).otherwise(None))


#: Every class of results -> one of them.
def grouped(scores: rs.Scores) -> rs.Scores:
    """Queries with clusters, weights and groups, one with such a name, and one of a single query."""
    ids, name = list(scores.query_ids), AWFUL.partition("caf")[0]  # data frames hold UTF-8 only
    table = {
        "query": ids,
        "group": [name if i % 2 else "b" for i in range(7)] + ["one"],
        "cluster": [f"{name}{i // 2}" for i in range(8)],
        "weight": [1.0 + i % 3 for i in range(8)],
    }
    return scores.with_queries(table)


def impressions() -> list[dict[str, Any]]:
    """Clicks on lists of three interleaved systems."""
    name = AWFUL.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # as a file has it
    orders = [[list("abcdx")[(i + j) % 5] for j in range(5)] for i in range(5)]
    return [
        {
            "user": f"u{i % 9}",
            "query": f"q{i % 8}",
            "time": f"2026-03-{1 + i // 40:02d}",
            "documents": orders[i % 5],
            "team": [name, "plain", "&", "plain", name],
            "clicks": [1 + i % 3, 4] if i % 4 else [],
        }
        for i in range(160)
    ]


RESULTS: dict[type, Callable[[], Any]] = {
    rs.Scores: scores,
    EachQuery: lambda: EachQuery(scores()),
    rs.ConventionTable: lambda: rs.compare_conventions(QRELS, RUNS, "nDCG@3"),
    rs.Comparison: lambda: rs.compare(scores(), "RR", rng=1),
    PaperTable: lambda: paper_table(rs.compare(scores(), rng=1)),
    rs.RunDiff: lambda: rs.diff(QRELS, RUNS[0], RUNS[1], "nDCG@3", texts={"a": AWFUL, "b": "of b"}),
    rs.QueryPlan: lambda: rs.plan(scores(), "RR"),
    rs.Gate: lambda: rs.gate(
        rs.evaluate(QRELS, RUNS[0], ["RR"]), rs.evaluate(QRELS, RUNS[1], ["RR"]), margin=0.1, rng=1
    ),
    UnjudgedShares: lambda: unjudged_shares(
        rs.evaluate(QRELS, RUNS, unjudged_measures((2, 4)), unjudged="bounds"), (2, 4)
    ),
    type(rs.agree_measures(scores())): lambda: rs.agree_measures(scores()),
    type(rs.agree_judgments(QRELS, SECOND_JUDGE)): lambda: rs.agree_judgments(QRELS, SECOND_JUDGE, RUNS, ["RR"]),
    StabilityStudy: lambda: rs.stability.study(QRELS, RUNS, ["RR", "MinRank"], iterations=4, n_resamples=30, rng=1),
    Ablation: lambda: rs.stability.study(QRELS, RUNS, ["RR"], iterations=2, rng=1, ablation=True).ablation,
    rs.agreement.SegmentAgreement: lambda: rs.agreement.segments(judged(), statistic="acc_eq", rng=1),
    rs.agreement.SystemAgreement: lambda: rs.agreement.systems(
        judged(), statistic="spearman", n_resamples=30, rng=1, over="own"
    ),
    SystemLevel: lambda: SystemLevel(
        agreement={"wins": rs.agreement.systems(judged(), interval="none", rng=1)},
        published={"a-b": 0.5},
        scorer_settings="as the test has it",
    ),
    rs.agreement.MetricComparison: lambda: rs.agreement.compare_metrics(
        judged(), tasks=["*:segment:acc_eq/segment:0.5", "*:segment:wmt12:0.5"], n_resamples=30, rng=1
    ),
    rs.agreement.DecisionAgreement: lambda: rs.agreement.decisions(judged()),
    rs.agreement.FamilyFavour: lambda: rs.agreement.favour(
        rs.MetricScores("people", {"": favoured(0)}),
        rs.MetricScores(AWFUL, {"": favoured(1)}),
        families={"A": AWFUL, "B": AWFUL},
    ),
    rs.agreement.RankAgreement: lambda: rs.agreement.ranks(
        judged(), metrics=[AWFUL, "m"], gold="rank", by_segment=True, n_resamples=30, rng=1
    ),
    rs.agreement.RunAgreement: lambda: rs.agreement.runs(RUNS[0], RUNS[1]),
    rs.agreement.RaterAgreement: lambda: rs.agreement.raters(judged(), gold="rank", rng=1),
    SegmentLevel: lambda: SegmentLevel(
        agreement=rs.agreement.segments(judged(), rng=1),
        judgments={"": 2},
        pairs_found={"": 6},
        scorer_settings="as the test has it",
    ),
    rs.experiments.CrossValidation: lambda: rs.experiments.cross_validate(
        features(),
        {AWFUL: rs.learning.Ranker(hidden=()), "two": rs.learning.Ranker("squared", hidden=())},
        "RR",
        folds=3,
        seeds=2,
        importance=True,
    ),
    rs.experiments.FeatureAblation: lambda: rs.experiments.ablate(
        features(), {AWFUL: [AWFUL]}, "linear:listnet", "RR", folds=3, seeds=1
    ),
    rs.experiments.FeatureImportance: lambda: made(rs.experiments.CrossValidation.__name__).feature_importance,
    rs.experiments.Search: lambda: rs.experiments.search(
        features(), {AWFUL: rs.learning.Ranker(hidden=())}, "RR", trials=2, folds=3, seeds=1
    ),
    rs.translation.TranslationExperiment: lambda: translations(),
    rs.Leaderboard: lambda: rs.leaderboard(preferred(), covariates=AWFUL, rng=1, n_resamples=30),
    rs.consensus.Consensus: lambda: rs.consensus.merge_rankings(
        {AWFUL: ["x", AWFUL, "y"], "two": [AWFUL, "x"], "three": ["y", AWFUL]}, n_resamples=30, rng=1
    ),
    rs.consensus.QueryConsensus: lambda: rs.consensus.merge_runs(RUNS, n_resamples=20, rng=1),
    rs.learning.Training: trained,
    rs.learning.BlendTraining: blended,
    rs.fusion.TrainedFusion: lambda: rs.fusion.train(QRELS, RUNS, "rrf", settings={"weights": [1, 1, 1]}, folds=3),
    rs.judging.Pooled: lambda: rs.judging.pool(RUNS, judged=QRELS, budget=9, method="bandit"),
    rs.judging.ItemChoice: lambda: rs.judging.choose_items(items(), human="people", machine="llm", budget=3, rng=1),
    rs.judging.Sampled: lambda: rs.judging.sample(RUNS, 0.5, judged=QRELS, rng=1),
    rs.judging.LeftOut: lambda: rs.judging.leave_out(RUNS, QRELS, "RR"),
    rs.judging.Played: lambda: rs.judging.play_back(RUNS, QRELS, ["depth", "hedge"]),
    rs.judging.Estimates: lambda: rs.judging.estimate(FEW, RUNS, SECOND_JUDGE, ["RR", "P@1"], map="0=0,1=1"),
    rs.judging.JudgmentPlan: lambda: rs.judging.plan_judgments(
        FEW, RUNS, SECOND_JUDGE, ["RR", "P@1"], map="0=0,1=1", width=0.4
    ),
    rs.online.Interleaving: lambda: rs.online.interleave(RUNS, length=3, rng=1),
    rs.online.InterleavingTest: lambda: rs.online.interleaving_test(impressions(), test="anytime"),
    rs.online.ClickEstimates: lambda: rs.online.estimate_clicks(impressions(), RUNS[:2], cutoff=1),
    rs.online.ClickSummary: lambda: rs.online.summarise_clicks(impressions(), min_impressions=1),
    LabelAgreement: lambda: rs.agree_labels(
        {"ann": [0, 1, 2, 1], AWFUL: [0, 1, 2, None], "gpt": [0, 1, 1, 2]}, machines="gpt", n_resamples=20
    ),
}
#: The same with groups, clusters and weights of queries.
GROUPED: dict[type, Callable[[], Any]] = {
    rs.Scores: lambda: scores().with_queries(group_by="[0-3]|[4-7]"),
    EachQuery: lambda: EachQuery(grouped(scores())),
    rs.Comparison: lambda: rs.compare(grouped(scores()), ["RR", "nDCG@3"], rng=1),
    PaperTable: lambda: paper_table(rs.compare(grouped(scores()), rng=1)),
    rs.Gate: lambda: rs.gate(
        grouped(rs.evaluate(QRELS, RUNS[0], ["RR"])), rs.evaluate(QRELS, RUNS[1], ["RR"]), margin=0.1, by_group=0.2
    ),
}
CASES = {kind.__name__: (kind, make) for kind, make in RESULTS.items()} | {
    f"{kind.__name__} with groups": (kind, make) for kind, make in GROUPED.items()
}
made = cache(lambda case: CASES[case][1]())
each = pytest.mark.parametrize("case", CASES)


def test_no_class_of_results_is_missing_here() -> None:
    import_all()
    found = subclasses(Result)
    assert found == set(RESULTS), "add a function that makes one to RESULTS"


@each
def test_a_result_is_a_tidy_table(case: str) -> None:
    result = made(case)
    assert type(result) is CASES[case][0]
    records = list(result.records())
    assert records
    assert len(set(result.columns)) == len(result.columns)
    assert all(isinstance(name, str) and name for name in result.columns)
    for record in records:
        assert len(record) == len(result.columns)
        assert all(cell is None or isinstance(cell, (str, int, float)) for cell in record), record
    assert_same_bits(list(result.records()), records)  # once more, the same


@each
def test_its_frame_is_that_table(case: str) -> None:
    """But for Scores: there it is each query's value, without the summaries."""
    result = made(case)
    frame = result.frame()
    records = list(result.records())
    if isinstance(result, rs.Scores):
        records = [record for record in result.records(by_query=True) if record.query != "all"]
    assert tuple(frame.columns) == result.columns
    assert frame.height == len(records)
    for row, record in zip(frame.iter_rows(), records, strict=True):
        for cell, there in zip(row, record, strict=True):
            if isinstance(there, float) and math.isnan(there):
                assert cell is None
            elif isinstance(there, str):  # polars takes UTF-8 only
                assert cell == there.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            else:
                assert cell == there


@each
def test_it_shows_sections_whose_tables_are_even(case: str) -> None:
    sections = made(case).sections()
    assert sections
    for section in sections:
        assert isinstance(section, Section)
        assert section.title or section.table is not None
        if section.table is not None:
            assert all(len(row) == len(section.table.columns) for row in section.table.rows)
            assert 0 <= section.table.n_name_columns <= len(section.table.columns)


@each
def test_its_notes_are_sentences_and_its_signature_names_what_made_it(case: str) -> None:
    result = made(case)
    assert all(isinstance(note, str) and note for note in result.notes)
    assert result.signature().endswith(f"rankscope {rs.__version__}")


@each
def test_its_text_is_that_of_its_sections_and_its_repr_is_one_short_line(case: str) -> None:
    result = made(case)
    assert str(result) == as_text(result)
    assert f"\n\n{result.signature()}" in str(result)
    if not isinstance(result, EachQuery):  # a view, which nobody is given
        assert re.fullmatch(rf"{type(result).__name__}\(.{{1,150}}\)", repr(result)), repr(result)


@each
@pytest.mark.parametrize("form", RESULT_FORMATS)
def test_it_can_be_had_in_every_format_whatever_a_system_is_called(case: str, form: str) -> None:
    result = made(case)
    text = result.render(form, details=True)
    assert text.endswith("\n")
    assert not text.endswith("\n\n") or form == "table"
    tables = [section.table for section in result.sections() if section.table is not None]
    rows = sum(len(table.rows) for table in tables)
    if form == "latex":
        lines = text.splitlines()
        assert sum(line.endswith(r" \\") for line in lines) == rows + len(tables)
        assert all(line.startswith(("%", "\\")) or line.endswith(r" \\") or not line for line in lines)
    elif form == "markdown":
        lines = [line for line in text.splitlines() if line.startswith("| ")]
        assert len(lines) == rows + 2 * len(tables)
    elif form == "csv":
        assert text.startswith(",".join(result.columns) + "\n")


@each
def test_it_can_be_had_as_a_page_whatever_a_system_is_called(case: str) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
    result = made(case)
    page = result_page(result, command="rankscope <this>", figures=None)
    assert page.html.count("<h2") >= 1 + len(result.sections())
    assert page.html.count("<caption ") == sum(section.table is not None for section in result.sections())
    assert "rankscope &lt;this&gt;" in page.html
    page.html.encode("utf-8")
