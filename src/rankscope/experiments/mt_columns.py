"""Features of all translations of the experiment, with the models that they need; kept in a folder once found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.data.wording import pluralise
from rankscope.errors import UnknownName
from rankscope.experiments.mt_cache import ArrayCache, text_digest
from rankscope.experiments.mt_corpora import Corpora, find_corpora, parallel_lines, target_lines
from rankscope.experiments.mt_folder import TESTED, JudgedPair, languages
from rankscope.experiments.mt_training import LOSSES, LearnedMetric
from rankscope.learning.mt.features import EXTENDED, NINE, NINE_SMOOTHED, translation_features
from rankscope.learning.mt.kneser_ney import train_language_model
from rankscope.learning.mt.language_model import LanguageModel
from rankscope.learning.mt.lexicon_training import train_lexicon
from rankscope.learning.mt.tokenisation import TOKENISATION, sacrebleu_version, tokenised
from rankscope.typing import Floats, Floats32, PathLike

__all__ = [
    "BASELINES",
    "COLUMNS",
    "COMPUTED",
    "FEATURE_SETS",
    "FeatureTables",
    "compute_feature_tables",
    "planned_models",
]

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
