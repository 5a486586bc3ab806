"""Fusion methods that need no training, by name, and the settings of a fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from rankscope.consensus.base import Method
from rankscope.consensus.registry import METHODS as CONSENSUS_METHODS
from rankscope.consensus.registry import method_by_name, parameters_of
from rankscope.data.text import pluralise
from rankscope.data.votes import UNRANKED
from rankscope.errors import ParameterError
from rankscope.fusion.normalisation import NORMALISATIONS
from rankscope.settings import NONNEGATIVE, SHARE, Number, Numbers, Settings, choice, declare, number
from rankscope.typing import Floats

__all__ = [
    "CONSENSUS",
    "CONSENSUS_PREFIX",
    "INVERTED",
    "METHODS",
    "WEIGHTS",
    "FusionMethod",
    "FusionSettings",
    "as_weights",
    "is_consensus",
    "weights_of_runs",
]


class FusionMethod(NamedTuple):
    """A method.

    meaning: its formula in words. uses_scores: whether it looks at scores, and not at ranks alone. takes_weights:
    whether runs may have weights. parameter: the name and default of its parameter, None if it has none.
    """

    meaning: str
    uses_scores: bool = False
    takes_weights: bool = False
    parameter: tuple[str, float] | None = None


#: Every method, in the order in which they are listed.
METHODS = {
    "rrf": FusionMethod("sum of 1 / (k + rank)", takes_weights=True, parameter=("k", 60)),
    "isr": FusionMethod("number of runs that have it, times the sum of 1 / rank^2"),
    "log-isr": FusionMethod("ln(runs that have it), times the sum of 1 / rank^2"),
    "logn-isr": FusionMethod("ln(runs that have it + sigma), times the sum of 1 / rank^2", parameter=("sigma", 0.01)),
    "rbc": FusionMethod("sum of (1 - p) p^(rank - 1)", takes_weights=True, parameter=("p", 0.8)),
    "borda": FusionMethod("sum of points: documents of the query less those before it", takes_weights=True),
    "condorcet": FusionMethod("how many other documents it beats, one against one", takes_weights=True),
    "comb-sum": FusionMethod("sum of its scores", True, takes_weights=True),
    "comb-mnz": FusionMethod("sum of its scores, times the runs that have it", True),
    "comb-gmnz": FusionMethod("sum of its scores, times (runs that have it)^gamma", True, parameter=("gamma", 1)),
    "comb-anz": FusionMethod("mean of its scores", True),
    "comb-min": FusionMethod("least of its scores", True),
    "comb-max": FusionMethod("greatest of its scores", True),
    "comb-med": FusionMethod("median of its scores", True),
}
#: What the name of a consensus method has before it here; and the names of all such methods.
CONSENSUS_PREFIX = "consensus:"
CONSENSUS = tuple(f"{CONSENSUS_PREFIX}{name}" for name in CONSENSUS_METHODS)
#: The one normalisation that affects methods that use ranks: it reverses lists.
INVERTED = "min-max-inverted"
#: The methods that take weights, in words.
WEIGHTED = ", ".join(name for name in METHODS if METHODS[name].takes_weights)
#: The weights of runs.
WEIGHTS = Numbers(NONNEGATIVE, expected="a number of at least 0 for each run")


def is_consensus(method: object) -> TypeGuard[str | Method]:
    """Whether it is a method of consensus or the name of one."""
    return isinstance(method, Method) or (isinstance(method, str) and method.startswith(CONSENSUS_PREFIX))


@dataclass(frozen=True, kw_only=True)
class FusionSettings(Settings):
    """How runs are fused; see `fuse`."""

    FUNCTIONS = ("rankscope.fusion:fuse",)
    COMMANDS = ("fuse",)

    method: str | Method = choice(
        "rrf",
        (*METHODS, *CONSENSUS),
        kind="method",
        or_a=Method,
        flag="",
        help="Fusion method, or an object of a class of `rankscope.consensus`.",
    )
    normalise: str | None = choice(
        None,
        NORMALISATIONS,
        kind="normalisation",
        flag="",
        help="Normalisation of the scores of each list; min-max-inverted also reverses lists for methods by ranks.",
        unset="'min-max' for methods that use scores",
    )
    weights: tuple[float, ...] | None = declare(
        WEIGHTS,
        None,
        f"Weight of a run, for {WEIGHTED}, weighted sums and consensus methods; repeat it for each run, in their "
        "order.",
        flag="--weight",
        metavar="W",
        python_help=f"Weights of the runs, in their order, for {WEIGHTED} and consensus methods.",
        unset="1 for each run",
    )
    k: float | None = number(
        None,
        rule=NONNEGATIVE,
        metavar="K",
        help="Constant of rrf; a larger K gives the top of the list less weight.",
        unset="60",
    )
    p: float | None = number(
        None,
        rule=SHARE,
        metavar="P",
        help="Persistence of rbc; a larger P gives more weight to items further down the list.",
        unset="0.8",
    )
    gamma: float | None = number(
        None,
        rule=NONNEGATIVE,
        metavar="G",
        help="Exponent of comb-gmnz, for the number of runs that have a document.",
        unset="1",
    )
    sigma: float | None = number(
        None,
        rule=Number(0, 1),
        metavar="S",
        help="Constant of logn-isr, added to the number of runs that have a document.",
        unset="0.01",
    )
    unranked: str | None = choice(
        None,
        UNRANKED,
        help="For consensus methods: where to place documents that a run did not retrieve.",
        unset="average, after those that it retrieved",
    )

    @property
    def method_name(self) -> str:
        """The method by its name."""
        return self.method if isinstance(self.method, str) else CONSENSUS_PREFIX + self.method.name

    @property
    def is_consensus(self) -> bool:
        """Whether the runs vote."""
        return is_consensus(self.method)

    @property
    def uses_scores(self) -> bool:
        """Whether the method looks at scores, and not at ranks alone."""
        return not self.is_consensus and METHODS[self.method_name].uses_scores

    @property
    def normalisation(self) -> str:
        """The normalisation in use."""
        return self.normalise or ("min-max" if self.uses_scores else "none")

    @property
    def is_inverted(self) -> bool:
        """Whether lower scores are better."""
        return self.normalise == INVERTED

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The fields that are parameters of the method."""
        if self.is_consensus:
            accepted = parameters_of(self.method.removeprefix(CONSENSUS_PREFIX)) if isinstance(self.method, str) else ()
            return tuple(name for name in accepted if name == "unranked")
        parameter = METHODS[self.method_name].parameter
        return () if parameter is None else (parameter[0],)

    @property
    def parameters(self) -> Mapping[str, float]:
        """The parameters of a method without votes."""
        if self.is_consensus:
            return {}
        parameter = METHODS[self.method_name].parameter
        if parameter is None:
            return {}
        name, default = parameter
        value = getattr(self, name)
        return {name: default if value is None else value}

    @property
    def consensus_method(self) -> Method:
        """The method by which the runs vote, with its parameters."""
        if isinstance(self.method, Method):
            return self.method
        parameters = {} if self.unranked is None else {"unranked": self.unranked}
        return method_by_name(self.method.removeprefix(CONSENSUS_PREFIX), **parameters)

    def weights_of(self, n_runs: int) -> Floats:
        """(runs) the weights. Raises ParameterError for another number of them."""
        if self.weights is None:
            return np.ones(n_runs)
        check_number_of_weights(self.weights, n_runs)
        return np.array(self.weights, np.float64)

    def check(self) -> None:
        """Refuse settings that the method does not have."""
        name = self.method_name
        if not self.uses_scores and self.normalise not in (None, "none", INVERTED):
            raise ParameterError(
                f"{name} uses ranks only, which {self.normalise} does not change; leave out normalise, or choose a "
                "method that uses scores, such as comb-sum"
            )
        accepted = self.parameter_names
        has_text = f"it has {' and '.join(accepted)}" if accepted else "it has none"
        for parameter in ("k", "p", "gamma", "sigma", "unranked"):
            if parameter not in accepted:
                self.refuse(parameter, since=f"the method {name} has no such parameter ({has_text})")
        if self.weights is None:
            return
        if not self.is_consensus and not METHODS[name].takes_weights:
            weighted_methods = ", ".join(method for method in METHODS if METHODS[method].takes_weights)
            raise ParameterError(f"{name} takes no weights; those that do: {weighted_methods}")
        refuse_zero_weights(self.weights)
        if self.is_consensus and 0 in self.weights:
            raise ParameterError(f"a weight is 0, but {name} needs weights above 0; leave out that run")

    def __str__(self) -> str:
        """One word, as the tag of a run."""
        name = self.method_name
        if self.is_consensus:
            name = CONSENSUS_PREFIX + str(self.consensus_method).replace(" ", "").replace("'", "")
        arguments = [self.normalisation] if self.normalisation != "none" else []
        arguments += [f"{parameter}={value:g}" for parameter, value in self.parameters.items()]
        if self.weights is not None and set(self.weights) != {1}:
            arguments.append(f"weights={','.join(f'{weight:g}' for weight in self.weights)}")
        if not arguments:
            return name
        return f"{name.removesuffix(')')}{',' if name.endswith(')') else '('}{','.join(arguments)})"


def as_weights(weights: Any) -> Any:
    """A list of weights as a tuple; anything else as it is, for the rule to refuse."""
    if isinstance(weights, np.ndarray):
        weights = weights.tolist()
    return tuple(weights) if isinstance(weights, (list, tuple)) else weights


def weights_of_runs(weights: Sequence[float] | None, n_runs: int) -> Floats:
    """(runs) the weights. Raises ParameterError."""
    values = as_weights(weights)
    WEIGHTS.check("weights", values)
    check_number_of_weights(values, n_runs)
    refuse_zero_weights(values)
    return np.array(values, np.float64)


def check_number_of_weights(weights: Sequence[float], n_runs: int) -> None:
    """Raise ParameterError where there are not as many weights as runs."""
    if len(weights) != n_runs:
        raise ParameterError(
            f"{pluralise(len(weights), 'weight')} for {pluralise(n_runs, 'run')}; expected one for each run"
        )


def refuse_zero_weights(weights: Sequence[float]) -> None:
    """Raise ParameterError where all weights are 0."""
    if not any(weights):
        raise ParameterError("all weights are 0, expected at least one above 0")
