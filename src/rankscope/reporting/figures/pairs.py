"""Figures of pairs of systems: differences by query, group and source, significance of all pairs, shares of wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import order_of
from rankscope.reporting.figures.inputs import (
    MINUS,
    as_names,
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
    DIGITS_WIDTH,
    NAMES_WIDTH,
    draw_cells,
    height_of,
    sorted_levels,
    square_axes,
)
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import (
    BLUE,
    DIVERGING,
    VERMILLION,
    Style,
    altair,
    between,
    finish,
    ink_on,
    name_labels,
)
from rankscope.typing import Floats

__all__ = [
    "group_differences",
    "query_differences",
    "significance_matrix",
    "waterfall",
    "win_matrix",
]


#: More bars could not be told apart.
MAX_BARS = 1000
#: More systems could not be read in a matrix.
MAX_SYSTEMS = 40
#: At most so many groups are drawn, each in a row of this height.
MAX_GROUPS, ROW_HEIGHT = 50, 24
#: Height of a row of a waterfall, in pixels.
WATERFALL_ROW = 28


@figure
def query_differences(
    *,
    measure: str,
    system_a: str,
    system_b: str,
    query_ids: Sequence[str],
    differences: npt.ArrayLike,
    values_a: npt.ArrayLike | None = None,
    values_b: npt.ArrayLike | None = None,
    higher_is_better: bool | None = True,
    style: Style | None = None,
) -> Any:
    """One bar per query, the difference of two systems, from the query where a gains most to where it loses most.

    Parameters
    ----------
    measure
        Name of the measure.
    system_a, system_b
        Names of the systems.
    query_ids
        The queries; of more than 1,000 evenly spaced ones are shown.
    differences
        Values of a minus those of b; a query with NaN is skipped.
    values_a, values_b
        Values to show at the pointer.
    higher_is_better
        Direction of the measure; with False, a gains if the difference is below 0; with None, neither is better.
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
    query_names = row_names(query_ids)
    values = as_table(differences, (len(query_names),), "differences")
    a, b = printable(system_a), printable(system_b)
    sides = ((a, "values_a", values_a), (b, "values_b", values_b))
    system_values = [(name, as_table(x, values.shape, argument)) for name, argument, x in sides if x is not None]
    lower_is_better = higher_is_better is False
    order = order_of(values if lower_is_better else -values)[: int((~np.isnan(values)).sum())]
    if not order.size:
        raise ParameterError("differences has no value, expected at least 1 query on which both systems have one")
    shown_positions = np.arange(order.size)
    if order.size > MAX_BARS:
        shown_positions = np.unique(np.linspace(0, order.size - 1, MAX_BARS).round().astype(np.int64))
    gap = 0.1 if order.size <= 120 else 0.0
    rows = [
        {
            "query": query_names[order[position]],
            "from": i + gap,
            "to": i + 1 - gap,
            "difference": cell(values[order[position]]),
            "zero": 0,
            "side": "a" if values[order[position]] > 0 else "b",
            **values_of(system_values, order[position]),
        }
        for i, position in enumerate(shown_positions)
    ]
    comparative = "higher" if higher_is_better is None else "better"
    n_higher, n_lower = int((values > 0).sum()), int((values < 0).sum())
    n_a_better, n_b_better = (n_lower, n_higher) if lower_is_better else (n_higher, n_lower)
    query_count = f"{order.size:,} {'query' if order.size == 1 else 'queries'}"
    x_title = f"{query_count}, from most helped to most hurt"
    return finish(
        bars(alt, rows, (a, b), printable(measure), x_title, (comparative, lower_is_better)),
        title=f"{printable(measure)} by query: {shorten(a)} {MINUS} {shorten(b)}",
        subtitle=[
            f"{shorten(a)} is {comparative} on {n_a_better:,} of {query_count}, {shorten(b)} on {n_b_better:,}; equal "
            f"on {order.size - n_a_better - n_b_better:,}. Mean difference {number(float(values[order].mean()))}.",
            f"Of the {query_count}, sorted, {len(rows):,} are shown, evenly spaced." if len(rows) < order.size else "",
        ],
        description=(
            f"{printable(measure)} of {a} minus {b} by query: {a} is {comparative} on {n_a_better} of {query_count}, "
            f"{b} on {n_b_better}; most helped {rows[0]['query']}, {number(values[order[0]])}; "
            f"most hurt {rows[-1]['query']}, {number(values[order[-1]])}."
        ),
        style=style,
        height=240,
    )


def values_of(system_values: list[tuple[str, Floats]], query: int) -> dict[str, str]:
    """The values of both systems on a query as one text, since names of systems must not become names of columns."""
    return (
        {"values": "; ".join(f"{name}: {number(values[query])}" for name, values in system_values)}
        if system_values
        else {}
    )


def bars(
    alt: Any, rows: list[dict[str, Any]], names: tuple[str, str], measure: str, x_title: str, wording: tuple[str, bool]
) -> Any:
    """The bars and their two labels. wording: "better" or "higher", and whether lower values are better."""
    comparative, lower_is_better = wording
    x = alt.X("from:Q").title(x_title).scale(domain=[0, len(rows)], nice=False)
    x = x.axis(labels=False, ticks=False, grid=False)
    y = alt.Y("difference:Q").title(f"difference in {measure}")
    tooltip = [alt.Tooltip("query:N", title="query"), alt.Tooltip("difference:Q", title="difference", format="+.4f")]
    tooltip += [alt.Tooltip("values:N")] if "values" in rows[0] else []
    side = alt.Fill("side:N").legend(None).scale(domain=["a", "b"], range=[BLUE, VERMILLION])
    chart, text_chart = alt.Chart(inline(rows)), alt.Chart(inline([{}]))
    layers = [
        chart.mark_rect(aria=False).encode(x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2("zero:Q"), fill=side),
        text_chart.mark_rule(aria=False, opacity=0.6).encode(y=alt.Y(datum=0)),
    ]
    # The labels are where no bar is: above falling bars, below rising ones.
    right_end = {"x": alt.value({"expr": "width - 4"})}, "right"
    left_end = {"x": alt.value(4)}, "left"
    top_text = (
        {"baseline": "top"},
        alt.value(4),
        "▲",
        names[lower_is_better],
        right_end if not lower_is_better else left_end,
    )
    bottom_text = (
        {"baseline": "bottom"},
        alt.value({"expr": "height - 4"}),
        "▼",
        names[not lower_is_better],
        left_end if not lower_is_better else right_end,
    )
    end_differences = (rows[0]["difference"], rows[-1]["difference"])
    for (look, y_position, sign, name, (x_position, align)), has_bars in (
        (top_text, max(end_differences) > 0),
        (bottom_text, min(end_differences) < 0),
    ):
        if has_bars:
            text = text_chart.mark_text(aria=False, align=align, fontWeight="bold", **look)
            layers.append(
                text.encode(**x_position, y=y_position, text=alt.value(f"{sign} {shorten(name, 20)} {comparative}"))
            )
    # The whole column of a bar answers to the pointer, however low the bar is.
    return alt.layer(*layers, chart.mark_rect(aria=False, opacity=0).encode(x=x, x2=alt.X2("to:Q"), tooltip=tooltip))


@figure
def group_differences(
    *,
    measure: str,
    system_a: str,
    system_b: str,
    groups: Sequence[str],
    differences: npt.ArrayLike,
    low: npt.ArrayLike | None = None,
    high: npt.ArrayLike | None = None,
    n_queries: Sequence[int] | None = None,
    higher_is_better: bool | None = True,
    interval: str = "95% interval",
    style: Style | None = None,
) -> Any:
    """The difference of two systems in each group of queries as a dot with its interval, and that on all queries.

    Parameters
    ----------
    measure
        Name of the measure.
    system_a, system_b
        Names of the systems.
    groups
        Names of the groups; the first 50 are shown.
    differences
        Means of a minus those of b, (groups + 1); the last on all queries.
    low, high
        Ends of the intervals, (groups + 1); NaN if there is none.
    n_queries
        Numbers of queries, (groups + 1).
    higher_is_better
        Direction of the measure; with False, a is better where the difference is below 0; with None, neither is better.
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
    names = as_names(groups, "groups")
    shape = (len(names) + 1,)
    values = as_table(differences, shape, "differences")
    ends = [
        np.full(shape, np.nan) if end is None else as_table(end, shape, argument)
        for end, argument in ((low, "low"), (high, "high"))
    ]
    counts = None if n_queries is None else as_table(n_queries, shape, "n_queries")
    a, b = shorten(printable(system_a)), shorten(printable(system_b))
    all_name = "all queries"
    while all_name in names:
        all_name += " together"
    rows = [
        {
            "group": name,
            "difference": cell(values[i]),
            "low": cell(ends[0][i]),
            "high": cell(ends[1][i]),
            "is": "all" if i == len(names) else "group",
            # Two rows may have the same text, but keys of a scale must differ.
            "text": f"{i}|{signed(values[i])}{'' if counts is None else f' ({counts[i]:,.0f})'}",
        }
        for i, name in [*enumerate(names[:MAX_GROUPS]), (len(names), all_name)]
    ]
    has_intervals = not np.isnan(ends[0]).all()
    comparative = "higher" if higher_is_better is None else "better"
    right, left = (b, a) if higher_is_better is False else (a, b)
    counted = "" if counts is None else " In brackets: queries."
    summary = ", ".join(f"{row['group']} {signed(values[i])}" for i, row in enumerate(rows[:5]) if row["is"] == "group")
    return finish(
        difference_dots(alt, rows, has_intervals, printable(measure), style),
        title=f"{printable(measure)} by group: {a} {MINUS} {b}",
        subtitle=[
            f"Right of 0 {right} is {comparative}, left of it {left}.",
            f"Dot: mean difference.{f' Line: {printable(interval)}.' if has_intervals else ''} Square: {all_name}."
            f"{counted}",
            truncation_note(len(names), MAX_GROUPS, "groups"),
        ],
        description=(
            f"{printable(measure)} of {printable(system_a)} minus {printable(system_b)} by group: {summary}"
            f"{' and others' if len(names) > 5 else ''}; on all queries {signed(values[-1])}."
        ),
        style=style,
        height=ROW_HEIGHT * len(rows),
    )


def signed(value: float) -> str:
    """A difference for texts, with its sign."""
    return f"+{number(value)}" if value > 0 else number(value)


def difference_dots(alt: Any, rows: list[dict[str, Any]], has_intervals: bool, measure: str, style: Style) -> Any:
    """A row for each group: the difference, its interval and its text, beside a line at 0."""
    y = alt.Y("group:N").title(None).scale(domain=[row["group"] for row in rows]).sort(None)
    y = y.axis(labelExpr=name_labels(style), ticks=False)
    title = f"difference in {measure}"
    x = alt.X("difference:Q").title(title)
    tooltip = [alt.Tooltip("group:N", title="group"), alt.Tooltip("difference:Q", title="difference", format="+.4f")]
    zero = alt.Chart(inline([{}])).mark_rule(aria=False, opacity=0.6).encode(x=alt.X(datum=0))
    layers = [zero]
    if has_intervals:
        tooltip += [alt.Tooltip(f"{end}:Q", title=end, format="+.4f") for end in ("low", "high")]
        lines = alt.Chart().mark_rule(aria=False, strokeWidth=2, color=BLUE)
        layers.append(lines.encode(y=y, x=alt.X("low:Q").title(title), x2=alt.X2("high:Q")))
    kinds = ["group", "all"]
    mark_shape = alt.Shape("is:N").scale(domain=kinds, range=["circle", "square"]).legend(None)
    fill = alt.Fill("is:N").scale(domain=kinds, range=[BLUE, VERMILLION]).legend(None)
    points = alt.Chart().mark_point(filled=True, size=75, opacity=1, stroke=style.paper, strokeWidth=1)
    layers.append(points.encode(y=y, x=x, shape=mark_shape, fill=fill, tooltip=tooltip))
    # The numbers at the right are the labels of a second axis, which takes the width that it needs.
    label_expression = "slice(datum.label, indexof(datum.label, '|') + 1)"
    right_axis = alt.Axis(orient="right", labelExpr=label_expression, ticks=False, domain=False, grid=False)
    texts = alt.Y("text:N").title(None).scale(domain=[row["text"] for row in rows]).sort(None).axis(right_axis)
    numbers = alt.Chart().mark_point(opacity=0, aria=False).encode(y=texts)
    return alt.layer(alt.layer(*layers), numbers, data=inline(rows)).resolve_scale(y="independent")


@figure
def waterfall(
    *,
    measure: str,
    system_a: str,
    system_b: str,
    value_a: float,
    value_b: float,
    terms: Sequence[str],
    contributions: npt.ArrayLike,
    higher_is_better: bool | None = True,
    style: Style | None = None,
) -> Any:
    """From the value of system b to that of system a: a bar for each term of the difference, where the last one ends.

    Parameters
    ----------
    measure
        Name of the measure.
    system_a, system_b
        Names of the systems.
    value_a, value_b
        Their values.
    terms
        What the difference comes from; none if there is none.
    contributions
        What each term adds; they sum to `value_a` less `value_b`.
    higher_is_better
        Direction of the measure: the bars of gains have another colour than those of losses; with None, the bars of
        what is above 0.
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
    names = as_names(terms, "terms") if len(terms) else []
    steps = as_table(contributions, (len(names),), "contributions")
    ends = as_table((value_b, value_a), (2,), "value_a or value_b")
    if np.isnan(steps).any() or np.isnan(ends).any():
        raise ParameterError("contributions, value_a or value_b have no number, expected finite ones")
    a, b = shorten(printable(system_a)), shorten(printable(system_b))
    levels = ends[0] + np.concatenate((np.zeros(1), np.cumsum(steps)))
    helps = steps < 0 if higher_is_better is False else steps > 0
    rows = [
        {"term": name, "from": cell(start), "to": cell(end), "side": "gain" if gain else "loss", "step": cell(step)}
        for name, start, end, gain, step in zip(names, levels[:-1], levels[1:], helps, steps, strict=True)
    ]
    label_of = {"b": f"{b}: {number(ends[0])}", "a": f"{a}: {number(ends[1])}"}
    totals = [{"term": label_of[key], "value": cell(value)} for key, value in zip("ba", ends, strict=True)]
    order = [label_of["b"], *names, label_of["a"]]
    gain_word, loss_word = ("higher", "lower") if higher_is_better is None else ("better", "worse")
    summary = ", ".join(f"{name} {signed(step)}" for name, step in zip(names, steps, strict=True))
    return finish(
        waterfall_bars(alt, rows, totals, order, printable(measure), style),
        title=f"{printable(measure)}: from {b} to {a}",
        subtitle=[
            f"Each bar begins where the last one ends. Blue: {a} is {gain_word} by it; orange: {loss_word}."
            if names
            else "No document makes a difference."
        ],
        description=(
            f"{printable(measure)} of {printable(system_b)} is {number(ends[0])}, of {printable(system_a)} "
            f"{number(ends[1])}. {f'Between them: {summary}.' if summary else 'Nothing differs.'}"
        ),
        style=style,
        height=WATERFALL_ROW * len(order),
    )


def waterfall_bars(
    alt: Any, rows: list[dict[str, Any]], totals: list[dict[str, Any]], order: list[str], measure: str, style: Style
) -> Any:
    """The bars of the terms, the points of the systems, and the number of each term behind its bar."""
    letters = 30 if style.narrowest < 560 else 60
    y = alt.Y("term:N").title(None).scale(domain=order).sort(None)
    y = y.axis(labelExpr=f"truncate(datum.label, {letters})", labelLimit=330, ticks=False, domain=False)
    numbers = [row[end] for row in rows for end in ("from", "to")] + [row["value"] for row in totals]
    margin = 0.16 * (max(numbers) - min(numbers)) or 0.1 * (abs(numbers[0]) or 1.0)  # for the texts beside the bars
    scale = alt.Scale(domain=[min(numbers) - margin, max(numbers) + margin], nice=False, zero=False)
    x = alt.X("from:Q").title(measure).scale(scale)
    fill = alt.Fill("side:N").scale(domain=["gain", "loss"], range=[BLUE, VERMILLION]).legend(None)
    tooltip = [alt.Tooltip("term:N", title="from"), alt.Tooltip("step:Q", title="contribution", format="+.4f")]
    points = alt.Chart(inline(totals)).mark_point(filled=True, size=90, opacity=1, shape="diamond")
    layers = [points.encode(y=y, x=alt.X("value:Q").title(measure).scale(scale))]
    if rows:
        chart = alt.Chart(inline(rows))
        layers.append(
            chart.mark_bar(aria=False, height=14).encode(y=y, x=x, x2=alt.X2("to:Q"), fill=fill, tooltip=tooltip)
        )
        for rises, align, shift in ((True, "left", 5), (False, "right", -5)):
            text = alt.Chart(inline([row for row in rows if (row["to"] >= row["from"]) == rises]))
            layers.append(
                text.mark_text(aria=False, align=align, dx=shift).encode(
                    y=y, x=alt.X("to:Q").title(measure).scale(scale), text=alt.Text("step:Q", format="+.4f")
                )
            )
    return alt.layer(*layers)


@figure
def significance_matrix(
    *,
    systems: Sequence[str],
    differences: npt.ArrayLike,
    pvalues: npt.ArrayLike,
    alpha: float | Sequence[float] = 0.05,
    measure: str = "",
    criterion: str = "",
    noun: str = "system",
    style: Style | None = None,
) -> Any:
    """All pairs of systems, coloured by the difference of row minus column; a triangle if it is significant.

    Parameters
    ----------
    systems
        Names, sorted; the first 40 systems are shown.
    differences, pvalues
        (systems, systems), with corrected p-values; a pair with NaN was not tested, and is neither marked nor counted.
    alpha
        Significance level. Of several levels, the lower the one that a pair reaches, the larger its triangle. Instead
        of p-values that lowest level itself may be passed, 1 for a pair that reaches none.
    measure
        Name of the measure.
    criterion
        When a pair is marked, in words, if that is not p ≤ alpha, as "probability of one to be better ≥ 95%".
    noun
        What is compared, as "metric".
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart. A triangle points up if the row is higher, else down, so that grey print shows it, too.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    levels = sorted_levels(alpha)
    if not levels:
        raise ParameterError("alpha is empty, expected at least 1 significance level")
    names = as_names(systems, "systems")
    shape = (len(names), len(names))
    shown_names = names[:MAX_SYSTEMS]
    table = as_table(differences, shape, "differences")[: len(shown_names), : len(shown_names)]
    p_values = as_table(pvalues, shape, "pvalues")[: len(shown_names), : len(shown_names)]
    rows = pair_rows(shown_names, table, p_values, levels)
    max_difference = max((abs(row["difference"]) for row in rows if row["difference"] is not None), default=0) or 1.0
    for row in rows:
        row["ink"] = (
            ink_on(between(DIVERGING, (row["difference"] / max_difference + 1) / 2)) if row["mark"] else style.ink
        )
    upper = np.triu_indices(len(shown_names), 1)
    is_tested = np.isfinite(p_values[upper])
    n_marked = int((is_tested & (p_values[upper] <= levels[-1]) & (np.abs(table[upper]) > 0)).sum())
    adverb = "" if criterion else " significantly"
    summary = f"{n_marked} of {is_tested.sum()} {'pair differs' if is_tested.sum() == 1 else 'pairs differ'}{adverb}"
    bound_text = f"level {levels[-1]:g} or lower" if np.ndim(alpha) else f"p ≤ {levels[-1]:g}, corrected"
    summary += f" ({printable(criterion) or bound_text})."
    return finish(
        pair_cells(
            alt,
            shown_names,
            rows,
            (max_difference, levels),
            f"difference{' in ' + printable(measure) if measure else ''}",
            style,
        ),
        title=f"Which {printable(noun)}s differ",
        subtitle=[
            summary,
            f"▲ row{adverb} higher than column, ▼ lower." if n_marked else "",
            truncation_note(len(names), MAX_SYSTEMS, f"{printable(noun)}s"),
        ],
        description=f"Differences of {len(shown_names)} {printable(noun)}s: {summary}",
        style=style,
        height=height_of(len(shown_names)),
    )


def pair_cells(
    alt: Any,
    names: list[str],
    rows: list[dict[str, Any]],
    scales: tuple[float, list[float]],
    legend_title: str,
    style: Style,
) -> Any:
    """The cells and their marks. scales: the difference of full colour, and the levels that the sizes tell apart."""
    max_difference, levels = scales
    y, x = square_axes(alt, names, names, style)
    label_expression = "datum.value == 0 ? '0' : format(datum.value, '+.3f')"
    gradient = alt.Legend(
        title=f"{legend_title}, row {MINUS} column",
        values=[-max_difference, 0, max_difference],
        labelExpr=label_expression,
        titleLimit=300,
    )
    colour = alt.Fill("difference:Q").legend(gradient)
    colour = colour.scale(domain=[-max_difference, 0, max_difference], range=list(DIVERGING), interpolate="rgb")
    shape = alt.Shape("mark:N").legend(None).scale(domain=["higher", "lower"], range=["triangle-up", "triangle-down"])
    tooltip = [
        alt.Tooltip("row:N", title="row"),
        alt.Tooltip("column:N", title="column"),
        alt.Tooltip("difference:Q", title="difference", format="+.4f"),
        alt.Tooltip("reached:N", title="level")
        if len(levels) > 1
        else alt.Tooltip("pvalue:Q", title="p", format=".4f"),
    ]
    # A triangle is small enough for the colour of its cell to be seen, on a phone too.
    size = min(120, max(14, (style.narrowest * 0.6 / len(names)) ** 2 / 4))
    boxes = alt.Chart(inline(rows)).mark_rect(aria=False, stroke="#767676", strokeOpacity=0.25)
    marks = alt.Chart(inline([row for row in rows if row["mark"]]))
    marks = marks.mark_point(aria=False, opacity=1, strokeWidth=0, size=size)
    size_encoding = {"size": size_of(alt, size, levels, style)} if len(levels) > 1 else {}
    ink = alt.Fill("ink:N").scale(None).legend(None)
    return alt.layer(
        boxes.encode(y=y, x=x, fill=colour, tooltip=tooltip),
        marks.encode(y=y, x=x, shape=shape, fill=ink, tooltip=tooltip, **size_encoding),
    ).resolve_scale(fill="independent")


def size_of(alt: Any, size: float, levels: list[float], style: Style) -> Any:
    """The size of a triangle by the level that its pair reaches, with a legend."""
    texts = [f"{level:g}" for level in levels]
    look = {"symbolType": "triangle-up", "symbolFillColor": style.ink, "symbolStrokeWidth": 0}
    legend = alt.Legend(title="level", orient="top", columns=5 if style.narrowest < 560 else 10, **look)
    scale = alt.Scale(
        type="ordinal",
        domain=texts,
        range=[round(area, 1) for area in np.linspace(1.2 * size, size / 6, len(levels)).tolist()],
    )
    return alt.Size("reached:N").sort(None).legend(legend).scale(scale)


def pair_rows(names: list[str], differences: Floats, pvalues: Floats, levels: list[float]) -> list[dict[str, Any]]:
    """One row for each cell of the matrix except the diagonal. levels: rising; a pair reaches the lowest it can."""
    marks = np.where(pvalues <= levels[-1], np.sign(differences), 0)
    level_index = np.searchsorted(levels, pvalues)
    level_texts = [*(f"{level:g}" for level in levels), "none"]
    mark_words = {1.0: "higher", -1.0: "lower"}
    return [
        {
            "row": names[i],
            "column": names[j],
            "difference": cell(differences[i, j]),
            "pvalue": cell(pvalues[i, j]),
            "mark": mark_words.get(float(marks[i, j])),
            **({"reached": level_texts[min(level_index[i, j], len(levels))]} if len(levels) > 1 else {}),
        }
        for i in range(len(names))
        for j in range(len(names))
        if i != j
    ]


@figure
def win_matrix(
    *,
    systems: Sequence[str],
    rates: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    note: str = "",
    style: Style | None = None,
) -> Any:
    """How often the system of a row wins against that of a column, coloured around one half, with the percentages.

    Parameters
    ----------
    systems
        Names; the first 40 systems are shown.
    rates
        Rates in [0, 1], (systems, systems), NaN if there is none, as on the diagonal. Numbers that would overlap are
        shown by the pointer only.
    counts
        Numbers of comparisons, for the pointer, (systems, systems).
    note
        Text below the title.
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
    names = as_names(systems, "systems")
    shown_names, shape = names[:MAX_SYSTEMS], (len(names), len(names))
    table = as_table(rates, shape, "rates")
    if ((table < 0) | (table > 1)).any():
        raise ParameterError("rates has a share beyond [0, 1], expected shares of comparisons won")
    n_comparisons = None if counts is None else as_table(counts, shape, "counts")
    rows = []
    for i, row in enumerate(shown_names):
        for j, column in enumerate(shown_names):
            share = table[i, j]
            colour = style.paper if np.isnan(share) else between(DIVERGING, share)
            text = "–" if np.isnan(share) else f"{100 * share:.0f}"
            cell_row = {"row": row, "column": column, "value": cell(share), "text": text, "ink": ink_on(colour)}
            rows.append(cell_row if n_comparisons is None else {**cell_row, "count": cell(n_comparisons[i, j])})
    fill = alt.Fill("value:Q").legend(alt.Legend(title="wins", format=".0%"))
    fill = fill.scale(domain=[0, 0.5, 1], range=list(DIVERGING), interpolate="rgb")
    tooltip = [
        alt.Tooltip("row:N", title="system"),
        alt.Tooltip("column:N", title="against"),
        alt.Tooltip("value:Q", title="wins", format=".1%"),
        *([] if n_comparisons is None else [alt.Tooltip("count:Q", title="comparisons", format=",")]),
    ]
    has_room = (style.narrowest - NAMES_WIDTH) / len(shown_names) >= DIGITS_WIDTH
    return finish(
        draw_cells(alt, rows, square_axes(alt, shown_names, shown_names, style), fill, tooltip, has_room),
        title="Who wins against whom",
        subtitle=[
            "Percentage of comparisons with the column's system that the row's system wins; a tie is half a win.",
            printable(note),
            truncation_note(len(names), MAX_SYSTEMS, "systems"),
        ],
        description=f"Shares of comparisons that each of {len(shown_names)} systems wins against each other.",
        style=style,
        height=height_of(len(shown_names)),
    )
