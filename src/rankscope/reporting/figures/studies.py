"""Stability of measures: lines over conditions, achieved significance levels, swap rates, error against tie rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.text import join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.kernels.ties import order_of
from rankscope.reporting.figures.inputs import (
    as_names,
    as_rates,
    as_table,
    cell,
    inline,
    number,
    printable,
    row_names,
    shorten,
    truncation_note,
)
from rankscope.reporting.figures.marks import (
    AT,
    HEIGHT,
    LINE_HEIGHT,
    MOST_LINES,
    SHAPES,
    TIE,
    as_levels,
    describe_ends,
    draw_lines,
    labelled_points,
    with_levels,
)
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import BLUE, SERIES, Style, altair, finish, name_labels
from rankscope.stats.inputs import check_share, is_real
from rankscope.typing import Floats

__all__ = [
    "asl_curves",
    "asl_rates",
    "condition_lines",
    "error_against_tie",
    "measure_lines",
    "swap_curve",
]


#: More bands than these cover each other; they are then left out.
MOST_BANDS = 6
#: From this ratio of the last to the first on, a range is one of magnitudes.
MAGNITUDES = 20
#: So many conditions at most stand each at the axis.
TICKS = 12


def conditions_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    values = 30 / np.sqrt([5, 10, 20, 40]) * rng.uniform(0.8, 1.2, (len(names), 1))
    return {
        "x": [5, 10, 20, 40],
        "x_title": "queries per set",
        "measures": names,
        "values": values,
        "y_title": "error rate (%)",
        "lows": values * 0.9,
        "highs": values * 1.1,
    }


@figure(conditions_example)
def condition_lines(
    *,
    x: Sequence[float] | Sequence[str],
    x_title: str,
    measures: Sequence[str],
    values: npt.ArrayLike,
    y_title: str,
    lows: npt.ArrayLike | None = None,
    highs: npt.ArrayLike | None = None,
    interval: str = "95% interval",
    style: Style | None = None,
) -> Any:
    """A line a measure over a range of conditions, with a band where its ends are given.

    x: numbers, which are put in rising order (a range over magnitudes is drawn logarithmically), or texts, evenly
    spaced as they are given. values, lows, highs: (measures, conditions); NaN: a gap. interval: what the band is. The
    first 16 measures are shown; bands of at most 6 lines, since more cover each other. Raises ParameterError for data
    that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    across, labels, encoding = axis_of(alt, x, printable(x_title))
    shape = (len(names), len(labels))
    order = np.argsort(across, kind="stable")
    table = as_table(values, shape, "values")[:, order]
    kept = names[:MOST_LINES]
    of = [labels[i] for i in order]
    texts = {"name": "measure", "x": printable(x_title), "of": of}
    y = alt.Y("y:Q").title(printable(y_title)).scale(zero=False)
    drawn = draw_lines(alt, kept, across[order], table[: len(kept)], encoding, y, style, texts)
    given = [
        None if end is None else as_table(end, shape, what)[:, order]
        for end, what in ((lows, "lows"), (highs, "highs"))
    ]
    below = ""
    if given[0] is not None and given[1] is not None:
        below = f"Bands, {printable(interval)}, are left out: {len(kept)} of them would cover each other."
        if len(kept) <= MOST_BANDS:
            below = f"Band: {printable(interval)}."
            band = bands(alt, kept, across[order], of, (given[0], given[1]), encoding, y)
            drawn = alt.layer(band, drawn)
    said = (
        describe_ends(kept, across[order], table, printable(x_title))
        if all(map(is_real, x))
        else f"{', '.join(kept[:5])}."
    )
    return finish(
        drawn,
        title=f"{as_title(printable(y_title))} by {printable(x_title)}",
        subtitle=[below, truncation_note(len(names), MOST_LINES, "measures")],
        description=f"{printable(y_title)} by {printable(x_title)} of {pluralise(len(kept), 'measure')}. {said}",
        style=style,
        height=LINE_HEIGHT,
    )


def as_title(text: str) -> str:
    """A text with a capital at its front, but a name as nDCG as it is.

    >>> as_title("error rate"), as_title("nDCG")
    ('Error rate', 'nDCG')
    """
    return text[:1].upper() + text[1:] if text[:2].islower() else text


def axis_of(alt: Any, x: Sequence[Any], title: str) -> tuple[Floats, list[str], Any]:
    """Where the conditions stand, what the pointer reads there, and the axis."""
    if isinstance(x, str) or not len(x):
        raise ParameterError("x has no conditions, expected a list of at least 1 number or text")
    if not all(map(is_real, x)):
        labels = as_names(x, "x")
        axis = alt.Axis(grid=False, labelAngle=-45 if len(" ".join(labels)) > 40 else 0, labelLimit=90)
        encoding = alt.X("of:N").title(title).sort(None).scale(domain=labels).axis(axis)
        return np.arange(len(labels), dtype=np.float64), labels, encoding
    across = as_table(x, (len(x),), "x")
    if np.isnan(across).any() or len(np.unique(across)) < len(across):
        raise ParameterError("x has a number twice or NaN; give each condition once")
    low, high = float(across.min()), float(across.max())
    magnitudes = low > 0 and high >= MAGNITUDES * low
    axis = alt.Axis(format=",~r" if high < 1e6 else "~s", grid=False, labelOverlap="greedy")
    if len(across) <= TICKS:
        axis["values"] = [cell(value) for value in np.sort(across)]
    scale = alt.Scale(zero=False, nice=False, **({"type": "log"} if magnitudes else {}))
    encoding = alt.X("x:Q").title(f"{title}, logarithmic" if magnitudes else title).scale(scale).axis(axis)
    return across, [f"{value:,.6g}" for value in across], encoding


def bands(
    alt: Any, names: list[str], across: Floats, of: list[str], given: tuple[Floats, Floats], x: Any, y: Any
) -> Any:
    """A pale band a line, with a gap where one of its ends is missing."""
    rows = [
        {"name": name, "fill": fill, "x": cell(across[i]), "of": of[i], "low": cell(low[i]), "high": cell(high[i])}
        for name, fill, low, high in zip(names, SERIES, given[0] + 0 * given[1], given[1] + 0 * given[0], strict=False)
        for i in range(across.size)
    ]
    # Not by a scale of its own, whose missing legend would take that of the lines along.
    fill = alt.Fill("fill:N").scale(None).legend(None)
    # One title for both fields, or the axis lists two.
    low = alt.Y("low:Q").title(y.to_dict()["title"]).scale(zero=False)
    return (
        alt.Chart(inline(rows))
        .mark_area(aria=False, opacity=0.16)
        .encode(x=x, y=low, y2="high:Q", fill=fill, detail="name:N")
    )


def measures_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    experiments = [f"run {i}" for i in range(queries)]
    values = rng.random((len(names), queries))
    return {"experiments": experiments, "measures": names, "values": values, "order_by": names[-1]}


@figure(measures_example)
def measure_lines(
    *,
    experiments: Sequence[str],
    measures: Sequence[str],
    values: npt.ArrayLike,
    order_by: str,
    falling: bool = False,
    style: Style | None = None,
) -> Any:
    """A line a measure over experiments, which are ordered by one of the measures: where others fall, they disagree.

    values: (measures, experiments). order_by: one of the measures; experiments rise by it (or fall), those without
    a value last. Of more than 200 experiments evenly spaced ones are shown; the first 16 measures are, `order_by`
    among them. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    labels = row_names(experiments)
    table = as_table(values, (len(names), len(labels)), "values")
    chosen = printable(order_by)
    if chosen not in names:
        raise ParameterError(f"order_by is {shorten(chosen)!r}, expected one of the measures")
    if not labels:
        raise ParameterError("experiments is empty, expected at least 1 name")
    first = names.index(chosen)
    order = order_of(-table[first] if falling else table[first])
    # The measure that orders comes first, and so has the plain line.
    kept = [first, *(i for i in range(len(names)) if i != first)][:MOST_LINES]
    texts = {"name": "measure", "x": "experiment", "of": [labels[i] for i in order]}
    count = f"{len(labels):,} {'experiment' if len(labels) == 1 else 'experiments'}"
    x = alt.X("x:Q").title(f"{count}, in the order of {shorten(chosen)}").scale(zero=False, nice=False)
    x = x.axis(tickMinStep=1, format=",d", grid=False)
    y = alt.Y("y:Q").title("value")
    places = np.arange(1, len(labels) + 1, dtype=np.float64)
    shown_names = [names[i] for i in kept]
    return finish(
        draw_lines(alt, shown_names, places, table[kept][:, order], x, y, style, texts),
        title=f"Measures over experiments, ordered by {shorten(chosen)}",
        subtitle=[
            f"Where a line {'rises' if falling else 'falls'}, its measure orders two experiments the other way round.",
            truncation_note(len(names), MOST_LINES, "measures"),
        ],
        description=f"{len(kept)} measures over {count}, ordered by {chosen}: {', '.join(shown_names)}.",
        style=style,
        height=LINE_HEIGHT,
    )


def asl_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"measures": names, "asls": rng.random((len(names), 45)) ** 3, "levels": [0.05]}


@figure(asl_example)
def asl_curves(
    *,
    measures: Sequence[str],
    asls: npt.ArrayLike,
    levels: Sequence[float] = (),
    cut: float = 0.15,
    style: Style | None = None,
) -> Any:
    """The significance level that each pair of systems achieves, from the largest to the smallest, a line a measure.

    asls: (measures, pairs) in [0, 1], in any order; NaN: the pair has none, and counts as not told apart. levels: where
    dashed lines are. cut: what is above is not drawn, since no one calls it significant; the axis is linear below it,
    which spreads the usual levels of .01 to .15. The further left a line falls, the more pairs its measure tells apart.
    The first 16 measures are shown. Raises ParameterError for data that do not fit. Source: Sakai (2006), ASL curves.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    check_share("cut", cut)
    if np.ndim(asls) != 2:
        raise ParameterError(f"asls has shape {np.shape(asls)}, expected (measures, pairs)")
    table = as_table(asls, (len(names), np.shape(asls)[1]), "asls")
    if ((table < 0) | (table > 1)).any():
        raise ParameterError("asls has a number below 0 or above 1, expected shares in [0, 1]")
    kept = names[:MOST_LINES]
    falling = below_cut(table[: len(kept)], cut)
    pairs = falling.shape[1]
    start = int(np.argmax((~np.isnan(falling)).any(axis=0))) if falling.size else 0
    places = np.arange(start + 1, pairs + 1, dtype=np.float64)
    texts = {
        "name": "measure",
        "x": "pair",
        "of": [f"{place:,.0f} of {pairs:,}" for place in places],
        "value": "significance level",
    }
    x = alt.X("x:Q").title(f"{pluralise(pairs, 'pair')} of systems, the clearest last")
    x = x.scale(zero=False, nice=False).axis(tickMinStep=1, format=",d")
    y = alt.Y("y:Q").title("achieved significance level").scale(domain=[0, cut], nice=False)
    found = (~np.isnan(falling)).sum(axis=1)
    said = join_names(f"{name} {count:,}" for name, count in zip(kept, found, strict=True))
    return finish(
        with_levels(
            alt, draw_lines(alt, kept, places, falling[:, start:], x, y, style, texts), as_levels(levels), cut, False
        ),
        title="How clearly each measure tells pairs of systems apart",
        subtitle=[
            f"Further left and lower is better.{' Dashed: levels.' if levels else ''} Above {cut:g} nothing is drawn.",
            truncation_note(len(names), MOST_LINES, "measures"),
        ],
        description=f"Pairs of systems, of {pairs:,}, with a significance level of at most {cut:g}: {said}.",
        style=style,
        height=LINE_HEIGHT,
    )


def below_cut(table: Floats, cut: float) -> Floats:
    """(measures, pairs) from the largest to the smallest; NaN where it is above the cut, or the pair has none."""
    falling = -np.sort(-np.where(np.isnan(table), 2.0, table), axis=1)
    return np.asarray(np.where(falling <= cut, falling, np.nan))


#: More rows than these are no figure any more; more levels than these have no colour of their own.
MOST_MEASURES, MOST_LEVELS = 50, 6
#: Room of a level in a row, least room of a row, and what is free between rows, in pixels.
LEVEL, ROW, FREE = 11, 24, 8
#: The level by which measures are sorted is the one nearest to this.
USUAL = 0.05


def rates_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    rates = np.sort(rng.uniform(20, 90, (len(names), 2)), axis=1)
    return {"measures": names, "levels": [0.01, 0.05], "rates": rates, "lows": rates - 8, "highs": rates + 8}


@figure(rates_example)
def asl_rates(
    *,
    measures: Sequence[str],
    levels: Sequence[float],
    rates: npt.ArrayLike,
    lows: npt.ArrayLike | None = None,
    highs: npt.ArrayLike | None = None,
    interval: str = "95% interval",
    style: Style | None = None,
) -> Any:
    """The share of the pairs of systems that each measure tells apart, with intervals: the most sensitive on top.

    levels: of significance, at most 6, each with its own colour and symbol. rates, lows, highs: (measures, levels) in
    percent; NaN: nothing is drawn. Rows are sorted by the rate at the level nearest to .05; measures without one come
    last. The top 50 measures are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    # The rows of the table follow the levels, however they are given.
    rising = as_levels(levels, MOST_LEVELS)
    if not rising:
        raise ParameterError("levels is empty, expected at least 1 level of significance")
    columns = [[float(level) for level in levels].index(level) for level in rising]
    shape = (len(names), len(rising))
    table = as_rates(rates, shape, "rates")[:, columns]
    ends = [
        table if end is None else as_rates(end, shape, what)[:, columns]
        for end, what in ((lows, "lows"), (highs, "highs"))
    ]
    first = int(np.argmin([abs(level - USUAL) for level in rising]))
    order = order_of(-table[:, first])[:MOST_MEASURES].tolist()
    texts = [f"{level:g}" for level in rising]
    rows = [
        {
            "measure": names[i],
            "level": texts[k],
            "rate": cell(table[i, k]),
            **{what: cell(end[i, k]) for what, end in zip(("low", "high"), ends, strict=True)},
        }
        for i in order
        for k in range(len(rising))
        if not np.isnan(table[i, k])
    ]
    intervals = lows is not None or highs is not None
    kept = [names[i] for i in order]
    said = join_names(f"{names[i]} {number(table[i, first], 1)}%" for i in order if not np.isnan(table[i, first]))
    return finish(
        alt.layer(*rate_layers(alt, rows, kept, texts, intervals, style)),
        title="How many pairs of systems each measure tells apart",
        subtitle=[
            f"{symbols(len(rising), texts[first])}{f' Line: {printable(interval)}.' if intervals else ''}",
            truncation_note(len(names), MOST_MEASURES, "measures").replace("first", "top"),
        ],
        description=f"Pairs of systems told apart at level {texts[first]}, by measure: {said or 'none'}.",
        style=style,
        height=max(ROW, LEVEL * len(rising) + FREE) * len(kept),
    )


def symbols(count: int, level: str) -> str:
    """What the caption says of the symbols."""
    if count == 1:
        return f"Share of the pairs that differ significantly at level {level}."
    return f"Share of the pairs that differ significantly, sorted at level {level}."


def rate_layers(
    alt: Any, rows: list[dict[str, Any]], names: list[str], levels: list[str], intervals: bool, style: Style
) -> list[Any]:
    several = len(levels) > 1
    y = alt.Y("measure:N").title(None).scale(domain=names).sort(None)
    y = y.axis(labelExpr=name_labels(style), ticks=False, grid=True)
    title = "pairs told apart (%)"
    x = alt.X("rate:Q").title(title).scale(domain=[0, 100])
    room = {"columns": 3} if style.narrowest < 560 and len(levels) > 4 else {}
    legend = alt.Legend(title="significance level", symbolSize=110, symbolStrokeWidth=0, **room) if several else None
    looks = [list(some[: len(levels)]) for some in (SERIES, SHAPES)]
    colour = alt.Color("level:N").sort(None).legend(legend).scale(domain=levels, range=looks[0])
    shape = alt.Shape("level:N").sort(None).legend(legend).scale(domain=levels, range=looks[1])
    offset = alt.YOffset("level:N").sort(None).scale(domain=levels, paddingOuter=0.5)
    place = {"y": y, "yOffset": offset} if several else {"y": y}
    tooltip = [
        alt.Tooltip("measure:N", title="measure"),
        alt.Tooltip("level:N", title="level"),
        alt.Tooltip("rate:Q", title=title, format=".1f"),
    ]
    data = alt.Chart(inline(rows))
    drawn = []
    if intervals:
        tooltip += [alt.Tooltip(f"{end}:Q", title=end, format=".1f") for end in ("low", "high")]
        rules = data.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(aria=False, strokeWidth=2)
        drawn.append(rules.encode(**place, x=alt.X("low:Q").title(title), x2="high:Q", color=colour))
    dots = data.mark_point(aria=False, filled=True, size=60, opacity=1, stroke=style.paper, strokeWidth=0.6)
    return [*drawn, dots.encode(**place, x=x, shape=shape, color=colour, tooltip=tooltip)]


def swap_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    edges = np.linspace(0, 0.19, 20)
    rates = 50 * np.exp(-edges * rng.uniform(15, 40, (len(names), 1)))
    return {"measures": names, "edges": edges, "rates": rates, "levels": [0.05]}


@figure(swap_example)
def swap_curve(
    *,
    measures: Sequence[str],
    edges: npt.ArrayLike,
    rates: npt.ArrayLike,
    levels: Sequence[float] = (),
    ranges: npt.ArrayLike | None = None,
    style: Style | None = None,
) -> Any:
    """Swap rate by the difference of two systems, a line a measure, with a dashed line at each level.

    edges: lower edges of the bins of differences, (bins,) or (measures, bins). rates: (measures, bins) in percent; NaN:
    no difference fell in the bin, a gap. levels: in (0, 1). ranges: (measures,) how wide each measure's scale is; where
    these differ, differences are drawn in percent of them, since those of a mean rank and of AP have no common axis;
    the pointer reads the difference itself. Bins beyond the last swap of any measure are cut off. The first 16
    measures are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    if np.ndim(rates) != 2:
        raise ParameterError(f"rates has shape {np.shape(rates)}, expected (measures, bins)")
    shape = (len(names), np.shape(rates)[1])
    table = as_rates(rates, shape, "rates")
    starts = as_table(edges, shape if np.ndim(edges) == 2 else shape[1:], "edges")
    starts = np.broadcast_to(starts, shape)[:MOST_LINES]
    kept, table = names[:MOST_LINES], table[:MOST_LINES]
    across, relative = scaled(starts, ranges, len(names))
    stop, cut = last_bin(table)
    texts = {
        "name": "measure",
        "x": "difference from",
        "of": [[f"{edge:.4g}" for edge in row[:stop]] for row in starts],
        "value": "swap rate (%)",
        "format": ".2f",
    }
    top = max([1.0, *(100 * level for level in as_levels(levels)), float(np.nanmax(table, initial=0.0))]) * 1.04
    title = "difference, percent of the measure's range" if relative else "difference of two systems"
    x = alt.X("x:Q").title(title).scale(zero=True, nice=False)
    y = alt.Y("y:Q").title("swap rate (%)").scale(domain=[0, top], nice=False)
    said = join_names(f"{name} {number(rate, 1)}%" for name, rate in zip(kept, first_rates(table), strict=True))
    return finish(
        with_levels(
            alt,
            draw_lines(alt, kept, across[:, :stop], table[:, :stop], x, y, style, texts),
            as_levels(levels),
            top,
            True,
        ),
        title="How often a second sample turns a difference round",
        subtitle=[
            f"Lower is better.{' Dashed: levels.' if levels else ''}"
            + (" No larger difference was turned round." if cut else ""),
            truncation_note(len(names), MOST_LINES, "measures"),
        ],
        description=f"Swap rate by the difference of two systems; for the smallest differences: {said}.",
        style=style,
        height=LINE_HEIGHT,
    )


def scaled(starts: Floats, ranges: npt.ArrayLike | None, count: int) -> tuple[Floats, bool]:
    """Where the bins stand, and whether in percent of each measure's range."""
    if ranges is None:
        widths = np.ones(count)
    else:
        widths = as_table(ranges, (count,), "ranges")
        if not (widths > 0).all():
            raise ParameterError("ranges has a number that is not above 0, expected how wide each measure's scale is")
    widths = widths[: len(starts), None]
    if np.ptp(widths) == 0:
        return starts, False
    return 100 * starts / widths, True


def last_bin(table: Floats) -> tuple[int, bool]:
    """How many bins are drawn: up to the first one after the last swap; and whether any that have a value are not."""
    there = np.flatnonzero(~np.isnan(table).all(axis=0))
    swapped = np.flatnonzero((np.nan_to_num(table) > 0).any(axis=0))
    if not there.size:
        return table.shape[1], False
    last = int(swapped[-1]) if swapped.size else int(there[0])
    after = there[there > last]
    stop = int(after[0] if after.size else there[-1]) + 1
    return stop, bool(after.size > 1)


def first_rates(table: Floats) -> list[float]:
    """The rate of each measure's first bin that has one."""
    there = ~np.isnan(table)
    first = np.argmax(there, axis=1) if table.shape[1] else np.zeros(len(table), np.int64)
    return [float(row[i]) if row.size else float("nan") for row, i in zip(table, first, strict=True)]


#: More names than these find no room beside their points.
MOST_LABELLED = 24


def error_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    errors, ties = rng.uniform(8, 25, len(names)), rng.uniform(5, 20, len(names))
    return {
        "measures": names,
        "error_rates": errors,
        "tie_rates": ties,
        "error_sds": errors / 10,
        "tie_sds": ties / 10,
    }


@figure(error_example)
def error_against_tie(
    *,
    measures: Sequence[str],
    error_rates: npt.ArrayLike,
    tie_rates: npt.ArrayLike,
    error_sds: npt.ArrayLike | None = None,
    tie_sds: npt.ArrayLike | None = None,
    bar: str = "one standard error",
    style: Style | None = None,
) -> Any:
    """A named point a measure: error rate against tie rate, both better where lower, with bars.

    error_rates, tie_rates: (measures,) in percent; NaN: the measure is not drawn, and the text says so. error_sds,
    tie_sds: how far the bars reach to each side, in percent; NaN: no bar. bar: what they are. A name that finds no
    room beside its point is tied to it by a line. The first 24 measures are shown. Raises ParameterError for
    data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    shape = (len(names),)
    rates = np.stack([as_rates(tie_rates, shape, "tie_rates"), as_rates(error_rates, shape, "error_rates")])
    given = [("tie_sds", tie_sds), ("error_sds", error_sds)]
    spreads = np.stack([np.full(shape, np.nan) if sds is None else as_table(sds, shape, what) for what, sds in given])
    if (spreads < 0).any():
        raise ParameterError("error_sds or tie_sds has a negative number, expected numbers of at least 0")
    there = [i for i in range(len(names[:MOST_LABELLED])) if not np.isnan(rates[:, i]).any()]
    without = [names[i] for i in range(len(names[:MOST_LABELLED])) if i not in there]
    kept = [names[i] for i in there]
    domains = [domain(rates[k, there], spreads[k, there]) for k in (0, 1)]
    rows = point_rows(kept, rates[:, there], spreads[:, there], domains, style)
    bars = bool(np.isfinite(spreads[:, there]).any())
    said = join_names(f"{names[i]} {number(rates[1, i], 1)} and {number(rates[0, i], 1)}" for i in there)
    return finish(
        alt.layer(*point_layers(alt, rows, domains, bars, style)),
        title="Error rate against tie rate",
        subtitle=[
            "Lower left is better: samples rarely contradict each other and rarely tie."
            + (f" Bars: {printable(bar)}." if bars else ""),
            f"Not drawn, since a rate is missing: {join_names(without)}." if without else "",
            truncation_note(len(names), MOST_LABELLED, "measures"),
        ],
        description=f"Error rate and tie rate in percent of {pluralise(len(kept), 'measure')}: {said or 'none'}.",
        style=style,
        height=HEIGHT,
    )


def domain(rates: Floats, spreads: Floats) -> tuple[float, float]:
    """The ends of an axis: from 0 where that leaves room enough to tell the points apart."""
    if not rates.size:
        return 0.0, 100.0
    reach = np.nan_to_num(spreads)
    low, high = float((rates - reach).min()), float((rates + reach).max())
    room = max(0.1 * (high - low), 0.5)
    low = low - room if low > 0.3 * high else 0.0
    return max(round(low, 2), 0.0), round(high + room, 2)


def point_rows(
    names: list[str], rates: Floats, spreads: Floats, domains: list[tuple[float, float]], style: Style
) -> list[dict[str, Any]]:
    """A row a measure: its point, the ends of its bars, its name and where that stands."""
    lows, highs = np.array(domains).T[:, :, None]
    flip = np.array([[0.0], [1.0]])  # pixels count from the top

    def placed(values: Floats) -> Floats:
        return np.asarray(np.abs(flip - (values - lows) / (highs - lows)))

    reach = np.nan_to_num(spreads)
    (left, bottom), (right, top), (x, y) = placed(rates - reach), placed(rates + reach), placed(rates)
    bars = np.concatenate([np.stack([left, y, right, y]), np.stack([x, top, x, bottom])], axis=1).T
    rows = []
    for i, placed_name in enumerate(labelled_points(names, np.stack([x, y], axis=1), bars, style)):
        row: dict[str, Any] = {"measure": names[i], **placed_name}
        for k, what in enumerate(("tie", "error")):
            row |= {what: cell(rates[k, i]), f"{what}_sd": cell(spreads[k, i])}
            row |= {f"{what}_low": cell(rates[k, i] - spreads[k, i]), f"{what}_high": cell(rates[k, i] + spreads[k, i])}
        rows.append(row)
    return rows


def point_layers(
    alt: Any, rows: list[dict[str, Any]], domains: list[tuple[float, float]], bars: bool, style: Style
) -> list[Any]:
    titles = ("tie rate (%), lower is better", "error rate (%), lower is better")
    scales = [alt.Scale(domain=list(ends), nice=False, zero=False) for ends in domains]
    x, y = alt.X("tie:Q").title(titles[0]).scale(scales[0]), alt.Y("error:Q").title(titles[1]).scale(scales[1])
    tooltip = [alt.Tooltip("measure:N", title="measure")]
    for what in ("error", "tie"):
        tooltip.append(alt.Tooltip(f"{what}:Q", title=f"{what} rate (%)", format=".2f"))
        if bars:
            tooltip.append(alt.Tooltip(f"{what}_sd:Q", title="standard error", format=".2f"))
    base, tied = alt.Chart(inline(rows)), alt.Chart(inline([row for row in rows if row["tied"]]))
    drawn = []
    if bars:
        rule = {"aria": False, "color": BLUE, "opacity": 0.4, "strokeWidth": 1.5, "clip": True}
        across = alt.X("tie_low:Q").title(titles[0]).scale(scales[0])
        up = alt.Y("error_low:Q").title(titles[1]).scale(scales[1])
        drawn.append(
            base.transform_filter("isValid(datum.tie_sd)").mark_rule(**rule).encode(x=across, x2="tie_high:Q", y=y)
        )
        drawn.append(
            base.transform_filter("isValid(datum.error_sd)").mark_rule(**rule).encode(x=x, y=up, y2="error_high:Q")
        )
    tie = tied.mark_rule(aria=False, strokeWidth=0.8, **TIE)
    drawn.append(tie.encode(x=x, y=y, x2="tie:Q", y2="error:Q"))
    dots = base.mark_point(filled=True, size=70, opacity=1, color=BLUE, stroke=style.paper, strokeWidth=1)
    drawn.append(dots.encode(x=x, y=y, tooltip=tooltip))
    drawn.append(base.mark_text(aria=False, **AT, baseline="middle").encode(x=x, y=y, text="text:N", tooltip=tooltip))
    return drawn
