"""F1 against MCC over every confusion matrix of so many samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import BLUE, VERMILLION
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import MINUS, cell, inline
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish
from rankscope.stats.inputs import check_count
from rankscope.typing import Floats

__all__ = ["f1_against_mcc", "f1_and_mcc", "two_class_counts"]

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
