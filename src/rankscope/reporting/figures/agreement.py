"""Agreement of people, metrics, labels and measures: confusion matrix, people against a metric, shares of ranks,
correlations, F1 against MCC.
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
    AT,
    DIGITS,
    HEIGHT,
    MOST,
    NAMES,
    TIE,
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


#: What the shares are of, by the way of normalising.
OF = {"row": "the row", "column": "the column", "all": "all"}


def correlations_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    values = np.corrcoef(rng.normal(size=(len(names), 30))).reshape(len(names), len(names))
    return {"measures": names, "values": values, "statistic": "Kendall's tau"}


@figure(correlations_example)
def correlation_matrix(
    *, measures: Sequence[str], values: npt.ArrayLike, statistic: str, style: Style | None = None
) -> Any:
    """How alike measures order the systems: a table of correlations, coloured from -1 to 1, with the numbers.

    values: (measures, measures), in [-1, 1], NaN where there is none. statistic: its name. Numbers that would run into
    each other are left to the pointer. The first 40 measures are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    kept = names[:MOST]
    table = as_table(values, (len(names), len(names)), "values")[: len(kept), : len(kept)]
    if (np.abs(table) > 1 + 1e-9).any():
        raise ParameterError("values has correlations beyond 1, expected numbers in [-1, 1]")
    rows = []
    for i, row in enumerate(kept):
        for j, column in enumerate(kept):
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
    room = (style.narrowest - NAMES) / len(kept) >= DIGITS
    others = table[~np.eye(len(kept), dtype=bool)]
    others = others[~np.isnan(others)]
    said = f" between {others.min():.2f} and {others.max():.2f}".replace("-", MINUS) if others.size else ""
    return finish(
        draw_cells(alt, rows, square_axes(alt, kept, kept, style), fill, tooltip, room),
        title="How far measures agree",
        subtitle=[
            f"{printable(statistic)}; 1: the same order, {MINUS}1: the opposite.",
            truncation_note(len(names), MOST, "measures"),
        ],
        description=f"{printable(statistic)} of {len(kept)} measures with each other{said}.",
        style=style,
        height=height_of(len(kept)),
    )


def brief(value: float) -> str:
    """Two digits and no leading zero, as tables of correlations have it."""
    if np.isnan(value):
        return "–"
    return f"{value:.2f}".replace("-0.00", "0.00").replace("0.", ".").replace("-", MINUS).replace("1.00", "1")


def confusion_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"labels": names, "counts": rng.integers(0, 99, (len(names), len(names))), "normalise": "row"}


@figure(confusion_example)
def confusion_matrix(
    *,
    labels: Sequence[object],
    counts: npt.ArrayLike,
    rows: str = "true",
    columns: str = "predicted",
    normalise: str | None = None,
    style: Style | None = None,
) -> Any:
    """Counts of what was taken for what, darker where there are more.

    counts: (labels, labels). rows, columns: what they are. normalise: "row", "column" or "all": the colours, and the
    percentages then shown with the counts, are shares of a row, a column or everything; a row without any has none.
    The first 40 labels are shown. Raises ParameterError for data that do not fit, negative counts.
    """
    alt, style = altair(), style or Style()
    if normalise is not None:
        check_choice("normalise", normalise, tuple(OF))
    names = as_names(labels, "labels")
    table = as_table(counts, (len(names), len(names)), "counts")
    if not (table >= 0).all():
        raise ParameterError("counts has a negative number or NaN, expected counts of at least 0")
    kept = names[:MOST]
    sums = {"row": table.sum(axis=1, keepdims=True), "column": table.sum(axis=0, keepdims=True)}
    whole = sums.get(normalise or "", table.sum(keepdims=True))
    shares = np.divide(table, whole, out=np.full(table.shape, np.nan), where=whole > 0)
    top = 1.0 if normalise else float(np.nanmax(shares, initial=0)) or 1.0
    data, words = count_rows(kept, table, shares, top, (style.narrowest - NAMES) / len(kept), normalise is not None)
    tooltip = [
        # Names of columns that come from outside are not taken for titles here: some mean more than text to Vega.
        alt.Tooltip("row:N", title="row"),
        alt.Tooltip("column:N", title="column"),
        alt.Tooltip("count:Q", title="count", format=","),
        alt.Tooltip("share:Q", title=f"share of {OF[normalise or 'all']}", format=".1%"),
    ]
    axes = square_axes(alt, kept, kept, style, (printable(rows), printable(columns)))
    right = float(np.trace(table) / table.sum()) if table.sum() else float("nan")
    said = "" if np.isnan(right) else f"{np.trace(table):,.0f} of {table.sum():,.0f} ({right:.1%}) lie on the diagonal."
    about = f"{words}: of {OF[normalise or 'all']}." if words and normalise else ""
    return finish(
        draw_cells(alt, data, axes, alt.Fill("fill:N").scale(None).legend(None), tooltip, bool(words)),
        title=f"Confusion matrix: {printable(rows)} against {printable(columns)}",
        subtitle=[said, about, truncation_note(len(names), MOST, "labels")],
        description=(
            f"Confusion matrix of {len(names)} labels, {printable(rows)} by {printable(columns)}. {said}"
        ).rstrip(),
        style=style,
        height=max(height_of(len(kept)), min(44 * len(kept), 220)),
    )


def count_rows(
    names: list[str], table: Floats, shares: Floats, top: float, room: float, normalised: bool
) -> tuple[list[dict[str, Any]], str]:
    """A row a cell, and what its text is: as much as there is room for, in pixels, the same in each."""
    data: list[dict[str, Any]] = []
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            share = shares[i, j]
            colour = between(SEQUENTIAL, 0 if np.isnan(share) else share / top)
            count, percent = f"{table[i, j]:,.0f}", "–" if np.isnan(share) else f"{share:.0%}"
            values = {"count": cell(table[i, j]), "share": cell(share), "fill": colour, "ink": ink_on(colour)}
            texts = [f"{count} ({percent})", percent] if normalised else [count]
            data.append({"row": row, "column": column, "texts": texts, **values})
    kinds = ["Counts; percentages", "Percentages"] if normalised else ["Counts"]
    fits = [k for k in range(len(kinds)) if max(len(made["texts"][k]) for made in data) * 6.2 + 4 <= room]
    for made in data:
        made["text"] = made.pop("texts")[fits[0] if fits else 0]
    return data, kinds[fits[0]] if fits else ""


#: More names than these find no room beside their points.
MOST_SYSTEMS = 30
KINDS = ["near", "far"]
#: What is free beyond the points, where names go, as a share of what they take.
ROOM = 0.15


def scores_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    human = rng.uniform(0.3, 0.7, len(names))
    return {
        "systems": names,
        "human": human,
        "scores": 20 + 20 * human + rng.normal(0, 1, len(names)),
        "metric": "BLEU",
        "outliers": names[:1],
    }


@figure(scores_example)
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
    """A named point a system: what people say of it, to the right, and what a metric says, upward.

    human, scores: (systems,); NaN: the system is not drawn, and the text says so. outliers: systems that people find
    far from the rest, as squares. lower: of "human" and "metric" those of which lower is better; their axes run
    backwards, so that upper right is always better. A name that finds no room beside its point is tied to it by a
    line. The first 30 systems are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    shape = (len(names),)
    table = np.stack([as_table(human, shape, "human"), as_table(scores, shape, "scores")])
    far = {printable(name) for name in outliers}
    if unknown := sorted(far - set(names)):
        raise ParameterError(f"outliers has {shorten(unknown[0])!r}, which is not among the systems")
    if unfit := [name for name in lower if name not in ("human", "metric")]:
        raise ParameterError(f"lower has {unfit[0]!r}, expected 'human', 'metric' or both")
    there = [i for i in range(len(names[:MOST_SYSTEMS])) if not np.isnan(table[:, i]).any()]
    without = [name for i, name in enumerate(names[:MOST_SYSTEMS]) if i not in there]
    kept = [names[i] for i in there]
    values = table[:, there]
    domains = [domain(row) for row in values]
    turned = ("human" in lower, "metric" in lower)
    rows = point_rows(kept, values, domains, turned, far, style)
    titles = (printable(human_name), printable(metric))
    said = join_names(f"{names[i]} {number(table[0, i], 3)} and {number(table[1, i], 3)}" for i in there)
    squares = [name for name in kept if name in far]
    return finish(
        alt.layer(*score_layers(alt, rows, domains, turned, titles, style)),
        title=f"Systems by people and by {shorten(titles[1])}",
        subtitle=[
            "A point a system; the farther right, the better by people, the higher up, by the metric.",
            f"Squares: far from the rest, by people: {join_names(shorten(name) for name in squares)}."
            if squares
            else "",
            f"Not drawn, since a score is missing: {join_names(shorten(name) for name in without)}." if without else "",
            truncation_note(len(names), MOST_SYSTEMS, "systems"),
        ],
        description=f"Scores by people and by {titles[1]} of {pluralise(len(kept), 'system')}: {said or 'none'}.",
        style=style,
        height=HEIGHT,
    )


def domain(values: Floats) -> tuple[float, float]:
    """The ends of an axis, with some room beyond the points."""
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def point_rows(
    names: list[str],
    values: Floats,
    domains: list[tuple[float, float]],
    turned: tuple[bool, bool],
    far: set[str],
    style: Style,
) -> list[dict[str, Any]]:
    """A row a system: its point, its name and where that stands."""
    lows, highs = np.array(domains).T[:, :, None]
    along = (values - lows) / (highs - lows)
    # Pixels count from the left and from the top; an axis that runs backwards turns its side round.
    x, y = np.abs(np.array([[float(turned[0])], [float(not turned[1])]]) - along)
    return [
        {
            "system": name,
            "text": placed["text"],
            "human": cell(human),
            "metric": cell(metric),
            "kind": KINDS[name in far],
            **placed,
        }
        for name, placed, human, metric in zip(
            names, labelled_points(names, np.stack([x, y], axis=1), np.zeros((0, 4)), style), *values, strict=True
        )
    ]


def score_layers(
    alt: Any,
    rows: list[dict[str, Any]],
    domains: list[tuple[float, float]],
    turned: tuple[bool, bool],
    titles: tuple[str, str],
    style: Style,
) -> list[Any]:
    scales = [
        alt.Scale(domain=list(ends), nice=False, zero=False, reverse=back)
        for ends, back in zip(domains, turned, strict=True)
    ]
    names = [f"{title}{', lower is better' if back else ''}" for title, back in zip(titles, turned, strict=True)]
    x, y = alt.X("human:Q").title(names[0]).scale(scales[0]), alt.Y("metric:Q").title(names[1]).scale(scales[1])
    tooltip = [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("human:Q", title=names[0], format=".4f"),
        alt.Tooltip("metric:Q", title=names[1], format=".4f"),
    ]
    base, tied = alt.Chart(inline(rows)), alt.Chart(inline([row for row in rows if row["tied"]]))
    tie = tied.mark_rule(aria=False, strokeWidth=0.8, **TIE)
    shape = alt.Shape("kind:N").scale(domain=KINDS, range=["circle", "square"]).legend(None)
    fill = alt.Fill("kind:N").scale(domain=KINDS, range=[BLUE, VERMILLION]).legend(None)
    dots = base.mark_point(filled=True, size=70, opacity=1, stroke=style.paper, strokeWidth=1)
    return [
        tie.encode(x=x, y=y, x2="human:Q", y2="metric:Q"),
        dots.encode(x=x, y=y, shape=shape, fill=fill, tooltip=tooltip),
        base.mark_text(aria=False, baseline="middle", **AT).encode(x=x, y=y, text="text:N", tooltip=tooltip),
    ]


#: More metrics than these make bars too thin; the height of the figure, in pixels.
MOST_SHARES, SHARES_HEIGHT = 8, 220


def shares_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    shares = rng.dirichlet(np.arange(5, 0, -1), len(names)) * 100
    return {"metrics": names, "ranks": [1, 2, 3, 4, 5], "shares": shares}


@figure(shares_example)
def rank_shares(
    *, metrics: Sequence[str], ranks: Sequence[float], shares: npt.ArrayLike, style: Style | None = None
) -> Any:
    """Bars: which rank people give to the item that a metric ranks best, a group of bars a rank, a bar a metric.

    ranks: in rising order. shares: (metrics, ranks) of all lists, in percent; NaN: no bar. The first 8 metrics are
    shown. Raises ParameterError for data that do not fit. Source: Avramidis (2013), best predicted vs human.
    """
    alt, style = altair(), style or Style()
    names = as_names(metrics, "metrics")
    places = np.asarray(ranks, np.float64)
    if places.ndim != 1 or not places.size or np.isnan(places).any() or (np.diff(places) <= 0).any():
        raise ParameterError("ranks are no rising numbers, expected each rank once, as 1, 2, 3")
    table = as_rates(shares, (len(names), places.size), "shares")
    kept, texts = names[:MOST_SHARES], [f"{rank:g}" for rank in places.tolist()]
    rows = [
        {"metric": name, "bar": i, "rank": text, "share": cell(share)}
        for i, (name, line) in enumerate(zip(kept, table, strict=False))
        for text, share in zip(texts, line.tolist(), strict=True)
        if not np.isnan(share)
    ]
    x = alt.X("rank:N").title("people's rank of what is ranked best").scale(domain=texts).sort(None)
    y = alt.Y("share:Q").title("lists (%)").scale(zero=True).stack(None)
    colour = alt.Color("metric:N").sort(None).scale(domain=kept, range=cycle_looks(SERIES, len(kept)))
    colour = colour.legend(alt.Legend(title=None, columns=2, labelExpr=name_labels(style)))
    tooltip = [
        alt.Tooltip("metric:N", title="metric"),
        alt.Tooltip("rank:N", title="people's rank"),
        alt.Tooltip("share:Q", title="lists (%)", format=".1f"),
    ]
    bars = alt.Chart(inline(rows)).mark_bar(aria=False, stroke=style.paper, strokeWidth=0.5)
    # By number: names would stand in an expression of Vega's.
    offset = {"xOffset": alt.XOffset("bar:O").scale(domain=list(range(len(kept))))} if len(kept) > 1 else {}
    said = "; ".join(
        f"{name} {number(line[0], 1)}%" for name, line in zip(kept, table, strict=False) if not np.isnan(line[0])
    )
    return finish(
        bars.encode(x=x.axis(labelAngle=0, ticks=False), y=y, color=colour, tooltip=tooltip, order="bar:O", **offset),
        title="How people rank what is ranked best",
        subtitle=["The more lists on the left, the better.", truncation_note(len(names), MOST_SHARES, "metrics")],
        description=f"Lists whose best item people rank {texts[0]}: {said or 'none'}.",
        style=style,
        height=SHARES_HEIGHT,
    )


#: Classes of MCC and of F1 in which matrices are counted.
WIDE, HIGH = 80, 50
#: Beyond this F1, and this share of positives, F1 says little: what is marked.
MARKED = 0.95
#: There are (n + 1)(n + 2)(n + 3) / 6 matrices of n samples, and each is looked at.
MOST_SAMPLES = 200


def two_class_counts(samples: int) -> tuple[Floats, Floats, Floats, Floats]:
    """TP, FP, TN, FN of all (n + 1)(n + 2)(n + 3) / 6 confusion matrices of n samples.

    >>> two_class_counts(100)[0].size
    176851
    """
    axis = np.arange(samples + 1, dtype=np.float64)
    tp, fp, tn = (counts.ravel() for counts in np.meshgrid(axis, axis, axis, indexing="ij"))
    fn = samples - tp - fp - tn
    keep = fn >= 0
    return tp[keep], fp[keep], tn[keep], fn[keep]


def f1_and_mcc(tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> tuple[Floats, Floats]:
    """F1 in [0, 1] and Matthews' correlation in [-1, 1], higher is better; 0 where undefined.

    F1 = 2 TP / (2 TP + FP + FN); MCC = (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN)).
    Agrees with scikit-learn's f1_score (zero_division=0) and matthews_corrcoef.

    >>> f1, mcc = f1_and_mcc(*(np.array([count]) for count in (90.0, 9.0, 0.0, 1.0)))
    >>> round(float(f1[0]), 3), round(float(mcc[0]), 3)
    (0.947, -0.032)
    """
    below = 2 * tp + fp + fn
    f1 = np.divide(2 * tp, below, out=np.zeros_like(below), where=below > 0)
    square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    mcc = np.divide(tp * tn - fp * fn, np.sqrt(square), out=np.zeros_like(square), where=square > 0)
    return f1, mcc


def coefficients_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"samples": 20}


@figure(coefficients_example)
def f1_against_mcc(*, samples: int = 100, style: Style | None = None) -> Any:
    """F1 against MCC over every combination of TP, FP, TN and FN that sums to `samples`.

    Marked, each one by itself: the matrices with F1 above .95 and more than 95% positives; all others are counted in
    small cells, darker where there are more. What is undefined counts as 0. Raises ParameterError for fewer than 1 or
    more than 200 samples.
    """
    check_count("samples", samples)
    if samples > MOST_SAMPLES:
        raise ParameterError(f"samples is {samples}, expected at most {MOST_SAMPLES}")
    alt, style = altair(), style or Style()
    tp, fp, tn, fn = two_class_counts(samples)
    f1, mcc = f1_and_mcc(tp, fp, tn, fn)
    marked = (f1 > MARKED) & (tp + fn > MARKED * samples)
    counts, across, up = np.histogram2d(mcc, f1, bins=(WIDE, HIGH), range=((-1, 1), (0, 1)))
    log = np.log10(np.maximum(counts, 1))
    cells = [
        {
            "mcc": cell(across[i]),
            "mcc_to": cell(across[i + 1]),
            "f1": cell(up[j]),
            "f1_to": cell(up[j + 1]),
            "count": int(counts[i, j]),
            "dark": cell(round(0.12 + 0.63 * log[i, j] / max(log.max(), 1), 2)),
        }
        for i, j in np.argwhere(counts)
    ]
    names = ("tp", "fp", "tn", "fn", "mcc", "f1")
    columns = (tp, fp, tn, fn, mcc, f1)
    points = [
        dict(zip(names, map(cell, values), strict=True))
        for values in zip(*(column[marked] for column in columns), strict=True)
    ]
    low, high = (mcc[marked].min(), mcc[marked].max()) if marked.any() else (0.0, 0.0)
    span = f"{low:.2f} to {high:.2f}".replace("-", MINUS)
    said = f"{len(points):,} of {tp.size:,} matrices have F1 > .95 and more than 95% positives; their MCC: {span}."
    return finish(
        coefficient_layers(alt, cells, points, style),
        title=f"F1 against MCC: every confusion matrix of {samples} samples",
        subtitle=[said, "Marked: these, each by itself. Darker: more matrices. What is undefined counts as 0."],
        description=f"F1 against MCC of every confusion matrix of {samples} samples. {said}",
        style=style,
        height=380,
    )


def coefficient_layers(alt: Any, cells: list[dict[str, Any]], points: list[dict[str, Any]], style: Style) -> Any:
    x = alt.X("mcc:Q").title("MCC").scale(domain=[-1, 1])
    y = alt.Y("f1:Q").title("F1").scale(domain=[0, 1])
    dark = alt.Opacity("dark:Q").scale(None).legend(None)
    found = [alt.Tooltip(f"{name}:Q", title=name.upper()) for name in ("tp", "fp", "tn", "fn")]
    found += [alt.Tooltip(f"{name}:Q", title=name.upper(), format=".3f") for name in ("f1", "mcc")]
    # The outline tells them from the cells in grey print.
    outline = {"stroke": style.paper, "strokeWidth": 0.6}
    diamond = {"shape": "diamond", "size": 34, "opacity": 1, "color": VERMILLION, **outline}
    return alt.layer(
        alt.Chart(inline(cells))
        .mark_rect(aria=False, color=BLUE)
        .encode(
            x=x, x2="mcc_to:Q", y=y, y2="f1_to:Q", opacity=dark, tooltip=[alt.Tooltip("count:Q", title="matrices")]
        ),
        alt.Chart(inline(points)).mark_point(aria=False, filled=True, **diamond).encode(x=x, y=y, tooltip=found),
    )
