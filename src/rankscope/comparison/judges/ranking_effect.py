"""The effect of another judge on the ranking of systems: the same runs under two sets of judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.comparison.judges.common_documents import JudgeSettings
from rankscope.comparison.judges.family_bias import family_masks
from rankscope.comparison.judges.verdict import Verdict, verdict_rows, verdicts_by_use
from rankscope.data.columns import column, columns_of, digits, table_of
from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.data.section import Section
from rankscope.data.text import format_percent, join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings
from rankscope.evaluation.engine import evaluate, list_runs, plan_and_join
from rankscope.evaluation.query_table import QueryTable
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import file_stamps, is_path, refuse_changed, source_name
from rankscope.io.read import read_run
from rankscope.kernels.resample import bootstrap_means, draw
from rankscope.kernels.rounding_ties import join_ties, order_of
from rankscope.measures.rank_similarity import kendall_tau, tau_ap
from rankscope.stats.cluster_sums import cluster_sums
from rankscope.stats.correlation_values import ap_above_groups, rank_rows, surplus_by_row, tau_ap_by_row, taus
from rankscope.stats.inputs import as_generator
from rankscope.stats.intervals import percentile_ends, t_interval
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "RankingEffect",
    "RankingEffects",
    "effect_section",
    "effects_on_ranking",
]


NAN = float("nan")
#: So many pairs of systems that change places are named.
MAX_NAMED_SWAPS = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingEffect:
    """The systems by one measure, under the judgments of A and of B.

    Attributes
    ----------
    measure
        The name of the measure.
    systems
        The names of the systems.
    mean_a, mean_b
        (systems) the means under the judgments of A and of B.
    rank_a, rank_b
        (systems) the ranks, 1 for the best; equal systems share the better rank.
    tau_b
        Kendall's tau-b of both rankings, in [-1, 1]; NaN for one system, and if a judge ties all systems.
    tau_ap
        The AP correlation, in [-1, 1], with A as the truth: changes among the best systems weigh more. NaN as tau_b.
    tau_b_ends, tau_ap_ends
        Their percentile intervals (low, high), from a bootstrap of the queries, or of their clusters.
    changes
        (systems, 3) the change of the mean from A to B, and its confidence interval.
    changes_beyond_others
        (systems, 3) by how much more the mean changes than those of the other systems do on average, and its interval;
        NaN where means are not over queries.
    swaps
        Pairs of systems that swap places, the better one under A first; those furthest apart first.
    verdicts
        For which uses B may replace people; empty where means are not over queries.
    top
        The best systems under A, the best one first; empty unless `JudgeSettings.top` asks for them.
    tau_b_top, tau_b_top_ends
        Kendall's tau-b among them, and its interval.
    n
        How many queries there are.
    notes
        What a reader should know.
    """

    measure: str
    systems: tuple[str, ...]
    mean_a: Floats
    mean_b: Floats
    rank_a: Ints
    rank_b: Ints
    tau_b: float
    tau_ap: float
    tau_b_ends: tuple[float, float]
    tau_ap_ends: tuple[float, float]
    changes: Floats
    changes_beyond_others: Floats
    swaps: tuple[tuple[str, str], ...]
    n: int
    notes: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    top: tuple[str, ...] = ()
    tau_b_top: float = NAN
    tau_b_top_ends: tuple[float, float] = (NAN, NAN)

    @property
    def n_pairs(self) -> int:
        n_systems = len(self.systems)
        return n_systems * (n_systems - 1) // 2

    @property
    def rank_change(self) -> int:
        """The largest change of a rank."""
        return int(np.abs(self.rank_a - self.rank_b).max())

    @property
    def mean_change(self) -> float:
        """The absolute change of a system's mean, on average over the systems."""
        return float(np.abs(self.mean_a - self.mean_b).mean())

    def rows(self) -> Iterator[tuple[str, str, str, str, float, float, float, int]]:
        """Rows of the tidy table."""
        taus: list[tuple[str, float, tuple[float, float]]] = [
            ("tau_b", self.tau_b, self.tau_b_ends),
            ("tau_ap", self.tau_ap, self.tau_ap_ends),
        ]
        for name, value, ends in taus:
            yield name, "", self.measure, "", value, *ends, len(self.systems)
        if self.top:
            yield f"tau_b@{len(self.top)}", "", self.measure, "", self.tau_b_top, *self.tau_b_top_ends, len(self.top)
        numbers: list[tuple[str, float, int]] = [
            ("greatest_rank_change", float(self.rank_change), len(self.systems)),
            ("swapped_pairs", float(len(self.swaps)), self.n_pairs),
            ("mean_absolute_change", self.mean_change, len(self.systems)),
        ]
        for name, value, n in numbers:
            yield name, "", self.measure, "", value, NAN, NAN, n
        for i, system in enumerate(self.systems):
            for name in ("mean_a", "mean_b", "rank_a", "rank_b"):
                yield name, "", self.measure, system, float(getattr(self, name)[i]), NAN, NAN, self.n
            for name, change_with_ends in (
                ("change", self.changes),
                ("change_beyond_others", self.changes_beyond_others),
            ):
                value, low, high = change_with_ends[i].tolist()
                yield name, "", self.measure, system, value, low, high, self.n
        yield from verdict_rows(self.verdicts)


class RankingEffects(NamedTuple):
    """What another judge does to the ranking of systems, by each measure.

    Attributes
    ----------
    effects
        The effect by each measure.
    scores_signature
        The signature of the scores.
    notes
        What a reader should know.
    systems
        Names of the systems.
    hits
        The hits of each system under the first judge.
    families
        Family -> (systems) which are of it; empty without families.
    own_family
        The family of the second judge, if it is known.
    """

    effects: tuple[RankingEffect, ...]
    scores_signature: str
    notes: tuple[str, ...]
    systems: tuple[str, ...]
    hits: tuple[Hits, ...]
    families: Mapping[str, Bools] = {}
    own_family: str | None = None


def effects_on_ranking(
    qrels: tuple[Qrels, Qrels],
    names: tuple[str, str],
    runs: Any,
    measures: Any,
    evaluation: Mapping[str, Any],
    settings: JudgeSettings,
    queries: QueryTable | None = None,
) -> RankingEffects:
    """Evaluate the runs under both judges, and compare the systems by each measure.

    evaluation: the keyword arguments of `evaluate`. queries: what is known of the queries.
    """
    # Standard input cannot be read twice.
    run_list = [
        read_run(run, input=evaluation.get("input")) if is_path(run) and source_name(run) == "<stdin>" else run
        for run in list_runs(runs)
    ]
    run_list = [run if is_path(run) or isinstance(run, Run) else Run(run) for run in run_list]
    reading = InputSettings(input=evaluation.get("input"), total_ranks=evaluation.get("total_ranks"))
    processing = {name: evaluation[name] for name in ("workers", "progress") if name in evaluation}
    other_names = (*InputSettings.declared(), *processing)
    conventions = ConventionSettings(**{name: value for name, value in evaluation.items() if name not in other_names})
    stamps = file_stamps(run_list)
    plan, joined_runs = plan_and_join(qrels[0], run_list, measures, conventions, reading, **processing)
    scores_a, scores_b = score_hits(plan, joined_runs), evaluate(qrels[1], run_list, measures, **evaluation)
    refuse_changed(stamps)
    if queries is not None:
        scores_a, scores_b = queries.add_to(scores_a), queries.add_to(scores_b)
    families, own_family = (
        family_masks(settings.families, scores_a.systems, names)
        if settings.families is not None
        else (dict[str, Bools](), None)
    )
    effects, notes = [], []
    for name in scores_a.measure_names:
        values = np.stack((scores_a.summary(name), scores_b.summary(name)))
        if np.isnan(values).any():
            notes.append(f"{name} has no mean for every system under both judges and is skipped")
        else:
            effects.append(
                effect_of(
                    name,
                    scores_a,
                    values,
                    np.stack((scores_a.matrix(name), scores_b.matrix(name))),
                    settings,
                    families,
                )
            )
    if not effects:
        raise ParameterError(f"no measure has a mean for every system ({notes[0]}); choose another measure")
    all_notes = (*notes, *notes_of(scores_a, scores_b, names))
    return RankingEffects(
        tuple(effects),
        scores_a.signature(),
        all_notes,
        scores_a.systems,
        tuple(joined_run.hits for joined_run in joined_runs),
        families,
        own_family,
    )


def notes_of(scores_a: Scores, scores_b: Scores, names: tuple[str, str]) -> list[str]:
    """The notes of both evaluations, with the judge's name if only one has it; and a note on settings that differ."""
    notes = [note for note in scores_a.notes if note in scores_b.notes]
    for scores, name in ((scores_a, names[0]), (scores_b, names[1])):
        notes += [f"by {name}: {note}" for note in scores.notes if note not in notes]
    differing_measures = [
        measure
        for measure, settings_a, settings_b in zip(
            scores_a.measure_names, scores_a.measure_settings, scores_b.measure_settings, strict=True
        )
        if settings_a != settings_b
    ]
    if differing_measures:
        notes.append(
            f"the judges' highest grades differ, and so do settings of {', '.join(differing_measures)} that follow "
            f"from them; the signature has those of {names[0]}"
        )
    return notes


def effect_of(
    measure: str,
    scores: Scores,
    values: Floats,
    by_query: Floats,
    settings: JudgeSettings,
    families: Mapping[str, Bools],
) -> RankingEffect:
    """The effect by one measure.

    Parameters
    ----------
    measure, scores
        The measure, and the scores under A.
    values
        (2, systems) means under A and B.
    by_query
        (2, systems, queries) values under A and B.
    settings
        How the judges are compared.
    families
        Family -> (systems) which are of it.
    """
    means_a, means_b = join_ties((scores.sign(measure) or 1) * values)
    names = np.array(scores.systems, object)
    gaps_a, gaps_b = (means[:, None] - means for means in (means_a, means_b))
    first, second = np.nonzero((gaps_a > 0) & (gaps_b < 0))
    order = order_of(gaps_b[first, second] - gaps_a[first, second])
    first, second = first[order], second[order]
    notes: tuple[str, ...] = ()
    tau_b, ap_correlation = NAN, NAN
    ends = ((NAN, NAN), (NAN, NAN))
    is_mean = scores.measures[scores.place_of(measure)].summary == "mean"
    is_complete = np.asarray(~np.isnan(by_query).any(axis=(0, 1)) & is_mean, np.bool_)
    complete, sample = by_query[:, :, is_complete], sample_of(scores, is_complete)
    if means_a.size > 1:
        tau_b = kendall_tau(means_a, means_b)
        has_ties = np.unique(means_a).size < means_a.size
        if complete.shape[2] > 1:
            ends = tau_ends(complete * (scores.sign(measure) or 1), has_ties, settings, sample)
        ap_correlation = tau_ap(means_a, means_b, ties="b" if has_ties else "a")
        if has_ties:
            notes = ("systems are tied under the first judge: tau_AP is tau_AP,b, the mean of both directions",)
    top = best_systems(gaps_a, settings.top)
    tau_top, top_ends = NAN, (NAN, NAN)
    if top.size > 1:
        tau_top = kendall_tau(means_a[top], means_b[top])
        if complete.shape[2] > 1:
            top_ends, _ = tau_ends(complete[:, top] * (scores.sign(measure) or 1), True, settings, sample)
    return RankingEffect(
        measure=measure,
        systems=scores.systems,
        mean_a=values[0],
        mean_b=values[1],
        rank_a=1 + (gaps_a < 0).sum(axis=1),
        rank_b=1 + (gaps_b < 0).sum(axis=1),
        tau_b=tau_b,
        tau_ap=ap_correlation,
        tau_b_ends=ends[0],
        tau_ap_ends=ends[1],
        changes=changes_of(complete, settings.confidence_level, sample),
        changes_beyond_others=changes_of(complete - others_mean(complete), settings.confidence_level, sample),
        swaps=tuple(zip(names[first].tolist(), names[second].tolist(), strict=True)),
        n=len(scores.query_ids),
        notes=notes,
        verdicts=verdicts_by_use(
            measure, scores.systems, complete[1] - complete[0], settings, sample, top=top, families=families
        ),
        top=tuple(scores.systems[i] for i in top.tolist()),
        tau_b_top=tau_top,
        tau_b_top_ends=top_ends,
    )


def best_systems(gaps: Floats, n: int | None) -> Ints:
    """Indices of the best n systems, and of those that tie with the last of them, the best one first.

    gaps: (systems, systems) the means of the systems less those of the others. None for n: no system.
    """
    if n is None:
        return np.empty(0, np.int64)
    ranks = 1 + (gaps < 0).sum(axis=1)
    order = np.argsort(ranks, kind="stable")
    return np.asarray(order[ranks[order] <= ranks[order][min(n, ranks.size) - 1]])


def sample_of(scores: Scores, is_complete: Bools) -> dict[str, Any]:
    """Clusters and weights of these queries, as statistics take them."""
    clusters, weights = scores.queries.cluster_codes, scores.queries.weight
    return {
        "clusters": None if clusters is None else clusters[is_complete],
        "weights": None if weights is None else weights[is_complete],
    }


def tau_ends(
    by_query: Floats, has_ties: bool, settings: JudgeSettings, sample: Mapping[str, Any]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of the percentile intervals of tau-b and of tau_AP, from a bootstrap of the queries, or of their clusters.

    Samples in which all systems are tied have no tau and are skipped; NaN if no sample has one.
    """
    n_systems = by_query.shape[1]
    draws = draw(as_generator(settings.seed), settings.n_resamples)
    lists = by_query.reshape(2 * n_systems, -1)
    is_simple = sample["clusters"] is None and sample["weights"] is None
    means = (bootstrap_means(lists, draws) if is_simple else cluster_sums(lists, **sample).resampled_means(draws)).T
    x, y = (
        rank_rows(np.ascontiguousarray(judge_means), computed=True)
        for judge_means in (means[:, :n_systems], means[:, n_systems:])
    )
    tau_b = taus(surplus_by_row(x, y), x, y, "kendall_b")
    ap_correlation = tau_ap_by_row(x, y) if has_ties else ap_above_groups(x, y)
    low, high = percentile_ends(np.stack((tau_b, ap_correlation)), settings.confidence_level)
    return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def others_mean(by_query: Floats) -> Floats:
    """(2, systems, queries) the mean of the other systems; NaN for a single system."""
    n_systems = by_query.shape[1]
    if n_systems < 2:
        return np.full(by_query.shape, NAN)
    return np.asarray((by_query.sum(axis=1, keepdims=True) - by_query) / (n_systems - 1))


def changes_of(by_query: Floats, confidence_level: float, sample: Mapping[str, Any]) -> Floats:
    """(systems, 3) the mean change from A to B, and the ends of Student's interval; NaN if undefined.

    sample: clusters and weights of the queries.
    """
    change = by_query[1] - by_query[0]
    if not change.shape[1] or np.isnan(change).any():
        return np.full((len(change), 3), NAN)
    interval = t_interval(change, confidence_level=confidence_level, **sample)
    return np.stack((interval.mean, interval.low, interval.high), axis=1)


def effect_section(effect: RankingEffect, names: tuple[str, str], confidence_level: float) -> Section:
    """A sentence, and a table of the systems in the order of A."""
    order = np.argsort(effect.rank_a, kind="stable")
    name_a, name_b = names
    return Section(
        title=f"Systems by {effect.measure}",
        sentence=effect_sentence(effect, names, confidence_level),
        table=table_of(
            column("system", [effect.systems[i] for i in order.tolist()], name=True),
            column(name_a, effect.mean_a[order], digits()),
            column(name_b, effect.mean_b[order], digits()),
            column("change", (effect.mean_b - effect.mean_a)[order], digits(signed=True)),
            *columns_of(("beyond others", "low", "high"), effect.changes_beyond_others[order], digits(signed=True)),
            column(f"rank by {name_a}", effect.rank_a[order]),
            column(f"rank by {name_b}", effect.rank_b[order]),
        ),
        notes=effect.notes,
    )


def effect_sentence(effect: RankingEffect, names: tuple[str, str], confidence_level: float) -> str:
    """Which systems change places, how far they move, and how much the values change."""
    has_one_system = len(effect.systems) == 1
    change_sentence = (
        f"If the judgments of {names[1]} replace those of {names[0]}, the mean {effect.measure} of a system changes by "
        f"{effect.mean_change:.4f} in absolute value{'' if has_one_system else ', on average over the systems'}."
    )
    if has_one_system:
        return f"{change_sentence} There is one system, so no ranking to compare."
    interval_name = f"{format_percent(confidence_level)} interval over queries"
    tau_text = "; ".join(
        f"{name} {value:.2f}" + ("" if np.isnan(ends[0]) else f", {interval_name} {ends[0]:.2f} to {ends[1]:.2f}")
        for name, value, ends in (
            ("Kendall's tau", effect.tau_b, effect.tau_b_ends),
            ("tau_AP", effect.tau_ap, effect.tau_ap_ends),
        )
        if not np.isnan(value)
    )
    tau_text = f" ({tau_text}; 1 means the same order)" if tau_text else ""
    if effect.top:
        ends = effect.tau_b_top_ends
        value = "has no value" if np.isnan(effect.tau_b_top) else f"is {effect.tau_b_top:.2f}"
        interval = "" if np.isnan(ends[0]) else f" ({interval_name} {ends[0]:.2f} to {ends[1]:.2f})"
        change_sentence = (
            f"Among the best {len(effect.top)} by {names[0]}, {join_names(effect.top)}, Kendall's tau {value}"
            f"{interval}. "
            f"{change_sentence}"
        )
    if not effect.swaps:
        systems_text = pluralise(len(effect.systems), "system")
        order_text = (
            f"The observed means give the {systems_text} the same order with either judge"
            if (effect.rank_a == effect.rank_b).all()
            else f"By the observed means, no pair of the {systems_text} swaps places"
        )
        return f"{order_text}{tau_text}. {change_sentence}"
    pair_texts = [f"{better} and {worse}" for better, worse in effect.swaps[:MAX_NAMED_SWAPS]]
    if len(effect.swaps) > MAX_NAMED_SWAPS:
        pair_texts.append(f"and {len(effect.swaps) - MAX_NAMED_SWAPS} more")
    swaps_text = "; ".join(pair_texts)
    furthest_systems = np.flatnonzero(np.abs(effect.rank_a - effect.rank_b) == effect.rank_change).tolist()
    movers = join_names([effect.systems[i] for i in sorted(furthest_systems, key=effect.rank_a.tolist().__getitem__)])
    distance = pluralise(effect.rank_change, "place")
    moves_text = f"{movers} move{'s' if len(furthest_systems) == 1 else ''} furthest, by {distance}"
    swaps_clause = (
        f"{len(effect.swaps)} of {effect.n_pairs} pairs of systems swap{'s' if len(effect.swaps) == 1 else ''} places"
    )
    sentence = (
        f"{swaps_clause} when {names[1]} replaces {names[0]}{tau_text}: {swaps_text}. {moves_text}. {change_sentence}"
    )
    beyond_chance = [
        i for i in order_of(-effect.changes_beyond_others[:, 0]).tolist() if effect.changes_beyond_others[i, 1] > 0
    ]
    if beyond_chance:
        systems_text = join_names(
            f"{effect.systems[i]} ({effect.changes_beyond_others[i, 0]:+.4f})" for i in beyond_chance
        )
        sentence += f" It changes significantly more than that of the other systems for {systems_text}."
    return sentence
