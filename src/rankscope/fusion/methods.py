"""The methods of fusion that learn nothing, by name, with their parameters."""

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
    takes: its parameter and the value that this has by default.
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
#: The one normalisation that means something to methods that look at ranks: it turns lists round.
INVERTED = "min-max-inverted"


@dataclass(frozen=True, kw_only=True)
class FusionSettings:
    """What was asked for, checked. parameters: of the method; weights: (runs)."""

    method: str
    normalise: str
    parameters: Mapping[str, float]
    weights: npt.NDArray[np.float64]

    def __str__(self) -> str:
        """In one word, as the tag of a run is."""
        said = [self.normalise] if self.normalise != "none" else []
        said += [f"{name}={value:g}" for name, value in self.parameters.items()]
        if (self.weights != 1).any():
            said.append(f"weights={','.join(f'{weight:g}' for weight in self.weights.tolist())}")
        return f"{self.method}({','.join(said)})" if said else self.method


def validate(
    method: str, normalise: str | None, weights: Sequence[float] | None, given: Mapping[str, float | None], runs: int
) -> FusionSettings:
    """Check all arguments. Raises UnknownName, ParameterError."""
    if not isinstance(method, str) or method not in METHODS:
        raise UnknownName("method", str(method), METHODS)
    known = METHODS[method]
    if normalise is not None and normalise not in NORMALISATIONS:
        raise UnknownName("normalisation", str(normalise), NORMALISATIONS)
    if not known.scores and normalise not in (None, "none", INVERTED):
        raise ParameterError(
            f"{method} looks at ranks, which {normalise} does not change; leave normalise out, or choose a method that "
            "looks at scores, as comb-sum"
        )
    parameters = {known.takes[0]: known.takes[1]} if known.takes else {}
    for name, value in given.items():
        if value is None:
            continue
        if name not in parameters:
            takes = f"it takes {known.takes[0]}" if known.takes else "it takes none"
            raise ParameterError(f"{method} has no parameter {name!r}; {takes}")
        check_parameter(name, value)
        parameters[name] = value
    return FusionSettings(
        method=method,
        normalise=normalise or ("min-max" if known.scores else "none"),
        parameters=parameters,
        weights=validate_weights(weights, runs, method),
    )


def check_parameter(name: str, value: Any) -> None:
    if name == "p":
        check_share(name, value)
    elif name == "sigma":
        if not is_real(value) or not 0 <= value <= 1:
            raise ParameterError(f"sigma is {value!r}, expected a number from 0 to 1")
    else:
        check_positive(name, value, zero=True)


def validate_weights(weights: Sequence[float] | None, runs: int, method: str) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.ones(runs)
    if method in METHODS and not METHODS[method].weighted:
        able = ", ".join(name for name, known in METHODS.items() if known.weighted)
        raise ParameterError(f"{method} takes no weights; those that do: {able}")
    return parse_weights(weights, runs)


def parse_weights(weights: Sequence[float], runs: int) -> npt.NDArray[np.float64]:
    """(runs) Raises ParameterError."""
    try:
        given = list(weights)
        if any(isinstance(one, str) for one in given):  # which NumPy would read, "12" as 1 and 2
            raise TypeError
        found = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights are {weights!r}, expected a number for each run") from None
    if found.shape != (runs,):
        raise ParameterError(
            f"{pluralise(found.size, 'weight')} for {pluralise(runs, 'run')}; expected one for each run"
        )
    bad = found[~(np.isfinite(found) & (found >= 0))]
    if bad.size:
        raise ParameterError(f"a weight is {bad[0]:g}, expected finite numbers of at least 0")
    if not found.any():
        raise ParameterError("all weights are 0, expected at least one above 0")
    return found
