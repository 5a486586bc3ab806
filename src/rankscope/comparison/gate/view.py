"""The view of a gate: verdicts in words, and the queries that decide."""

from __future__ import annotations

import math
from typing import NamedTuple

from rankscope.comparison.compare import differences_figure, extremes_table
from rankscope.comparison.gate.noninferiority import PASS, UNDECIDED, WORSE, Criterion, Gate, MeasureGate
from rankscope.data.section import Section, Table
from rankscope.data.text import (
    format_number,
    format_p_cell,
    format_p_value,
    format_percent,
    format_value,
    join_names,
    pluralise_queries,
)

__all__ = [
    "sections_of",
]


EITHER = "it hurts most, or else that it helps most, are"


class GateWords(NamedTuple):
    """How two systems and one measure are spoken of. up, down: the better and the worse direction."""

    system: str
    baseline: str
    values: str
    mean: str
    up: str
    down: str
    sure: str


def sections_of(gate: Gate) -> tuple[Section, ...]:
    """The verdict with a table of measures; then for each measure the queries that decide."""
    parts = gate.parts
    said = [sentence_of(part, gate) for part in parts]
    first = said[0] if len(parts) == 1 else overall(gate)
    sections = [Section(title="Gate", sentence=first, table=summary(gate))]
    for part, sentence in zip(parts, said, strict=True):
        spoken = [] if len(parts) == 1 else [sentence]
        ids = [gate.scores.query_ids[q] for q in part.matched.queries.tolist()]
        sections.append(
            Section(
                title=f"Queries that decide: {part.measure}",
                sentence=" ".join([*spoken, *deciding(part, gate)]),
                table=extremes_table(part.matched, ids, 0, 1),
                figure=differences_figure(part.matched, ids, 0, 1),
            )
        )
    return tuple(sections)


def summary(gate: Gate) -> Table:
    rows = []
    for part in gate.parts:
        new, old = part.matched.values.mean(axis=1).tolist()
        found = part.decision
        rows.append(
            (
                part.matched.label,
                found.verdict,
                *(format_value(x, "mean") for x in (new, old)),
                *(format_number(x, signed=True) for x in (part.difference, part.low, part.high)),
                *(format_p_cell(p) for p in (found.pvalue_noninferior, found.pvalue_worse)),
                str(part.n),
            )
        )
    heads = (
        "measure",
        "verdict",
        gate.system,
        gate.baseline,
        "difference",
        "low",
        "high",
        "p not worse",
        "p worse",
        "n",
    )
    return Table(columns=heads, rows=tuple(rows), left=2)


def overall(gate: Gate) -> str:
    """One sentence on several measures."""
    counts = {v: [part.measure for part in gate.parts if part.verdict == v] for v in (WORSE, UNDECIDED, PASS)}
    by = [f"{verdict} by {join_names(names)}" for verdict, names in counts.items() if names]
    said = {PASS: "passes", UNDECIDED: "is undecided", WORSE: "does not pass"}[gate.verdict]
    return f"{gate.system} against {gate.baseline} {said}: {'; '.join(by)}."


def format_distinct(x: float, *others: float) -> str:
    """Four places, or as many more as tell it from 0 and from the others."""
    for places in range(4, 12):
        text = f"{x:.{places}f}"
        told = all(math.isclose(x, y, rel_tol=1e-9) or text != f"{y:.{places}f}" for y in others)
        if told and (x == 0 or float(text) != 0):
            return text
    return f"{x:g}"


def margin_text(margin: float) -> str:
    return f"the margin of {margin:g}"


def sentence_of(part: MeasureGate, gate: Gate) -> str:
    """The verdict on one measure, in words."""
    higher = part.matched.sign > 0
    words = GateWords(
        system=gate.system,
        baseline=gate.baseline,
        values=part.matched.label,
        mean=f"mean {part.matched.label}",
        up="higher" if higher else "lower",
        down="lower" if higher else "higher",
        sure=f"{format_percent(1 - gate.criterion.level)} sure",
    )
    say = {PASS: pass_sentence, WORSE: worse_sentence, UNDECIDED: undecided_sentence}[part.verdict]
    return say(part, words, gate.criterion)


def constant_sentence(part: MeasureGate, words: GateWords, margin: float) -> str:
    """Where the difference is the same on all queries."""
    gain = part.decision.mean
    if gain == 0:
        return f"its {words.mean} is that of {words.baseline}, on each of {pluralise_queries(part.n)}."
    against = "" if gain > 0 else f", {'more' if part.verdict == WORSE else 'not more'} than {margin_text(margin)}"
    direction = words.up if gain > 0 else words.down
    return (
        f"its {words.values} is {direction} than that of {words.baseline} by the same "
        f"{format_distinct(abs(gain), margin)} on each of {pluralise_queries(part.n)}{against}."
    )


def observed(part: MeasureGate, words: GateWords) -> str:
    """How the two means differ on the queries at hand, as "0.0100 lower than that of bm25"."""
    gain = part.decision.mean
    if abs(gain) < 1e-12:
        return f"equal to that of {words.baseline}"
    return f"{format_distinct(abs(gain))} {words.up if gain > 0 else words.down} than that of {words.baseline}"


def observed_sentence(part: MeasureGate, words: GateWords) -> str:
    """What was seen; what follows from it comes behind."""
    queries = pluralise_queries(part.n)
    return f"its {words.mean} is {observed(part, words)} on these {queries}; over all queries like them it is"


def pass_sentence(part: MeasureGate, words: GateWords, asked: Criterion) -> str:
    begin, found = f"{words.system} passes: ", part.decision
    if found.flat:
        return begin + constant_sentence(part, words, asked.margin)
    if asked.test != "t":
        return begin + (
            f"that its {words.mean} is {words.down} than that of {words.baseline} by {asked.margin:g} or more is ruled "
            f"out ({asked.test} test, p {format_p_value(found.pvalue_noninferior)}, level {asked.level:g})."
        )
    here = observed_sentence(part, words)
    if found.low > 0:
        return f"{begin}{here} at least {format_distinct(found.low)} {words.up} ({words.sure})."
    most = format_distinct(abs(found.low), asked.margin)
    return f"{begin}{here} at most {most} {words.down} ({words.sure}), less than {margin_text(asked.margin)}."


def worse_sentence(part: MeasureGate, words: GateWords, asked: Criterion) -> str:
    begin, found = f"{words.system} is worse: ", part.decision
    if found.flat:
        return begin + constant_sentence(part, words, asked.margin)
    doubt = f" Whether by more than {margin_text(asked.margin)} is another question." if asked.margin > 0 else ""
    if asked.test != "t":
        return begin + (
            f"that its {words.mean} is not {words.down} than that of {words.baseline} is ruled out ({asked.test} test, "
            f"p {format_p_value(found.pvalue_worse)}, level {asked.level:g}).{doubt}"
        )
    if -found.high >= asked.margin > 0:
        doubt = f" That is more than {margin_text(asked.margin)}."
    least = format_distinct(abs(found.high), asked.margin)
    return f"{begin}{observed_sentence(part, words)} at least {least} {words.down} ({words.sure}).{doubt}"


def undecided_sentence(part: MeasureGate, words: GateWords, asked: Criterion) -> str:
    found = part.decision
    first = (
        f"{pluralise_queries(part.n)} cannot tell: there the {words.mean} of {words.system} is {observed(part, words)}"
    )
    if part.n == 1:
        return f"{first}, and how much queries vary is not known."
    more = more_queries(part, asked)
    if asked.test == "t":
        return (
            f"{first}. Of all queries like them no more can be said ({words.sure}) than that it is at most "
            f"{format_distinct(abs(found.low), asked.margin)} {words.down}, and the margin is {asked.margin:g}; that "
            f"it is {words.down} at all is not shown either.{more}"
        )
    noninferior, worse = format_p_value(found.pvalue_noninferior), format_p_value(found.pvalue_worse)
    return (
        f"{first}; neither that it is {words.down} by less than {asked.margin:g} (p {noninferior}) nor that it is "
        f"{words.down} at all (p {worse}) is shown at level {asked.level:g}.{more}"
    )


def more_queries(part: MeasureGate, asked: Criterion) -> str:
    """How many queries would decide, as the estimate that it is."""
    needed = part.decision.n_needed
    if needed is None:
        return " Were the true difference the one found here, no number of queries that anybody has would decide."
    if needed <= part.n:
        return ""
    return (
        f" About {pluralise_queries(needed)}, {needed - part.n:,} more, would decide with a probability of "
        f"{format_percent(asked.power)}, if queries to come differ as these do: an estimate, and a rough one where "
        "these are few."
    )


def deciding(part: MeasureGate, gate: Gate) -> list[str]:
    """What would change without a few queries."""
    gains = part.gains
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    equal = part.n - better - worse
    said = [
        f"{gate.system} is better on {better:,} of {pluralise_queries(part.n)}, worse on {worse:,}, equal on {equal:,}."
    ]
    if gate.criterion.test != "t" or part.n < 3 or part.decision.flat:
        return said
    turn = part.turn
    if turn is None:
        ways = {PASS: "it helps most are", WORSE: "it hurts most are", UNDECIDED: EITHER}[part.verdict]
        return [*said, f"However many queries that {ways} taken away, to the last two, the verdict stays."]
    ids = [gate.scores.query_ids[q] for q in part.matched.queries[turn.queries].tolist()]
    kind = "helps" if turn.helped else "hurts"
    if len(ids) == 1:
        return [*said, f"Without query {ids[0]}, which it {kind} most, the verdict would be: {turn.verdict}."]
    without = f"Without the {pluralise_queries(len(ids))} ({join_names(ids)}) that it {kind} most"
    return [*said, f"{without}, the verdict would be: {turn.verdict}."]
