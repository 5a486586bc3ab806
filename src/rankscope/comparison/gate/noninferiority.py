"""The function `gate`: is a new system shown to be no worse within a margin (non-inferiority), or worse, or neither?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.comparison.common_queries import (
    MeasureValues,
    check_systems,
    match_queries,
    measure_names_of,
    query_gains,
    refuse_one_cluster,
    split_by_group,
    unjudged_reason,
)
from rankscope.comparison.gate.decision import UNDECIDED, WORSE, decide
from rankscope.comparison.gate.result import Gate, MeasureGate
from rankscope.comparison.gate.settings import GateSettings
from rankscope.comparison.gate.verdict_change import find_verdict_change
from rankscope.comparison.merge_scores import join_scores
from rankscope.data.queries import Queries
from rankscope.data.scores import Scores
from rankscope.data.text import format_percent, join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes, weight_notes
from rankscope.kernels.rounding_ties import at_most
from rankscope.stats.cluster_sums import intraclass_correlation
from rankscope.stats.inputs import seed_of
from rankscope.stats.intervals import tango_interval
from rankscope.stats.multiple_comparisons import adjust_pvalues

__all__ = [
    "decide_gate",
    "gate",
]


def gate(
    new: Scores,
    baseline: Scores,
    measures: object = None,
    *,
    margin: float,
    by_group: float | None = None,
    system: str | None = None,
    baseline_system: str | None = None,
    alpha: float = 0.05,
    test: str = "t",
    n_resamples: int = 10_000,
    rng: Any = None,
    power: float = 0.8,
) -> Gate:
    """Test whether a new system is worse than a baseline by at most a margin (non-inferiority).

    Parameters
    ----------
    new, baseline
        Scores on the same queries, with the same judgments and measures; may have been saved (`read_scores`).
    measures
        A measure, a list of measures, or None for all measures of `new`.
    margin
        Largest acceptable loss of the mean, in units of the measure.
    by_group
        Largest acceptable loss of the mean in each group of queries; to pass, a system has to be shown to lose less in
        every one. Default: groups decide nothing.
    system
        The system of `new`; may be omitted if there is only one.
    baseline_system
        The system of `baseline`; may be omitted if there is only one.
    alpha
        Significance level of each one-sided test. Default: 0.05.
    test
        Test of the mean difference. One of 't', 'permutation', 'bootstrap'. Default: 't'.
    n_resamples
        Number of resamples of a permutation test or bootstrap. Default: 10000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    power
        Statistical power for the estimate of how many more queries would decide. Default: 0.8.

    Returns
    -------
    Gate
        `verdict` is "pass", "worse" or "undecided", the worst over all measures; `exit_code` is 0, 3 or 4.

    Raises
    ------
    ParameterError
        An argument is out of range, or a measure is missing on one side or has no direction.
    UnknownName
        A system or measure does not exist.
    InputError
        The scores are of different collections, none of the documents of a system is judged, or all queries are one
        cluster.

    Notes
    -----
    By each measure, on the queries where both systems have a value: "pass" if a one-sided test rejects a mean
    difference of -margin or less; otherwise "worse" if one rejects a mean difference of 0 or more; otherwise
    "undecided". If lower values are better, signs are reversed. For a geometric measure (GMAP) the margin is in natural
    logarithms. The bounds low and high are always those of Student's t. The number of queries still needed is estimated
    from the mean and variance of the queries at hand. One query decides nothing. If the difference is the same on every
    query, it decides by itself: at least -margin passes, so equal systems pass, also with margin 0.

    With clusters or weights of queries (`Scores.with_queries`), tests and bounds are those of `compare`: t with the
    jackknife over clusters, sign flips and samples of whole clusters. What either side says of its queries is used.

    With `by_group`, there is such a verdict in each group of queries, too, with this margin, and the worst verdict
    counts. A pass needs all groups to be shown to lose less, each at the level alpha: such an intersection-union test
    errs no more often than one of its tests, so that nothing needs to be corrected. "worse" needs a p-value that Holm's
    method corrects for the number of groups. A group of one query or cluster is undecided.

    References
    ----------
    Schuirmann (1987), one of his two one-sided tests; agrees with
    `scipy.stats.ttest_1samp(differences, -margin, alternative="greater")`. Berger (1982), "Multiparameter hypothesis
    testing and acceptance sampling", for intersection-union tests.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(8)}
    >>> old = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i % 2)} for i in range(8)}
    >>> new = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i == 1)} for i in range(8)}
    >>> result = gate(rs.evaluate(qrels, new, "RR"), rs.evaluate(qrels, old, "RR"), margin=0.02)
    >>> result.verdict, result.exit_code, round(result["RR"].difference, 4)
    ('pass', 0, 0.1875)
    """
    settings = GateSettings(
        margin=margin,
        by_group=by_group,
        alpha=alpha,
        test=test,
        power=power,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return decide_gate(new, baseline, measures, settings, system=system, baseline_system=baseline_system)


def decide_gate(
    new: Scores,
    baseline: Scores,
    measures: object,
    settings: GateSettings,
    *,
    system: str | None = None,
    baseline_system: str | None = None,
) -> Gate:
    """As `gate`, with its settings as one object."""
    for scores in (new, baseline):
        check_systems(scores, None, 1)
    measure_names = measure_names_of(new, measures)
    refuse_no_margin(new, measure_names, settings.margin, "the margin (--gate)")
    new_system, old_system = select_system(new, system), select_system(baseline, baseline_system)
    for scores in (new_system, old_system):
        if scores.unjudged_systems:
            raise InputError(f"the gate has no verdict: {unjudged_reason(scores.unjudged_systems)}")
    joined_scores = join_scores(new_system, old_system, measure_names)
    check_groups(joined_scores, measure_names, settings)
    measure_gates = tuple(
        decide_measure(match_queries(joined_scores, measure), settings, joined_scores.queries)
        for measure in measure_names
    )
    notes = dict.fromkeys(
        (
            *joined_scores.notes,
            *(note for measure_gate in measure_gates for note in notes_of(measure_gate, settings)),
            *notes_on_all(measure_gates, settings),
            *group_hint(joined_scores, settings),
            *joined_scores.queries.clustering_notes(),
        )
    )
    return Gate(
        scores=joined_scores,
        measure_gates=measure_gates,
        settings=settings,
        notes=tuple(notes),
    )


def refuse_no_margin(scores: Scores, measures: Sequence[str], margin: float, name: str) -> None:
    """Raise for a margin that no difference can reach, as one in percent of a measure in [0, 1]."""
    for measure in measures:
        low, high = scores.measures[scores.place_of(measure)].range
        if margin >= high - low:
            raise ParameterError(
                f"{name} is {margin:g}, and {measure} lies in [{low:g}, {high:g}]: every system would pass; expected a "
                "smaller one, such as 0.02"
            )


def check_groups(scores: Scores, measures: Sequence[str], settings: GateSettings) -> None:
    """Raise ParameterError for a margin of groups without groups, or one that no difference can reach."""
    if settings.by_group is None:
        return
    if scores.queries.group is None:
        raise ParameterError(
            "by_group (--by-group) is the margin of each group of queries, and these have no groups; name a column of "
            "them with group (--group), or find them in ids with group_by (--group-by)"
        )
    refuse_no_margin(scores, measures, settings.by_group, "the margin of groups (--by-group)")


def group_hint(scores: Scores, settings: GateSettings) -> list[str]:
    """A note on groups that decide nothing."""
    if scores.queries.group is None or settings.by_group is not None:
        return []
    n_groups = pluralise(len(scores.queries.groups), "group")
    return [f"{n_groups} of queries decide nothing here; by_group (--by-group) asks for a pass in each"]


def select_system(scores: Scores, system: str | None) -> Scores:
    """The scores of one system. Raises ParameterError, UnknownName."""
    if system is None and len(scores.systems) > 1:
        raise ParameterError(
            f"a gate compares two systems, but there are {len(scores.systems)} on one side; name one of "
            f"{join_names(scores.systems)}"
        )
    return scores.select(systems=[scores.place_of_system(system)])


def decide_measure(measure_values: MeasureValues, settings: GateSettings, queries: Queries) -> MeasureGate:
    refuse_one_cluster(measure_values)
    gains, sample = query_gains(measure_values, 0, 1), measure_values.sample
    decision = decide(gains, settings, sample)
    turn = find_verdict_change(gains, decision.verdict, settings, sample) if settings.test == "t" else None
    return MeasureGate(
        measure_values=measure_values,
        gains=gains,
        decision=decision,
        verdict_change=turn,
        groups={} if settings.by_group is None else decide_groups(measure_values, settings, settings.by_group, queries),
    )


def decide_groups(
    measure_values: MeasureValues, settings: GateSettings, margin: float, queries: Queries
) -> dict[str, MeasureGate]:
    """The gate in each group. Raises InputError for a group without a query that has values of both systems."""
    settings = replace(settings, margin=margin)
    values = split_by_group(measure_values, queries)
    for name in queries.groups:
        if name not in values:
            raise InputError(
                f"group {name!r}: no query has a value of {measure_values.measure} for both systems, and a pass by "
                "group (--by-group) needs one in each; leave the queries of this group out"
            )
    gains = {name: query_gains(own, 0, 1) for name, own in values.items()}
    decisions = {name: decide(gains[name], settings, own.sample) for name, own in values.items()}
    corrected = adjust_pvalues([decision.pvalue_worse for decision in decisions.values()], method="holm").pvalue
    groups = {}
    for (name, decision), p in zip(decisions.items(), corrected.tolist(), strict=True):
        if decision.verdict == WORSE and not decision.is_constant and not at_most(p, settings.alpha):
            decision = decide(gains[name], settings, values[name].sample, can_be_worse=False)
        groups[name] = MeasureGate(
            measure_values=values[name],
            gains=gains[name],
            decision=decision._replace(pvalue_worse=p),
            verdict_change=None,
        )
    return groups


def notes_of(measure_gate: MeasureGate, settings: GateSettings) -> list[str]:
    """Notes on the gate by one measure."""
    values = measure_gate.measure_values
    notes = list(values.notes)
    correlation = np.nan if values.clusters is None else intraclass_correlation(measure_gate.gains, values.clusters)
    sample_notes = [*weight_notes(values.weights), *cluster_notes(values.clusters, correlation)]
    notes += [f"{measure_gate.measure}: {note}" for note in sample_notes]
    if measure_gate.measure_values.are_logarithms:
        with np.errstate(over="ignore"):
            ratio = float(np.exp(-measure_gate.measure_values.sign * settings.margin))
        notes.append(
            f"{measure_gate.measure}: the margin of {settings.margin:g} is in natural logarithms as well: at it, a "
            f"geometric mean is {ratio:.4g} times that of the baseline"
        )
    if measure_gate.n == 1:
        notes.append(f"{measure_gate.measure}: one query does not show how much queries vary, so it decides nothing")
    elif measure_gate.decision.is_constant:
        constant_text = "the same values" if measure_gate.difference == 0 else "the same difference"
        notes.append(
            f"{measure_gate.measure}: {constant_text} on all {pluralise_queries(measure_gate.n)}: there is no "
            "variation to test"
        )
    elif np.isnan(measure_gate.low):
        notes.append(f"{measure_gate.measure}: the mean difference is the same in every cluster: nothing to test")
    is_plain = values.clusters is None and values.weights is None
    if values.are_binary and is_plain:
        low = float(tango_interval(measure_gate.gains, confidence_level=1 - 2 * settings.alpha).low)
        effect = "rules out" if low > -settings.margin else "does not rule out"
        notes.append(
            f"{measure_gate.measure}: all values are 0 or 1, where t is too sure near 0 and 1: by Tango's score "
            f"interval the gain is at least {low:.4f}, which {effect} a loss of {settings.margin:g}"
        )
    return notes


def notes_on_all(measure_gates: Sequence[MeasureGate], settings: GateSettings) -> list[str]:
    notes = []
    if settings.test != "t":
        notes.append(f"p-values are those of the {settings.test} test, the bounds low and high those of Student's t")
        smallest_p = 1 / (1 + settings.n_resamples)
        if smallest_p > settings.alpha:
            notes.append(
                f"{pluralise(settings.n_resamples, 'resample')} cannot show anything at level {settings.alpha:g}; "
                "use more"
            )
    n_tests = len(measure_gates) * (1 if settings.by_group is None else 2)
    if n_tests > 1 and any(measure_gate.verdict != UNDECIDED for measure_gate in measure_gates):
        error_rate = format_percent(min(1.0, n_tests * settings.alpha))
        subject = f"{len(measure_gates)} measures"
        if settings.by_group is not None:
            each = f"{subject}, each on" if len(measure_gates) > 1 else "verdicts on"
            subject = f"{each} all queries and in groups"
        notes.append(
            f"{subject}: a pass needs all of them; a system that is equal by all is called worse by one of them in up "
            f"to {error_rate} of cases"
        )
    return notes
