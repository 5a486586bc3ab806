"""Models as files: what comes back is what was saved, and what is no model is refused."""

from __future__ import annotations

import builtins
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from helpers.model_files import changed_array, changed_header, changed_parameter, parts, put

from rankscope import define_measure, parse_measure
from rankscope.errors import InputError, OutputError, ParameterError
from rankscope.io.core import write_chunks
from rankscope.learning import Ranker, load_ranker, model_file, save_ranker
from rankscope.learning.model_file import check_saving
from rankscope.measures import MEASURES

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 5)).astype(np.float32) * [1, 10, 0.1, 5, 1]
Y = RNG.integers(0, 3, 60)
QID = np.repeat(np.arange(6), 10)
HELD = RNG.normal(size=(200, 5))


def trained(**parameters: Any) -> Ranker:
    return Ranker(**{"epochs": 2, "hidden": (4,), **parameters}).fit(X, Y, QID)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "good.model"
    save_ranker(trained(), path, signature="made by a test")
    return path.read_bytes()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"hidden": ()},
        {"hidden": (8, 3), "models": 3},
        {"hidden": (), "loss": "lambdaloss(kind='2++')"},
        {"transform": "log", "stop_on": parse_measure("AP(rel=2)@5"), "weight_decay": np.float64(0.01)},
        {"transform": "none", "rng": None, "hidden": [np.int64(6)]},
    ],
    ids=str,
)
def test_what_was_saved_predicts_the_same_bit_for_bit(tmp_path: Path, parameters: dict[str, Any]) -> None:
    ranker = trained(**parameters)
    save_ranker(ranker, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    assert again.predict(HELD).tobytes() == ranker.predict(HELD).tobytes()
    for one, other in zip(again.models_, ranker.models_, strict=True):
        assert (one.losses, one.values, one.best_epoch) == (other.losses, other.values, other.best_epoch)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one.weights, other.weights, strict=True))
    assert again.feature_names_ == ranker.feature_names_ == ("1", "2", "3", "4", "5")
    assert again.n_features_in_ == 5
    shown = {name: tuple(value) if name == "hidden" else value for name, value in ranker.get_params().items()}
    assert again.get_params() == {**shown, "stop_on": str(shown["stop_on"])}
    again.fit(X, Y, QID)  # and it can be trained again


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        save_ranker(trained(rng=seed), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() != (tmp_path / "c").read_bytes()


def test_parameters_that_were_set_after_training_are_not_saved(tmp_path: Path) -> None:
    ranker = trained(models=2)
    before = ranker.predict(HELD)
    ranker.set_params(hidden=(8,), models=1, loss="ranknet")
    save_ranker(ranker, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    assert again.predict(HELD).tobytes() == before.tobytes()
    assert (again.hidden, again.models, again.loss) == ((4,), 2, "listnet")
    again.set_params(hidden=(2, 2))
    save_ranker(again, tmp_path / "n")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_feature_that_never_varied_has_no_influence_after_loading_either(tmp_path: Path) -> None:
    same = np.column_stack([X, np.full(60, 3.0)])
    save_ranker(Ranker(hidden=(4,), epochs=2).fit(same, Y, QID), tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    later = [np.column_stack([HELD, RNG.normal(size=200) * size]) for size in (0.0, 1e6)]
    assert again.predict(later[0]).tobytes() == again.predict(later[1]).tobytes()


def test_names_of_columns_come_back(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=list("abcde"))
    ranker = Ranker(hidden=(4,), epochs=2).fit(frame, Y, QID)
    save_ranker(ranker, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    assert again.feature_names_in_.tolist() == list("abcde")
    assert again.predict(frame[list("edcba")]).tobytes() == ranker.predict(frame).tobytes()


def test_the_course_of_validation_is_kept(tmp_path: Path) -> None:
    ranker = Ranker(hidden=(4,), epochs=3).fit(X, Y, QID, eval_set=(X, Y, QID))
    save_ranker(ranker, tmp_path / "m")
    (one,) = load_ranker(tmp_path / "m").models_
    assert one.values == ranker.models_[0].values
    assert len(one.values) == 3


def test_any_program_that_reads_safetensors_finds_arrays_and_settings(model: bytes) -> None:
    about, arrays = parts(model)
    assert about["signature"] == "made by a test"
    assert about["features"] == list("12345")
    assert about["parameters"]["loss"] == "listnet"
    assert {name: found.shape for name, found in arrays.items()} == {
        "mean": (5,),
        "deviation": (5,),
        "low": (5,),
        "high": (5,),
        "logged": (5,),
        "weight.0.0": (5, 4),
        "weight.0.1": (4,),
        "weight.0.2": (4, 1),
        "weight.0.3": (1,),
    }


def test_a_measure_of_ones_own_is_not_needed_to_predict(tmp_path: Path, own_measures: None) -> None:
    own = define_measure(name="Own", range=(0, 1))(lambda hits: np.zeros(hits.retrieved.size))
    ranker = trained(stop_on=own())
    save_ranker(ranker, tmp_path / "m")
    del MEASURES["Own"]
    assert load_ranker(tmp_path / "m").predict(HELD).tobytes() == ranker.predict(HELD).tobytes()


def test_a_generator_has_no_name_and_is_left_out(tmp_path: Path) -> None:
    save_ranker(trained(rng=np.random.default_rng(3)), tmp_path / "m")
    assert load_ranker(tmp_path / "m").rng is None


class Bomb:
    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('run')",)


def test_loading_runs_nothing(tmp_path: Path, model: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a pickle nor whatever text stands in the place of a parameter."""
    path = tmp_path / "m"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(InputError, match="is no model"):
        load_ranker(path)
    about, arrays = parts(model)
    about["parameters"]["loss"] = "__import__('os').abort()"
    about["parameters"]["stop_on"] = "AP(rel=__import__('os').abort())"
    with pytest.raises(InputError, match="is damaged"):
        load_ranker(put(path, about, arrays)).fit(X, Y, QID)  # a text and no more
    path.write_bytes(model)
    with monkeypatch.context() as inside:
        for name in ("eval", "exec"):
            inside.setattr(builtins, name, None)
        load_ranker(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed_header("form", 1), "form is 1, .*2"),
        (changed_header("features", []), "features have no names"),
        (changed_header("features", ["1", "1", "3", "4", "5"]), "features have no names"),
        (changed_header("features", [1, 2, 3, 4, 5]), "features have no names"),
        (changed_header("features", ["1", "2"]), r"mean .*\(5,\), .*\(2,\)"),
        (changed_header("models", []), "there are no weights"),
        (changed_header("models", [{"losses": [], "values": []}]), "'best_epoch' is missing"),
        (changed_header("parameters", None), "is damaged"),
        (changed_header("parameters", {}), "'hidden' is missing"),
        (changed_parameter("hidden", [3]), r"weight.0.0 .*\(5, 4\), .*\(5, 3\)"),
        (changed_parameter("hidden", [-1]), "hidden is"),
        (changed_parameter("epochs", "many"), "epochs is 'many'"),
        (changed_array("weight.0.2", None), "'weight.0.2' is missing"),
        (changed_array("weight.0.1", np.zeros(7, np.float32)), r"weight.0.1 is float32 of shape \(7,\)"),
        (changed_array("weight.0.1", np.zeros(4, np.float64)), "weight.0.1 is float64"),
        (changed_array("weight.0.1", np.full(4, np.nan, np.float32)), "weight.0.1 .*finite"),
        (changed_array("mean", np.full(5, np.inf)), "mean .*finite"),
        (changed_array("deviation", np.full(5, -1.0)), "deviation is below 0"),
        (changed_array("low", None), "'low' is missing"),
        (changed_header("bound", 0.0), "bound is 0.0, expected a number above 0"),
        (changed_header("bound", "5"), "bound is '5'"),
        (lambda about, arrays: about.pop("bound"), "'bound' is missing"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, model: bytes, change: Any, said: str) -> None:
    about, arrays = parts(model)
    change(about, arrays)
    with pytest.raises(InputError, match=said) as caught:
        load_ranker(put(tmp_path / "odd.model", about, arrays))
    assert str(caught.value).startswith(f"{tmp_path / 'odd.model'}: is damaged")
    assert "train it again" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_cut_anywhere_or_has_more_is_refused(tmp_path: Path, model: bytes) -> None:
    path = tmp_path / "cut.model"
    for length in (*range(30), *range(30, len(model), 197), len(model) - 1):
        path.write_bytes(model[:length])
        with pytest.raises(InputError, match=r"cut\.model: is (empty|no model|damaged)"):
            load_ranker(path)
    path.write_bytes(model + b"x")
    with pytest.raises(InputError, match="is damaged"):
        load_ranker(path)


def test_no_byte_that_is_wrong_gives_anything_but_a_model_or_an_error_of_ours(tmp_path: Path, model: bytes) -> None:
    path = tmp_path / "m"
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(model), 60).tolist():
        changed = bytearray(model)
        changed[place] ^= int(rng.integers(1, 256))
        path.write_bytes(changed)
        with suppress(InputError):
            load_ranker(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"2 qid:1 1:0.5\n", "is no model"),
        (b"\x93NUMPY\x01\x00 and so on", "is no model"),
        (b"\x05\x00\x00\x00\x00\x00\x00\x00{oops", "is damaged"),
        (safetensors.numpy.save({"a": np.zeros(2)}), "of another program"),
        (safetensors.numpy.save({"a": np.zeros(2)}, metadata={"k": "v"}), "of another program"),
    ],
)
def test_files_of_other_programs_are_no_models(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "foreign").write_bytes(content)
    with pytest.raises(InputError, match=said):
        load_ranker(tmp_path / "foreign")


def test_a_file_that_is_not_there_or_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: cannot be read"):
        load_ranker(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be read"):
        load_ranker(tmp_path)


def test_without_the_extra_it_is_said_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "safetensors"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "safetensors":
            raise ModuleNotFoundError("No module named 'safetensors'", name="safetensors")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    said = r"safetensors .*pip install 'rankscope\[learn\]'"
    for call in (check_saving, lambda: load_ranker(tmp_path / "m"), lambda: save_ranker(trained(), tmp_path / "m")):
        with pytest.raises(ParameterError, match=said):
            call()
    assert not list(tmp_path.iterdir())


def test_one_that_has_not_learned_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="call fit first"):
        save_ranker(Ranker(), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_it_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m").write_text("precious")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OutputError, match="No space left"):
        save_ranker(trained(), tmp_path / "m")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    assert (tmp_path / "m").read_text() == "precious"
    monkeypatch.undo()
    with pytest.raises(OutputError, match="does not exist"):
        save_ranker(trained(), tmp_path / "none" / "m")
    assert model_file.write_chunks is write_chunks  # which does not leave halves behind either


def squares(scores: Any, relevance: Any, offsets: Any) -> tuple[float, Any]:
    """A loss of one's own."""
    apart = scores - relevance
    lists = offsets.size - 1
    return float(apart @ apart) / lists, 2 * apart / np.float32(lists)


@pytest.mark.parametrize("hidden", [(), (3,)])
def test_a_loss_of_ones_own_trains_is_saved_by_its_name_and_predicts(tmp_path: Path, hidden: tuple[int, ...]) -> None:
    ranker = trained(loss=squares, hidden=hidden, epochs=20)
    assert ranker.models_[0].losses[-1] < ranker.models_[0].losses[0]
    save_ranker(ranker, tmp_path / "m")
    again = load_ranker(tmp_path / "m")
    assert again.loss == "squares"
    assert again.predict(HELD).tobytes() == ranker.predict(HELD).tobytes()
    with pytest.raises(ParameterError, match="unknown loss 'squares'"):
        again.fit(X, Y, QID)


@pytest.mark.parametrize("wrong", [lambda s, r, o: 0.0, lambda s, r, o: (s, s), lambda s, r, o: (0.0, s[:1])])
def test_a_function_that_is_no_loss_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="value and its gradient"):
        trained(loss=wrong)
