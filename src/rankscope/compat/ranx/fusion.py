"""`fuse`: several runs into one, by ranx's names of methods, normalisations and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankscope.compat.ranx.evaluation import NotComparable
from rankscope.compat.ranx.run import Run
from rankscope.data.text import first_names
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.fusion.fuse_runs import fuse_pool, fused_run
from rankscope.fusion.methods import INVERTED, METHODS, FusionSettings, as_weights, weights_of_runs
from rankscope.fusion.normalisation import normalise_pool
from rankscope.fusion.pool import load_pool
from rankscope.fusion.supervised import TRAINED

__all__ = [
    "fuse",
]


class FusionName(NamedTuple):
    """A method of ranx.

    Attributes
    ----------
    method
        Ours.
    name
        Name of the fused run.
    parameters
        ranx's name of a parameter -> ours.
    required
        The parameter without a default.
    """

    method: str
    name: str
    parameters: Mapping[str, str] = {}
    required: str | None = None


WEIGHTS = {"weights": "weights"}
METHOD_NAMES = {
    "anz": FusionName("comb-anz", "comb_anz"),
    "bordafuse": FusionName("borda", "bordafuse"),
    "condorcet": FusionName("condorcet", "condorcet"),
    "gmnz": FusionName("comb-gmnz", "comb_gmnz", {"gamma": "gamma"}, "gamma"),
    "isr": FusionName("isr", "isr"),
    "log_isr": FusionName("log-isr", "log_isr"),
    "logn_isr": FusionName("logn-isr", "logn_isr", {"sigma": "sigma"}),
    "max": FusionName("comb-max", "comb_max"),
    "med": FusionName("comb-med", "comb_med"),
    "min": FusionName("comb-min", "comb_min"),
    "mixed": FusionName("mixed", "mixed", WEIGHTS, "weights"),
    "mnz": FusionName("comb-mnz", "comb_mnz"),
    "rbc": FusionName("rbc", "rbc", {"phi": "p"}, "phi"),
    "rrf": FusionName("rrf", "rrf", {"k": "k"}),
    "sum": FusionName("comb-sum", "comb_sum"),
    "w_bordafuse": FusionName("borda", "weighted_bordafuse", WEIGHTS, "weights"),
    "w_condorcet": FusionName("condorcet", "weighted_condorcet", WEIGHTS, "weights"),
    "wmnz": FusionName("weighted-mnz", "wmnz", WEIGHTS, "weights"),
    "wsum": FusionName("comb-sum", "wsum", WEIGHTS, "weights"),
}
#: Methods whose parameters ranx learns from judgments -> ours.
LEARNED = {
    "bayesfuse": "bayes-fuse",
    "mapfuse": "map-fuse",
    "posfuse": "pos-fuse",
    "probfuse": "prob-fuse",
    "segfuse": "seg-fuse",
    "slidefuse": "slide-fuse",
}
NORMS = {
    "min-max": "min-max",
    "min-max-inverted": INVERTED,
    "max": "max",
    "sum": "sum",
    "zmuv": "z-score",
    "rank": "rank",
    "borda": "borda",
}


class TooFewRuns(ParameterError, AssertionError):
    """Fewer than two runs: an AssertionError in the original."""


def fuse(
    runs: Sequence[Run], norm: str | None = "min-max", method: str = "wsum", params: Mapping[str, Any] | None = None
) -> Run:
    """Fuse runs, as ranx.fuse does.

    Parameters
    ----------
    runs
        At least two runs with the same queries. They are not changed.
    norm
        Normalisation: "min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda", or None. Methods that look
        at ranks alone heed only "min-max-inverted", which reverses the lists.
    method
        Method by its name in ranx, such as "rrf", "mnz" or "wsum".
    params
        Parameters of the method by their names in ranx, such as `{"weights": [0.3, 0.7]}` or `{"k": 60}`; and "name",
        the name of the fused run.

    Returns
    -------
    Run
        The fused run, sorted.

    Raises
    ------
    ValueError
        A name does not exist, a parameter is missing or wrong, or there is one run. If the queries of the runs differ,
        the error is also an AssertionError.

    Examples
    --------
    >>> bm25 = Run({"q": {"a": 9.0, "b": 8.0, "c": 7.0}})
    >>> dense = Run({"q": {"b": 0.9, "d": 0.5}})
    >>> fuse([bm25, dense], method="rrf", params={"k": 60})["q"] == {
    ...     "b": 1 / 61 + 1 / 62, "a": 1 / 61, "d": 1 / 62, "c": 1 / 63
    ... }
    True
    >>> fuse([bm25, dense], norm="max", method="mnz")["q"]["b"]  # (8 / 9 + 1) * 2
    3.7777777777777777
    """
    fusion_name = method_by_name(method)
    check_runs(runs)
    if norm is not None and norm not in NORMS:
        raise UnknownName("normalisation of ranx", str(norm), NORMS)
    parameters, name = parameters_of(method, fusion_name, params)
    normalise = "none" if norm is None else NORMS[norm]
    prepared = [run._prepared() for run in runs]
    if fusion_name.method in METHODS:
        if not METHODS[fusion_name.method].uses_scores and normalise != INVERTED:
            normalise = "none"
        settings = FusionSettings(method=fusion_name.method, normalise=normalise, **parameters)
        fused = fuse_pool(prepared, settings, name=name)
    else:  # given weights in the place of learned ones
        weights = weights_of_runs(parameters["weights"], len(runs)).tolist()
        names, notes, pool = load_pool(prepared, inverted=normalise == INVERTED)
        normalised = normalise_pool(pool, normalise, names)
        fused = fused_run(pool, TRAINED[fusion_name.method].apply(pool, {"weights": weights}, normalised), name, notes)
    result: Run = Run._of(fused, name)
    return result


def method_by_name(method: str) -> FusionName:
    """The method. Raises UnknownName, and ParameterError for one that has to learn first."""
    if method in LEARNED:
        raise ParameterError(
            f"{method} learns from judgments; train it with rankscope.fusion.train(qrels, runs, {LEARNED[method]!r}), "
            "whose result fuses"
        )
    if method not in METHOD_NAMES:
        raise UnknownName("fusion method of ranx", str(method), METHOD_NAMES)
    return METHOD_NAMES[method]


def check_runs(runs: Any) -> None:
    """Raise for anything but two or more runs with the same queries."""
    if not isinstance(runs, Sequence) or not all(isinstance(run, Run) for run in runs):
        raise InputError("runs: expected a list of objects of Run; make them with Run({query: {document: score}})")
    if len(runs) < 2:
        raise TooFewRuns(f"{len(runs)} run to be fused, expected at least 2; add one")
    queries = runs[0].keys()
    for number, run in enumerate(runs[1:], 2):
        if run.keys() != queries:
            raise NotComparable(
                f"runs 1 and {number} have different queries ({first_names(queries ^ run.keys())}), expected the same; "
                "call make_comparable(qrels) on each, or fuse with rankscope.fusion.fuse"
            )


def parameters_of(method: str, fusion_name: FusionName, params: Mapping[str, Any] | None) -> tuple[dict[str, Any], str]:
    """Parameters by our names, and the name of the fused run. Raises ParameterError."""
    values = dict(params or {})
    name = str(values.pop("name", fusion_name.name))
    unknown = next((parameter for parameter in values if parameter not in fusion_name.parameters), None)
    if unknown is not None:
        accepted = ", ".join((*fusion_name.parameters, "name"))
        raise ParameterError(f"params: {method} has no parameter {unknown!r}, expected {accepted}")
    if fusion_name.required is not None and fusion_name.required not in values:
        raise ParameterError(
            f"params: {method} needs {fusion_name.required!r}; pass params={{{fusion_name.required!r}: ...}}"
        )
    parameters = {fusion_name.parameters[parameter]: value for parameter, value in values.items()}
    if "weights" in parameters:
        parameters["weights"] = as_weights(parameters["weights"])
    return parameters, name
