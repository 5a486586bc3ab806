"""`rankscope mt-experiment`: metrics of translations trained on people's rankings, beside published results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import click

from rankscope.cli._options import cluster_option, format_option
from rankscope.cli._output import progress_bar
from rankscope.cli._results import FIGURE_OPTION, PAGE, PLOT_OPTION, page_of, pop_result_output
from rankscope.cli._sampling_options import resamples_option, seed_option
from rankscope.errors import ParameterError
from rankscope.io.core import compress, make_folder, write_folder
from rankscope.parallel import all_cores
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.translation.experiment import (
    FEATURE_SETS,
    LOSSES,
    PAIRS,
    PROTOCOLS,
    TranslationExperiment,
    lines_of_tests,
    score_lines,
    translation_experiment,
)

__all__ = [
    "mt_experiment",
    "write_result_files",
]


def split_names(text: str | None) -> list[str] | None:
    """Names with commas between them; None if the option is missing."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def parse_layers(text: str) -> tuple[int, ...]:
    """Sizes of hidden layers. Raises ParameterError."""
    sizes = split_names(text) or []
    if not all(size.isdecimal() and len(size) < 6 for size in sizes):
        raise ParameterError(f"--hidden is {text!r}, expected sizes of layers, as 16 or 32,16, or 0 for none")
    return tuple(size for size in map(int, sizes) if size)


@click.command("mt-experiment")
@click.option("--data", "folder", required=True, metavar="DIR", help="Holds wmt12/, wmt11/, wmt13/ and mt-train/.")
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="wmt11",
    show_default=True,
    help="What is trained on; WMT12 is tested on.",
)
@click.option("--pairs", metavar="P,...", help=f"Of {', '.join(PAIRS)}. Default: all there are.")
@click.option("--losses", metavar="L,...", help=f"Of {', '.join(LOSSES)}. Default: all.")
@click.option("--features", metavar="F,...", help=f"Sets: {', '.join(FEATURE_SETS)}. Default: all.")
@click.option("--hidden", default="0", show_default=True, metavar="N,...", help="Sizes of hidden layers; 0: linear.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, metavar="N", help="Train so often.")
@click.option("--test-references", is_flag=True, help="Language models learn from the references of the test set, too.")
@resamples_option(2000, "Of the segments, for intervals and tests.")
@seed_option("Of folds, training and resamples; each training has the next.")
@click.option("--cache", metavar="DIR", help="Keep features there. Default: FOLDER/cache, or nowhere without -o.")
@click.option("--workers", type=int, metavar="N", help="Processes. Default: all cores. The result is the same.")
@cluster_option
@click.option("--details", is_flag=True, help="Show what a page folds away, too.")
@click.option("-o", "--output", metavar="FOLDER", help="Write tables, tests, scores and a page there as well.")
@format_option([*RESULT_FORMATS, PAGE])
@FIGURE_OPTION
@PLOT_OPTION
def mt_experiment(
    folder: str,
    pairs: str | None,
    losses: str | None,
    features: str | None,
    hidden: str,
    output: str | None,
    cache: str | None,
    workers: int | None,
    details: bool,
    **options: Any,
) -> None:
    """Train metrics of translations on people's rankings, and set what is found beside what was published.

    DIR holds wmt12/ with wmt12.RNK_results.csv and plain/ (sources, references, system-outputs), wmt11/ and wmt13/
    alike, as the protocol needs them, and mt-train/SET/SET.LANGUAGE, parallel text. What is found of the features is
    kept, so that another protocol with the same FOLDER need not compute them again, nor this one after an interruption.

    \b
    rankscope mt-experiment --data demo-mt --protocol cv --features nine,+chrF --seeds 1 -o found
    rankscope mt-experiment --data demo-mt --protocol cv --losses ListNet,RankNet --features nine --pairs de-en
    """
    result_output = pop_result_output(options)
    result_output.check((folder,))
    selections: dict[str, Any] = {"losses": split_names(losses), "features": split_names(features)}
    layers = parse_layers(hidden)
    bars = progress_bar(1.0, "features of translations"), progress_bar(1.0, "training")
    with nullcontext() if output is None else make_folder(output), bars[0] as reading, bars[1] as progress:
        result = translation_experiment(
            folder,
            pairs=split_names(pairs),
            hidden=layers,
            cache=cache if cache is not None or output is None else f"{output}/cache",
            workers=all_cores() if workers is None else workers,
            reading=reading,
            progress=progress,
            **{name: names for name, names in selections.items() if names is not None},
            **options,
        )
    if output is not None:
        write_result_files(result, output)
    result_output.show(result, details=details)


def write_result_files(result: TranslationExperiment, output: str) -> None:
    """Write PROTOCOL-tables.csv, -tests.csv, -page.html and -scores/METRIC.seg.scr.gz; all files or none.

    Without the packages that pages need, the page is skipped with a message on standard error. Raises OutputError.
    """
    files: dict[str, Iterable[bytes]] = {
        "tables.csv": encode_texts([render_result(result, "csv")]),
        "tests.csv": encode_texts(lines_of_tests(result)),
    }
    for metric in next(iter(result.scores.values())):
        name = re.sub(r"[^\w]+", "-", metric).strip("-")
        files[f"scores/{name}.seg.scr.gz"] = compress(encode_texts(score_lines(result, metric)), ".gz")
    try:
        files["page.html"] = encode_texts([page_of(result)])
    except ParameterError as error:  # the extra is not installed
        click.echo(f"rankscope: no page was written: {error}", err=True)
    write_folder(output, {f"{result.protocol}-{name}": chunks for name, chunks in files.items()})


def encode_texts(texts: Iterable[str]) -> Iterator[bytes]:
    return (text.encode("utf-8", "surrogateescape") for text in texts)
