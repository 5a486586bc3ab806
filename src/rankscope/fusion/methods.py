"""Unsupervised fusion methods by name, with their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.text import pluralise
from rankscope.errors import ParameterError, UnknownName
from rankscope.fusion.normalisation import NORMALISATIONS
from rankscope.stats.inputs import check_positive, check_share, is_real

__all__ = [
    "METHODS",
    "FusionSettings",
    "parse_weights",
    "validate",
]


class FusionMethod(NamedTuple):
    """A method. scores: whether it looks at scores, and not at ranks alone. weighted: whether runs may have weights.
    takes: its parameter and the default of it.
    """

    meaning: str
    scores: bool = False
    weighted: bool = False
    takes: tuple[str, float] | None = None


#: Every method, in the order in which they are listed.
METHODS = {
    "rrf": FusionMethod("sum of 1 / (k + rank)", weighted=True, takes=("k", 60)),
    "isr": FusionMethod("runs that have it, times the sum of 1 / rank^2"),
    "log-isr": FusionMethod("ln(runs that have it), times the sum of 1 / rank^2"),
    "logn-isr": FusionMethod("ln(runs that have it + sigma), times the sum of 1 / rank^2", takes=("sigma", 0.01)),
    "rbc": FusionMethod("sum of (1 - p) p^(rank - 1)", weighted=True, takes=("p", 0.8)),
    "borda": FusionMethod("sum of points: documents of the query less those before it", weighted=True),
    "condorcet": FusionMethod("how many other documents it beats, one against one", weighted=True),
    "comb-sum": FusionMethod("sum of its scores", True, weighted=True),
    "comb-mnz": FusionMethod("sum of its scores, times the runs that have it", True),
    "comb-gmnz": FusionMethod("sum of its scores, times (runs that have it)^gamma", True, takes=("gamma", 1)),
    "comb-anz": FusionMethod("mean of its scores", True),
    "comb-min": FusionMethod("least of its scores", True),
    "comb-max": FusionMethod("greatest of its scores", True),
    "comb-med": FusionMethod("median of its scores", True),
}
#: The one normalisation that affects methods that use ranks: it reverses lists.
INVERTED = "min-max-inverted"


@dataclass(frozen=True, kw_only=True)
class FusionSettings:
    """Checked settings. parameters: of the method; weights: (runs)."""

    method: str
    normalise: str
    parameters: Mapping[str, float]
    weights: npt.NDArray[np.float64]

    def __str__(self) -> str:
        """One word, as the tag of a run."""
        arguments = [self.normalise] if self.normalise != "none" else []
        arguments += [f"{name}={value:g}" for name, value in self.parameters.items()]
        if (self.weights != 1).any():
            arguments.append(f"weights={','.join(f'{weight:g}' for weight in self.weights.tolist())}")
        return f"{self.method}({','.join(arguments)})" if arguments else self.method


def validate(
    method: str,
    normalise: str | None,
    weights: Sequence[float] | None,
    given_parameters: Mapping[str, float | None],
    n_runs: int,
) -> FusionSettings:
    """Check all arguments. Raises UnknownName, ParameterError."""
    if not isinstance(method, str) or method not in METHODS:
        raise UnknownName("method", str(method), METHODS)
    fusion_method = METHODS[method]
    if normalise is not None and normalise not in NORMALISATIONS:
        raise UnknownName("normalisation", str(normalise), NORMALISATIONS)
    if not fusion_method.scores and normalise not in (None, "none", INVERTED):
        raise ParameterError(
            f"{method} looks at ranks, which {normalise} does not change; leave normalise out, or choose a method that "
            "looks at scores, as comb-sum"
        )
    parameters = {fusion_method.takes[0]: fusion_method.takes[1]} if fusion_method.takes else {}
    for name, value in given_parameters.items():
        if value is None:
            continue
        if name not in parameters:
            accepted = f"it takes {fusion_method.takes[0]}" if fusion_method.takes else "it takes none"
            raise ParameterError(f"{method} has no parameter {name!r}; {accepted}")
        check_parameter(name, value)
        parameters[name] = value
    return FusionSettings(
        method=method,
        normalise=normalise or ("min-max" if fusion_method.scores else "none"),
        parameters=parameters,
        weights=validate_weights(weights, n_runs, method),
    )


def check_parameter(name: str, value: Any) -> None:
    if name == "p":
        check_share(name, value)
    elif name == "sigma":
        if not is_real(value) or not 0 <= value <= 1:
            raise ParameterError(f"sigma is {value!r}, expected a number from 0 to 1")
    else:
        check_positive(name, value, zero=True)


def validate_weights(weights: Sequence[float] | None, n_runs: int, method: str) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.ones(n_runs)
    if method in METHODS and not METHODS[method].weighted:
        weighted_methods = ", ".join(name for name, fusion_method in METHODS.items() if fusion_method.weighted)
        raise ParameterError(f"{method} takes no weights; those that do: {weighted_methods}")
    return parse_weights(weights, n_runs)


def parse_weights(weights: Sequence[float], n_runs: int) -> npt.NDArray[np.float64]:
    """(runs) the weights. Raises ParameterError."""
    try:
        items = list(weights)
        if any(isinstance(item, str) for item in items):  # NumPy would parse text
            raise TypeError
        array = np.array(items, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights are {weights!r}, expected a number for each run") from None
    if array.shape != (n_runs,):
        raise ParameterError(
            f"{pluralise(array.size, 'weight')} for {pluralise(n_runs, 'run')}; expected one for each run"
        )
    invalid = array[~(np.isfinite(array) & (array >= 0))]
    if invalid.size:
        raise ParameterError(f"a weight is {invalid[0]:g}, expected finite numbers of at least 0")
    if not array.any():
        raise ParameterError("all weights are 0, expected at least one above 0")
    return array
