"""chrF of many outputs at once, against references and against the outputs of other systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.translation.features.ngram_matches import NgramMatches, NgramPlaces, ngram_matches, ngram_totals
from rankscope.translation.token_lists import TokenLists, slices_by_size
from rankscope.typing import Floats, Ints

__all__ = [
    "BETA",
    "ORDERS",
    "character_f",
    "consensus_f",
    "f_score",
]


#: The defaults of sacrebleu: character n-grams of orders 1 to 6; recall counts twice as much.
ORDERS, BETA = 6, 2
#: Characters at a time: their arrays fit into the cache.
CHARACTERS_AT_ONCE = 1 << 18


def character_f(outputs: Sequence[str], segments: Ints, references: Sequence[Sequence[str]]) -> Floats:
    """The chrF of each output: character n-grams up to six, beta 2, without blanks; in [0, 100], higher is better.

    Parameters
    ----------
    outputs
        The outputs.
    segments
        Line of the references that each output belongs to, (outputs).
    references
        Lists of lines. The reference that gives the highest value counts.

    Returns
    -------
    array of shape (outputs)
        0 for an empty output.

    References
    ----------
    Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation"; agrees with sacrebleu's CHRF to the
    last bits.

    Examples
    --------
    >>> character_f(["the cat"], np.array([0]), [["the cat"]]).tolist()
    [100.0]
    """
    output_characters = TokenLists.of_characters([without_blanks(text) for text in outputs])
    order = np.argsort(segments, kind="stable")
    best = np.zeros(len(outputs))
    for reference in references:
        reference_characters = TokenLists.of_characters([without_blanks(text) for text in reference])
        for batch in slices_by_size(output_characters.lengths[order], CHARACTERS_AT_ONCE):
            rows = order[batch]
            first_segment, last_segment = segments[rows[[0, -1]]].tolist()
            batch_references = reference_characters.take(np.arange(first_segment, last_segment + 1))
            scores = f_score(
                ngram_matches(output_characters.take(rows), segments[rows] - first_segment, [batch_references], ORDERS)
            )
            best[rows] = np.maximum(best[rows], scores)
    return best


def without_blanks(text: str) -> str:
    return "".join(text.split())


def f_score(counts: NgramMatches) -> Floats:
    """(outputs) F score of the mean precision and mean recall over the orders that output and reference both have."""
    output_totals, reference_totals = counts.totals, counts.reference_totals
    in_both = (output_totals > 0) & (reference_totals > 0)
    n_orders = np.maximum(in_both.sum(axis=0), 1)
    precision = np.where(in_both, counts.matches / np.where(in_both, output_totals, 1), 0.0).sum(axis=0) / n_orders
    recall = np.where(in_both, counts.matches / np.where(in_both, reference_totals, 1), 0.0).sum(axis=0) / n_orders
    weight = BETA**2
    denominator = weight * precision + recall
    return 100 * np.where(
        denominator > 0, (1 + weight) * precision * recall / np.where(denominator > 0, denominator, 1), 0.0
    )


#: Characters of whole segments at a time.
NGRAMS_AT_ONCE = 1 << 19


def consensus_f(outputs: Sequence[str], segments: Ints) -> Floats:
    """Character F of each output against the others of its segment, in [0, 100], higher is more alike.

    Parameters
    ----------
    outputs
        The outputs.
    segments
        Segment of each output, (outputs).

    Returns
    -------
    array of shape (outputs)
        0 for an output that is alone in its segment, or without characters.

    Notes
    -----
    The others count as one reference, with the average count of each n-gram and the average length; all else is as in
    chrF.

    Examples
    --------
    >>> consensus_f(["abc", "abc", "xyz"], np.array([0, 0, 0])).tolist()
    [50.0, 50.0, 0.0]
    """
    texts = TokenLists.of_characters([without_blanks(text) for text in outputs])
    order = np.argsort(segments, kind="stable")
    group_of_row = np.cumsum(np.diff(segments[order], prepend=segments[order[:1]]) != 0)
    scores = np.zeros(len(outputs))
    group_sizes = np.bincount(group_of_row, texts.lengths[order])
    for group_slice in slices_by_size(group_sizes.astype(np.int64), NGRAMS_AT_ONCE):
        begin, end = np.searchsorted(group_of_row, [group_slice.start, group_slice.stop])
        rows = order[begin:end]
        scores[rows] = consensus_of_slice(texts.take(rows), group_of_row[begin:end] - group_slice.start)
    return scores


def consensus_of_slice(texts: TokenLists, group: Ints) -> Floats:
    """As `consensus_f`, for the outputs of some segments. group: (outputs) the segment of each."""
    n = len(texts)
    vocabulary_size = 1 + int(texts.tokens.max(initial=0))
    n_others = np.bincount(group)[group] - 1
    divisor = np.maximum(n_others, 1)
    places = NgramPlaces.at_start(texts, group)
    matches = np.zeros((ORDERS, n))
    for k in range(ORDERS):
        unique_keys, place = np.unique(places.keys(vocabulary_size, k), return_inverse=True)
        places.move(place)
        row_place_keys, counts = np.unique(places.row * max(unique_keys.size, 1) + place, return_counts=True)
        if not row_place_keys.size:
            break
        row, ngram = np.divmod(row_place_keys, unique_keys.size)
        counts_elsewhere = np.bincount(place, minlength=unique_keys.size)[ngram] - counts
        # Integers until the division: n-grams are added in the order of their numbers, which depend on other segments.
        matches[k] = np.bincount(row, np.minimum(counts * divisor[row], counts_elsewhere), n) / divisor
    output_totals = ngram_totals(texts.lengths, ORDERS)
    group_totals = np.stack([np.bincount(group, order_totals)[group] for order_totals in output_totals])
    return np.where(
        n_others > 0, f_score(NgramMatches(matches, output_totals, (group_totals - output_totals) / divisor)), 0.0
    )
