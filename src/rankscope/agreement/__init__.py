"""Rankings against people: how far a metric, a judge or a model orders things as people do.

>>> import rankscope as rs
>>> rs.agreement.per_segment.kendall_tau([1, 2, 3, 3], [3, 4, 1, 2])
-0.6
"""

from rankscope.agreement import per_segment, per_set
from rankscope.agreement.conventions import Convention
from rankscope.agreement.decision_agreement import DecisionAgreement, decisions
from rankscope.agreement.rank_agreement import RankAgreement
from rankscope.agreement.rater_agreement import RaterAgreement, raters
from rankscope.agreement.run_agreement import RunAgreement, runs
from rankscope.agreement.segment_agreement import SegmentAgreement, segments
from rankscope.agreement.set_agreement import ranks

__all__ = [
    "Convention",
    "DecisionAgreement",
    "RankAgreement",
    "RaterAgreement",
    "RunAgreement",
    "SegmentAgreement",
    "decisions",
    "per_segment",
    "per_set",
    "ranks",
    "raters",
    "runs",
    "segments",
]
