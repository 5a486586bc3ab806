"""The function `gate`: is a new system shown to be no worse within a margin (non-inferiority), or worse, or neither?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from rankscope.comparison.gate.decision import (
    PASS,
    SAME_LISTS,
    UNDECIDED,
    WORSE,
    Criterion,
    Decision,
    decide,
    worst,
)
from rankscope.comparison.gate.looks import Looks, Part, betting_order, differences_by_query
from rankscope.comparison.gate.margins import Margin, margin_of
from rankscope.comparison.gate.result import Gate, MeasureGate, SeenQueries
from rankscope.comparison.gate.settings import GateSettings
from rankscope.comparison.gate.text import rare_losses_text
from rankscope.comparison.gate.verdict_change import find_verdict_change
from rankscope.comparison.merge_scores import join_scores
from rankscope.data.scores import MIN_GEOMETRIC, Scores
from rankscope.data.text import format_percent, join_names, pluralise, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes, weight_notes
from rankscope.kernels.rounding_ties import at_most
from rankscope.stats.cluster_sums import intraclass_correlation
from rankscope.stats.inputs import seed_of
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.typing import Bools, PathLike

__all__ = [
    "decide_gate",
    "gate",
]


def gate(
    new: Scores,
    baseline: Scores | Sequence[Scores],
    measures: object = None,
    *,
    margin: float | str | Mapping[str, float | str],
    by_group: float | str | None = None,
    system: str | None = None,
    baseline_system: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    test: str = "t",
    up_to: int | None = None,
    looks: int | None = None,
    spending: str = "obrien-fleming",
    looks_file: PathLike | None = None,
    seen: Sequence[str] = (),
    value_range: Sequence[float] | None = None,
    n_resamples: int = 10_000,
    rng: Any = None,
    power: float = 0.8,
) -> Gate:
    """Test whether a new system is worse than a baseline by at most a margin (non-inferiority).

    Parameters
    ----------
    new, baseline
        Scores on the same queries, with the same judgments and measures; may have been saved (`read_scores`). Several
        baselines are a list; the new system then has to pass against each.
    measures
        A measure, a list of measures, or None for all measures of `new`.
    margin
        Largest acceptable loss of the mean: in units of the measure, as 0.01, or a percentage of the baseline's mean,
        as "2%". For measures of their own margins a mapping, such as {"nDCG@10": 0.01, "R@100": "2%"}; that of "" is
        for all others.
    by_group
        Largest acceptable loss of the mean in each group of queries; to pass, a system has to be shown to lose less in
        every one. Default: groups decide nothing.
    system
        The system of `new`; may be omitted if there is only one.
    baseline_system
        The system of `baseline`, or a list of several; may be omitted if there is only one.
    alpha
        Significance level of each one-sided test; with planned looks, of all together. Default: 0.05.
    test
        Test of the mean difference; betting holds for every distribution of values within the range of the measure. One
        of 't', 'permutation', 'bootstrap', 'betting'. Default: 't'.
    up_to
        Plan looks: the gate may be asked again with more queries, up to N, and all looks together keep the level. A
        file holds them. Default: one look.
    looks
        Plan K looks, each with more queries, which together keep the level. A file holds them. Default: one look.
    spending
        How planned looks share the level: little at early ones, or about alike. One of 'obrien-fleming', 'pocock'.
        Default: 'obrien-fleming'.
    looks_file
        File that keeps the looks: with `up_to` or `looks` it is needed; with the test betting it makes later looks with
        more queries free. It is written if the look is a new one.
    seen
        Ids of queries that the new system saw in training. They are left out.
    value_range
        Least and greatest value of measures whose range is not known, such as those of other tools.
    n_resamples
        Number of resamples of a permutation test or bootstrap. Default: 10000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    power
        Statistical power for the number of fresh queries that would do. Default: 0.8.

    Returns
    -------
    Gate
        `verdict` is "pass", "worse" or "undecided", the worst over all measures and baselines; `exit_code` is 0, 3 or
        4.

    Raises
    ------
    ParameterError
        An argument is out of range, a measure is missing on one side or has no direction, or a look is not as planned.
    UnknownName
        A system or measure does not exist.
    InputError
        The scores are of different collections, none of the documents of a system is judged, all queries are one
        cluster, or the queries or differences of earlier looks are others now.

    Notes
    -----
    By each measure, on the queries where both systems have a value: "pass" if a one-sided test rejects a mean
    difference of -margin or less; otherwise "worse" if one rejects a mean difference of 0 or more; otherwise
    "undecided". If lower values are better, signs are reversed. For a geometric measure (GMAP) the margin is in natural
    logarithms. The bounds low and high are those of Student's t; of outcomes 0 and 1, both p-values and bounds are
    those of Tango's score test; of bets, those of the bets. One query decides nothing.

    A test of a mean does not see losses that are rare and large. So a pass needs more. Where no query loses as much as
    a twentieth of the range of the measure, or fewer than 5 queries differ by as much, the share of such queries that
    may lose is bounded by Clopper and Pearson's interval (none of 50: 5.8 %), and the mean that they would leave, if
    they lost all, has to be above -margin. And where differences are skewed to the left by more than twice the error of
    their skewness, t corrected for skewness (Hall, 1992) has to pass, too. Only the same lists (`evaluate(...,
    hash_lists=True)`) need no proof.

    With planned looks, the level is spent over them (Lan and DeMets, 1983); the test of a look is one at the level that
    it has. Without, a second look at more queries errs more often than alpha says.

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
    testing and acceptance sampling", for intersection-union tests. Tango (1998). Waudby-Smith and Ramdas (2024) for
    bets.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(40)}
    >>> old = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i % 2)} for i in range(40)}
    >>> new = {f"q{i}": {"d1": 1.0, "d2": 2.0 * (i % 8 == 0)} for i in range(40)}
    >>> result = gate(rs.evaluate(qrels, new, "RR"), rs.evaluate(qrels, old, "RR"), margin=0.02)
    >>> result.verdict, result.exit_code, round(result["RR"].difference, 4)
    ('pass', 0, 0.1875)
    """
    settings = GateSettings(
        margin=margin,  # type: ignore[arg-type]  # which the settings parse
        by_group=by_group,  # type: ignore[arg-type]
        alpha=alpha,
        test=test,
        up_to=up_to,
        looks=looks,
        spending=spending,
        value_range=None if value_range is None else tuple(value_range),
        power=power,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return decide_gate(
        new,
        list(baseline) if isinstance(baseline, (list, tuple)) else [baseline],  # type: ignore[list-item]
        measures,
        settings,
        system=system,
        baseline_systems=(baseline_system,) if isinstance(baseline_system, str) else tuple(baseline_system or ()),
        seen=tuple(seen),
        looks_file=looks_file,
    )


def decide_gate(
    new: Scores,
    baselines: Sequence[Scores],
    measures: object,
    settings: GateSettings,
    *,
    system: str | None = None,
    baseline_systems: Sequence[str] = (),
    seen: Sequence[str] = (),
    looks_file: PathLike | None = None,
) -> Gate:
    """As `gate`, with its settings as one object."""
    for scores in (new, *baselines):
        check_systems(scores, None, 1)
    if not baselines:
        raise ParameterError("no baseline, expected scores of at least one")
    check_looks_file(settings, looks_file)
    if measures is None:
        new = new.with_direction()
    measure_names = measure_names_of(new, measures)
    joined_scores = join_with_baselines(new, baselines, measure_names, system, baseline_systems)
    check_margins(joined_scores, settings)
    check_groups(joined_scores, settings)
    unseen, absent = split_seen(joined_scores, seen)
    scores = joined_scores if unseen is None else joined_scores.select(queries=unseen)
    looks = None
    if looks_file is not None:
        plan = plan_of(settings, scores)
        looks = Looks.open(looks_file, scores.systems[0], settings, plan, scores.query_ids)
    measure_gates = decide_all(scores, settings, looks)
    seen_queries = None
    if unseen is not None:
        levels = {part.part: part.decision.level for own in measure_gates for part in own.parts.values()}
        with_seen = decide_all(joined_scores, settings, None, levels)
        is_unseen = np.zeros(len(joined_scores.query_ids), np.bool_)
        is_unseen[unseen] = True
        seen_queries = SeenQueries(
            queries=tuple(joined_scores.query_ids[place] for place in np.flatnonzero(~is_unseen)),
            n_absent=absent,
            verdict=worst(own.verdict for own in with_seen),
        )
    if looks is not None:
        looks.save({part.part: look_numbers(part, scores) for own in measure_gates for part in own.parts.values()})
    notes = dict.fromkeys(
        (
            *scores.notes,
            *seen_notes(seen_queries, absent),
            *(note for measure_gate in measure_gates for note in notes_of(measure_gate, settings)),
            *notes_on_all(measure_gates, settings),
            *group_hint(scores, settings),
            *scores.queries.clustering_notes(),
        )
    )
    return Gate(
        scores=scores,
        measure_gates=measure_gates,
        settings=settings,
        notes=tuple(notes),
        looks=looks,
        seen=seen_queries,
    )


def check_looks_file(settings: GateSettings, looks_file: PathLike | None) -> None:
    """Raise ParameterError for planned looks without a file, or a file without looks."""
    if settings.plans_looks and looks_file is None:
        raise ParameterError(
            "planned looks (up_to, looks) need a file that keeps them; name it with looks_file (--looks-file)"
        )
    if looks_file is not None and not settings.plans_looks and settings.test != "betting":
        raise ParameterError(
            "looks_file (--looks-file) is for planned looks (--up-to, --looks) or --test betting; plan looks, or leave "
            "it out"
        )


def join_with_baselines(
    new: Scores,
    baselines: Sequence[Scores],
    measures: Sequence[str],
    system: str | None,
    baseline_systems: Sequence[str],
) -> Scores:
    """The scores of the new system, then of each baseline. Raises ParameterError, UnknownName, InputError."""
    selected = [select_system(new, system)]
    names: list[str | None] = list(baseline_systems)
    if names and len(baselines) == 1:
        selected += [select_system(baselines[0], name) for name in names]
    elif names and len(names) != len(baselines):
        raise ParameterError(
            f"{len(names)} names of baselines (baseline_system) for {len(baselines)} scores, expected one for each"
        )
    else:
        selected += [
            select_system(scores, name)
            for scores, name in zip(baselines, names or [None] * len(baselines), strict=True)
        ]
    for scores in selected:
        if scores.unjudged_systems:
            raise InputError(f"the gate has no verdict: {unjudged_reason(scores.unjudged_systems)}")
    joined = selected[0]
    for scores in selected[1:]:
        joined = join_scores(joined, scores, list(measures))
    return joined


def check_margins(scores: Scores, settings: GateSettings) -> None:
    """Raise ParameterError for margins that no difference can reach, or of measures that are not part of the gate."""
    if isinstance(settings.margin, Mapping):
        for name in settings.margin:
            if name:
                scores.place_of(name)
    for measure in scores.measure_names:
        margins = {"the margin (--margin)": measure_margin(scores, measure, settings)}
        if settings.by_group is not None:
            margins["the margin of groups (--by-group)"] = settings.by_group
        low, high = scores.measures[scores.place_of(measure)].range
        for name, margin in margins.items():
            if margin.is_relative and margin.value >= 1:
                raise ParameterError(
                    f"{name} is {margin} of the baseline's mean of {measure}, and a loss of all of it would pass; "
                    "expected less than 100%"
                )
            if not margin.is_relative and margin.value >= high - low:
                raise ParameterError(
                    f"{name} is {margin}, and {measure} lies in [{low:g}, {high:g}]: every system would pass; expected "
                    "a smaller one, such as 0.02"
                )


def measure_margin(scores: Scores, measure: str, settings: GateSettings) -> Margin:
    """The margin of a measure. Raises ParameterError where it has none."""
    names = {}
    if isinstance(settings.margin, Mapping):
        names = {name: scores.measure_names[scores.place_of(name)] for name in settings.margin if name}
    return margin_of(settings.margin, measure, names)


def check_groups(scores: Scores, settings: GateSettings) -> None:
    """Raise ParameterError for a margin of groups without groups."""
    if settings.by_group is not None and scores.queries.group is None:
        raise ParameterError(
            "by_group (--by-group) is the margin of each group of queries, and these have no groups; name a column of "
            "them with group (--group), or find them in ids with group_by (--group-by)"
        )


def group_hint(scores: Scores, settings: GateSettings) -> list[str]:
    """A note on groups that decide nothing."""
    if scores.queries.group is None or settings.by_group is not None:
        return []
    n_groups = pluralise(len(scores.queries.groups), "group")
    return [f"{n_groups} of queries decide nothing here; by_group (--by-group) asks for a pass in each"]


def split_seen(scores: Scores, seen: Sequence[str]) -> tuple[Any, int]:
    """The indices of queries that were not seen in training, None for all, and how many seen ids are of no query.

    Raises InputError if all queries were seen.
    """
    ids = set(seen)
    if not ids:
        return None, 0
    unseen = np.flatnonzero([query not in ids for query in scores.query_ids])
    n_absent = len(ids.difference(scores.query_ids))
    if not unseen.size:
        raise InputError(
            f"all {pluralise_queries(len(scores.query_ids))} were seen in training (seen, --seen), so nothing is left "
            "to decide on; judge other queries"
        )
    return (None if unseen.size == len(scores.query_ids) else unseen), n_absent


def seen_notes(seen: SeenQueries | None, n_absent: int) -> list[str]:
    """Notes on queries that the new system saw in training."""
    notes = []
    if seen is not None:
        n = len(seen.queries)
        were, are, them = ("was", "is", "it") if n == 1 else ("were", "are", "them")
        notes.append(
            f"{pluralise_queries(n)} {were} seen in training and {are} left out ({join_names(seen.queries, 3)}); with "
            f"{them} the verdict would be: {seen.verdict}"
        )
    if n_absent:
        notes.append(
            f"{pluralise(n_absent, 'id')} of queries seen in training {'is' if n_absent == 1 else 'are'} of none here"
        )
    return notes


def select_system(scores: Scores, system: str | None) -> Scores:
    """The scores of one system. Raises ParameterError, UnknownName."""
    if system is None and len(scores.systems) > 1:
        raise ParameterError(
            f"a gate compares two systems, but there are {len(scores.systems)} on one side; name one of "
            f"{join_names(scores.systems)}"
        )
    return scores.select(systems=[scores.place_of_system(system)])


def plan_of(settings: GateSettings, scores: Scores) -> dict[str, Any]:
    """What has to stay the same from look to look."""
    return {
        "baselines": list(scores.systems[1:]),
        "margins": [f"{measure} {measure_margin(scores, measure, settings)}" for measure in scores.measure_names],
        "margin of groups": None if settings.by_group is None else str(settings.by_group),
        "alpha": settings.alpha,
        "test": settings.test,
        "up_to": settings.up_to,
        "looks": settings.looks,
        "spending": settings.spending if settings.plans_looks else None,
    }


def look_numbers(part: MeasureGate, scores: Scores) -> dict[str, Any]:
    """What the file of looks keeps of one part."""
    decision = part.decision
    return {
        "n": part.n,
        "level": decision.level,
        "pvalue_noninferior": decision.pvalue_noninferior,
        "pvalue_worse": decision.pvalue_worse,
        "verdict": decision.verdict,
        "differences": differences_by_query(scores.query_ids, part.measure_values.queries, part.gains),
    }


def decide_all(
    scores: Scores, settings: GateSettings, looks: Looks | None, levels: Mapping[Part, float] | None = None
) -> tuple[MeasureGate, ...]:
    """The gate by each measure against each baseline.

    Parameters
    ----------
    scores
        The scores of the new system, then of the baselines.
    settings
        The settings of the gate.
    looks
        The looks, if they are unseen.
    levels
        The level of each part, where no look says it; that of the settings by default.
    """
    return tuple(
        PairGate(
            scores=scores, settings=settings, looks=looks, levels=levels or {}, place=place, measure=measure
        ).decide()
        for place in range(1, len(scores.systems))
        for measure in scores.measure_names
    )


@dataclass(frozen=True, kw_only=True)
class PairGate:
    """The gate by one measure against one baseline.

    Attributes
    ----------
    scores, settings, looks, levels
        As in `decide_all`.
    place
        The index of the baseline.
    measure
        The measure.
    """

    scores: Scores
    settings: GateSettings
    looks: Looks | None
    levels: Mapping[Part, float]
    place: int
    measure: str

    def decide(self) -> MeasureGate:
        """The verdict on all queries and in groups."""
        pair = self.scores.select(systems=[0, self.place])
        values = match_queries(pair, self.measure)
        refuse_one_cluster(values)
        margin = measure_margin(self.scores, self.measure, self.settings)
        groups = self.decide_groups(values) if self.settings.by_group is not None else {}
        return self.decide_part(values, margin, self.part(), groups)

    def part(self, **group: str) -> Part:
        """What a verdict is about."""
        return Part(self.measure, self.scores.systems[self.place], **group)

    def decide_part(
        self, values: MeasureValues, margin: Margin, part: Part, groups: Mapping[str, MeasureGate]
    ) -> MeasureGate:
        """The verdict on some of the queries."""
        gains = query_gains(values, 0, 1)
        criterion, has_range = self.criterion(values, margin, part, gains)
        same_lists = self.same_lists(values)
        if same_lists is not None and same_lists.all() and values.n > 1 and not gains.any():
            decision = same_lists_decision(criterion)
        else:
            order = self.betting_order(values) if criterion.test == "betting" else slice(None)
            decision = decide(gains[order], criterion, values.sample)
        turn = None
        is_whole = part.group == self.part().group
        if criterion.test == "t" and decision.reason != SAME_LISTS and is_whole:
            turn = find_verdict_change(gains, decision.verdict, criterion, values.sample)
        return MeasureGate(
            part=part,
            measure_values=values,
            gains=gains,
            margin=margin,
            margin_value=criterion.margin,
            decision=decision,
            verdict_change=turn,
            same_lists=same_lists,
            has_range=has_range,
            groups=groups,
        )

    def criterion(self, values: MeasureValues, margin: Margin, part: Part, gains: Any) -> tuple[Criterion, bool]:
        """What differences have to show, and whether the range of the measure is known."""
        settings = self.settings
        largest_loss, has_range = self.largest_loss(values)
        level = self.levels.get(part, settings.alpha)
        if self.looks is not None:
            self.looks.refuse_changes(part, differences_by_query(self.scores.query_ids, values.queries, gains))
            level = self.looks.level(part, values.n)
        is_plain = values.clusters is None and values.weights is None
        if settings.test == "betting" and not is_plain:
            raise ParameterError(
                f"{self.measure}: the test betting takes all queries as independent and of one weight, and these have "
                f"{'clusters' if values.clusters is not None else 'weights'}; choose another test, such as t"
            )
        value = (
            margin.of_mean(float(values.means[1]))
            if not values.are_logarithms or not margin.is_relative
            else (
                -float(np.log1p(-margin.value))  # of the geometric mean
            )
        )
        criterion = Criterion.of(
            settings,
            value,
            level=level,
            largest_loss=largest_loss,
            are_outcomes=values.are_binary and is_plain and settings.test == "t",
        )
        return criterion, has_range

    def largest_loss(self, values: MeasureValues) -> tuple[float | None, bool]:
        """The largest loss that a query can have, and whether it follows from a known range; else from the values."""
        low, high = self.scores.measures[self.scores.place_of(self.measure)].range
        is_known = bool(np.isfinite(high - low))
        if not is_known and self.settings.value_range is not None:
            low, high = self.settings.value_range
            least, greatest = float(values.values.min()), float(values.values.max())
            if least < low or greatest > high:
                raise ParameterError(
                    f"value_range (--range) is {low:g},{high:g}, and {self.measure} has values from {least:g} to "
                    f"{greatest:g}; widen it"
                )
            is_known = True
        if is_known:
            if values.are_logarithms:
                low, high = (float(np.log(max(end, MIN_GEOMETRIC))) for end in (low, high))
            return high - low, True
        if self.settings.test == "betting":
            raise ParameterError(
                f"the test betting needs the range of {self.measure}, which is not known; name its least and greatest "
                "value with value_range (--range 0,1), or choose another test"
            )
        span = float(np.ptp(values.values))
        return span or None, False

    def same_lists(self, values: MeasureValues) -> Bools | None:
        """(n) whether both systems have the same list for a query; None if that is not known."""
        if self.scores.lists is None:
            return None
        lists = self.scores.lists[:, self.scores.place_of(self.measure), values.queries]
        same: Bools = lists[0] == lists[self.place]
        return same

    def betting_order(self, values: MeasureValues) -> Any:
        """(n) the indices of the queries in the order of bets."""
        ids = [self.scores.query_ids[place] for place in values.queries.tolist()]
        place_of_id = {query: place for place, query in enumerate(ids)}
        order = betting_order(ids) if self.looks is None else self.looks.order()
        return np.array([place_of_id[query] for query in order if query in place_of_id], np.intp)

    def decide_groups(self, values: MeasureValues) -> dict[str, MeasureGate]:
        """The gate in each group. Raises InputError for a group without a query that has values of both systems."""
        margin = self.settings.by_group
        assert margin is not None
        by_group = split_by_group(values, self.scores.queries)
        for name in self.scores.queries.groups:
            if name not in by_group:
                raise InputError(
                    f"group {name!r}: no query has a value of {self.measure} for both systems, and a pass by "
                    "group (--by-group) needs one in each; leave the queries of this group out"
                )
        groups = {name: self.decide_part(own, margin, self.part(group=name), {}) for name, own in by_group.items()}
        corrected = adjust_pvalues([group.decision.pvalue_worse for group in groups.values()], method="holm").pvalue
        return {
            name: with_corrected_pvalue(group, p)
            for (name, group), p in zip(groups.items(), corrected.tolist(), strict=True)
        }


def same_lists_decision(criterion: Criterion) -> Decision:
    """The verdict on two systems with the same lists."""
    return Decision(
        PASS,
        *(0.0, np.nan, np.nan, np.nan, np.nan, None, True),
        level=criterion.level,
        test=criterion.test,
        reason=SAME_LISTS,
    )


def with_corrected_pvalue(group: MeasureGate, pvalue: float) -> MeasureGate:
    """A group with its corrected p-value of "worse", and undecided if that is not significant any more."""
    decision = group.decision
    if decision.verdict == WORSE and not decision.is_constant and not at_most(pvalue, decision.level):
        decision = decision._replace(verdict=UNDECIDED)
    return replace(group, decision=decision._replace(pvalue_worse=pvalue))


def notes_of(measure_gate: MeasureGate, settings: GateSettings) -> list[str]:
    """Notes on the gate by one measure."""
    values, decision = measure_gate.measure_values, measure_gate.decision
    notes = list(values.notes)
    correlation = np.nan if values.clusters is None else intraclass_correlation(measure_gate.gains, values.clusters)
    sample_notes = [*weight_notes(values.weights), *cluster_notes(values.clusters, correlation)]
    notes += [f"{measure_gate.measure}: {note}" for note in sample_notes]
    if values.are_logarithms:
        with np.errstate(over="ignore"):
            ratio = float(np.exp(-values.sign * measure_gate.margin_value))
        notes.append(
            f"{measure_gate.measure}: the margin of {measure_gate.margin_value:g} is in natural logarithms as well: at "
            f"it, a geometric mean is {ratio:.4g} times that of the baseline"
        )
    elif measure_gate.margin.is_relative:
        notes.append(
            f"{measure_gate.measure}: the margin is {measure_gate.margin} of the mean of {measure_gate.baseline}, "
            f"{measure_gate.margin_value:.4g} on these queries"
        )
    if measure_gate.n == 1:
        notes.append(f"{measure_gate.measure}: one query does not show how much queries vary, so it decides nothing")
    elif decision.reason != SAME_LISTS and decision.is_constant:
        constant_text = "the same values" if measure_gate.difference == 0 else "the same difference"
        notes.append(
            f"{measure_gate.measure}: {constant_text} on all {pluralise_queries(measure_gate.n)}: there is no "
            f"variation to test{unknown_lists_text(measure_gate)}"
        )
    elif np.isnan(measure_gate.low) and decision.reason != SAME_LISTS and decision.level > 0:
        notes.append(f"{measure_gate.measure}: the mean difference is the same in every cluster: nothing to test")
    if not measure_gate.has_range and not np.isnan(decision.share_of_losses):
        notes.append(
            f"{measure_gate.measure}: its range is not known, so the largest loss that there can be is taken to be the "
            "span of these values; name the range with value_range (--range)"
        )
    if decision.test == "tango":
        notes.append(
            f"{measure_gate.measure}: all values are 0 or 1, where t is too sure near 0 and 1: p-values and bounds are "
            "those of Tango's score test"
        )
    elif decision.test == "betting":
        notes.append(
            f"{measure_gate.measure}: p-values and bounds are those of bets on the queries in the order of a hash of "
            "their ids; they hold for every distribution of values in the range of the measure"
        )
    if decision.verdict == PASS and not np.isnan(decision.share_of_losses):
        notes.append(f"{measure_gate.measure}: {rare_losses_text(measure_gate)}, which the margin allows")
    return notes


def unknown_lists_text(measure_gate: MeasureGate) -> str:
    """What is said where values are the same, of the lists."""
    if measure_gate.difference != 0:
        return ""
    if measure_gate.same_lists is None:
        return "; whether the lists are the same, too, is not known (hash_lists=True of evaluate)"
    n_other = int((~measure_gate.same_lists).sum())
    return f"; but on {n_other:,} of them the lists are not the same"


def notes_on_all(measure_gates: Sequence[MeasureGate], settings: GateSettings) -> list[str]:
    notes = []
    if settings.test in ("permutation", "bootstrap"):
        notes.append(f"p-values are those of the {settings.test} test, the bounds low and high those of Student's t")
        smallest_p = 1 / (1 + settings.n_resamples)
        level = min(measure_gate.decision.level for measure_gate in measure_gates)
        if smallest_p > level:
            notes.append(
                f"{pluralise(settings.n_resamples, 'resample')} cannot show anything at level {level:.2g}; use more"
            )
    n_tests = len(measure_gates) * (1 if settings.by_group is None else 2)
    if n_tests > 1 and any(measure_gate.verdict != UNDECIDED for measure_gate in measure_gates):
        error_rate = format_percent(min(1.0, n_tests * settings.alpha))
        n_baselines = len({measure_gate.baseline for measure_gate in measure_gates})
        n_measures = len(measure_gates) // n_baselines
        subject = pluralise(n_measures, "measure")
        if n_baselines > 1:
            subject += f" against {n_baselines} baselines"
        if settings.by_group is not None:
            each = f"{subject}, each on" if len(measure_gates) > 1 else "verdicts on"
            subject = f"{each} all queries and in groups"
        notes.append(
            f"{subject}: a pass needs all of them; a system that is equal by all is called worse by one of them in up "
            f"to {error_rate} of cases"
        )
    return notes
