"""`rankscope crossvalidate`: train and test rankers on folds; search and ablation."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import columns_option, dask_option, details_option, measure_option, workers_option
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import ResultOutput, pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.cli.learn._ranker_options import (
    BLEND_OPTION,
    STACKED_OPTION,
    cache_option,
    check_torch_options,
    pop_blend,
)
from rankscope.data.result import Result
from rankscope.errors import ParameterError
from rankscope.evaluation.joining import run_size
from rankscope.experiments.ablation import ablate_experiment, prepare_ablation
from rankscope.experiments.crossvalidation import (
    DEFAULT_MEASURES,
    AnalysisSettings,
    CrossValidationSettings,
    cross_validate_experiment,
    parse_rankers,
    prepare_experiment,
    source_files,
)
from rankscope.experiments.random_search import SearchSettings, search_experiment
from rankscope.io.core import refuse_overwriting
from rankscope.learning.settings import RankerSettings, TorchSettings
from rankscope.parallel import workers_for
from rankscope.settings import excludes, needs

__all__ = [
    "crossvalidate",
]


#: Bytes of input from which on several processes are faster than one: each takes a second to start.
WORTH_WORKERS = 1 << 20


@click.command(cls=Command)
@click.argument("source", metavar="DIR")
@click.option(
    "--loss",
    "losses",
    multiple=True,
    metavar="LOSS",
    help="Loss of a ranker: listnet, ranknet, ..., lambdamart (trees); linear:LOSS is a linear scorer, torch:LOSS "
    "trains in PyTorch. May be repeated, one for each ranker. See `rankscope train --help`. Default: listnet.",
)
@measure_option(DEFAULT_MEASURES)
@option_group("Cross-validation", setting_options(CrossValidationSettings))
@option_group("Analysis", setting_options(AnalysisSettings))
@option_group("Blend", BLEND_OPTION, STACKED_OPTION)
@setting_options(
    SearchSettings, optional=True, hint="The best on the validation lists is then tested. Default: no search."
)
@depends_on(
    needs("trials"),
    click.option(
        "--log",
        metavar="FILE",
        help="File that keeps every trial of a search; a search with the same file continues from it.",
    ),
)
@depends_on(
    excludes(
        *("trials", "blend", "stacked", "baseline", "importance"),
        reason="an ablation compares a ranker with itself",
    ),
    click.option(
        "--ablate",
        "groups",
        multiple=True,
        metavar="GROUP",
        help="Train the ranker again without these features, and test what it loses. GROUP is NAME=FEATURES, "
        "by number or column: text=1-5,7 or titles=title*,url. May be repeated.",
    ),
)
@columns_option
@cache_option
@workers_option(default="all cores if the work is long enough")
@option_group("Large data", dask_option)
@details_option()
@option_group("Ranker", setting_options(RankerSettings, without=("seed",)))
@option_group("PyTorch", setting_options(TorchSettings))
@option_group("Output", result_options)
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
    """Train and test rankers on the folds in DIR, and compare them.

    DIR holds Fold1, Fold2, ..., each with train.txt, vali.txt and test.txt; or S1.txt, S2.txt, ..., which take turns as
    training, validation and test lists. If DIR is a single file, its queries are split into folds at random.

    \b
    rankscope crossvalidate demo-features.csv --loss linear:listnet --loss linear:ranknet -m nDCG@10 -m AP
    rankscope crossvalidate demo-features.csv --loss linear:ranknet --loss linear:listnet --blend --search 3 --log tried
    rankscope crossvalidate demo-features.csv --loss linear:listnet --importance --format html -o page.html
    """
    result_output = pop_result_output(options)
    settings = take_settings(CrossValidationSettings, options)
    ranker_settings = take_settings(RankerSettings, options, seed=settings.seed)
    torch_settings = take_settings(TorchSettings, options)
    analysis = take_settings(AnalysisSettings, options, blend=pop_blend(options))
    losses = losses or ("listnet",)
    check_torch_options(losses)
    files = source_files(source)
    result_output.check(files)
    check_log(log, files, result_output)
    models = parse_rankers(losses, ranker_settings, torch_settings)
    run: Callable[..., Result]
    if groups:
        experiment = prepare_ablation(models, measures or None, settings)
        run = partial(ablate_experiment, source, groups, experiment)
    else:
        experiment = prepare_experiment(models, measures or None, settings, analysis)
        run = partial(cross_validate_experiment, source, experiment)
        if trials is not None:
            run = partial(search_experiment, source, experiment, SearchSettings(trials=trials), log=log)
    description = "searching" if trials is not None else "training"
    with bytes_progress(files, "reading features") as reading, progress_bar(1.0, description) as progress:
        result = run(
            workers=workers_for(workers, sum(map(run_size, files)) >= WORTH_WORKERS, guarded=True),
            reading=reading,
            progress=progress,
            **options,
        )
    result_output.show(result, details=details)


def check_log(log: str | None, files: Sequence[str], result_output: ResultOutput) -> None:
    """Raise for a log that is an input or an output."""
    if log is not None:
        refuse_overwriting(log, files)
        for path in (result_output.output, result_output.plot):
            if path not in (None, "-") and os.path.realpath(str(path)) == os.path.realpath(log):
                raise ParameterError(f"{log}: cannot hold both the log and the output; name two files")
