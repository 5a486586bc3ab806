"""Making judgments: what to judge next, samples of pools, estimates from few human labels beside many of a machine."""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for.
HOMES: dict[str, str] = {
    "DrawnEstimates": "pooling.drawn_judgments",
    "Estimates": "estimation.prediction_powered",
    "ItemChoice": "estimation.active_choice",
    "JudgmentPlan": "estimation.planning",
    "LeftOut": "pooling.leave_one_run_out",
    "Played": "pooling.playback",
    "Pooled": "pooling.judgment_pool",
    "Sampled": "pooling.random_sample",
    "choose_items": "estimation.active_choice",
    "estimate": "estimation.prediction_powered",
    "estimate_drawn": "pooling.drawn_judgments",
    "estimate_items": "estimation.items",
    "leave_out": "pooling.leave_one_run_out",
    "plan_judgments": "estimation.planning",
    "play_back": "pooling.playback",
    "pool": "pooling.judgment_pool",
    "score_nuggets": "nuggets",
    "sample": "pooling.random_sample",
    "write_pool": "pooling.pool_files",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES, ())
