"""Cross-validation: every number against the same done by hand, any number of workers, what is refused."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers.folds import features, rankers, write_folds
from helpers.messages import mentions
from helpers.paths import ROOT
from helpers.same import assert_same_bits, assert_same_numbers

import rankscope as rs
from rankscope import Features
from rankscope.data.result import as_text
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.experiments import CrossValidation, cross_validate
from rankscope.experiments.crossvalidation import join_features, parse_rankers, read_folds
from rankscope.learning import Blend, Ranker
from rankscope.learning.losses import ranknet

DATA = Path(os.environ.get("RANKSCOPE_DATA") or ROOT.parent / "shared" / "data")
QUICK = {"hidden": (8,), "epochs": 4, "learning_rate": 0.01, "batch_lists": 4}


@cache
def found() -> CrossValidation:
    """Two networks and a linear ranker."""
    measures = ["nDCG@3", "AP", "MinRank"]
    return cross_validate(
        features(), rankers("listnet", "ranknet", "linear:listnet", **QUICK), measures, folds=4, seeds=2
    )


def by_hand(loss: str, seed: int, hidden: tuple[int, ...]) -> dict[str, dict[str, float]]:
    """Query -> document -> score of the ranker of its fold, trained as `rankscope train` would."""
    lists = {}
    for fold in read_folds(features(), folds=4).folds:
        ranker = Ranker(loss, **{**QUICK, "hidden": hidden, "rng": seed})
        ranker.fit(join_features(fold.train, "training"), eval_set=fold.valid)
        scores, test = ranker.predict(fold.test), fold.test
        for q, query in enumerate(test.query_ids):
            a, b = test.offsets[q : q + 2]
            lists[query] = {f"d{i:02d}": float(score) for i, score in enumerate(scores[a:b])}
    return lists


def qrels() -> dict[str, dict[str, int]]:
    all_ = features()
    return {
        query: {f"d{i:02d}": int(g) for i, g in enumerate(all_.relevance[all_.offsets[q] : all_.offsets[q + 1]])}
        for q, query in enumerate(all_.query_ids)
    }


@pytest.mark.parametrize(("model", "hidden"), [("listnet", (8,)), ("ranknet", (8,)), ("linear:listnet", ())])
def test_each_querys_value_is_the_mean_over_seeds_of_what_evaluate_gives(model: str, hidden: tuple[int, ...]) -> None:
    seeds = [0, 1]
    hand = [
        rs.evaluate(qrels(), rs.Run(by_hand(model.removeprefix("linear:"), s, hidden)), ["nDCG@3", "AP", "MinRank"])
        for s in seeds
    ]
    ours = found().test
    m = found().models.index(model)
    place = {query: i for i, query in enumerate(hand[0].query_ids)}
    order = [place[query] for query in ours.scores.query_ids]
    expected = np.mean([one.values[0][:, order] for one in hand], axis=0)
    np.testing.assert_allclose(ours.scores.values[m], expected, atol=1e-12)
    for k, measure in enumerate(("nDCG@3", "AP", "MinRank")):
        of_seed = [one.overall(measure) for one in hand]
        assert ours.by_seed[:, m, k] == pytest.approx(of_seed)
        assert ours.deviation[m, k] == pytest.approx(np.std(of_seed, ddof=1), abs=1e-12)
        assert ours.overall[m, k] == pytest.approx(np.mean(of_seed))


def test_the_tidy_table_has_every_fold_and_all_queries_together() -> None:
    records = {record[:-1]: record[-1] for record in found().records()}
    assert len(records) == 3 * 5 * 2 * 3  # models, folds and all, parts, measures
    scores, fold = found().test.scores, found().test.fold
    of_fold = scores.matrix("AP")[1][fold == 2]
    assert records["ranknet", "Fold3", "test", "AP"] == pytest.approx(of_fold.mean())
    assert records["ranknet", "all", "test", "AP"] == pytest.approx(scores.overall("AP", "ranknet"))
    assert records["ranknet", "all", "valid", "AP"] == pytest.approx(found().valid.scores.overall("AP", "ranknet"))
    assert sorted(found().valid.scores.query_ids) == sorted(scores.query_ids)  # each once, of other rankers


def test_the_rankers_are_compared_as_compare_does() -> None:
    ours = found().comparison
    assert ours is not None
    again = rs.compare(found().test.scores, "AP", rng=0)
    assert_same_numbers(ours["AP"].pvalue_corrected, again["AP"].pvalue_corrected)
    assert ours["MinRank"].measure_values.sign == -1  # lower is better
    against = cross_validate(
        features(), ["linear:listnet", "linear:squared"], folds=3, seeds=1, baseline="linear:squared", test="sign"
    ).comparison
    assert against is not None
    assert (against.baseline, against.settings.test, against.comparisons[0].first.size) == ("linear:squared", "sign", 1)


def test_seeds_that_change_nothing_are_trained_once_and_said_to() -> None:
    assert found().fixed == (False, False, True)
    assert found().test.deviation[2].tolist() == [0, 0, 0]
    assert mentions(found().notes, "linear:listnet", "all seeds", "once")
    random = cross_validate(
        features(), rankers("linear:listmle", "linear:lambdarank", epochs=2), "AP", folds=3, seeds=1
    )
    assert random.fixed == (False, False)


@pytest.mark.usefixtures("forked_workers")
def test_any_number_of_workers_gives_the_same() -> None:
    arguments = {"folds": 3, "seeds": 2, "importance": True}
    one, two = (cross_validate(features(), rankers("listmle", **QUICK), "AP", workers=n, **arguments) for n in (1, 2))
    assert_same_bits(list(one.records()), list(two.records()))
    assert_same_bits(one.importance, two.importance)
    assert_same_bits((one.curves, one.signature()), (two.curves, two.signature()))


def test_progress_adds_up_to_one() -> None:
    told: list[float] = []
    cross_validate(features(), "linear:listnet", "AP", folds=3, seeds=2, progress=told.append)
    assert len(told) == 3
    assert sum(told) == pytest.approx(1)


def test_documents_of_the_highest_grade_are_counted_where_they_were_put() -> None:
    """Naively: the rank of each document by the scores of both seeds."""
    counts = np.zeros((3, 6))
    for seed in (0, 1):
        for query, scores in by_hand("listnet", seed, (8,)).items():
            for rank, doc in enumerate(sorted(scores, key=scores.__getitem__, reverse=True), 1):
                column = next(c for c, last in enumerate((1, 3, 5, 10, 20, 10**9)) if rank <= last)
                counts[qrels()[query][doc], column] += 0.5
    assert found().grades == (0, 1, 2)
    np.testing.assert_allclose(found().rank_counts[0], counts)
    assert found().rank_counts.sum(axis=(1, 2)).tolist() == [len(features())] * 3


def test_a_feature_that_says_nearly_all_is_worth_most_and_one_that_says_nothing_nothing() -> None:
    made = cross_validate(features(60), "linear:listnet", "nDCG@3", folds=3, seeds=1, importance=True)
    assert made.importance is not None
    assert made.importance.shape == (3, 1, 3)
    worth = made.importance.mean(axis=0)[0]
    assert worth[0] > 0.2
    assert np.abs(worth[1:]).max() < 0.05
    assert made.feature_names == ("1", "2", "3")
    lower = cross_validate(features(60), "linear:listnet", "MinRank", folds=3, seeds=1, importance=True)
    assert lower.importance is not None
    assert lower.importance.mean(axis=0)[0, 0] > 0.2  # without it relevant documents stand further down


def test_rankers_may_be_given_by_name_with_parameters_of_their_own() -> None:
    given = {"wide": Ranker("listnet", hidden=(16,), epochs=2), "plain": Ranker("squared", hidden=())}
    made = cross_validate(features(), given, "AP", folds=3, seeds=1)
    assert made.models == ("wide", "plain")
    assert "rankers:wide[hidden:16,epochs:2] plain[hidden:none,epochs:100] |" in made.signature()


def test_the_signature_names_everything_that_changes_a_number() -> None:
    measures, *keys, version = found().signature().split(" | ")
    assert re.fullmatch(r"nDCG@3\[.*\] AP\[rel:1\] MinRank.*", measures)
    expected = [
        "data:features",
        "folds:4,cut at random",
        "seeds:2",
        "rng:0",
        "rankers:listnet[hidden:8] ranknet[hidden:8] linear:listnet[hidden:none]",
        "epochs:4",
        "learning_rate:0.01",
        "batch_lists:4",
        "ties:by lot",
        "no_relevant:zero",
        "queries:24",
        "test:t",
        "family:3 pairs",
    ]
    assert [key for key in keys if key in expected] == expected
    assert version.startswith("rankscope ")


def test_queries_without_relevant_documents_count_as_everywhere() -> None:
    empty = int((np.maximum.reduceat(features().relevance, features().offsets[:-1]) == 0).sum())
    assert empty >= 2
    assert mentions(found().notes, f"{empty} queries", "no relevant documents")
    dropped = cross_validate(features(), "linear:listnet", "AP", folds=3, seeds=1, no_relevant="drop")
    assert int(np.isnan(dropped.test.scores.matrix("AP")).sum()) == empty
    zero = cross_validate(features(), "linear:listnet", "AP", folds=3, seeds=1)
    assert zero.test.overall[0, 0] == pytest.approx(dropped.test.overall[0, 0] * (24 - empty) / 24)


def test_a_file_that_is_sorted_by_grade_gives_no_higher_values() -> None:
    """Features that say little and often tie; as the file has them, rankers would look far better."""
    rng = np.random.default_rng(1)
    grades = np.sort(rng.integers(0, 3, (60, 20)), axis=1)[:, ::-1].ravel()
    x = (rng.random((1200, 4)) < 0.05).astype(float)
    ranker, settings = Ranker(hidden=(), epochs=5), {"folds": 3, "seeds": 1, "importance": True}
    by_grade = cross_validate(Features.of(x, grades, sizes=[20] * 60), ranker, "nDCG@10", **settings)
    order = np.concatenate([20 * q + rng.permutation(20) for q in range(60)])
    mixed = Features.of(x[order], grades[order], sizes=[20] * 60)
    by_chance = cross_validate(mixed, ranker, "nDCG@10", **settings)
    for found in (by_grade, by_chance):
        assert found.test.overall[0, 0] == pytest.approx(0.6, abs=0.08)
        assert found.valid.overall[0, 0] == pytest.approx(0.6, abs=0.08)
        assert max(found.curves[0][0]) < 0.7
        assert found.importance is not None
        assert np.abs(found.importance).max() < 0.1
    assert "ties:by lot" in by_grade.signature()


def test_what_is_no_mean_is_not_called_one() -> None:
    made = cross_validate(features(), ["linear:listnet", "linear:squared"], "GMAP", folds=3, seeds=1, importance=True)
    text = " ".join(as_text(made, details=True).split())
    assert mentions(made.sections()[0].sentence, "highest GMAP, 0.")
    worth = next(section for section in made.sections() if mentions(section.title, "features"))
    assert mentions(worth.sentence, "GMAP", "shuffled")
    assert "mean GMAP" not in text
    assert "below about" in text
    alone = cross_validate(features(), "linear:listnet", "GMAP", folds=3, seeds=1)
    assert mentions(alone.sections()[0].sentence, "linear:listnet", "GMAP of 0.")


def test_the_least_relevant_grade_is_that_of_early_stopping_too() -> None:
    made = cross_validate(features(), Ranker(**QUICK, stop_on="AP"), "AP", folds=3, seeds=1, rel=2)
    for k in range(3):
        best = max(made.curves[0][k])
        assert made.valid.of_fold(k)[0, 0] == pytest.approx(best)


def test_a_loss_that_cannot_go_to_a_worker_is_refused_in_one_line() -> None:
    own = {"mine": Ranker(lambda scores, relevance, offsets: ranknet(scores, relevance, offsets), hidden=())}
    with pytest.raises(ParameterError, match=r"mine: .*<function .*lambda.*>.*\bworker") as no:
        cross_validate("no/such/folder", own, workers=2)
    assert "\n" not in str(no.value)
    assert cross_validate(features(), own, "AP", folds=3, seeds=1).models == ("mine",)


def test_one_ranker_is_shown_without_a_comparison() -> None:
    alone = cross_validate(features(), "linear:listnet", "AP", folds=3, seeds=1)
    assert alone.comparison is None
    values = alone.test.scores.matrix("AP")[0]
    half = 2.0687 * values.std(ddof=1) / 24**0.5  # t with 23 degrees of freedom, .975
    mean = values.mean()
    sentence = alone.sections()[0].sentence
    assert mentions(sentence, "linear:listnet", f"mean AP of {mean:.4f}", "24 queries", "3 folds")
    assert mentions(sentence, f"(95 % interval {mean - half:.4f} to {mean + half:.4f})")
    assert "more than noise" not in as_text(alone, details=True)


def test_query_ids_that_begin_anew_in_each_file_get_the_folds_name(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for i in range(3):
        lines = [f"{int(x > 0)} qid:{q} 1:{x:.3f}" for q in range(4) for x in [-1.0, 1.0, *rng.normal(size=2)]]
        (tmp_path / f"S{i + 1}.txt").write_text("\n".join(lines) + "\n")
    made = cross_validate(tmp_path, "linear:listnet", "RR", seeds=1)
    assert made.test.scores.query_ids[:5] == ("Fold1/0", "Fold1/1", "Fold1/2", "Fold1/3", "Fold2/0")
    assert made.test.overall[0, 0] == 1


@pytest.mark.parametrize(
    ("given", "more", "error", "said"),
    [
        ("listnett", {}, UnknownName, ("loss", "'listnett'", "listnet?")),
        (["listnet", "ListNet"], {}, ParameterError, ("listnet", "twice")),
        ([], {}, ParameterError, ("no losses",)),
        ("linear:", {}, ParameterError, ("loss", "''")),
        (Ranker(epochs=0), {}, ParameterError, ("epochs", 0)),
        ([Ranker(transform="sqrt")], {}, ParameterError, ("transform", "'sqrt'")),
        (["ranknet", Ranker("ranknet")], {}, ParameterError, ("ranknet", "twice", "mapping")),
        ([Blend([Ranker(), Ranker("ranknet")])], {}, ParameterError, ("Blend", "blend=")),
        ("listnet", {"seeds": 0}, ParameterError, ("seeds", 0, 1)),
        ("listnet", {"measures": "alpha_nDCG@10"}, ParameterError, ("alpha_nDCG", "subtopic")),
        ("listnet", {"measures": "NumRet"}, ParameterError, ("NumRet", "neither")),
        ("listnet", {"measures": "nDGC"}, UnknownName, ("measure", "'nDGC'")),
        ("listnet", {"baseline": "ranknet"}, UnknownName, ("ranknet", "baseline")),
        (["listnet", "ranknet"], {"test": "z"}, UnknownName, ("test", "'z'")),
        (["listnet", "ranknet"], {"test": "tukey", "baseline": "listnet"}, ParameterError, ("tukey", "all pairs")),
        ("listnet", {"no_relevant": "two"}, ParameterError, ("no_relevant", "'two'")),
        ("listnet", {"rng": -1}, ParameterError, ("rng", -1)),
        ({"a": 3}, {}, ParameterError, ("'a'", "int", "Ranker")),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_before_anything_is_read(
    given: object, more: dict[str, object], error: type[Exception], said: tuple
) -> None:
    with pytest.raises(error) as caught:
        cross_validate("no/such/folder", given, **more)
    assert mentions(caught.value, *said)


def test_a_fold_with_nothing_to_learn_from_is_named() -> None:
    same = Features.of(np.random.default_rng(1).normal(size=(18, 2)), np.ones(18), sizes=[3] * 6)
    with pytest.raises(InputError, match=r"\blistnet, Fold1: .*\bone grade\b"):
        cross_validate(same, "listnet", "AP", folds=3, seeds=1)


def test_test_lists_without_any_value_are_refused(tmp_path: Path) -> None:
    for fold in (1, 2):
        for name in ("train", "vali", "test"):
            path = tmp_path / f"Fold{fold}" / f"{name}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"0 qid:{fold} 1:0.5\n{int(name != 'test')} qid:{fold} 1:0.7\n")
    with pytest.raises(InputError, match=r"\bno query\b.*\bAP\b"):
        cross_validate(tmp_path, "linear:listnet", "AP", seeds=1, no_relevant="drop")


@pytest.mark.skipif(
    not (DATA / "letor" / "MQ2007").is_dir(), reason="MQ2007 is not here; RANKSCOPE_DATA names its place"
)
def test_on_mq2007_a_linear_ranker_reaches_what_it_should_and_noise_is_about_six_thousandths() -> None:
    """Linear ListNet: nDCG@10 with gain 2^g - 1 of .4485 and AP .462, by a prototype on these files."""
    source = DATA / "letor" / "MQ2007"
    given = rankers("linear:listnet", "linear:squared", epochs=12)
    made = cross_validate(source, given, ["nDCG(gain='exp')@10", "AP"], seeds=1)
    assert len(made.test.scores.query_ids) == 1692
    assert made.test.overall[0] == pytest.approx([0.4485, 0.462], abs=0.006)
    size = re.search(r"below about 0\.(\d+)", " ".join(str(made).split()))
    assert size is not None
    assert 0.002 < float(f"0.{size[1]}") < 0.010


def test_no_grade_of_the_test_lists_says_when_to_stop_not_even_the_highest(tmp_path: Path) -> None:
    courses = []
    for highest in (2, 9):  # ERR depends on the highest grade there is
        folder = write_folds(tmp_path / str(highest))
        for test in folder.glob("Fold*/test.txt"):
            first, *others = test.read_text().splitlines(keepends=True)
            test.write_text("".join([str(highest) + first[1:], *others]))
        found = cross_validate(folder, Ranker(hidden=(), stop_on="ERR"), "RR", seeds=1)
        courses.append(found.curves)
    assert_same_bits(courses[0], courses[1])


def test_rankers_are_named_by_their_losses_as_the_losses_alone_are() -> None:
    losses = ["listnet", "linear:ranknet", "lambdamart(leaves=5)"]
    given = [Ranker("listnet"), Ranker("ranknet", hidden=()), Ranker("lambdamart(leaves=5)")]
    by_losses, by_rankers = parse_rankers(losses), parse_rankers(given)
    assert by_rankers.names == by_losses.names
    assert by_rankers.settings() == by_losses.settings()
    assert parse_rankers(given[1]).names == by_losses.names[1:2]


def test_a_ranker_of_pytorch_is_named_as_one() -> None:
    torch = pytest.importorskip("rankscope.learning.torch")
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'rankscope[torch]'")
    assert parse_rankers([torch.TorchRanker("listnet")]).names == parse_rankers("torch:listnet").names
