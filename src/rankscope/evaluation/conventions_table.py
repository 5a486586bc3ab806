"""One measure under every named convention, side by side: what a name such as nDCG@10 leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from rankscope._version import __version__
from rankscope.data.entities import EntityRanks
from rankscope.data.join import Convention
from rankscope.data.qrels import Qrels
from rankscope.data.result import Result
from rankscope.data.section import Section, Table
from rankscope.data.text import format_value, pluralise
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings, Plan, plan_evaluation
from rankscope.evaluation.engine import list_runs
from rankscope.evaluation.joining import ENTITY, LETOR, JoinedRun, Progress, as_qrels, join_all
from rankscope.evaluation.scoring import score_hits
from rankscope.io.chunk_tables import document_map
from rankscope.io.core import check_single_stdin, file_stamps, is_file, is_folder, is_path, refuse_changed
from rankscope.io.letor import label_qrels, prediction_run, read_labels
from rankscope.io.read import read_run
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measure, parse_measures
from rankscope.measures.presets import PRESETS, Preset

__all__ = [
    "ConventionTable",
    "compare_conventions",
    "compare_presets",
]


#: The name of the convention without a preset.
STANDARD = "standard"
#: Settings with a column of their own, in this order, where any convention has them.
COLUMNS = ("gain", "discount", "ideal", "short", "norm", "rel", "p", "gmax", "rounding", "precision", "ties")
#: Of these the usual value is shown as well.
ALWAYS_SHOWN = ("ideal", "short")


@dataclass(frozen=True, repr=False, kw_only=True)
class ConventionTable(Result):
    """One measure of each system under each convention.

    Attributes
    ----------
    measure
        The measure as it was requested.
    rows
        System, convention, full name of the measure, value over all queries, and settings of the convention.
    settings
        The settings that all conventions share, in one line.
    notes
        What a reader should know.

    Examples
    --------
    >>> import rankscope as rs
    >>> table = rs.compare_conventions({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "AP")
    >>> table
    ConventionTable('AP' under 15 conventions)
    >>> {convention: value for _, convention, _, value, _ in table.rows if convention in ("standard", "mslr")}
    {'standard': 1.0, 'mslr': 0.5}
    """

    measure: str
    rows: tuple[tuple[str, str, str, float, dict[str, str]], ...]
    settings: str
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        setting_names = {name for *_, settings in self.rows for name in settings}
        return (
            "system",
            "convention",
            "measure",
            "value",
            *(name for name in (*COLUMNS, "no_relevant") if name in setting_names),
        )

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; a setting that a convention does not have is empty."""
        names = self.columns[4:]
        for *head, settings in self.rows:
            yield (*head, *(settings.get(name, "") for name in names))

    def signature(self) -> str:
        """The measure as it was requested, and the settings that all conventions share."""
        return self.settings

    def cells(self) -> list[list[str]]:
        """The table that people read: one row per convention, one column per system, then the settings."""
        systems = list(dict.fromkeys(row[0] for row in self.rows))
        names = self.columns[4:]
        table_rows = [["convention", *systems, *names]]
        values_by_convention: dict[str, list[str]] = {}
        settings_by_convention: dict[str, dict[str, str]] = {}
        for _, convention, _, value, settings in self.rows:
            values_by_convention.setdefault(convention, []).append(format_value(value, "mean"))
            settings_by_convention[convention] = settings
        for convention, values in values_by_convention.items():
            table_rows.append(
                [convention, *values, *(settings_by_convention[convention].get(name, "") for name in names)]
            )
        return table_rows

    def sections(self) -> list[Section]:
        """One table with one row per convention."""
        head, *rows = self.cells()
        table = Table(columns=tuple(head), rows=tuple(map(tuple, rows)))
        return [Section(title=f"{self.measure} by convention", table=table)]

    def contents(self) -> str:
        """What it holds, in a few words."""
        conventions = len({convention for _, convention, *_ in self.rows})
        return f"{self.measure!r} under {pluralise(conventions, 'convention')}"


def presets_of(measure: Measure) -> list[str | None]:
    """The presets that change or list this measure, and None for no preset."""

    def covers_measure(preset: Preset) -> bool:
        listed_names = [] if preset.renames else [parse_measures([name])[0].name for name in preset.measures]
        return preset.has_all_measures or measure.name in preset.parameters or measure.name in listed_names

    return [None, *(name for name, preset in PRESETS.items() if covers_measure(preset))]


def compare_conventions(
    qrels: Any,
    runs: Any,
    measure: str | Measure,
    *,
    rel: float = 1,
    missing: str = "zero",
    input: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ConventionTable:
    """Compute one measure under the conventions of every reference tool that has it.

    Parameters
    ----------
    qrels
        Judgments, as for `evaluate`.
    runs
        Runs, as for `evaluate`.
    measure
        The measure. Parameters that its name sets stay the same under all conventions.
    rel
        Lowest relevance that counts as relevant. Default: 1.
    missing
        Queries missing from a run: score them as empty, skip them, or stop with an error. One of 'zero', 'drop',
        'error'. Default: 'zero'.
    input
        Format of the runs. Default: detected from their content.
    workers
        Number of processes, as for `evaluate`.
    progress
        Called with the number of bytes just read.

    Returns
    -------
    ConventionTable
        One value for each system and convention. A convention is a preset that says how its tool computes this measure
        (gain, discount, ideal, short lists, ties, queries without relevant documents), or "standard" for no preset.

    Raises
    ------
    InputError
        Judgments or a run cannot be read.
    ParameterError
        An argument is out of range.
    UnknownName
        The measure does not exist.

    Notes
    -----
    A convention that these judgments do not allow (its tool does not know one of the grades) is skipped with a note.

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = rs.Qrels({"q1": {"a": 2, "b": 1}, "q2": {"c": 0}})
    >>> table = rs.compare_conventions(qrels, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}, "nDCG@10")
    >>> {row[1]: round(row[3], 3) for row in table.rows if row[1] in ("standard", "gdeval", "letor4", "lightgbm")}
    {'standard': 0.43, 'gdeval': 0.797, 'letor4': 0.0, 'lightgbm': 0.898}
    """
    conventions, reading = ConventionSettings(rel=rel, missing=missing), InputSettings(input=input)
    return compare_presets(qrels, runs, measure, conventions, reading, workers=workers, progress=progress)


def compare_presets(
    qrels: Any,
    runs: Any,
    measure: str | Measure,
    conventions: ConventionSettings,
    reading: InputSettings,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ConventionTable:
    """As `compare_conventions`, with its settings as objects."""
    if reading.input in LETOR:
        conventions.refuse("duplicates", "doc_of", "overlap", since="this input holds each document once")
    conventions = replace(conventions, doc_of=document_map(conventions.doc_of))  # a table is read once
    conventions.refuse("preset", "ties", "no_relevant", "unjudged", since="each convention in the table sets it")
    reading.refuse("total_ranks", since="the table of conventions takes judgments and runs")
    parsed_measure, input_ = parse_measure(measure), reading.input
    if input_ == ENTITY or isinstance(qrels, EntityRanks):
        raise ParameterError("a table of ranks is already ranked; conventions are for judgments and runs")
    judgments, run_inputs = read_inputs(plan_evaluation([measure], conventions), qrels, list_runs(runs), input_)
    joined: dict[Convention, list[JoinedRun]] = {}
    stamps = file_stamps(run_inputs)
    rows: list[tuple[str, str, str, float, dict[str, str]]] = []
    notes: dict[str, None] = {}
    for preset in presets_of(parsed_measure):
        ties = "file" if preset is None and input_ in LETOR else None
        try:
            plan = plan_evaluation([measure], replace(conventions, preset=preset, ties=ties))
        except ParameterError as error:  # a cutoff that the tool's form needs, or ties that it averages
            if preset is None:
                raise
            notes[f"{preset} is skipped: {error}"] = None
            continue
        if plan.convention not in joined:
            run_format = None if input_ in LETOR else input_
            joined[plan.convention] = join_all(judgments, run_inputs, plan, run_format, progress, workers)
            refuse_changed(stamps)
        try:
            scores = score_hits(plan, joined[plan.convention])
        except ParameterError as error:  # grades that the preset's tool does not know
            if preset is None:
                raise
            notes[f"{preset} is skipped: {error}"] = None
            continue
        settings = settings_of(plan, scores.measure_settings[0])
        for system, value in zip(scores.systems, scores.summary(plan.names[0]).tolist(), strict=True):
            rows.append((system, preset or STANDARD, plan.names[0], value, settings))
        if preset is None:
            n_undefined = int(scores.undefined[0].sum())
            special_settings = plan.convention.merging.settings()
            if plan.overlap is not None:
                special_settings = {"overlap": str(plan.overlap), **special_settings}
            merging = "".join(f" | {name}:{value}" for name, value in special_settings.items())
            settings_line = (
                f"rel:{conventions.rel}{merging} | missing:{conventions.missing} | queries:{len(scores.query_ids)}"
            )
            settings_line += f" | without relevant documents:{n_undefined}"
            common_settings = f"{parsed_measure} | {settings_line} | rankscope {__version__}"
        notes.update(dict.fromkeys(note for note in scores.notes if "such queries" not in note))
    return ConventionTable(measure=str(parsed_measure), rows=tuple(rows), settings=common_settings, notes=tuple(notes))


def read_inputs(plan: Plan, qrels: Any, runs: list[Any], input_: str | None) -> tuple[Qrels, list[Any]]:
    """Judgments, and runs that can be joined repeatedly: a run that is not a file on disk is read into memory."""
    if input_ in LETOR:
        labels = read_labels(qrels)
        return label_qrels(labels), [prediction_run(labels, run, ranks=input_ == "letor-ranks") for run in runs]
    check_single_stdin([qrels, *runs])
    judgments = as_qrels(qrels, plan)
    must_load = [is_path(run) and not is_file(run) and not is_folder(run) for run in runs]
    return judgments, [read_run(run, input=input_) if load else run for run, load in zip(runs, must_load, strict=True)]


def settings_of(plan: Plan, measure: Any) -> dict[str, str]:
    """The settings of one convention by column."""
    special_settings = {name: value for name, value in measure.items() if name in COLUMNS}
    # A measure's settings skip usual values, but beside other conventions a reader needs these two.
    usual_settings = {
        name: str(getattr(plan.measures[0], name)) for name in ALWAYS_SHOWN if hasattr(plan.measures[0], name)
    }
    return {**usual_settings, **special_settings, **plan.settings(0), "no_relevant": plan.no_relevant}
