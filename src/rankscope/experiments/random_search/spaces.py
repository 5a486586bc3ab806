"""What a random search draws from: parameters by kind of ranker, and their distributions."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.ranker import Ranker, differ

__all__ = [
    "SPACES",
    "draw_setting",
    "log_uniform",
    "ranker_kind",
    "uniform",
    "uniform_choice",
    "with_changes",
]


Distribution = Callable[[np.random.Generator], Any]


def uniform_choice(*values: Any) -> Distribution:
    """Each value has the same probability."""
    return lambda rng: values[int(rng.integers(len(values)))]


def log_uniform(low: float, high: float, zero: float = 0.0) -> Distribution:
    """Uniform in the logarithm, two digits. zero: the probability of 0."""

    def draw(rng: np.random.Generator) -> float:
        fraction, zero_draw = rng.random(2).tolist()
        return 0.0 if zero_draw < zero else float(f"{low * (high / low) ** fraction:.2g}")

    return draw


def uniform(low: float, high: float) -> Distribution:
    """Uniform between low and high, rounded to two decimals."""
    return lambda rng: round(float(rng.uniform(low, high)), 2)


#: By kind of ranker, its parameters and their distributions, in the order of sampling; docs/crossvalidation.md
#: describes them. New parameters go to the end, so that the settings of earlier logs do not change.
SPACES: dict[str, dict[str, Distribution]] = {
    "network": {
        "hidden": uniform_choice((32,), (64,), (128,), (256,), (64, 32), (128, 64)),
        "learning_rate": log_uniform(0.0005, 0.01),
        "batch_lists": uniform_choice(4, 8, 16, 32),
        "dropout": uniform(0.0, 0.6),
        "weight_decay": log_uniform(0.001, 1.0, zero=0.5),
        "transform": uniform_choice("standard", "log", "auto"),
    },
    "linear": {
        "weight_decay": log_uniform(1e-5, 1.0, zero=0.2),
        "transform": uniform_choice("standard", "log", "auto"),
    },
    "linear by steps": {
        "learning_rate": log_uniform(0.0005, 0.05),
        "batch_lists": uniform_choice(4, 8, 16, 32),
        "weight_decay": log_uniform(0.001, 1.0, zero=0.5),
        "transform": uniform_choice("standard", "log", "auto"),
    },
    "trees": {
        "leaves": uniform_choice(3, 5, 7, 11, 15, 31, 63),
        "rate": log_uniform(0.01, 0.2),
        "min_documents": uniform_choice(10, 20, 50, 100, 200, 400, 5),
        "features": uniform(0.1, 1.0),
        "documents": uniform(0.3, 1.0),
        "l2": log_uniform(0.01, 100.0, zero=0.5),
        "truncation": uniform_choice(5, 10, 20, 30, 50),
        "ranks": uniform_choice(False, True),
    },
    "torch": {
        "hidden": uniform_choice((64,), (128,), (256,), (128, 64), (256, 128), (128, 128, 64)),
        "attention": uniform_choice(0, 0, 1, 2),
        "learning_rate": log_uniform(0.0002, 0.005),
        "batch_lists": uniform_choice(8, 16, 32, 64),
        "dropout": uniform(0.0, 0.6),
        "weight_decay": log_uniform(0.001, 1.0, zero=0.5),
        "transform": uniform_choice("standard", "log", "auto"),
    },
}


def ranker_kind(ranker: Ranker) -> str:
    """The key of `SPACES` of an untrained ranker."""
    if type(ranker) is not Ranker:
        return "torch"
    loss = parse_objective(ranker.loss)
    if isinstance(loss, LambdaMART):
        return "trees"
    if ranker.hidden:
        return "network"
    return "linear" if loss.has_exact_gradient else "linear by steps"


def draw_setting(name: str, ranker: Ranker, trial: int, seed: int) -> dict[str, Any]:
    """The changed parameters of trial number `trial`, from 1; the first trial changes none.

    They depend only on the name, the trial and the seed. A parameter that differs from its default stays as it is. For
    trees, the text of the loss changes, without an objective that is a function.
    """
    if trial == 1:
        return {}
    rng = np.random.default_rng([seed, zlib.crc32(name.encode(errors="surrogateescape")), trial])
    kind = ranker_kind(ranker)
    # All parameters are sampled, also those that were set, so that the others do not depend on them.
    changes = {key: distribution(rng) for key, distribution in SPACES[kind].items()}
    if kind == "trees":
        loss = parse_objective(ranker.loss)
        assert isinstance(loss, LambdaMART)
        loss_defaults = {field.name: field.default for field in fields(loss)}
        free_changes = {key: value for key, value in changes.items() if getattr(loss, key) == loss_defaults[key]}
        if loss.objective is not None:
            free_changes.pop("truncation", None)
        objective = None if callable(loss.objective) else loss.objective
        return {"loss": str(replace(loss, objective=objective, **free_changes))}
    ranker_defaults: Mapping[str, Any] = type(ranker)().get_params()
    return {
        key: value for key, value in changes.items() if not differ(as_tuple(getattr(ranker, key)), ranker_defaults[key])
    }


def with_changes(parameters: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """A ranker's parameters with the changes. Trees keep an objective that is a function."""
    merged = {**parameters, **changed}
    loss = parameters.get("loss")
    if "loss" in changed and isinstance(loss, LambdaMART) and callable(loss.objective):
        changed_loss = parse_objective(changed["loss"])
        assert isinstance(changed_loss, LambdaMART)
        merged["loss"] = replace(changed_loss, objective=loss.objective)
    return merged


def as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
