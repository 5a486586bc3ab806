"""Whole studies over several parts of the package.

>>> import rankscope as rs
>>> rs.experiments.cross_validate.__name__
'cross_validate'
"""

from rankscope.experiments.crossvalidated import CrossValidation
from rankscope.experiments.crossvalidation import cross_validate

__all__ = ["CrossValidation", "cross_validate"]
