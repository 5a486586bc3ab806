"""Words that notes and the view of a gate share."""

from __future__ import annotations

import math
from math import ceil

from rankscope.comparison.gate.result import MeasureGate
from rankscope.data.text import pluralise, pluralise_queries

__all__ = [
    "confidence_text",
    "margin_text",
    "rare_losses_text",
]


def margin_text(margin: float) -> str:
    """The margin in a sentence."""
    return f"the margin of {margin:.6g}"


def confidence_text(level: float) -> str:
    """1 - level as a percentage, with as many digits as tell it from 100."""
    places = 0 if level <= 0 else max(0, 2 - ceil(math.log10(100 * level)))
    text = f"{100 * (1 - level):.{places}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} % confidence"


def share_text(share: float) -> str:
    """A share as a percentage with one decimal place, or more where that is 0."""
    return f"{100 * share:.1f} %" if share >= 0.001 else f"{100 * share:.2g} %"


def rare_losses_text(measure_gate: MeasureGate) -> str:
    """How many queries lose, and which share of such queries may."""
    decision, values = measure_gate.decision, measure_gate.measure_values
    is_clustered = values.clusters is not None
    units = pluralise(values.n_clusters, "cluster") if is_clustered else pluralise_queries(measure_gate.n)
    losses = pluralise(decision.n_losses, "loss", "losses") if decision.n_losses else "no loss"
    return (
        f"{losses} in {units}: up to {share_text(decision.share_of_losses)} of such "
        f"{'clusters' if is_clustered else 'queries'} may lose"
    )
