"""The view of a gate: the verdicts in words, a table, and the queries that decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.compare import differences_figure, extremes_table
from rankscope.comparison.gate.decision import PASS, RARE_LOSSES, SAME_LISTS, SKEWNESS, UNDECIDED, WORSE, worst
from rankscope.comparison.gate.looks import look_text
from rankscope.comparison.gate.result import Gate, MeasureGate
from rankscope.comparison.gate.settings import GateSettings
from rankscope.comparison.gate.text import confidence_text, margin_text, rare_losses_text
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
from rankscope.stats.group_sequential import repeated_look_error, sample_size_factor
from rankscope.stats.rare_losses import SIZE

__all__ = [
    "gate_sentence",
    "sections_of",
    "sentence_of",
    "summary_table",
]


#: Looks of which it is said how often they err if each is taken at the full level, and looks of a plan.
REPEATED_LOOKS, PLANNED_LOOKS = (2, 5), 5


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
    several_baselines = len(gate.baselines) > 1
    sections = [Section(title="Gate", sentence=gate_sentence(gate), table=summary_table(gate))]
    for measure_gate in measure_gates:
        if measure_gate.groups:
            sections.append(group_section(measure_gate, gate))
        leading_sentences = [] if len(measure_gates) == 1 else [sentence_of(measure_gate, gate)]
        query_ids = [gate.scores.query_ids[query] for query in measure_gate.measure_values.queries.tolist()]
        against = f" against {measure_gate.baseline}" if several_baselines else ""
        sections.append(
            Section(
                title=f"Queries that decide: {measure_gate.measure}{against}",
                sentence=" ".join([*leading_sentences, *deciding_sentences(measure_gate, gate)]),
                table=extremes_table(measure_gate.measure_values, query_ids, 0, 1),
                figure=differences_figure(measure_gate.measure_values, query_ids, 0, 1),
            )
        )
    return tuple(sections)


def gate_sentence(gate: Gate) -> str:
    """The verdict on all, which look this was, and what another one would cost."""
    measure_gates = gate.measure_gates
    if len(measure_gates) > 1:
        sentences = [overall_sentence(gate)]
    elif gate.settings.by_group is not None:
        sentences = [group_verdict_sentence(gate), f"On all queries: {sentence_of(measure_gates[0], gate)}"]
    else:
        sentences = [sentence_of(measure_gates[0], gate)]
    if gate.looks is not None:
        levels = [part.decision.level for own in measure_gates for part in own.parts.values()]
        sentences.append(look_text(gate.looks, levels))
    if gate.verdict == UNDECIDED:
        sentences.append(next_look_text(gate))
    return " ".join(filter(None, sentences))


def summary_table(gate: Gate) -> Table:
    gates = gate.measure_gates
    group_columns = []
    if gate.settings.by_group is not None:
        in_groups = [worst(part.verdict for part in measure_gate.groups.values()) for measure_gate in gates]
        group_columns = [
            column("all queries", [measure_gate.decision.verdict for measure_gate in gates], name=True),
            column("groups", in_groups, name=True),
        ]
    several_baselines = len(gate.baselines) > 1
    return table_of(
        column("measure", [measure_gate.measure_values.label for measure_gate in gates], name=True),
        column("baseline", [measure_gate.baseline for measure_gate in gates], name=True) if several_baselines else None,
        column("verdict", [measure_gate.verdict for measure_gate in gates], name=True),
        *group_columns,
        *number_columns(gate, gates),
        column("n", [measure_gate.n for measure_gate in gates]),
    )


def has_margins(gate: Gate) -> bool:
    """Whether margins are not all one number, so that the table shows them."""
    margins = [own.margin for own in gate.measure_gates]
    return len(set(margins)) > 1 or margins[0].is_relative


def number_columns(gate: Gate, parts: Sequence[MeasureGate]) -> list[Column | None]:
    """Means, difference, bounds and p-values."""
    means = [part.measure_values.means.tolist() for part in parts]
    return [
        *columns_of((gate.system, gate.baselines[0] if len(gate.baselines) == 1 else "of baseline"), means, digits()),
        column("difference", [part.difference for part in parts], digits(signed=True)),
        column("low", [part.low for part in parts], digits(signed=True)),
        column("high", [part.high for part in parts], digits(signed=True)),
        column("margin", [part.margin_value for part in parts], digits()) if has_margins(gate) else None,
        column("p not worse", [part.decision.pvalue_noninferior for part in parts], format_p_cell),
        column("p worse", [part.decision.pvalue_worse for part in parts], format_p_cell),
    ]


def group_verdict_sentence(gate: Gate) -> str:
    """The verdict by one measure on all queries and in groups."""
    (measure_gate,) = gate.measure_gates
    if gate.verdict == PASS:
        return f"{gate.system} against {measure_gate.baseline} passes on all queries and in every group."
    predicate = {UNDECIDED: "is undecided", WORSE: "does not pass"}[gate.verdict]
    clauses = [f"{measure_gate.decision.verdict} on all queries", *group_clauses(measure_gate)]
    return f"{gate.system} against {measure_gate.baseline} {predicate}: {'; '.join(clauses)}."


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
        f"lose less than {settings.by_group}, at level {settings.alpha:g}; since all of them are needed, that takes "
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
            "system_b": measure_gate.baseline,
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
    counts: dict[str, list[str]] = {WORSE: [], UNDECIDED: [], PASS: []}
    for measure_gate in gate.measure_gates:
        against = f" against {measure_gate.baseline}" if len(gate.baselines) > 1 else ""
        counts[measure_gate.verdict].append(f"{measure_gate.measure}{against}")
    clauses = [f"{verdict} by {join_names(names)}" for verdict, names in counts.items() if names]
    predicate = {PASS: "passes", UNDECIDED: "is undecided", WORSE: "does not pass"}[gate.verdict]
    return f"{gate.system} against {join_names(gate.baselines)} {predicate}: {'; '.join(clauses)}."


def format_distinct(x: float, *other_values: float) -> str:
    """Four decimal places, or as many more as it takes to differ from 0 and from the other values."""
    for places in range(4, 12):
        text = f"{x:.{places}f}"
        is_distinct = all(math.isclose(x, y, rel_tol=1e-9) or text != f"{y:.{places}f}" for y in other_values)
        if is_distinct and (x == 0 or float(text) != 0):
            return text
    return f"{x:g}"


def sentence_of(measure_gate: MeasureGate, gate: Gate) -> str:
    """The verdict on one measure, in words."""
    higher = measure_gate.measure_values.sign > 0
    wording = GateWords(
        system=gate.system,
        baseline=measure_gate.baseline,
        values_name=measure_gate.measure_values.label,
        mean_name=f"mean {measure_gate.measure_values.label}",
        better_word="higher" if higher else "lower",
        worse_word="lower" if higher else "higher",
        confidence_text=confidence_text(measure_gate.decision.level),
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
    decision, margin = measure_gate.decision, measure_gate.margin_value
    opening = f"{wording.system} passes: "
    if decision.reason == SAME_LISTS:
        queries = pluralise_queries(measure_gate.n)
        return f"{opening}its lists are the same as those of {wording.baseline} on all {queries}."
    if decision.is_constant:
        return opening + constant_sentence(measure_gate, wording, margin)
    if settings.test in ("permutation", "bootstrap"):
        return opening + (
            f"that its {wording.mean_name} is {wording.worse_word} than that of {wording.baseline} by {margin:.6g} or "
            f"more is ruled out ({settings.test} test, p {format_p_value(decision.pvalue_noninferior)}, level "
            f"{decision.level:.2g})."
        )
    observation = observed_sentence(measure_gate, wording)
    if decision.low > 0:
        return (
            f"{opening}{observation} at least {format_distinct(decision.low)} {wording.better_word} "
            f"({wording.confidence_text})."
        )
    if decision.high < 0:
        opening = f"{wording.system} passes, though it is shown to be worse: by no more than the margin. Its "
        observation = observation.removeprefix("its ")
    largest_loss = format_distinct(abs(decision.low), margin)
    return (
        f"{opening}{observation} at most {largest_loss} {wording.worse_word} ({wording.confidence_text}), less than "
        f"{margin_text(margin)}."
    )


def worse_sentence(measure_gate: MeasureGate, wording: GateWords, settings: GateSettings) -> str:
    opening, decision, margin = f"{wording.system} is worse: ", measure_gate.decision, measure_gate.margin_value
    if decision.is_constant:
        return opening + constant_sentence(measure_gate, wording, margin)
    doubt = f" It is not clear whether the loss exceeds {margin_text(margin)}." if margin > 0 else ""
    if settings.test in ("permutation", "bootstrap"):
        return opening + (
            f"that its {wording.mean_name} is not {wording.worse_word} than that of {wording.baseline} is ruled out "
            f"({settings.test} test, p {format_p_value(decision.pvalue_worse)}, level {decision.level:.2g}).{doubt}"
        )
    if -decision.high >= margin > 0:
        doubt = f" That is more than {margin_text(margin)}."
    smallest_loss = format_distinct(abs(decision.high), margin)
    return (
        f"{opening}{observed_sentence(measure_gate, wording)} at least {smallest_loss} {wording.worse_word} "
        f"({wording.confidence_text}).{doubt}"
    )


def undecided_sentence(measure_gate: MeasureGate, wording: GateWords, settings: GateSettings) -> str:
    decision, margin = measure_gate.decision, measure_gate.margin_value
    queries = "this query" if measure_gate.n == 1 else f"these {pluralise_queries(measure_gate.n)}"
    opening = (
        f"Undecided. On {queries} the {wording.mean_name} of {wording.system} is "
        f"{observed_clause(measure_gate, wording)}"
    )
    if measure_gate.n == 1:
        return f"{opening}; with one query, the variation between queries is unknown."
    if decision.reason == RARE_LOSSES:
        return f"{opening}. {rare_losses_sentence(measure_gate, wording)}"
    if decision.reason == SKEWNESS:
        plain, corrected = format_p_value(decision.pvalue_noninferior), format_p_value(decision.pvalue_skewed)
        return (
            f"{opening}. The {settings.test} test would let it pass (p {plain}), but a few large losses make it too "
            f"sure: corrected for their skewness, p {corrected}, above the level of {decision.level:.2g}."
        )
    if decision.level == 0:
        return f"{opening}; this look comes so early that it spends nothing of the level, and so decides nothing."
    if math.isnan(measure_gate.low):
        return f"{opening}; the difference is the same in every cluster, so that nothing says how clusters vary."
    if settings.test in ("t", "betting"):
        return (
            f"{opening}; the true loss could be as much as {format_distinct(abs(decision.low), margin)} "
            f"({wording.confidence_text}), more than {margin_text(margin)}. No loss was shown, either."
        )
    noninferior, worse = format_p_value(decision.pvalue_noninferior), format_p_value(decision.pvalue_worse)
    return (
        f"{opening}. Neither a loss of less than {margin:.6g} (p {noninferior}) nor any loss (p {worse}) was "
        f"shown at level {decision.level:.2g}."
    )


def rare_losses_sentence(measure_gate: MeasureGate, wording: GateWords) -> str:
    """What rare large losses could still make of the mean."""
    decision, text = measure_gate.decision, rare_losses_text(measure_gate)
    least = format_distinct(abs(decision.least_mean), measure_gate.margin_value)
    return (
        f"But {text} ({wording.confidence_text}), and if they lose all that they can, the mean is {least} "
        f"{wording.worse_word}, more than {margin_text(measure_gate.margin_value)}. (A loss counts from {SIZE:g} of "
        "the range on.)"
    )


def next_look_text(gate: Gate) -> str:
    """What it costs to ask again."""
    settings, looks = gate.settings, gate.looks
    if settings.test == "betting":
        if looks is not None:
            return "With more queries it may be asked again as often as you like."
        return (
            "With a file that keeps the order of the bets (--looks-file), it may be asked again with more queries as "
            "often as you like."
        )
    if looks is not None:
        n = len(looks.queries)
        if (settings.looks is not None and looks.number >= settings.looks) or settings.up_to == n:
            return "That was the last look that was planned."
        if settings.up_to is not None:
            return f"The next look may come with {pluralise(settings.up_to - n, 'more query', 'more queries')} at most."
        return f"The next look takes these queries and more; {(settings.looks or 0) - looks.number} are left."
    parts = [part for own in gate.measure_gates for part in own.parts.values() if part.decision.verdict == UNDECIDED]
    errors = [repeated_look_error(n_looks, alpha=settings.alpha) for n_looks in REPEATED_LOOKS]
    text = (
        f"This was one look at level {settings.alpha:g}: asking again with more queries and this level errs in up to "
        f"{100 * errors[0]:.0f} of 100 cases at the second look, {100 * errors[1]:.0f} at the fifth."
    )
    if all(part.margin_value == 0 for part in parts):
        return f"{text} With a margin of 0, a system that is only as good as the baseline cannot be shown to pass."
    needed = {fresh_queries(part, gate): part for part in parts if part.measure_values.n_clusters > 1}
    if None in needed:
        return f"{text} No realistic number of queries would decide with this margin."
    if not needed:
        return text
    n_fresh = max(n for n in needed if n is not None)
    deciding = needed[n_fresh].decision
    in_clusters = "" if deciding.clusters_fresh is None else f" ({deciding.clusters_fresh:,} clusters)"
    if deciding.reason == RARE_LOSSES:
        return (
            f"{text} Fresh queries, without these, need no correction: about {n_fresh:,} of them{in_clusters} are "
            "enough if none of them loses."
        )
    factor = sample_size_factor(PLANNED_LOOKS, alpha=settings.alpha, power=settings.power, spending=settings.spending)
    return (
        f"{text} About {n_fresh:,} fresh queries{in_clusters}, without these, need no correction: with them, a system "
        f"that is as good as the baseline passes in {100 * settings.power:g} of 100 cases. Or plan looks before the "
        f"first one: up to {PLANNED_LOOKS} of them take at most {ceil(n_fresh * factor):,} queries (--up-to)."
    )


def fresh_queries(part: MeasureGate, gate: Gate) -> int | None:
    """Fresh queries with which an equal system would pass; for a group as many as hold enough of the group."""
    n = part.decision.n_fresh
    if n is None or part.n == len(gate.scores.query_ids):
        return n
    return ceil(n * len(gate.scores.query_ids) / part.n)


def deciding_sentences(measure_gate: MeasureGate, gate: Gate) -> list[str]:
    """How many queries are better and worse, and how few of them decide."""
    gains = measure_gate.gains
    n_better, n_worse = int((gains > 0).sum()), int((gains < 0).sum())
    n_equal = measure_gate.n - n_better - n_worse
    same = measure_gate.same_lists
    n_same = 0 if same is None else int(same.sum())
    of_same_lists = f" (on {n_same:,} the lists are the same)" if 0 < n_same < measure_gate.n else ""
    sentences = [
        f"{gate.system} is better on {n_better:,} of {pluralise_queries(measure_gate.n)}, worse on {n_worse:,}, equal "
        f"on {n_equal:,}{of_same_lists}."
    ]
    decision = measure_gate.decision
    if gate.settings.test != "t" or measure_gate.n < 3 or (n_better == 0 and n_worse == 0):
        return sentences
    turn, values = measure_gate.verdict_change, measure_gate.measure_values
    unit = "query" if values.clusters is None else "cluster"
    units = {"query": "queries", "cluster": "clusters"}[unit]
    if turn is None:
        removed = {PASS: "it helps", WORSE: "it hurts", UNDECIDED: "it hurts, or else that it helps,"}
        if {PASS: n_better, WORSE: n_worse, UNDECIDED: 1}[decision.verdict]:
            sentences.append(
                f"The verdict stays if {units} that {removed[decision.verdict]} are removed, down to the last two."
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
