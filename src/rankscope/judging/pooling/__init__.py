"""Pools of documents to judge: which next, by which method, and what the pool does to runs."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.judging.pooling.drawn_judgments import DrawnEstimates as DrawnEstimates
    from rankscope.judging.pooling.drawn_judgments import DrawnSettings as DrawnSettings
    from rankscope.judging.pooling.drawn_judgments import estimate_drawn as estimate_drawn
    from rankscope.judging.pooling.drawn_judgments import estimate_drawn_runs as estimate_drawn_runs
    from rankscope.judging.pooling.judgment_pool import DEEP as DEEP
    from rankscope.judging.pooling.judgment_pool import SHALLOW as SHALLOW
    from rankscope.judging.pooling.judgment_pool import Pooled as Pooled
    from rankscope.judging.pooling.judgment_pool import PoolSettings as PoolSettings
    from rankscope.judging.pooling.judgment_pool import pool as pool
    from rankscope.judging.pooling.judgment_pool import pool_runs as pool_runs
    from rankscope.judging.pooling.leave_one_run_out import LeaveOutSettings as LeaveOutSettings
    from rankscope.judging.pooling.leave_one_run_out import LeftOut as LeftOut
    from rankscope.judging.pooling.leave_one_run_out import leave_out as leave_out
    from rankscope.judging.pooling.leave_one_run_out import leave_out_runs as leave_out_runs
    from rankscope.judging.pooling.methods import METHODS as METHODS
    from rankscope.judging.pooling.playback import Played as Played
    from rankscope.judging.pooling.playback import play_back as play_back
    from rankscope.judging.pooling.pool_files import check_pool_file as check_pool_file
    from rankscope.judging.pooling.pool_files import write_pool as write_pool
    from rankscope.judging.pooling.random_sample import Sampled as Sampled
    from rankscope.judging.pooling.random_sample import SampleSettings as SampleSettings
    from rankscope.judging.pooling.random_sample import sample as sample
    from rankscope.judging.pooling.random_sample import sample_pool as sample_pool

HOMES = {
    "DEEP": "judgment_pool",
    "DrawnEstimates": "drawn_judgments",
    "DrawnSettings": "drawn_judgments",
    "LeaveOutSettings": "leave_one_run_out",
    "LeftOut": "leave_one_run_out",
    "METHODS": "methods",
    "Played": "playback",
    "PoolSettings": "judgment_pool",
    "Pooled": "judgment_pool",
    "SHALLOW": "judgment_pool",
    "SampleSettings": "random_sample",
    "Sampled": "random_sample",
    "check_pool_file": "pool_files",
    "estimate_drawn": "drawn_judgments",
    "estimate_drawn_runs": "drawn_judgments",
    "leave_out": "leave_one_run_out",
    "leave_out_runs": "leave_one_run_out",
    "play_back": "playback",
    "pool": "judgment_pool",
    "pool_runs": "judgment_pool",
    "sample": "random_sample",
    "sample_pool": "random_sample",
    "write_pool": "pool_files",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
