"""Rankings against people: how far a metric, a judge or a model orders things as people do.

>>> import rankscope as rs
>>> rs.agreement.per_segment.kendall_tau([1, 2, 3, 3], [3, 4, 1, 2])
-0.6
"""

from rankscope.agreement import per_segment, per_set
from rankscope.agreement.conventions import KendallConvention
from rankscope.agreement.decision_agreement import DecisionAgreement, decisions
from rankscope.agreement.metric_comparison import MetricComparison, compare_metrics
from rankscope.agreement.rank_agreement import RankAgreement
from rankscope.agreement.rater_agreement import RaterAgreement, raters
from rankscope.agreement.run_agreement import RunAgreement, runs
from rankscope.agreement.segment_agreement import SegmentAgreement, segments
from rankscope.agreement.set_agreement import ranks
from rankscope.agreement.system_agreement import SystemAgreement, systems
from rankscope.io.appraise import read_appraise_rankings
from rankscope.io.better_pairs import read_better_pairs
from rankscope.io.jcml import read_jcml
from rankscope.io.mt_folders import read_mt_documents, read_mt_scores, read_mt_system_scores, read_mt_texts
from rankscope.io.plain_texts import read_plain_texts
from rankscope.io.preferences import read_preference_rankings
from rankscope.io.ranking_tables import read_ranking_table
from rankscope.io.system_tables import read_system_table
from rankscope.io.wmt_rankings import read_wmt_rankings
from rankscope.io.wmt_scores import read_seg_scores, read_sys_scores

__all__ = [
    "KendallConvention",
    "DecisionAgreement",
    "MetricComparison",
    "RankAgreement",
    "RaterAgreement",
    "RunAgreement",
    "SegmentAgreement",
    "SystemAgreement",
    "compare_metrics",
    "decisions",
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
