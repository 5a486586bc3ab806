"""The options of a ranker, which `train` and `crossvalidate` share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from rankscope.cli._sampling_options import seed_option
from rankscope.errors import ParameterError
from rankscope.experiments.crossvalidation import LINEAR_PREFIX, TORCH_PREFIX
from rankscope.learning.lambdamart import LAMBDAMART
from rankscope.learning.ranker import Ranker
from rankscope.learning.scaling import TRANSFORMS
from rankscope.learning.torch import DEVICES

__all__ = [
    "blend_options",
    "check_torch_options",
    "pop_blend",
    "ranker_of",
    "ranker_options",
    "ranker_parameters",
]


#: Sizes of layers have fewer digits than this; no array could have a larger shape.
MAX_DIGITS = 16
Command = TypeVar("Command", bound=Callable[..., Any])
#: The defaults of `Ranker`, so that they are declared in one place.
DEFAULTS = {name: parameter.default for name, parameter in inspect.signature(Ranker).parameters.items()}
RANKER_OPTIONS = (
    click.option(
        "--hidden",
        metavar="N[,N...]",
        default=",".join(map(str, DEFAULTS["hidden"])),
        show_default=True,
        help="Sizes of hidden layers; 0 for none, a linear scorer.",
    ),
    click.option(
        "--epochs",
        metavar="N",
        type=click.IntRange(min=1),
        default=DEFAULTS["epochs"],
        show_default=True,
        help="At most so many.",
    ),
    click.option(
        "--patience",
        metavar="N",
        type=click.IntRange(min=1),
        default=DEFAULTS["patience"],
        show_default=True,
        help="Stop after so many epochs that were no better on the validation data.",
    ),
    click.option(
        "--stop-on",
        metavar="MEASURE",
        default=DEFAULTS["stop_on"],
        show_default=True,
        help="The measure that says which epoch is best on the validation data.",
    ),
    click.option(
        "--learning-rate",
        metavar="R",
        type=click.FloatRange(min=0, min_open=True),
        default=DEFAULTS["learning_rate"],
        show_default=True,
        help="Size of the steps; not for linear scorers, but by lambdarank and lambdaloss.",
    ),
    click.option(
        "--batch-lists",
        metavar="N",
        type=click.IntRange(min=1),
        default=DEFAULTS["batch_lists"],
        show_default=True,
        help="Lists looked at before each step; as --learning-rate.",
    ),
    click.option(
        "--dropout",
        metavar="P",
        type=click.FloatRange(0, 1, max_open=True),
        default=DEFAULTS["dropout"],
        show_default=True,
        help="Share of hidden units left out at a time.",
    ),
    click.option(
        "--weight-decay",
        metavar="W",
        type=click.FloatRange(min=0),
        default=DEFAULTS["weight_decay"],
        show_default=True,
        help="How strongly weights are drawn to 0.",
    ),
    click.option(
        "--transform",
        type=click.Choice(TRANSFORMS),
        default=DEFAULTS["transform"],
        show_default=True,
        help="What is done to features, learned on the training data.",
    ),
    click.option(
        "--models",
        metavar="N",
        type=click.IntRange(min=1),
        default=DEFAULTS["models"],
        show_default=True,
        help="How many networks, or times all trees, from different seeds to average.",
    ),
    click.option(
        "--attention",
        type=click.IntRange(min=0),
        metavar="N",
        help="Of torch:LOSS: layers in which the documents of a list look at one another. Default: 0.",
    ),
    click.option(
        "--heads",
        type=click.IntRange(min=1),
        metavar="N",
        help="Of torch:LOSS: in how many ways they do so in each layer. Default: 2.",
    ),
    click.option(
        "--device",
        type=click.Choice(DEVICES),
        help="Of torch:LOSS: where to train; auto, the default, is a GPU where there is one.",
    ),
    seed_option("Of the weights and the order of lists; the same one gives the same model."),
)
RANKER_PARAMETERS = (
    "hidden",
    "epochs",
    "patience",
    "stop_on",
    "learning_rate",
    "batch_lists",
    "dropout",
    "weight_decay",
    "transform",
    "models",
    "rng",
)
#: Parameters that only a `TorchRanker` has.
TORCH_PARAMETERS = ("attention", "heads", "device")
BLEND_OPTIONS = (
    click.option("--blend", is_flag=True, help="Of all rankers, from all seeds, make one."),
    click.option(
        "--stacked", is_flag=True, help="--blend with weights learned on the validation lists, not equal ones."
    ),
)


def blend_options(command: Command) -> Command:
    """`--blend` and `--stacked`, which `take_blend` reads."""
    for option in reversed(BLEND_OPTIONS):
        command = option(command)
    return command


def pop_blend(options: dict[str, Any]) -> str | bool:
    """Take both options out of click's, as the argument `blend` of `cross_validate`."""
    blend: bool = options.pop("blend")
    return "stacked" if options.pop("stacked") else blend


def ranker_options(command: Command) -> Command:
    """The options of a `Ranker`, without its loss."""
    for option in reversed(RANKER_OPTIONS):
        command = option(command)
    return command


def ranker_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """Take the parameters of a `Ranker` out of click's options, with those of a `TorchRanker` that are not None."""
    values = {name: options.pop(name) for name in RANKER_PARAMETERS}
    torch_values = {name: options.pop(name) for name in TORCH_PARAMETERS}
    return {
        **values,
        "hidden": parse_layers(values["hidden"]),
        **{name: value for name, value in torch_values.items() if value is not None},
    }


def check_torch_options(losses: Sequence[str], parameters: Mapping[str, Any]) -> None:
    """Raise ParameterError for parameters of a `TorchRanker` if no loss is trained by PyTorch."""
    torch_names = [name for name in TORCH_PARAMETERS if name in parameters]
    if torch_names and not any(is_torch(loss) for loss in losses):
        first_loss = losses[0].strip()
        plain_loss = first_loss[len(LINEAR_PREFIX) :] if is_linear(first_loss) else first_loss
        suggested_loss = "listnet" if plain_loss.lower().startswith(LAMBDAMART) else plain_loss  # trees are no networks
        raise ParameterError(
            f"--{torch_names[0]} is for networks of PyTorch, and {' and '.join(losses)} "
            f"{'is' if len(losses) == 1 else 'are'} not; write --loss {TORCH_PREFIX}{suggested_loss}, or leave it out"
        )


def is_torch(loss: str) -> bool:
    return loss.strip().lower().startswith(TORCH_PREFIX)


def is_linear(loss: str) -> bool:
    return loss.strip().lower().startswith(LINEAR_PREFIX)


def ranker_of(loss: str, parameters: Mapping[str, Any]) -> Ranker:
    """A ranker for this loss: torch:listnet is one of PyTorch, linear:listnet one without hidden layers."""
    check_torch_options([loss], parameters)
    if is_linear(loss):
        return Ranker(loss.strip()[len(LINEAR_PREFIX) :], **{**parameters, "hidden": ()})
    if not is_torch(loss):
        return Ranker(loss, **parameters)
    from rankscope.learning.torch import TorchRanker

    ranker: Ranker = TorchRanker(loss.strip()[len(TORCH_PREFIX) :], **parameters)
    return ranker


def parse_layers(text: str) -> tuple[int, ...]:
    """Sizes of layers: `64,32` is (64, 32), `0` is ()."""
    sizes = [size.strip() for size in text.split(",")]
    if sizes == ["0"]:
        return ()
    if not all(size.isdecimal() and len(size) < MAX_DIGITS and int(size) > 0 for size in sizes):
        raise ParameterError(f"--hidden is {text!r}, expected sizes of layers as 64 or 64,32, or 0 for none")
    return tuple(map(int, sizes))
