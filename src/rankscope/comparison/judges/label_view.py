"""What a result of `agree_labels` shows: sentences, tables and confusion matrices."""

from __future__ import annotations

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
RANKING = "whether a machine ranks systems as people do is another question, which rankscope agree systems answers"


def label_sections(result: LabelAgreement) -> tuple[Section, ...]:
    """The sections of a result."""
    if len(result.raters) == 2:
        return two_raters(result, result.pairs[0])
    groups = [group_section(result)]
    machines = dict.fromkeys(ceiling.machine for ceiling in result.ceilings)
    ceilings = [ceiling_section(result, machine) for machine in machines]
    if ceilings:
        ceilings[-1] = replace(ceilings[-1], notes=(RANKING,))
    matrices = (
        matrix_of(result, pair, title=f"Confusion matrix of {' and '.join(pair.raters)}", folded=True)
        for pair in result.pairs
    )
    return *groups, pair_section(result), *ceilings, *matrices


def two_raters(result: LabelAgreement, pair: RaterPair) -> tuple[Section, ...]:
    """Agreement, confusion matrix and rates of two raters."""
    statistics = pair.statistics
    agreement = Section(
        title="Agreement",
        sentence=chance_sentence(kappa_of(result, pair), "item", "label", is_weighted=result.is_weighted),
        table=statistics_table({name: e for name, e in statistics.items() if name not in RATES}, result.settings.beta),
    )
    return agreement, matrix_of(result, pair), rates_section(result, pair)


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
    """Alpha in words."""
    name = "alpha_ordinal" if "alpha_ordinal" in group.statistics else "alpha_nominal"
    alpha = group.statistics[name]
    level = format_percent(result.settings.confidence_level)
    interval = "" if alpha.low != alpha.low else f" ({level} interval {alpha.low:.2f} to {alpha.high:.2f})"
    return (
        f"Krippendorff's alpha ({name.removeprefix('alpha_')}) of {join_names(group.raters)} is {alpha.value:.2f}"
        f"{interval}, over {pluralise(group.n, 'item')} that two raters or more labelled: 1 means full agreement, 0 "
        "agreement by chance. Kappa, F and MCC are means over pairs of raters."
    )


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
    """Whether the machine agrees with people as people do."""
    name, machine = result.statistic, ceiling.machine
    difference = ceiling.difference[name]
    title = titles(result.settings.beta)[name]
    opening = (
        f"Two people agree with each other at {ceiling.people_agreement[name].value:.2f} ({title}), and {machine} with "
        f"a person at {ceiling.machine_agreement[name].value:.2f}, on average and on the same items."
    )
    if difference.low != difference.low:
        return f"{opening} Whether it reaches them cannot be said: the difference has no interval."
    level = format_percent(result.settings.confidence_level)
    interval = f"the {level} interval of the difference is {difference.low:+.2f} to {difference.high:+.2f}"
    bound = f"-{result.settings.margin:g}" if result.settings.margin else "0"
    if ceiling.verdict == REACHES:
        return f"{opening} It reaches the agreement of people: {interval}, not below {bound}."
    if ceiling.verdict == FALLS_SHORT:
        return f"{opening} It falls short of the agreement of people: {interval}, below {bound}."
    return f"{opening} Whether it reaches the agreement of people is undecided: {interval}, and holds {bound}."
