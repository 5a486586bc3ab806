"""The settings of rankers: every parameter of training, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankscope.evaluation.judged_lists import check_measure
from rankscope.learning.losses import as_measure
from rankscope.learning.scaling import TRANSFORMS
from rankscope.measures.base import Measure
from rankscope.settings import (
    NONNEGATIVE,
    POSITIVE,
    Number,
    Rule,
    Settings,
    choice,
    count,
    declare,
    layer_sizes,
    number,
    seed_field,
)

__all__ = [
    "DEVICES",
    "NETWORK_PARAMETERS",
    "LossName",
    "RankerSettings",
    "TorchSettings",
    "as_sizes",
]


class LossName(Rule):
    """The name of a loss, with or without its parameters, or a function."""

    expected = "the name of a loss, as 'listnet', or a function"

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) or callable(value)


class MeasureName(Rule):
    """A measure or its name."""

    expected = "a measure or its name, as 'nDCG@10'"

    def accepts(self, value: object) -> bool:
        return isinstance(value, (str, Measure))


def as_sizes(sizes: Any) -> Any:
    """A list of sizes as a tuple; anything else as it is."""
    return tuple(sizes) if isinstance(sizes, list) else sizes


@dataclass(frozen=True, kw_only=True)
class RankerSettings(Settings):
    """How a ranker is trained; see `Ranker`."""

    FUNCTIONS = (
        "rankscope.learning:Ranker",
        "rankscope.learning.torch:TorchRanker",
    )
    COMMANDS = ("train", "crossvalidate")

    hidden: tuple[int, ...] = layer_sizes(
        (64,),
        help="Sizes of the hidden layers of a network; 0 means a linear scorer.",
        python_help="Sizes of the hidden layers of a network; () means a linear scorer. Default: (64,).",
    )
    epochs: int = count(100, help="Maximum number of passes over the training lists.")
    patience: int = count(15, help="Stop after this number of epochs without improvement on the validation lists.")
    stop_on: str | Measure = declare(
        MeasureName(),
        "nDCG(gain='exp')@10",
        "Measure that chooses the best epoch on the validation lists.",
        metavar="MEASURE",
    )
    learning_rate: float = number(
        0.002,
        rule=POSITIVE,
        metavar="R",
        help="Learning rate of Adam; linear scorers use it only with lambdarank and lambdaloss.",
    )
    batch_lists: int = count(
        8, help="Number of lists in each step of Adam; linear scorers use it only with lambdarank and lambdaloss."
    )
    dropout: float = number(
        0.3,
        rule=Number(0, 1, high_open=True),
        metavar="P",
        help="Dropout: the share of hidden units that are dropped at random in each step.",
    )
    weight_decay: float = number(
        0.0, rule=NONNEGATIVE, metavar="W", help="Strength of weight decay; for linear scorers, of L2 regularisation."
    )
    transform: str = choice("auto", TRANSFORMS, help="Transformation of the features, learned on the training lists.")
    models: int = count(
        1,
        help="Number of networks or tree ensembles that make up one ranker, trained from different seeds; "
        "their scores are averaged.",
    )
    seed: int = seed_field()

    def check(self) -> None:
        check_measure(self.measure, "stop_on: ")

    @cached_property
    def measure(self) -> Measure:
        """The measure `stop_on`. Raises ParameterError and UnknownName."""
        return as_measure("stop_on", self.stop_on)


#: The parameters that trees do not have; theirs are in the parentheses of the loss.
NETWORK_PARAMETERS = tuple(name for name in RankerSettings.declared() if name not in ("stop_on", "models", "seed"))


#: "auto" is a GPU where there is one.
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True, kw_only=True)
class TorchSettings(Settings):
    """What a `TorchRanker` has beside the settings of a `Ranker`."""

    FUNCTIONS = ("rankscope.learning.torch:TorchRanker",)
    COMMANDS = ("train", "crossvalidate")

    attention: int = count(
        0, minimum=0, help="Number of attention layers over the documents of a list (networks of PyTorch only)."
    )
    heads: int = count(2, help="Number of attention heads in each layer (networks of PyTorch only).")
    device: str = choice(
        "auto", DEVICES, help="Device for training; auto uses a GPU if there is one (networks of PyTorch only)."
    )
