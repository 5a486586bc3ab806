"""The rankers of a cross-validation: one for each loss, by name."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from rankscope.data.text import join_names
from rankscope.errors import ParameterError
from rankscope.learning.blend import Blend
from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.losses import parse_loss
from rankscope.learning.ranker import Ranker
from rankscope.learning.settings import NETWORK_PARAMETERS, RankerSettings, TorchSettings
from rankscope.learning.training import ranker_signature
from rankscope.settings import Settings

__all__ = [
    "RankerModels",
    "parse_rankers",
    "ranker_models",
]


#: Prefix of a loss for a linear scorer, whatever the value of `hidden`.
LINEAR_PREFIX = "linear:"
#: Prefix of a loss for a `TorchRanker`.
TORCH_PREFIX = "torch:"
#: The parameters of a `Ranker` beside its loss and its seed.
RANKER_PARAMETERS = tuple(name for name in RankerSettings.declared() if name != "seed")


@dataclass(frozen=True, eq=False, kw_only=True)
class RankerModels:
    """The rankers of a cross-validation, untrained.

    Attributes
    ----------
    names
        The names of the rankers.
    parameters
        The parameters of each, without the seed.
    seed_independent
        Whether all seeds give the same ranker, for each.
    classes
        The class of each.
    excluded_features
        The features that each ranker does not see; () if every ranker has all features.
    """

    names: tuple[str, ...]
    parameters: tuple[Mapping[str, Any], ...]
    seed_independent: tuple[bool, ...]
    classes: tuple[type[Ranker], ...]
    excluded_features: tuple[tuple[str, ...], ...] = ()

    def ranker(self, model: int, seed: int | None = None) -> Ranker:
        """A new untrained ranker."""
        return self.classes[model](**self.parameters[model], rng=seed)

    def check_sending(self) -> None:
        """Raise ParameterError where a parameter cannot be pickled for a worker process."""
        for name, parameters in zip(self.names, self.parameters, strict=True):
            for key, value in parameters.items():
                try:
                    pickle.dumps(value)
                except Exception:  # pickling raises errors of many types
                    raise ParameterError(
                        f"{name}: its {key}, {' '.join(repr(value).split())}, cannot be sent to worker processes; "
                        "define it by def in a module, or give workers=1"
                    ) from None

    def settings(self) -> dict[str, str]:
        """Settings for the signature: shared ones once, the others ranker by ranker."""
        settings_by_model = []
        for model in range(len(self.names)):
            _, *entries = ranker_signature(self.ranker(model)).split(" | ")
            settings_by_model.append(
                {key: value for key, value in (entry.split(":", 1) for entry in entries) if key != "rng"}
            )
        values_by_key = {
            key: {settings[key] for settings in settings_by_model if key in settings}
            for settings in settings_by_model
            for key in settings
        }
        shared = {key: min(values) for key, values in values_by_key.items() if len(values) == 1}
        model_texts = []
        for name, settings in zip(self.names, settings_by_model, strict=True):
            own_settings = ",".join(f"{key}:{value}" for key, value in settings.items() if key not in shared)
            model_texts.append(f"{name}[{own_settings}]" if own_settings else name)
        return {"rankers": " ".join(model_texts), **shared}


def parse_rankers(
    rankers: str | Ranker | Iterable[str | Ranker] | Mapping[str, Ranker],
    ranker_settings: RankerSettings | None = None,
    torch_settings: TorchSettings | None = None,
) -> RankerModels:
    """Losses and rankers, each named by its loss; or rankers by name.

    "linear:listnet" is a linear scorer with that loss, "torch:listnet" a `TorchRanker`. The settings (None: defaults)
    are those of the losses; rankers have their own. Raises UnknownName and ParameterError for what there is not, for a
    name that comes twice, and for no ranker at all.
    """
    if isinstance(rankers, Mapping):
        rankers_by_name = {str(name): parts_of_ranker(name, ranker) for name, ranker in rankers.items()}
    else:
        rankers_by_name = parse_list(
            [rankers] if isinstance(rankers, (str, Ranker)) else rankers, ranker_settings, torch_settings
        )
    if not rankers_by_name:
        raise ParameterError("no losses given, expected at least one, such as listnet")
    return ranker_models(rankers_by_name)


RankerParts = tuple[type[Ranker], dict[str, Any]]


def parse_list(
    rankers: Iterable[str | Ranker], ranker_settings: RankerSettings | None, torch_settings: TorchSettings | None
) -> dict[str, RankerParts]:
    """Class and parameters of each ranker, by name. Raises as `parse_rankers`."""
    all_settings = (ranker_settings or RankerSettings(), torch_settings or TorchSettings())
    parameters = {name: getattr(settings, name) for settings in all_settings for name in parameter_names(settings)}
    rankers_by_name: dict[str, RankerParts] = {}
    for ranker in rankers:
        if isinstance(ranker, (Ranker, Blend)):
            parts = parts_of_ranker(ranker, ranker)
            name = name_of_ranker(ranker)
        else:
            name, maker, fixed_parameters, allowed_names = parse_ranker(ranker)
            parts = maker, {**{key: parameters[key] for key in allowed_names}, **fixed_parameters}
        if name in rankers_by_name:
            raise ParameterError(f"the loss {name} is given twice, expected each once; name rankers in a mapping")
        rankers_by_name[name] = parts
    used_names = {key for _, ranker_parameters in rankers_by_name.values() for key in ranker_parameters}
    for settings in all_settings:
        unused_names = [name for name in parameter_names(settings) if name not in used_names]
        settings.refuse(*unused_names, since=f"{join_names(rankers_by_name)} has no such parameter")
    return rankers_by_name


def parts_of_ranker(name: object, ranker: Ranker) -> RankerParts:
    """Class and parameters without the seed. Raises ParameterError for what is no ranker."""
    if not isinstance(ranker, Ranker):
        advice = "; blend= makes one of all rankers" if isinstance(ranker, Blend) else ""
        raise ParameterError(f"{name!r} is a {type(ranker).__name__}, expected a Ranker{advice}")
    return type(ranker), {key: value for key, value in ranker.get_params().items() if key != "rng"}


def name_of_ranker(ranker: Ranker) -> str:
    """The loss of a ranker, with the prefix of its kind."""
    loss, _ = ranker.check()
    if type(ranker) is not Ranker:
        return TORCH_PREFIX + str(loss)
    return str(loss) if ranker.hidden or isinstance(loss, LambdaMART) else LINEAR_PREFIX + str(loss)


def parameter_names(settings: Settings) -> tuple[str, ...]:
    """The names of the settings without the seed."""
    return tuple(name for name in settings.declared() if name != "seed")


def ranker_models(rankers: Mapping[str, tuple[type[Ranker], Mapping[str, Any]]]) -> RankerModels:
    """Rankers by name: class and parameters without the seed. Raises ParameterError and UnknownName for wrong ones."""
    makers, parameters = zip(*rankers.values(), strict=True)
    return RankerModels(
        names=tuple(rankers),
        parameters=parameters,
        seed_independent=tuple(starmap(is_seed_independent, rankers.values())),
        classes=makers,
    )


def parse_ranker(text: str) -> tuple[str, type[Ranker], dict[str, Any], tuple[str, ...]]:
    """The name of a model, its class, its own parameters, and the names of the shared parameters that it has.

    Trees have their parameters in parentheses, and few of the parameters of networks.
    """
    prefix = next(
        (
            candidate
            for candidate in (LINEAR_PREFIX, TORCH_PREFIX)
            if isinstance(text, str) and text.strip().lower().startswith(candidate)
        ),
        "",
    )
    loss_text = text.strip()[len(prefix) :] if prefix else text
    loss = parse_loss(loss_text, ranker=True) if prefix else parse_objective(loss_text)
    name = prefix + str(loss)
    if prefix == TORCH_PREFIX:
        from rankscope.learning.torch import TorchRanker

        return name, TorchRanker, {"loss": str(loss)}, (*RANKER_PARAMETERS, *TorchSettings.declared())
    if prefix == LINEAR_PREFIX:
        return name, Ranker, {"loss": str(loss), "hidden": ()}, RANKER_PARAMETERS
    if isinstance(loss, LambdaMART):
        allowed_names = tuple(parameter for parameter in RANKER_PARAMETERS if parameter not in NETWORK_PARAMETERS)
        return name, Ranker, {"loss": str(loss)}, allowed_names
    return name, Ranker, {"loss": str(loss)}, RANKER_PARAMETERS


def is_seed_independent(maker: type[Ranker], parameters: Mapping[str, Any]) -> bool:
    """Whether all seeds give the same ranker, as with a linear one without a random loss. Raises for wrong values."""
    ranker = maker(**parameters)
    loss, _ = ranker.check()
    if isinstance(loss, LambdaMART):
        base_loss = loss.loss()
        return loss.features == loss.documents == 1 and (base_loss is None or not base_loss.random)
    return maker is Ranker and not ranker.hidden and loss.has_exact_gradient and not loss.random
