"""Features of systems' outputs, computed from texts and models, and named sets of features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.metric_scores import MetricScores, positions_among
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.settings import Settings, name_list
from rankscope.translation.features.columns import COLUMNS, PreparedTexts
from rankscope.translation.features.table import TranslationFeatures
from rankscope.translation.language_model import LanguageModel
from rankscope.translation.lexicon import Lexicon
from rankscope.translation.token_lists import TokenLists
from rankscope.translation.tokenisation import TOKENISATION, as_lines, sacrebleu_version
from rankscope.typing import Floats

__all__ = [
    "EXTENDED",
    "FEATURES",
    "NINE",
    "NINE_SMOOTHED",
    "OTHERS",
    "FeatureSettings",
    "broadcast_columns",
    "column_of_scores",
    "extract_features",
    "feature_names",
    "translation_features",
    "vocabulary_notes",
]


#: All features by name, and what each is.
FEATURES: dict[str, str] = {name: column.description for name, column in COLUMNS.items()}
NGRAMS = ("log_p1", "log_p2", "log_p3", "log_p4", "log_brevity", "language_model", "length")
#: Those of Li, Jiang and Wang (2013); the same with smoothed lexical probabilities; what was added after WMT12 had been
#: seen; what needs the outputs of several systems.
NINE = (*NGRAMS, "forward", "backward")
NINE_SMOOTHED = (*NGRAMS, "forward_smoothed", "backward_smoothed")
EXTENDED = (*NINE_SMOOTHED, "chrF_unescaped", "untranslated")
OTHERS = (*EXTENDED, "consensus", "consensus_mean")
SETS = {"nine": NINE, "smoothed": NINE_SMOOTHED, "extended": EXTENDED, "others": OTHERS}


@dataclass(frozen=True, kw_only=True)
class FeatureSettings(Settings):
    """Which features of translations are computed; see `translation_features`."""

    FUNCTIONS = ("rankscope.translation:translation_features",)
    COMMANDS = ("features mt",)

    features: tuple[str, ...] = name_list(
        ("nine",),
        [*SETS, *FEATURES],
        kind="feature of translations",
        help=f"Names of features (`--list` shows them) or of sets of features ({', '.join(SETS)}).",
        python_help=f"Name or names of features, as in `FEATURES`, or of sets of features ({', '.join(SETS)}).",
        unset="nine",
        metavar="NAME,...",
    )

    def check(self) -> None:
        """Refuse an empty list."""
        if not self.features:
            raise ParameterError("there are no features, expected the name of at least one, as nine")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features without sets, each once."""
        return tuple(dict.fromkeys(name for entry in self.features for name in SETS.get(entry, (entry,))))


def feature_names(features: str | Iterable[str]) -> tuple[str, ...]:
    """The names of features, each once, with sets of features replaced by their members.

    Parameters
    ----------
    features
        Name or names of features, or of sets of features (nine, smoothed, extended, others).

    Returns
    -------
    tuple of str
        In the order in which they are given.

    Raises
    ------
    UnknownName
        A feature or set does not exist.
    ParameterError
        There are no names.

    Examples
    --------
    >>> feature_names(["nine", "chrF"])[-3:]
    ('forward', 'backward', 'chrF')
    """
    return FeatureSettings(features=as_names(features)).names


def as_names(features: str | Iterable[str]) -> tuple[str, ...]:
    return (features,) if isinstance(features, str) else tuple(features)


def translation_features(
    sources: Iterable[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    outputs: Mapping[str, Iterable[str]],
    *,
    features: str | Iterable[str] = "nine",
    language_model: LanguageModel | None = None,
    forward: Lexicon | None = None,
    backward: Lexicon | None = None,
    extra: Mapping[str, npt.ArrayLike] | None = None,
    pair: str = "",
    progress: Callable[[float], Any] | None = None,
) -> TranslationFeatures:
    """Features of the outputs of systems, for all segments of one language pair.

    Parameters
    ----------
    sources
        Source lines, one per segment, as in the files.
    references
        One reference line per segment, or a list of such lists.
    outputs
        System -> its lines.
    features
        Name or names of features, as in `FEATURES`, or of sets of features (nine, smoothed, extended, others). Default:
        nine.
    language_model
        Model of the language of the outputs, trained on `tokenised` lines.
    forward, backward
        Lexicons from sources to targets and from targets to sources, trained on `tokenised` lines.
    extra
        Further columns by name, (systems, segments) or (segments), such as the similarity of embeddings.
    pair
        Language pair, for the table.
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    TranslationFeatures
        Its notes count empty lines, and say where a model does not know most of the words.

    Raises
    ------
    InputError
        Numbers of lines differ, there are no segments or systems, or a column has another shape or numbers that are not
        finite.
    UnknownName
        A feature does not exist.
    ParameterError
        A feature needs a model that is missing, or sacrebleu is not installed.

    Notes
    -----
    Words are lower-cased and split as mteval-v13a splits them. An n-gram precision without a match counts as 1 / (2^k
    max(total, 1)), k = 1 for the first such order of a sentence. An empty output has no n-grams and length 0, and
    counts as one word in the brevity; its lexical probability is 1.

    References
    ----------
    Li, Jiang and Wang (2013), section 4.2; counts of n-grams and chrF are those of sacrebleu.

    Examples
    --------
    >>> outputs = {"A": ["the house"], "B": ["a house"]}
    >>> table = translation_features(["das haus"], ["the house"], outputs, features=["BLEU"])
    >>> table.systems, table.values.round(3).tolist()
    (('A', 'B'), [[[0.595]], [[0.297]]])
    """
    return extract_features(
        sources,
        references,
        outputs,
        FeatureSettings(features=as_names(features)),
        language_model=language_model,
        forward=forward,
        backward=backward,
        extra=extra,
        pair=pair,
        progress=progress,
    )


def extract_features(
    sources: Iterable[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    outputs: Mapping[str, Iterable[str]],
    settings: FeatureSettings,
    *,
    language_model: LanguageModel | None = None,
    forward: Lexicon | None = None,
    backward: Lexicon | None = None,
    extra: Mapping[str, npt.ArrayLike] | None = None,
    pair: str = "",
    progress: Callable[[float], Any] | None = None,
) -> TranslationFeatures:
    """As `translation_features`, with its settings as one object."""
    names = settings.names
    models = {"language_model": language_model, "forward": forward, "backward": backward}
    refuse_missing(names, models)
    version = sacrebleu_version()
    source_lines = as_lines(sources, "sources")
    reference_lines = reference_lists(references)
    systems = output_lines(outputs)
    refuse_unequal(source_lines, reference_lines, systems)
    prepared_texts = PreparedTexts(source_lines, reference_lines, systems, language_model, forward, backward)
    shape = (len(systems), len(source_lines))
    columns = {}
    total_work = sum(COLUMNS[name].work for name in names)
    for name in names:
        columns[name] = COLUMNS[name].compute(prepared_texts).reshape(shape)
        if progress is not None:
            progress(COLUMNS[name].work / total_work)
    columns |= broadcast_columns(extra or {}, shape, FEATURES)
    return TranslationFeatures(
        pair=pair,
        systems=tuple(systems),
        segments=tuple(str(i + 1) for i in range(len(source_lines))),
        names=tuple(columns),
        values=np.stack(list(columns.values()), axis=-1),
        notes=(*empty_notes(source_lines, reference_lines, systems), *vocabulary_notes(prepared_texts, names)),
        settings=f"words:{TOKENISATION} | references:{len(reference_lines)} | sacrebleu {version}",
    )


def refuse_missing(names: Iterable[str], models: Mapping[str, object]) -> None:
    """Raise ParameterError for the first feature whose model is missing."""
    for name in names:
        model = COLUMNS[name].model
        if model is not None and models[model] is None:
            raise ParameterError(f"feature {name!r} needs {model}, which is missing; pass it or choose other features")


def reference_lists(references: Sequence[str] | Sequence[Sequence[str]]) -> list[list[str]]:
    """One list of lines for each reference."""
    if isinstance(references, (str, bytes)):
        raise ParameterError("references is one text, expected a list of lines; write [text]")
    entries: list[Any] = list(references)
    if not entries or all(isinstance(line, str) for line in entries):
        return [as_lines(entries, "references")]
    return [as_lines(lines, f"reference {i + 1}") for i, lines in enumerate(entries)]


def output_lines(outputs: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    if not isinstance(outputs, Mapping):
        raise ParameterError("outputs are a mapping of systems to lines, as {'A': ['the house']}")
    if not outputs:
        raise InputError("there are no outputs, expected those of at least one system")
    return {str(system): as_lines(lines, f"outputs of {system}") for system, lines in outputs.items()}


def refuse_unequal(
    sources: Sequence[str], references: Sequence[Sequence[str]], outputs: Mapping[str, Sequence[str]]
) -> None:
    if not sources:
        raise InputError("there are no sources, expected a line for each segment")
    named_lines = [*((f"reference {i + 1}", lines) for i, lines in enumerate(references)), *outputs.items()]
    for i, (name, lines) in enumerate(named_lines):
        if len(lines) != len(sources):
            what = name if i < len(references) else f"system {name!r}"
            raise InputError(
                f"{what}: {pluralise(len(lines), 'line')}, expected {len(sources):,} as in the sources, one a segment"
            )


def empty_notes(
    sources: Sequence[str], references: Sequence[Sequence[str]], outputs: Mapping[str, Sequence[str]]
) -> list[str]:
    """Notes on empty lines."""
    notes = []
    for role, lines in (("source", sources), ("reference", [line for reference in references for line in reference])):
        empty = sum(not line.strip() for line in lines)
        if empty:
            notes.append(f"{pluralise(empty, f'{role} is', f'{role}s are')} empty")
    n_empty_by_system = {
        system: n_empty for system, lines in outputs.items() if (n_empty := sum(not line.strip() for line in lines))
    }
    if n_empty_by_system:
        empty_outputs = pluralise(sum(n_empty_by_system.values()), "output is", "outputs are")
        notes.append(f"{empty_outputs} empty, of {join_names(n_empty_by_system)}")
    return notes


def column_of_scores(scores: MetricScores, pair: str, systems: Sequence[str], n_segments: int) -> Floats:
    """A metric's score of each output, as a column of features.

    Parameters
    ----------
    scores
        Scores, whose segments are named 1, 2, ...
    pair
        Language pair. Scores of other pairs are skipped; if either side has no name of a pair, a single pair is used.
    systems
        Systems of the rows.
    n_segments
        Number of segments.

    Returns
    -------
    array of shape (systems, segments)
        The scores.

    Raises
    ------
    InputError
        The metric lacks the pair, a system, or a score.

    Examples
    --------
    >>> from rankscope.data.metric_scores import PairScores
    >>> scores = MetricScores("COMET", {"de-en": PairScores.of({"B": [0.5, 0.2], "A": [0.4, 0.3]})})
    >>> column_of_scores(scores, "de-en", ["A", "B"], 2).tolist()
    [[0.4, 0.3], [0.5, 0.2]]
    """
    scores_by_pair = scores.pairs
    if pair in scores_by_pair:
        pair_scores = scores_by_pair[pair]
    elif len(scores_by_pair) == 1 and "" in (pair, *scores_by_pair):
        pair_scores = next(iter(scores_by_pair.values()))
    else:
        raise InputError(
            f"scores of {scores.metric}: none of {pair or 'a pair without name'}, but of {join_names(scores_by_pair)}"
        )
    rows = positions_among(systems, pair_scores.systems)
    if (rows < 0).any():
        missing_systems = join_names(name for name, row in zip(systems, rows.tolist(), strict=True) if row < 0)
        raise InputError(
            f"scores of {scores.metric}: none of {missing_systems}; there are those of "
            f"{join_names(pair_scores.systems)}"
        )
    columns = positions_among([str(i + 1) for i in range(n_segments)], pair_scores.segments)
    values = np.where(columns >= 0, pair_scores.values[rows][:, columns], np.nan)
    if np.isnan(values).any():
        system, segment = np.argwhere(np.isnan(values))[0].tolist()
        missing = pluralise(int(np.isnan(values).sum()), "output has", "outputs have")
        raise InputError(
            f"scores of {scores.metric}: {missing} none, first {systems[system]}, segment {segment + 1}; a feature "
            "needs one for each output"
        )
    return values


def broadcast_columns(
    extra: Mapping[str, npt.ArrayLike], shape: tuple[int, int], reserved_names: Mapping[str, object]
) -> dict[str, Floats]:
    """Columns as (systems, segments); a column of shape (segments) is repeated for every system.

    Parameters
    ----------
    extra
        Name -> column.
    shape
        Numbers of systems and segments.
    reserved_names
        Names that a column must not have.

    Returns
    -------
    dict
        Name -> (systems, segments).

    Raises
    ------
    InputError
        A column has another shape or a reserved name.
    """
    columns = {}
    for name, values in extra.items():
        array = np.asarray(values, np.float64)
        if array.shape not in (shape, shape[1:]):
            raise InputError(f"column {name!r} of shape {array.shape}, expected {shape}: systems, segments")
        if name in reserved_names:
            raise InputError(f"column {name!r} has the name of a feature that is built in; rename it")
        columns[name] = np.broadcast_to(array, shape)
    return columns


#: A note is given above this share of unknown words; text of the model's language has far fewer.
MOST_UNKNOWN = 0.5


def vocabulary_notes(texts: PreparedTexts, names: Iterable[str]) -> list[str]:
    """A note for each side of a model, used by these features, that knows less than half of the words."""
    used_models = {COLUMNS[name].model for name in names}
    source, output, _ = texts.tokens
    checks: list[tuple[str, str, TokenLists, Callable[[str], bool]]] = []
    if "language_model" in used_models and (model := texts.language_model) is not None:
        checks.append(("language_model", "outputs", output, lambda word: word.encode() in model.numbers))
    for role, lexicon, source_tokens, target_tokens in (
        ("forward", texts.forward, source, output),
        ("backward", texts.backward, output, source),
    ):
        if role in used_models and lexicon is not None:
            sides = ("sources", "outputs") if role == "forward" else ("outputs", "sources")
            checks.append((role, sides[0], source_tokens, lexicon.source_numbers.__contains__))
            checks.append((role, sides[1], target_tokens, lexicon.target_numbers.__contains__))
    notes = []
    for role, side, tokens, knows in checks:
        share = unknown_share(tokens, knows)
        if share > MOST_UNKNOWN:
            notes.append(
                f"{role} does not know {share:.0%} of the words of the {side}: it may be of another language, or the "
                "two lexicons were swapped"
            )
    return notes


def unknown_share(texts: TokenLists, knows: Callable[[str], bool]) -> float:
    """The share of unknown tokens; 0 where there are no tokens."""
    if not texts.tokens.size:
        return 0.0
    is_unknown = np.fromiter((not knows(word) for word in texts.words), np.bool_, len(texts.words))
    return float(is_unknown[texts.tokens].mean())
