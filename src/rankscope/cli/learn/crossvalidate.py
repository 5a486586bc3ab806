"""`rankscope crossvalidate`: train and test rankers on folds; search and ablation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from rankscope.cli._options import cluster_option, measure_option
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import ResultOutput, pop_result_output, result_options
from rankscope.cli.learn._ranker_options import (
    blend_options,
    check_torch_options,
    pop_blend,
    ranker_options,
    ranker_parameters,
)
from rankscope.comparison.compare import TESTS
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import NO_RELEVANT
from rankscope.evaluation.joining import run_size
from rankscope.experiments.ablation import ablate
from rankscope.experiments.crossvalidation import DEFAULT_MEASURES, cross_validate, source_files
from rankscope.experiments.random_search import search
from rankscope.io.core import refuse_overwriting
from rankscope.parallel import workers_for

__all__ = [
    "crossvalidate",
]


#: Bytes of input from which on several processes are faster than one: each takes a second to start.
WORTH_WORKERS = 1 << 20


@click.command()
@click.argument("source", metavar="DIR")
@click.option(
    "--loss",
    "losses",
    multiple=True,
    metavar="LOSS",
    help="A ranker for each: listnet, ranknet, ..., lambdamart (trees); linear:LOSS is a linear one, torch:LOSS is "
    "trained by PyTorch. See `rankscope train --help`. Default: listnet.",
)
@measure_option(DEFAULT_MEASURES)
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, metavar="N", help="Train so often.")
@click.option("--folds", type=click.IntRange(min=3), metavar="N", help="Of one file: cut its queries so. Default: 5.")
@click.option("--baseline", metavar="LOSS", help="Compare the others with this one, not all with each other.")
@click.option("--test", type=click.Choice(list(TESTS)), default="t", show_default=True, help="Between two rankers.")
@blend_options
@click.option(
    "--search",
    "trials",
    type=click.IntRange(min=1),
    metavar="N",
    help="Try N settings of each ranker on the validation lists first, and test the best.",
)
@click.option("--log", metavar="FILE", help="Of --search: keeps each trial, and goes on where another one ended.")
@click.option(
    "--ablate",
    "groups",
    multiple=True,
    metavar="GROUP",
    help="Say what one ranker loses without these features: NAME=1-5,7 or titles=title*,url. May be repeated.",
)
@click.option("--importance", is_flag=True, help="Say what each feature is worth, too.")
@click.option(
    "--rel", type=int, default=1, show_default=True, metavar="N", help="Least relevance that counts as relevant."
)
@click.option(
    "--no-relevant",
    type=click.Choice(list(NO_RELEVANT)),
    help="A query without relevant documents: what the measure says (zero, the default), left out, or 1.",
)
@click.option("--cache", is_flag=True, help="Keep a binary copy beside each file, and read it the next time.")
@click.option(
    "--workers",
    type=int,
    metavar="N",
    help="Processes. Default: all cores, where the work is long enough to pay. The result is the same.",
)
@cluster_option
@click.option("--details", is_flag=True, help="Show what a page folds away, too.")
@ranker_options
@result_options
def crossvalidate(
    source: str,
    losses: tuple[str, ...],
    measures: tuple[str, ...],
    workers: int | None,
    details: bool,
    trials: int | None,
    log: str | None,
    groups: tuple[str, ...],
    **options: Any,
) -> None:
    """Train and test rankers on the folds in DIR, and say which is best.

    DIR holds Fold1, Fold2, ..., each with train.txt, vali.txt and test.txt; or S1.txt, S2.txt, ..., which are trained
    on, validated on and tested on in turn. A file in the place of DIR is cut into folds at random, query by query.

    \b
    rankscope crossvalidate demo-features.csv --loss linear:listnet --loss linear:ranknet -m nDCG@10 -m AP
    rankscope crossvalidate demo-features.csv --loss linear:ranknet --loss linear:listnet --blend --search 3 --log tried
    rankscope crossvalidate demo-features.csv --loss linear:listnet --importance --format html -o page.html
    """
    result_output = pop_result_output(options)
    parameters = ranker_parameters(options)
    check_torch_options(losses or ("listnet",), parameters)
    rng = parameters.pop("rng")
    files = source_files(source)
    result_output.check(files)
    options["blend"] = pop_blend(options)
    experiment: Any = cross_validate
    if groups:
        check_ablation(options, trials, log)
        experiment, options["groups"] = ablate, groups
    elif trials is not None:
        experiment, options["trials"], options["log"] = search, trials, check_log(log, files, result_output)
    elif log is not None:
        raise ParameterError(f"--log {log} keeps the trials of a search; say with --search how many, or leave it out")
    description = "searching" if trials is not None else "training"
    with bytes_progress(files, "reading features") as reading, progress_bar(1.0, description) as progress:
        result = experiment(
            source,
            **{"loss" if groups else "losses": losses or "listnet"},
            measures=measures or None,
            workers=workers_for(workers, sum(map(run_size, files)) >= WORTH_WORKERS, guarded=True),
            rng=rng,
            reading=reading,
            progress=progress,
            **options,
            **parameters,
        )
    result_output.show(result, details=details)


def check_log(log: str | None, files: Sequence[str], result_output: ResultOutput) -> str | None:
    """Raise for a log that is an input or an output."""
    if log is not None:
        refuse_overwriting(log, files)
        for path in (result_output.output, result_output.plot):
            if path not in (None, "-") and os.path.realpath(str(path)) == os.path.realpath(log):
                raise ParameterError(f"{log}: is to hold the log and the output both; name two files")
    return log


def check_ablation(options: dict[str, Any], trials: int | None, log: str | None) -> None:
    """Take out the options that `ablate` does not have. Raises ParameterError if one of them is set."""
    unsupported_options = {
        "--search": trials is not None,
        "--log": log is not None,
        "--blend": bool(options.pop("blend")),
        "--baseline": options.pop("baseline") is not None,
        "--importance": options.pop("importance"),
    }
    for name, is_set in unsupported_options.items():
        if is_set:
            raise ParameterError(f"--ablate compares a ranker with itself, and {name} has no place there; leave it out")
