"""Error rate against tie rate: which measure's samples contradict each other least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import BLUE
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, cell, inline, number, printable, truncation_note
from rankscope.reporting.figures.named_points import AT, HEIGHT, TIE, labelled_points
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish
from rankscope.typing import Floats

__all__ = ["as_rates", "error_against_tie"]

#: More names than these find no room beside their points.
MOST_LABELLED = 24


def as_rates(values: npt.ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """Rates in percent, NaN where there is none. Raises ParameterError for others."""
    found = as_table(values, shape, what)
    if ((found < 0) | (found > 100 + 1e-9)).any():
        raise ParameterError(f"{what} has a rate below 0 or above 100, expected percent")
    return found


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
