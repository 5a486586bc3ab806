"""lambdamart by name, its parameters, and rankers that are trained by it."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope import Features, parse_measure
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.experiments.permutation_importance import prepared_scorer
from rankscope.learning import LOSSES, LambdaMART, Ranker, Training
from rankscope.learning import lambdamart as boosting
from rankscope.learning.lambdamart import parse_objective
from rankscope.learning.training import ranker_signature

RNG = np.random.default_rng(21)


def data(queries: int = 30, name: str = "made") -> Features:
    values = RNG.normal(size=(queries * 12, 4)).astype(np.float32)
    worth = values[:, 0] + np.abs(values[:, 1]) + 0.3 * RNG.normal(size=len(values))
    grades = np.digitize(worth, (1.0, 2.0))
    grades[::12], grades[1::12] = 0, 2
    return Features.of(values, grades, sizes=[12] * queries, name=name)


TRAIN, VALID, HELD = data(), data(12, "valid"), data(12)
FEW = "lambdamart(trees=12, min_documents=10, features=1.0)"


def ndcg(ranker: Any, features: Features = HELD) -> float:
    hits = FullyJudgedLists(features.relevance, features.offsets).hits(ranker.predict(features))
    return float(parse_measure("nDCG(gain='exp')@10")(hits).mean())


def test_its_name_says_what_differs_from_the_defaults_and_reads_back() -> None:
    assert str(parse_objective("LambdaMART")) == "lambdamart"
    for text in ("lambdamart(leaves=15, rate=0.1)", "lambdamart(objective=\"lambdaloss(kind='2')\", trees=7)"):
        assert parse_objective(str(parse_objective(text))) == parse_objective(text)
    assert parse_objective("lambdamart(objective='listnet')").loss().name == "listnet"
    assert parse_objective("listnet").name == "listnet"
    assert parse_objective(LambdaMART(leaves=3)).leaves == 3


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ("lambdamart(leaves=1)", "leaves is 1"),
        ("lambdamart(trees=0)", "trees is 0"),
        ("lambdamart(rate=0)", "rate is 0"),
        ("lambdamart(features=0)", "features is 0, .*0 .*1"),
        ("lambdamart(documents=1.5)", "documents is 1.5"),
        ("lambdamart(min_documents='few')", "min_documents is 'few'"),
        ("lambdamart(objective='lambdamart')", "objective is 'lambdamart'"),
        ("lambdamart(objective='listnt')", "unknown loss 'listnt'; did you mean listnet"),
        ("lambdamart(ranks=1)", "ranks is 1"),
        ("lambdamart(objective=3)", "objective is 3, expected the name of a loss"),
        ("lambdamart(tree=5)", "unknown parameter of lambdamart 'tree'; did you mean trees"),
        ("lambdamrt", "unknown loss 'lambdamrt'; did you mean lambdamart"),
    ],
)
def test_what_is_no_such_thing_is_refused_before_anything_is_trained(loss: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Ranker(loss).settings()


@pytest.mark.parametrize(
    ("documents", "features", "leaf", "share"),
    [
        (29_527, 46, 200, 0.3),  # the smallest training part of MQ2007: what was chosen there
        (2_000_000, 136, 200, 0.3),
        (20_000, 44, 200, 0.3),
        (19_900, 43, 199, 13 / 43),
        (5_205, 20, 52, 0.65),
        (2_000, 13, 20, 1.0),
        (800, 6, 20, 1.0),
        (199, 4, 19, 1.0),
        (30, 1, 3, 1.0),
        (1, 1, 1, 1.0),
    ],
)
def test_defaults_depend_on_the_size_of_the_data_only(documents: int, features: int, leaf: int, share: float) -> None:
    trees = LambdaMART()
    assert trees.least_documents(documents) == leaf
    assert trees.share_of_features(features) == pytest.approx(share)
    chosen = LambdaMART(min_documents=3, features=0.1)
    assert (chosen.least_documents(documents), chosen.share_of_features(features)) == (3, 0.1)


@pytest.mark.parametrize(("name", "most"), [("leaves", 131_072), ("threads", 1024)])
def test_what_lightgbm_would_end_by_is_refused(name: str, most: int) -> None:
    LambdaMART(**{name: most})  # of any type
    with pytest.raises(ParameterError, match=rf"^{name} is {most + 1}, .*\b{most}$"):
        Ranker(f"lambdamart({name}={most + 1})").settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [("hidden", ()), ("hidden", [32]), ("epochs", 7), ("dropout", 0.1), ("transform", "log"), ("patience", 3)],
)
def test_a_parameter_of_networks_is_refused_by_name_not_passed_over(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} is .*lambdamart"):
        Ranker("lambdamart", **{name: value}).settings()
    Ranker("lambdamart", hidden=[64], models=2, rng=3, stop_on="AP").settings()


def test_without_lightgbm_and_without_openmp_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "lightgbm"]:
        monkeypatch.delitem(sys.modules, name)
    real, raised = builtins.__import__, [ModuleNotFoundError("No module named 'lightgbm'", name="lightgbm")]

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "lightgbm":
            raise raised[0]
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for call in (Ranker("lambdamart").check, lambda: rs.experiments.cross_validate("no-such-folder", "lambdamart")):
        with pytest.raises(ParameterError, match=r"LightGBM .*pip install 'rankscope\[learn\]'"):
            call()
    raised[0] = OSError("libgomp.so.1: cannot open shared object file: No such file or directory")
    with pytest.raises(ParameterError, match=r"\(libgomp\.so\.1: .*\).*libgomp1\b"):
        Ranker("lambdamart").check()
    Ranker("lambdamart").settings()  # which a file that is loaded asks for, and no more


class TestTrained:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("lightgbm", reason="LightGBM is not installed; it is what grows trees")

    def test_it_finds_what_no_linear_scorer_can(self) -> None:
        trees = Ranker("lambdamart(min_documents=10, patience=30)").fit(TRAIN, eval_set=VALID)
        assert ndcg(trees) > ndcg(Ranker("listnet", hidden=()).fit(TRAIN, eval_set=VALID)) + 0.03

    def test_trees_that_no_file_could_hold_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"trees .*rate .*1e\+308"):
            Ranker("lambdamart(rate=1e308, trees=30, min_documents=10)").fit(TRAIN)

    @pytest.mark.parametrize("loss", LOSSES)
    def test_any_loss_of_ours_lowers_what_it_measures(self, loss: str) -> None:
        grown = f"lambdamart(objective={loss!r}, trees=15, min_documents=10, features=1.0, documents=1.0)"
        (model,) = Ranker(grown).fit(TRAIN).models_
        assert len(model.losses) == model.epochs == 15
        assert model.losses[-1] < model.losses[0]

    def test_a_function_of_ones_own_is_an_objective(self) -> None:
        def squares(scores: Any, relevance: Any, offsets: Any) -> tuple[float, Any]:
            apart = scores - relevance
            return float(apart @ apart) / (offsets.size - 1), 2 * apart / (offsets.size - 1)

        own = Ranker(LambdaMART(objective=squares, trees=15, min_documents=10)).fit(TRAIN)
        named = Ranker("lambdamart(objective='listnet', trees=15, min_documents=10)").fit(TRAIN)
        assert own.models_[0].losses[-1] < own.models_[0].losses[0]
        assert abs(ndcg(own) - ndcg(named)) < 0.1

    def test_the_best_number_of_trees_by_our_measure_is_kept(self) -> None:
        ranker = Ranker("lambdamart(trees=60, patience=8, min_documents=10)").fit(TRAIN, eval_set=VALID)
        (model,) = ranker.models_
        assert model.best_epoch == int(np.argmax(model.values))
        assert model.forest.roots.size == model.best_epoch + 1
        assert model.epochs == len(model.values) == min(60, model.best_epoch + 1 + 8)
        assert ndcg(ranker, VALID) == pytest.approx(model.values[model.best_epoch], abs=1e-12)

    def test_one_seed_gives_one_model_and_another_another(self) -> None:
        scores = [Ranker(FEW, rng=seed).fit(TRAIN).predict(HELD) for seed in (1, 1, 2)]
        assert scores[0].tobytes() == scores[1].tobytes() != scores[2].tobytes()

    def test_the_scores_of_several_models_are_averaged(self) -> None:
        ranker = Ranker(FEW, models=3).fit(TRAIN)
        each = [model.scores(HELD.values) for model in ranker.models_]
        np.testing.assert_allclose(ranker.predict(HELD), np.mean(each, axis=0), rtol=0, atol=1e-12)
        assert not np.array_equal(each[0], each[1])

    def test_grades_are_any_whole_numbers_and_gains_are_those_of_the_grades(self) -> None:
        far = Features.of(TRAIN.values, np.array([-1, 3, 40])[TRAIN.relevance], sizes=[12] * 30)
        assert np.isfinite(Ranker(FEW).fit(far).predict(HELD)).all()
        with pytest.raises(InputError, match="beyond float64"):
            Ranker(FEW).fit(Features.of(TRAIN.values, 1000 * TRAIN.relevance, sizes=[12] * 30))

    def test_lists_of_one_grade_teach_nothing_and_are_left_out(self) -> None:
        more = Features.of(
            np.concatenate([TRAIN.values, HELD.values[:12]]),
            np.concatenate([TRAIN.relevance, np.ones(12, int)]),
            sizes=[12] * 31,
        )
        assert Ranker(FEW).fit(more).predict(HELD).tobytes() == Ranker(FEW).fit(TRAIN).predict(HELD).tobytes()

    def test_where_no_tree_can_be_grown_it_is_said_why(self) -> None:
        with pytest.raises(InputError, match=r"no tree .*min_documents"):
            Ranker("lambdamart(min_documents=300)").fit(TRAIN)
        same = Features.of(np.ones((24, 2)), np.tile([0, 1], 12), sizes=[12, 12])
        with pytest.raises(InputError, match="no tree"):
            Ranker("lambdamart").fit(same)

    def test_a_list_too_long_for_lightgbm_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(boosting, "MAX_LIST_LENGTH", 11)
        with pytest.raises(InputError, match=r"\b12 documents, .*lambdamart .*\b11\b.*listnet"):
            Ranker(FEW).fit(TRAIN)
        Ranker("lambdamart(objective='listnet', trees=2)").fit(TRAIN)

    def test_a_loss_that_is_no_number_ends_training(self) -> None:
        def broken(scores: Any, relevance: Any, offsets: Any) -> tuple[float, Any]:
            return (np.nan if scores.any() else 1.0), scores - relevance

        with pytest.raises(InputError, match=r"broken is nan .*\b1 trees"):
            Ranker(LambdaMART(objective=broken, min_documents=10)).fit(TRAIN)

    def test_progress_is_told_of_each_tree(self) -> None:
        told: list[int] = []
        ranker = Ranker(FEW, models=2)
        ranker.fit(TRAIN, progress=told.append)
        assert sum(told) == ranker.rounds * ranker.models == 24

    def test_what_training_came_to_counts_trees(self) -> None:
        ranker = Ranker("lambdamart(trees=20, patience=5, min_documents=10)", models=2).fit(TRAIN, eval_set=VALID)
        result = Training(ranker=ranker, train=TRAIN, valid=VALID)
        table = result.sections()[0].table
        assert table is not None
        assert table.columns == ("model", "trees", "kept", "nDCG(gain='exp')@10")
        assert {part for _, _, part, _, _ in result.records()} == {"valid"}
        assert mentions(str(result), "trees that were kept")
        assert result.signature().split(" | ")[:2] == ["lambdamart", "objective:lambdarank of LightGBM"]
        assert result.signature().split(" | ")[2:4] == ["trees:20", "patience:5"]
        alone = Training(ranker=Ranker(FEW).fit(TRAIN), train=TRAIN, valid=None)
        assert "all trees were kept" in alone.notes[-1]
        assert "patience" not in ranker_signature(alone.ranker, validated=False)

    def test_rankers_that_score_one_by_one_take_queries_and_change_nothing_by_them(self) -> None:
        ranker = Ranker(FEW).fit(TRAIN)
        scores = ranker.predict(HELD.values)
        labels = np.tile(np.arange(12), 12)  # not together
        assert ranker.predict(HELD.values, qid=labels).tobytes() == scores.tobytes()
        assert ranker.predict(HELD.values, group=[12] * 12).tobytes() == scores.tobytes()
        with pytest.raises(InputError, match=r"\b3 queries .*\b144 documents"):
            ranker.predict(HELD.values, qid=[1, 2, 3])
        with pytest.raises(ParameterError, match="Features know their queries"):
            ranker.predict(HELD, qid=labels)

    def test_trees_that_see_ranks_find_the_best_of_lists_of_any_height(self) -> None:
        heights = RNG.normal(size=(30, 1)).repeat(12, 1).ravel() * 1000
        values = RNG.normal(size=(360, 1)).astype(np.float32)
        grades = np.digitize(values[:, 0], (0.5, 1.5))
        grades[::12], values[::12] = 2, 3.0
        lists = Features.of((values[:, 0] + heights)[:, None], grades, sizes=[12] * 30, names=["worth"])
        blind, seeing = (
            Ranker(f"lambdamart(trees=20, min_documents=10, documents=1.0, features=1.0, ranks={ranks})").fit(lists)
            for ranks in (False, True)
        )
        assert ndcg(seeing, lists) > ndcg(blind, lists) + 0.05
        assert (seeing.lists, blind.lists, seeing.n_features_in_) == (True, False, 1)
        assert seeing.feature_names_ == ("worth",)
        backwards, qid = lists.values[::-1], np.repeat(np.arange(30), 12)[::-1]
        assert seeing.predict(backwards, qid=qid).tobytes() == seeing.predict(lists)[::-1].tobytes()
        with pytest.raises(ParameterError, match=r"queries .*whole lists"):
            seeing.predict(lists.values)

    def test_what_a_feature_is_worth_counts_its_rank_too(self) -> None:
        ranker = Ranker(f"{FEW[:-1]}, ranks=True)").fit(TRAIN)
        score, values = prepared_scorer(ranker, HELD)
        np.testing.assert_allclose(score(values), ranker.predict(HELD), rtol=0, atol=1e-12)


def test_names_that_are_wrong_are_told_as_such() -> None:
    with pytest.raises(UnknownName):
        parse_objective("lambdamart(hidden=3)")
