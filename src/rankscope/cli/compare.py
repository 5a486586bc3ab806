"""`rankscope compare`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from rankscope.cli.options import check_output, evaluation_options, output_options, scores_of
from rankscope.cli.output import progress_bar, show
from rankscope.comparison.compare import FAMILIES, check_settings
from rankscope.comparison.compare import compare as compare_scores
from rankscope.comparison.methods import INTERVALS, TESTS, Settings
from rankscope.comparison.standardise import standardise as standardise_scores
from rankscope.data.scores import Scores
from rankscope.reporting.results import RESULT_FORMATS, render_result
from rankscope.stats.corrections import CORRECTIONS
from rankscope.stats.inputs import ALTERNATIVES

__all__ = ["compare"]

Command = TypeVar("Command", bound=Callable[..., Any])

#: The arguments of `rs.compare` that are options here.
ASKED = (
    "baseline",
    "test",
    "correction",
    "family",
    "alternative",
    "level",
    "interval",
    "rope",
    "n_resamples",
    "rng",
)

COMPARISON = (
    click.option("--baseline", metavar="NAME", help="Compare the others with this system; default: all pairs."),
    click.option(
        "--test",
        type=click.Choice(list(TESTS)),
        default="t",
        show_default=True,
        help="Of two systems each, of all at once (tukey, randomised-tukey, nemenyi), or Bayesian.",
    ),
    click.option(
        "--correction",
        type=click.Choice(list(CORRECTIONS)),
        default="holm",
        show_default=True,
        help="Of p-values for their number.",
    ),
    click.option(
        "--family",
        type=click.Choice(list(FAMILIES)),
        default="pairs",
        show_default=True,
        help="What is corrected together: the pairs of each measure, or those of all measures.",
    ),
    click.option(
        "--alternative",
        type=click.Choice(list(ALTERNATIVES)),
        default="two-sided",
        show_default=True,
        help="What is looked for: that A's values are greater than B's, less, or either.",
    ),
    click.option(
        "--level",
        type=float,
        default=0.05,
        show_default=True,
        help="Of significance; intervals hold in 1 - level of cases.",
    ),
    click.option(
        "--interval",
        type=click.Choice(list(INTERVALS)),
        default="t",
        show_default=True,
        help="Of the mean difference: Student's, or from a bootstrap.",
    ),
    click.option(
        "--rope", type=float, default=0.0, show_default=True, metavar="X", help="A difference of at most X is none."
    ),
    click.option(
        "--resamples",
        "n_resamples",
        type=int,
        default=10_000,
        show_default=True,
        metavar="N",
        help="How many, where drawn.",
    ),
    click.option("--seed", "rng", type=int, default=0, show_default=True, metavar="N", help="Of resampling."),
)


def comparison_options(command: Command) -> Command:
    """How systems are compared: the arguments of `rs.compare`."""
    for option in reversed(COMPARISON):
        command = option(command)
    return command


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@evaluation_options
@comparison_options
@click.option("--standardise", type=click.Choice(["z", "cdf"]), help="So that hard and easy queries weigh alike.")
@click.option("--details", is_flag=True, help="Show bootstrap intervals and effect sizes of each pair, too.")
@output_options(RESULT_FORMATS)
def compare(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    standardise: str | None,
    details: bool,
    format_: str,
    output: str | None,
    **options: Any,
) -> None:
    """Say which of the RUNs is better, and how sure that is.

    Every two systems are compared on the same queries, by a paired t-test with Holm's correction unless you ask for
    another; or all with one, the --baseline.

    \b
    rankscope compare robust.qrels bm25.run dense.run -m nDCG@10
    rankscope compare robust.qrels *.run -m AP --baseline bm25 --test permutation --seed 7
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    asked = {name: options.pop(name) for name in ASKED}
    check_settings(
        Settings(**{name: asked[name] for name in ASKED if name not in ("baseline", "rng")}), asked["baseline"]
    )
    check_output(output, (qrels, *runs))
    scores = scores_of(qrels, runs, measures, **options)
    if standardise is not None:
        scores = standardise_scores(scores, method=standardise)
    asked["baseline"] = system_of(asked["baseline"], runs, scores)
    pairs = len(scores.measures) * len(scores.systems) * (len(scores.systems) - 1) // 2
    with progress_bar(pairs if asked["baseline"] is None else None, "comparing pairs") as progress:
        result = compare_scores(scores, progress=progress, **asked)
    show(render_result(result, format_, details=details), output)


def system_of(baseline: str | None, runs: Sequence[str], scores: Scores) -> str | None:
    """The system that is meant: by its name, or by the file of its run as it was given."""
    if baseline in scores.systems or baseline not in runs:
        return baseline
    return scores.systems[runs.index(baseline)]
