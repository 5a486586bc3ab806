"""What `rankscope fuse` does with --train and --parameters."""

from __future__ import annotations

import os
from typing import Any

from rankscope.cli.options import check_output
from rankscope.cli.output import progress_bar
from rankscope.data.run import Run
from rankscope.errors import ParameterError
from rankscope.fusion.saved import load_fusion
from rankscope.fusion.tuned import TrainedFusion

__all__ = ["fuse_trained", "fuse_with_parameters"]


def fuse_trained(runs: tuple[str, ...], output: str | None, options: dict[str, Any]) -> tuple[Run, TrainedFusion]:
    """The runs fused with what other queries taught, and how that came."""
    from rankscope.fusion.tuning import train

    saved = options["save_parameters"]
    if saved == "-":
        raise ParameterError("parameters are for use later; say with --save-parameters which file they go to")
    check_output(saved, (*runs, options["train_on"]))
    if saved is not None and output not in (None, "-") and os.path.realpath(saved) == os.path.realpath(output):
        raise ParameterError(f"{saved}: is to hold the fused run and the parameters both; name two files")
    settings = {name: options[name] for name in ("k", "p", "gamma", "sigma") if options[name] is not None}
    if options["weights"]:
        settings["weights"] = list(options["weights"])
    asked = {"measure": "tune_on", "rng": "seed", **{name: name for name in ("refine", "folds", "rel", "workers")}}
    with progress_bar(1.0, "tuning") as progress:
        found = train(
            options["train_on"],
            list(runs),
            list(options["methods"]) or "rrf",
            normalise=list(options["normalise"]) or None,
            settings=settings,
            input=options["input_"],
            progress=progress,
            **{name: options[option] for name, option in asked.items() if options[option] is not None},
        )
    fused = found.cross_fitted
    assert fused is not None  # as train gives it
    assert fused._rows is not None
    # Its notes are told with the table of tuning.
    return Run.from_rows(fused._rows, name=options["name"] or fused.name), found


def fuse_with_parameters(runs: tuple[str, ...], options: dict[str, Any]) -> Run:
    """The runs fused with what was learned before."""
    learned = load_fusion(options["parameters"])
    for method in options["methods"]:
        if method != learned.method:
            raise ParameterError(
                f"{options['parameters']}: holds parameters of {learned.method}, and --method is {method}; leave "
                "--method out, or name the file of that method"
            )
    return learned.fuse(list(runs), input=options["input_"], name=options["name"])
