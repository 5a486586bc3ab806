"""plan_judgments: how many queries people must judge beside a machine, for intervals of a given width."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.errors import InputError
from rankscope.judging.both_judged import DualValues, score_under_both
from rankscope.judging.estimating import pairs_of, resolve_baseline
from rankscope.judging.judgments_needed import JudgmentPlan, MeasureNeeds, Need
from rankscope.stats.inputs import check_positive, check_share
from rankscope.stats.power import MAX_QUERIES
from rankscope.stats.prediction_powered import FEWEST, combined_half, spread_of
from rankscope.typing import PathLike

__all__ = ["plan_judgments"]


def plan_judgments(
    human: Qrels | PathLike | Any,
    runs: Any,
    machine: Qrels | PathLike | Any,
    measures: Any = None,
    *,
    width: float,
    baseline: str | None = None,
    map: Any = None,
    names: tuple[str, str] | None = None,
    confidence_level: float = 0.95,
    progress: Any = None,
    **options: Any,
) -> JudgmentPlan:
    """How many queries people must judge so that an interval is no wider than `width`, given how well this machine
    agrees with them on the queries that they have judged so far.

    width: of the whole interval, from end to end. Planned are the mean of each system and the differences (to
    `baseline`, or of all pairs), each for people alone and for people with the machine, once with the queries that the
    machine has judged and once with as many as one likes: the judgments of the machine, too, are of a sample of
    queries, and so leave an interval that no person's judgment makes narrower. Other arguments: as for `estimate`.

    What is planned with are the standard deviation of people's values and the share of their variance that the machine
    explains, both estimated from the queries at hand: of fewer than some 20 they are rough.

    Raises ParameterError for a width that is not above 0, InputError where people judged fewer than 5 queries, and as
    `estimate`.

    Source: the variance of the prediction-powered estimate, see `rankscope.stats.prediction_powered.combined_half`.

    >>> import rankscope as rs
    >>> ranks = [1, 2, 1, 3, 1, 2, 4, 1, 2, 1]  # of the only relevant document; the machine errs on two queries
    >>> lists = {f"q{i}": {f"d{k}": -float(k) for k in range(1, 6)} for i in range(10)}
    >>> machine = {f"q{i}": {f"d{k if i % 7 else 2}": 1} for i, k in enumerate(ranks)}
    >>> human = {f"q{i}": {f"d{k}": 1} for i, k in enumerate(ranks[:8])}
    >>> found = rs.judging.plan_judgments(human, [rs.Run(lists, name="r")], machine, "RR", width=0.2)
    >>> [(need.method, need.n_queries) for need in found.parts[0].needs]
    [('human', 46), ('combined', None), ('combined, any number by the machine', 30)]
    """
    check_positive("width", width)
    check_share("confidence_level", confidence_level)
    both = score_under_both(human, runs, machine, measures, map=map, names=names, progress=progress, **options)
    baseline = resolve_baseline(baseline, runs, both)
    parts = tuple(
        needs_of(both.values(name), both.systems, baseline, width, confidence_level)
        for name in both.human.measure_names
    )
    measured = both.signature(
        "judgments of people", width=f"{width:g}", baseline=baseline, confidence=f"{confidence_level:g}"
    )
    return JudgmentPlan(
        parts=parts,
        width=width,
        confidence_level=confidence_level,
        measured=measured,
        notes=tuple(dict.fromkeys((*both.notes, *(note for part in parts for note in part.notes)))),
    )


def needs_of(
    values: DualValues, systems: tuple[str, ...], baseline: str | None, width: float, confidence_level: float
) -> MeasureNeeds:
    """Of all systems and pairs by one measure."""
    if values.n < FEWEST:
        raise InputError(
            f"people judged {values.n} queries that have a value of {values.measure}, expected at least {FEWEST} to "
            "tell how their values vary; have some more judged, drawn at random"
        )
    first, second = pairs_of(systems, baseline)
    named_pairs = [(systems[a], systems[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    h, m = values.human, values.machine
    both_h, both_m = (np.concatenate((side, side[first] - side[second])) for side in (h, m))
    spread = spread_of(both_h, both_m)
    needs = [
        need
        for (a, b), sd, explained in zip(
            [*((system, "") for system in systems), *named_pairs],
            spread.sd.tolist(),
            spread.explained.tolist(),
            strict=True,
        )
        for need in needs_for(a, b, sd, explained, width / 2, values.n_all, confidence_level)
    ]
    return MeasureNeeds(
        measure=values.measure,
        systems=systems,
        needs=tuple(needs),
        n=values.n,
        n_all=values.n_all,
        notes=values.notes,
    )


def needs_for(
    a: str, b: str, sd: float, explained: float, half: float, n_all: int, confidence_level: float
) -> list[Need]:
    """By people alone, with the machine as it is, and with one that judges as many queries as one likes."""
    alone = fewest_queries(MAX_QUERIES, MAX_QUERIES, sd, 0.0, half, confidence_level)
    helped = fewest_queries(n_all, n_all, sd, explained, half, confidence_level)
    any_number = fewest_queries(MAX_QUERIES, MAX_QUERIES, sd, explained, half, confidence_level)
    return [
        Need(a, b, "human", sd, explained, alone),
        Need(a, b, "combined", sd, explained, helped),
        Need(a, b, "combined, any number by the machine", sd, explained, any_number),
    ]


def fewest_queries(
    most: int, n_all: int, sd: float, explained: float, half: float, confidence_level: float
) -> int | None:
    """The fewest queries for half an interval of at most this; None where `most` do not do, or nothing varies."""

    def enough(n: int) -> bool:
        return combined_half(n, n_all, sd, explained, confidence_level=confidence_level) <= half

    if not sd > 0 or not enough(most):
        return None
    low, high = 1, most  # one query says nothing of how they vary
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
