"""The view of a gate: the verdicts in words, a table, and the queries that decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.compare import differences_figure, extremes_table
from rankscope.comparison.gate.decision import PASS, UNDECIDED, WORSE, worst
from rankscope.comparison.gate.result import Gate, MeasureGate
from rankscope.comparison.gate.settings import GateSettings
from rankscope.data.columns import Column, column, columns_of, digits, table_of, thousands
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import (
    format_p_cell,
    format_p_value,
    format_percent,
    join_names,
    pluralise,
    pluralise_queries,
)

__all__ = [
    "sections_of",
]


class GateWords(NamedTuple):
    """The words for two systems and one measure.

    Attributes
    ----------
    system, baseline
        Names of the two systems.
    values_name, mean_name
        What the values, and their mean, are called.
    better_word, worse_word
        The better and the worse direction, such as "higher" and "lower".
    confidence_text
        The level of confidence in words.
    """

    system: str
    baseline: str
    values_name: str
    mean_name: str
    better_word: str
    worse_word: str
    confidence_text: str


def sections_of(gate: Gate) -> tuple[Section, ...]:
    """The verdict with a table of measures, then for each measure its groups and the queries that decide."""
    measure_gates = gate.measure_gates
    sentences = [sentence_of(measure_gate, gate) for measure_gate in measure_gates]
    gate_sentence = sentences[0] if len(measure_gates) == 1 else overall_sentence(gate)
    if gate.settings.by_group is not None and len(measure_gates) == 1:
        gate_sentence = f"{group_verdict_sentence(gate)} On all queries: {gate_sentence}"
    sections = [Section(title="Gate", sentence=gate_sentence, table=summary_table(gate))]
    for measure_gate, sentence in zip(measure_gates, sentences, strict=True):
        if measure_gate.groups:
            sections.append(group_section(measure_gate, gate))
        leading_sentences = [] if len(measure_gates) == 1 else [sentence]
        query_ids = [gate.scores.query_ids[query] for query in measure_gate.measure_values.queries.tolist()]
        sections.append(
            Section(
                title=f"Queries that decide: {measure_gate.measure}",
                sentence=" ".join([*leading_sentences, *deciding_sentences(measure_gate, gate)]),
                table=extremes_table(measure_gate.measure_values, query_ids, 0, 1),
                figure=differences_figure(measure_gate.measure_values, query_ids, 0, 1),
            )
        )
    return tuple(sections)


def summary_table(gate: Gate) -> Table:
    gates = gate.measure_gates
    group_columns = []
    if gate.settings.by_group is not None:
        in_groups = [worst(part.verdict for part in measure_gate.groups.values()) for measure_gate in gates]
        group_columns = [
            column("all queries", [measure_gate.decision.verdict for measure_gate in gates], name=True),
            column("groups", in_groups, name=True),
        ]
    return table_of(
        column("measure", [measure_gate.measure_values.label for measure_gate in gates], name=True),
        column("verdict", [measure_gate.verdict for measure_gate in gates], name=True),
        *group_columns,
        *number_columns(gate, gates),
        column("n", [measure_gate.n for measure_gate in gates]),
    )


def number_columns(gate: Gate, parts: Sequence[MeasureGate]) -> list[Column]:
    """Means, difference, bounds and p-values."""
    means = [part.measure_values.means.tolist() for part in parts]
    return [
        *columns_of((gate.system, gate.baseline), means, digits()),
        column("difference", [part.difference for part in parts], digits(signed=True)),
        column("low", [part.low for part in parts], digits(signed=True)),
        column("high", [part.high for part in parts], digits(signed=True)),
        column("p not worse", [part.decision.pvalue_noninferior for part in parts], format_p_cell),
        column("p worse", [part.decision.pvalue_worse for part in parts], format_p_cell),
    ]


def group_verdict_sentence(gate: Gate) -> str:
    """The verdict by one measure on all queries and in groups."""
    (measure_gate,) = gate.measure_gates
    if gate.verdict == PASS:
        return f"{gate.system} against {gate.baseline} passes on all queries and in every group."
    predicate = {UNDECIDED: "is undecided", WORSE: "does not pass"}[gate.verdict]
    clauses = [f"{measure_gate.decision.verdict} on all queries", *group_clauses(measure_gate)]
    return f"{gate.system} against {gate.baseline} {predicate}: {'; '.join(clauses)}."


def group_clauses(measure_gate: MeasureGate) -> list[str]:
    """Which groups have which verdict, the worst first."""
    names = {
        verdict: [name for name, part in measure_gate.groups.items() if part.verdict == verdict]
        for verdict in (WORSE, UNDECIDED, PASS)
    }
    return [f"{verdict} in {join_names(groups)}" for verdict, groups in names.items() if groups]


def group_section(measure_gate: MeasureGate, gate: Gate) -> Section:
    """The verdict in each group."""
    groups, settings = measure_gate.groups, gate.settings
    parts = list(groups.values())
    clauses = "; ".join(group_clauses(measure_gate))
    sentence = (
        f"{clauses[0].upper()}{clauses[1:]}. A pass needs each of {pluralise(len(groups), 'group')} to be shown to "
        f"lose less than {settings.by_group:g}, at level {settings.alpha:g}; since all of them are needed, that takes "
        "no correction (an intersection-union test)."
    )
    has_clusters = measure_gate.measure_values.clusters is not None
    notes = []
    single = [name for name, part in groups.items() if part.measure_values.n_clusters < 2]
    if single:
        unit, units = ("cluster", "clusters") if has_clusters else ("query", "queries")
        notes.append(f"{join_names(single)}: undecided, since one {unit} does not show how much {units} vary")
    if len(groups) > 1:
        notes.append(f"p worse: corrected for {len(groups):,} groups (Holm)")
    return Section(
        title=f"By group: {measure_gate.measure}",
        sentence=sentence,
        table=table_of(
            column("group", list(groups), name=True),
            column("verdict", [part.verdict for part in parts], name=True),
            column("queries", [part.n for part in parts], thousands),
            column("clusters", [part.measure_values.n_clusters for part in parts], thousands) if has_clusters else None,
            *number_columns(gate, parts),
        ),
        figure=group_figure(measure_gate, gate),
        notes=tuple(notes),
    )


def group_figure(measure_gate: MeasureGate, gate: Gate) -> Figure:
    """A figure of the difference in each group and on all queries, with its bounds."""
    parts = [*measure_gate.groups.values(), measure_gate]
    return Figure(
        "group_differences",
        {
            "measure": measure_gate.measure_values.label,
            "system_a": gate.system,
            "system_b": gate.baseline,
            "groups": tuple(measure_gate.groups),
            "differences": tuple(part.difference for part in parts),
            "low": tuple(part.low for part in parts),
            "high": tuple(part.high for part in parts),
            "n_queries": tuple(part.n for part in parts),
            "higher_is_better": measure_gate.measure_values.sign > 0,
            "interval": f"one-sided bounds ({format_percent(1 - gate.settings.alpha)})",
        },
    )


def overall_sentence(gate: Gate) -> str:
    """One sentence on several measures."""
    counts = {
        verdict: [measure_gate.measure for measure_gate in gate.measure_gates if measure_gate.verdict == verdict]
        for verdict in (WORSE, UNDECIDED, PASS)
    }
    clauses = [f"{verdict} by {join_names(names)}" for verdict, names in counts.items() if names]
    predicate = {PASS: "passes", UNDECIDED: "is undecided", WORSE: "does not pass"}[gate.verdict]
    return f"{gate.system} against {gate.baseline} {predicate}: {'; '.join(clauses)}."


def format_distinct(x: float, *other_values: float) -> str:
    """Four decimal places, or as many more as it takes to differ from 0 and from the other values."""
    for places in range(4, 12):
        text = f"{x:.{places}f}"
        is_distinct = all(math.isclose(x, y, rel_tol=1e-9) or text != f"{y:.{places}f}" for y in other_values)
        if is_distinct and (x == 0 or float(text) != 0):
            return text
    return f"{x:g}"


def margin_text(margin: float) -> str:
    return f"the margin of {margin:g}"


def sentence_of(measure_gate: MeasureGate, gate: Gate) -> str:
    """The verdict on one measure, in words."""
    higher = measure_gate.measure_values.sign > 0
    wording = GateWords(
        system=gate.system,
        baseline=gate.baseline,
        values_name=measure_gate.measure_values.label,
        mean_name=f"mean {measure_gate.measure_values.label}",
        better_word="higher" if higher else "lower",
        worse_word="lower" if higher else "higher",
        confidence_text=f"{format_percent(1 - gate.settings.alpha)} confidence",
    )
    sentences = {PASS: pass_sentence, WORSE: worse_sentence, UNDECIDED: undecided_sentence}
    verdict_sentence = sentences[measure_gate.decision.verdict]
    return verdict_sentence(measure_gate, wording, gate.settings)


def constant_sentence(measure_gate: MeasureGate, wording: GateWords, margin: float) -> str:
    """The sentence for a difference that is the same on all queries."""
    gain = measure_gate.decision.mean
    if gain == 0:
        return (
            f"its {wording.values_name} equals that of {wording.baseline} on each of "
            f"{pluralise_queries(measure_gate.n)}."
        )
    margin_clause = (
        ""
        if gain > 0
        else f", {'more' if measure_gate.decision.verdict == WORSE else 'not more'} than {margin_text(margin)}"
    )
    direction = wording.better_word if gain > 0 else wording.worse_word
    return (
        f"its {wording.values_name} is {direction} than that of {wording.baseline} by the same "
        f"{format_distinct(abs(gain), margin)} on each of {pluralise_queries(measure_gate.n)}{margin_clause}."
    )


def observed_clause(measure_gate: MeasureGate, wording: GateWords) -> str:
    """How the two means differ on the queries at hand, as "0.0100 lower than that of bm25"."""
    gain = measure_gate.decision.mean
    if abs(gain) < 1e-12:
        return f"equal to that of {wording.baseline}"
    return (
        f"{format_distinct(abs(gain))} {wording.better_word if gain > 0 else wording.worse_word} than that of "
        f"{wording.baseline}"
    )


def observed_sentence(measure_gate: MeasureGate, wording: GateWords) -> str:
    """The observed difference, and the beginning of what follows from it."""
    queries = pluralise_queries(measure_gate.n)
    return (
        f"its {wording.mean_name} is {observed_clause(measure_gate, wording)} on these {queries}; on all queries like "
        "them it is"
    )


def pass_sentence(measure_gate: MeasureGate, wording: GateWords, settings: GateSettings) -> str:
    opening, decision = f"{wording.system} passes: ", measure_gate.decision
    if decision.is_constant:
        return opening + constant_sentence(measure_gate, wording, settings.margin)
    if settings.test != "t":
        return opening + (
            f"that its {wording.mean_name} is {wording.worse_word} than that of {wording.baseline} by "
            f"{settings.margin:g} or "
            f"more is ruled out ({settings.test} test, p {format_p_value(decision.pvalue_noninferior)}, level "
            f"{settings.alpha:g})."
        )
    observation = observed_sentence(measure_gate, wording)
    if decision.low > 0:
        return (
            f"{opening}{observation} at least {format_distinct(decision.low)} {wording.better_word} "
            f"({wording.confidence_text})."
        )
    largest_loss = format_distinct(abs(decision.low), settings.margin)
    reservation = " It is shown to be worse, but by less than the margin." if decision.high < 0 else ""
    return (
        f"{opening}{observation} at most {largest_loss} {wording.worse_word} ({wording.confidence_text}), less than "
        f"{margin_text(settings.margin)}.{reservation}"
    )


def worse_sentence(measure_gate: MeasureGate, wording: GateWords, settings: GateSettings) -> str:
    opening, decision = f"{wording.system} is worse: ", measure_gate.decision
    if decision.is_constant:
        return opening + constant_sentence(measure_gate, wording, settings.margin)
    doubt = f" It is not clear whether the loss exceeds {margin_text(settings.margin)}." if settings.margin > 0 else ""
    if settings.test != "t":
        return opening + (
            f"that its {wording.mean_name} is not {wording.worse_word} than that of {wording.baseline} is ruled out "
            f"({settings.test} test, p {format_p_value(decision.pvalue_worse)}, level {settings.alpha:g}).{doubt}"
        )
    if -decision.high >= settings.margin > 0:
        doubt = f" That is more than {margin_text(settings.margin)}."
    smallest_loss = format_distinct(abs(decision.high), settings.margin)
    return (
        f"{opening}{observed_sentence(measure_gate, wording)} at least {smallest_loss} {wording.worse_word} "
        f"({wording.confidence_text}).{doubt}"
    )


def undecided_sentence(measure_gate: MeasureGate, wording: GateWords, settings: GateSettings) -> str:
    decision = measure_gate.decision
    queries = "this query" if measure_gate.n == 1 else f"these {pluralise_queries(measure_gate.n)}"
    opening = (
        f"Undecided. On {queries} the {wording.mean_name} of {wording.system} is "
        f"{observed_clause(measure_gate, wording)}"
    )
    if measure_gate.n == 1:
        return f"{opening}; with one query, the variation between queries is unknown."
    if math.isnan(measure_gate.low):
        return f"{opening}; the difference is the same in every cluster, so that nothing says how clusters vary."
    estimate = more_queries(measure_gate, settings)
    bound_text = format_percent(1 - settings.alpha)
    if settings.test == "t":
        return (
            f"{opening}; the true loss could be as much as "
            f"{format_distinct(abs(decision.low), settings.margin)} ({bound_text} bound), more than "
            f"{margin_text(settings.margin)}. No loss was shown, either.{estimate}"
        )
    noninferior, worse = format_p_value(decision.pvalue_noninferior), format_p_value(decision.pvalue_worse)
    return (
        f"{opening}. Neither a loss of less than {settings.margin:g} (p {noninferior}) nor any loss (p {worse}) was "
        f"shown at level {settings.alpha:g}.{estimate}"
    )


def more_queries(measure_gate: MeasureGate, settings: GateSettings) -> str:
    """How many queries would decide, as an estimate."""
    n_needed = measure_gate.decision.n_needed
    if n_needed is None:
        return " If the true difference is the observed one, no realistic number of queries would decide."
    if n_needed <= measure_gate.n:
        return ""
    n_clusters = measure_gate.decision.clusters_needed
    if n_clusters is not None:
        more = n_clusters - measure_gate.measure_values.n_clusters
        return (
            f" About {pluralise(n_clusters, 'cluster')} ({more:,} more; {pluralise_queries(n_needed)} in all) would "
            f"decide with {format_percent(settings.power)} power, if new clusters are like these: a rough estimate."
        )
    return (
        f" About {pluralise_queries(n_needed)} ({n_needed - measure_gate.n:,} more) would decide with "
        f"{format_percent(settings.power)} power, if new queries vary like these: a rough estimate."
    )


def deciding_sentences(measure_gate: MeasureGate, gate: Gate) -> list[str]:
    """How many queries are better and worse, and how few of them decide."""
    gains = measure_gate.gains
    n_better, n_worse = int((gains > 0).sum()), int((gains < 0).sum())
    n_equal = measure_gate.n - n_better - n_worse
    sentences = [
        f"{gate.system} is better on {n_better:,} of {pluralise_queries(measure_gate.n)}, worse on {n_worse:,}, equal "
        f"on {n_equal:,}."
    ]
    if gate.settings.test != "t" or measure_gate.n < 3 or measure_gate.decision.is_constant:
        return sentences
    turn, values = measure_gate.verdict_change, measure_gate.measure_values
    unit = "query" if values.clusters is None else "cluster"
    units = {"query": "queries", "cluster": "clusters"}[unit]
    if turn is None:
        either = "it hurts most, or else that it helps most, are"
        removed = {PASS: "it helps most are", WORSE: "it hurts most are", UNDECIDED: either}
        sentences.append(
            f"The verdict stays if {units} that {removed[measure_gate.decision.verdict]} removed, down to the last two."
        )
        return sentences
    effect = "helps" if turn.helped else "hurts"
    names = removed_names(measure_gate, gate, turn.queries)
    if len(names) == 1:
        condition = f"Without {unit} {names[0]}, which it {effect} most"
    else:
        condition = f"Without the {pluralise(len(names), unit, units)} ({join_names(names)}) that it {effect} most"
    return [*sentences, f"{condition}, the verdict would be: {turn.verdict}."]


def removed_names(measure_gate: MeasureGate, gate: Gate, removed: npt.NDArray[np.intp]) -> list[str]:
    """The names of the queries, or of their clusters; a query without a cluster is one of its name."""
    places = measure_gate.measure_values.queries[removed].tolist()
    ids, clusters = gate.scores.query_ids, gate.scores.queries.cluster
    if clusters is None:
        return [ids[place] for place in places]
    return list(dict.fromkeys(clusters[place] or ids[place] for place in places))
