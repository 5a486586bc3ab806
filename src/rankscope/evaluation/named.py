"""One measure under every named convention, side by side: what a name such as nDCG@10 leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope._version import __version__
from rankscope.data.cells import align, format_value
from rankscope.data.entities import EntityRanks
from rankscope.data.join import Convention
from rankscope.data.qrels import Qrels
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.engine import as_list, score_hits
from rankscope.evaluation.sources import ENTITY, LETOR, Joined, Progress, as_qrels, is_path, join_all
from rankscope.io.letor import label_qrels, prediction_run, read_labels
from rankscope.io.read import read_run
from rankscope.io.streams import source_name
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measure, parse_measures
from rankscope.measures.presets import PRESETS, Preset

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ConventionTable", "compare_conventions", "conventions_of"]

#: What is called without a preset.
STANDARD = "standard"
#: Settings that stand in a column of their own, in this order, where any convention has them.
COLUMNS = ("gain", "discount", "ideal", "short", "norm", "rel", "p", "gmax", "rounding", "precision", "ties")


@dataclass(frozen=True, kw_only=True)
class ConventionTable:
    """Values of one measure for each system under each convention.

    measure: as it was asked for. rows: (system, convention, the measure's full name, value over all queries, settings).
    signature: what holds for all. notes: what a reader should know.
    """

    measure: str
    rows: tuple[tuple[str, str, str, float, dict[str, str]], ...]
    signature: str
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        there = {name for *_, settings in self.rows for name in settings}
        return ("system", "convention", "measure", "value", *(c for c in (*COLUMNS, "no_relevant") if c in there))

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; a setting that a convention does not have is empty."""
        names = self.columns[4:]
        for *head, settings in self.rows:
            yield (*head, *(settings.get(name, "") for name in names))

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame."""
        import polars as pl

        return pl.DataFrame(list(self.records()), schema=list(self.columns), orient="row")

    def cells(self) -> list[list[str]]:
        """The table that people read: a row a convention, a column a system, then the settings."""
        systems = list(dict.fromkeys(row[0] for row in self.rows))
        names = self.columns[4:]
        found = [["convention", *systems, *names]]
        by_convention: dict[str, list[str]] = {}
        settings_of: dict[str, dict[str, str]] = {}
        for _, convention, _, value, settings in self.rows:
            by_convention.setdefault(convention, []).append(format_value(value, "mean"))
            settings_of[convention] = settings
        for convention, values in by_convention.items():
            found.append([convention, *values, *(settings_of[convention].get(name, "") for name in names)])
        return found

    def __str__(self) -> str:
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([f"{self.measure} by convention", "", *align(self.cells(), 1), "", self.signature, *notes])


def conventions_of(measure: Measure) -> list[str | None]:
    """The presets that say something about this measure, and None for none. trec_eval speaks of all."""

    def speaks(name: str, preset: Preset) -> bool:
        shown = [] if preset.renames else [parse_measures([asked])[0].name for asked in preset.measures]
        return name.startswith("trec_eval") or measure.name in preset.parameters or measure.name in shown

    return [None, *(name for name, preset in PRESETS.items() if speaks(name, preset))]


def compare_conventions(
    qrels: Any,
    runs: Any,
    measure: str | Measure,
    *,
    rel: int = 1,
    missing: str = "zero",
    input: str | None = None,
    progress: Progress | None = None,
) -> ConventionTable:
    """One measure under every named convention: the same files, one value a convention and system.

    A convention is a preset that says how its tool computes this measure (gain, discount, ideal, short lists, ties,
    queries without relevant documents), or "standard" for none. qrels, runs, rel, missing, input: as in `evaluate`.

    A convention that cannot be had for these judgments (a grade that its tool does not know) is left out with a note.
    Raises as `evaluate`; a parameter that the measure's name already sets stays as it is in all.

    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q1": {"a": 2, "b": 1}, "q2": {"c": 0}})
    >>> table = rs.compare_conventions(qrels, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}, "nDCG@10")
    >>> {row[1]: round(row[3], 3) for row in table.rows if row[1] in ("standard", "gdeval", "letor4", "lightgbm")}
    {'standard': 0.43, 'gdeval': 0.797, 'letor4': 0.0, 'lightgbm': 0.898}
    """
    asked = parse_measure(measure)
    if input == ENTITY or isinstance(qrels, EntityRanks):
        raise ParameterError("a table of ranks is ranked already, so that conventions make no difference to it")
    judged, listed = read_once(make_plan([measure]), qrels, as_list(runs), input)
    joined: dict[Convention, list[Joined]] = {}
    rows: list[tuple[str, str, str, float, dict[str, str]]] = []
    notes: dict[str, None] = {}
    for preset in conventions_of(asked):
        ties = "file" if preset is None and input in LETOR else None
        plan = make_plan([measure], preset=preset, rel=rel, missing=missing, ties=ties)
        if plan.convention.ties == "average" and not plan.measures[0].averages():
            notes[f"{preset} is left out: its ties are averaged, which {plan.names[0]} cannot be"] = None
            continue
        if plan.convention not in joined:
            joined[plan.convention] = join_all(judged, listed, plan, None if input in LETOR else input, progress)
        try:
            scores = score_hits(plan, joined[plan.convention])
        except ParameterError as error:  # grades that its tool does not know
            if preset is None:
                raise
            notes[f"{preset} is left out: {error}"] = None
            continue
        settings = settings_of(plan, scores.measure_settings[0])
        for system, value in zip(scores.systems, scores.summary(plan.names[0]).tolist(), strict=True):
            rows.append((system, preset or STANDARD, plan.names[0], value, settings))
        if preset is None:
            nothing = int(scores.undefined[0].sum())
            settings_line = f"rel:{rel} | missing:{missing} | queries:{len(scores.query_ids)}"
            signature = f"{asked} | {settings_line} | without relevant documents:{nothing} | rankscope {__version__}"
        notes.update(dict.fromkeys(note for note in scores.notes if "such queries" not in note))
    return ConventionTable(measure=str(asked), rows=tuple(rows), signature=signature, notes=tuple(notes))


def read_once(plan: Plan, qrels: Any, runs: list[Any], input_: str | None) -> tuple[Qrels, list[Any]]:
    """Judgments, and runs that can be joined again and again: what is no file on disk is read into memory."""
    if input_ in LETOR:
        labels = read_labels(qrels)
        return label_qrels(labels), [prediction_run(labels, run, ranks=input_ == "letor-ranks") for run in runs]
    if sum(is_path(x) and source_name(x) == "<stdin>" for x in [qrels, *runs]) > 1:
        raise ParameterError("standard input (-) can stand for one file only")
    pipes = [is_path(run) and not (source_name(run) != "<stdin>" and Path(run).is_file()) for run in runs]
    judged = as_qrels(qrels, plan)
    return judged, [read_run(run, input=input_) if pipe else run for run, pipe in zip(runs, pipes, strict=True)]


def settings_of(plan: Plan, measure: Any) -> dict[str, str]:
    """What a reader must know to compare, by column."""
    found = {name: value for name, value in measure.items() if name in COLUMNS}
    if plan.measures[0].name == "nDCG":
        found = {"ideal": "judged", "short": "filled", **found}
    return {**found, **plan.settings(0), "no_relevant": plan.no_relevant}
