"""Learning to rank.

>>> import rankscope as rs
>>> X = [[0.9, 0.2], [0.1, 0.4], [0.5, 0.3], [0.8, 0.9], [0.3, 0.1]]
>>> ranker = rs.learning.Ranker(loss="ranknet", hidden=()).fit(X, [2, 0, 1, 1, 0], qid=[1, 1, 1, 2, 2])
>>> ranker.predict(X).argmin()
np.int64(1)
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: The module of each public name, imported at first use.
HOMES = {
    "Blend": "blend",
    "BlendTraining": "training",
    "LOSSES": "losses.registry",
    "LambdaMART": "lambdamart",
    "Ranker": "ranker",
    "Training": "training",
    "feval": "framework_metrics",
    "load_ranker": "model_file",
    "match_features": "features",
    "save_ranker": "model_file",
    "scorer": "framework_metrics",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES, ("losses", "torch"))
