"""TrainedFusion: a trained fusion, its values on queries that it did not learn from, and its use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankscope.data.result import Result
from rankscope.data.rows import decode_ids
from rankscope.data.run import Run
from rankscope.data.text import join_names, pluralise, pluralise_queries
from rankscope.errors import InputError
from rankscope.fusion.fuse_runs import fused_run
from rankscope.fusion.methods import INVERTED
from rankscope.fusion.normalisation import normalise_pool
from rankscope.fusion.pool import check_runs, load_pool
from rankscope.fusion.tuning.candidates import Candidate
from rankscope.typing import PathLike

__all__ = [
    "FoldChoice",
    "TrainedFusion",
    "TriedSetting",
]


class TriedSetting(NamedTuple):
    """A setting that was tried.

    Attributes
    ----------
    name
        Method, normalisation and setting in one word.
    mean
        The mean over all queries.
    values
        The mean of each fold, by parameters learned from the others.
    """

    name: str
    mean: float
    values: tuple[float, ...]


class FoldChoice(NamedTuple):
    """What the other folds chose for a fold.

    Attributes
    ----------
    name
        The chosen setting in one word.
    queries
        How many queries the fold has.
    value
        The mean of the chosen setting on them.
    """

    name: str
    queries: int
    value: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TrainedFusion(Result):
    """A trained fusion, ready to fuse other runs of the same systems.

    `frame()` is the tidy table: part ("setting", "cross-fitted", "run"), name, fold (from 1, or "all"), measure, value.

    Attributes
    ----------
    method
        The chosen method.
    normalise
        The chosen normalisation.
    setting
        The chosen setting.
    parameters
        What was learned from all training queries.
    runs
        Names of the training runs, in their order.
    queries
        Ids of the training queries.
    measure
        Measure by which the setting was chosen.
    higher_is_better
        Whether higher values of the measure are better.
    settings_text
        Every setting that changes the numbers, in one line.
    tried
        All settings, in the order in which they were tried.
    chosen
        For each fold, what the other folds chose.
    cross_fitted_mean
        Mean of the cross-fitted run: what can be expected on other queries.
    alone
        Mean of each run.
    notes
        What a reader should know.
    cross_fitted
        The run in which each fold is fused with what the others taught; None in a fusion that was loaded.
    """

    VIEW = "rankscope.fusion.tuning.view:fusion_sections"
    COLUMNS = ("part", "name", "fold", "measure", "value")

    method: str
    normalise: str
    setting: Mapping[str, Any]
    parameters: Mapping[str, Any]
    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measure: str
    higher_is_better: bool
    settings_text: str
    tried: tuple[TriedSetting, ...]
    chosen: tuple[FoldChoice, ...]
    cross_fitted_mean: float
    alone: tuple[float, ...]
    notes: tuple[str, ...] = ()
    cross_fitted: Run | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Method, normalisation and setting in one word."""
        return str(self.candidate)

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.method, self.normalise, self.setting)

    def fuse(self, runs: Sequence[Run | PathLike | Any], *, input: str | None = None, name: str | None = None) -> Run:
        """Fuse other runs of the same systems with what was learned; higher scores are better.

        Parameters
        ----------
        runs
            As many runs as the fusion was trained on, in the same order.
        input
            Format of the files. Default: detected from their content.
        name
            Name of the fused run. Default: the name of the setting.

        Returns
        -------
        Run
            The fused run. If some of its queries are training queries, a note says so: measured on their judgments, it
            would look better than it is. Use `cross_fitted` for those.

        Raises
        ------
        InputError
            There is another number of runs, they have the same names in another order, and as `fuse`.
        """
        check_runs(runs)
        if len(runs) != len(self.runs):
            raise InputError(
                f"{pluralise(len(runs), 'run')}, but the parameters were learned from {len(self.runs)} "
                f"({join_names(self.runs)}); give one for each, in this order"
            )
        names, notes, pool = load_pool(runs, input=input, inverted=self.normalise == INVERTED)
        notes = (*notes, *self.name_notes(names))
        normalised_pool = normalise_pool(pool, self.normalise, names)
        scores = self.candidate.fuse(pool, self.parameters, normalised_pool)
        n_seen = len(set(self.queries).intersection(decode_ids(pool.query_ids)))
        if n_seen:
            verb = "is" if n_seen == 1 else "are"
            notes += (
                f"{n_seen:,} of {pluralise_queries(len(pool.query_ids))} {verb} among the training queries of "
                "these parameters: measured on their judgments, the fused run looks better than it is",
            )
        return fused_run(pool, scores, name or self.name, (*notes, *normalised_pool.notes))

    def name_notes(self, names: Sequence[str]) -> tuple[str, ...]:
        """A note if the runs have other names than those that the parameters were learned from.

        Parameters
        ----------
        names
            Names of the runs, as many as in training.

        Raises
        ------
        InputError
            The names are the same in another order.
        """
        if tuple(names) == self.runs:
            return ()
        if sorted(names) == sorted(self.runs):
            raise InputError(
                f"the runs are {join_names(names)}, and the parameters were learned from {join_names(self.runs)}; give "
                "them in that order"
            )
        pairs = [
            f"{name} stands for {learned_name}"
            for name, learned_name in zip(names, self.runs, strict=True)
            if name != learned_name
        ]
        return (f"the parameters were learned from other names: {join_names(pairs)}",)

    def records(self) -> Iterator[tuple[Any, ...]]:
        for setting in self.tried:
            yield ("setting", setting.name, "all", self.measure, setting.mean)
            for f, value in enumerate(setting.values, 1):
                yield ("setting", setting.name, str(f), self.measure, value)
        yield ("cross-fitted", "chosen by fold", "all", self.measure, self.cross_fitted_mean)
        for f, choice in enumerate(self.chosen, 1):
            yield ("cross-fitted", choice.name, str(f), self.measure, choice.value)
        yield from (("run", name, "all", self.measure, mean) for name, mean in zip(self.runs, self.alone, strict=True))

    def summary(self) -> str:
        """The result in one sentence."""
        return (
            f"{self.name} was chosen of {pluralise(len(self.tried), 'setting')} by {self.measure}; cross-fitted on "
            f"{pluralise_queries(len(self.queries))}, the mean is {self.cross_fitted_mean:.4f}"
        )

    def signature_parts(self) -> list[str]:
        return ["fusion", self.settings_text]

    def contents(self) -> str:
        """What it holds, in a few words."""
        runs, tried = pluralise(len(self.runs), "run"), pluralise(len(self.tried), "setting")
        return f"{self.name[:60]!r}, {runs}, {pluralise_queries(len(self.queries))}, {tried}"
