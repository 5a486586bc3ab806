"""Standardised scores: each query has its own scale, so that hard and easy queries weigh alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankscope.comparison.common_queries import check_systems
from rankscope.data.scores import MeasureLike, Scores
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import ParameterError, UnknownName
from rankscope.settings import Settings, choice
from rankscope.stats.standardisation import STANDARDISATIONS, standardise_scores
from rankscope.typing import Bools, Floats

__all__ = [
    "StandardisationSettings",
    "StandardisedMeasure",
    "standardise",
]


#: Means and deviations of fewer systems are too uncertain.
FEW = 3


@dataclass(frozen=True, kw_only=True)
class StandardisationSettings(Settings):
    """How scores are standardised; see `standardise`. In the commands the option is off by default."""

    FUNCTIONS = ("rankscope:standardise",)

    standardise: str = choice(
        "z",
        STANDARDISATIONS,
        help="Standardisation of the scores of each query: z-scores over the systems (z), or z-scores mapped to 0..1 "
        "by the normal distribution function (cdf).",
        argument="method",
    )


@dataclass(frozen=True)
class StandardisedMeasure:
    """A measure of standardised values: name and direction of the original, another range.

    Attributes
    ----------
    name
        The name of the measure.
    range
        The lowest and the highest value there can be.
    higher_is_better
        The direction of the measure.
    summary
        "mean" also for counts and geometric means, since standardised values have neither; "none" stays.
    """

    name: str
    range: tuple[float, float]
    higher_is_better: bool | None
    summary: Literal["mean", "none"] = "mean"

    def __str__(self) -> str:
        return self.name


def standardise(scores: Scores, *, method: str = "z", reference: Scores | Sequence[str] | str | None = None) -> Scores:
    """Scores on a scale of each query's own, so that hard and easy queries weigh alike.

    Parameters
    ----------
    scores
        The scores.
    method
        Standardisation of the scores of each query: z-scores over the systems (z), or z-scores mapped to 0..1 by the
        normal distribution function (cdf). One of 'z', 'cdf'. Default: 'z'.
    reference
        The systems that the mean and standard deviation of a query come from: names of some of these systems, or other
        scores of the same queries and measures. Default: all of these systems.

    Returns
    -------
    Scores
        The standardised scores. Measures keep their name and direction (where lower is better, lower still is). Missing
        values stay missing, and bounds are dropped.

    Raises
    ------
    ParameterError
        There are fewer than two reference systems, the scores are standardised already, or the reference lacks a query.
    UnknownName
        A system or measure does not exist.

    Notes
    -----
    "z" is unbounded, 0 for an average system. "cdf" is in [0, 1], 0.5 for an average system, and limits the influence
    of single queries. The standard deviation divides by the number of systems minus 1. If all reference systems have
    the same value on a query, every system gets 0 (or 0.5), with a note. With two reference systems, a query only says
    which of them is better, and a note says so.

    References
    ----------
    Webber, Moffat and Zobel (SIGIR 2008), "Score standardization for inter-collection comparison of retrieval systems".

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {"easy": {"a": 1, "b": 1}, "hard": {"a": 1}}
    >>> lists = {"A": "abcd", "B": "acbd", "C": "cdab"}
    >>> runs = [
    ...     rs.Run({q: {d: -i for i, d in enumerate(docs)} for q in qrels}, name=name) for name, docs in lists.items()
    ... ]
    >>> rs.standardise(rs.evaluate(qrels, runs, "AP")).matrix("AP").round(3).tolist()
    [[0.832, 0.577], [0.277, 0.577], [-1.109, -1.155]]
    """
    method = StandardisationSettings(standardise=method).standardise
    check_systems(scores, None, minimum=1)
    if "standardised" in scores.settings:
        raise ParameterError(
            f"these scores are standardised already (standardised:{scores.settings['standardised']}); "
            "standardise the scores that they were made from"
        )
    reference_array, names = reference_values(scores, reference)
    if len(reference_array) < 2:
        raise ParameterError(
            f"{pluralise(len(reference_array), 'system')} {'is' if len(reference_array) == 1 else 'are'} no reference "
            "to standardise by, expected at least 2, better many; evaluate more runs together"
        )
    values, is_constant = np.empty_like(scores.values), np.zeros(scores.values.shape[1:], np.bool_)
    for measure_index in range(len(scores.measures)):
        values[:, measure_index], is_constant[measure_index] = standardise_scores(
            scores.values[:, measure_index], reference=reference_array[:, measure_index], method=method
        )
    reference_entry = {} if reference is None else {"reference": names}
    return replace(
        scores,
        measures=tuple(
            standardised_measure(measure, name, method)
            for measure, name in zip(scores.measures, scores.measure_names, strict=True)
        ),
        values=values,
        bounds=None,
        settings={**scores.settings, "standardised": method, **reference_entry},
        notes=(*scores.notes, *notes_on(scores, is_constant, len(reference_array), method)),
    )


def standardised_measure(measure: MeasureLike, name: str, method: str) -> StandardisedMeasure:
    return StandardisedMeasure(
        name=name,
        range=(-math.inf, math.inf) if method == "z" else (0.0, 1.0),
        higher_is_better=measure.higher_is_better,
        summary="none" if measure.summary == "none" else "mean",
    )


def reference_values(scores: Scores, reference: Scores | Sequence[str] | str | None) -> tuple[Floats, str]:
    """(reference systems, measures, queries) in the order of the scores, and the systems for the signature."""
    if reference is None:
        return scores.values, ""
    if not isinstance(reference, Scores):
        if not isinstance(reference, (str, list, tuple)):
            raise ParameterError(f"reference is {reference!r}, expected names of systems, or scores of others")
        names = [reference] if isinstance(reference, str) else list(reference)
        unknown = [name for name in names if name not in scores.systems]
        if unknown:
            raise UnknownName("system of these scores", str(unknown[0]), scores.systems)
        names = list(dict.fromkeys(names))
        return scores.values[[scores.systems.index(name) for name in names]], for_signature(names)
    index_of_query = {query: i for i, query in enumerate(reference.query_ids)}
    missing = [query for query in scores.query_ids if query not in index_of_query]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise ParameterError(
            f"{len(missing):,} of {pluralise_queries(len(scores.query_ids))} {verb} not in the reference scores (such "
            f"as {missing[0]!r}), expected all of them; evaluate the reference systems with the same judgments"
        )
    if "standardised" in reference.settings:
        raise ParameterError("the reference scores are standardised already, expected plain ones")
    query_indices = [index_of_query[query] for query in scores.query_ids]
    matrices = [reference.matrix(name)[:, query_indices] for name in scores.measure_names]
    return np.stack(matrices, axis=1), for_signature(reference.systems)


def for_signature(systems: Sequence[str]) -> str:
    """Up to three names; else how many there are."""
    return ",".join(systems) if len(systems) <= FEW else pluralise(len(systems), "system")


def notes_on(scores: Scores, is_constant: Bools, n_reference_systems: int, method: str) -> tuple[str, ...]:
    """Notes on standardised scores."""
    scale = (
        "by how many standard deviations a system is above the mean of the systems on that query"
        if method == "z"
        else "0.5 for a system that is average on that query, near 1 far above the others"
    )
    notes = [f"values are standardised by query (standardised:{method}): {scale}; they are not the measure itself"]
    average = "0" if method == "z" else "0.5"
    for name, n_constant in zip(scores.measure_names, is_constant.sum(axis=1).tolist(), strict=True):
        if n_constant:
            notes.append(
                f"{name}: the reference systems do not differ on {n_constant:,} of "
                f"{pluralise_queries(is_constant.shape[1])}; every system counts {average} there"
            )
    if n_reference_systems < FEW:
        notes.append(
            "with two reference systems, a query only says which of them is better, not by how much; "
            "standardise by more systems"
        )
    if scores.bounds is not None:
        notes.append("the bounds that missing judgments allow are not standardised and are skipped")
    return tuple(notes)
