"""The models that features of translations need: read from files, or trained on text where a file is text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.plain_texts import read_lines
from rankscope.io.streams import open_binary, source_name
from rankscope.learning.mt.array_files import magic_stem
from rankscope.learning.mt.compact import LANGUAGE_MODEL_MAGIC
from rankscope.learning.mt.feature_columns import COLUMNS
from rankscope.learning.mt.kneser_ney import train_language_model
from rankscope.learning.mt.language_model import LanguageModel
from rankscope.learning.mt.lexicon import Lexicon
from rankscope.learning.mt.lexicon_files import load_lexicon
from rankscope.learning.mt.lexicon_training import train_lexicon
from rankscope.learning.mt.model_files import load_language_model
from rankscope.learning.mt.tokenisation import tokenised

__all__ = ["ModelFiles", "TrainedModels", "read_lm", "read_models", "read_parallel"]

#: Bytes in which an ARPA file says what it is; the order of a model that is trained here.
HEAD_BYTES, LM_ORDER = 1 << 16, 4


class TrainedModels(TypedDict):
    """As `translation_features` takes them."""

    language_model: LanguageModel | None
    forward: Lexicon | None
    backward: Lexicon | None


class ModelFiles(NamedTuple):
    """The files that were named. parallel: text of both sides, to train both lexicons on."""

    language_model: str | None
    forward: str | None
    backward: str | None
    parallel: tuple[str, str] | None

    def refuse_missing(self, features: Iterable[str]) -> None:
        """Raise ParameterError for a model that a feature needs and nobody named, and for one named twice."""
        if self.parallel and (self.forward or self.backward):
            raise ParameterError("--parallel trains both lexicons; leave it out, or --forward and --backward")
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
    files: ModelFiles, wanted: set[str], *, progress: Callable[[float], Any] | None = None
) -> TrainedModels:
    """Those of the models that are wanted. progress: told of the share of the work just done.

    Raises InputError for files that cannot be read, are no models, or teach nothing.
    """

    def part(share: float) -> Callable[[float], Any] | None:
        return None if progress is None else lambda done: progress(done * share)

    found = TrainedModels(language_model=None, forward=None, backward=None)
    if "language_model" in wanted and files.language_model is not None:
        found["language_model"] = read_lm(files.language_model, progress=part(0.1))
    lexicons = wanted & {"forward", "backward"}
    if files.parallel and lexicons:
        sources, targets = read_parallel(files.parallel)
        if "forward" in wanted:
            found["forward"] = train_lexicon(sources, targets, progress=part(0.45))
        if "backward" in wanted:
            found["backward"] = train_lexicon(targets, sources, progress=part(0.45))
        return found
    if "forward" in wanted and files.forward is not None:
        found["forward"] = load_lexicon(files.forward)
    if "backward" in wanted and files.backward is not None:
        found["backward"] = load_lexicon(files.backward)
    return found


def read_lm(path: str, *, progress: Callable[[float], Any] | None = None) -> LanguageModel:
    """A language model from its file; of text, each different line counted once, one of order 4."""
    if path == "-":
        raise ParameterError("--language-model is looked at twice and cannot be standard input; name a file")
    with open_binary(path) as stream:
        head = stream.read(HEAD_BYTES)
    if head.startswith(magic_stem(LANGUAGE_MODEL_MAGIC)) or b"\\data\\" in head or ".arpa" in Path(path).name:
        return load_language_model(path)
    lines = dict.fromkeys(tokenised(read_lines(path)))
    try:
        return train_language_model(list(lines), order=LM_ORDER, progress=progress)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_parallel(paths: tuple[str, str], *, split: bool = False) -> tuple[Sequence[str], Sequence[str]]:
    """Both sides of parallel text, tokenised unless it is `split`.

    Raises InputError for other numbers of lines, and for texts without words.
    """
    sides = [read_lines(path) for path in paths]
    if len(sides[0]) != len(sides[1]):
        raise InputError(
            f"{paths[1]}: {pluralise(len(sides[1]), 'line')}, expected {len(sides[0]):,} as in {paths[0]}, one a "
            "segment; lines end with LF only"
        )
    source, target = sides if split else map(tokenised, sides)
    if not any(a.strip() and b.strip() for a, b in zip(source, target, strict=True)):
        names = join_names([source_name(path) for path in paths])
        raise InputError(f"{names}: no line has words on both sides, expected text to learn from")
    return source, target
