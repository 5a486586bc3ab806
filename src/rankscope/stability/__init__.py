"""Stability of measures: error, tie and significance rates, swap method, reliability, ablation of judgments.

>>> import rankscope as rs
>>> rs.stability.study  # doctest: +ELLIPSIS
<function study at ...>
"""

from rankscope.stability.result import StabilityRow, StabilityStudy
from rankscope.stability.studies import study

__all__ = ["StabilityRow", "StabilityStudy", "study"]
