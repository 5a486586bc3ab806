"""`rankscope evaluate`: the values of measures for runs, in tables, pages and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import evaluate_files, evaluation_options, output_options, reading_workers, refuse_workers
from rankscope.cli._output import bytes_progress, check_output, write_output
from rankscope.cli._results import PAGE, check_page, page_of
from rankscope.cli._setting_options import take_settings
from rankscope.data.result import Result
from rankscope.data.scores import EachQuery
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings
from rankscope.evaluation.joining import ON_ERROR
from rankscope.reporting.tables import FORMATS, RESULT_FORMATS, render_result, render_scores

__all__ = [
    "evaluate",
]


@click.command(cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option_group("Measures and data", evaluation_options)
@click.option(
    "--conventions",
    metavar="MEASURE",
    help="Show one measure as each reference tool computes it, side by side; instead of -m.",
)
@click.option("--by-query", is_flag=True, help="Also show the values of each query.")
@click.option(
    "--save",
    metavar="FILE",
    help="Also save all values and settings in this .parquet file, as the baseline of a later comparison.",
)
@click.option(
    "--machine",
    metavar="QRELS",
    help="Judgments by a machine of all queries, if QRELS has judgments by people of some: estimate from both.",
)
@click.option(
    "--baseline", metavar="NAME", help="With --machine: show differences from this system. Default: of all pairs."
)
@click.option(
    "--map",
    "map_",
    metavar="A=B,...",
    help="With --machine: map its grades to the scale of the people, as 0=0,1=0,2=1.",
)
@click.option(
    "--weight",
    type=float,
    metavar="W",
    help="With --machine: its weight, from 0 (ignored) to 1. Default: the weight with the least variance.",
)
@click.option(
    "--confidence-level",
    type=float,
    metavar="P",
    help="With --machine: confidence level of the intervals. Default: 0.95.",
)
@click.option(
    "--on-error",
    type=click.Choice(list(ON_ERROR)),
    default="stop",
    show_default=True,
    help="If a run, or a partition of one, cannot be read: stop, or skip it with a note.",
)
@option_group("Output", output_options([*FORMATS, PAGE]))
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    conventions: str | None,
    by_query: bool,
    save: str | None,
    machine: str | None,
    baseline: str | None,
    map_: str | None,
    weight: float | None,
    confidence_level: float | None,
    on_error: str,
    format_: str,
    output: str | None,
    **options: Any,
) -> None:
    """Evaluate each RUN against the judgments in QRELS.

    Files may be TREC (spaces or tabs), CSV, TSV, JSON, JSONL or Parquet, plain, .gz or .zst; - is standard input. A
    RUN may also be in MS MARCO's format (query, document, rank), or a folder of such files, its partitions. With
    --input letor, QRELS is a label file and each RUN a file of predictions, with letor-ranks of rank positions (ties
    are then in file order); with entity-ranks, QRELS is a table of ranks and there is no RUN.

    \b
    rankscope evaluate demo.qrels bm25.run dense.run -m nDCG@10 -m AP
    rankscope evaluate demo.qrels bm25.run --by-query --format csv -o scores.csv
    rankscope evaluate demo-few.qrels bm25.run dense.run --machine demo-judge.qrels -m nDCG@10
    """
    check_page(format_, output)
    destination = Destination(format_, output)
    machine_options = {"baseline": baseline, "map": map_, "weight": weight, "confidence_level": confidence_level}
    machine_arguments = {name: value for name, value in machine_options.items() if value is not None}
    if machine is not None:
        refuse_beside_machine(conventions, by_query, save)
        refuse_skipping(on_error, "machine")
        evaluate_with_machine(qrels, runs, machine, measures, destination, **machine_arguments, **options)
    elif machine_arguments:
        raise ParameterError(
            f"--{next(iter(machine_arguments)).replace('_', '-')} is for --machine, the judgments of a machine; leave "
            "it out"
        )
    elif conventions is not None:
        refuse_beside_conventions(measures, options, by_query, save)
        refuse_skipping(on_error, "conventions")
        evaluate_by_conventions(qrels, runs, conventions, destination, options)
    else:
        evaluate_plainly(qrels, runs, measures, destination, options, by_query=by_query, save=save, on_error=on_error)


class Destination(NamedTuple):
    """Where the output goes, and its format."""

    format_: str
    output: str | None

    def check_format(self, option: str) -> None:
        """Raise ParameterError for a format of scores, which other results do not have."""
        if self.format_ not in (*RESULT_FORMATS, PAGE):
            formats = ", ".join([*RESULT_FORMATS, PAGE])
            raise ParameterError(f"{option} has no format {self.format_!r}; choose one of {formats}")

    def show(self, result: Result) -> None:
        """Print or write a result."""
        write_output(page_of(result) if self.format_ == PAGE else render_result(result, self.format_), self.output)


def evaluate_plainly(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    destination: Destination,
    options: dict[str, Any],
    *,
    by_query: bool,
    save: str | None,
    on_error: str,
) -> None:
    """Print the scores, and save them if that was requested."""
    format_, output = destination
    check_output(output, (qrels, *runs))
    if save is not None:
        from rankscope.evaluation.saved_scores import check_save, write_scores

        check_save(save, (qrels, *runs), output=output)
    scores = evaluate_files(qrels, runs, measures, on_error=on_error, **options)
    if save is not None:
        write_scores(scores, save)
    if format_ == PAGE:
        write_output(page_of(EachQuery(scores) if by_query else scores), output)
    else:
        write_output(render_scores(scores, format_, by_query=by_query), output)


def evaluate_by_conventions(
    qrels: str, runs: tuple[str, ...], measure: str, destination: Destination, options: dict[str, Any]
) -> None:
    """Print one measure under every convention."""
    from rankscope.evaluation.conventions_table import compare_presets

    destination.check_format("--conventions")
    check_output(destination.output, (qrels, *runs))
    settings = take_settings(ConventionSettings, options), take_settings(InputSettings, options)
    workers = reading_workers(runs, options["workers"])
    with bytes_progress(runs, "reading runs") as progress:
        table = compare_presets(qrels, list(runs), measure, *settings, workers=workers, progress=progress)
    destination.show(table)


def evaluate_with_machine(
    qrels: str,
    runs: tuple[str, ...],
    machine: str,
    measures: tuple[str, ...],
    destination: Destination,
    **arguments: Any,
) -> None:
    """Print the estimates from people's judgments and a machine's."""
    from rankscope.judging.estimation import estimate

    destination.check_format("--machine")
    refuse_workers(arguments)
    if not runs:
        raise click.UsageError("Missing argument 'RUN...'.")
    check_output(destination.output, (qrels, machine, *runs))
    with bytes_progress(runs, "reading runs") as progress:
        estimates = estimate(qrels, list(runs), machine, list(measures) or None, progress=progress, **arguments)
    destination.show(estimates)


def refuse_beside_machine(conventions: str | None, by_query: bool, save: str | None) -> None:
    """Raise ParameterError for options that estimates do not have."""
    for name, is_set in (("conventions", conventions is not None), ("by-query", by_query), ("save", save is not None)):
        if is_set:
            raise ParameterError(
                f"--{name} beside --machine, whose estimates are of all queries; leave one of them out"
            )


def refuse_skipping(on_error: str, other_option: str) -> None:
    """Raise ParameterError for `--on-error skip` if each run is read more than once."""
    if on_error != "stop":
        raise ParameterError(
            f"--on-error {on_error} beside --{other_option}, which asks for all runs; leave one of them out"
        )


def refuse_beside_conventions(
    measures: tuple[str, ...], options: Mapping[str, object], by_query: bool, save: str | None
) -> None:
    """Raise ParameterError for options that each convention sets, and for `--save`, which needs scores."""
    if save is not None:
        raise ParameterError("--save beside --conventions, whose table is no scores to save; leave one of them out")
    conflicting_options = [
        name for name in ("preset", "ties", "no_relevant", "total_ranks") if options[name] is not None
    ]
    conflicting_options += ["measure"] if measures else []
    conflicting_options += ["by_query"] if by_query else []
    conflicting_options += ["unjudged"] if options["unjudged"] != "nonrelevant" else []
    if conflicting_options:
        option = conflicting_options[0].replace("_", "-")
        raise ParameterError(f"--{option} beside --conventions, which settles that for each convention; leave it out")
