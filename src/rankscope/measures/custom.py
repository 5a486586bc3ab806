"""Measures that a user defines from a function at run time."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import field, make_dataclass
from typing import Any, get_args

import numpy as np

from rankscope.data.hits import Hits
from rankscope.errors import ParameterError
from rankscope.measures import MEASURES
from rankscope.measures.base import Measure, Summary
from rankscope.measures.names import canonical, is_trec_name
from rankscope.typing import Floats

__all__ = [
    "define_measure",
]


def define_measure(
    name: str,
    *,
    range: tuple[float, float] = (0.0, 1.0),
    higher_is_better: bool | None = True,
    summary: Summary = "mean",
    source: str = "defined by the user",
) -> Callable[[Callable[..., Floats]], type[Measure]]:
    """Make a function `(hits, *, parameter=default, ...) -> one value per query` a measure of that name.

    Parameters
    ----------
    name
        Name of the measure; defining it again replaces it.
    range
        Lowest and highest possible value.
    higher_is_better
        Direction; None if there is none.
    summary
        How values are combined over queries: "mean", "sum", "geometric" or "none".
    source
        Where the definition comes from.

    Returns
    -------
    decorator
        It takes the function and gives the class of the measure. Keyword-only parameters of the function become those
        of the measure; one named `cutoff` is written `@10`. From then on the name works wherever a measure is named.

    Raises
    ------
    ParameterError
        The name is taken or is not a word, the function has another form, or, when it is called, its values are not one
        float per query.

    Examples
    --------
    >>> import rankscope as rs
    >>> @rs.define_measure("FirstRank", range=(1, float("inf")), higher_is_better=False)
    ... def first_rank(hits, *, cutoff=1000):
    ...     "Rank of the first relevant document, or the cutoff."
    ...     rr = rs.parse_measure(f"RR@{cutoff}")(hits)
    ...     return 1 / np.maximum(rr, 1 / cutoff)
    >>> qrels = rs.Qrels({"q1": {"d2": 1}})
    >>> scores = rs.evaluate(qrels, {"q1": {"d1": 2.0, "d2": 1.0}}, ["FirstRank@10"])
    >>> scores.overall("FirstRank@10")
    2.0
    >>> _ = MEASURES.pop("FirstRank")  # so that this example can run again
    """
    if not name.isidentifier():
        raise ParameterError(f"a measure cannot be named {name!r}; expected one word of letters, digits and _")
    if name in MEASURES and not getattr(MEASURES[name], "users_own", False):
        raise ParameterError(f"there is a measure {name} already; choose another name")
    if canonical(name) not in (None, name) or is_trec_name(name):
        raise ParameterError(f"{name} is another name of a measure already; choose another name")
    if summary not in get_args(Summary):
        raise ParameterError(f"summary is {summary!r}, expected one of {', '.join(get_args(Summary))}")

    def make_measure(function: Callable[..., Floats]) -> type[Measure]:
        parameters = list(inspect.signature(function).parameters.values())
        if not parameters or any(p.kind is not p.KEYWORD_ONLY for p in parameters[1:]):
            raise ParameterError(f"{name}: expected a function (hits, *, parameter=default, ...)")

        def compute_values(self: Measure, hits: Hits) -> Floats:
            values = np.asarray(function(hits, **{p.name: getattr(self, p.name) for p in parameters[1:]}), np.float64)
            if values.shape != (len(hits),):
                raise ParameterError(
                    f"{name} gave values of shape {values.shape}, expected one a query: ({len(hits)},)"
                )
            return values

        dataclass_fields: list[Any] = [
            (p.name, Any) if p.default is p.empty else (p.name, Any, field(default=p.default)) for p in parameters[1:]
        ]
        measure_class = make_dataclass(
            name,
            dataclass_fields,
            bases=(Measure,),
            frozen=True,
            kw_only=True,
            namespace={
                "values": compute_values,
                "__doc__": function.__doc__ or "",
                "name": name,
                "range": range,
                "higher_is_better": higher_is_better,
                "summary": summary,
                "source": source,
                "users_own": True,  # may be defined again, as a notebook does
            },
        )
        MEASURES[name] = measure_class
        return measure_class

    return make_measure
