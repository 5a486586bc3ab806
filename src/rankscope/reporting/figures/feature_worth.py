"""What features are worth to a ranker: bars, the most important feature on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.ties import order_of
from rankscope.reporting.figures.colours import BLUE
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import (
    as_names,
    as_table,
    cell,
    inline,
    number,
    printable,
    shorten,
    truncation_note,
)
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels

__all__ = ["feature_bars"]

#: More rows than these are no figure any more; height of one, in pixels.
MOST_FEATURES, ROW = 50, 18


def features_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    worth = np.sort(rng.uniform(-0.01, 0.1, len(names)))[::-1]
    return {"features": names, "worth": worth, "deviation": worth * 0 + 0.01, "measure": "nDCG@10", "of": "listnet"}


@figure(features_example)
def feature_bars(
    *,
    features: Sequence[str],
    worth: npt.ArrayLike,
    deviation: npt.ArrayLike,
    measure: str,
    of: str,
    left_out_before: int = 0,
    style: Style | None = None,
) -> Any:
    """Bars of what a measure loses without each feature, with a line of one standard deviation to either side.

    worth, deviation: (features), NaN where there is none; shown by falling worth, the first 50. of: the ranker.
    left_out_before: how many features of less worth were not given. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(features, "features")
    values, spread = as_table(worth, (len(names),), "worth"), as_table(deviation, (len(names),), "deviation")
    order = order_of(-values).tolist()
    rows = [
        {
            "feature": names[i],
            "worth": cell(values[i]),
            "low": cell(values[i] - spread[i]),
            "high": cell(values[i] + spread[i]),
        }
        for i in order[:MOST_FEATURES]
    ]
    kept = [row["feature"] for row in rows]
    y = alt.Y("feature:N").title(None).scale(domain=kept).sort(None).axis(labelExpr=name_labels(style), ticks=False)
    title = f"{printable(measure)} lost when the feature is shuffled"
    x = alt.X("worth:Q").title(title)
    tooltip = [alt.Tooltip("feature:N", title="feature"), alt.Tooltip("worth:Q", title="worth", format=".4f")]
    chart = alt.Chart(inline(rows))
    bars = chart.mark_bar(aria=False, color=BLUE, height=ROW - 6).encode(y=y, x=x, tooltip=tooltip)
    lines = chart.mark_rule(aria=False, strokeWidth=2, color=style.ink)
    said = ", ".join(f"{names[i]} {number(values[i])}" for i in order[:5])
    total = len(names) + left_out_before
    return finish(
        alt.layer(bars, lines.encode(y=y, x=alt.X("low:Q").title(title), x2="high:Q")),
        title=f"What features are worth to {shorten(printable(of))}",
        subtitle=["Line: one standard deviation over folds and seeds.", truncation_note(total, len(rows), "features")],
        description=f"What {len(kept)} features are worth to {printable(of)}, by {printable(measure)}: {said}.",
        style=style,
        height=ROW * len(rows),
    )
