"""Rankings against people: how far a metric, a judge or a model orders things as people do.

>>> import rankscope as rs
>>> rs.agreement.per_segment([1, 2, 3, 3], [3, 4, 1, 2], "tau")
-0.6
"""

from rankscope.agreement.decision_agreement import DecisionAgreement, decisions
from rankscope.agreement.favouritism import FamilyFavour, favour
from rankscope.agreement.inter_rater import RaterAgreement, raters
from rankscope.agreement.metrics import MetricComparison, compare_metrics
from rankscope.agreement.rankeval import RankAgreement, per_segment, per_set, ranks
from rankscope.agreement.run_agreement import RunAgreement, runs
from rankscope.agreement.segment_level import SegmentAgreement, segments
from rankscope.agreement.statistics import KendallConvention
from rankscope.agreement.system_level import SystemAgreement, systems
from rankscope.io.preferences import read_preference_rankings
from rankscope.io.translation import (
    read_appraise_rankings,
    read_better_pairs,
    read_jcml,
    read_mt_documents,
    read_mt_scores,
    read_mt_system_scores,
    read_mt_texts,
    read_plain_texts,
    read_ranking_table,
    read_seg_scores,
    read_sys_scores,
    read_system_table,
    read_wmt_rankings,
)

__all__ = [
    "DecisionAgreement",
    "FamilyFavour",
    "KendallConvention",
    "MetricComparison",
    "RankAgreement",
    "RaterAgreement",
    "RunAgreement",
    "SegmentAgreement",
    "SystemAgreement",
    "compare_metrics",
    "decisions",
    "favour",
    "per_segment",
    "per_set",
    "ranks",
    "raters",
    "read_appraise_rankings",
    "read_better_pairs",
    "read_jcml",
    "read_mt_documents",
    "read_mt_scores",
    "read_mt_system_scores",
    "read_mt_texts",
    "read_plain_texts",
    "read_preference_rankings",
    "read_ranking_table",
    "read_seg_scores",
    "read_sys_scores",
    "read_system_table",
    "read_wmt_rankings",
    "runs",
    "segments",
    "systems",
]
