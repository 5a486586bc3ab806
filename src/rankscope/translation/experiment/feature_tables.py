"""Feature tables of the experiment: features of all translations, from models of parallel text, with a cache."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, OutputError
from rankscope.io.core import Arrays, read_arrays, write_arrays
from rankscope.io.translation import read_lines
from rankscope.translation.experiment.training import LOSSES, LearnedMetric
from rankscope.translation.experiment.wmt_campaigns import TESTED, JudgedPair, languages
from rankscope.translation.features import EXTENDED, NINE, NINE_SMOOTHED, translation_features
from rankscope.translation.language_model import LanguageModel, train_language_model
from rankscope.translation.lexicon import train_lexicon
from rankscope.translation.tokenisation import TOKENISATION, sacrebleu_version, tokenised
from rankscope.typing import Floats, Floats32, PathLike

__all__ = [
    "BASELINES",
    "COLUMNS",
    "COMPUTED",
    "CORPORA",
    "FEATURE_SETS",
    "ArrayCache",
    "Corpora",
    "FeatureTables",
    "compute_feature_tables",
    "find_corpora",
    "parallel_lines",
    "planned_models",
    "target_lines",
    "text_digest",
]


#: The folder of parallel texts, SET/SET.LANGUAGE.
CORPORA = "mt-train"
#: The sets that participants of WMT12 could use: news of 2008 to 2011 and Europarl. newstest2012 is the test set, and
#: other sets are later or of unknown date.
EARLY = re.compile(r"news[a-z-]*20(08|09|10|11)|europarl.*")
#: The test set of a campaign; models of its features must not learn from it or its references.
OWN_SET = {"wmt11": "newstest2011"}


class Corpora(NamedTuple):
    """Sets of parallel text.

    Attributes
    ----------
    folder
        Folder of the sets.
    sets
        Their names, in order.
    """

    folder: Path
    sets: tuple[str, ...]

    def sets_with(self, *languages: str) -> list[str]:
        """The sets that have all of these languages."""
        return [name for name in self.sets if all(self.file(name, language).is_file() for language in languages)]

    def file(self, name: str, language: str) -> Path:
        return self.folder / name / f"{name}.{language}"


def find_corpora(folder: PathLike, campaign: str) -> Corpora:
    """The sets of parallel text that models for the features of a campaign may learn from.

    Parameters
    ----------
    folder
        Folder with mt-train/.
    campaign
        The campaign; for WMT11 without newstest2011, whose translations its features are of: models that know its lines
        would find everything in it likely.

    Returns
    -------
    Corpora
        The sets.

    Raises
    ------
    InputError
        There are none.
    """
    root = Path(folder) / CORPORA
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such folder, expected parallel text in it, as SET/SET.LANGUAGE")
    set_names = sorted(path.name for path in root.iterdir() if path.is_dir())
    sets = tuple(name for name in set_names if EARLY.fullmatch(name) and name != OWN_SET.get(campaign))
    if not sets:
        raise InputError(
            f"{root}: no parallel text from before 2012 (news of 2008 to 2011, Europarl), expected some; there is "
            f"{join_names(set_names) or 'nothing'}"
        )
    return Corpora(root, sets)


def parallel_lines(corpora: Corpora, source: str, target: str) -> tuple[list[str], list[str]]:
    """All pairs of lines of two languages, each pair once, in the order of the sets.

    Parameters
    ----------
    corpora
        The sets.
    source, target
        Languages.

    Returns
    -------
    sources, targets
        Lines of both sides.

    Raises
    ------
    InputError
        No set, or no line, has both languages, or two files have different numbers of lines.
    """
    names = corpora.sets_with(source, target)
    if not names:
        raise InputError(f"{corpora.folder}: no set from before 2012 has {source} and {target} both")
    pairs: dict[tuple[str, str], None] = {}
    for name in names:
        line_lists = [read_lines(corpora.file(name, language)) for language in (source, target)]
        if len(line_lists[0]) != len(line_lists[1]):
            raise InputError(
                f"{corpora.file(name, target)}: {pluralise(len(line_lists[1]), 'line')}, expected "
                f"{len(line_lists[0]):,} as in {corpora.file(name, source).name}; line by line translations"
            )
        pairs.update(dict.fromkeys(zip(*line_lists, strict=True)))
    nonempty_pairs = [
        (source_line, target_line) for source_line, target_line in pairs if source_line.strip() and target_line.strip()
    ]
    if not nonempty_pairs:
        raise InputError(f"{corpora.folder}: no line of {join_names(names)} has words of {source} and {target} both")
    return [source_line for source_line, _ in nonempty_pairs], [target_line for _, target_line in nonempty_pairs]


def target_lines(corpora: Corpora, language: str, extra_lines: Sequence[str] = ()) -> list[str]:
    """All lines of a language, each once, in the order of the sets.

    Parameters
    ----------
    corpora
        The sets.
    language
        The language.
    extra_lines
        Further lines.

    Returns
    -------
    list of str
        The lines.

    Raises
    ------
    InputError
        There are none.
    """
    names = corpora.sets_with(language)
    if not names:
        raise InputError(f"{corpora.folder}: no set from before 2012 has {language}")
    lines: dict[str, None] = {}
    for name in names:
        lines.update(dict.fromkeys(read_lines(corpora.file(name, language))))
    lines.update(dict.fromkeys(extra_lines))
    nonempty_lines = [line for line in lines if line.strip()]
    if not nonempty_lines:
        raise InputError(f"{corpora.folder}: no line of {join_names(names)} has words of {language}")
    return nonempty_lines


def text_digest(*texts: object) -> str:
    """A hash of texts, and of lists of texts; different texts have different hashes.

    >>> text_digest(["ab", "c"]) == text_digest(["a", "bc"])
    False
    """
    content = json.dumps(texts, ensure_ascii=True, default=list).encode()
    return hashlib.sha256(content).hexdigest()[:16]


#: What a file of the cache begins with. Raise the number when the layout changes.
CACHE_MAGIC = b"rankscope cached arrays 2\n"


class ArrayCache:
    """A cache of arrays, one file per computation.

    Parameters
    ----------
    folder
        Folder, which is created if necessary; None caches nothing.
    """

    def __init__(self, folder: PathLike | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def get(
        self,
        name: str,
        settings: Mapping[str, Any],
        make: Callable[[], Arrays],
        shapes: Mapping[str, tuple[int | None, ...]],
    ) -> Arrays:
        """The arrays cached under this name and these settings; otherwise the result of `make`, which is then cached.

        Parameters
        ----------
        name
            Name of the file.
        settings
            All that changes the arrays, texts by their digest; other settings have another file.
        make
            Computes the arrays.
        shapes
            Name -> shape of each array; None is any length.

        Returns
        -------
        dict
            Name -> array.

        Raises
        ------
        InputError
            A file is damaged or holds other arrays.
        OutputError
            The file cannot be written.
        """
        if self.folder is None:
            return make()
        path = self.folder / f"{name}-{text_digest(json.dumps(dict(settings), sort_keys=True))}.arrays"
        if path.exists():
            cached_arrays = read_arrays(path, CACHE_MAGIC)
            if not has_shapes(cached_arrays, shapes):
                raise InputError(f"{path}: holds other arrays than {name}; remove this file, and it is computed again")
            return cached_arrays
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{self.folder}: no folder can be made there ({error.strerror}); choose another"
            ) from None
        arrays = make()
        write_arrays(path, CACHE_MAGIC, arrays)
        return arrays


def has_shapes(arrays: Arrays, shapes: Mapping[str, tuple[int | None, ...]]) -> bool:
    """Whether the arrays have the expected names and shapes."""
    return arrays.keys() == shapes.keys() and all(
        array.ndim == len(shapes[name])
        and all(expected in (length, None) for length, expected in zip(array.shape, shapes[name], strict=True))
        for name, array in arrays.items()
    )


Table = dict[tuple[str, str], Floats32]
#: For all outputs of a language pair: the similarity of an output to the others, less the mean of its segment; the
#: system's mean of the similarity; the system's mean of chrF. In units of their spread over the systems, so that they
#: are comparable between sets of systems.
SCALED = ("consensus_scaled", "consensus_mean_scaled", "chrF_mean_scaled")
#: Sets of features by the suffix of a model's name; "nine" is the paper's set, whose models have no suffix.
FEATURE_SETS = {
    "nine": NINE,
    "smoothed": NINE_SMOOTHED,
    "+chrF": (*NINE, "chrF"),
    "extended": EXTENDED,
    "others": (*EXTENDED, *SCALED),
}
#: Features that are metrics themselves, by their names in tables.
BASELINES = {"sentBLEU": "BLEU", "chrF": "chrF"}
#: The features that are always computed; and all features, those derived from them last.
COMPUTED = tuple(
    dict.fromkeys([*NINE, *NINE_SMOOTHED, "chrF", *EXTENDED, "consensus", "consensus_mean", *BASELINES.values()])
)
COLUMNS = (*COMPUTED, *SCALED)
#: The paper's language model; iterations of IBM model 1.
ORDER, ITERATIONS = 4, 5


class FeatureTables(NamedTuple):
    """Features of all translations.

    Attributes
    ----------
    tables
        By campaign and language pair, (systems, lines, COLUMNS) as float32.
    settings
        How they were computed, for the signature.
    notes
        What a reader should know.
    """

    tables: Table
    settings: str
    notes: tuple[str, ...]

    def feature(self, key: tuple[str, str], name: str) -> npt.NDArray[np.float64]:
        """(systems, lines) one of the features."""
        return self.tables[key][:, :, COLUMNS.index(name)].astype(np.float64)


def planned_models(losses: Sequence[str], features: Sequence[str]) -> tuple[LearnedMetric, ...]:
    """A model for each set of features and loss."""
    return tuple(
        LearnedMetric(
            loss if feature_set == "nine" else f"{loss} {feature_set}",
            LOSSES[loss],
            feature_set,
            FEATURE_SETS[feature_set],
        )
        for feature_set in dict.fromkeys(features)
        for loss in dict.fromkeys(losses)
    )


def compute_feature_tables(
    folder: PathLike,
    judged_pairs: Mapping[tuple[str, str], JudgedPair],
    cache: ArrayCache,
    *,
    test_references: bool = False,
    progress: Callable[[float], Any] | None = None,
) -> FeatureTables:
    """The features of every output of every language pair.

    Parameters
    ----------
    folder
        Folder with mt-train/.
    judged_pairs
        Judgments and texts by campaign and language pair.
    cache
        Cache of the arrays.
    test_references
        Train language models on the references of the test set, too.
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    FeatureTables
        The features.

    Raises
    ------
    InputError
        Texts are missing or do not fit.
    ParameterError
        sacrebleu is not installed.

    Notes
    -----
    Language models and lexicons learn from the parallel text that `find_corpora` chooses.
    """
    version = sacrebleu_version()  # raises for a missing package before any file is read
    text = TrainingText(folder, judged_pairs, test_references)
    tables: Table = {}
    notes = []
    # One language model is in use at a time.
    for key in sorted(judged_pairs, key=lambda key: (key[0], languages(key[1])[1])):
        judged_pair = judged_pairs[key]
        settings = {
            "columns": COMPUTED,
            "outputs": text_digest(
                judged_pair.texts.sources, judged_pair.texts.references, dict(judged_pair.texts.systems)
            ),
            "language model": [ORDER, text.digest_of_target(key)],
            "lexicons": [ITERATIONS, text.digest_of_pair(key)],
            "counted": [TOKENISATION, version, __version__],
        }
        pair_progress = PairProgress(progress, 1 / len(judged_pairs))

        def make(
            judged_pair: JudgedPair = judged_pair,
            key: tuple[str, str] = key,
            pair_progress: PairProgress = pair_progress,
        ) -> dict[str, npt.NDArray[Any]]:
            return features_of_pair(judged_pair, text, key, pair_progress)

        shapes = {"values": (len(judged_pair.systems), len(judged_pair.texts), len(COMPUTED)), "notes": (None,)}
        arrays = cache.get("-".join(key), settings, make, shapes)
        tables[key] = add_scaled_columns(arrays["values"])
        notes += [f"{judged_pair.name}: {note}" for note in arrays["notes"].tolist()]
        pair_progress.report_remaining()
    extra = " | language model with the references of the test set" if test_references else ""
    settings_text = (
        f"words:{TOKENISATION} | language model:{ORDER} | IBM model 1:{ITERATIONS}{extra} | sacrebleu {version}"
    )
    return FeatureTables({key: tables[key] for key in judged_pairs}, settings_text, (*text.notes(), *notes))


class PairProgress:
    """The progress of one language pair. share: its share of the whole work."""

    def __init__(self, progress: Callable[[float], Any] | None, share: float) -> None:
        self.progress, self.remaining = progress, share
        self.share = share

    def callback(self, weight: float) -> Callable[[float], Any]:
        """The callback for a part of the pair's work that is `weight` of it; it takes shares of this part."""
        return lambda share: self.report(share * weight * self.share)

    def report(self, share: float) -> None:
        share = min(share, self.remaining)
        self.remaining -= share
        if self.progress is not None:
            self.progress(share)

    def report_remaining(self) -> None:
        """Report the remaining share, as where the features were cached."""
        self.report(self.remaining)


def features_of_pair(
    judged_pair: JudgedPair, text: TrainingText, key: tuple[str, str], progress: PairProgress
) -> dict[str, npt.NDArray[Any]]:
    """The features of one language pair of a campaign."""
    sources, targets = text.lexicon_lines(key)
    table = translation_features(
        judged_pair.texts.sources,
        judged_pair.texts.references,
        judged_pair.texts.systems,
        features=COMPUTED,
        language_model=text.model_of(key, progress.callback(0.1)),
        forward=train_lexicon(sources, targets, iterations=ITERATIONS, progress=progress.callback(0.2)),
        backward=train_lexicon(targets, sources, iterations=ITERATIONS, progress=progress.callback(0.2)),
        pair=judged_pair.pair,
        progress=progress.callback(0.5),
    )
    values = table.select(COMPUTED).values.astype(np.float32)
    return {"values": values, "notes": np.array(table.notes, np.str_)}


def add_scaled_columns(values: Floats32) -> Floats32:
    """(systems, lines, COMPUTED) with the columns SCALED added at the end.

    Chosen on WMT11: rankers trained on one of its language pairs and tested on another are better with these than with
    the raw numbers, whose spread depends on which systems took part. Where no two systems differ: 0.
    """
    consensus, chrf = (
        values[:, :, COMPUTED.index(name)].astype(np.float64) for name in ("consensus", "chrF_unescaped")
    )
    columns = [
        divide_by_spread(consensus - consensus.mean(axis=0), float(consensus.std(axis=0).mean())),
        *(scaled_means(scores, consensus.shape) for scores in (consensus, chrf)),
    ]
    return np.concatenate([values, np.stack(columns, axis=-1).astype(np.float32)], axis=-1)


def scaled_means(values: Floats, shape: tuple[int, ...]) -> Floats:
    """Each system's mean, less the mean of all, in units of their deviation; the same for all of its lines."""
    means = values.mean(axis=1, keepdims=True)
    return np.broadcast_to(divide_by_spread(means - means.mean(), float(means.std())), shape)


def divide_by_spread(values: Floats, spread: float) -> Floats:
    return values / spread if spread > 1e-9 else np.zeros_like(values)


class TrainingText:
    """The training text of the models, read once a language and campaign."""

    def __init__(
        self, folder: PathLike, judged_pairs: Mapping[tuple[str, str], JudgedPair], test_references: bool
    ) -> None:
        self.judged_pairs, self.test_references = judged_pairs, test_references
        campaigns = dict.fromkeys(campaign for campaign, _ in judged_pairs)
        self.corpora: dict[str, Corpora] = {name: find_corpora(folder, name) for name in campaigns}
        self.target_lines: dict[tuple[str, str], list[str]] = {}
        self.line_pairs: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
        self.last_model: tuple[tuple[str, str], LanguageModel] | None = None

    def target_of(self, key: tuple[str, str]) -> list[str]:
        """Lines for the language model of a campaign and pair."""
        campaign, language = key[0], languages(key[1])[1]
        cache_key = campaign, language
        if cache_key not in self.target_lines:
            references: list[str] = []
            if self.test_references and campaign == TESTED:
                test_pairs = (
                    judged_pair for pair_key, judged_pair in self.judged_pairs.items() if pair_key[0] == TESTED
                )
                references = [
                    line
                    for judged_pair in test_pairs
                    if languages(judged_pair.pair)[1] == language
                    for line in judged_pair.texts.references
                ]
            self.target_lines[cache_key] = target_lines(self.corpora[campaign], language, references)
        return self.target_lines[cache_key]

    def pair_of(self, key: tuple[str, str]) -> tuple[list[str], list[str]]:
        """Lines for the lexicons."""
        if key not in self.line_pairs:
            self.line_pairs[key] = parallel_lines(self.corpora[key[0]], *languages(key[1]))
        return self.line_pairs[key]

    def digest_of_target(self, key: tuple[str, str]) -> str:
        return text_digest(self.target_of(key))

    def digest_of_pair(self, key: tuple[str, str]) -> str:
        return text_digest(*self.pair_of(key))

    def lexicon_lines(self, key: tuple[str, str]) -> tuple[list[str], list[str]]:
        """The tokenised lines of source and target."""
        sources, targets = self.pair_of(key)
        return tokenised(sources), tokenised(targets)

    def model_of(self, key: tuple[str, str], progress: Callable[[float], Any] | None = None) -> LanguageModel:
        """The language model; that of the previous call is reused. Duplicate tokenised lines count once."""
        cache_key = key[0], languages(key[1])[1]
        if self.last_model is None or self.last_model[0] != cache_key:
            lines = list(dict.fromkeys(tokenised(self.target_of(key))))
            self.last_model = cache_key, train_language_model(lines, order=ORDER, progress=progress)
        return self.last_model[1]

    def notes(self) -> list[str]:
        """Notes on the training text."""
        messages = []
        for campaign, corpora in self.corpora.items():
            sets = ", ".join(corpora.sets)
            max_lines = max(
                (len(lines) for (name, _), lines in self.target_lines.items() if name == campaign), default=0
            )
            pair_counts = [len(lines[0]) for (name, _), lines in self.line_pairs.items() if name == campaign]
            messages.append(
                f"{campaign}: language models and lexicons of {sets}: up to {pluralise(max_lines, 'line')} of a "
                f"language, {min(pair_counts):,} to {max(pair_counts):,} pairs of lines"
            )
        return messages
