"""The result of a random search: the settings that were tried, and the test of the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.columns import column, digits, table_of
from rankscope.data.result import Result
from rankscope.data.section import Section
from rankscope.data.text import format_number, pluralise
from rankscope.experiments.crossvalidation import (
    CrossValidation,
)
from rankscope.experiments.random_search.trial_log import Trial
from rankscope.kernels.rounding_ties import order_of

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Search",
]


#: Number of settings in a table.
TRIALS_LISTED = 10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Search(Result):
    """Settings of rankers that were tried, and the test of the best, as `search` returns it.

    The tidy table is that of `cross_validation`; `trial_frame` has the trials.

    Attributes
    ----------
    cross_validation
        The cross-validation of the best settings.
    trials
        All trials, in their order.
    best
        The best trial of each ranker.
    measure
        The measure whose value over the validation lists chose the best.
    log
        The file that keeps the trials; None if there is none.
    n_logged
        The number of trials that were in the log before.
    """

    cross_validation: CrossValidation
    trials: tuple[Trial, ...]
    best: tuple[Trial, ...]
    measure: str
    log: str | None
    n_logged: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self.cross_validation.columns

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the test."""
        return self.cross_validation.records()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        notes = [*self.cross_validation.notes]
        if failed_trials := [trial for trial in self.trials if np.isnan(trial.value)]:
            failed_text = f"{pluralise(len(failed_trials), 'setting')} could not be trained"
            first = failed_trials[0]
            notes.append(f"{failed_text}; {first.model}, trial {first.number}: {first.error or 'no value'}")
        if self.log is None:
            notes.append("no log was kept; with --log FILE an interrupted search continues where it stopped")
        return tuple(notes)

    def signature_parts(self) -> list[str]:
        n_trials = len(self.trials) // len(self.best)
        best_text = " ".join(f"{trial.model}[{trial.number}]" for trial in self.best)
        return [
            *self.cross_validation.signature_parts(),
            f"search:{n_trials} by validation {self.measure}",
            f"chosen:{best_text}",
        ]

    def sections(self) -> Sequence[Section]:
        """The settings of each ranker, the best first; then the test."""
        return [*(self.section(best) for best in self.best), *self.cross_validation.sections()]

    def section(self, best: Trial) -> Section:
        """The best settings of a ranker, and the given one.

        Parameters
        ----------
        best
            The best trial of the ranker.
        """
        trials = [trial for trial in self.trials if trial.model == best.model]
        sign = self.cross_validation.test.scores.sign(self.measure)
        trials.sort(key=lambda trial: trial.number)
        ranked_trials = [trials[i] for i in order_of(np.array([-sign * trial.value for trial in trials])).tolist()]
        listed_trials = ranked_trials[:TRIALS_LISTED]
        first_trial = trials[0]
        names = list(dict.fromkeys(key for trial in listed_trials for key in trial.changed))
        if first_trial not in listed_trials:
            listed_trials.append(first_trial)
        gain = abs(best.value - first_trial.value)
        is_unchanged = best.number == first_trial.number
        if is_unchanged:
            outcome = (
                f"none has a better {self.measure} on the validation lists than the given one (trial 1), "
                f"{format_number(best.value)}"
            )
        else:
            outcome = (
                f"trial {best.number} has the best {self.measure} on the validation lists, "
                f"{format_number(best.value)}, {format_number(gain)} better than the given setting (trial 1), "
                f"{format_number(first_trial.value)}"
            )
        sentence = (
            f"Of {pluralise(len(trials), 'setting')} of {best.model}, {outcome}. The best of many is too good on the "
            "lists that it was chosen by; the test lists show what it is worth."
        )
        n_more = len(trials) - len(listed_trials)
        return Section(
            title=f"{best.model}: settings tried",
            sentence=sentence,
            table=table_of(
                column("trial", [trial.number for trial in listed_trials], name=True),
                column(
                    f"validation {self.measure}",
                    [trial.value for trial in listed_trials],
                    digits(),
                    bold=[trial is ranked_trials[0] for trial in listed_trials],
                ),
                column("best epoch", [trial.best_epoch for trial in listed_trials], digits(0)),
                *(
                    column(name, [trial.changed.get(name, "-") for trial in listed_trials], format_parameter)
                    for name in names
                ),
            ),
            notes=(f"{pluralise(n_more, 'setting')} with worse values are not shown",) if n_more > 0 else (),
        )

    def trial_frame(self) -> pl.DataFrame:
        """The trials as a polars frame: model, trial, measure, value, best_epoch, seconds and what was changed."""
        import polars as pl

        rows = [
            {
                "model": trial.model,
                "trial": trial.number,
                "measure": self.measure,
                "value": None if np.isnan(trial.value) else trial.value,
                "best_epoch": None if np.isnan(trial.best_epoch) else trial.best_epoch,
                "seconds": trial.seconds,
                "changed": ", ".join(format_changes(trial.changed)),
            }
            for trial in self.trials
        ]
        return pl.DataFrame(rows)

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.trials), 'trial')} of {pluralise(len(self.best), 'ranker')}"


def format_changes(changed: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in changed.items()]


def format_parameter(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
