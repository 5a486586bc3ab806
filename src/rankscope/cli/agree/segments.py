"""`rankscope agree segments`: agreement on the translations of each segment."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from rankscope.agreement.settings import CALIBRATED, SEGMENT_STATISTICS, validate_segment_settings
from rankscope.agreement.statistics import SEGMENT_GROUPINGS, parse_table
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli.agree._judgment_options import judgments_options, split_names
from rankscope.errors import ParameterError
from rankscope.io.core import check_single_stdin
from rankscope.stats.confusion import NORMALISE

__all__ = [
    "segments",
]


class Epsilon(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """A number, or `calibrated`."""

    name = "epsilon"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == CALIBRATED:
            return value
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r}, expected a number of at least 0, or {CALIBRATED}", param, ctx)


#: Options of the bootstrap.
BOOTSTRAP_OPTIONS = ("n_resamples", "confidence_level", "rng")
#: Options that `--decisions` does not use.
NOT_WITH_DECISIONS = ("statistic", "table", "grouping", "n_resamples", "confidence_level", "rng", "details")


def refuse_unused(decisions: bool) -> None:
    """Raise ParameterError for options on the command line that would change nothing."""
    context = click.get_current_context()
    flags = {
        str(option.name): option.opts[0]
        for option in context.command.params
        if context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
    }
    for name in NOT_WITH_DECISIONS if decisions else ():
        if name in flags:
            raise ParameterError(f"{flags[name]} changes nothing about --decisions; leave one of the two out")
    if "table" in flags and "statistic" in flags:
        raise ParameterError("--table and --statistic both say what is computed; leave one of the two out")


@click.command("segments")
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@click.option(
    "--statistic",
    metavar="NAME",
    default="wmt12",
    show_default=True,
    help=f"One of {', '.join(SEGMENT_STATISTICS)}.",
)
@click.option(
    "--table",
    metavar="3x3",
    help="Coefficients in the place of --statistic: people <, =, > by metric <, =, >, as 1,-1,-1;x,x,x;-1,-1,1.",
)
@click.option(
    "--grouping",
    type=click.Choice(list(SEGMENT_GROUPINGS)),
    default="none",
    show_default=True,
    help="All pairs at once, or the mean of the values of each segment or system.",
)
@click.option(
    "--epsilon",
    type=Epsilon(),
    metavar="E",
    help="Scores that differ by at most E are ties; calibrated: what suits each metric best. "
    "Default: calibrated for acc_eq, else 0.",
)
@click.option("--decisions", is_flag=True, help="Show what metrics decide where people say better, tie or worse.")
@click.option("--normalise", type=click.Choice(NORMALISE), help="Of --decisions: shares of rows, columns or of all.")
@click.option("--metrics", metavar="NAME,...", help="The metrics wanted, in this order. Default: all.")
@click.option(
    "--lower", metavar="NAME,...", help="Metrics, or people's scores, in which lower is better, as TER and HTER."
)
@click.option("--test-set", metavar="NAME", help="Which, where a seg.scr has several.")
@click.option("--details", is_flag=True, help="Show each value of a long table with its interval, too.")
@judgments_options
@result_options
def segments(
    judgments: str,
    scores: tuple[str, ...],
    statistic: str,
    table: str | None,
    grouping: str,
    epsilon: float | str | None,
    decisions: bool,
    normalise: str | None,
    details: bool,
    **options: Any,
) -> None:
    """Say how far metrics agree with people on the translations of each segment.

    JUDGMENTS: a ranking CSV of WMT, a table (segment, system, and columns of numbers), JCML, Appraise's XML,
    better/worse pairs, preferences between two (item, a, b, human, judge), or scores that people gave. SCORES: seg.scr,
    .seg.score or a folder of mt-metrics-eval; without any, the other columns of the judgments.

    \b
    rankscope agree segments demo-answers.csv --higher llm,reward --decisions
    rankscope agree segments wmt12.csv bleu.seg.scr chrf.seg.scr --pairs fr-en,de-en
    rankscope agree segments human.seg.score metrics/ --statistic acc_eq --grouping segment
    """
    from rankscope import agreement

    result_output = pop_result_output(options)
    refuse_unused(decisions)
    settings: dict[str, Any] = {"statistic": statistic if table is None else parse_table(table), "grouping": grouping}
    settings |= {"epsilon": epsilon, **{name: options.pop(name) for name in BOOTSTRAP_OPTIONS}}
    validate_segment_settings(**settings)
    if normalise is not None and not decisions:
        raise ParameterError("--normalise says how --decisions are shown; give that too, or leave it out")
    if decisions and isinstance(epsilon, str):
        raise ParameterError("--decisions count ties up to one epsilon; give --epsilon as a number")
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    options |= split_names(options, ("pairs", "metrics", "higher", "lower"))
    if decisions:
        options |= {"epsilon": epsilon or 0.0, "normalise": normalise}
        result_output.show(agreement.decisions(judgments, scores, **options))
    else:
        result_output.show(agreement.segments(judgments, scores, **options, **settings), details=details)
