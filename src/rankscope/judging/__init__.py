"""Making judgments: what to judge next, samples of pools, estimates from few human labels beside many of a machine."""

from __future__ import annotations

from rankscope._lazy import lazy

#: Where each public name lives. Loaded when first asked for.
HOMES: dict[str, str] = {
    "LeftOut": "left_out",
    "Played": "played",
    "Pooled": "pooled",
    "Sampled": "sampled",
    "leave_out": "leaving",
    "play_back": "playback",
    "pool": "pooling",
    "sample": "sampling",
    "write_pool": "pool_files",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy(__name__, HOMES, ())
