"""What another judge does to the ranking of systems: the same runs under two sets of judgments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.data.scores import Scores
from rankscope.data.section import Section, Table
from rankscope.data.text import format_number, format_value, join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.evaluation.engine import evaluate, list_runs, plan_and_join
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import file_stamps, is_path, refuse_changed, source_name
from rankscope.io.read import read_run
from rankscope.kernels.resample import bootstrap_means, draw
from rankscope.kernels.ties import join_ties, order_of
from rankscope.measures.association import kendall_tau, tau_ap
from rankscope.stats.correlation_values import ap_above_groups, rank_rows, surplus_by_row, tau_ap_by_row, taus
from rankscope.stats.inputs import as_generator
from rankscope.stats.intervals import percentile_ends, t_interval
from rankscope.typing import Floats, Ints

__all__ = [
    "EffectResampling",
    "RankingEffect",
    "RankingEffects",
    "effect_section",
    "effects_on_ranking",
]


NONE = float("nan")
#: Pairs of systems that change places are named, so many of them.
NAMED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingEffect:
    """The systems by one measure, under the judgments of A and of B.

    mean_a, mean_b: (systems). rank_a, rank_b: (systems) 1 for the best, equal ones share the better rank. tau_b:
    Kendall's, in [-1, 1], higher is more alike; tau_ap: the AP correlation, A being the truth, in which changes among
    the best weigh more; both NaN for one system and where one judge tells none apart; with percentile intervals,
    (low, high), of a bootstrap of the queries. changes: (systems, 3) of the mean from A to B, and its interval; beyond:
    how much more the mean changes than those of the other systems do on average, and its interval; NaN where means are
    not over queries. swaps: pairs of systems that change places, the better one under A first, those furthest apart
    first. n: queries.
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
    beyond: Floats
    swaps: tuple[tuple[str, str], ...]
    n: int
    notes: tuple[str, ...] = ()

    @property
    def pairs(self) -> int:
        m = len(self.systems)
        return m * (m - 1) // 2

    @property
    def rank_change(self) -> int:
        """The most places that a system moves."""
        return int(np.abs(self.rank_a - self.rank_b).max())

    @property
    def mean_change(self) -> float:
        """By how much the mean of a system changes, up or down, on average over the systems."""
        return float(np.abs(self.mean_a - self.mean_b).mean())

    def rows(self) -> Iterator[tuple[str, str, str, str, float, float, float, int]]:
        """Rows of the tidy table."""
        taus: list[tuple[str, float, tuple[float, float]]] = [
            ("tau_b", self.tau_b, self.tau_b_ends),
            ("tau_ap", self.tau_ap, self.tau_ap_ends),
        ]
        for name, value, ends in taus:
            yield name, "", self.measure, "", value, *ends, len(self.systems)
        numbers: list[tuple[str, float, int]] = [
            ("greatest_rank_change", float(self.rank_change), len(self.systems)),
            ("swapped_pairs", float(len(self.swaps)), self.pairs),
            ("mean_absolute_change", self.mean_change, len(self.systems)),
        ]
        for name, value, n in numbers:
            yield name, "", self.measure, "", value, NONE, NONE, n
        for i, system in enumerate(self.systems):
            for name in ("mean_a", "mean_b", "rank_a", "rank_b"):
                yield name, "", self.measure, system, float(getattr(self, name)[i]), NONE, NONE, self.n
            for name, three in (("change", self.changes), ("change_beyond_others", self.beyond)):
                value, low, high = three[i].tolist()
                yield name, "", self.measure, system, value, low, high, self.n


class RankingEffects(NamedTuple):
    """The effects by measure, the signature of the scores, notes; systems, and the hits of each under A."""

    effects: tuple[RankingEffect, ...]
    measured: str
    notes: tuple[str, ...]
    systems: tuple[str, ...]
    hits: tuple[Hits, ...]


class EffectResampling(NamedTuple):
    """How intervals are made."""

    confidence_level: float
    n_resamples: int
    seed: int


def effects_on_ranking(
    qrels: tuple[Qrels, Qrels],
    names: tuple[str, str],
    runs: Any,
    measures: Any,
    options: dict[str, Any],
    resampling: EffectResampling,
) -> RankingEffects:
    """Evaluate the runs under both."""
    # What cannot be read twice is read once.
    kept = [
        read_run(run, input=options.get("input")) if is_path(run) and source_name(run) == "<stdin>" else run
        for run in list_runs(runs)
    ]
    kept = [run if is_path(run) or isinstance(run, Run) else Run(run) for run in kept]
    reading = ("input", "total_ranks", "progress", "workers")
    settled = {name: value for name, value in options.items() if name not in reading}
    elsewhere: list[Any] = [options.get(name) for name in reading]
    before = file_stamps(kept)
    plan, joined = plan_and_join(qrels[0], kept, measures, settled, *elsewhere)
    a, b = score_hits(plan, joined), evaluate(qrels[1], kept, measures, **options)
    refuse_changed(before)
    effects, notes = [], []
    for name in a.measure_names:
        values = np.stack((a.summary(name), b.summary(name)))
        if np.isnan(values).any():
            notes.append(f"{name} has no mean for every system under both judges; it is left out")
        else:
            effects.append(effect_of(name, a, values, np.stack((a.matrix(name), b.matrix(name))), resampling))
    if not effects:
        raise ParameterError(f"no measure has a mean for every system ({notes[0]}); choose another measure")
    found = (*notes, *notes_of(a, b, names))
    return RankingEffects(tuple(effects), a.signature(), found, a.systems, tuple(one.hits for one in joined))


def notes_of(a: Scores, b: Scores, names: tuple[str, str]) -> list[str]:
    """The notes of both evaluations, those of one judge by name; and settings that follow from the grades."""
    notes = [note for note in a.notes if note in b.notes]
    for scores, name in ((a, names[0]), (b, names[1])):
        notes += [f"by {name}: {note}" for note in scores.notes if note not in notes]
    differing = [
        measure
        for measure, one, other in zip(a.measure_names, a.measure_settings, b.measure_settings, strict=True)
        if one != other
    ]
    if differing:
        notes.append(
            f"the judges' highest grades differ, and so do settings of {', '.join(differing)} that follow from them; "
            f"the signature has those of {names[0]}"
        )
    return notes


def effect_of(
    measure: str, scores: Scores, values: Floats, by_query: Floats, resampling: EffectResampling
) -> RankingEffect:
    """values: (2, systems) means under A and under B; by_query: (2, systems, queries)."""
    a, b = join_ties((scores.sign(measure) or 1) * values)
    systems = np.array(scores.systems, object)
    apart_a, apart_b = (side[:, None] - side for side in (a, b))
    first, second = np.nonzero((apart_a > 0) & (apart_b < 0))
    order = order_of(apart_b[first, second] - apart_a[first, second])
    first, second = first[order], second[order]
    notes: tuple[str, ...] = ()
    tau, by_ap = NONE, NONE
    ends = ((NONE, NONE), (NONE, NONE))
    of_means = scores.measures[scores.place_of(measure)].summary == "mean"
    there = by_query[:, :, ~np.isnan(by_query).any(axis=(0, 1))] if of_means else by_query[:, :, :0]
    if a.size > 1:
        tau = kendall_tau(a, b)
        tied = np.unique(a).size < a.size
        if there.shape[2] > 1:
            ends = tau_ends(there * (scores.sign(measure) or 1), tied, resampling)
        by_ap = tau_ap(a, b, ties="b" if tied else "a")
        if tied:
            notes = ("systems are tied under the first judge: tau_AP is tau_AP,b, the mean of both directions",)
    return RankingEffect(
        measure=measure,
        systems=scores.systems,
        mean_a=values[0],
        mean_b=values[1],
        rank_a=1 + (apart_a < 0).sum(axis=1),
        rank_b=1 + (apart_b < 0).sum(axis=1),
        tau_b=tau,
        tau_ap=by_ap,
        tau_b_ends=ends[0],
        tau_ap_ends=ends[1],
        changes=changes_of(there, resampling.confidence_level),
        beyond=changes_of(there - others_mean(there), resampling.confidence_level),
        swaps=tuple(zip(systems[first].tolist(), systems[second].tolist(), strict=True)),
        n=len(scores.query_ids),
        notes=notes,
    )


def tau_ends(
    by_query: Floats, tied: bool, resampling: EffectResampling
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of the percentile intervals of tau-b and of tau_AP, queries being drawn with replacement. Samples in which
    all systems are tied have no tau and are left out; NaN where none has one.
    """
    m = by_query.shape[1]
    draws = draw(as_generator(resampling.seed), resampling.n_resamples)
    means = bootstrap_means(by_query.reshape(2 * m, -1), draws).T
    x, y = (rank_rows(np.ascontiguousarray(side), computed=True) for side in (means[:, :m], means[:, m:]))
    tau = taus(surplus_by_row(x, y), x, y, "kendall_b")
    by_ap = tau_ap_by_row(x, y) if tied else ap_above_groups(x, y)
    low, high = percentile_ends(np.stack((tau, by_ap)), resampling.confidence_level)
    return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def others_mean(by_query: Floats) -> Floats:
    """(2, systems, queries) the mean of the other systems; of one system, of which there are no others, NaN."""
    m = by_query.shape[1]
    if m < 2:
        return np.full(by_query.shape, NONE)
    return np.asarray((by_query.sum(axis=1, keepdims=True) - by_query) / (m - 1))


def changes_of(by_query: Floats, confidence_level: float) -> Floats:
    """(systems, 3) the mean change from A to B, and the ends of Student's interval; NaN where there is none."""
    change = by_query[1] - by_query[0]
    if not change.shape[1] or np.isnan(change).any():
        return np.full((len(change), 3), NONE)
    found = t_interval(change, confidence_level=confidence_level)
    return np.stack((found.mean, found.low, found.high), axis=1)


def effect_section(effect: RankingEffect, names: tuple[str, str]) -> Section:
    """A sentence, and the systems in the order of A."""
    rows = []
    for i in np.argsort(effect.rank_a, kind="stable").tolist():
        a, b = float(effect.mean_a[i]), float(effect.mean_b[i])
        means = (format_value(a, "mean"), format_value(b, "mean"), format_number(b - a, signed=True))
        beyond = (format_number(x, signed=True) for x in effect.beyond[i].tolist())
        rows.append((effect.systems[i], *means, *beyond, str(effect.rank_a[i]), str(effect.rank_b[i])))
    one, other = names
    columns = ("system", one, other, "change", "beyond others", "low", "high", f"rank by {one}", f"rank by {other}")
    return Section(
        title=f"Systems by {effect.measure}",
        sentence=effect_sentence(effect, names),
        table=Table(columns=columns, rows=tuple(rows)),
        notes=effect.notes,
    )


def effect_sentence(effect: RankingEffect, names: tuple[str, str]) -> str:
    """Who changes places, how far, and by how much the values move."""
    change = f"The mean {effect.measure} of a system changes by {effect.mean_change:.4f} on average."
    if len(effect.systems) == 1:
        return f"{change} There is one system, so no ranking to compare."
    taus = " and ".join(
        f"{name} {value:.2f}" + ("" if np.isnan(ends[0]) else f" [{ends[0]:.2f} to {ends[1]:.2f}]")
        for name, value, ends in (
            ("Kendall's tau", effect.tau_b, effect.tau_b_ends),
            ("tau_AP", effect.tau_ap, effect.tau_ap_ends),
        )
        if not np.isnan(value)
    )
    taus = f" ({taus}; 1 is the same order)" if taus else ""
    if not effect.swaps:
        alike = "in the same order" if (effect.rank_a == effect.rank_b).all() else "so that no pair changes places"
        return f"Both judges put the {pluralise(len(effect.systems), 'system')} {alike}{taus}. {change}"
    pairs = [f"{x} and {y}" for x, y in effect.swaps[:NAMED]]
    named = "; ".join(pairs) + (f"; and {len(effect.swaps) - NAMED} more" if len(effect.swaps) > NAMED else "")
    furthest = np.flatnonzero(np.abs(effect.rank_a - effect.rank_b) == effect.rank_change).tolist()
    who = join_names([effect.systems[i] for i in sorted(furthest, key=effect.rank_a.tolist().__getitem__)])
    moves = f"{who} move{'s' if len(furthest) == 1 else ''} furthest, by {pluralise(effect.rank_change, 'place')}"
    several = (
        f"{len(effect.swaps)} of {effect.pairs} pairs of systems change{'s' if len(effect.swaps) == 1 else ''} places"
    )
    told = f"{several} when {names[1]} judges in the place of {names[0]}{taus}: {named}. {moves}. {change}"
    raised = [i for i in order_of(-effect.beyond[:, 0]).tolist() if effect.beyond[i, 1] > 0]
    if raised:
        names_of = join_names(f"{effect.systems[i]} ({effect.beyond[i, 0]:+.4f})" for i in raised)
        told += f" It changes by more than that of the others, beyond chance, for {names_of}."
    return told
