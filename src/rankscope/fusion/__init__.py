"""Many runs into one run.

>>> import rankscope as rs
>>> one, other = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 30.0, "c": 20.0, "a": 10.0}}
>>> [row[1:] for row in rs.fusion.fuse([one, other], "borda").frame().rows()]
[('b', 5.0), ('a', 4.0), ('c', 3.0)]
"""

from __future__ import annotations

from rankscope.fusion.fused import fuse
from rankscope.fusion.methods import METHODS
from rankscope.fusion.scaling import NORMALISATIONS

__all__ = ["METHODS", "NORMALISATIONS", "fuse"]
