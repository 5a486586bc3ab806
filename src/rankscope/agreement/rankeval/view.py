"""The view of agreement of ranks: sentences, tables, and lines over experiments."""

from __future__ import annotations

import math

import numpy as np

from rankscope.agreement.rankeval.agreement import IntervalStatistic, RankAgreement, RankPart
from rankscope.agreement.rankeval.reference_code import as_printed
from rankscope.data.section import Cell, Figure, Section, Table
from rankscope.data.text import format_chance, format_p_cell, format_percent, format_value, join_names, pluralise

__all__ = [
    "sections_of",
]


#: What the statistics are called in tables.
NAMES = {
    "tau": "tau",
    "tau_macro": "tau, mean over lists",
    "tau_original": "tau, original",
    "tau_original_macro": "tau, original, mean over lists",
    "average_predicted": "people's rank of the machine's best",
    "pvalue_permutation": "p by permutation",
    "pvalue_fisher": "p by Fisher",
    "pvalue_stouffer": "p by Stouffer",
}
COUNTS = ("concordant", "discordant", "pairs", "gold_ties", "predicted_ties")
#: What a table of several metrics shows.
SUMMARY_STATISTICS = ("tau", "tau_macro", "pvalue_permutation", "MRR", "nDCG", "ERR", "average_predicted")
#: What the figure over experiments shows, beside the measure that orders it.
LINES = ("MRR", "tau", "tau_macro", "nDCG", "ERR")
#: The figure needs so many experiments.
FEW = 3


def sections_of(result: RankAgreement) -> tuple[Section, ...]:
    parts = result.parts
    if result.preset is not None:
        return tuple(tool_section(result, part) for part in parts)
    if len(parts) == 1:
        found = [part_section(result, parts[0])]
    else:
        found = [overview_section(result), *(part_section(result, part, folded=True) for part in parts)]
    found += [best_table(parts), pair_table(parts)]
    if result.by_segment:
        found += [list_table(result, part) for part in parts if not part.together]
    return tuple(found)


def tool_section(result: RankAgreement, part: RankPart) -> Section:
    """Keys and numbers in RankEval's digits."""
    rows = tuple((one.name, as_printed(one.value)) for one in part.found.statistics)
    title = f"{part.metric} against {result.gold}, as RankEval prints it"
    return Section(title=title, table=Table(columns=("key", "value"), rows=rows))


def part_name(result: RankAgreement, part: RankPart) -> str:
    several = len({other.pair for other in result.parts}) > 1
    return f"{part.metric} ({part.pair or '-'})" if several else part.metric


def part_section(result: RankAgreement, part: RankPart, *, folded: bool = False) -> Section:
    rows = [
        (NAMES.get(one.name, one.name), *statistic_cells(one), f"{one.n:,}")
        for one in part.found.statistics
        if one.name not in COUNTS
    ]
    level = format_percent(result.asked.confidence_level)
    return Section(
        title=f"{part_name(result, part)} against {result.gold}",
        sentence=sentence_of(part),
        table=Table(columns=("measure", "value", f"{level} from", "to", "lists"), rows=tuple(rows)),
        notes=notes_of(part),
        folded=folded,
    )


def statistic_cells(one: IntervalStatistic) -> tuple[str, str, str]:
    if one.name.startswith("pvalue"):
        return format_p_cell(one.value), "-", "-"
    return format_value(one.value, "mean"), format_value(one.low, "mean"), format_value(one.high, "mean")


def sentence_of(part: RankPart) -> str:
    """What tau means in pairs, and whether chance explains it."""
    found = part.found
    tau, taus = found["tau"], found.taus
    if math.isnan(tau):
        return f"No pair of items counts: of those that people rank, {part.metric} ties all."
    c, valid = int(taus.concordant.sum()), int(taus.valid.sum())
    p = found["pvalue_permutation"]
    text = (
        f"Of {pluralise(valid, 'pair')} that people rank, {part.metric} orders {c:,} as they do "
        f"({100 * c / valid:.1f} %): tau {tau:.2f}, where 1 is full agreement and -1 the opposite order."
    )
    # Where ties of the machine count against it, what chance gives on average is below 0.
    often = "in nearly all" if p >= 0.995 else format_chance(p)
    chance = f"tau would be as far from its average there {often} such draws"
    return f"{text} Were its ranks dealt out at random, {chance}."


def notes_of(part: RankPart) -> tuple[str, ...]:
    notes = []
    lost = int(np.count_nonzero(part.found.taus.valid == 0))
    if lost and lost < len(part.lengths):
        notes.append(
            f"{pluralise(lost, 'list')} without a pair that counts: no tau there, and none in the mean over lists"
        )
    if len(set(part.lists.segment.codes.tolist())) == 1:
        notes.append("one segment only: no intervals")
    return tuple(notes)


def overview_section(result: RankAgreement) -> Section:
    """A row a metric; and the measures as lines over them, where there are enough."""
    at = result.asked.at
    chosen = [f"{name}{at}" if name in ("nDCG", "ERR") else name for name in SUMMARY_STATISTICS]
    several = len({part.pair for part in result.parts}) > 1
    rows: list[tuple[Cell, ...]] = []
    for part in result.parts:
        of = {one.name: one for one in part.found.statistics}
        values = (statistic_cells(of[name])[0] for name in chosen)
        rows.append((part.metric, *([part.pair or "-"] if several else []), *values, f"{of['MRR'].n:,}"))
    heads = [NAMES.get(name, name) for name in chosen]
    columns = ("metric", *(["pair"] if several else []), *heads, "lists")
    return Section(
        title=f"Metrics against {result.gold}",
        sentence=best_sentence(result),
        table=Table(columns=columns, rows=tuple(rows), left=2 if several else 1),
        figure=lines_of(result),
    )


def best_sentence(result: RankAgreement) -> str:
    taus = np.array([part.found["tau"] for part in result.parts])
    if np.isnan(taus).all():
        return "No metric has a tau: of the pairs that people rank, each ties all."
    best = [part_name(result, result.parts[i]) for i in np.flatnonzero(taus == np.nanmax(taus))]
    verb = "agrees" if len(best) == 1 else "agree"
    most = " most" if len(taus) > 1 else ""
    return (
        f"{join_names(best)} {verb}{most} with people: tau is {np.nanmax(taus):.2f}, where 1 is the same order of all "
        "pairs and -1 the other way round. Intervals are in each metric's own table; no test says here "
        "whether metrics differ by more than chance."
    )


def lines_of(result: RankAgreement) -> Figure | None:
    """The paper's figure: measures as lines over experiments, the best by one of them first."""
    if len(result.parts) < FEW:
        return None
    at = result.asked.at
    lines = dict.fromkeys((result.order_by, *LINES))
    measures = [f"{name}{at}" if name in ("DCG", "nDCG", "ERR") else name for name in lines]
    falling = result.order_by != "average_predicted"  # of which lower is better
    values = tuple(tuple(part.found[name] for part in result.parts) for name in measures)
    names = [part_name(result, part) for part in result.parts]
    return Figure(
        "measure_lines",
        {"experiments": names, "measures": measures, "values": values, "order_by": measures[0], "falling": falling},
    )


def best_table(parts: tuple[RankPart, ...]) -> Section:
    """Which ranks people give to what the machine ranks best: the numbers of the paper's bar chart."""
    rows: list[tuple[Cell, ...]] = []
    for part in parts:
        best = part.found.best
        for rank, count, share in zip(best.ranks.tolist(), best.counts.tolist(), best.share.tolist(), strict=True):
            rows.append((part.metric, part.pair or "-", f"{rank:g}", f"{count:,}", f"{share:.2f}"))
    kept = [0, 1] if len({part.pair for part in parts}) > 1 else [0] if len(parts) > 1 else []
    columns = ("metric", "pair", "people's rank", "lists", "percent")
    shown = [*kept, 2, 3, 4]
    return Section(
        title="People's ranks of what the machine ranks best",
        sentence="Where the machine ranks several best, the one that counts is the one that people rank worst.",
        table=Table(
            columns=tuple(columns[i] for i in shown),
            rows=tuple(tuple(row[i] for i in shown) for row in rows),
            left=len(kept) or 1,
        ),
        figure=best_bars(parts),
    )


def best_bars(parts: tuple[RankPart, ...]) -> Figure | None:
    """The paper's bar chart; none where no list has an item."""
    ranks = sorted({rank for part in parts for rank in part.found.best.ranks.tolist()})
    if not ranks:
        return None
    shares = np.zeros((len(parts), len(ranks)))
    for row, part in zip(shares, parts, strict=True):
        best = part.found.best
        row[[ranks.index(rank) for rank in best.ranks.tolist()]] = best.share
    several = len({part.pair for part in parts}) > 1
    names = [f"{part.metric} {part.pair}" if several else part.metric for part in parts]
    return Figure("rank_shares", {"metrics": names, "ranks": ranks, "shares": shares})


def pair_table(parts: tuple[RankPart, ...]) -> Section:
    rows = []
    for part in parts:
        numbers = (int(part.found[name]) for name in COUNTS)
        rows.append((part.metric, part.pair or "-", *(f"{number:,}" for number in numbers)))
    several = len({part.pair for part in parts}) > 1
    columns: tuple[str, ...] = ("metric", "pair", "agree", "disagree", "all", "tied by people", "tied by the machine")
    if not several:
        columns, rows = (columns[0], *columns[2:]), [(row[0], *row[2:]) for row in rows]
    return Section(
        title="Pairs of items",
        table=Table(columns=columns, rows=tuple(rows), left=2 if several else 1),
        folded=True,
    )


def list_table(result: RankAgreement, part: RankPart) -> Section:
    """A row a list."""
    measures = list(part.found.of_list)
    columns = [part.found.of_list[name].tolist() for name in measures]
    rows = []
    for i, (segment, judge) in enumerate(zip(part.lists.segment, part.lists.judge, strict=True)):
        values = (
            format_p_cell(column[i]) if name == "pvalue" else format_value(column[i], "mean")
            for name, column in zip(measures, columns, strict=True)
        )
        rows.append((segment, judge or "-", str(part.lengths[i]), *values))
    heads = ["p" if name == "pvalue" else name for name in measures]
    return Section(
        title=f"{part_name(result, part)}, list by list",
        table=Table(columns=("segment", "judge", "items", *heads), rows=tuple(rows), left=2),
    )
