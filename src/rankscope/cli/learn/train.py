"""`rankscope train`: learn to rank from documents with features and grades."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import columns_option, output_option
from rankscope.cli._output import bytes_progress, check_output, progress_bar
from rankscope.cli._results import pop_result_output, printing_options
from rankscope.cli._setting_options import option_of, setting_options, take_settings
from rankscope.cli.learn._ranker_options import (
    BLEND_OPTION,
    STACKED_OPTION,
    cache_option,
    check_torch_options,
    pop_blend,
    ranker_of,
)
from rankscope.errors import ParameterError
from rankscope.experiments.crossvalidation import CrossValidationSettings, parse_rankers, untrained_blend
from rankscope.io.letor import read_features
from rankscope.learning.blend import Blend, BlendSettings
from rankscope.learning.features import match_file
from rankscope.learning.lambdamart import LAMBDAMART
from rankscope.learning.losses import LOSSES
from rankscope.learning.model_file import check_saving, save_ranker
from rankscope.learning.ranker import Ranker
from rankscope.learning.settings import RankerSettings, TorchSettings
from rankscope.learning.training import BlendTraining, Training
from rankscope.settings import needs

__all__ = [
    "train",
]


@click.command(cls=Command)
@click.argument("train_file", metavar="TRAIN")
@option_group(
    "Training",
    click.option(
        "--valid", metavar="FILE", help="Validation lists for early stopping and for choosing the best epoch."
    ),
    click.option(
        "--loss",
        "losses",
        multiple=True,
        default=("listnet",),
        metavar="LOSS",
        help=f"Loss to minimise, with parameters as in lambdaloss(kind='2'). Losses: {', '.join(LOSSES)}; "
        "lambdamart grows trees, as in lambdamart(objective='listnet', leaves=15); torch:LOSS trains in PyTorch; "
        "linear:LOSS is a linear scorer (--hidden 0). May be repeated with --blend. Default: listnet.",
    ),
    columns_option,
    cache_option,
)
@option_group(
    "Blend",
    BLEND_OPTION,
    depends_on(needs("valid", reason="weights are learned on validation lists"), STACKED_OPTION),
    depends_on(needs("blend", "stacked"), option_of(CrossValidationSettings.declared()["seeds"])),
)
@option_group("Ranker", setting_options(RankerSettings))
@option_group("PyTorch", setting_options(TorchSettings))
@option_group(
    "Output",
    output_option("Write the model to this file (safetensors).", metavar="MODEL", name="model", required=True),
    printing_options,
)
def train(
    train_file: str,
    valid: str | None,
    losses: tuple[str, ...],
    seeds: int,
    model: str,
    cache: bool,
    **options: Any,
) -> None:
    """Train a ranker on the lists (the documents of a query) in TRAIN. Formats: LETOR, SVMlight with qid, CSV, TSV,
    JSONL and Parquet.

    \b
    rankscope train demo-train.txt --valid demo-valid.txt --loss listmle -o listmle.model
    rankscope predict listmle.model demo-test.txt -o scores.txt
    rankscope evaluate demo-test.txt scores.txt --input letor
    rankscope train demo-train.txt --valid demo-valid.txt --loss lambdamart --loss ranknet --blend -o blend.model
    """
    result_output = pop_result_output(options)
    files = [train_file, *([valid] if valid is not None else [])]
    blend = pop_blend(options)
    ranker_settings, torch_settings = take_settings(RankerSettings, options), take_settings(TorchSettings, options)
    ranker, settings = untrained_model(losses, blend, seeds, ranker_settings, torch_settings)
    ranker.check()
    result_output.check(files)
    check_saving()
    if model == "-":
        raise ParameterError("a model cannot be printed; give a file with -o")
    check_output(model, files)
    if result_output.plot is not None and os.path.realpath(result_output.plot) == os.path.realpath(model):
        raise ParameterError(f"{model}: cannot hold both the model and the figure; name two files")
    with bytes_progress(files, "reading features") as progress:
        feature_tables = [read_features(path, cache=cache or None, progress=progress) for path in files]
    train_features = feature_tables[0]
    valid_features = None if valid is None else match_file(valid, feature_tables[1], train_features.names)
    is_train_file = valid is not None and os.path.exists(valid) and os.path.samefile(valid, train_file)
    if valid_features is not None and is_train_file:
        note = f"{valid} is both TRAIN and --valid: lists that were trained on cannot tell when to stop"
        valid_features = replace(valid_features, notes=(note,), where=None)  # the notes of TRAIN have the others
    try:
        with progress_bar(ranker.steps, "training") as progress:
            ranker.fit(train_features, eval_set=valid_features, progress=progress)
    except MemoryError as error:
        only_trees = all(loss.strip().lower().startswith(LAMBDAMART) for loss in losses)
        remedy = "fewer leaves" if only_trees else "a smaller --hidden or --batch-lists"
        raise ParameterError(
            f"not enough memory to train on {len(train_features)} documents ({error or 'none is left'}); try {remedy}"
        ) from None
    result: Training | BlendTraining
    if isinstance(ranker, Blend):
        result = BlendTraining(blend=ranker, train=train_features, valid=valid_features, settings=settings)
    else:
        result = Training(ranker=ranker, train=train_features, valid=valid_features)
    save_ranker(ranker, model, signature=result.signature())
    result_output.show(result)


def untrained_model(
    losses: Sequence[str],
    blend: str | None,
    seeds: int,
    settings: RankerSettings,
    torch_settings: TorchSettings,
) -> tuple[Ranker | Blend, dict[str, str]]:
    """The model to train, and the settings of a blend. Raises ParameterError for several losses without `blend`."""
    if blend is None:
        if len(losses) > 1:
            raise ParameterError(
                f"{len(losses)} losses for one model, expected one; add --blend, or train each separately"
            )
        return ranker_of(losses[0], settings, torch_settings), {}
    check_torch_options(losses)
    models = parse_rankers(losses, settings, torch_settings)
    blend_model = untrained_blend(models, BlendSettings(how=blend), seeds, settings.seed)
    return blend_model, {
        **models.settings(),
        "how": f"{blend_model.how},{blend_model.normalise}",
        "seeds": str(seeds),
        "rng": str(settings.seed),
    }
