"""What a search found: all trials, the best setting of each ranker, and what that is worth on the test lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.cells import format_number
from rankscope.data.sections import Cell, Marked, Section, Table, as_text, tidy_frame
from rankscope.data.wording import pluralise
from rankscope.experiments.crossvalidated import CrossValidation
from rankscope.experiments.search_log import Setting
from rankscope.kernels.ties import order_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Search"]

#: So many of the best settings stand in a table.
TRIALS_LISTED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Search:
    """tested: the cross-validation of the best settings. trials: all, in the order in which they were tried. best: of
    each ranker. measure: by whose value over the validation lists they were chosen. log: the file that has them; None:
    none. known: how many were in it before.

    columns: those of `tested`, whose tidy table this one's is; `trial_frame` has the trials.
    """

    tested: CrossValidation
    trials: tuple[Setting, ...]
    best: tuple[Setting, ...]
    measure: str
    log: str | None
    known: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self.tested.columns

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the test."""
        return self.tested.records()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        found = [*self.tested.notes]
        if failed := [one for one in self.trials if np.isnan(one.value)]:
            what = f"{pluralise(len(failed), 'setting')} could not be trained"
            found.append(f"{what}; of {failed[0].model}, trial {failed[0].number}: {failed[0].error or 'no value'}")
        if self.log is None:
            found.append("no log was kept; with one (--log FILE) a search that is interrupted goes on where it was")
        return tuple(found)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        each = len(self.trials) // len(self.best)
        chosen = " ".join(f"{one.model}[{one.number}]" for one in self.best)
        return self.tested.signature(search=f"{each} by validation {self.measure}", chosen=chosen)

    def sections(self) -> Sequence[Section]:
        """The settings of each ranker, the best first; then the test."""
        return [*(self.settings(one) for one in self.best), *self.tested.sections()]

    def settings(self, best: Setting) -> Section:
        """The best ones of a ranker, and that as given."""
        mine = [one for one in self.trials if one.model == best.model]
        sign = self.tested.test.scores.sign(self.measure)
        mine.sort(key=lambda one: one.number)
        ranked = [mine[i] for i in order_of(np.array([-sign * one.value for one in mine])).tolist()]
        shown = ranked[:TRIALS_LISTED]
        given = mine[0]
        names = list(dict.fromkeys(key for one in shown for key in one.changed))
        rows: list[tuple[Cell, ...]] = [trial_row(one, names, one is ranked[0]) for one in shown]
        if given not in shown:
            rows.append(trial_row(given, names, False))
        gain = abs(best.value - given.value)
        same = best.number == given.number
        sentence = (
            f"Of {pluralise(len(mine), 'setting')} of {best.model}, by validation lists alone, "
            + ("none was better than the one that was given" if same else f"that of trial {best.number} was best")
            + f": {self.measure} {format_number(best.value)}"
            + ("." if same else f", and {format_number(given.value)} as given (trial 1), {format_number(gain)} apart.")
            + " The best of many is too good on the lists that it was chosen by; what it is worth, the test says."
        )
        left = len(mine) - len(rows)
        return Section(
            title=f"{best.model}: settings that were tried",
            sentence=sentence,
            table=Table(columns=("trial", f"validation {self.measure}", "best epoch", *names), rows=tuple(rows)),
            notes=(f"{pluralise(left, 'setting')} with lower values are not shown",) if left > 0 else (),
        )

    def trial_frame(self) -> pl.DataFrame:
        """The trials as a polars frame: model, trial, measure, value, best_epoch, seconds and what was changed."""
        import polars as pl

        rows = [
            {
                "model": one.model,
                "trial": one.number,
                "measure": self.measure,
                "value": None if np.isnan(one.value) else one.value,
                "best_epoch": None if np.isnan(one.best_epoch) else one.best_epoch,
                "seconds": one.seconds,
                "changed": ", ".join(format_changes(one.changed)),
            }
            for one in self.trials
        ]
        return pl.DataFrame(rows)

    def frame(self) -> pl.DataFrame:
        """The tidy table of the test as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"Search({pluralise(len(self.trials), 'trial')} of {pluralise(len(self.best), 'ranker')})"


def format_changes(changed: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in changed.items()]


def trial_row(one: Setting, names: Sequence[str], best: bool) -> tuple[Cell, ...]:
    """A trial; a dash where a parameter is as it was given."""
    changed = [format_parameter(one.changed[name]) if name in one.changed else "-" for name in names]
    value = Marked(format_number(one.value), bold=best)
    return (str(one.number), value, format_number(one.best_epoch, 0), *changed)


def format_parameter(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
