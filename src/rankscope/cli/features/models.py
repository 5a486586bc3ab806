"""`rankscope features lm` and `lexicon`: train, read and write the models that features of translations need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._output import check_output, progress_bar
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_single_stdin, magic_stem, open_binary, source_name
from rankscope.io.translation import read_lines
from rankscope.translation.features import COLUMNS
from rankscope.translation.language_model import (
    LANGUAGE_MODEL_MAGIC,
    LanguageModel,
    LanguageModelSettings,
    estimate_language_model,
    load_language_model,
    refuse_reserved,
    save_language_model,
    train_language_model,
)
from rankscope.translation.lexicon import (
    Lexicon,
    LexiconSettings,
    estimate_lexicon,
    load_lexicon,
    save_lexicon,
    train_lexicon,
)
from rankscope.translation.tokenisation import CorpusSettings, sacrebleu_version, tokenised

__all__ = [
    "ModelFiles",
    "TrainedModels",
    "lexicon",
    "lm",
    "read_lm",
    "read_models",
    "read_parallel",
]


#: Bytes in which to look for the header of an ARPA file.
HEAD_BYTES = 1 << 16


class TrainedModels(TypedDict):
    """Models as `translation_features` takes them."""

    language_model: LanguageModel | None
    forward: Lexicon | None
    backward: Lexicon | None


class ModelFiles(NamedTuple):
    """The files of models that features of translations need.

    Attributes
    ----------
    language_model
        The language model, or text to train one on.
    forward, backward
        The lexicons of both directions.
    parallel
        Text of both sides, to train both lexicons on.
    """

    language_model: str | None
    forward: str | None
    backward: str | None
    parallel: tuple[str, str] | None

    def refuse_missing(self, features: Iterable[str]) -> None:
        """Raise ParameterError for a model that a feature needs and no option names."""
        for name in features:
            model = COLUMNS[name].model
            if model == "language_model" and self.language_model is None:
                raise ParameterError(
                    f"feature {name} needs a language model; name one, or text, with --language-model, or choose other "
                    "--features"
                )
            if model in ("forward", "backward") and not self.parallel and getattr(self, model) is None:
                raise ParameterError(
                    f"feature {name} needs a lexicon; name it with --{model}, or parallel text with --parallel, or "
                    "choose other --features"
                )


def read_models(
    files: ModelFiles, model_names: set[str], *, progress: Callable[[float], Any] | None = None
) -> TrainedModels:
    """Read or train the models of these names. progress: takes the share of the work just done.

    Raises InputError for files that cannot be read, are no models, or have no words.
    """

    def scaled_progress(share: float) -> Callable[[float], Any] | None:
        return None if progress is None else lambda amount: progress(amount * share)

    models = TrainedModels(language_model=None, forward=None, backward=None)
    if "language_model" in model_names and files.language_model is not None:
        models["language_model"] = read_lm(files.language_model, progress=scaled_progress(0.1))
    lexicons = model_names & {"forward", "backward"}
    if files.parallel and lexicons:
        sources, targets = read_parallel(files.parallel)
        if "forward" in model_names:
            models["forward"] = train_lexicon(sources, targets, progress=scaled_progress(0.45))
        if "backward" in model_names:
            models["backward"] = train_lexicon(targets, sources, progress=scaled_progress(0.45))
        return models
    if "forward" in model_names and files.forward is not None:
        models["forward"] = load_lexicon(files.forward)
    if "backward" in model_names and files.backward is not None:
        models["backward"] = load_lexicon(files.backward)
    return models


def read_lm(path: str, *, progress: Callable[[float], Any] | None = None) -> LanguageModel:
    """A language model from its file, or one of order 4 trained on text, each distinct line counted once."""
    if path == "-":
        raise ParameterError("--language-model is looked at twice and cannot be standard input; name a file")
    with open_binary(path) as stream:
        head = stream.read(HEAD_BYTES)
    if head.startswith(magic_stem(LANGUAGE_MODEL_MAGIC)) or b"\\data\\" in head or ".arpa" in Path(path).name:
        return load_language_model(path)
    lines = dict.fromkeys(tokenised(read_lines(path)))
    try:
        return train_language_model(list(lines), progress=progress)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_parallel(paths: tuple[str, str], *, split: bool = False) -> tuple[Sequence[str], Sequence[str]]:
    """Both sides of parallel text, tokenised unless `split`.

    Raises InputError for different numbers of lines, and for texts without words.
    """
    sides = [read_lines(path) for path in paths]
    if len(sides[0]) != len(sides[1]):
        raise InputError(
            f"{paths[1]}: {pluralise(len(sides[1]), 'line')}, expected {len(sides[0]):,} as in {paths[0]}, one a "
            "segment; lines end with LF only"
        )
    source, target = sides if split else map(tokenised, sides)
    line_pairs = zip(source, target, strict=True)
    if not any(source_line.strip() and target_line.strip() for source_line, target_line in line_pairs):
        names = join_names([source_name(path) for path in paths])
        raise InputError(f"{names}: no line has words on both sides, expected text to learn from")
    return source, target


@click.command(cls=Command)
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "-o",
    "--output",
    "model",
    metavar="MODEL",
    required=True,
    help="Output file: ARPA text if the name ends in .arpa or .arpa.gz, else binary.",
)
@option_group("Language model", setting_options(LanguageModelSettings), setting_options(CorpusSettings))
def lm(texts: tuple[str, ...], model: str, **options: Any) -> None:
    """Train an n-gram language model (modified Kneser-Ney) on TEXTs, one sentence per line; - is standard input.

    Words are lower-cased and split as mteval-v13a splits them, as in `features mt`. Other tools read ARPA files; binary
    files are read faster.

    \b
    rankscope features lm demo-mt/mt-train/newstest2010/newstest2010.en -o en.lm
    """
    settings, corpus = take_settings(LanguageModelSettings, options), take_settings(CorpusSettings, options)
    check_model_output(model, texts)
    if not corpus.tokenised:
        sacrebleu_version()
    lines_by_path = {path: read_lines(path) for path in dict.fromkeys(texts)}
    refuse_empty(lines_by_path)
    lines = [line for path in texts for line in lines_by_path[path]]
    if corpus.tokenised:
        for path, file_lines in lines_by_path.items():
            refuse_reserved(map(str.encode, file_lines), partial(line_location, path))
    sentences = lines if corpus.tokenised else tokenised(lines)
    if not corpus.repeats:
        sentences = list(dict.fromkeys(sentences))
    with progress_bar(1.0, "training") as progress:
        trained_model = estimate_language_model(sentences, settings, progress=progress)
    save_language_model(trained_model, model)
    report_model(trained_model, trained_model.notes)


@click.command(cls=Command)
@click.argument("source")
@click.argument("target")
@click.option("-o", "--output", "model", metavar="MODEL", required=True, help="Output file (binary).")
@option_group("Lexicon", setting_options(LexiconSettings), setting_options(CorpusSettings, without=("repeats",)))
def lexicon(source: str, target: str, model: str, **options: Any) -> None:
    """Train IBM model 1: the probability that each word of SOURCE is translated by each word of TARGET.

    Line n of TARGET translates line n of SOURCE. Words are lower-cased and split as mteval-v13a splits them.

    \b
    rankscope features lexicon demo-mt/mt-train/newstest2010/newstest2010.de \\
        demo-mt/mt-train/newstest2010/newstest2010.en -o de-en.lexicon
    """
    settings, corpus = take_settings(LexiconSettings, options), take_settings(CorpusSettings, options)
    check_model_output(model, (source, target))
    if not corpus.tokenised:
        sacrebleu_version()
    sources, targets = read_parallel((source, target), split=corpus.tokenised)
    with progress_bar(1.0, "training") as progress:
        trained_model = estimate_lexicon(sources, targets, settings, progress=progress)
    save_lexicon(trained_model, model)
    report_model(trained_model, ())


def refuse_empty(lines_by_path: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError with the names of the files if none has a word."""
    if not any(line.strip() for lines in lines_by_path.values() for line in lines):
        names = join_names([source_name(path) for path in lines_by_path])
        raise InputError(f"{names}: no words, expected text to learn from")


def line_location(path: str, i: int) -> str:
    """How an error names a line of a file, counted from 0."""
    return f"{source_name(path)}:{i + 1}"


def check_model_output(model: str, inputs: Sequence[str]) -> None:
    """Raise for a model that cannot be written, before any file is read."""
    if model == "-":
        raise ParameterError("a model cannot be printed; name a file with -o")
    check_single_stdin(inputs)
    check_output(model, inputs)


def report_model(model: object, notes: Sequence[str]) -> None:
    """Print the model in one line, and the notes."""
    click.echo(repr(model))
    for note in notes:
        click.echo(f"note: {note}", err=True)
