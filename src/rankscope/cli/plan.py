"""`rankscope plan`: how many queries a comparison needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from rankscope.cli._options import evaluate_files, evaluation_options, refuse_workers
from rankscope.cli._output import bytes_progress
from rankscope.cli._results import pop_result_output, result_options
from rankscope.comparison.common_queries import resolve_system
from rankscope.comparison.plan import check_plan
from rankscope.comparison.plan import plan as plan_queries
from rankscope.comparison.standardisation import standardise as standardise_by_query
from rankscope.errors import ParameterError
from rankscope.evaluation.joining import ENTITY
from rankscope.stats.inputs import ALTERNATIVES, LARGEST
from rankscope.stats.standardisation import STANDARDISATIONS

__all__ = [
    "plan",
]


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@evaluation_options
@click.option("--baseline", metavar="NAME", help="Plan for a comparison with this system.")
@click.option(
    "--difference",
    type=click.FloatRange(min=0, min_open=True),
    metavar="D",
    help="How large a difference is to be found. Default: the one observed between the two best systems.",
)
@click.option(
    "--width",
    type=click.FloatRange(min=0, min_open=True),
    metavar="W",
    help="Width of an interval of the difference. Default: twice the difference; --machine asks for it.",
)
@click.option(
    "--power",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    metavar="P",
    help="In which share of experiments it is to be found.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    metavar="A",
    help="The p-value at which it counts as found; with --machine, intervals of the level 1 - A.",
)
@click.option(
    "--alternative",
    type=click.Choice(list(ALTERNATIVES)),
    default="two-sided",
    show_default=True,
    help="Which side the test looks at; the difference is taken to be there.",
)
@click.option(
    "--queries",
    type=click.IntRange(2, LARGEST),
    metavar="N",
    help="Queries at hand, where they are to be others than those of QRELS.",
)
@click.option(
    "--tests",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many t-tests share the level, as where N pairs are compared.",
)
@click.option(
    "--standardise",
    type=click.Choice(list(STANDARDISATIONS)),
    help="Scores by query in standard deviations (z), or these mapped to 0..1 by the normal distribution (cdf).",
)
@click.option(
    "--machine",
    metavar="QRELS",
    help="Judgments of a machine for all queries: how many of them people must judge for intervals of --width.",
)
@click.option("--map", "map_", metavar="A=B,...", help="With --machine: its grades on people's scale, as 0=0,1=0,2=1.")
@result_options
def plan(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    difference: float | None,
    width: float | None,
    power: float,
    level: float,
    alternative: str,
    queries: int | None,
    tests: int,
    standardise: str | None,
    machine: str | None,
    map_: str | None,
    **options: Any,
) -> None:
    """How many queries a comparison of systems like these RUNs needs.

    How much scores vary from query to query is taken from the runs; from this follows how many queries it takes to find
    a difference with a t-test or an analysis of variance, and what the queries at hand can show.

    \b
    rankscope plan demo.qrels bm25.run bm25-rm3.run -m AP --difference 0.02
    rankscope plan demo.qrels *.run -m nDCG@10 --baseline bm25 --difference 0.05 --power 0.9
    rankscope plan demo-few.qrels *.run --machine demo-judge.qrels -m nDCG@10 --width 0.1
    """
    arguments: dict[str, Any] = {"difference": difference, "width": width, "power": power, "level": level}
    arguments |= {"alternative": alternative, "n_queries": queries, "tests": tests}
    result_output = pop_result_output(options)
    check_plan(**arguments)
    if machine is not None:
        if not runs:
            raise click.UsageError("Missing argument 'RUN...'.")
        result_output.check((qrels, machine, *runs))
        required_width = check_width(width, standardise, arguments)
        refuse_workers(options)
        from rankscope.judging.estimation import plan_judgments

        with bytes_progress(runs, "reading runs") as progress:
            judgment_plan = plan_judgments(
                qrels,
                list(runs),
                machine,
                list(measures) or None,
                width=required_width,
                baseline=baseline,
                map=map_,
                confidence_level=1 - level,
                progress=progress,
                **options,
            )
        result_output.show(judgment_plan)
        return
    if map_ is not None:
        raise ParameterError("--map is for --machine, the judgments of a machine; leave it out")
    result_output.check((qrels, *runs))
    if len(runs) == 1 and options["input"] != ENTITY:
        raise ParameterError(
            f"one run has nothing to be compared with: {runs[0]}, where {qrels} holds the judgments; name at least 2"
        )
    scores = evaluate_files(qrels, runs, measures, **options)
    if standardise is not None:
        scores = standardise_by_query(scores, method=standardise)
    result = plan_queries(scores, baseline=resolve_system(baseline, runs, scores), **arguments)
    result_output.show(result)


def check_width(width: float | None, standardise: str | None, arguments: Mapping[str, Any]) -> float:
    """The width. Raises ParameterError if it is missing, and for options that plan a test."""
    if width is None:
        raise ParameterError("--machine plans intervals; say with --width how wide they may be, as --width 0.05")
    defaults = {"difference": None, "power": 0.8, "alternative": "two-sided", "n_queries": None, "tests": 1}
    for name, default in defaults.items():
        if arguments[name] != default:
            option = "queries" if name == "n_queries" else name
            raise ParameterError(f"--{option} plans a test, and --machine intervals; leave one of them out")
    if standardise is not None:
        raise ParameterError("--standardise beside --machine, which plans in units of the measure; leave it out")
    return width
