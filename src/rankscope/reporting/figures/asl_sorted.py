"""Achieved significance levels of all pairs, sorted: how soon a measure tells systems apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.reporting.figures.curves import LINE_HEIGHT, MOST_LINES, draw_lines
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, truncation_note
from rankscope.reporting.figures.level_axis import as_levels, with_levels
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish
from rankscope.stats.inputs import check_share
from rankscope.typing import Floats

__all__ = ["asl_curves"]


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
