"""What a result of `agree_labels` shows: sentences, tables and confusion matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankscope.comparison.judges.agreement_rows import NAN, ROW_TITLES, chance_sentence, format_tenths, matrix_section
from rankscope.comparison.judges.label_result import (
    FALLS_SHORT,
    REACHES,
    Estimate,
    HumanCeiling,
    LabelAgreement,
    RaterGroup,
    RaterPair,
)
from rankscope.data.columns import Column, column, columns_of, digits, table_of, thousands
from rankscope.data.section import Section, Table
from rankscope.data.text import format_percent, join_names, pluralise
from rankscope.stats.rater_agreement import Kappa

__all__ = [
    "label_sections",
]


#: Rates of the positive class, after the statistics of agreement.
RATES = ("precision", "recall", "specificity", "fpr", "fnr", "fscore", "mcc")
#: Most raters whose pairs are all shown; those of more are details.
MAX_SHOWN = 10
TRUE_AND_PREDICTED = "the true and the predicted labels"
#: Growth of the number of items beyond which no number is named.
MAX_GROWTH = 100
RANKING = "whether a machine ranks systems as people do is another question, which rankscope agree systems answers"


def label_sections(result: LabelAgreement) -> tuple[Section, ...]:
    """The sections of a result: the verdict stands in the first one."""
    if len(result.raters) == 2:
        return two_raters(result, result.pairs[0])
    machines = dict.fromkeys(ceiling.machine for ceiling in result.ceilings)
    ceilings = [ceiling_section(result, machine) for machine in machines]
    if ceilings:
        ceilings[-1] = replace(ceilings[-1], notes=(RANKING,))
    matrices = (
        matrix_of(result, pair, title=f"Confusion matrix of {' and '.join(pair.raters)}", folded=True)
        for pair in result.pairs
    )
    return *ceilings, group_section(result), pair_section(result), *matrices


def two_raters(result: LabelAgreement, pair: RaterPair) -> tuple[Section, ...]:
    """Agreement, confusion matrix and rates of two raters."""
    statistics = pair.statistics
    agreement = Section(
        title="Agreement",
        sentence=" ".join(
            [
                *single_person_sentences(result),
                chance_verdict(result, agreeing_labels(pair), statistics["kappa"], "Cohen's kappa"),
                chance_sentence(kappa_of(result, pair), "item", "label", is_weighted=result.is_weighted),
            ]
        ),
        table=statistics_table({name: e for name, e in statistics.items() if name not in RATES}, result.settings.beta),
    )
    return agreement, matrix_of(result, pair), rates_section(result, pair)


def capitalised(names: str) -> str:
    """The names at the beginning of a sentence: names of raters stay as they are."""
    return f"T{names[1:]}" if names == TRUE_AND_PREDICTED else names


def agreeing_labels(pair: RaterPair) -> str:
    return TRUE_AND_PREDICTED if pair.raters == ("true", "predicted") else " and ".join(pair.raters)


def single_person_sentences(result: LabelAgreement) -> list[str]:
    """That machines lack people to be compared with, where there is a single person."""
    machines = result.settings.machines or ()
    if not machines or result.ceilings:
        return []
    verb, person = "reaches" if len(machines) == 1 else "reach", result.raters[0]
    return [
        f"Whether {join_names(machines)} {verb} the agreement between people cannot be said: {person} is the only "
        "person, and labels of a second one on the same items would show it."
    ]


def chance_verdict(result: LabelAgreement, names: str, estimate: Estimate, title: str) -> str:
    """Whether raters agree more than by chance, by the interval of a statistic that is then 0."""
    if estimate.value > 1 - 1e-9:
        return f"{capitalised(names)} agree on every item."
    if math.isnan(estimate.low):
        return (
            f"Whether {names} agree more than by chance cannot be said: {title} has no interval; more items would "
            "give it."
        )
    if estimate.low <= 0 <= estimate.high:
        level = format_percent(result.settings.confidence_level)
        return (
            f"Whether {names} agree more than by chance is undecided: the {level} interval of {title} holds 0; more "
            "items would make it narrower."
        )
    return f"{capitalised(names)} agree {'more' if estimate.low > 0 else 'less'} than by chance."


def kappa_of(result: LabelAgreement, pair: RaterPair) -> Kappa:
    """Kappa with its interval, for its sentence."""
    kappa = pair.statistics["kappa"]
    return Kappa(
        value=kappa.value,
        agreement=pair.statistics["agreement"].value,
        chance=pair.statistics["chance_agreement"].value,
        standard_error=NAN,
        low=kappa.low,
        high=kappa.high,
        confidence_level=result.settings.confidence_level,
        weights=None,
        n=pair.n,
        notes=(),
    )


def titles(beta: float) -> dict[str, str]:
    """Name of a statistic -> what it is called in tables."""
    return {**ROW_TITLES, "fscore": f"F{beta:g}"}


def statistics_table(statistics: Mapping[str, Estimate], beta: float) -> Table:
    """A statistic a row."""
    names = titles(beta)
    return table_of(
        column("", [names[name] for name in statistics], name=True),
        *columns_of(("value", "low", "high"), list(statistics.values()), digits()),
    )


def matrix_of(result: LabelAgreement, pair: RaterPair, *, title: str = "", folded: bool = False) -> Section:
    """The confusion matrix of two raters, as a table and a figure."""
    rows, columns = pair.raters
    if pair.raters == ("true", "predicted"):
        axes = "Rows: true labels. Columns: predicted labels."
    else:
        axes = f"Rows: labels by {rows}. Columns: labels by {columns}."
    if result.is_weighted:
        axes += " Items are counted without their weights."
    section = matrix_section(pair.confusion, rows, columns, axes)
    return replace(section, title=title or section.title, folded=folded)


def rates_section(result: LabelAgreement, pair: RaterPair) -> Section:
    """The rates of the positive class, or of each class."""
    if not pair.by_class:
        rates = {name: pair.statistics[name] for name in RATES}
        return Section(
            title=f"{result.positive} or not",
            sentence=rates_sentence(result, pair),
            table=statistics_table(rates, result.settings.beta),
        )
    return Section(title="By class", sentence=class_sentence(result, pair), table=class_table(result, pair))


def rates_sentence(result: LabelAgreement, pair: RaterPair) -> str:
    """Recall and the false positive rate, in words and counts."""
    counts = pair.confusion.counts
    i = [str(label) for label in result.labels].index(str(result.positive))
    tp, n = int(counts[i, i]), int(counts.sum())
    n_true, n_called = int(counts[i].sum()), int(counts[:, i].sum())
    return (
        f"{called_by(pair)} {result.positive}: {format_share(tp, n_true)} of the items with this label"
        f"{from_reference(pair)}, and {format_share(n_called - tp, n - n_true)} of the others."
    )


def called_by(pair: RaterPair) -> str:
    return "Predicted as" if pair.raters == ("true", "predicted") else f"{pair.raters[1]} calls"


def from_reference(pair: RaterPair) -> str:
    return "" if pair.raters == ("true", "predicted") else f" from {pair.raters[0]}"


def format_share(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" + (f" ({format_tenths(count / total)})" if total else "")


def class_sentence(result: LabelAgreement, pair: RaterPair) -> str:
    """The class with the lowest recall."""
    opening = f"Each class against all others, {pair.raters[0]} being the reference."
    counts = pair.confusion.counts
    recalls = [(counts[i, i] / total, i) for i in range(len(result.labels)) if (total := int(counts[i].sum()))]
    lowest, i = min(recalls)
    if lowest == 1:
        return f"{opening} All items got the same label."
    share = format_share(int(counts[i, i]), int(counts[i].sum()))
    return f"{opening} The lowest recall is that of {result.labels[i]}: {share}."


def class_table(result: LabelAgreement, pair: RaterPair) -> Table:
    """A class a row, and the two averages."""
    names = ("precision", "recall", "specificity", "fscore")
    n_of = pair.confusion.counts.sum(axis=1).tolist()

    def cells(name: str) -> list[Estimate]:
        averages = [pair.averages[f"{name}_{kind}"] for kind in ("macro", "micro")]
        return [*(pair.by_class[str(label)][name] for label in result.labels), *averages]

    f_cells, column_titles = cells("fscore"), titles(result.settings.beta)
    return table_of(
        column("class", [*result.labels, "mean of classes (macro)", "pooled counts (micro)"], name=True),
        *(
            column(column_titles["fscore"] if name == "fscore" else name, [e.value for e in cells(name)], digits())
            for name in names
        ),
        *columns_of((f"{column_titles['fscore']} from", "to"), [e[1:] for e in f_cells], digits()),
        column("n", [*n_of, pair.n, pair.n]),
    )


def group_section(result: LabelAgreement) -> Section:
    """All raters together, and people."""
    everyone = result.groups[0]
    names = titles(result.settings.beta)
    others = result.groups[1:]
    headings = ("low", "high")
    return Section(
        title="All raters together",
        sentence=group_sentence(result, everyone),
        table=table_of(
            column("", [names[name] for name in everyone.statistics], name=True),
            *group_columns(everyone, "all" if others else "value", headings),
            *(cells for group in others for cells in group_columns(group, group.name, headings)),
        ),
    )


def group_columns(group: RaterGroup, title: str, headings: Sequence[str]) -> tuple[Column, ...]:
    return columns_of((title, *headings), list(group.statistics.values()), digits())


def group_sentence(result: LabelAgreement, group: RaterGroup) -> str:
    """Whether the raters agree more than by chance, and alpha in words."""
    name = "alpha_ordinal" if "alpha_ordinal" in group.statistics else "alpha_nominal"
    alpha = group.statistics[name]
    title = f"Krippendorff's alpha ({name.removeprefix('alpha_')})"
    verdict = chance_verdict(result, join_names(group.raters), alpha, title)
    level = format_percent(result.settings.confidence_level)
    interval = "" if math.isnan(alpha.low) else f" ({level} interval {alpha.low:.2f} to {alpha.high:.2f})"
    meaning = (
        f"{title} is {alpha.value:.2f}{interval}, over {pluralise(group.n, 'item')} that two raters or more labelled: "
        "1 means full agreement, 0 agreement by chance. Kappa, F and MCC are means over pairs of raters."
    )
    return " ".join([*single_person_sentences(result), verdict, meaning])


def pair_section(result: LabelAgreement) -> Section:
    """A pair of raters a row."""
    name = result.statistic
    column_titles = titles(result.settings.beta)
    pairs = result.pairs
    first = pairs[0].statistics
    other_statistics = [
        "agreement",
        "kappa",
        "kappa_quadratic",
        "alpha_nominal",
        "alpha_ordinal",
        "ac1",
        "ac2_quadratic",
    ]
    other_statistics = [
        statistic for statistic in (*other_statistics, "fscore", "mcc") if statistic in first and statistic != name
    ]
    short = {
        **column_titles,
        "kappa": "kappa",
        "kappa_linear": "kappa lin.",
        "kappa_quadratic": "kappa quad.",
        "alpha_nominal": "alpha nom.",
        "alpha_ordinal": "alpha ord.",
        "alpha_interval": "alpha int.",
        "ac1": "AC1",
        "ac2_linear": "AC2 lin.",
        "ac2_quadratic": "AC2 quad.",
        "mcc": "MCC",
    }
    level = f"{format_percent(result.settings.confidence_level)} from"
    return Section(
        title="Every two raters",
        sentence="Each pair on the items that both labelled. Intervals of the other statistics are in the tidy table.",
        table=table_of(
            column("raters", (" and ".join(pair.raters) for pair in pairs), name=True),
            column(short[name], (pair.statistics[name].value for pair in pairs), digits()),
            *columns_of((level, "to"), [pair.statistics[name][1:] for pair in pairs], digits()),
            *(
                column(short[statistic], (pair.statistics[statistic].value for pair in pairs), digits())
                for statistic in other_statistics
            ),
            column("items", (pair.n for pair in pairs), thousands),
        ),
        folded=len(result.raters) > MAX_SHOWN,
    )


def ceiling_section(result: LabelAgreement, machine: str) -> Section:
    """A machine beside people: the mean over them, and each left out in turn."""
    ceilings = [ceiling for ceiling in result.ceilings if ceiling.machine == machine]
    name = result.statistic
    level = f"{format_percent(result.settings.confidence_level)} from"
    rows = [
        "mean over people" if c.left_out is None else f"{c.left_out}, or {machine}, with the others" for c in ceilings
    ]
    return Section(
        title=f"{machine} beside people",
        sentence=ceiling_sentence(result, ceilings[0]),
        table=table_of(
            column(titles(result.settings.beta)[name], rows, name=True),
            column("people", (c.people_agreement[name].value for c in ceilings), digits()),
            column(machine, (c.machine_agreement[name].value for c in ceilings), digits()),
            column("difference", (c.difference[name].value for c in ceilings), digits(signed=True)),
            *columns_of((level, "to"), [c.difference[name][1:] for c in ceilings], digits(signed=True)),
            column("items", (c.n for c in ceilings), thousands),
        ),
    )


def ceiling_sentence(result: LabelAgreement, ceiling: HumanCeiling) -> str:
    """Whether the machine agrees with people as they do with each other, and what would decide it."""
    name, machine = result.statistic, ceiling.machine
    difference = ceiling.difference[name]
    title = titles(result.settings.beta)[name]
    numbers = (
        f"it agrees with a person at {ceiling.machine_agreement[name].value:.2f} ({title}), two people with each other "
        f"at {ceiling.people_agreement[name].value:.2f}, on average and on the same items"
    )
    undecided = f"Whether {machine} reaches the agreement between people"
    if math.isnan(difference.low):
        return (
            f"{undecided} cannot be said: {numbers}, but the difference has no interval; more items, with every label "
            "among them, would give it."
        )
    level = format_percent(result.settings.confidence_level)
    interval = f"the {level} interval of the difference, {difference.low:+.2f} to {difference.high:+.2f},"
    bound = f"-{result.settings.margin:g}" if result.settings.margin else "0"
    if ceiling.verdict == REACHES:
        return f"{machine} reaches the agreement between people: {numbers}; {interval} is not below {bound}."
    if ceiling.verdict == FALLS_SHORT:
        return f"{machine} falls short of the agreement between people: {numbers}; {interval} is below {bound}."
    return (
        f"{undecided} is undecided: {numbers}; {interval} holds {bound}. "
        f"{needed_items_sentence(difference, -result.settings.margin, ceiling.n)}"
    )


def needed_items_sentence(difference: Estimate, bound: float, n: int) -> str:
    """How many items would decide, if the difference stays and its interval narrows with the root of their number."""
    distance = difference.value - bound
    reach = difference.value - difference.low if distance > 0 else difference.high - difference.value
    growth = math.inf if distance == 0 else (reach / distance) ** 2
    if growth > MAX_GROWTH:
        return f"Even {MAX_GROWTH} times as many items would not decide it if the difference stays; a margin may."
    n_needed = math.ceil(growth * n - 1e-6)
    unit = 10 ** max(0, len(str(n_needed)) - 2)
    return (
        f"If the difference stays, about {-(-n_needed // unit) * unit:,} such items would decide it, instead of {n:,}."
    )
