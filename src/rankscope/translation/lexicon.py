"""A lexicon: with what probability a word translates another, and a sentence another; files of it.

Sentences of one group have most of their words in common, so each probability is looked up once a group, and then only
fetched for each pair of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.io.core import compress, empty_file_error, open_binary, source_name, write_chunks
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of, sum_by_group
from rankscope.translation.array_file import DamagedArrayFile, magic_stem, pack_arrays, unpack_arrays
from rankscope.translation.token_lists import TokenLists, slices_by_size, sorted_unique
from rankscope.translation.tokenisation import as_lines
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "FLOOR",
    "LexicalScores",
    "Lexicon",
    "LexiconWords",
    "copied_words",
    "load_lexicon",
    "save_lexicon",
    "summed_by_word",
]


#: Pairs of words at a time: what they need stays near the processor.
CELLS_AT_ONCE = 1 << 19


@dataclass(frozen=True, eq=False)
class LexiconWords:
    """The words of sentences that a lexicon has. tokens: their numbers. offsets: of the sentences. where: their places
    among all words.
    """

    tokens: Ints
    offsets: Ints
    where: Ints

    @classmethod
    def of(cls, sentences: TokenLists, numbers: dict[str, int]) -> LexiconWords:
        tokens = sentences.numbered_by(numbers)[sentences.tokens]
        where = np.flatnonzero(tokens >= 0)
        lengths = np.bincount(sentences.sentence[where], minlength=len(sentences))
        return cls(tokens[where], bounds(lengths), where)

    def take(self, index: Ints) -> LexiconWords:
        lengths = np.diff(self.offsets)[index]
        places = ranges(self.offsets[index], lengths)
        return LexiconWords(self.tokens[places], bounds(lengths), self.where[places])


def copied_words(sources: TokenLists, targets: TokenLists) -> Bools:
    """(target tokens) whether the source of the sentence has the same word."""
    n = len(sources.words) + 1
    same = targets.numbered_by({word: i for i, word in enumerate(sources.words)})[targets.tokens]
    there = sorted_unique(sources.sentence * n + sources.tokens)
    wanted = targets.sentence * n + same
    if not there.size:
        return np.zeros(wanted.size, np.bool_)
    place = np.minimum(np.searchsorted(there, wanted), there.size - 1)
    return np.asarray((there[place] == wanted) & (same >= 0), np.bool_)


def summed_by_word(
    source: LexiconWords,
    target: LexiconWords,
    groups: Ints,
    n: int,
    probability: Callable[[Ints, Ints], Floats],
    progress: Callable[[float], Any] | None = None,
) -> Floats:
    """(target tokens, of all n) sum_j t(e|f_j) over the source of the sentence; 0 for words that are not known.

    groups: (sentences) those that are looked up together. probability: t of source words and target words. progress:
    told of the share of the work just done.
    """
    found = np.zeros(n)
    order = np.argsort(groups, kind="stable")
    work = (np.diff(source.offsets) * np.diff(target.offsets))[order]
    first = np.flatnonzero(np.diff(groups[order], prepend=groups[order[:1]] - 1))
    whole = np.add.reduceat(work, first) if first.size else work
    ends = np.append(first[1:], order.size)
    for piece in slices_by_size(whole, CELLS_AT_ONCE):
        rows = order[first[piece.start] : ends[piece.stop - 1]]
        part = target.take(rows)
        found[part.where] = sums_of_slice(source.take(rows), part, groups[rows], probability)
        if progress is not None:
            progress(rows.size / order.size)
    return found


def sums_of_slice(
    source: LexiconWords, target: LexiconWords, groups: Ints, probability: Callable[[Ints, Ints], Floats]
) -> Floats:
    """(target tokens) the sums; sentences of one group lie together."""
    group = np.cumsum(np.diff(groups, prepend=groups[0]) != 0)
    words, word_of_token, words_begin = distinct_words(source, group)
    others, other_of_token, others_begin = distinct_words(target, group)
    # A row for each source word of each group, with a cell for each target word of that group.
    group_of_word = group_of(words_begin)
    width = np.diff(others_begin)[group_of_word]
    cells = ranges(others_begin[group_of_word], width)
    table = probability(np.repeat(words, width), others[cells])
    row = bounds(width)[:-1][word_of_token]
    column = other_of_token - others_begin[group[group_of(target.offsets)]]
    # Each target token fetches its column from the rows of all source tokens of its sentence.
    sentence = group_of(target.offsets)
    lengths = np.diff(source.offsets)[sentence]
    fetched = table[row[ranges(source.offsets[:-1][sentence], lengths)] + np.repeat(column, lengths)]
    begin = bounds(lengths)[:-1]
    some = lengths > 0
    sums = np.zeros(lengths.size)
    if some.any():
        sums[some] = np.add.reduceat(fetched, begin[some])
    return sums


def distinct_words(known: LexiconWords, group: Ints) -> tuple[Ints, Ints, Ints]:
    """The different words of each group, rising; which of them each token is; where those of each group begin."""
    n = int(known.tokens.max(initial=0)) + 1
    keys, which = np.unique(group[group_of(known.offsets)] * n + known.tokens, return_inverse=True)
    sizes = np.bincount(keys // n, minlength=int(group[-1]) + 1)
    return keys % n, which, bounds(sizes)


#: Below this no word's probability falls, where nothing is smoothed.
FLOOR = 1e-7
#: Smoothed: the weight of the unigram; what a word that nobody translated gains where it stands in the source as well.
UNIGRAM, COPY = 0.1, 0.1


@dataclass(frozen=True)
class LexicalScores:
    """Natural logarithms of P(target | source), one a sentence, at most 0 where smoothed; higher is more likely."""

    plain: Floats
    smoothed: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Lexicon:
    """t(e|f): with what probability the source word f is translated by the target word e; see `train_lexicon`.

    source_words: with the empty word first, where `null` is set, which stands in every source sentence. begins: (source
    words + 1) where the translations of each begin. targets: rising numbers of target words of each. probability:
    float32, of each pair. counts: (target words) how often each stands in the training text. likelihood: the logarithm
    of the training text's probability before each iteration, and after the last.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    begins: Ints
    targets: npt.NDArray[np.int32]
    probability: npt.NDArray[np.float32]
    counts: Ints
    null: bool
    likelihood: tuple[float, ...] = field(default=())

    def __repr__(self) -> str:
        sides = (
            f"{pluralise(len(self.source_words), 'source word')}, {pluralise(len(self.target_words), 'target word')}"
        )
        return f"Lexicon({sides}, {pluralise(self.targets.size, 'pair')})"

    @cached_property
    def source_numbers(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.source_words)}

    @cached_property
    def target_numbers(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.target_words)}

    @cached_property
    def keys(self) -> Ints:
        """(pairs) source times the number of target words, plus target: rising."""
        source = np.repeat(np.arange(len(self.source_words)), np.diff(self.begins))
        return source * len(self.target_words) + self.targets

    def translations(self, word: str, most: int | None = None) -> dict[str, float]:
        """The translations of a source word with their probabilities, the likeliest first; none of an unknown one.

        >>> from rankscope.translation import train_lexicon
        >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"], null=False)
        >>> list(lexicon.translations("das", 1))
        ['the']
        """
        row = self.source_numbers.get(word)
        if row is None:
            return {}
        part = slice(int(self.begins[row]), int(self.begins[row + 1]))
        order = np.argsort(-self.probability[part], kind="stable")[:most]
        return {
            self.target_words[e]: p
            for e, p in zip(self.targets[part][order].tolist(), self.probability[part][order].tolist(), strict=True)
        }

    def scores(
        self,
        sources: Iterable[str] | TokenLists,
        targets: Iterable[str] | TokenLists,
        *,
        groups: npt.ArrayLike | None = None,
        progress: Callable[[float], Any] | None = None,
    ) -> LexicalScores:
        """Natural logarithm of the probability of each target sentence, given its source; higher is more likely.

        plain: P(e|f) = prod_i sum_j t(e_i|f_j), each factor at least 1e-7; without the factor of the length it is no
        probability and can lie above 0. smoothed: prod_i of
        .9 (sum_j t(e_i|f_j) + .1 [e_i stands in the source and is no word of t])/(l + 1) + .1 p(e_i), l words in the
        source, p the share of the training text that e_i is, with one added to each count and an unknown word counted.
        f_j are the words of the source, and the empty one where the lexicon has it. An empty target gives 0; an empty
        source leaves the empty word alone.

        sources, targets: tokenised texts, equally many. groups: (sentences) numbers; sentences of one number have much
        in common, as the outputs of many systems for one source do: it is then quicker, with the same values. progress:
        told of the share of the work just done. Raises InputError for unequal numbers of sentences, or of groups,
        ParameterError for one text in the place of many.
        Source: Brown et al. (1993), "The mathematics of statistical machine translation", model 1, without the length;
        Li, Jiang and Wang (2013).

        >>> from rankscope.translation import train_lexicon
        >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"], null=False)
        >>> found = lexicon.scores(["das buch", "das buch"], ["the book", "the house"])
        >>> bool(found.plain[0] > found.plain[1]), bool(found.smoothed[0] > found.smoothed[1])
        (True, True)
        """
        given = [
            part if isinstance(part, TokenLists) else TokenLists.of(as_lines(part, what))
            for part, what in ((sources, "sources"), (targets, "targets"))
        ]
        source, target = given
        if len(source) != len(target):
            raise InputError(
                f"{pluralise(len(source), 'source')} and {len(target):,} targets, expected as many of each"
            )
        together = np.arange(len(source)) if groups is None else np.asarray(groups, np.int64)
        if together.shape != (len(source),):
            raise InputError(f"{together.size:,} groups for {pluralise(len(source), 'sentence')}, expected one each")
        translated = summed_by_word(
            LexiconWords.of(source, self.source_numbers),
            LexiconWords.of(target, self.target_numbers),
            together,
            target.tokens.size,
            self.probabilities,
            progress,
        )
        return self.by_sentence(source, target, translated)

    def probabilities(self, source: Ints, target: Ints) -> Floats:
        """T of words by their numbers; 0 where they never stood together."""
        wanted = source * len(self.target_words) + target
        place = np.minimum(np.searchsorted(self.keys, wanted), self.keys.size - 1)
        return np.where(self.keys[place] == wanted, self.probability[place], 0.0)

    def by_sentence(self, source: TokenLists, target: TokenLists, translated: Floats) -> LexicalScores:
        """Logarithms, added up. translated: of each target token the sum of t over the words of its source."""
        n, sentence = len(target), target.sentence
        known = target.numbered_by(self.target_numbers)[target.tokens]
        unknown = known < 0
        if self.null:
            words = np.arange(len(self.target_words))
            empty = np.append(self.probabilities(np.zeros_like(words), words), 0.0)
            translated = translated + empty[known]
        counts = np.append(self.counts, 0)[known]
        alone = (counts + 1) / (self.counts.sum() + self.counts.size + 1)
        copied = COPY * (unknown & copied_words(source, target))
        smoothed = (1 - UNIGRAM) * (translated + copied) / (source.lengths[sentence] + 1) + UNIGRAM * alone
        plain = np.log(np.maximum(translated, FLOOR))
        return LexicalScores(sum_by_group(plain, sentence, n), sum_by_group(np.log(smoothed), sentence, n))


#: Raise the number when the layout changes.
LEXICON_MAGIC = b"rankscope lexicon 1\n"
TYPES = {"begins": "<i8", "targets": "<i4", "probability": "<f4", "counts": "<i8"}


def save_lexicon(lexicon: Lexicon, path: PathLike) -> None:
    """Write a lexicon in binary, whole or not at all; compressed where the name ends with .gz or .zst.

    The same lexicon gives the same bytes. Raises OutputError where it cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.translation import train_lexicon
    >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"])
    >>> with TemporaryDirectory() as folder:
    ...     save_lexicon(lexicon, Path(folder, "de-en.lexicon"))
    ...     again = load_lexicon(Path(folder, "de-en.lexicon"))
    >>> again, again.translations("haus") == lexicon.translations("haus")
    (Lexicon(4 source words, 3 target words, 10 pairs), True)
    """
    write_chunks(path, compress(chunks_of(lexicon), Path(path).suffix))


def chunks_of(lexicon: Lexicon) -> Iterator[bytes]:
    words = {
        side: np.frombuffer("\n".join(found).encode("utf-8", "surrogatepass"), np.uint8)
        for side, found in (("source_words", lexicon.source_words), ("target_words", lexicon.target_words))
    }
    numbers = {name: np.ascontiguousarray(getattr(lexicon, name)).astype(kind) for name, kind in TYPES.items()}
    arrays: dict[str, npt.NDArray[Any]] = {**words, **numbers}
    return pack_arrays(LEXICON_MAGIC, {"null": lexicon.null, "likelihood": lexicon.likelihood}, arrays)


def load_lexicon(path: PathLike) -> Lexicon:
    """The lexicon of a file that `save_lexicon` wrote, bit for bit; also compressed. Nothing in it is run.

    Raises InputError for a file that is not there, is no lexicon, damaged or cut short. An example is at
    `save_lexicon`.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read()
    if not content:
        raise empty_file_error(name, "a lexicon")
    if not content.startswith(magic_stem(LEXICON_MAGIC)):
        refuse(name, "is no lexicon")
    try:
        return rebuilt(content)
    except Exception as error:  # whatever the bytes are, they are no lexicon
        refuse(name, f"is damaged or cut off ({(str(error) or type(error).__name__).splitlines()[0][:120]})")


def refuse(name: str, why: str) -> NoReturn:
    raise InputError(
        f"{name}: {why}, expected a lexicon that `rankscope features lexicon` wrote; train it again"
    ) from None


def rebuilt(content: bytes) -> Lexicon:
    """Raises Damaged and others for what does not fit."""
    about, arrays = unpack_arrays(LEXICON_MAGIC, content)
    source, target = (split_words(arrays[side]) for side in ("source_words", "target_words"))
    parts = {name: arrays[name] for name in TYPES}
    if {name: array.dtype.str for name, array in parts.items()} != TYPES:
        raise DamagedArrayFile("the types of its numbers")
    begins, targets, probability, counts = parts.values()
    fits = begins.size == len(source) + 1 and not begins[0] and begins[-1] == targets.size == probability.size
    if not fits or not targets.size or counts.size != len(target) or (np.diff(begins) < 0).any():
        raise DamagedArrayFile("its numbers of words")
    if targets.min() < 0 or targets.max() >= len(target) or not ((probability >= 0) & (probability <= 1.001)).all():
        raise DamagedArrayFile("its translations")
    lexicon = Lexicon(
        source_words=source,
        target_words=target,
        begins=begins,
        targets=targets,
        probability=probability,
        counts=counts,
        null=bool(about["null"]),
        likelihood=tuple(map(float, about["likelihood"])),
    )
    if (np.diff(lexicon.keys) <= 0).any():
        raise DamagedArrayFile("the order of its translations")
    return lexicon


def split_words(found: npt.NDArray[Any]) -> tuple[str, ...]:
    words = tuple(found.tobytes().decode("utf-8", "surrogatepass").split("\n"))
    if len(set(words)) < len(words):
        raise DamagedArrayFile("its words")
    return words
