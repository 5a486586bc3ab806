"""Rankers of PyTorch as files: the same scores from them, and what is no such model is refused."""

import json
import sys

import numpy as np
import pytest
import safetensors.numpy

from rankscope.errors import InputError, ParameterError
from rankscope.learning import load_ranker, save_ranker

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")

from rankscope.learning.torch import TorchRanker  # noqa: E402 - it asks for PyTorch

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 5))
Y = RNG.integers(0, 3, 60)
QID = np.repeat(np.arange(6), 10)


def trained(**parameters):
    return TorchRanker(**{"epochs": 2, "hidden": (8, 4), "device": "cpu", **parameters}).fit(X, Y, QID)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "good.model"
    save_ranker(trained(attention=1), path, signature="made by a test")
    return path.read_bytes()


def parts(content):
    size = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["rankscope"]), safetensors.numpy.load(content)


def put(path, about, arrays):
    path.write_bytes(safetensors.numpy.save(arrays, metadata={"rankscope": json.dumps(about)}))
    return path


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"attention": 2, "heads": 4, "models": 2},
        {"hidden": ()},
        {"hidden": [np.int64(6)], "loss": "lambdaloss"},
        {"loss": "listnet(ranks=True)"},
        {"loss": "listnet(ranks=True)", "attention": 1},
    ],
    ids=str,
)
def test_what_was_saved_predicts_the_same_bit_for_bit(tmp_path, parameters):
    ranker = trained(**parameters)
    save_ranker(ranker, tmp_path / "m")
    again = load_ranker(tmp_path / "m").set_params(device="cpu")
    assert type(again) is TorchRanker
    assert again.predict(X, QID).tobytes() == ranker.predict(X, QID).tobytes()
    assert again.models_[0].losses == ranker.models_[0].losses
    save_ranker(trained(**parameters), tmp_path / "twin")
    assert (tmp_path / "twin").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_model_goes_where_there_is_no_gpu_wherever_it_was_trained(tmp_path, model):
    about, arrays = parts(model)
    about["parameters"]["device"] = "cuda"
    again = load_ranker(put(tmp_path / "m", about, arrays))
    assert again.device == "auto"
    assert again.predict(X, QID).shape == (60,)


def test_it_was_trained_with_what_the_file_says_whatever_is_set_later(tmp_path, model):
    ranker = trained(attention=1)
    expected = ranker.predict(X, QID)
    ranker.set_params(attention=0, hidden=(3,))
    assert ranker.predict(X, QID).tobytes() == expected.tobytes()
    save_ranker(ranker, tmp_path / "m", signature="made by a test")
    assert (tmp_path / "m").read_bytes() == model


def test_nothing_but_numbers_and_text_is_in_the_file(model):
    about, arrays = parts(model)
    assert about["kind"] == "torch"
    assert {str(one.dtype) for one in arrays.values()} == {"float32", "float64", "uint8"}
    assert sum(name.startswith("weight.0.") for name in arrays) == 4 + 12 + 2 + 2


def without(about, arrays):
    del arrays["weight.0.7"]


def turned(about, arrays):
    arrays["weight.0.0"] = np.ascontiguousarray(arrays["weight.0.0"].T)


def infinite(about, arrays):
    arrays["weight.0.1"][0] = np.inf


def set_to(**given):
    def change(about, arrays):
        about["parameters"] |= given

    return change


DAMAGES = {
    "no weight": (without, "is damaged .'weight.0.7' is missing"),
    "shape": (turned, r"weight.0.0 .*\(8, 5\), .*\(5, 8\)"),
    "infinite": (infinite, "weight.0.1 .*finite"),
    "heads": (set_to(heads=3), "damaged .*3 heads"),
    "layers beyond number": (set_to(attention=10**9), "layers of attention, and"),
    "no layers": (set_to(attention=None), "is damaged .attention is None"),
    "huge hidden": (set_to(hidden=[10**9, 4]), "is damaged"),
    "no models": (lambda about, arrays: about.update(models=[]), "there are no weights"),
    "a newer form": (
        lambda about, arrays: about.update(form=3),
        "form is 3, ",
    ),
    "no parameter": (lambda about, arrays: about["parameters"].pop("heads"), "'heads' is missing"),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_what_is_damaged_is_refused(tmp_path, model, case):
    change, message = DAMAGES[case]
    about, arrays = parts(model)
    arrays = {name: one.copy() for name, one in arrays.items()}
    change(about, arrays)
    with pytest.raises(InputError, match=message):
        load_ranker(put(tmp_path / "m", about, arrays))


def test_what_is_cut_off_is_refused_wherever_that_is(tmp_path, model):
    for end in range(0, len(model), len(model) // 12):
        (tmp_path / "m").write_bytes(model[:end])
        with pytest.raises(InputError, match="expected a model"):
            load_ranker(tmp_path / "m")


def test_without_pytorch_a_model_is_not_called_damaged(tmp_path, model, monkeypatch):
    (tmp_path / "m").write_bytes(model)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ParameterError, match=r"PyTorch .*pip install 'rankscope\[torch\]'"):
        load_ranker(tmp_path / "m")
