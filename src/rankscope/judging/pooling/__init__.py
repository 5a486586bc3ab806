"""Pools of documents to judge: which next, by which method, and what the pool does to runs."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.judging.pooling.judgment_pool import DEEP as DEEP
    from rankscope.judging.pooling.judgment_pool import SHALLOW as SHALLOW
    from rankscope.judging.pooling.judgment_pool import Pooled as Pooled
    from rankscope.judging.pooling.judgment_pool import pool as pool
    from rankscope.judging.pooling.leave_one_run_out import LeftOut as LeftOut
    from rankscope.judging.pooling.leave_one_run_out import leave_out as leave_out
    from rankscope.judging.pooling.methods import METHODS as METHODS
    from rankscope.judging.pooling.playback import Played as Played
    from rankscope.judging.pooling.playback import play_back as play_back
    from rankscope.judging.pooling.pool_files import check_pool_file as check_pool_file
    from rankscope.judging.pooling.pool_files import write_pool as write_pool
    from rankscope.judging.pooling.random_sample import Sampled as Sampled
    from rankscope.judging.pooling.random_sample import sample as sample

HOMES = {
    "DEEP": "judgment_pool",
    "LeftOut": "leave_one_run_out",
    "METHODS": "methods",
    "Played": "playback",
    "Pooled": "judgment_pool",
    "SHALLOW": "judgment_pool",
    "Sampled": "random_sample",
    "check_pool_file": "pool_files",
    "leave_out": "leave_one_run_out",
    "play_back": "playback",
    "pool": "judgment_pool",
    "sample": "random_sample",
    "write_pool": "pool_files",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
