"""The options of blends and of rankers of PyTorch, which `train` and `crossvalidate` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from rankscope.errors import ParameterError
from rankscope.experiments.crossvalidation import LINEAR_PREFIX, TORCH_PREFIX
from rankscope.learning.blend import BlendSettings
from rankscope.learning.lambdamart import LAMBDAMART
from rankscope.learning.ranker import Ranker
from rankscope.learning.settings import RankerSettings, TorchSettings

__all__ = [
    "BLEND_OPTION",
    "STACKED_OPTION",
    "cache_option",
    "check_torch_options",
    "pop_blend",
    "ranker_of",
]


Command = TypeVar("Command", bound=Callable[..., Any])
BLEND_OPTION = click.option("--blend", is_flag=True, help="Blend all rankers from all seeds into one.")
STACKED_OPTION = click.option(
    "--stacked", is_flag=True, help="Blend with weights learned on the validation lists instead of equal weights."
)


def cache_option(command: Command) -> Command:
    """`--cache`."""
    help = "Keep a binary copy of each file of features beside it, and read the copy next time."
    return click.option("--cache", is_flag=True, help=help)(command)


def pop_blend(options: dict[str, Any]) -> str | None:
    """Take both options out of click's: how to blend, None for no blend."""
    how = "stacked" if options.pop("stacked") else BlendSettings.how
    return how if options.pop("blend") or how == "stacked" else None


def check_torch_options(losses: Sequence[str]) -> None:
    """Raise ParameterError for options of a `TorchRanker` if no loss is trained by PyTorch."""
    context = click.get_current_context()
    given_names = [
        name for name in TorchSettings.declared() if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    ]
    if given_names and not any(is_torch(loss) for loss in losses):
        first_loss = losses[0].strip()
        plain_loss = first_loss[len(LINEAR_PREFIX) :] if is_linear(first_loss) else first_loss
        suggested_loss = "listnet" if plain_loss.lower().startswith(LAMBDAMART) else plain_loss  # trees are no networks
        raise ParameterError(
            f"--{given_names[0]} is for networks of PyTorch, but {' and '.join(losses)} "
            f"{'is' if len(losses) == 1 else 'are'} not; use --loss {TORCH_PREFIX}{suggested_loss}, or leave it out"
        )


def is_torch(loss: str) -> bool:
    return loss.strip().lower().startswith(TORCH_PREFIX)


def is_linear(loss: str) -> bool:
    return loss.strip().lower().startswith(LINEAR_PREFIX)


def ranker_of(loss: str, settings: RankerSettings, torch_settings: TorchSettings) -> Ranker:
    """A ranker for this loss: torch:listnet is one of PyTorch, linear:listnet one without hidden layers."""
    check_torch_options([loss])
    parameters = settings.arguments()
    if is_linear(loss):
        return Ranker(loss.strip()[len(LINEAR_PREFIX) :], **{**parameters, "hidden": ()})
    if not is_torch(loss):
        return Ranker(loss, **parameters)
    from rankscope.learning.torch import TorchRanker

    ranker: Ranker = TorchRanker(loss.strip()[len(TORCH_PREFIX) :], **parameters, **torch_settings.arguments())
    return ranker
