"""Training and tuning: no query sees its own judgments, what is chosen is what loops choose, what is refused."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from helpers.judged_runs import Judgments, folds_in, lists_of, some_judgments, some_runs
from helpers.messages import mentions
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs
from rankscope.demo.collection import make_collection
from rankscope.fusion import TrainedFusion
from rankscope.fusion.tuning.training import assign_folds

JUDGED = some_judgments()
RUNS = some_runs(JUDGED)
FOLDS = 4
#: Fewer than there are usually, so that the tests are fast.
WEIGHTS = [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 2, 3], [3, 2, 1], [0, 1, 1]]


def train(judgments: Judgments, method: Any = "weighted-sum", runs: Any = None, **options: Any) -> TrainedFusion:
    options = {"folds": FOLDS, "measure": "nDCG@5", **options}
    if "settings" not in options and {"weighted-sum", "mixed", "rrf", "comb-sum"}.intersection(np.ravel(method)):
        options["settings"] = {"weights": WEIGHTS}
    return rs.fusion.train(judgments, RUNS if runs is None else runs, method, **options)


def crossed(trained: TrainedFusion) -> dict[str, dict[str, float]]:
    assert trained.cross_fitted is not None
    return lists_of(trained.cross_fitted)


def rejudged(judgments: Judgments, queries: set[str], seed: int) -> Judgments:
    """Other grades for all documents of some queries, the highest as it was."""
    draw = random.Random(seed)
    return {
        query: {doc: 3 - grade if doc != "d0" else draw.choice((0, 3)) for doc, grade in docs.items()}
        if query in queries
        else docs
        for query, docs in judgments.items()
    }


def mean(judgments: Judgments, run: Any, queries: set[str], measure: str = "nDCG@5") -> float:
    of_these = {query: docs for query, docs in judgments.items() if query in queries}
    return rs.evaluate(of_these, [run], [measure]).overall(measure)


METHODS = ["weighted-sum", "map-fuse", "prob-fuse", ["comb-gmnz", "pos-fuse", "mixed"]]


@pytest.mark.parametrize("method", METHODS, ids=["weights", "no setting", "learned settings", "several methods"])
def test_how_a_fold_is_fused_does_not_depend_on_its_judgments(method: Any) -> None:
    settings = {"segments": [1, 2, 5]} if method == "prob-fuse" else {}
    settings |= {"weights": WEIGHTS} if "mixed" in method or method == "weighted-sum" else {}
    trained = train(JUDGED, method, settings=settings)
    before, folds = crossed(trained), folds_in(trained, FOLDS)
    others_changed = False
    for f in range(FOLDS):
        own = {query for query, fold in folds.items() if fold == f}
        after = crossed(train(rejudged(JUDGED, own, seed=f), method, settings=settings))
        assert_same_bits({query: after[query] for query in own}, {query: before[query] for query in own})
        others_changed |= any(after[query] != before[query] for query in folds.keys() - own)
    assert others_changed  # else nothing would have been learned at all


def test_a_fold_is_fused_with_what_the_others_choose_and_nothing_more() -> None:
    """By loops: of each fold, the weights that are best on the queries of the others."""
    trained = train(JUDGED)
    folds = folds_in(trained, FOLDS)
    runs = [rs.fusion.fuse(RUNS, "comb-sum", weights=weights) for weights in WEIGHTS]
    scores = rs.evaluate(JUDGED, [rs.Run(lists_of(run), name=str(i)) for i, run in enumerate(runs)], ["nDCG@5"])
    values = scores.matrix("nDCG@5")[:, [rs.Qrels(JUDGED).query_ids.index(query) for query in folds]]
    of_query = np.array(list(folds.values()))
    after = crossed(trained)
    for f in range(FOLDS):
        means = values[:, of_query != f].mean(axis=1)
        best = int(np.flatnonzero(means > means.max() - 1e-12)[0])
        own = lists_of(runs[best])
        for query in (query for query, fold in folds.items() if fold == f):
            assert after[query] == pytest.approx(own[query])
    means = values.mean(axis=1)
    assert trained.setting["weights"] == WEIGHTS[int(np.flatnonzero(means > means.max() - 1e-12)[0])]
    assert [one.mean for one in trained.tried] == pytest.approx(means.tolist())


def test_values_of_a_method_that_learns_are_of_folds_that_it_did_not_see() -> None:
    """By loops: of each setting and fold, what training on the other folds gives."""
    settings = {"window": [1, 4]}
    trained = train(JUDGED, "slide-fuse", settings=settings)
    folds = folds_in(trained, FOLDS)
    for tried, window in zip(trained.tried, (1, 4), strict=True):
        for f, value in enumerate(tried.values):
            own = {query for query, fold in folds.items() if fold == f}
            others = {query: docs for query, docs in JUDGED.items() if query not in own}
            taught = rs.fusion.train(others, RUNS, "slide-fuse", settings={"window": window}, folds=3)
            assert value == pytest.approx(mean(JUDGED, taught.fuse(RUNS), own))


def test_the_means_are_those_of_evaluate() -> None:
    trained = train(JUDGED, ["rrf", "map-fuse"])
    assert trained.cross_fitted_mean == pytest.approx(mean(JUDGED, trained.cross_fitted, set(JUDGED)))
    assert trained.alone == pytest.approx([mean(JUDGED, run, set(JUDGED)) for run in RUNS])
    folds = folds_in(trained, FOLDS)
    for f, chosen in enumerate(trained.chosen):
        own = {query for query, fold in folds.items() if fold == f}
        assert chosen.queries == len(own)
        assert chosen.value == pytest.approx(mean(JUDGED, trained.cross_fitted, own))


def test_queries_without_judgments_are_fused_with_what_all_others_taught() -> None:
    trained = train(JUDGED, "map-fuse")
    after, whole = crossed(trained), lists_of(trained.fuse(RUNS))
    for query in ("unjudged0", "unjudged1"):
        assert_same_bits(after[query], whole[query])
    assert mentions(trained.notes, "2 of 14 queries", "no judgments")


def test_folds_are_even_and_do_not_depend_on_the_order_of_queries() -> None:
    ids = [f"q{i}".encode() for i in range(11)]
    found = dict(zip(ids, assign_folds(ids, 4, 7).tolist(), strict=True))
    assert sorted(np.bincount(list(found.values())).tolist()) == [2, 3, 3, 3]
    assert dict(zip(ids[::-1], assign_folds(ids[::-1], 4, 7).tolist(), strict=True)) == found
    assert dict(zip(ids, assign_folds(ids, 4, 8).tolist(), strict=True)) != found


def test_the_order_of_queries_changes_nothing() -> None:
    trained = train(JUDGED, ["rrf", "map-fuse"])
    turned = [rs.Run(dict(reversed(lists_of(run).items())), name=run.name) for run in RUNS]
    again = train(dict(reversed(JUDGED.items())), ["rrf", "map-fuse"], turned)
    assert str(again) == str(trained)
    assert crossed(again) == crossed(trained)


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing() -> None:
    trained = train(JUDGED, ["rrf", "map-fuse"])
    spread = train(JUDGED, ["rrf", "map-fuse"], workers=2)
    assert str(spread) == str(trained)
    assert_same_bits(crossed(spread), crossed(trained))


def test_the_least_is_the_best_where_lower_is_better() -> None:
    trained = train(JUDGED, "rrf", measure="MinRank")
    assert not trained.higher_is_better
    own = next(one.mean for one in trained.tried if one.name == trained.name)
    assert own == min(one.mean for one in trained.tried)
    table = trained.sections()[0].table
    assert table is not None
    shown = [float(str(row[1])) for row in table.rows]
    assert shown == sorted(shown)


def test_settings_and_normalisations_that_are_given_are_those_that_are_tried() -> None:
    trained = train(JUDGED, ["rrf", "comb-gmnz"], settings={"k": [10, 20], "gamma": 2, "weights": [1, 2, 3]})
    assert [one.name for one in trained.tried] == [
        "rrf(k=10,weights=1,2,3)",
        "rrf(k=20,weights=1,2,3)",
        "comb-gmnz(min-max,gamma=2)",
    ]
    trained = train(JUDGED, "comb-mnz", normalise=["sum", "z-score"])
    assert [one.name for one in trained.tried] == ["comb-mnz(sum)", "comb-mnz(z-score)"]


def test_the_first_setting_is_kept_where_none_is_better() -> None:
    same = [rs.Run(lists_of(RUNS[0]), name=name) for name in "ab"]
    trained = train(JUDGED, "rrf", same, settings={})
    assert trained.setting == {"k": 60, "weights": [1.0, 1.0]}


def test_a_normalisation_that_cannot_be_is_left_out_with_a_note() -> None:
    below = [*RUNS[:2], rs.Run({query: {"d0": -1.0, "d1": -2.0} for query in JUDGED}, name="below")]
    trained = train(JUDGED, "comb-sum", below, normalise=["max", "sum"], settings={"weights": [1, 1, 1]})
    assert [one.name for one in trained.tried] == ["comb-sum(sum,weights=1,1,1)"]
    assert mentions(trained.notes, "max was not tried", "'below'")
    with pytest.raises(rs.InputError, match=r"'below'.*\bgreatest score\b"):
        train(JUDGED, "comb-sum", below, normalise="max")


def test_lower_scores_can_be_better() -> None:
    turned = [rs.Run({q: {d: -s for d, s in docs.items()} for q, docs in lists_of(run).items()}) for run in RUNS]
    inverted = train(JUDGED, ["rrf", "weighted-sum"], turned, normalise="min-max-inverted")
    usual = train(JUDGED, ["rrf", "weighted-sum"])
    assert [one.mean for one in inverted.tried] == pytest.approx([one.mean for one in usual.tried])
    assert_same_numbers(lists_of(inverted.fuse(turned)), lists_of(usual.fuse(RUNS)))


def test_progress_comes_to_one() -> None:
    told: list[float] = []
    train(JUDGED, "rrf", settings={"weights": [1, 1, 1]}, progress=told.append)
    assert len(told) == 10
    assert sum(told) == pytest.approx(1)
    told.clear()
    train(JUDGED, "rrf", settings={"weights": [1, 1, 1], "k": 60}, refine=True, progress=told.append)
    assert sum(told) == pytest.approx(1)


def test_refined_weights_are_better_on_the_queries_that_chose_them_and_no_fold_chooses_for_itself() -> None:
    options: dict[str, Any] = {"settings": {"weights": WEIGHTS[:2]}, "refine": True}
    usual, trained = train(JUDGED, settings=options["settings"]), train(JUDGED, **options)
    own = next(one.mean for one in trained.tried if one.name == trained.name)
    assert own == max(one.mean for one in trained.tried) > max(one.mean for one in usual.tried)
    assert own == pytest.approx(mean(JUDGED, trained.fuse(RUNS), set(JUDGED)))
    before, folds = crossed(trained), folds_in(trained, FOLDS)
    for f in range(FOLDS):
        held = {query for query, fold in folds.items() if fold == f}
        after = crossed(train(rejudged(JUDGED, held, seed=f), **options))
        assert_same_bits({query: after[query] for query in held}, {query: before[query] for query in held})


def test_refining_leaves_alone_what_has_no_weights() -> None:
    assert str(train(JUDGED, "map-fuse", refine=True)).replace(" | refined:yes", "") == str(train(JUDGED, "map-fuse"))


def test_tuning_on_half_of_the_demo_improves_the_other_half_without_looking_at_it() -> None:
    collection = make_collection()
    qrels = {query: dict(docs) for query, docs in collection.qrels.items()}
    runs = [rs.Run(collection.runs[name], name=name) for name in ("bm25", "dense")]
    halves = [set(sorted(qrels)[i::2]) for i in (0, 1)]
    for half, other in (halves, halves[::-1]):
        taught = rs.fusion.train({query: qrels[query] for query in half}, runs, ["weighted-sum", "rrf"])
        assert set(taught.queries) == half
        fused = taught.fuse(
            [rs.Run({q: d for q, d in lists_of(run).items() if q in other}, name=run.name) for run in runs]
        )
        assert set(fused.query_ids) <= other
        value = mean(qrels, fused, other, "nDCG@10")
        assert value > mean(qrels, rs.fusion.fuse(runs, "rrf"), other, "nDCG@10") + 0.02
        assert value > mean(qrels, rs.fusion.fuse(runs, "comb-sum"), other, "nDCG@10") + 0.02
        assert value > max(mean(qrels, run, other, "nDCG@10") for run in runs) + 0.04


def test_what_cross_fitting_says_is_less_than_what_hindsight_says() -> None:
    """Of settings that say nothing, the best is chosen by chance: cross-fitted, that is seen."""
    draw = random.Random(5)
    runs = [rs.Run({q: {d: draw.random() for d in docs} for q, docs in JUDGED.items()}, name=f"r{i}") for i in range(3)]
    trained = train(JUDGED, ["weighted-sum", "rrf"], runs)
    assert trained.cross_fitted_mean < next(one.mean for one in trained.tried if one.name == trained.name)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"folds": 2}, rs.ParameterError, ("folds", 2, 3)),
        (
            {"folds": 13},
            rs.InputError,
            ("12 queries", "judgments", "13 folds"),
        ),
        ({"measure": "NumRet"}, rs.ParameterError, ("NumRet", "neither")),
        ({"measure": "nDCG@"}, rs.ParameterError, ("nDCG@",)),
        ({"method": "nope"}, rs.UnknownName, ("method", "'nope'")),
        ({"method": []}, rs.ParameterError, ("method is",)),
        ({"normalise": "nope"}, rs.UnknownName, ("normalisation", "'nope'")),
        ({"normalise": ["sum", "min-max-inverted"]}, rs.ParameterError, ("min-max-inverted", "lower scores")),
        ({"method": "rrf", "normalise": "sum"}, rs.ParameterError, ("rrf uses ranks only", "sum")),
        ({"settings": {"k": 3}}, rs.ParameterError, ("weighted-sum", "no setting 'k'", "weights")),
        ({"settings": {"weights": [1, 2]}}, rs.ParameterError, ("2 weights", "3 runs")),
        ({"settings": {"weights": [1, 2, -1]}}, rs.ParameterError, ("weight", -1)),
        ({"settings": {"weights": [0, 0, 0]}}, rs.ParameterError, ("all weights", 0)),
        ({"method": "rrf", "settings": {"k": [-1]}}, rs.ParameterError, ("k is", -1)),
        ({"method": "rrf", "settings": {"k": []}}, rs.ParameterError, ("no k",)),
        ({"method": "rrf", "settings": {"weights": 3}}, rs.ParameterError, ("weights", 3)),
        ({"method": "rrf", "settings": {"k": None}}, rs.ParameterError, ("k is None",)),
        ({"method": "rrf", "settings": {"weights": None}}, rs.ParameterError, ("weights is None",)),
        ({"method": "prob-fuse", "settings": {"segments": 10**9}}, rs.ParameterError, ("segments", 1000000000)),
        ({"settings": [1]}, rs.ParameterError, ("settings", "[1]", "by name")),
        ({"normalise": 3}, rs.ParameterError, ("normalise", 3)),
        ({"method": "consensus:borda"}, rs.ParameterError, ("consensus:borda", "nothing to learn")),
        ({"workers": 0}, rs.ParameterError, ("workers", 0)),
        ({"rng": -1}, rs.ParameterError, ("rng", -1)),
        ({"runs": []}, rs.ParameterError, ("no runs",)),
        ({"judgments": {"other": {"d0": 1}}}, rs.InputError, ("runs", "qrels", "no query")),
    ],
)
def test_what_makes_no_sense_is_one_line(options: dict[str, Any], error: type[Exception], said: tuple) -> None:
    with pytest.raises(error) as caught:
        train(options.pop("judgments", JUDGED), **options)
    assert mentions(caught.value, *said)
    assert "\n" not in str(caught.value)


def test_a_method_that_learns_is_not_fused_without_learning() -> None:
    with pytest.raises(rs.ParameterError, match=r"\bmap-fuse learns\b.*\btrain\b"):
        rs.fusion.fuse(RUNS, "map-fuse")


def test_files_are_taken_too(tmp_path: Path) -> None:
    lines = [f"{q} 0 {d} {r}\n" for q, docs in JUDGED.items() for d, r in docs.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    paths = []
    for i, run in enumerate(RUNS):
        rows = sorted(run.frame().rows(), key=lambda row: (row[0], -row[2]))
        (tmp_path / f"run{i}").write_text("".join(f"{q} Q0 {d} 1 {s} run{i}\n" for q, d, s in rows))
        paths.append(tmp_path / f"run{i}")
    trained = train(tmp_path / "qrels", "rrf", paths)  # lists of paths
    assert str(trained) == str(train(JUDGED, "rrf"))
    assert [a.name for a, b in pairwise(trained.tried) if a.name == b.name] == []
    assert fmean(trained.alone) > 0
