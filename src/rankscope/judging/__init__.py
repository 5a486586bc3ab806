"""Making judgments: what to judge next, samples of pools, estimates from few human labels beside many of a machine."""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for.
HOMES: dict[str, str] = {
    "Estimates": "estimated",
    "JudgmentPlan": "judgments_needed",
    "LeftOut": "left_out",
    "Played": "played",
    "Pooled": "pooled",
    "Sampled": "sampled",
    "estimate": "estimating",
    "leave_out": "leaving",
    "plan_judgments": "planning_judgments",
    "play_back": "playback",
    "pool": "pooling",
    "sample": "sampling",
    "write_pool": "pool_files",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES, ())
