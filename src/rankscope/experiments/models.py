"""The rankers of a cross-validation: one for each loss, with names to tell them apart."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.errors import ParameterError, UnknownName
from rankscope.learning.learned import ranker_signature
from rankscope.learning.losses.named import parse_loss
from rankscope.learning.ranker import PARAMETERS, Ranker
from rankscope.learning.scaling import learn_scaling

__all__ = ["Models", "rankers_of"]

#: Before a loss: a linear scorer for this one, whatever `hidden` says.
LINEAR = "linear:"


@dataclass(frozen=True, eq=False, kw_only=True)
class Models:
    """names: of the rankers. parameters: of each, but for its seed. fixed: of each, whether seeds change nothing."""

    names: tuple[str, ...]
    parameters: tuple[Mapping[str, Any], ...]
    fixed: tuple[bool, ...]

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
        for parameters in self.parameters:
            _, *parts = ranker_signature(Ranker(**parameters, rng=None)).split(" | ")
            each.append({key: value for key, value in (part.split(":", 1) for part in parts) if key != "rng"})
        every = {key: {one[key] for one in each if key in one} for one in each for key in one}
        shared = {key: min(values) for key, values in every.items() if len(values) == 1}
        named = []
        for name, one in zip(self.names, each, strict=True):
            own = ",".join(f"{key}:{value}" for key, value in one.items() if key not in shared)
            named.append(f"{name}[{own}]" if own else name)
        return {"rankers": " ".join(named), **shared}


def rankers_of(losses: str | Iterable[str] | Mapping[str, Ranker], parameters: Mapping[str, Any]) -> Models:
    """A ranker for each loss, named by it, with the same parameters; or rankers as they are given by name.

    "linear:listnet" is a linear scorer with that loss. Raises UnknownName and ParameterError for what there is not, for
    a name that comes twice, and for no loss at all.
    """
    found: dict[str, dict[str, Any]] = {}
    if isinstance(losses, Mapping):
        if parameters:
            raise ParameterError(
                f"{next(iter(parameters))} was given beside rankers, which have their own; leave it out"
            )
        for name, ranker in losses.items():
            if not isinstance(ranker, Ranker):
                raise ParameterError(f"{name!r} is a {type(ranker).__name__}, expected a Ranker")
            found[str(name)] = {key: value for key, value in ranker.get_params().items() if key != "rng"}
    else:
        for key in parameters:
            if key not in PARAMETERS or key in ("loss", "rng"):
                raise UnknownName("parameter of a ranker", key, [name for name in PARAMETERS[1:] if name != "rng"])
        for text in [losses] if isinstance(losses, str) else losses:
            name, more = named(text)
            if name in found:
                raise ParameterError(f"the loss {name} was asked for twice, expected each once")
            found[name] = {**parameters, **more}
    if not found:
        raise ParameterError("no losses given, expected at least one, such as listnet")
    return Models(names=tuple(found), parameters=tuple(found.values()), fixed=tuple(map(checked, found.values())))


def named(text: str) -> tuple[str, dict[str, Any]]:
    """The name of a model, and what is said of it beside what all share."""
    linear = isinstance(text, str) and text.strip().lower().startswith(LINEAR)
    loss = str(parse_loss(text.strip()[len(LINEAR) :] if linear else text))
    return (LINEAR + loss, {"loss": loss, "hidden": ()}) if linear else (loss, {"loss": loss})


def checked(parameters: Mapping[str, Any]) -> bool:
    """Whether all seeds give the same ranker, as of a linear one whose loss draws nothing. Raises for wrong values."""
    ranker = Ranker(**parameters)
    loss, _ = ranker.check()
    learn_scaling(np.zeros((1, 1)), ranker.transform)
    return not ranker.hidden and loss.exact and not loss.random
