"""`rankscope features mt`: features of translations, as a table or as lists to train on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from rankscope.agreement.load import read_segment_scores
from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._leaderboard_input import read_ranked
from rankscope.cli._options import file_option, table_output_option
from rankscope.cli._output import check_output, progress_bar
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.cli.features.models import ModelFiles, read_models
from rankscope.consensus.leaderboard import column_of
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_single_stdin, source_name
from rankscope.io.letor import write_features
from rankscope.io.translation import read_lines, read_mt_texts, read_plain_texts
from rankscope.settings import excludes, needs
from rankscope.translation.features import (
    COLUMNS,
    FEATURES,
    SETS,
    FeatureSettings,
    column_of_scores,
    extract_features,
    judged_lists,
    write_translation_features,
)
from rankscope.translation.tokenisation import sacrebleu_version

__all__ = [
    "mt",
]


Lines = Sequence[str]


class TextFiles(NamedTuple):
    """The texts: files, or a folder and a language pair."""

    source: str | None
    references: tuple[str, ...]
    systems: tuple[str, ...]
    folder: str | None
    pair: str | None

    @property
    def files(self) -> list[str]:
        system_files = [text.partition("=")[2] for text in self.systems]
        return [*([self.source] if self.source else []), *self.references, *system_files]


TEXT_OPTIONS = (
    file_option("--source", "Source text, one segment per line."),
    file_option(
        "--reference",
        "Reference translations, one segment per line; repeat for further references.",
        name="references",
        several=True,
    ),
    click.option(
        "--system",
        "systems",
        metavar="NAME=FILE",
        multiple=True,
        help="Outputs of a system, one segment per line; repeat for each system.",
    ),
    depends_on(
        (
            excludes("source", "references", "systems", reason="it replaces them"),
            needs("pair", reason="the folder has texts of several language pairs"),
        ),
        click.option(
            "--texts",
            "folder",
            metavar="FOLDER",
            help="Folder with sources/, references/ and system-outputs/, as of WMT or mt-metrics-eval, instead of "
            "these files.",
        ),
    ),
    click.option("--pair", metavar="P", help="Language pair, such as de-en."),
    file_option(
        "--judgments",
        "Human rankings: write only the ranked outputs, as lists to train on, with grades from their ranks.",
    ),
)
MODEL_OPTIONS = (
    file_option(
        "--language-model",
        "Language model: an ARPA file, a file from `features lm`, or text to train a model of order 4 on.",
    ),
    file_option("--forward", "Lexicon from `features lexicon`, from the source to the target language."),
    file_option("--backward", "Lexicon from the target to the source language."),
    depends_on(
        excludes("forward", "backward", reason="it trains both lexicons"),
        click.option("--parallel", nargs=2, metavar="SOURCE TARGET", help="Parallel text to train both lexicons on."),
    ),
)


@click.command(cls=Command)
@option_group("Texts", *TEXT_OPTIONS)
@option_group(
    "Features",
    setting_options(FeatureSettings),
    file_option("--scores", "Scores of a metric (seg.scr, .seg.score) as a feature; repeatable.", several=True),
    click.option("--list", "listing", is_flag=True, help="List the features and exit."),
)
@option_group("Models that features need", *MODEL_OPTIONS)
@option_group("Output", table_output_option)
def mt(
    source: str | None,
    references: tuple[str, ...],
    systems: tuple[str, ...],
    folder: str | None,
    pair: str | None,
    listing: bool,
    language_model: str | None,
    forward: str | None,
    backward: str | None,
    parallel: tuple[str, str] | None,
    scores: tuple[str, ...],
    judgments: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Compute features of translations: one row per output, with the columns pair, system, segment and the features.

    The nine features of Li, Jiang and Wang (2013) are n-gram precisions, brevity, language model, length, and IBM
    model 1 in both directions. With --judgments, the output holds only the ranked translations, with grades, as
    `rankscope train` reads them.

    \b
    rankscope features lm demo-mt/mt-train/newstest2010/newstest2010.en -o en.lm
    rankscope features mt --texts demo-mt/wmt12/plain --pair de-en --features smoothed --language-model en.lm \\
        --parallel demo-mt/mt-train/newstest2010/newstest2010.de demo-mt/mt-train/newstest2010/newstest2010.en \\
        --judgments demo-mt/wmt12/wmt12.RNK_results.csv -o mt.parquet
    rankscope features mt --source src.de --reference ref.en --system A=a.en --system B=b.en \\
        --language-model news.en --parallel news.de news.en -o features.parquet
    """
    settings = take_settings(FeatureSettings, options)
    if listing:
        click.echo(feature_overview(), nl=False)
        return
    names = settings.names
    text_files = TextFiles(source, references, systems, folder, pair)
    inputs = [*text_files.files, *flatten_paths(language_model, forward, backward, parallel), *scores]
    inputs += [judgments] if judgments else []
    check_texts_and_output(text_files, output)
    check_single_stdin(inputs)
    check_output(output, inputs)
    sacrebleu_version()
    needed_models = {COLUMNS[name].model for name in names} - {None}
    files = ModelFiles(language_model, forward, backward, parallel)
    files.refuse_missing(names)
    sources, references_read, outputs = read_texts(text_files)
    segment_scores = [metric for path in scores for metric in read_segment_scores(path)]
    extra_columns = {
        metric.metric: column_of_scores(metric, pair or "", list(outputs), len(sources)) for metric in segment_scores
    }
    rankings = None if judgments is None else read_ranked(judgments, None, False)
    with progress_bar(1.0, "training and reading models") as progress:
        models = read_models(files, {str(name) for name in needed_models}, progress=progress)
    with progress_bar(1.0, "features") as progress:
        table = extract_features(
            sources,
            references_read,
            outputs,
            settings,
            extra=extra_columns,
            pair=pair or "",
            progress=progress,
            **models,
        )
    assert output is not None
    notes = list(table.notes)
    if rankings is None:
        notes += write_translation_features([table], output)
    else:
        lists = judged_lists(table, rankings, column_of(rankings, None))
        notes += [*lists.notes, *write_features(lists, output)]
    for note in dict.fromkeys(notes):
        click.echo(f"note: {note}", err=True)


def flatten_paths(*files: str | tuple[str, str] | None) -> list[str]:
    return [path for file in files if file for path in ([file] if isinstance(file, str) else file)]


def feature_overview() -> str:
    """The sets and the features, a line each."""
    width = max(map(len, FEATURES))
    sets = [f"{name:{width}}  {', '.join(names)}\n" for name, names in SETS.items()]
    return "".join([*sets, "\n", *(f"{name:{width}}  {text}\n" for name, text in FEATURES.items())])


def check_texts_and_output(text_files: TextFiles, output: str | None) -> None:
    """Raise ParameterError for options that are missing, and names of systems without a file or given twice."""
    if output is None:
        raise ParameterError("no output file; name a file with -o")
    if text_files.folder is not None:
        return
    for flag, value in (
        ("--source", text_files.source),
        ("--reference", text_files.references),
        ("--system", text_files.systems),
    ):
        if not value:
            raise ParameterError(f"{flag} is missing; name a file, or a folder with --texts")
    names = [text.partition("=")[0] for text in text_files.systems]
    for text, name in zip(text_files.systems, names, strict=True):
        if not name or not text.partition("=")[2]:
            raise ParameterError(f"--system {text}, expected a name and a file, such as --system A=outputs.en")
        if names.count(name) > 1:
            raise ParameterError(f"--system {name} is given twice, expected a name of its own for each system")


def read_texts(text_files: TextFiles) -> tuple[Lines, list[Lines], dict[str, Lines]]:
    """Sources, references and the outputs of each system."""
    if text_files.folder is not None:
        assert text_files.pair is not None
        outputs_folder = Path(text_files.folder) / "system-outputs" / text_files.pair
        read = read_mt_texts if os.path.isdir(outputs_folder) else read_plain_texts
        texts = read(text_files.folder, text_files.pair)
        return texts.sources, [texts.references], dict(texts.systems)
    assert text_files.source is not None
    lines_by_path: dict[str, Lines] = {}
    sources = read_lines_into(text_files.source, lines_by_path)
    references = [read_lines_into(path, lines_by_path) for path in text_files.references]
    output_paths = dict(text.split("=", 1) for text in text_files.systems)
    outputs = {name: read_lines_into(path, lines_by_path) for name, path in output_paths.items()}
    for path, lines in lines_by_path.items():
        if len(lines) != len(sources):
            raise InputError(
                f"{source_name(path)}: {pluralise(len(lines), 'line')}, expected {len(sources):,} as in "
                f"{source_name(text_files.source)}, one a segment; lines end with LF only"
            )
    return sources, references, outputs


def read_lines_into(path: str, lines_by_path: dict[str, Lines]) -> Lines:
    """Read the lines of a file, and store them in `lines_by_path`, too."""
    lines_by_path[path] = read_lines(path)
    return lines_by_path[path]
