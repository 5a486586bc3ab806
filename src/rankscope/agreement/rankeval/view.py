"""The view of agreement of ranks: sentences, tables, and figures over experiments."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankscope.agreement.rankeval.measures import SET_MEASURES
from rankscope.agreement.rankeval.rank_agreement import COUNTS, IntervalStatistic, RankAgreement, RankPart
from rankscope.agreement.rankeval.reference_code import as_printed
from rankscope.data.columns import Column, column, digits, table_of, thousands
from rankscope.data.section import Figure, Section
from rankscope.data.text import format_chance, format_number, format_p_cell, format_percent, join_names, pluralise

__all__ = [
    "sections_of",
]


#: The names of statistics in tables.
NAMES = {
    "tau": "tau",
    "tau_macro": "tau, mean over lists",
    "tau_original": "tau, original",
    "tau_original_macro": "tau, original, mean over lists",
    "average_predicted": "people's rank of the predicted best",
    "pvalue_permutation": "p by permutation",
    "pvalue_fisher": "p by Fisher",
    "pvalue_stouffer": "p by Stouffer",
}
#: The columns of the table of several metrics.
SUMMARY_STATISTICS = ("tau", "tau_macro", "pvalue_permutation", "MRR", "nDCG", "ERR", "average_predicted")
#: The lines of the figure over experiments, beside the measure that orders it.
LINES = ("MRR", "tau", "tau_macro", "nDCG", "ERR")
#: The fewest experiments for which the figure is drawn.
MIN_EXPERIMENTS = 3


def sections_of(result: RankAgreement) -> tuple[Section, ...]:
    parts = result.parts
    if result.settings.preset is not None:
        return tuple(tool_section(result, part) for part in parts)
    if len(parts) == 1:
        sections = [part_section(result, parts[0])]
    else:
        sections = [overview_section(result), *(part_section(result, part, folded=True) for part in parts)]
    sections += [best_table(parts), pair_table(parts)]
    if result.settings.by_segment:
        sections += [list_table(result, part) for part in parts if not part.all_pairs]
    return tuple(sections)


def tool_section(result: RankAgreement, part: RankPart) -> Section:
    """Keys and numbers in RankEval's digits."""
    statistics = part.statistics
    title = f"{part.metric} against {result.gold}, as RankEval prints it"
    return Section(
        title=title,
        table=table_of(
            column("key", (statistic.name for statistic in statistics), name=True),
            column("value", (statistic.value for statistic in statistics), as_printed),
        ),
    )


def part_name(result: RankAgreement, part: RankPart) -> str:
    return f"{part.metric} ({part.pair or '-'})" if has_several_pairs(result.parts) else part.metric


def part_section(result: RankAgreement, part: RankPart, *, folded: bool = False) -> Section:
    statistics = [statistic for statistic in part.statistics if statistic.name not in COUNTS]
    level = format_percent(result.settings.confidence_level)
    return Section(
        title=f"{part_name(result, part)} against {result.gold}",
        sentence=sentence_of(part),
        table=table_of(
            column("measure", (NAMES.get(statistic.name, statistic.name) for statistic in statistics), name=True),
            column("value", statistics, format_statistic),
            column(f"{level} from", (statistic.low for statistic in statistics), digits()),
            column("to", (statistic.high for statistic in statistics), digits()),
            column("lists", (statistic.n for statistic in statistics), thousands),
        ),
        notes=notes_of(part),
        folded=folded,
    )


def format_statistic(statistic: IntervalStatistic) -> str:
    """The value of a statistic; p-values have no interval."""
    return (format_p_cell if statistic.name.startswith("pvalue") else format_number)(statistic.value)


def sentence_of(part: RankPart) -> str:
    """The sentence on what tau means in pairs, and whether chance explains it."""
    tau, taus = part["tau"], part.taus
    if math.isnan(tau):
        return f"No pair of items counts: {part.metric} ties all pairs that people rank."
    n_concordant, n_valid = int(taus.concordant.sum()), int(taus.valid.sum())
    p = part["pvalue_permutation"]
    text = (
        f"Of {pluralise(n_valid, 'pair')} that people rank, {part.metric} orders {n_concordant:,} as they do "
        f"({100 * n_concordant / n_valid:.1f} %): tau {tau:.2f}, where 1 means full agreement and -1 the opposite "
        "order."
    )
    # Where ties of the machine count against it, the average by chance is below 0.
    frequency = "in nearly all" if p >= 0.995 else format_chance(p)
    return f"{text} With ranks assigned at random, tau would be at least as far from its average {frequency} samples."


def notes_of(part: RankPart) -> tuple[str, ...]:
    notes = []
    n_without_tau = int(np.count_nonzero(part.taus.valid == 0))
    if n_without_tau and n_without_tau < len(part.lengths):
        notes.append(
            f"{pluralise(n_without_tau, 'list has', 'lists have')} no pair that counts, so no tau, and "
            f"{'is' if n_without_tau == 1 else 'are'} not in the mean over lists"
        )
    if len(set(part.lists.segment.codes.tolist())) == 1:
        notes.append("one segment only: no intervals can be computed")
    return tuple(notes)


def overview_section(result: RankAgreement) -> Section:
    """A row for each metric; and the measures as lines over metrics, where there are enough."""
    names = [SET_MEASURES[name].label(result.measure_settings) for name in SUMMARY_STATISTICS]
    statistics = [{statistic.name: statistic for statistic in part.statistics} for part in result.parts]
    return Section(
        title=f"Metrics against {result.gold}",
        sentence=best_sentence(result),
        table=table_of(
            *name_columns(result.parts, shows_pairs=has_several_pairs(result.parts)),
            *(
                column(NAMES.get(name, name), (by_name[name] for by_name in statistics), format_statistic)
                for name in names
            ),
            column("lists", (by_name["MRR"].n for by_name in statistics), thousands),
        ),
        figure=lines_of(result),
    )


def has_several_pairs(parts: Sequence[RankPart]) -> bool:
    return len({part.pair for part in parts}) > 1


def name_columns(parts: Sequence[RankPart], *, shows_pairs: bool) -> tuple[Column, Column | None]:
    """The columns with the name of the part of each row: its metric and, on request, its language pair."""
    return (
        column("metric", (part.metric for part in parts), name=True),
        column("pair", (part.pair or "-" for part in parts), name=True) if shows_pairs else None,
    )


def best_sentence(result: RankAgreement) -> str:
    taus = np.array([part["tau"] for part in result.parts])
    if np.isnan(taus).all():
        return "No metric has a tau: each ties all pairs that people rank."
    best = [part_name(result, result.parts[i]) for i in np.flatnonzero(taus == np.nanmax(taus))]
    verb = "agrees" if len(best) == 1 else "agree"
    superlative = " most" if len(taus) > 1 else ""
    return (
        f"{join_names(best)} {verb}{superlative} with people: tau is {np.nanmax(taus):.2f}, where 1 means the same "
        "order of all pairs and -1 the opposite order. Intervals are in the table of each metric; differences between "
        "metrics are not tested here."
    )


def lines_of(result: RankAgreement) -> Figure | None:
    """The paper's figure: measures as lines over experiments, the best by one of them first."""
    if len(result.parts) < MIN_EXPERIMENTS:
        return None
    measures = [
        SET_MEASURES[name].label(result.measure_settings) for name in dict.fromkeys((result.settings.order_by, *LINES))
    ]
    falling = result.settings.order_by != "average_predicted"  # lower is better there
    values = tuple(tuple(part[name] for part in result.parts) for name in measures)
    names = [part_name(result, part) for part in result.parts]
    return Figure(
        "measure_lines",
        {"experiments": names, "measures": measures, "values": values, "order_by": measures[0], "falling": falling},
    )


def best_table(parts: tuple[RankPart, ...]) -> Section:
    """People's ranks of the items that the machine ranks best: the numbers of the paper's bar chart."""
    bests = [part.best for part in parts]
    part_of_row = [part for part, best in zip(parts, bests, strict=True) for _ in best.ranks]
    metrics, pairs = name_columns(part_of_row, shows_pairs=has_several_pairs(parts))
    return Section(
        title="People's ranks of the predicted best",
        sentence="If the prediction ranks several items best, the one that people rank worst counts.",
        table=table_of(
            metrics if len(parts) > 1 else None,
            pairs,
            column(
                "people's rank",
                (rank for best in bests for rank in best.ranks),
                "{:g}".format,
                name=len(parts) == 1,
            ),
            column("lists", (count for best in bests for count in best.counts), thousands),
            column("percent", (share for best in bests for share in best.share), digits(2)),
        ),
        figure=best_bars(parts),
    )


def best_bars(parts: tuple[RankPart, ...]) -> Figure | None:
    """The paper's bar chart; none where no list has an item."""
    ranks = sorted({rank for part in parts for rank in part.best.ranks.tolist()})
    if not ranks:
        return None
    shares = np.zeros((len(parts), len(ranks)))
    for row, part in zip(shares, parts, strict=True):
        best = part.best
        row[[ranks.index(rank) for rank in best.ranks.tolist()]] = best.share
    names = [f"{part.metric} {part.pair}" if has_several_pairs(parts) else part.metric for part in parts]
    return Figure("rank_shares", {"metrics": names, "ranks": ranks, "shares": shares})


def pair_table(parts: tuple[RankPart, ...]) -> Section:
    titles = ("agree", "disagree", "all", "tied by people", "tied by the prediction")
    return Section(
        title="Pairs of items",
        table=table_of(
            *name_columns(parts, shows_pairs=has_several_pairs(parts)),
            *(
                column(title, (part[name] for part in parts), thousands)
                for title, name in zip(titles, COUNTS, strict=True)
            ),
        ),
        folded=True,
    )


def list_table(result: RankAgreement, part: RankPart) -> Section:
    """A row for each list."""
    return Section(
        title=f"{part_name(result, part)}, list by list",
        table=table_of(
            column("segment", part.lists.segment, name=True),
            column("judge", (judge or "-" for judge in part.lists.judge), name=True),
            column("items", part.lengths),
            *(
                column("p", values.tolist(), format_p_cell) if name == "pvalue" else column(name, values, digits())
                for name, values in part.of_list.items()
            ),
        ),
    )
