"""The rankers of a cross-validation: one for each loss, with names to tell them apart."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import Any

import numpy as np

from rankscope.data.text import join_names
from rankscope.errors import ParameterError, UnknownName
from rankscope.learning.blend import Blend
from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.losses.registry import parse_loss
from rankscope.learning.ranker import DEFAULTS, NETWORK_PARAMETERS, PARAMETERS, Ranker, differ
from rankscope.learning.scaling import learn_scaling
from rankscope.learning.training import ranker_signature

__all__ = [
    "RankerModels",
    "parse_rankers",
    "validate_rankers",
]


#: Before a loss: a linear scorer for this one, whatever `hidden` says.
LINEAR_PREFIX = "linear:"
#: Before a loss: a `TorchRanker`.
TORCH_PREFIX = "torch:"


@dataclass(frozen=True, eq=False, kw_only=True)
class RankerModels:
    """names: of the rankers. parameters: of each, but for its seed. fixed: of each, whether seeds change nothing.

    makers: the class of each. without: of each, the features that it is not given; () where all have all.
    """

    names: tuple[str, ...]
    parameters: tuple[Mapping[str, Any], ...]
    fixed: tuple[bool, ...]
    makers: tuple[type[Ranker], ...]
    without: tuple[tuple[str, ...], ...] = ()

    def ranker(self, model: int, seed: int | None = None) -> Ranker:
        """A new one that has learned nothing yet."""
        return self.makers[model](**self.parameters[model], rng=seed)

    def check_sending(self) -> None:
        """Raise ParameterError where a ranker cannot go to another process, as a function without a name cannot."""
        for name, parameters in zip(self.names, self.parameters, strict=True):
            for key, value in parameters.items():
                try:
                    pickle.dumps(value)
                except Exception:  # each type has errors of its own
                    raise ParameterError(
                        f"{name}: its {key}, {' '.join(repr(value).split())}, cannot be sent to worker processes; "
                        "define it by def in a module, or give workers=1"
                    ) from None

    def settings(self) -> dict[str, str]:
        """All that changes numbers, for the signature: what the rankers share once, else one by one."""
        each = []
        for model in range(len(self.names)):
            _, *parts = ranker_signature(self.ranker(model)).split(" | ")
            each.append({key: value for key, value in (part.split(":", 1) for part in parts) if key != "rng"})
        every = {key: {one[key] for one in each if key in one} for one in each for key in one}
        shared = {key: min(values) for key, values in every.items() if len(values) == 1}
        named = []
        for name, one in zip(self.names, each, strict=True):
            own = ",".join(f"{key}:{value}" for key, value in one.items() if key not in shared)
            named.append(f"{name}[{own}]" if own else name)
        return {"rankers": " ".join(named), **shared}


def parse_rankers(losses: str | Iterable[str] | Mapping[str, Ranker], parameters: Mapping[str, Any]) -> RankerModels:
    """A ranker for each loss, named by it, with the same parameters; or rankers as they are given by name.

    "linear:listnet" is a linear scorer with that loss, "torch:listnet" a `TorchRanker`. Raises UnknownName and
    ParameterError for what there is not, for a name that comes twice, and for no loss at all.
    """
    found: dict[str, tuple[type[Ranker], dict[str, Any]]] = {}
    if isinstance(losses, Mapping):
        if parameters:
            raise ParameterError(
                f"{next(iter(parameters))} was given beside rankers, which have their own; leave it out"
            )
        for name, ranker in losses.items():
            if not isinstance(ranker, Ranker):
                blend = "; blend= makes one of all rankers" if isinstance(ranker, Blend) else ""
                raise ParameterError(f"{name!r} is a {type(ranker).__name__}, expected a Ranker{blend}")
            found[str(name)] = type(ranker), {k: value for k, value in ranker.get_params().items() if k != "rng"}
    else:
        for text in [losses] if isinstance(losses, str) else losses:
            name, maker, more, known = parse_ranker(text)
            if name in found:
                raise ParameterError(f"the loss {name} was asked for twice, expected each once")
            # What is a Ranker's default may be one that nobody asked for, and others have defaults of their own.
            own = {
                k: x for k, x in parameters.items() if k in known and (maker is Ranker or differ(x, DEFAULTS.get(k)))
            }
            found[name] = maker, {**own, **more}
        check_parameters(parameters, found)
    if not found:
        raise ParameterError("no losses given, expected at least one, such as listnet")
    return validate_rankers(found)


def validate_rankers(found: Mapping[str, tuple[type[Ranker], Mapping[str, Any]]]) -> RankerModels:
    """Rankers by name: class, and parameters but for the seed. Raises ParameterError and UnknownName for wrong ones."""
    makers, given = zip(*found.values(), strict=True)
    return RankerModels(
        names=tuple(found), parameters=given, fixed=tuple(starmap(is_seed_independent, found.values())), makers=makers
    )


def parse_ranker(text: str) -> tuple[str, type[Ranker], dict[str, Any], tuple[str, ...]]:
    """The name of a model, its class, what is said of it beside what all share, and which of that it has.

    Trees say what they are like in their parentheses, and have few of the parameters of networks.
    """
    kind = next(
        (
            one
            for one in (LINEAR_PREFIX, TORCH_PREFIX)
            if isinstance(text, str) and text.strip().lower().startswith(one)
        ),
        "",
    )
    rest = text.strip()[len(kind) :] if kind else text
    loss = parse_loss(rest, ranker=True) if kind else parse_objective(rest)
    name = kind + str(loss)
    if kind == TORCH_PREFIX:
        from rankscope.learning.torch import TorchRanker

        return name, TorchRanker, {"loss": str(loss)}, tuple(TorchRanker().get_params())
    if kind == LINEAR_PREFIX:
        return name, Ranker, {"loss": str(loss), "hidden": ()}, tuple(one for one in PARAMETERS if one != "hidden")
    if isinstance(loss, LambdaMART):
        return name, Ranker, {"loss": str(loss)}, tuple(one for one in PARAMETERS if one not in NETWORK_PARAMETERS)
    return name, Ranker, {"loss": str(loss)}, PARAMETERS


def check_parameters(given: Mapping[str, Any], found: Mapping[str, tuple[type[Ranker], Mapping[str, Any]]]) -> None:
    """Raise UnknownName for a parameter that there is not; ParameterError for one that was set and that none has."""
    if not found:
        return
    every = dict.fromkeys(name for maker, _ in found.values() for name in maker().get_params())
    for key, value in given.items():
        if key not in every or key in ("loss", "rng"):
            raise UnknownName("parameter of a ranker", key, [name for name in every if name not in ("loss", "rng")])
        taken = any(key in own for _, own in found.values())
        if not taken and differ(value, DEFAULTS.get(key)):
            raise ParameterError(f"{key} is {value!r}, and {join_names(found)} has no such parameter; leave it out")


def is_seed_independent(maker: type[Ranker], parameters: Mapping[str, Any]) -> bool:
    """Whether all seeds give the same ranker, as of a linear one whose loss draws nothing. Raises for wrong values."""
    ranker = maker(**parameters)
    loss, _ = ranker.check()
    learn_scaling(np.zeros((1, 1)), ranker.transform)
    if isinstance(loss, LambdaMART):
        drawn = loss.loss()
        return loss.features == loss.documents == 1 and (drawn is None or not drawn.random)
    return maker is Ranker and not ranker.hidden and loss.exact and not loss.random
