"""Experiments with users: interleaving, who won by clicks, counterfactual estimates, judgments from clicks."""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for.
HOMES: dict[str, str] = {
    "ClickEstimates": "counterfactual.result",
    "ClickSummary": "click_log.summary",
    "Interleaving": "interleaving.interleaved_runs",
    "InterleavingTest": "preference.result",
    "estimate_clicks": "counterfactual.inference",
    "interleave": "interleaving.interleaved_runs",
    "interleaving_test": "preference.inference",
    "simulate_clicks": "click_models",
    "summarise_clicks": "click_log.summary",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES, ())
