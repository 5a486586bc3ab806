"""Rankers of PyTorch: what they learn, that a seed settles it, and when they stop."""

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Features, parse_measure
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.learning import Ranker, Training
from rankscope.learning.scaling import with_list_ranks

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")

from rankscope.learning.torch import TorchRanker  # noqa: E402 - it asks for PyTorch
from rankscope.learning.torch.trainer import TorchTraining  # noqa: E402 - the same

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 5))
Y = RNG.integers(0, 3, 60)
QID = np.repeat(np.arange(6), 10)
SMALL = {"epochs": 3, "hidden": (8, 4), "batch_lists": 2, "device": "cpu"}


def turned(seed, lists=150, documents=8):
    """Lists in which more of the first feature is better or worse, and only the mean of the second, noisy one tells."""
    rng = np.random.default_rng(seed)
    sign = np.repeat(rng.choice([-1.0, 1.0], lists), documents)
    values = rng.normal(size=(lists * documents, 2))
    grades = np.digitize(sign * values[:, 0], [-0.4, 0.4])
    values[:, 1] += 2.0 * sign
    return Features.of(values, grades, sizes=np.full(lists, documents))


def quality(ranker, features):
    hits = FullyJudgedLists(features.relevance, features.offsets).hits(ranker.predict(features))
    return float(parse_measure("nDCG@5")(hits).mean())


def same(one, other):
    return all(
        a.tobytes() == b.tobytes()
        for model, twin in zip(one.models_, other.models_, strict=True)
        for a, b in zip(model.weights, twin.weights, strict=True)
    )


@pytest.mark.parametrize("loss", ["ranknet", "lambdaloss(kind='2')"])
def test_it_learns_what_a_line_cannot_tell(loss):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(600, 3))
    grades = np.digitize(np.abs(values[:, 0]), [0.5, 1.2])
    data = Features.of(values, grades, sizes=np.full(40, 15))
    ranker = TorchRanker(loss, hidden=(16, 8), epochs=25, dropout=0.0, learning_rate=0.01, batch_lists=8, device="cpu")
    assert quality(ranker.fit(data.select(range(30))), data.select(range(30, 40))) > 0.95


def test_with_attention_it_learns_what_the_other_documents_tell():
    """Each document alone says nothing sure of its list; ten of them together do."""
    train, test = turned(1), turned(2, 60)
    settings = {
        "loss": "listnet",
        "hidden": (16,),
        "epochs": 12,
        "dropout": 0.0,
        "learning_rate": 0.01,
        "device": "cpu",
    }
    alone = quality(TorchRanker(**settings).fit(train), test)
    together = quality(TorchRanker(**settings, attention=1).fit(train), test)
    assert together > alone + 0.02
    assert together > 0.97


@pytest.mark.parametrize("attention", [0, 1])
def test_the_same_seed_gives_the_same_model_and_another_one_another(attention):
    settings = {**SMALL, "attention": attention}
    one, again, other = (TorchRanker(**settings, rng=seed).fit(X, Y, QID) for seed in (1, 1, 2))
    assert same(one, again)
    assert one.predict(X, QID).tobytes() == again.predict(X, QID).tobytes()
    assert not same(one, other)


def test_neither_threads_nor_random_numbers_of_others_matter_and_both_are_left_as_they_were():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    before = torch.get_rng_state()
    one = TorchRanker(**SMALL).fit(X, Y, QID)
    assert torch.get_num_threads() == 2
    assert torch.get_rng_state().equal(before)
    torch.set_num_threads(1)
    torch.rand(3)
    assert same(one, TorchRanker(**SMALL).fit(X, Y, QID))
    torch.set_num_threads(threads)


def test_scores_of_several_models_are_averaged():
    ranker = TorchRanker(**SMALL, models=3).fit(X, Y, QID)
    each = []
    for model in ranker.models_:
        single = TorchRanker(**SMALL).fit(X, Y, QID)
        single.models_ = [model]
        each.append(single.predict(X))
    assert ranker.predict(X) == pytest.approx(np.mean(each, axis=0), abs=1e-12)


def test_the_best_epoch_on_validation_lists_is_kept_and_training_stops_after_it():
    told = []
    ranker = TorchRanker(**{**SMALL, "epochs": 60}, patience=3, learning_rate=0.05, stop_on="nDCG@3")
    ranker.fit(X[:40], Y[:40], QID[:40], eval_set=(X[40:], Y[40:], QID[40:]), progress=told.append)
    (model,) = ranker.models_
    assert len(model.losses) == len(model.values) == len(told) == model.best_epoch + 4 < 60
    assert max(model.values) == model.values[model.best_epoch]
    held = FullyJudgedLists(Y[40:], np.array([0, 10, 20]), by_lot=True)
    assert parse_measure("nDCG@3")(held.hits(ranker.predict(X[40:]))).mean() == pytest.approx(max(model.values))


def test_documents_may_come_in_any_order_and_features_by_name():
    order = np.random.default_rng(0).permutation(60)
    ranker = TorchRanker(**SMALL, attention=1).fit(Features.of(X, Y, QID, names=tuple("abcde")))
    mixed = ranker.predict(Features.of(X[order, ::-1], None, QID[order], names=tuple("edcba")))
    assert mixed == pytest.approx(ranker.predict(X, group=[10] * 6)[order], abs=1e-5)
    assert mixed == pytest.approx(ranker.predict(X[order], qid=QID[order]), abs=1e-5)
    assert ranker.feature_names_in_.tolist() == list("abcde")


def test_attention_asks_for_lists_and_a_network_without_does_not():
    assert TorchRanker(**SMALL).fit(X, Y, QID).predict(X).shape == (60,)
    ranker = TorchRanker(**SMALL, attention=1).fit(X, Y, QID)
    with pytest.raises(ParameterError, match=r"whole lists; .*qid .*group"):
        ranker.predict(X)


@pytest.mark.parametrize("attention", [0, 1])
def test_ranks_within_lists_are_seen_as_features_are(attention):
    data = Features.of(X, Y, QID)
    ranker = TorchRanker("ranknet(ranks=True)", **SMALL, attention=attention).fit(data, eval_set=data)
    wide = with_list_ranks(data)
    by_hand = TorchRanker("ranknet", **SMALL, attention=attention).fit(wide, eval_set=wide)
    assert ranker.predict(X, QID).tobytes() == by_hand.predict(wide).tobytes()
    assert (ranker.lists, by_hand.lists, ranker.n_features_in_) == (True, attention == 1, 5)
    with pytest.raises(ParameterError, match="uses whole lists"):
        ranker.predict(X)


def test_losses_on_a_gpu_are_those_of_a_cpu(monkeypatch):
    """What is written in PyTorch for a GPU, run here on the CPU, gives the same training but for rounding."""

    def with_native(native):
        return lambda *given, **more: TorchTraining(*given, **{**more, "native": native})

    losses = []
    for native in (False, True):
        monkeypatch.setattr("rankscope.learning.torch.trainer.TorchTraining", with_native(native))
        losses.append(TorchRanker("lambdaloss", **SMALL, dropout=0.2).fit(X, Y, QID).models_[0].losses)
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


@pytest.mark.parametrize("attention", [0, 1])
def test_training_has_the_same_result_to_show(attention):
    data = Features.of(X, Y, QID, name="made")
    ranker = TorchRanker(**SMALL, attention=attention).fit(data, eval_set=data)
    shown = Training(ranker=ranker, train=data, valid=data)
    assert mentions(str(shown), "6 queries of made")
    assert len(list(shown.records())) == 6
    assert mentions(str(shown), "6 queries", "60 documents", "5 features")
    assert f"attention:{attention}" in shown.signature()
    assert "hidden:8x4" in shown.signature()


def test_parameters_are_told_and_set_as_those_of_a_ranker():
    ranker = TorchRanker("ranknet", attention=2)
    assert repr(TorchRanker(**ranker.get_params())) == "TorchRanker(loss='ranknet', attention=2)"
    assert set(Ranker().get_params()) | {"attention", "heads", "device"} == set(ranker.get_params())
    assert ranker.set_params(heads=4).heads == 4
    with pytest.raises(ParameterError, match=r"TorchRanker .*'layers', .*loss, hidden"):
        ranker.set_params(layers=2)


WRONG = {
    "attention below": ({"attention": -1}, "attention is -1"),
    "heads of none": ({"heads": 0}, "heads is 0"),
    "nothing to look at": ({"attention": 1, "hidden": ()}, r"hidden is \(\), .*attention"),
    "heads that do not fit": ({"attention": 1, "hidden": (9, 6), "heads": 4}, "multiple of 4 heads"),
    "device": ({"device": "tpu"}, "device is 'tpu', .*'auto', 'cpu', 'cuda'"),
    "trees": ({"loss": "lambdamart"}, "lambdamart, .*TorchRanker"),
    "of a ranker": ({"dropout": 1.0}, "dropout is 1.0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_parameters_that_are_none_are_refused(case):
    parameters, message = WRONG[case]
    with pytest.raises(ParameterError, match=message):
        TorchRanker(**{**SMALL, **parameters}).fit(X, Y, QID)


def test_a_gpu_that_is_not_there_is_refused_before_anything_is_done(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ParameterError, match=r"device is 'cuda', .*'cpu', or 'auto'"):
        TorchRanker(device="cuda").fit(X, Y, QID)
    assert TorchRanker(**{**SMALL, "device": "auto"}).fit(X, Y, QID).predict(X).shape == (60,)


@pytest.mark.parametrize(("lists", "advice"), [(6, r"\b3, .*--batch-lists"), (1, "hidden layers")])
@pytest.mark.parametrize(
    "error",
    [torch.cuda.OutOfMemoryError("CUDA out of memory."), RuntimeError("[enforce fail] DefaultCPUAllocator: can't")],
    ids=["gpu", "cpu"],
)
def test_where_memory_is_used_up_the_size_of_batches_is_named(monkeypatch, error, lists, advice):
    def full(*given, **more):
        raise error

    ranker = TorchRanker(**{**SMALL, "batch_lists": lists}, attention=1).fit(X, Y, QID)
    before = ranker.models_
    with monkeypatch.context() as patch:
        patch.setattr("rankscope.learning.torch.trainer.score_lists", full)
        patch.setattr("rankscope.learning.torch.scoring.ExactNetwork.score_lists", full)
        with pytest.raises(ParameterError, match=rf"memory .*\b{lists} lists .*\b10 .*{advice}"):
            ranker.fit(X, Y, QID)
        with pytest.raises(ParameterError, match=r"memory .*\b10$"):
            ranker.predict(X, QID)
    assert ranker.models_ is before
    assert ranker.predict(X, QID).shape == (60,)


def test_other_errors_of_pytorch_are_not_taken_for_want_of_memory(monkeypatch):
    def broken(*given, **more):
        raise RuntimeError("something else")

    monkeypatch.setattr("rankscope.learning.torch.trainer.score_lists", broken)
    with pytest.raises(RuntimeError, match="something else"):
        TorchRanker(**SMALL).fit(X, Y, QID)


def test_what_diverges_is_told_with_a_smaller_rate():
    with pytest.raises(InputError, match=r"squared .*epoch \d .*learning_rate=1e\+30; .*1e\+29"):
        TorchRanker("squared", **SMALL, learning_rate=1e30).fit(X, Y, QID)


def test_what_does_not_fit_is_refused_as_by_a_ranker():
    with pytest.raises(ParameterError, match=r"this TorchRanker .*fit"):
        TorchRanker().predict(X)
    with pytest.raises(InputError, match="one grade"):
        TorchRanker(**SMALL).fit(X, np.ones(60), QID)
    ranker = TorchRanker(**SMALL).fit(X, Y, QID)
    with pytest.raises(InputError, match=r"\b4 features, .*\b5\b"):
        ranker.predict(X[:, :4])
