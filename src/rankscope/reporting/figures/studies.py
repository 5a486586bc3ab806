"""Figures of the stability of measures: lines over conditions, achieved significance levels, swap rates, error rates
against tie rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.text import join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import order_of
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
    HEIGHT,
    LABEL_OFFSETS,
    LINE_END_OFFSETS,
    LINE_HEIGHT,
    MAX_LINES,
    SHAPES,
    describe_ends,
    draw_lines,
    labelled_points,
    sorted_levels,
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


#: More bands would cover each other; then none is drawn.
MAX_BANDS = 6
#: From this ratio of the highest to the lowest condition on, the axis is logarithmic.
MAGNITUDES = 20
#: Up to this number, each condition has its tick.
MAX_TICKS = 12


@figure
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
    """One line per measure over a range of conditions, with a band if its ends are given.

    Parameters
    ----------
    x
        Numbers, which are sorted (a range over magnitudes is drawn logarithmically), or texts, evenly spaced in the
        given order.
    x_title, y_title
        Titles of the axes.
    measures
        Names; the first 16 measures are shown.
    values, lows, highs
        Values and ends of the bands, (measures, conditions); NaN: a gap. Bands are drawn for at most 6 lines, since
        more hide each other.
    interval
        What the band is.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    x_values, labels, encoding = axis_of(alt, x, printable(x_title))
    shape = (len(names), len(labels))
    order = np.argsort(x_values, kind="stable")
    table = as_table(values, shape, "values")[:, order]
    shown_names = names[:MAX_LINES]
    x_labels = [labels[i] for i in order]
    texts = {"name": "measure", "x": printable(x_title), "of": x_labels}
    y = alt.Y("y:Q").title(printable(y_title)).scale(zero=False)
    chart = draw_lines(alt, shown_names, x_values[order], table[: len(shown_names)], encoding, y, style, texts)
    band_ends = [
        None if end is None else as_table(end, shape, argument)[:, order]
        for end, argument in ((lows, "lows"), (highs, "highs"))
    ]
    band_note = ""
    if band_ends[0] is not None and band_ends[1] is not None:
        band_note = f"Bands ({printable(interval)}) are not drawn: {len(shown_names)} of them would overlap."
        if len(shown_names) <= MAX_BANDS:
            band_note = f"Band: {printable(interval)}."
            band = bands(alt, shown_names, x_values[order], x_labels, (band_ends[0], band_ends[1]), encoding, y)
            chart = alt.layer(band, chart)
    summary = (
        describe_ends(shown_names, x_values[order], table, printable(x_title))
        if all(map(is_real, x))
        else f"{', '.join(shown_names[:5])}."
    )
    return finish(
        chart,
        title=f"{as_title(printable(y_title))} by {printable(x_title)}",
        subtitle=[band_note, truncation_note(len(names), MAX_LINES, "measures")],
        description=(
            f"{printable(y_title)} by {printable(x_title)} of {pluralise(len(shown_names), 'measure')}. {summary}"
        ),
        style=style,
        height=LINE_HEIGHT,
    )


def as_title(text: str) -> str:
    """A text with a capital initial, except for a name such as nDCG.

    >>> as_title("error rate"), as_title("nDCG")
    ('Error rate', 'nDCG')
    """
    return text[:1].upper() + text[1:] if text[:2].islower() else text


def axis_of(alt: Any, x: Sequence[Any], title: str) -> tuple[Floats, list[str], Any]:
    """The positions of the conditions, their labels for the tooltip, and the encoding of the axis."""
    if isinstance(x, str) or not len(x):
        raise ParameterError("x has no conditions, expected a list of at least 1 number or text")
    if not all(map(is_real, x)):
        labels = as_names(x, "x")
        axis = alt.Axis(grid=False, labelAngle=-45 if len(" ".join(labels)) > 40 else 0, labelLimit=90)
        encoding = alt.X("of:N").title(title).sort(None).scale(domain=labels).axis(axis)
        return np.arange(len(labels), dtype=np.float64), labels, encoding
    x_values = as_table(x, (len(x),), "x")
    if np.isnan(x_values).any() or len(np.unique(x_values)) < len(x_values):
        raise ParameterError("x has a number twice or NaN; give each condition once")
    low, high = float(x_values.min()), float(x_values.max())
    is_logarithmic = low > 0 and high >= MAGNITUDES * low
    axis = alt.Axis(format=",~r" if high < 1e6 else "~s", grid=False, labelOverlap="greedy")
    if len(x_values) <= MAX_TICKS:
        axis["values"] = [cell(value) for value in np.sort(x_values)]
    scale = alt.Scale(zero=False, nice=False, **({"type": "log"} if is_logarithmic else {}))
    encoding = alt.X("x:Q").title(f"{title}, logarithmic" if is_logarithmic else title).scale(scale).axis(axis)
    return x_values, [f"{value:,.6g}" for value in x_values], encoding


def bands(
    alt: Any, names: list[str], x_values: Floats, x_labels: list[str], band_ends: tuple[Floats, Floats], x: Any, y: Any
) -> Any:
    """A pale band for each line, with a gap where one of its ends is missing."""
    rows = [
        {
            "name": name,
            "fill": fill,
            "x": cell(x_values[i]),
            "of": x_labels[i],
            "low": cell(low[i]),
            "high": cell(high[i]),
        }
        for name, fill, low, high in zip(
            names, SERIES, band_ends[0] + 0 * band_ends[1], band_ends[1] + 0 * band_ends[0], strict=False
        )
        for i in range(x_values.size)
    ]
    # Without a scale: one without a legend would remove the legend of the lines.
    fill = alt.Fill("fill:N").scale(None).legend(None)
    # The same title for both fields, or the axis would list two.
    low = alt.Y("low:Q").title(y.to_dict()["title"]).scale(zero=False)
    return (
        alt.Chart(inline(rows))
        .mark_area(aria=False, opacity=0.16)
        .encode(x=x, y=low, y2=alt.Y2("high:Q"), fill=fill, detail=alt.Detail("name:N"))
    )


@figure
def measure_lines(
    *,
    experiments: Sequence[str],
    measures: Sequence[str],
    values: npt.ArrayLike,
    order_by: str,
    falling: bool = False,
    style: Style | None = None,
) -> Any:
    """One line per measure over experiments, ordered by one of the measures: where others fall, they disagree.

    Parameters
    ----------
    experiments
        Names; of more than 200 evenly spaced ones are shown.
    measures
        Names; the first 16 measures are shown, `order_by` among them.
    values
        Values, (measures, experiments).
    order_by
        Measure by which experiments rise; those without a value are last.
    falling
        Experiments fall by it.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    labels = row_names(experiments)
    table = as_table(values, (len(names), len(labels)), "values")
    order_measure = printable(order_by)
    if order_measure not in names:
        raise ParameterError(f"order_by is {shorten(order_measure)!r}, expected one of the measures")
    if not labels:
        raise ParameterError("experiments is empty, expected at least 1 name")
    order_index = names.index(order_measure)
    order = order_of(-table[order_index] if falling else table[order_index])
    # The measure that orders comes first, and so has the solid line.
    shown_index = [order_index, *(i for i in range(len(names)) if i != order_index)][:MAX_LINES]
    texts = {"name": "measure", "x": "experiment", "of": [labels[i] for i in order]}
    count_text = f"{len(labels):,} {'experiment' if len(labels) == 1 else 'experiments'}"
    x = alt.X("x:Q").title(f"{count_text}, in the order of {shorten(order_measure)}").scale(zero=False, nice=False)
    x = x.axis(tickMinStep=1, format=",d", grid=False)
    y = alt.Y("y:Q").title("value")
    positions = np.arange(1, len(labels) + 1, dtype=np.float64)
    shown_names = [names[i] for i in shown_index]
    return finish(
        draw_lines(alt, shown_names, positions, table[shown_index][:, order], x, y, style, texts),
        title=f"Measures over experiments, ordered by {shorten(order_measure)}",
        subtitle=[
            f"Where a line {'rises' if falling else 'falls'}, its measure orders two experiments the other way round.",
            truncation_note(len(names), MAX_LINES, "measures"),
        ],
        description=(
            f"{len(shown_index)} measures over {count_text}, ordered by {order_measure}: {', '.join(shown_names)}."
        ),
        style=style,
        height=LINE_HEIGHT,
    )


@figure
def asl_curves(
    *,
    measures: Sequence[str],
    asls: npt.ArrayLike,
    alpha: float | Sequence[float] = (),
    cut: float = 0.15,
    style: Style | None = None,
) -> Any:
    """The significance level that each pair of systems achieves, from largest to smallest, one line per measure.

    Parameters
    ----------
    measures
        Names; the first 16 measures are shown.
    asls
        Achieved levels in [0, 1], (measures, pairs), in any order; a pair with NaN counts as not told apart.
    alpha
        Significance levels where dashed lines are.
    cut
        Values above are not drawn, since no one calls them significant; below, the axis is linear, which spreads the
        usual levels of .01 to .15.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart. The further left a line falls, the more pairs its measure tells apart.

    Raises
    ------
    ParameterError
        The data do not fit.

    References
    ----------
    Sakai (2006), ASL curves.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    check_share("cut", cut)
    if np.ndim(asls) != 2:
        raise ParameterError(f"asls has shape {np.shape(asls)}, expected (measures, pairs)")
    table = as_table(asls, (len(names), np.shape(asls)[1]), "asls")
    if ((table < 0) | (table > 1)).any():
        raise ParameterError("asls has a number below 0 or above 1, expected shares in [0, 1]")
    shown_names = names[:MAX_LINES]
    falling = below_cut(table[: len(shown_names)], cut)
    n_pairs = falling.shape[1]
    first_pair = int(np.argmax((~np.isnan(falling)).any(axis=0))) if falling.size else 0
    pair_numbers = np.arange(first_pair + 1, n_pairs + 1, dtype=np.float64)
    texts = {
        "name": "measure",
        "x": "pair",
        "of": [f"{pair_number:,.0f} of {n_pairs:,}" for pair_number in pair_numbers],
        "value": "significance level",
    }
    x = alt.X("x:Q").title(f"{pluralise(n_pairs, 'pair')} of systems, the clearest last")
    x = x.scale(zero=False, nice=False).axis(tickMinStep=1, format=",d")
    y = alt.Y("y:Q").title("achieved significance level").scale(domain=[0, cut], nice=False)
    n_significant = (~np.isnan(falling)).sum(axis=1)
    summary = join_names(f"{name} {count:,}" for name, count in zip(shown_names, n_significant, strict=True))
    return finish(
        with_levels(
            alt,
            draw_lines(alt, shown_names, pair_numbers, falling[:, first_pair:], x, y, style, texts),
            sorted_levels(alpha),
            cut,
            False,
        ),
        title="How clearly each measure distinguishes pairs of systems",
        subtitle=[
            f"Further left and lower is better.{dashed_caption(alpha)} Above {cut:g} nothing is drawn.",
            truncation_note(len(names), MAX_LINES, "measures"),
        ],
        description=f"Pairs of systems, of {n_pairs:,}, with a significance level of at most {cut:g}: {summary}.",
        style=style,
        height=LINE_HEIGHT,
    )


def below_cut(table: Floats, cut: float) -> Floats:
    """(measures, pairs) levels from the largest to the smallest; NaN above the cut and where a pair has none."""
    falling = -np.sort(-np.where(np.isnan(table), 2.0, table), axis=1)
    return np.asarray(np.where(falling <= cut, falling, np.nan))


def dashed_caption(alpha: float | Sequence[float]) -> str:
    """What dashed lines are, if there are any."""
    return " Dashed: significance levels." if np.size(alpha) else ""


#: At most so many rows are drawn, and so many levels, each with its own colour.
MAX_MEASURES, MAX_LEVELS = 50, 6
#: The height of a level in a row, the least height of a row, and the gap between rows, in pixels.
LEVEL_HEIGHT, MIN_ROW_HEIGHT, ROW_GAP = 11, 24, 8
#: Measures are sorted by the level nearest to this.
USUAL_LEVEL = 0.05


@figure
def asl_rates(
    *,
    measures: Sequence[str],
    alpha: float | Sequence[float],
    rates: npt.ArrayLike,
    lows: npt.ArrayLike | None = None,
    highs: npt.ArrayLike | None = None,
    interval: str = "95% interval",
    style: Style | None = None,
) -> Any:
    """The share of pairs of systems that each measure tells apart, with intervals: the most sensitive on top.

    Parameters
    ----------
    measures
        Names; the top 50 measures are shown.
    alpha
        Significance levels, at most 6, each with its own colour and symbol.
    rates, lows, highs
        Rates and ends of intervals in percent, (measures, levels); NaN: nothing is drawn. Rows are sorted by the rate
        at the level nearest to .05; measures without one are last.
    interval
        What the interval is.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    # The columns of the table follow the sorted levels.
    levels = sorted_levels(alpha, MAX_LEVELS)
    if not levels:
        raise ParameterError("alpha is empty, expected at least 1 significance level")
    columns = [np.atleast_1d(np.asarray(alpha, np.float64)).tolist().index(level) for level in levels]
    shape = (len(names), len(levels))
    table = as_rates(rates, shape, "rates")[:, columns]
    interval_ends = [
        table if end is None else as_rates(end, shape, argument)[:, columns]
        for end, argument in ((lows, "lows"), (highs, "highs"))
    ]
    usual_column = int(np.argmin([abs(level - USUAL_LEVEL) for level in levels]))
    order = order_of(-table[:, usual_column])[:MAX_MEASURES].tolist()
    level_texts = [f"{level:g}" for level in levels]
    rows = [
        {
            "measure": names[i],
            "level": level_texts[k],
            "rate": cell(table[i, k]),
            **{end_name: cell(end[i, k]) for end_name, end in zip(("low", "high"), interval_ends, strict=True)},
        }
        for i in order
        for k in range(len(levels))
        if not np.isnan(table[i, k])
    ]
    has_intervals = lows is not None or highs is not None
    shown_names = [names[i] for i in order]
    summary = join_names(
        f"{names[i]} {number(table[i, usual_column], 1)}%" for i in order if not np.isnan(table[i, usual_column])
    )
    return finish(
        alt.layer(*rate_layers(alt, rows, shown_names, level_texts, has_intervals, style)),
        title="How many pairs of systems each measure distinguishes",
        subtitle=[
            symbol_caption(len(levels), level_texts[usual_column])
            + (f" Line: {printable(interval)}." if has_intervals else ""),
            truncation_note(len(names), MAX_MEASURES, "measures").replace("first", "top"),
        ],
        description=(
            f"Pairs of systems distinguished at level {level_texts[usual_column]}, by measure: {summary or 'none'}."
        ),
        style=style,
        height=max(MIN_ROW_HEIGHT, LEVEL_HEIGHT * len(levels) + ROW_GAP) * len(shown_names),
    )


def symbol_caption(count: int, level: str) -> str:
    """The caption of the symbols."""
    if count == 1:
        return f"Share of the pairs that differ significantly at level {level}."
    return f"Share of the pairs that differ significantly, sorted at level {level}."


def rate_layers(
    alt: Any, rows: list[dict[str, Any]], names: list[str], levels: list[str], has_intervals: bool, style: Style
) -> list[Any]:
    several_levels = len(levels) > 1
    y = alt.Y("measure:N").title(None).scale(domain=names).sort(None)
    y = y.axis(labelExpr=name_labels(style), ticks=False, grid=True)
    title = "pairs distinguished (%)"
    x = alt.X("rate:Q").title(title).scale(domain=[0, 100])
    legend_columns = {"columns": 3} if style.narrowest < 560 and len(levels) > 4 else {}
    legend = (
        alt.Legend(title="significance level", symbolSize=110, symbolStrokeWidth=0, **legend_columns)
        if several_levels
        else None
    )
    looks = [list(options[: len(levels)]) for options in (SERIES, SHAPES)]
    colour = alt.Color("level:N").sort(None).legend(legend).scale(domain=levels, range=looks[0])
    shape = alt.Shape("level:N").sort(None).legend(legend).scale(domain=levels, range=looks[1])
    offset = alt.YOffset("level:N").sort(None).scale(domain=levels, paddingOuter=0.5)
    y_position = {"y": y, "yOffset": offset} if several_levels else {"y": y}
    tooltip = [
        alt.Tooltip("measure:N", title="measure"),
        alt.Tooltip("level:N", title="level"),
        alt.Tooltip("rate:Q", title=title, format=".1f"),
    ]
    data = alt.Chart(inline(rows))
    layers = []
    if has_intervals:
        tooltip += [alt.Tooltip(f"{end}:Q", title=end, format=".1f") for end in ("low", "high")]
        rules = data.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(aria=False, strokeWidth=2)
        layers.append(rules.encode(**y_position, x=alt.X("low:Q").title(title), x2=alt.X2("high:Q"), color=colour))
    dots = data.mark_point(aria=False, filled=True, size=60, opacity=1, stroke=style.paper, strokeWidth=0.6)
    return [*layers, dots.encode(**y_position, x=x, shape=shape, color=colour, tooltip=tooltip)]


@figure
def swap_curve(
    *,
    measures: Sequence[str],
    edges: npt.ArrayLike,
    rates: npt.ArrayLike,
    alpha: float | Sequence[float] = (),
    ranges: npt.ArrayLike | None = None,
    style: Style | None = None,
) -> Any:
    """Swap rate by the difference of two systems, one line per measure, with a dashed line at each level.

    Parameters
    ----------
    measures
        Names; the first 16 measures are shown.
    edges
        Lower edges of the bins of differences, (bins) or (measures, bins). Bins beyond the last swap of any measure are
        cut off.
    rates
        Rates in percent, (measures, bins); NaN: no difference fell in the bin, a gap.
    alpha
        Significance levels, drawn as dashed lines.
    ranges
        Width of each measure's scale, (measures). If they differ, differences are drawn in percent of them, since those
        of a mean rank and of AP have no common axis; the pointer shows the difference itself.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    if np.ndim(rates) != 2:
        raise ParameterError(f"rates has shape {np.shape(rates)}, expected (measures, bins)")
    shape = (len(names), np.shape(rates)[1])
    table = as_rates(rates, shape, "rates")
    bin_starts = as_table(edges, shape if np.ndim(edges) == 2 else shape[1:], "edges")
    bin_starts = np.broadcast_to(bin_starts, shape)[:MAX_LINES]
    shown_names, table = names[:MAX_LINES], table[:MAX_LINES]
    x_values, is_relative = scale_bins(bin_starts, ranges, len(names))
    n_bins, is_cut = last_bin(table)
    texts = {
        "name": "measure",
        "x": "difference from",
        "of": [[f"{edge:.4g}" for edge in row[:n_bins]] for row in bin_starts],
        "value": "swap rate (%)",
        "format": ".2f",
    }
    y_max = max([1.0, *(100 * level for level in sorted_levels(alpha)), float(np.nanmax(table, initial=0.0))]) * 1.04
    title = "difference, percent of the measure's range" if is_relative else "difference of two systems"
    x = alt.X("x:Q").title(title).scale(zero=True, nice=False)
    y = alt.Y("y:Q").title("swap rate (%)").scale(domain=[0, y_max], nice=False)
    summary = join_names(
        f"{name} {number(rate, 1)}%" for name, rate in zip(shown_names, first_rates(table), strict=True)
    )
    return finish(
        with_levels(
            alt,
            draw_lines(alt, shown_names, x_values[:, :n_bins], table[:, :n_bins], x, y, style, texts),
            sorted_levels(alpha),
            y_max,
            True,
        ),
        title="How often a second sample reverses a difference",
        subtitle=[
            f"Lower is better.{dashed_caption(alpha)}" + (" No larger difference was reversed." if is_cut else ""),
            truncation_note(len(names), MAX_LINES, "measures"),
        ],
        description=f"Swap rate by the difference of two systems; for the smallest differences: {summary}.",
        style=style,
        height=LINE_HEIGHT,
    )


def scale_bins(bin_starts: Floats, ranges: npt.ArrayLike | None, n_measures: int) -> tuple[Floats, bool]:
    """The positions of the bins, and whether they are in percent of each measure's range."""
    if ranges is None:
        widths = np.ones(n_measures)
    else:
        widths = as_table(ranges, (n_measures,), "ranges")
        if not (widths > 0).all():
            raise ParameterError("ranges has a number that is not above 0, expected how wide each measure's scale is")
    widths = widths[: len(bin_starts), None]
    if np.ptp(widths) == 0:
        return bin_starts, False
    return 100 * bin_starts / widths, True


def last_bin(table: Floats) -> tuple[int, bool]:
    """How many bins are drawn, up to the first one after the last swap; and whether bins with a value are cut off."""
    valued_bins = np.flatnonzero(~np.isnan(table).all(axis=0))
    swapped_bins = np.flatnonzero((np.nan_to_num(table) > 0).any(axis=0))
    if not valued_bins.size:
        return table.shape[1], False
    last_swapped = int(swapped_bins[-1]) if swapped_bins.size else int(valued_bins[0])
    later_bins = valued_bins[valued_bins > last_swapped]
    n_bins = int(later_bins[0] if later_bins.size else valued_bins[-1]) + 1
    return n_bins, bool(later_bins.size > 1)


def first_rates(table: Floats) -> list[float]:
    """The rate of each measure in its first bin that has one."""
    present = ~np.isnan(table)
    first_bin = np.argmax(present, axis=1) if table.shape[1] else np.zeros(len(table), np.int64)
    return [float(row[i]) if row.size else float("nan") for row, i in zip(table, first_bin, strict=True)]


#: More names would not fit beside their points.
MAX_LABELLED = 24


@figure
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
    """A named point per measure: error rate against tie rate, both better if lower, with bars.

    Parameters
    ----------
    measures
        Names; the first 24 measures are shown.
    error_rates, tie_rates
        Rates in percent, (measures); a measure with NaN is not drawn, and the text says so.
    error_sds, tie_sds
        Lengths of the bars to each side, in percent; NaN: no bar.
    bar
        What the bars are.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart. A name without room beside its point is tied to it by a line.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    shape = (len(names),)
    rates = np.stack([as_rates(tie_rates, shape, "tie_rates"), as_rates(error_rates, shape, "error_rates")])
    sds_by_name = [("tie_sds", tie_sds), ("error_sds", error_sds)]
    spreads = np.stack(
        [np.full(shape, np.nan) if sds is None else as_table(sds, shape, name) for name, sds in sds_by_name]
    )
    if (spreads < 0).any():
        raise ParameterError("error_sds or tie_sds has a negative number, expected numbers of at least 0")
    drawable = [i for i in range(len(names[:MAX_LABELLED])) if not np.isnan(rates[:, i]).any()]
    missing_names = [names[i] for i in range(len(names[:MAX_LABELLED])) if i not in drawable]
    drawn_names = [names[i] for i in drawable]
    domains = [domain(rates[k, drawable], spreads[k, drawable]) for k in (0, 1)]
    rows = point_rows(drawn_names, rates[:, drawable], spreads[:, drawable], domains, style)
    has_bars = bool(np.isfinite(spreads[:, drawable]).any())
    summary = join_names(f"{names[i]} {number(rates[1, i], 1)} and {number(rates[0, i], 1)}" for i in drawable)
    return finish(
        alt.layer(*point_layers(alt, rows, domains, has_bars, style)),
        title="Error rate against tie rate",
        subtitle=[
            "Lower left is better: samples rarely contradict each other and rarely tie."
            + (f" Bars: {printable(bar)}." if has_bars else ""),
            f"Not drawn, since a rate is missing: {join_names(missing_names)}." if missing_names else "",
            truncation_note(len(names), MAX_LABELLED, "measures"),
        ],
        description=(
            f"Error rate and tie rate in percent of {pluralise(len(drawn_names), 'measure')}: {summary or 'none'}."
        ),
        style=style,
        height=HEIGHT,
    )


def domain(rates: Floats, spreads: Floats) -> tuple[float, float]:
    """The ends of an axis: from 0 where the points can still be told apart."""
    if not rates.size:
        return 0.0, 100.0
    reach = np.nan_to_num(spreads)
    low, high = float((rates - reach).min()), float((rates + reach).max())
    margin = max(0.1 * (high - low), 0.5)
    low = low - margin if low > 0.3 * high else 0.0
    return max(round(low, 2), 0.0), round(high + margin, 2)


def point_rows(
    names: list[str], rates: Floats, spreads: Floats, domains: list[tuple[float, float]], style: Style
) -> list[dict[str, Any]]:
    """One row for each measure: its point, the ends of its bars, its name and the place of the name."""
    lows, highs = np.array(domains).T[:, :, None]
    flip = np.array([[0.0], [1.0]])  # pixels count from the top

    def plot_positions(values: Floats) -> Floats:
        return np.asarray(np.abs(flip - (values - lows) / (highs - lows)))

    reach = np.nan_to_num(spreads)
    (left, bottom), (right, top), (x, y) = (
        plot_positions(rates - reach),
        plot_positions(rates + reach),
        plot_positions(rates),
    )
    bars = np.concatenate([np.stack([left, y, right, y]), np.stack([x, top, x, bottom])], axis=1).T
    rows = []
    for i, label in enumerate(labelled_points(names, np.stack([x, y], axis=1), bars, style)):
        row: dict[str, Any] = {"measure": names[i], **label}
        for k, rate_name in enumerate(("tie", "error")):
            row |= {rate_name: cell(rates[k, i]), f"{rate_name}_sd": cell(spreads[k, i])}
            row |= {
                f"{rate_name}_low": cell(rates[k, i] - spreads[k, i]),
                f"{rate_name}_high": cell(rates[k, i] + spreads[k, i]),
            }
        rows.append(row)
    return rows


def point_layers(
    alt: Any, rows: list[dict[str, Any]], domains: list[tuple[float, float]], has_bars: bool, style: Style
) -> list[Any]:
    titles = ("tie rate (%), lower is better", "error rate (%), lower is better")
    scales = [alt.Scale(domain=list(limits), nice=False, zero=False) for limits in domains]
    x, y = alt.X("tie:Q").title(titles[0]).scale(scales[0]), alt.Y("error:Q").title(titles[1]).scale(scales[1])
    tooltip = [alt.Tooltip("measure:N", title="measure")]
    for rate_name in ("error", "tie"):
        tooltip.append(alt.Tooltip(f"{rate_name}:Q", title=f"{rate_name} rate (%)", format=".2f"))
        if has_bars:
            tooltip.append(alt.Tooltip(f"{rate_name}_sd:Q", title="standard error", format=".2f"))
    base, tied_points = alt.Chart(inline(rows)), alt.Chart(inline([row for row in rows if row["tied"]]))
    layers = []
    if has_bars:
        rule = {"aria": False, "color": BLUE, "opacity": 0.4, "strokeWidth": 1.5, "clip": True}
        x_low = alt.X("tie_low:Q").title(titles[0]).scale(scales[0])
        y_low = alt.Y("error_low:Q").title(titles[1]).scale(scales[1])
        layers.append(
            base.transform_filter("isValid(datum.tie_sd)")
            .mark_rule(**rule)
            .encode(x=x_low, x2=alt.X2("tie_high:Q"), y=y)
        )
        layers.append(
            base.transform_filter("isValid(datum.error_sd)")
            .mark_rule(**rule)
            .encode(x=x, y=y_low, y2=alt.Y2("error_high:Q"))
        )
    tie_lines = tied_points.mark_rule(aria=False, strokeWidth=0.8, **LINE_END_OFFSETS)
    layers.append(tie_lines.encode(x=x, y=y, x2=alt.X2("tie:Q"), y2=alt.Y2("error:Q")))
    dots = base.mark_point(filled=True, size=70, opacity=1, color=BLUE, stroke=style.paper, strokeWidth=1)
    layers.append(dots.encode(x=x, y=y, tooltip=tooltip))
    layers.append(
        base.mark_text(aria=False, **LABEL_OFFSETS, baseline="middle").encode(
            x=x, y=y, text=alt.Text("text:N"), tooltip=tooltip
        )
    )
    return layers
