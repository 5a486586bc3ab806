"""All losses by name, with their parameters: "listnet", "lambdaloss(kind='2++')"."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError, UnknownName
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measure, parse_parameters
from rankscope.registry import LazyRegistry
from rankscope.stats.inputs import check_flag
from rankscope.typing import Ints, Reals

__all__ = [
    "LOSSES",
    "Loss",
    "as_measure",
    "parse_loss",
]


LossFunction = Callable[..., tuple[float, Reals]]
#: Every loss by its name; loaded at first use.
LOSSES: Mapping[str, LossFunction] = LazyRegistry(
    {
        "listnet": "rankscope.learning.losses.listwise:listnet",
        "softmax_cross_entropy": "rankscope.learning.losses.listwise:softmax_cross_entropy",
        "listmle": "rankscope.learning.losses.listwise:listmle",
        "ranknet": "rankscope.learning.losses.pairwise:ranknet",
        "ranksvm": "rankscope.learning.losses.pairwise:ranksvm",
        "lambdarank": "rankscope.learning.losses.pairwise:lambdarank",
        "lambdaloss": "rankscope.learning.losses.pairwise:lambdaloss",
        "approxndcg": "rankscope.learning.losses.approx_ndcg:approxndcg",
        "approxmrr": "rankscope.learning.losses.approx_ndcg:approxmrr",
        "neuralndcg": "rankscope.learning.losses.neural_sort:neuralndcg",
        "squared": "rankscope.learning.losses.pointwise:squared",
        "ordinal": "rankscope.learning.losses.pointwise:ordinal",
    }
)
#: A name, which may be misspelt as in list-net, with or without parameters.
CALL_FORM = re.compile(r"(?P<name>[^\W\d][\w .+-]*?)\s*(\((?P<inner>.*)\))?", re.DOTALL)
#: Losses whose gradient treats weights as constants that change with the scores, so it is not that of the value.
FIXED_WEIGHTS = ("lambdarank", "lambdaloss")
#: A parameter of a ranker that stands among those of its loss: whether it sees ranks within lists.
RANKS = "ranks"
#: Arguments that the trainer passes, which no name of a loss can set.
TRAINER_ARGUMENTS = ("rng", "max_grade", "curvature")


@dataclass(frozen=True)
class Loss:
    """A loss with its parameters; called with scores, relevance and offsets, it returns the value and the gradient.

    Attributes
    ----------
    name
        A name of `LOSSES`.
    parameters
        The parameters of the loss, by name.
    ranks
        Whether the ranker that is trained with it uses ranks within lists. It does not change the loss.

    Raises
    ------
    UnknownName
        There is no such loss or parameter.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    ranks: bool = False

    def __post_init__(self) -> None:
        if self.name not in LOSSES:
            raise UnknownName("loss", self.name, LOSSES)
        parameter_names = [name for name in self.keyword_parameters if name not in TRAINER_ARGUMENTS]
        for name in self.parameters:
            if name not in parameter_names:
                raise UnknownName(f"parameter of {self.name}", name, parameter_names)
        check_flag(RANKS, self.ranks)
        # A call raises for bad values.
        scores, relevance, offsets = np.array([0.0, 1.0]), np.array([1, 0]), np.array([0, 2])
        self(scores, relevance, offsets, rng=np.random.default_rng(0), max_grade=1)

    @cached_property
    def function(self) -> LossFunction:
        return LOSSES[self.name]

    @cached_property
    def keyword_parameters(self) -> tuple[str, ...]:
        """The names of its keyword-only parameters."""
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)

    @property
    def random(self) -> bool:
        """Whether a call draws random numbers, so that two calls differ."""
        if self.name == "listnet":
            return bool(self.parameters.get("k", 1) != 1)
        return "rng" in self.keyword_parameters and self.parameters.get("ties", "random") == "random"

    @property
    def has_exact_gradient(self) -> bool:
        """Whether the gradient is that of the value, which a line search needs."""
        return self.name not in FIXED_WEIGHTS

    def __call__(
        self,
        scores: Reals,
        relevance: npt.NDArray[Any],
        offsets: Ints,
        *,
        rng: np.random.Generator | int | None = None,
        max_grade: float | None = None,
        curvature: npt.NDArray[np.float64] | None = None,
    ) -> tuple[float, Reals]:
        """curvature: (documents) to which losses that know the second derivatives by each score add these."""
        trainer_arguments = {"rng": rng, "max_grade": max_grade, "curvature": curvature}
        used_arguments = {name: value for name, value in trainer_arguments.items() if name in self.keyword_parameters}
        return self.function(scores, relevance, offsets, **self.parameters, **used_arguments)

    def __str__(self) -> str:
        all_parameters = {**self.parameters, **({RANKS: True} if self.ranks else {})}
        inner = ", ".join(f"{name}={value!r}" for name, value in all_parameters.items())
        return f"{self.name}({inner})" if inner else self.name


@dataclass(frozen=True)
class CustomLoss(Loss):
    """A function of the user: of scores, relevance and offsets, to a value and its gradient.

    It is passed rng, max_grade and curvature where it has keyword-only parameters of these names.
    Raises ParameterError for a function that gives something else.
    """

    custom_function: LossFunction | None = None

    def __post_init__(self) -> None:
        result: Any = self(np.zeros(2), np.array([1, 0]), np.array([0, 2]), rng=np.random.default_rng(0), max_grade=1)
        is_valid = (
            isinstance(result, tuple) and len(result) == 2 and np.ndim(result[0]) == 0 and np.shape(result[1]) == (2,)
        )
        if not is_valid:
            raise ParameterError(
                f"the loss {self.name} gives {' '.join(repr(result).split())} for two documents, expected a value and "
                "its gradient, one number per document"
            )

    @cached_property
    def function(self) -> LossFunction:
        assert self.custom_function is not None
        return self.custom_function


def parse_loss(text: str | LossFunction, *, ranker: bool = False) -> Loss:
    """The loss of a name, or of a function of scores, relevance and offsets.

    Parameters
    ----------
    text
        A name with or without parameters, as "listmle(ties='efron')", or a function.
    ranker
        Whether it is the loss of a ranker, whose parameters may include `ranks=True`.

    Returns
    -------
    Loss
        The loss with its parameters.

    Raises
    ------
    UnknownName
        There is no such loss or parameter.
    ParameterError
        The text cannot be read, or a parameter is out of range.

    Examples
    --------
    >>> loss = parse_loss("listmle(ties='efron')")
    >>> str(loss), loss.random
    ("listmle(ties='efron')", False)
    """
    if callable(text):
        return CustomLoss(getattr(text, "__name__", type(text).__name__), custom_function=text)
    match = CALL_FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ParameterError(f"cannot read the loss {text!r}; expected a form like listnet or lambdaloss(kind='2')")
    name = match["name"].lower()
    if name not in LOSSES:
        raise UnknownName("loss", match["name"], LOSSES)
    parameters = parse_parameters(name, match["inner"] or "", text)
    ranks: Any = parameters.pop(RANKS, False) if ranker else False
    return Loss(name, parameters, ranks)


def as_measure(parameter: str, measure: object) -> Measure:
    """The measure itself, or the measure of a name.

    Parameters
    ----------
    parameter
        The name of the argument, for messages.
    measure
        A measure or its name.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    ParameterError
        It is neither a measure nor a text.
    UnknownName
        There is no such measure.
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        raise ParameterError(f"{parameter} is {measure!r}, expected a measure or its name, as 'nDCG@10'")
    return parse_measure(measure)
