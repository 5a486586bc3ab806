"""`rankscope features importance`: what each feature is worth to a trained ranker."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import cache_option, columns_option, measure_option
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.experiments.model_importance import (
    DEFAULT_MEASURE,
    ImportanceSettings,
    importance_plan,
    importance_with_plan,
)
from rankscope.io.letor import read_features
from rankscope.learning.features import match_file
from rankscope.learning.model_file import load_ranker

__all__ = [
    "importance",
]


@click.command(cls=Command)
@click.argument("model")
@click.argument("test_file", metavar="TEST")
@option_group("Importance", measure_option((DEFAULT_MEASURE,)), setting_options(ImportanceSettings))
@columns_option
@cache_option
@option_group("Output", result_options)
def importance(model: str, test_file: str, measures: tuple[str, ...], cache: bool, **options: Any) -> None:
    """How much does the ranker MODEL lose when a feature of TEST is shuffled (permutation importance)?

    TEST holds lists with grades that the ranker has not seen. `rankscope crossvalidate --importance` trains rankers and
    shows how their importance varies.

    \b
    rankscope train demo-train.txt --valid demo-valid.txt --hidden 0 -o my.model
    rankscope features importance my.model demo-test.txt
    """
    result_output, settings = pop_result_output(options), take_settings(ImportanceSettings, options)
    if len(measures) > 1:
        raise ParameterError(
            f"-m names {len(measures)} measures, expected one; compute the importance by each separately"
        )
    plan = importance_plan(measures[0] if measures else DEFAULT_MEASURE, settings)
    result_output.check((model, test_file))
    ranker = load_ranker(model)
    with bytes_progress((test_file,), "reading features") as reading:
        features = read_features(test_file, cache=cache or None, progress=reading)
    features = match_file(test_file, features, ranker.feature_names_)
    with progress_bar(1.0, "shuffling") as progress:
        result = importance_with_plan(ranker, features, plan, settings, progress)
    result_output.show(result)
