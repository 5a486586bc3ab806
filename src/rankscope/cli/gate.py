"""`rankscope gate`: is the new system no worse than the baseline, within a margin? For continuous integration."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    evaluate_files,
    evaluation_options,
    file_option,
    holds_scores,
    missing_runs_error,
    query_options,
    reading_workers,
    score_file_options,
)
from rankscope.cli._output import bytes_progress, check_output
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.gate import (
    Gate,
    GateInput,
    GateSettings,
    default_looks_file,
    gate_of_input,
    input_of_runs,
    input_of_scores,
    measures_and_margins,
    systems_of_one_file,
)
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings
from rankscope.evaluation.joining import ENTITY
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.query_table import read_query_ids
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.io.core import write_text

__all__ = [
    "gate",
]


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS|SCORES")
@click.argument("runs", nargs=-1, metavar="BASELINE... NEW")
@option_group(
    "Measures and data",
    partial(evaluation_options, measure_hint="A margin of its own follows a colon: nDCG@10:0.01, R@100:2%."),
    score_file_options,
)
@option_group("Queries that belong together", query_options)
@option_group(
    "Gate",
    setting_options(
        GateSettings,
        only=("margin",),
        optional=True,
        hint="Needed unless each -m has a margin. Exit code 0: a loss as large as the margin or larger is ruled out; "
        "3: otherwise, NEW is significantly worse; 4: undecided.",
    ),
    setting_options(GateSettings, only=("by_group", "alpha", "test", "value_range", "n_resamples", "seed", "power")),
    click.option(
        "--baseline",
        "baselines",
        metavar="NAME",
        multiple=True,
        help="Baseline among the systems of a file; may be repeated: NEW then has to pass against each.",
    ),
    click.option("--new", "system", metavar="NAME", help="New system among the systems of a file. Default: the other."),
    file_option("--seen", "File of the queries that NEW saw in training, an id a line; they are left out and counted."),
)
@option_group(
    "Looks",
    setting_options(GateSettings, only=("up_to", "looks", "spending")),
    file_option(
        "--looks-file",
        "File that keeps the looks. Default: beside the (first) baseline, as baseline.looks.json; with --test betting "
        "no file.",
        name="looks_file",
    ),
)
@option_group(
    "Output",
    click.option("--summary", metavar="FILE", help="Also write a short Markdown page, as for $GITHUB_STEP_SUMMARY."),
    click.option("--junit", metavar="FILE", help="Also write the verdicts as tests in JUnit's XML."),
)
@option_group("Output", result_options)
def gate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baselines: tuple[str, ...],
    system: str | None,
    seen: str | None,
    looks_file: str | None,
    summary: str | None,
    junit: str | None,
    **options: Any,
) -> None:
    """Test whether NEW is no worse than BASELINE by more than a margin (non-inferiority).

    BASELINE is a run, or scores that `rankscope evaluate --save` wrote. A file of scores with all systems, or one for
    each, may stand in the place of judgments and runs. With several baselines, NEW has to pass against each.

    \b
    rankscope gate demo.qrels hybrid.run rerank.run -m nDCG@10 --margin 0.02
    rankscope gate demo.qrels bm25.run dense.run hybrid.run -m nDCG@10:0.02 -m R@100:5%
    rankscope gate demo-qa.csv --baseline base --new tuned --margin 0.02
    rankscope gate demo.qrels hybrid.run rerank.run -m AP --margin 0.02 --summary gate.md --junit gate.xml
    """
    result_output = pop_result_output(options)
    names, margins = measures_and_margins(measures, options.pop("margin"))
    if margins is None:
        raise ParameterError(
            "no margin, expected the largest loss that is acceptable; add --margin, such as 0.01 or 2%"
        )
    settings = take_settings(GateSettings, options, margin=margins)
    inputs = [path for path in (qrels, *runs, seen) if path is not None]
    result_output.check(inputs)
    check_other_outputs({"--summary": summary, "--junit": junit}, result_output.output, inputs)
    if settings.plans_looks and looks_file is None:
        looks_file = default_looks_file(runs[0] if len(runs) > 1 else qrels)
    seen_queries = () if seen is None else read_query_ids(seen)
    given, system, baselines = load_input(qrels, runs, names, system, baselines, options)
    result = gate_of_input(
        given,
        settings,
        given.new.measure_names if names else None,
        system=system,
        baseline_systems=baselines,
        seen=seen_queries,
        looks_file=looks_file,
    )
    write_other_outputs(result, summary, junit)
    result_output.show(result)
    click.get_current_context().exit(result.exit_code)


def load_input(
    qrels: str,
    runs: tuple[str, ...],
    measures: list[str],
    system: str | None,
    baselines: tuple[str, ...],
    options: dict[str, Any],
) -> tuple[GateInput, str | None, tuple[str, ...]]:
    """What is compared, the name of the new system, and those of the baselines."""
    are_scores = holds_scores(qrels, runs, options)
    table_settings = take_settings(ScoreTableSettings, options)
    if are_scores:
        queries = take_settings(QuerySettings, options)
        return input_of_scores(
            [qrels, *runs], measures or None, table_settings, queries, system=system, baselines=baselines
        )
    if options["input"] == ENTITY:
        scores = evaluate_files(qrels, runs, measures, table_systems=table_settings.table_systems, **options)
        system, baselines = systems_of_one_file(scores, qrels, system, baselines)
        return GateInput(scores, (scores,)), system, baselines
    if not runs:
        raise missing_runs_error(qrels)
    conventions, reading = take_settings(ConventionSettings, options), take_settings(InputSettings, options)
    queries, workers = take_settings(QuerySettings, options), reading_workers(runs, options.pop("workers"))
    with bytes_progress(runs, "reading runs") as progress:
        given = input_of_runs(qrels, runs, measures, conventions, reading, queries, workers=workers, progress=progress)
    return given, system, baselines


def check_other_outputs(outputs: dict[str, str | None], output: str | None, inputs: list[str]) -> None:
    """Raise for files that cannot be written, or that are named twice, before anything is read."""
    names = [("-o", output)] if output not in (None, "-") else []
    for flag, path in outputs.items():
        if path is None:
            continue
        if path == "-":
            raise ParameterError(f"{flag} names a file, and - is the terminal; name a file")
        check_output(path, inputs)
        for other_flag, other in names:
            if other == path:
                raise ParameterError(f"{flag} and {other_flag} name one file, {path}; name two")
        names.append((flag, path))


def write_other_outputs(result: Gate, summary: str | None, junit: str | None) -> None:
    """Write the page and the tests that were requested."""
    if summary is not None:
        from rankscope.reporting.gate_summary import gate_summary

        write_text(summary, gate_summary(result))
    if junit is not None:
        from rankscope.reporting.junit import junit_xml

        write_text(junit, junit_xml(result))
