"""What a search draws: parameters of a ranker by its kind, each by a law of its own."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.ranker import Ranker, differ

__all__ = ["SPACES", "draw_setting", "ranker_kind", "with_changes"]

Distribution = Callable[[np.random.Generator], Any]


def uniform_choice(*values: Any) -> Distribution:
    """Each as likely."""
    return lambda rng: values[int(rng.integers(len(values)))]


def log_uniform(low: float, high: float, zero: float = 0.0) -> Distribution:
    """Each order of magnitude as likely, two digits; 0 with a probability of its own."""

    def draw(rng: np.random.Generator) -> float:
        share, lot = rng.random(2).tolist()
        return 0.0 if lot < zero else float(f"{low * (high / low) ** share:.2g}")

    return draw


def uniform(low: float, high: float) -> Distribution:
    """Two digits behind the point."""
    return lambda rng: round(float(rng.uniform(low, high)), 2)


#: By kind of ranker, its parameters and their laws, in the order in which they are drawn; docs/crossvalidation.md has
#: them in words. A parameter that is added goes to the end, so that the settings of earlier logs stay what they were.
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
        "min_documents": uniform_choice(10, 20, 50, 100, 200, 400),
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
    """Which of `SPACES` a ranker that learned nothing yet is drawn from."""
    if type(ranker) is not Ranker:
        return "torch"
    loss = parse_objective(ranker.loss)
    if isinstance(loss, LambdaMART):
        return "trees"
    if ranker.hidden:
        return "network"
    return "linear" if loss.exact else "linear by steps"


def draw_setting(name: str, ranker: Ranker, trial: int, seed: int) -> dict[str, Any]:
    """What trial number `trial`, from 1, changes of a ranker: the first nothing.

    It depends on nothing but the name, the trial and the seed. A parameter that somebody set, so that it is not the
    default, stays as it is. Of trees, what changes is the text of the loss, without an objective that is a function.
    """
    if trial == 1:
        return {}
    rng = np.random.default_rng([seed, zlib.crc32(name.encode(errors="surrogateescape")), trial])
    kind = ranker_kind(ranker)
    drawn = {key: law(rng) for key, law in SPACES[kind].items()}  # all, whatever was set: the others stay the same
    if kind == "trees":
        loss = parse_objective(ranker.loss)
        assert isinstance(loss, LambdaMART)
        default = {one.name: one.default for one in fields(loss)}
        free = {key: value for key, value in drawn.items() if getattr(loss, key) == default[key]}
        if loss.objective is not None:
            free.pop("truncation", None)
        objective = None if callable(loss.objective) else loss.objective
        return {"loss": str(replace(loss, objective=objective, **free))}
    plain: Mapping[str, Any] = type(ranker)().get_params()
    return {key: value for key, value in drawn.items() if not differ(as_tuple(getattr(ranker, key)), plain[key])}


def with_changes(parameters: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """A ranker's parameters with what was drawn. Trees that are grown by a function are grown by it still."""
    found = {**parameters, **changed}
    given = parameters.get("loss")
    if "loss" in changed and isinstance(given, LambdaMART) and callable(given.objective):
        drawn = parse_objective(changed["loss"])
        assert isinstance(drawn, LambdaMART)
        found["loss"] = replace(drawn, objective=given.objective)
    return found


def as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
