"""Permutation importance: the loss of a measure when a feature is shuffled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.columns import column, digits, interval, table_of
from rankscope.data.features import Features
from rankscope.data.result import Result
from rankscope.data.scores import summarise
from rankscope.data.section import Figure, Section
from rankscope.data.text import pluralise
from rankscope.evaluation.conventions import Plan
from rankscope.evaluation.judged_lists import FullyJudgedLists
from rankscope.kernels.rounding_ties import order_of
from rankscope.stats.intervals import t_interval
from rankscope.typing import Floats, Reals

__all__ = [
    "REPEATS",
    "FeatureImportance",
    "permutation_drops",
    "shuffled_values",
]


#: How often each feature is shuffled.
REPEATS = 3


def permutation_drops(
    ranker: Any,
    features: Features,
    lists: FullyJudgedLists,
    plan: Plan,
    *,
    repeats: int = REPEATS,
    rng: np.random.Generator,
) -> Floats:
    """By how much a measure becomes worse when the values of one feature are shuffled.

    Parameters
    ----------
    ranker
        The trained ranker.
    features
        The documents to score.
    lists
        The judgments of these documents.
    plan
        Its first measure is used, with its conventions. The values of queries are summarised as the measure does,
        mostly by the mean.
    repeats
        How often each feature is shuffled among all documents of all queries.
    rng
        The random generator.

    Returns
    -------
    array of shape (features)
        The mean drop; of measures where lower is better, the mean rise. Above 0, the ranker is better with the feature.
        About 0, it does not use the feature, or gets the same from another one. 0 for a feature that never varies.

    Notes
    -----
    Raises what the measure raises. Shuffled features are scaled once, since scaling looks at each value by itself.

    References
    ----------
    Breiman (2001), section 10, with the measure in the place of the error.
    """
    measure = plan.measures[0]
    sign = -1.0 if measure.higher_is_better is False else 1.0

    def summary(query_values: Floats) -> float:
        return float(summarise(query_values[None, None], [measure.summary])[0, 0])

    full_values, shuffles = shuffled_values(ranker, features, lists, plan, repeats=repeats, rng=rng)
    full_value, drops = summary(full_values), np.zeros(len(features.names))
    for j, values in shuffles:
        drops[j] = sign * (full_value - float(np.mean(list(map(summary, values)))))
    return drops


def shuffled_values(
    ranker: Any,
    features: Features,
    lists: FullyJudgedLists,
    plan: Plan,
    *,
    repeats: int,
    rng: np.random.Generator,
) -> tuple[Floats, Iterator[tuple[int, Floats]]]:
    """The values of queries, and of each feature that varies, its index and the values with it shuffled.

    The arguments are those of `permutation_drops`. The values are (queries), and (repeats, queries) of each feature.
    """
    score_documents, values = prepared_scorer(ranker, features)
    plan = replace(plan, measures=plan.measures[:1], _settings={})

    def query_values() -> Floats:
        return np.asarray(plan.values(lists.hits(score_documents(values)), features.name)[0][0])

    def shuffle_each() -> Iterator[tuple[int, Floats]]:
        for j in np.flatnonzero((values != values[0]).any(axis=0)).tolist():
            original = values[:, j].copy()
            shuffled = []
            for _ in range(repeats):
                values[:, j] = rng.permutation(original)
                shuffled.append(query_values())
            values[:, j] = original
            yield j, np.array(shuffled)

    return query_values(), shuffle_each()


def prepared_scorer(ranker: Any, features: Features) -> tuple[Callable[[Reals], Floats], Reals]:
    """A function from values to scores of the documents, and the values; those of networks are scaled once."""
    if ranker.kind not in ("network", "trees") or ranker.lists:  # which may look at whole lists
        return lambda values: ranker.predict(
            replace(features, values=values, order=None, where=None)
        ), features.values.copy()
    scaling = ranker.scaling_
    values = features.values.copy() if scaling is None else scaling(features.values)
    return lambda values: np.asarray(sum(model.scores(values) for model in ranker.models_)), values


#: Numbers of most important features in the table and in the figure.
MAX_IN_TABLE, MAX_IN_FIGURE = 10, 30
#: Of a table whose intervals are over queries.
ONE_RANKER_NOTES = ("interval: over the queries, for this trained ranker; it does not say how training would vary",)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FeatureImportance(Result):
    """How much a measure loses on the test lists when one feature is shuffled among all documents.

    The tidy table has the columns model, feature, measure, worth (the mean over folds and seeds), low, high (Student's
    95 % interval over folds, of the mean over seeds), n (folds). Folds share training data, so intervals are rather
    narrow. Of one trained ranker, means and intervals are over queries, which n counts; NaN by measures that are no
    means.

    Attributes
    ----------
    models
        The names of the rankers, the best first.
    features
        The names of the features.
    measure
        The name of the measure.
    drops
        (seeds, folds, features) for each model, with one seed if all give the same ranker; above 0 if the ranker is
        better with the feature. Of one trained ranker (1, queries, features).
    value
        The measure's value in words, as "mean AP".
    change_verb
        How a value becomes worse: "falls" or "rises".
    cross_validation_parts
        The parts of the signature of the cross-validation, or of one trained ranker.
    units
        What the drops are of: "folds and seeds", or "queries" of one trained ranker.
    data_notes
        Notes on the test lists.
    """

    COLUMNS = ("model", "feature", "measure", "worth", "low", "high", "n")

    models: tuple[str, ...]
    features: tuple[str, ...]
    measure: str
    drops: tuple[Floats, ...]
    value: str
    change_verb: str
    cross_validation_parts: tuple[str, ...]
    units: str = "folds and seeds"
    data_notes: tuple[str, ...] = ()

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row a model and feature, the most important first."""
        for m, model in enumerate(self.models):
            worth, low, high = self.worth(m)
            for j in self.order(m):
                values = (float(worth[j]), float(low[j]), float(high[j]))
                yield model, self.features[j], self.measure, *values, self.drops[m].shape[1]

    def worth(self, model: int) -> tuple[Floats, Floats, Floats]:
        """The importance of each feature for a ranker: means over folds, and the ends of their intervals.

        Parameters
        ----------
        model
            Index of the ranker.

        Returns
        -------
        tuple of arrays of shape (features)
            The means and the lower and upper ends, which are NaN if there is only one fold.
        """
        fold_means = self.drops[model].mean(axis=0)
        interval = t_interval(fold_means.T)
        return fold_means.mean(axis=0), np.asarray(interval.low), np.asarray(interval.high)

    def order(self, model: int) -> list[int]:
        """Indices of the features, the most important first.

        Parameters
        ----------
        model
            Index of the ranker.
        """
        order: list[int] = order_of(-self.worth(model)[0]).tolist()
        return order

    @property
    def notes(self) -> tuple[str, ...]:
        return self.data_notes

    def signature_parts(self) -> Sequence[str]:
        return self.cross_validation_parts

    def sections(self) -> Sequence[Section]:
        """A table and a figure a model."""
        return [self.section(m) for m in range(len(self.models))]

    def section(self, model: int) -> Section:
        """A table and a figure of the most important features of a ranker.

        Parameters
        ----------
        model
            Index of the ranker.
        """
        worth, low, high = self.worth(model)
        order, name = self.order(model), self.models[model]
        units = self.drops[model].reshape(-1, worth.size)
        deviation = units.std(axis=0, ddof=1) if len(units) > 1 else np.full(worth.shape, np.nan)
        listed = order[:MAX_IN_TABLE]
        n_more = len(order) - MAX_IN_TABLE
        more_text = (
            f" ({pluralise(n_more, 'other')} {'matters' if n_more == 1 else 'matter'} less)" if n_more > 0 else ""
        )
        return Section(
            title=f"{name}: importance of features",
            sentence=(
                f"By how much the {self.value} on the test lists {self.change_verb} when the values of one feature are "
                f"shuffled among all documents{more_text}. Features that carry the same information can replace each "
                "other; then each seems unimportant."
            ),
            table=table_of(
                column("feature", [self.features[j] for j in listed], name=True),
                column("importance", worth[listed], digits()),
                column(f"sd over {self.units}", deviation[listed], digits()),
                column("95 % interval", zip(low[listed], high[listed], strict=True), interval()),
            ),
            figure=Figure(
                "feature_bars",
                {
                    "features": [self.features[j] for j in order[:MAX_IN_FIGURE]],
                    "worth": worth[order[:MAX_IN_FIGURE]],
                    "deviation": deviation[order[:MAX_IN_FIGURE]],
                    "measure": self.measure,
                    "of": name,
                    "left_out_before": max(0, len(order) - MAX_IN_FIGURE),
                },
            ),
            notes=ONE_RANKER_NOTES if self.units == "queries" else (),
            folded=model > 0,
        )

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.features), 'feature')}, {pluralise(len(self.models), 'ranker')}"
