"""ablate: what a ranker loses when it is trained without a group of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankscope.data.features import Features
from rankscope.errors import ParameterError
from rankscope.experiments.ablated import FeatureAblation
from rankscope.experiments.asked import validate_settings
from rankscope.experiments.crossvalidation import cross_validate_folds
from rankscope.experiments.feature_groups import feature_groups, parse_group
from rankscope.experiments.fold_data import read_folds
from rankscope.experiments.models import RankerModels, parse_rankers
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.typing import PathLike

__all__ = ["ablate"]


def ablate(
    source: PathLike | Features,
    groups: str | Sequence[str] | Mapping[str, Sequence[str]],
    loss: str | Sequence[str] | Mapping[str, Ranker] = "listnet",
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    folds: int | None = None,
    seeds: int = 3,
    test: str = "t",
    rel: int = 1,
    no_relevant: str | None = None,
    cache: bool = False,
    workers: int = 1,
    rng: Any = 0,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
    **parameters: Any,
) -> FeatureAblation:
    """Cross-validate one ranker with all features and, trained anew, without each group of them; test the differences.

    groups: texts as "bm25=1-5,7" (features by number), "titles=title*,url" (by name, or how names begin), or the
    features of each group by name. Where two groups say the same, each may seem worth nothing: leave both out together
    in a third one. What was lost is above 0 where the ranker is worse without the group, also by measures of which less
    is better. All else is of `cross_validate`; p-values are corrected for the number of groups.

    Raises what `cross_validate` raises; UnknownName for a feature that there is not; ParameterError for a group that is
    all features or comes twice, and for more than one ranker.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 3))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> found = ablate(features, ["first=1", "noise=2-3"], "linear:listnet", "RR", folds=4, seeds=1)
    >>> [(group, bool(lost > 0.1)) for group, lost in zip(found.groups, found.lost("RR"))]
    [('first', True), ('noise', False)]
    """
    if isinstance(groups, Sequence):
        for text in [groups] if isinstance(groups, str) else groups:
            parse_group(text)  # refused before anything is read
    models = parse_rankers(loss, parameters)
    if len(models.names) != 1:
        raise ParameterError(
            f"groups of features are left out of one ranker, and there are {len(models.names)}; do it once for each"
        )
    settings = {"seeds": seeds, "rng": rng, "test": test, "rel": rel, "no_relevant": no_relevant, "workers": workers}
    asked = validate_settings(models, measures, **settings)
    data = read_folds(source, folds=folds, rng=asked.seed, cache=cache, progress=reading)
    found = feature_groups(groups, data.feature_names)
    every = without_each(models, found)
    whole = cross_validate_folds(
        data, every, replace(asked, baseline=every.names[0]), workers=workers, progress=progress
    )
    return FeatureAblation(model=models.names[0], groups=found, tested=whole, names=every.names[1:])


def without_each(models: RankerModels, groups: Mapping[str, Sequence[str]]) -> RankerModels:
    """The ranker with all features, then without each group."""
    n = 1 + len(groups)
    return RankerModels(
        names=(models.names[0], *(f"{models.names[0]} without {name}" for name in groups)),
        parameters=models.parameters * n,
        fixed=models.fixed * n,
        makers=models.makers * n,
        without=((), *(tuple(one) for one in groups.values())),
    )
