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
#: Every loss by its name; loaded when it is first asked for.
LOSSES: Mapping[str, LossFunction] = LazyRegistry(
    {
        "listnet": "rankscope.learning.losses.listwise.listnet:listnet",
        "softmax_cross_entropy": "rankscope.learning.losses.listwise.listnet:softmax_cross_entropy",
        "listmle": "rankscope.learning.losses.listwise.listmle:listmle",
        "ranknet": "rankscope.learning.losses.pairwise.ranknet:ranknet",
        "ranksvm": "rankscope.learning.losses.pairwise.ranknet:ranksvm",
        "lambdarank": "rankscope.learning.losses.pairwise.lambdaloss:lambdarank",
        "lambdaloss": "rankscope.learning.losses.pairwise.lambdaloss:lambdaloss",
        "approxndcg": "rankscope.learning.losses.listwise.approx_ndcg:approxndcg",
        "approxmrr": "rankscope.learning.losses.listwise.approx_ndcg:approxmrr",
        "neuralndcg": "rankscope.learning.losses.listwise.neural_sort:neuralndcg",
        "squared": "rankscope.learning.losses.pointwise:squared",
        "ordinal": "rankscope.learning.losses.pointwise:ordinal",
    }
)
CALL_FORM = re.compile(r"(?P<name>[^\W\d]\w*)\s*(\((?P<inner>.*)\))?", re.DOTALL)
#: Those whose gradient takes weights as given that change with the scores, so that it is not that of the value.
FIXED_WEIGHTS = ("lambdarank", "lambdaloss")
#: What is said of a ranker among the parameters of its loss: that it sees ranks within lists.
RANKS = "ranks"
#: What the trainer gives, and no name can set.
TRAINER_ARGUMENTS = ("rng", "max_grade", "curvature")


@dataclass(frozen=True)
class Loss:
    """A loss with its parameters; called with scores, relevance and offsets it gives value and gradient.

    ranks: whether whoever is trained by it sees ranks within lists, which changes nothing here: it stands among the
    parameters, as that of trees does. Raises UnknownName for a loss or a parameter that there is not.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    ranks: bool = False

    def __post_init__(self) -> None:
        if self.name not in LOSSES:
            raise UnknownName("loss", self.name, LOSSES)
        known = [name for name in self.takes if name not in TRAINER_ARGUMENTS]
        for name in self.parameters:
            if name not in known:
                raise UnknownName(f"parameter of {self.name}", name, known)
        check_flag(RANKS, self.ranks)
        two = np.array([0.0, 1.0])
        self(two, np.array([1, 0]), np.array([0, 2]), rng=np.random.default_rng(0), max_grade=1)  # refuses bad values

    @cached_property
    def function(self) -> LossFunction:
        return LOSSES[self.name]

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """The names of its keyword-only parameters."""
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(one.name for one in parameters if one.kind is one.KEYWORD_ONLY)

    @property
    def random(self) -> bool:
        """Whether a call draws random numbers, so that two calls differ."""
        if self.name == "listnet":
            return bool(self.parameters.get("k", 1) != 1)
        return "rng" in self.takes and self.parameters.get("ties", "random") == "random"

    @property
    def exact(self) -> bool:
        """Whether the gradient is that of the value, as whoever searches along a line for lower values needs it."""
        return self.name not in FIXED_WEIGHTS

    def __call__(
        self,
        scores: Reals,
        relevance: npt.NDArray[Any],
        offsets: Ints,
        *,
        rng: np.random.Generator | int | None = None,
        max_grade: int | None = None,
        curvature: npt.NDArray[np.float64] | None = None,
    ) -> tuple[float, Reals]:
        """curvature: (documents) to which losses that know the second derivatives by each score add these."""
        offered = {"rng": rng, "max_grade": max_grade, "curvature": curvature}
        given = {name: value for name, value in offered.items() if name in self.takes}
        return self.function(scores, relevance, offsets, **self.parameters, **given)

    def __str__(self) -> str:
        every = {**self.parameters, **({RANKS: True} if self.ranks else {})}
        inner = ", ".join(f"{name}={value!r}" for name, value in every.items())
        return f"{self.name}({inner})" if inner else self.name


@dataclass(frozen=True)
class CustomLoss(Loss):
    """A function of somebody's own: of scores, relevance and offsets, to a value and its gradient.

    It is given rng, max_grade and curvature where it has keyword-only parameters of these names.
    Raises ParameterError for a function that gives something else.
    """

    own: LossFunction | None = None

    def __post_init__(self) -> None:
        found: Any = self(np.zeros(2), np.array([1, 0]), np.array([0, 2]), rng=np.random.default_rng(0), max_grade=1)
        fits = isinstance(found, tuple) and len(found) == 2 and np.ndim(found[0]) == 0 and np.shape(found[1]) == (2,)
        if not fits:
            raise ParameterError(
                f"the loss {self.name} gives {' '.join(repr(found).split())} for two documents, expected a value and "
                "its gradient, a number a document"
            )

    @cached_property
    def function(self) -> LossFunction:
        assert self.own is not None
        return self.own


def parse_loss(text: str | LossFunction, *, ranker: bool = False) -> Loss:
    """A loss from its name; a function of scores, relevance and offsets is one, too.

    ranker: whether it is that of a ranker, so that `ranks=True` may stand among its parameters.
    Raises UnknownName and ParameterError.

    >>> loss = parse_loss("listmle(ties='efron')")
    >>> str(loss), loss.random
    ("listmle(ties='efron')", False)
    """
    if callable(text):
        return CustomLoss(getattr(text, "__name__", type(text).__name__), own=text)
    match = CALL_FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ParameterError(f"cannot read the loss {text!r}; expected a form like listnet or lambdaloss(kind='2')")
    name = match["name"].lower()
    if name not in LOSSES:
        raise UnknownName("loss", match["name"], LOSSES)
    parameters = parse_parameters(name, match["inner"] or "", text)
    ranks: Any = parameters.pop(RANKS, False) if ranker else False
    return Loss(name, parameters, ranks)


def as_measure(name: str, given: object) -> Measure:
    """A measure or its name as the measure. name: of the parameter. Raises ParameterError and UnknownName."""
    if isinstance(given, Measure):
        return given
    if not isinstance(given, str):
        raise ParameterError(f"{name} is {given!r}, expected a measure or its name, as 'nDCG@10'")
    return parse_measure(given)
