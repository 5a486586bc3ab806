"""Features of all translations of the experiment, from models of parallel text, computed once and cached."""

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
from rankscope.errors import InputError, OutputError, UnknownName
from rankscope.io.core import Arrays, read_arrays, write_arrays
from rankscope.io.translation import read_lines
from rankscope.translation.experiment.training import LOSSES, LearnedMetric
from rankscope.translation.experiment.wmt_campaigns import TESTED, JudgedPair, languages
from rankscope.translation.features import EXTENDED, NINE, NINE_SMOOTHED, translation_features
from rankscope.translation.ibm_model_1 import train_lexicon
from rankscope.translation.language_model import LanguageModel, train_language_model
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
#: Sets that there were for who took part in WMT12: news of 2008 to 2011 and Europarl. newstest2012 is the test set, and
#: later sets are later. Other text is left out, since nobody says of when it is.
EARLY = re.compile(r"news[a-z-]*20(08|09|10|11)|europarl.*")
#: The test set of a campaign, which models of its features must not have seen, nor its references.
OWN_SET = {"wmt11": "newstest2011"}


class Corpora(NamedTuple):
    """folder: that holds them. sets: their names, in order."""

    folder: Path
    sets: tuple[str, ...]

    def having(self, *languages: str) -> list[str]:
        """The sets that have all of these languages."""
        return [name for name in self.sets if all(self.file(name, language).is_file() for language in languages)]

    def file(self, name: str, language: str) -> Path:
        return self.folder / name / f"{name}.{language}"


def find_corpora(folder: PathLike, campaign: str) -> Corpora:
    """The sets of parallel text that models for the features of a campaign may learn from.

    folder: with mt-train/. Of WMT11, without newstest2011, which its translations are of: models that know its lines
    would find everything in it likely. Raises InputError where there is none.
    """
    root = Path(folder) / CORPORA
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such folder, expected parallel text in it, as SET/SET.LANGUAGE")
    there = sorted(path.name for path in root.iterdir() if path.is_dir())
    sets = tuple(name for name in there if EARLY.fullmatch(name) and name != OWN_SET.get(campaign))
    if not sets:
        raise InputError(
            f"{root}: no parallel text of before 2012 (news of 2008 to 2011, Europarl), expected some; there is "
            f"{join_names(there) or 'nothing'}"
        )
    return Corpora(root, sets)


def parallel_lines(corpora: Corpora, source: str, target: str) -> tuple[list[str], list[str]]:
    """All pairs of lines of two languages, each pair once, in the order of the sets.

    Raises InputError where no set, or no line, has both, and for files of different numbers of lines, both named.
    """
    names = corpora.having(source, target)
    if not names:
        raise InputError(f"{corpora.folder}: no set of before 2012 has {source} and {target} both")
    pairs: dict[tuple[str, str], None] = {}
    for name in names:
        sides = [read_lines(corpora.file(name, language)) for language in (source, target)]
        if len(sides[0]) != len(sides[1]):
            raise InputError(
                f"{corpora.file(name, target)}: {pluralise(len(sides[1]), 'line')}, expected {len(sides[0]):,} as in "
                f"{corpora.file(name, source).name}; line by line translations"
            )
        pairs.update(dict.fromkeys(zip(*sides, strict=True)))
    kept = [(a, b) for a, b in pairs if a.strip() and b.strip()]
    if not kept:
        raise InputError(f"{corpora.folder}: no line of {join_names(names)} has words of {source} and {target} both")
    return [a for a, _ in kept], [b for _, b in kept]


def target_lines(corpora: Corpora, language: str, more: Sequence[str] = ()) -> list[str]:
    """All lines of a language, each once, in the order of the sets. more: further lines.

    Raises InputError where there are none.
    """
    names = corpora.having(language)
    if not names:
        raise InputError(f"{corpora.folder}: no set of before 2012 has {language}")
    lines: dict[str, None] = {}
    for name in names:
        lines.update(dict.fromkeys(read_lines(corpora.file(name, language))))
    lines.update(dict.fromkeys(more))
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise InputError(f"{corpora.folder}: no line of {join_names(names)} has words of {language}")
    return kept


def text_digest(*texts: object) -> str:
    """A hash of texts, and of lists of texts, that differs where they do.

    >>> text_digest(["ab", "c"]) == text_digest(["a", "bc"])
    False
    """
    content = json.dumps(texts, ensure_ascii=True, default=list).encode()
    return hashlib.sha256(content).hexdigest()[:16]


class ArrayCache:
    """Arrays in one file a piece of work. folder: None keeps nothing; made where it is not there."""

    def __init__(self, folder: PathLike | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def get(
        self,
        name: str,
        settings: Mapping[str, Any],
        make: Callable[[], Arrays],
        shapes: Mapping[str, tuple[int | None, ...]],
    ) -> Arrays:
        """What was kept under this name and these settings, or else what `make` gives, kept from now on.

        settings: all that changes the arrays, texts by their digest; a file of others is another file. shapes: by name,
        what a file has to hold; None is any length.
        Raises InputError for a file that is damaged or holds other arrays, OutputError where none can be written.
        """
        if self.folder is None:
            return make()
        path = self.folder / f"{name}-{text_digest(json.dumps(dict(settings), sort_keys=True))}.npz"
        if path.exists():
            kept = read_arrays(path)
            if not has_shapes(kept, shapes):
                raise InputError(f"{path}: holds other arrays than {name}; remove this file, and it is computed again")
            return kept
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{self.folder}: no folder can be made there ({error.strerror}); choose another"
            ) from None
        found = make()
        write_arrays(path, found)
        return found


def has_shapes(arrays: Arrays, shapes: Mapping[str, tuple[int | None, ...]]) -> bool:
    """Whether these are the arrays that are expected."""
    return arrays.keys() == shapes.keys() and all(
        array.ndim == len(shapes[name]) and all(n in (m, None) for m, n in zip(array.shape, shapes[name], strict=True))
        for name, array in arrays.items()
    )


Table = dict[tuple[str, str], Floats32]
#: Of all outputs of a language pair: how like the others' an output is, less the mean of its segment; the system's mean
#: of that; the system's mean of chrF. In units of their spread over the systems, which another set of systems has too.
SCALED = ("consensus_scaled", "consensus_mean_scaled", "chrF_mean_scaled")
#: Sets of features, by what stands behind the name of a model; "nine" are the paper's, whose models have its names.
FEATURE_SETS = {
    "nine": NINE,
    "smoothed": NINE_SMOOTHED,
    "+chrF": (*NINE, "chrF"),
    "extended": EXTENDED,
    "others": (*EXTENDED, *SCALED),
}
#: Features that are metrics themselves, by their names in tables.
BASELINES = {"sentBLEU": "BLEU", "chrF": "chrF"}
#: Every feature that is computed, whichever are asked for; and all there are, those made of them behind.
COMPUTED = tuple(
    dict.fromkeys([*NINE, *NINE_SMOOTHED, "chrF", *EXTENDED, "consensus", "consensus_mean", *BASELINES.values()])
)
COLUMNS = (*COMPUTED, *SCALED)
#: The paper's language model; iterations of IBM model 1.
ORDER, ITERATIONS = 4, 5


class FeatureTables(NamedTuple):
    """tables: by campaign and pair, (systems, lines, COLUMNS) as float32. settings: how they were counted."""

    tables: Table
    settings: str
    notes: tuple[str, ...]

    def one(self, key: tuple[str, str], name: str) -> npt.NDArray[np.float64]:
        """(systems, lines) one of the features."""
        return self.tables[key][:, :, COLUMNS.index(name)].astype(np.float64)


def planned_models(losses: Sequence[str], features: Sequence[str]) -> tuple[LearnedMetric, ...]:
    """A model for each set of features and loss. Raises UnknownName."""
    for kind, names, known in (("loss", losses, LOSSES), ("set of features", features, FEATURE_SETS)):
        for name in names:
            if name not in known:
                raise UnknownName(kind, str(name), known)
    return tuple(
        LearnedMetric(loss if chosen == "nine" else f"{loss} {chosen}", LOSSES[loss], chosen, FEATURE_SETS[chosen])
        for chosen in dict.fromkeys(features)
        for loss in dict.fromkeys(losses)
    )


def compute_feature_tables(
    folder: PathLike,
    judged: Mapping[tuple[str, str], JudgedPair],
    cache: ArrayCache,
    *,
    test_references: bool = False,
    progress: Callable[[float], Any] | None = None,
) -> FeatureTables:
    """The features of every output of every language pair.

    Language models and lexicons learn from the parallel text of the folder as `find_corpora` chooses it; the former
    from the references of the test set as well, where `test_references`. progress: told of the share of the work done.
    Raises InputError for texts that are missing or do not fit, ParameterError where sacrebleu is missing.
    """
    version = sacrebleu_version()  # what is missing is said before anything is read
    text = TrainingText(folder, judged, test_references)
    tables: Table = {}
    notes = []
    # One language model is in use at a time.
    for key in sorted(judged, key=lambda key: (key[0], languages(key[1])[1])):
        one = judged[key]
        settings = {
            "columns": COMPUTED,
            "outputs": text_digest(one.texts.sources, one.texts.references, dict(one.texts.systems)),
            "language model": [ORDER, text.digest_of_target(key)],
            "lexicons": [ITERATIONS, text.digest_of_pair(key)],
            "counted": [TOKENISATION, version, __version__],
        }
        told = PairProgress(progress, 1 / len(judged))

        def make(
            one: JudgedPair = one, key: tuple[str, str] = key, told: PairProgress = told
        ) -> dict[str, npt.NDArray[Any]]:
            return features_of_pair(one, text, key, told)

        shapes = {"values": (len(one.systems), len(one.texts), len(COMPUTED)), "notes": (None,)}
        made = cache.get("-".join(key), settings, make, shapes)
        tables[key] = with_scaled(made["values"])
        notes += [f"{one.name}: {note}" for note in made["notes"].tolist()]
        told.rest()
    extra = " | language model with the references of the test set" if test_references else ""
    settings_text = (
        f"words:{TOKENISATION} | language model:{ORDER} | IBM model 1:{ITERATIONS}{extra} | sacrebleu {version}"
    )
    return FeatureTables({key: tables[key] for key in judged}, settings_text, (*text.notes(), *notes))


class PairProgress:
    """What `progress` was told of one language pair. share: of the whole work."""

    def __init__(self, progress: Callable[[float], Any] | None, share: float) -> None:
        self.progress, self.left = progress, share
        self.share = share

    def part(self, weight: float) -> Callable[[float], Any]:
        """To be told of the shares of a part of the pair's work, which is `weight` of it."""
        return lambda done: self.tell(done * weight * self.share)

    def tell(self, done: float) -> None:
        done = min(done, self.left)
        self.left -= done
        if self.progress is not None:
            self.progress(done)

    def rest(self) -> None:
        """Whatever was not told yet, as where the features were kept from before."""
        self.tell(self.left)


def features_of_pair(
    one: JudgedPair, text: TrainingText, key: tuple[str, str], told: PairProgress
) -> dict[str, npt.NDArray[Any]]:
    """The features of one language pair of a campaign."""
    sources, targets = text.lexicon_lines(key)
    found = translation_features(
        one.texts.sources,
        one.texts.references,
        one.texts.systems,
        features=COMPUTED,
        language_model=text.model_of(key, told.part(0.1)),
        forward=train_lexicon(sources, targets, iterations=ITERATIONS, progress=told.part(0.2)),
        backward=train_lexicon(targets, sources, iterations=ITERATIONS, progress=told.part(0.2)),
        pair=one.pair,
        progress=told.part(0.5),
    )
    values = found.select(COMPUTED).values.astype(np.float32)
    return {"values": values, "notes": np.array(found.notes, np.str_)}


def with_scaled(values: Floats32) -> Floats32:
    """(systems, lines, COMPUTED) with the columns SCALED behind.

    Chosen on WMT11: rankers of one of its language pairs tested on another are better with these than with the numbers
    as they are, whose spread is that of the systems that happened to take part. Where no two systems differ: 0.
    """
    alike, chrf = (values[:, :, COMPUTED.index(name)].astype(np.float64) for name in ("consensus", "chrF_unescaped"))
    columns = [
        divide_by_spread(alike - alike.mean(axis=0), float(alike.std(axis=0).mean())),
        *(scaled_means(each, alike.shape) for each in (alike, chrf)),
    ]
    return np.concatenate([values, np.stack(columns, axis=-1).astype(np.float32)], axis=-1)


def scaled_means(values: Floats, shape: tuple[int, ...]) -> Floats:
    """Each system's mean, less the mean of all, in units of their deviation; the same for all of its lines."""
    means = values.mean(axis=1, keepdims=True)
    return np.broadcast_to(divide_by_spread(means - means.mean(), float(means.std())), shape)


def divide_by_spread(values: Floats, spread: float) -> Floats:
    return values / spread if spread > 1e-9 else np.zeros_like(values)


class TrainingText:
    """What models learn from, read once a language and campaign."""

    def __init__(self, folder: PathLike, judged: Mapping[tuple[str, str], JudgedPair], test_references: bool) -> None:
        self.judged, self.test_references = judged, test_references
        campaigns = dict.fromkeys(campaign for campaign, _ in judged)
        self.corpora: dict[str, Corpora] = {name: find_corpora(folder, name) for name in campaigns}
        self.targets: dict[tuple[str, str], list[str]] = {}
        self.pairs: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
        self.last: tuple[tuple[str, str], LanguageModel] | None = None

    def target_of(self, key: tuple[str, str]) -> list[str]:
        """Lines for the language model of a campaign and pair."""
        campaign, language = key[0], languages(key[1])[1]
        place = campaign, language
        if place not in self.targets:
            more: list[str] = []
            if self.test_references and campaign == TESTED:
                tested = (one for at, one in self.judged.items() if at[0] == TESTED)
                more = [line for one in tested if languages(one.pair)[1] == language for line in one.texts.references]
            self.targets[place] = target_lines(self.corpora[campaign], language, more)
        return self.targets[place]

    def pair_of(self, key: tuple[str, str]) -> tuple[list[str], list[str]]:
        """Lines for the lexicons."""
        if key not in self.pairs:
            self.pairs[key] = parallel_lines(self.corpora[key[0]], *languages(key[1]))
        return self.pairs[key]

    def digest_of_target(self, key: tuple[str, str]) -> str:
        return text_digest(self.target_of(key))

    def digest_of_pair(self, key: tuple[str, str]) -> str:
        return text_digest(*self.pair_of(key))

    def lexicon_lines(self, key: tuple[str, str]) -> tuple[list[str], list[str]]:
        """Both sides, tokenised."""
        sources, targets = self.pair_of(key)
        return tokenised(sources), tokenised(targets)

    def model_of(self, key: tuple[str, str], progress: Callable[[float], Any] | None = None) -> LanguageModel:
        """The language model, trained where it is not that of the pair before; of equal tokenised lines, one counts."""
        place = key[0], languages(key[1])[1]
        if self.last is None or self.last[0] != place:
            lines = list(dict.fromkeys(tokenised(self.target_of(key))))
            self.last = place, train_language_model(lines, order=ORDER, progress=progress)
        return self.last[1]

    def notes(self) -> list[str]:
        """From what was learned."""
        said = []
        for campaign, corpora in self.corpora.items():
            sets = ", ".join(corpora.sets)
            most = max((len(lines) for (name, _), lines in self.targets.items() if name == campaign), default=0)
            pairs = [len(lines[0]) for (name, _), lines in self.pairs.items() if name == campaign]
            said.append(
                f"{campaign}: language models and lexicons of {sets}: up to {pluralise(most, 'line')} of a language, "
                f"{min(pairs):,} to {max(pairs):,} pairs of lines"
            )
        return said
