"""Figures of agreement between people, metrics, labels and measures: correlations, confusion matrix, people against a
metric, shares of ranks, F1 against MCC.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.text import join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.reporting.figures.inputs import (
    MINUS,
    as_names,
    as_rates,
    as_table,
    cell,
    inline,
    number,
    printable,
    shorten,
    truncation_note,
)
from rankscope.reporting.figures.marks import (
    DIGITS_WIDTH,
    HEIGHT,
    LABEL_OFFSETS,
    LINE_END_OFFSETS,
    MAX_ROWS,
    NAMES_WIDTH,
    cycle_looks,
    draw_cells,
    height_of,
    labelled_points,
    square_axes,
)
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import (
    BLUE,
    DIVERGING,
    SEQUENTIAL,
    SERIES,
    VERMILLION,
    Style,
    altair,
    between,
    finish,
    ink_on,
    name_labels,
)
from rankscope.stats.inputs import check_choice, check_count
from rankscope.typing import Floats

__all__ = [
    "confusion_matrix",
    "correlation_matrix",
    "f1_against_mcc",
    "f1_and_mcc",
    "human_against_metric",
    "rank_shares",
    "two_class_counts",
]


#: What the shares refer to, by `normalise`.
SHARE_OF = {"row": "the row", "column": "the column", "all": "all"}


@figure
def correlation_matrix(
    *, measures: Sequence[str], values: npt.ArrayLike, statistic: str, style: Style | None = None
) -> Any:
    """How alike measures order the systems: a table of correlations, coloured from -1 to 1, with the numbers.

    Parameters
    ----------
    measures
        Names; the first 40 measures are shown.
    values
        Correlations in [-1, 1], (measures, measures), NaN if there is none. Numbers that would overlap are shown by the
        pointer only.
    statistic
        Name of the correlation.
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
    shown_names = names[:MAX_ROWS]
    table = as_table(values, (len(names), len(names)), "values")[: len(shown_names), : len(shown_names)]
    if (np.abs(table) > 1 + 1e-9).any():
        raise ParameterError("values has correlations beyond 1, expected numbers in [-1, 1]")
    rows = []
    for i, row in enumerate(shown_names):
        for j, column in enumerate(shown_names):
            colour = style.paper if np.isnan(table[i, j]) else between(DIVERGING, (table[i, j] + 1) / 2)
            value = cell(table[i, j])
            rows.append(
                {"row": row, "column": column, "value": value, "text": brief(table[i, j]), "ink": ink_on(colour)}
            )
    fill = alt.Fill("value:Q").legend(alt.Legend(title=printable(statistic)))
    fill = fill.scale(domain=[-1, 0, 1], range=list(DIVERGING), interpolate="rgb")
    tooltip = [
        alt.Tooltip("row:N", title="measure"),
        alt.Tooltip("column:N", title="and"),
        alt.Tooltip("value:Q", title="correlation", format=".3f"),
    ]
    has_room = (style.narrowest - NAMES_WIDTH) / len(shown_names) >= DIGITS_WIDTH
    off_diagonal = table[~np.eye(len(shown_names), dtype=bool)]
    off_diagonal = off_diagonal[~np.isnan(off_diagonal)]
    summary = (
        f" between {off_diagonal.min():.2f} and {off_diagonal.max():.2f}".replace("-", MINUS)
        if off_diagonal.size
        else ""
    )
    return finish(
        draw_cells(alt, rows, square_axes(alt, shown_names, shown_names, style), fill, tooltip, has_room),
        title="How far measures agree",
        subtitle=[
            f"{printable(statistic)}; 1: the same order, {MINUS}1: the opposite.",
            truncation_note(len(names), MAX_ROWS, "measures"),
        ],
        description=f"{printable(statistic)} of {len(shown_names)} measures with each other{summary}.",
        style=style,
        height=height_of(len(shown_names)),
    )


def brief(value: float) -> str:
    """A correlation with two digits and no leading zero."""
    if np.isnan(value):
        return "–"
    return f"{value:.2f}".replace("-0.00", "0.00").replace("0.", ".").replace("-", MINUS).replace("1.00", "1")


@figure
def confusion_matrix(
    *,
    labels: Sequence[object],
    counts: npt.ArrayLike,
    rows: str = "true",
    columns: str = "predicted",
    normalise: str | None = None,
    style: Style | None = None,
) -> Any:
    """Counts of how often each label was taken for each other one; higher counts are darker.

    Parameters
    ----------
    labels
        Names; the first 40 labels are shown.
    counts
        Counts, (labels, labels).
    rows, columns
        Titles of rows and columns.
    normalise
        "row", "column" or "all": colours, and percentages then shown with the counts, are shares of a row, a column or
        everything; an empty row has none.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart.

    Raises
    ------
    ParameterError
        The data do not fit, or a count is negative.
    """
    alt, style = altair(), style or Style()
    if normalise is not None:
        check_choice("normalise", normalise, tuple(SHARE_OF))
    names = as_names(labels, "labels")
    table = as_table(counts, (len(names), len(names)), "counts")
    if not (table >= 0).all():
        raise ParameterError("counts has a negative number or NaN, expected counts of at least 0")
    shown_names = names[:MAX_ROWS]
    sums = {"row": table.sum(axis=1, keepdims=True), "column": table.sum(axis=0, keepdims=True)}
    totals = sums.get(normalise or "", table.sum(keepdims=True))
    shares = np.divide(table, totals, out=np.full(table.shape, np.nan), where=totals > 0)
    max_share = 1.0 if normalise else float(np.nanmax(shares, initial=0)) or 1.0
    data, text_kind = count_rows(
        shown_names, table, shares, max_share, (style.narrowest - NAMES_WIDTH) / len(shown_names), normalise is not None
    )
    tooltip = [
        # Titles from outside are not used here: Vega reads some texts as expressions.
        alt.Tooltip("row:N", title="row"),
        alt.Tooltip("column:N", title="column"),
        alt.Tooltip("count:Q", title="count", format=","),
        alt.Tooltip("share:Q", title=f"share of {SHARE_OF[normalise or 'all']}", format=".1%"),
    ]
    axes = square_axes(alt, shown_names, shown_names, style, (printable(rows), printable(columns)))
    diagonal_share = float(np.trace(table) / table.sum()) if table.sum() else float("nan")
    summary = (
        ""
        if np.isnan(diagonal_share)
        else f"{np.trace(table):,.0f} of {table.sum():,.0f} ({diagonal_share:.1%}) lie on the diagonal."
    )
    text_note = f"{text_kind}: of {SHARE_OF[normalise or 'all']}." if text_kind and normalise else ""
    return finish(
        draw_cells(alt, data, axes, alt.Fill("fill:N").scale(None).legend(None), tooltip, bool(text_kind)),
        title=f"Confusion matrix: {printable(rows)} against {printable(columns)}",
        subtitle=[summary, text_note, truncation_note(len(names), MAX_ROWS, "labels")],
        description=(
            f"Confusion matrix of {len(names)} labels, {printable(rows)} by {printable(columns)}. {summary}"
        ).rstrip(),
        style=style,
        height=max(height_of(len(shown_names)), min(44 * len(shown_names), 220)),
    )


def count_rows(
    names: list[str], table: Floats, shares: Floats, max_share: float, cell_width: float, normalised: bool
) -> tuple[list[dict[str, Any]], str]:
    """One row for each cell, and the kind of text in all cells: the longest one that fits `cell_width`, in pixels."""
    data: list[dict[str, Any]] = []
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            share = shares[i, j]
            colour = between(SEQUENTIAL, 0 if np.isnan(share) else share / max_share)
            count, percent = f"{table[i, j]:,.0f}", "–" if np.isnan(share) else f"{share:.0%}"
            values = {"count": cell(table[i, j]), "share": cell(share), "fill": colour, "ink": ink_on(colour)}
            texts = [f"{count} ({percent})", percent] if normalised else [count]
            data.append({"row": row, "column": column, "texts": texts, **values})
    text_kinds = ["Counts; percentages", "Percentages"] if normalised else ["Counts"]
    fitting_kinds = [
        kind
        for kind in range(len(text_kinds))
        if max(len(cell_row["texts"][kind]) for cell_row in data) * 6.2 + 4 <= cell_width
    ]
    for cell_row in data:
        cell_row["text"] = cell_row.pop("texts")[fitting_kinds[0] if fitting_kinds else 0]
    return data, text_kinds[fitting_kinds[0]] if fitting_kinds else ""


#: More names would not fit beside their points.
MAX_SYSTEMS = 30
OUTLIER_KINDS = ["near", "far"]
#: The margin beyond the points, for names, as a share of their range.
MARGIN_SHARE = 0.15


@figure
def human_against_metric(
    *,
    systems: Sequence[str],
    human: npt.ArrayLike,
    scores: npt.ArrayLike,
    metric: str,
    human_name: str = "people",
    outliers: Sequence[str] = (),
    lower: Sequence[str] = (),
    style: Style | None = None,
) -> Any:
    """A named point per system: the human score, to the right, and the score of a metric, upward.

    Parameters
    ----------
    systems
        Names; the first 30 systems are shown.
    human, scores
        Scores, (systems); a system with NaN is not drawn, and the text says so.
    metric, human_name
        Titles of the axes.
    outliers
        Systems that people score far from the others, drawn as squares.
    lower
        Those of "human" and "metric" of which lower is better; their axes are reversed, so that upper right is always
        better.
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
    names = as_names(systems, "systems")
    shape = (len(names),)
    table = np.stack([as_table(human, shape, "human"), as_table(scores, shape, "scores")])
    outlier_names = {printable(name) for name in outliers}
    if unknown_names := sorted(outlier_names - set(names)):
        raise ParameterError(f"outliers has {shorten(unknown_names[0])!r}, which is not among the systems")
    if invalid_axes := [name for name in lower if name not in ("human", "metric")]:
        raise ParameterError(f"lower has {invalid_axes[0]!r}, expected 'human', 'metric' or both")
    drawable = [i for i in range(len(names[:MAX_SYSTEMS])) if not np.isnan(table[:, i]).any()]
    missing_names = [name for i, name in enumerate(names[:MAX_SYSTEMS]) if i not in drawable]
    drawn_names = [names[i] for i in drawable]
    values = table[:, drawable]
    domains = [domain(row) for row in values]
    is_reversed = ("human" in lower, "metric" in lower)
    rows = point_rows(drawn_names, values, domains, is_reversed, outlier_names, style)
    titles = (printable(human_name), printable(metric))
    summary = join_names(f"{names[i]} {number(table[0, i], 3)} and {number(table[1, i], 3)}" for i in drawable)
    square_names = [name for name in drawn_names if name in outlier_names]
    return finish(
        alt.layer(*score_layers(alt, rows, domains, is_reversed, titles, style)),
        title=f"Systems by people and by {shorten(titles[1])}",
        subtitle=[
            "One point per system. Farther right is better by people, higher up is better by the metric.",
            f"Squares: far from the rest, by people: {join_names(shorten(name) for name in square_names)}."
            if square_names
            else "",
            f"Not drawn, since a score is missing: {join_names(shorten(name) for name in missing_names)}."
            if missing_names
            else "",
            truncation_note(len(names), MAX_SYSTEMS, "systems"),
        ],
        description=(
            f"Scores by people and by {titles[1]} of {pluralise(len(drawn_names), 'system')}: {summary or 'none'}."
        ),
        style=style,
        height=HEIGHT,
    )


def domain(values: Floats) -> tuple[float, float]:
    """The ends of an axis, with a margin beyond the points."""
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    margin = MARGIN_SHARE * (high - low) or 0.1 * abs(high) or 1.0
    return low - margin, high + margin


def point_rows(
    names: list[str],
    values: Floats,
    domains: list[tuple[float, float]],
    is_reversed: tuple[bool, bool],
    outlier_names: set[str],
    style: Style,
) -> list[dict[str, Any]]:
    """One row for each system: its point, its name and the place of the name."""
    lows, highs = np.array(domains).T[:, :, None]
    axis_shares = (values - lows) / (highs - lows)
    # Pixels count from the left and from the top; a reversed axis counts from the other side.
    x, y = np.abs(np.array([[float(is_reversed[0])], [float(not is_reversed[1])]]) - axis_shares)
    return [
        {
            "system": name,
            "text": label["text"],
            "human": cell(human),
            "metric": cell(metric),
            "kind": OUTLIER_KINDS[name in outlier_names],
            **label,
        }
        for name, label, human, metric in zip(
            names, labelled_points(names, np.stack([x, y], axis=1), np.zeros((0, 4)), style), *values, strict=True
        )
    ]


def score_layers(
    alt: Any,
    rows: list[dict[str, Any]],
    domains: list[tuple[float, float]],
    is_reversed: tuple[bool, bool],
    titles: tuple[str, str],
    style: Style,
) -> list[Any]:
    scales = [
        alt.Scale(domain=list(limits), nice=False, zero=False, reverse=reverse)
        for limits, reverse in zip(domains, is_reversed, strict=True)
    ]
    axis_titles = [
        f"{title}{', lower is better' if reverse else ''}" for title, reverse in zip(titles, is_reversed, strict=True)
    ]
    x, y = (
        alt.X("human:Q").title(axis_titles[0]).scale(scales[0]),
        alt.Y("metric:Q").title(axis_titles[1]).scale(scales[1]),
    )
    tooltip = [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("human:Q", title=axis_titles[0], format=".4f"),
        alt.Tooltip("metric:Q", title=axis_titles[1], format=".4f"),
    ]
    base, tied_points = alt.Chart(inline(rows)), alt.Chart(inline([row for row in rows if row["tied"]]))
    tie_lines = tied_points.mark_rule(aria=False, strokeWidth=0.8, **LINE_END_OFFSETS)
    shape = alt.Shape("kind:N").scale(domain=OUTLIER_KINDS, range=["circle", "square"]).legend(None)
    fill = alt.Fill("kind:N").scale(domain=OUTLIER_KINDS, range=[BLUE, VERMILLION]).legend(None)
    dots = base.mark_point(filled=True, size=70, opacity=1, stroke=style.paper, strokeWidth=1)
    return [
        tie_lines.encode(x=x, y=y, x2=alt.X2("human:Q"), y2=alt.Y2("metric:Q")),
        dots.encode(x=x, y=y, shape=shape, fill=fill, tooltip=tooltip),
        base.mark_text(aria=False, baseline="middle", **LABEL_OFFSETS).encode(
            x=x, y=y, text=alt.Text("text:N"), tooltip=tooltip
        ),
    ]


#: More metrics would make the bars too thin; the height of the figure in pixels.
MAX_METRICS, SHARES_HEIGHT = 8, 220


@figure
def rank_shares(
    *, metrics: Sequence[str], ranks: Sequence[float], shares: npt.ArrayLike, style: Style | None = None
) -> Any:
    """Bars of the human rank of the item that a metric ranks best: a group of bars per rank, a bar per metric.

    Parameters
    ----------
    metrics
        Names; the first 8 metrics are shown.
    ranks
        Ranks in rising order.
    shares
        Shares of all lists in percent, (metrics, ranks); NaN: no bar.
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

    References
    ----------
    Avramidis (2013), best predicted vs human.
    """
    alt, style = altair(), style or Style()
    names = as_names(metrics, "metrics")
    rank_values = np.asarray(ranks, np.float64)
    if (
        rank_values.ndim != 1
        or not rank_values.size
        or np.isnan(rank_values).any()
        or (np.diff(rank_values) <= 0).any()
    ):
        raise ParameterError("ranks do not rise, expected each rank once, as 1, 2, 3")
    table = as_rates(shares, (len(names), rank_values.size), "shares")
    shown_names, rank_texts = names[:MAX_METRICS], [f"{rank:g}" for rank in rank_values.tolist()]
    rows = [
        {"metric": name, "bar": i, "rank": text, "share": cell(share)}
        for i, (name, metric_shares) in enumerate(zip(shown_names, table, strict=False))
        for text, share in zip(rank_texts, metric_shares.tolist(), strict=True)
        if not np.isnan(share)
    ]
    x = alt.X("rank:N").title("people's rank of what is ranked best").scale(domain=rank_texts).sort(None)
    y = alt.Y("share:Q").title("lists (%)").scale(zero=True).stack(None)
    colour = alt.Color("metric:N").sort(None).scale(domain=shown_names, range=cycle_looks(SERIES, len(shown_names)))
    colour = colour.legend(alt.Legend(title=None, columns=2, labelExpr=name_labels(style)))
    tooltip = [
        alt.Tooltip("metric:N", title="metric"),
        alt.Tooltip("rank:N", title="people's rank"),
        alt.Tooltip("share:Q", title="lists (%)", format=".1f"),
    ]
    bars = alt.Chart(inline(rows)).mark_bar(aria=False, stroke=style.paper, strokeWidth=0.5)
    # By number, since Vega would put names into an expression.
    offset = (
        {"xOffset": alt.XOffset("bar:O").scale(domain=list(range(len(shown_names))))} if len(shown_names) > 1 else {}
    )
    summary = "; ".join(
        f"{name} {number(metric_shares[0], 1)}%"
        for name, metric_shares in zip(shown_names, table, strict=False)
        if not np.isnan(metric_shares[0])
    )
    return finish(
        bars.encode(
            x=x.axis(labelAngle=0, ticks=False), y=y, color=colour, tooltip=tooltip, order=alt.Order("bar:O"), **offset
        ),
        title="How people rank what is ranked best",
        subtitle=["The more lists on the left, the better.", truncation_note(len(names), MAX_METRICS, "metrics")],
        description=f"Lists whose best item people rank {rank_texts[0]}: {summary or 'none'}.",
        style=style,
        height=SHARES_HEIGHT,
    )


#: Numbers of classes of MCC and of F1 in which matrices are counted.
MCC_CLASSES, F1_CLASSES = 80, 50
#: Matrices beyond this F1 and this share of positives are marked: there F1 says little.
MARKED_FROM = 0.95
#: There are (n + 1)(n + 2)(n + 3) / 6 matrices of n samples, and each is computed.
MAX_SAMPLES = 200


def two_class_counts(samples: int) -> tuple[Floats, Floats, Floats, Floats]:
    """TP, FP, TN, FN of all (n + 1)(n + 2)(n + 3) / 6 confusion matrices of n samples.

    >>> two_class_counts(100)[0].size
    176851
    """
    axis = np.arange(samples + 1, dtype=np.float64)
    tp, fp, tn = (counts.ravel() for counts in np.meshgrid(axis, axis, axis, indexing="ij"))
    fn = samples - tp - fp - tn
    is_valid = fn >= 0
    return tp[is_valid], fp[is_valid], tn[is_valid], fn[is_valid]


def f1_and_mcc(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> tuple[Floats, Floats]:
    """F1 in [0, 1] and Matthews' correlation in [-1, 1], higher is better; 0 if undefined.

    Parameters
    ----------
    tp, fp, tn, fn
        Counts.

    Returns
    -------
    f1, mcc
        F1 = 2 TP / (2 TP + FP + FN); MCC = (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN)).

    References
    ----------
    Agrees with scikit-learn's f1_score (zero_division=0) and matthews_corrcoef.

    Examples
    --------
    >>> f1, mcc = f1_and_mcc(*(np.array([count]) for count in (90.0, 9.0, 0.0, 1.0)))
    >>> round(float(f1[0]), 3), round(float(mcc[0]), 3)
    (0.947, -0.032)
    """
    denominator = 2 * tp + fp + fn
    f1 = np.divide(2 * tp, denominator, out=np.zeros_like(denominator), where=denominator > 0)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    mcc = np.divide(tp * tn - fp * fn, np.sqrt(product), out=np.zeros_like(product), where=product > 0)
    return f1, mcc


@figure
def f1_against_mcc(*, samples: int = 100, style: Style | None = None) -> Any:
    """F1 against MCC over every combination of TP, FP, TN and FN that sums to `samples`.

    Parameters
    ----------
    samples
        Number of samples, from 1 to 200.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart. Each matrix with F1 above .95 and more than 95% positives is marked; all others are counted in
        small cells, darker if there are more. Undefined values count as 0.

    Raises
    ------
    ParameterError
        The number of samples is out of range.
    """
    check_count("samples", samples)
    if samples > MAX_SAMPLES:
        raise ParameterError(f"samples is {samples}, expected at most {MAX_SAMPLES}")
    alt, style = altair(), style or Style()
    tp, fp, tn, fn = two_class_counts(samples)
    f1, mcc = f1_and_mcc(tp, fp, tn, fn)
    is_marked = (f1 > MARKED_FROM) & (tp + fn > MARKED_FROM * samples)
    counts, mcc_edges, f1_edges = np.histogram2d(mcc, f1, bins=(MCC_CLASSES, F1_CLASSES), range=((-1, 1), (0, 1)))
    log_counts = np.log10(np.maximum(counts, 1))
    cells = [
        {
            "mcc": cell(mcc_edges[i]),
            "mcc_to": cell(mcc_edges[i + 1]),
            "f1": cell(f1_edges[j]),
            "f1_to": cell(f1_edges[j + 1]),
            "count": int(counts[i, j]),
            "dark": cell(round(0.12 + 0.63 * log_counts[i, j] / max(log_counts.max(), 1), 2)),
        }
        for i, j in np.argwhere(counts)
    ]
    names = ("tp", "fp", "tn", "fn", "mcc", "f1")
    columns = (tp, fp, tn, fn, mcc, f1)
    points = [
        dict(zip(names, map(cell, values), strict=True))
        for values in zip(*(column[is_marked] for column in columns), strict=True)
    ]
    low, high = (mcc[is_marked].min(), mcc[is_marked].max()) if is_marked.any() else (0.0, 0.0)
    mcc_range = f"{low:.2f} to {high:.2f}".replace("-", MINUS)
    summary = (
        f"{len(points):,} of {tp.size:,} matrices have F1 > .95 and more than 95% positives; their MCC: {mcc_range}."
    )
    return finish(
        coefficient_layers(alt, cells, points, style),
        title=f"F1 against MCC: every confusion matrix of {samples} samples",
        subtitle=[summary, "These are marked one by one. Darker: more matrices. Undefined values count as 0."],
        description=f"F1 against MCC of every confusion matrix of {samples} samples. {summary}",
        style=style,
        height=380,
    )


def coefficient_layers(alt: Any, cells: list[dict[str, Any]], points: list[dict[str, Any]], style: Style) -> Any:
    x = alt.X("mcc:Q").title("MCC").scale(domain=[-1, 1])
    y = alt.Y("f1:Q").title("F1").scale(domain=[0, 1])
    opacity = alt.Opacity("dark:Q").scale(None).legend(None)
    tooltip = [alt.Tooltip(f"{name}:Q", title=name.upper()) for name in ("tp", "fp", "tn", "fn")]
    tooltip += [alt.Tooltip(f"{name}:Q", title=name.upper(), format=".3f") for name in ("f1", "mcc")]
    # The outline sets the points off from the cells in grey print.
    outline = {"stroke": style.paper, "strokeWidth": 0.6}
    diamond = {"shape": "diamond", "size": 34, "opacity": 1, "color": VERMILLION, **outline}
    return alt.layer(
        alt.Chart(inline(cells))
        .mark_rect(aria=False, color=BLUE)
        .encode(
            x=x,
            x2=alt.X2("mcc_to:Q"),
            y=y,
            y2=alt.Y2("f1_to:Q"),
            opacity=opacity,
            tooltip=[alt.Tooltip("count:Q", title="matrices")],
        ),
        alt.Chart(inline(points)).mark_point(aria=False, filled=True, **diamond).encode(x=x, y=y, tooltip=tooltip),
    )
