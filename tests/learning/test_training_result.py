"""What training came to: the table, the figures, the notes, the line that says what made it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Features
from rankscope._version import __version__
from rankscope.learning import Ranker, Training
from rankscope.learning.training import epoch_curves, ranker_signature

RNG = np.random.default_rng(8)


def data(name: str, queries: int = 6) -> Features:
    values = RNG.normal(size=(queries * 8, 3))
    grades = (values[:, 0] > 0.3).astype(int) + (values[:, 0] > 1)
    return Features.of(values, grades, np.repeat(np.arange(queries), 8), name=name)


TRAIN, VALID = data("train"), data("valid", 4)


def training(valid: Features | None = VALID, **parameters: Any) -> Training:
    ranker = Ranker(**{"hidden": (4,), "epochs": 3, **parameters}).fit(TRAIN, eval_set=valid)
    return Training(ranker=ranker, train=TRAIN, valid=valid)


def test_records_are_losses_and_values_by_model_and_epoch() -> None:
    result = training(models=2)
    assert result.columns == ("model", "epoch", "part", "measure", "value")
    records = list(result.records())
    assert len(records) == 2 * 2 * 3
    one, two = result.ranker.models_
    assert records[:3] == [(1, epoch, "train", "loss", one.losses[epoch - 1]) for epoch in (1, 2, 3)]
    assert records[-1] == (2, 3, "valid", "nDCG(gain='exp')@10", two.values[2])


def test_without_validation_there_are_losses_only_and_the_last_epoch_is_kept() -> None:
    result = training(None)
    assert {(part, measure) for _, _, part, measure, _ in result.records()} == {("train", "loss")}
    (first, *others) = result.sections()
    assert mentions(first.sentence, "6 queries", "48 documents", "3 features")
    assert first.table is not None
    assert first.table.columns == ("model", "epochs", "kept", "loss")
    assert first.table.rows == (("1", "3", "3", f"{result.ranker.models_[0].losses[-1]:.4f}"),)
    assert [section.title.split()[0] for section in others] == ["Loss"]
    assert len(result.notes) == 1
    assert mentions(result.notes, "no validation", "last epoch")


def test_with_validation_the_sentence_says_how_good_the_epoch_that_was_kept_is() -> None:
    result = training(epochs=9, patience=2, models=3, stop_on="AP")
    best = [max(model.values) for model in result.ranker.models_]
    (first, *others) = result.sections()
    assert first.sentence is not None
    assert mentions(first.sentence, "4 queries of valid", "mean AP", f"{np.mean(best):.4f}")
    assert first.table is not None
    assert [row[-1] for row in first.table.rows] == [f"{value:.4f}" for value in best]
    assert [row[2] for row in first.table.rows] == [
        str(int(np.argmax(model.values)) + 1) for model in result.ranker.models_
    ]
    assert [section.title.split()[0] for section in others] == ["Validation", "Loss"]


def test_a_figure_has_a_line_a_model_and_ends_where_it_ended() -> None:
    (section,) = epoch_curves(["a", "b"], [(3.0, 2.0, 1.0), (5.0,)], "loss", "Title")
    assert section.figure is not None
    assert section.figure.data["x"] == [1, 2, 3]
    np.testing.assert_array_equal(section.figure.data["values"], [[3, 2, 1], [5, np.nan, np.nan]])
    assert epoch_curves(["a"], [(3.0,)], "loss", "Title") == []  # a point is no curve
    assert epoch_curves([], [], "loss", "Title") == []


def test_it_is_said_where_the_last_epoch_was_the_best_but_not_where_a_search_ended_by_itself() -> None:
    result = training(epochs=2, learning_rate=0.01)
    (model,) = result.ranker.models_
    assert mentions(result.notes, "last of 2 epochs", "may be better") == (model.best_epoch == 1)
    linear = training(hidden=(), epochs=500, patience=500, loss="squared")
    assert not any("may be better" in note for note in linear.notes)


def test_features_that_never_vary_are_named() -> None:
    values = np.column_stack([TRAIN.values, np.zeros(48), np.full(48, 7.0)])
    odd = Features.of(values, TRAIN.relevance, sizes=np.diff(TRAIN.offsets), name="odd", names=tuple("abcde"))
    result = Training(ranker=Ranker(hidden=(), epochs=2).fit(odd), train=odd, valid=None)
    assert mentions(result.notes[0], "odd: ", 2, 5, "'d' and 'e'")


def test_a_loss_that_grows_without_end_names_the_learning_rate() -> None:
    result = training(None, learning_rate=1e4, dropout=0.0)
    (told,) = (note for note in result.notes if "learning rate" in note)
    assert mentions(told, 10000, 1000)
    assert not any("learning rate" in note for note in training(None).notes)
    assert not any("learning rate" in note for note in training(None, hidden=()).notes)


def test_the_signature_holds_what_changed_the_numbers_and_nothing_else() -> None:
    network = "listnet | hidden:4 | epochs:3 | patience:15 | stop_on:nDCG(gain='exp')@10 | learning_rate:0.002 | "
    network += "batch_lists:8 | dropout:0.3 | weight_decay:0.0 | transform:auto | models:1 | rng:0"
    assert ranker_signature(training().ranker) == network
    assert training().signature().split(" | ") == [
        *network.split(" | "),
        "train:train",
        "valid:valid",
        "features:3",
        f"rankscope {__version__}",
    ]
    linear = "listnet | hidden:none | epochs:3 | weight_decay:0.0 | transform:auto | models:1 | rng:0"
    assert training(None, hidden=()).signature().split(" | ") == [
        *linear.split(" | "),
        "train:train",
        "features:3",
        f"rankscope {__version__}",
    ]
    assert "learning_rate:0.002" in ranker_signature(Ranker("lambdaloss", hidden=()))  # which goes by steps
    assert "hidden:8x3" in ranker_signature(Ranker(hidden=(8, 3)))


def test_it_is_shown_like_every_result() -> None:
    result = training(models=2)
    assert result.frame().height == 12
    assert mentions(str(result), "6 queries", "48 documents", "3 features")
    assert mentions(repr(result), "Training('listnet', ", "2 models", "6 queries")


@pytest.mark.parametrize(("loss", "shown"), [(0.12345, "0.1235"), (1234.5, "1234.5000"), (3.67e13, "3.670e+13")])
def test_losses_in_a_table_are_short_however_large(loss: float, shown: str) -> None:
    from rankscope.learning.training import format_loss

    assert format_loss(loss) == shown


def test_a_measure_that_is_no_mean_is_not_called_one() -> None:
    assert " the GMAP of " in str(training(stop_on="GMAP")).replace("\n", " ")
    assert " the mean AP of " in str(training(stop_on="AP")).replace("\n", " ")
