"""`rankscope dunaiski`: the command line and output of Dunaiski's Ranking Evaluation Tool."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import NoReturn

import click

from rankscope.cli._output import check_output, progress_bar, write_output
from rankscope.compat.dunaiski import (
    PRINTING,
    NamedMeasure,
    dunaiski_table,
    experiment_conditions,
    name_measures,
    needs_total_ranks,
    parse_texts,
    read_measure_file,
    run_experiment,
    show_study,
)
from rankscope.data.entities import EntityRanks
from rankscope.data.text import join_names
from rankscope.errors import SettingError
from rankscope.io.core import source_name
from rankscope.parallel import all_cores
from rankscope.settings import as_tuple
from rankscope.stability.settings import DUNAISKI_LEVELS, PRESET, StudySettings
from rankscope.stats.inputs import seed_of

__all__ = [
    "dunaiski",
]


class Parser(argparse.ArgumentParser):
    """A parser that reports errors as the other commands do."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized"):
            message += " (-f names the table, -o the output)"
        raise click.UsageError(message, click.get_current_context(silent=True))


def positive_integer(text: str) -> int:
    """A whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}, expected a whole number of at least 1")
    return number


def make_parser() -> Parser:
    """The tool's own command line."""
    parser = Parser(
        prog="rankscope dunaiski",
        description="Study how stable and sensitive measures are on a table of ranks of known entities, with the "
        "command line and the output of Dunaiski's Ranking Evaluation Tool. Messages are printed on standard error.",
        epilog="Example: rankscope dunaiski -f demo-ranks.tsv -i 5 -s 7. More conditions, tables "
        "and figures: rankscope stability --input entity-ranks.",
    )
    add = parser.add_argument
    add("-f", "--file", nargs="?", default="-", const="-", help="table of ranks (standard input)")
    add("-o", "--out", nargs="?", default="-", const="-", help="file to write, atomically (standard output)")
    add("-s", "--seed", type=int, help="random seed (random, and printed)")
    add("-t", "--threads", type=positive_integer, default=1, help="processes; the output is the same (%(default)s)")
    add("-i", "--iter", type=positive_integer, default=50, help="random draws to average over (%(default)s)")
    add("-b", "--boot", type=positive_integer, default=1000, help="bootstrap samples of each (%(default)s)")
    add("-e", "--err", action="store_true", help="also error, tie, t and used rates")
    add("-w", "--swap", action="store_true", help="significance by the swap method instead of the bootstrap")
    add(
        "-n",
        "--totalranks",
        type=positive_integer,
        help="number of all ranked items, for the measures in permille",
    )
    add("-p", "--printing", choices=PRINTING, default="all", help="what to print (%(default)s)")
    add("-v", "--verbose", action="store_true", help="print which measures the names stand for")
    add(
        "-m",
        "--measures",
        nargs="+",
        metavar="M",
        help="measures in the place of the tool's nine: their names, functions of the tool (AP_at_n), rankscope's "
        "names (nDCG@10; nDCG@k for each of --cutoffs), NAME=M for another name in the output; or one Python file, "
        "which is run, with a dictionary MEASURES of names and measures",
    )
    add("--cutoffs", nargs="*", type=positive_integer, metavar="N", help="cutoffs of measures that are named with @k")
    add("--splits", nargs="*", type=int, default=[10], metavar="N", help="groups, which act as queries (10)")
    add("--systems", nargs="*", type=int, metavar="N", help="number of systems to draw (all)")
    add("--entities", nargs="*", type=int, metavar="N", help="number of entities to draw (all)")
    add(
        "--sigs",
        nargs="*",
        type=float,
        default=list(DUNAISKI_LEVELS),
        metavar="A",
        help="significance levels (%(default)s)",
    )
    return parser


@click.command(add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def dunaiski(arguments: Sequence[str]) -> None:
    """Dunaiski's Ranking Evaluation Tool: command line and output."""
    parser = make_parser()
    if not arguments:
        click.echo(parser.format_help(), nl=False)
        return
    options = parser.parse_args(list(arguments))
    start_time = time.monotonic()
    check_output(options.out, [options.file])
    if options.file == "-" and sys.stdin is not None and sys.stdin.isatty():
        report_progress("reading the table of ranks from standard input; -f names a file")
    measures = measures_of(options)
    table = dunaiski_table(options.file, options.totalranks)
    try:
        settings = StudySettings(
            splits=as_tuple(options.splits),
            systems=as_tuple(options.systems),
            entities=as_tuple(options.entities),
            alpha=as_tuple(options.sigs),
            fuzz=as_tuple(options.sigs),
            iterations=options.iter,
            n_resamples=options.boot,
            seed=seed_of(None if options.seed is None else abs(options.seed)),  # as Python's random.seed takes it
            error_tie=options.err,
            swap=options.swap,
            preset=PRESET,
        )
    except SettingError as error:  # the tool has one option for the levels and the fuzziness
        if error.argument not in ("alpha", "fuzz"):
            raise
        raise SettingError(error.argument, "--sigs", error.fault) from None
    _, notes = experiment_conditions(table, settings)
    report_overview(options, table, measures, settings.root_seed)
    for note in (*table.notes, *notes):
        report_progress(f"note: {note}")
    with progress_bar(1.0, "trying measures") as progress:
        study = run_experiment(table, measures, settings, workers=min(options.threads, all_cores()), progress=progress)
    write_output(show_study(study, measures, options.printing), options.out)
    report_progress(f"DONE! Total time: {(time.monotonic() - start_time) / 60}")


def measures_of(options: argparse.Namespace) -> tuple[NamedMeasure, ...]:
    """The measures that the command line names: the tool's nine, others, or those of a Python file."""
    if options.measures is None:
        return name_measures()
    is_file = len(options.measures) == 1 and options.measures[0].endswith(".py")
    measures = read_measure_file(options.measures[0]) if is_file else parse_texts(options.measures)
    return name_measures(measures, options.cutoffs)


def report_progress(*lines: str) -> None:
    """Print on standard error, so that standard output has only the results."""
    click.echo("\n".join(lines), err=True)


def report_overview(
    options: argparse.Namespace, table: EntityRanks, measures: Sequence[NamedMeasure], seed: int
) -> None:
    """Print what will be computed, in the tool's words, and what is skipped."""
    smallest_query = min(options.entities or [len(table)]) / max(options.splits or [1])
    report_progress(
        "Computation overview:",
        f"Seed:\t{seed}",
        f"Nr. of threads:\t{options.threads}",
        f"Nr. of iterations:\t{options.iter}",
        f"Bootstrap size:\t{options.boot}",
        f"Significance method used:\t{'Swap Method (bootstrapped)' if options.swap else 'Est. Diff. Method'}",
        f"Compute actual decision rate:\t{options.printing in ('all', 'actual')}",
        f"Print option: {options.printing}",
        f"List of cut-off levels:\t{options.cutoffs}",
        f"List of splits:\t{options.splits}",
        f"List of system counts:\t{options.systems or [len(table.systems)]}",
        f"List of entity counts:\t{options.entities or 'using all'}",
        f"List of significance values:\t{options.sigs}",
        f"Verbose:\t{options.verbose}",
        f"File input:\t{source_name(options.file)}",
        f"File output:\t{'<stdout>' if options.out == '-' else options.out}",
        f"Minimum query size: {smallest_query:.2f}",
    )
    skipped = [each.label for each in measures if options.totalranks is None and needs_total_ranks(each.measure)]
    if skipped:
        verb = "needs" if len(skipped) == 1 else "need"
        report_progress(
            f"note: {join_names(skipped)} {verb} the number of all ranked items (-n) and "
            f"{'is' if len(skipped) == 1 else 'are'} skipped"
        )
    if options.cutoffs and options.measures is None:
        report_progress("note: none of the nine measures takes --cutoffs; name others, as --measures P@k nDCG@k")
    if options.verbose:
        for each in measures:
            direction = "higher" if each.sign > 0 else "lower"
            report_progress(f"{each.label}: {each.measure}, {direction} counts as better")
