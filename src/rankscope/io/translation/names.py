"""Normalised names in data of machine translation: language pairs, systems, segments; and rankings built from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from rankscope.data.rankings import Labels, Rankings
from rankscope.errors import InputError
from rankscope.kernels.order import first_repeat
from rankscope.kernels.segments import bounds, group_of
from rankscope.typing import Floats, Ints

__all__ = [
    "bare_names",
    "build_rankings",
    "normalise_pair",
    "pair_name",
    "segment_order",
]


#: The code of each language, then its other codes and its English name, as in WMT's files.
LANGUAGES = """
bn ben bengali; cs cz ces cze czech; de deu ger german; en eng english; es spa spanish; et est estonian;
fi fin finnish; fr fra fre french; gu guj gujarati; ha hau hausa; he heb hebrew; hi hin hindi; hr hrv croatian;
ht hat haitian; hu hun hungarian; is isl ice icelandic; it ita italian; iu iku inuktitut; ja jpn japanese;
kk kaz kazakh; km khm khmer; ko kor korean; liv livonian; lt lit lithuanian; lv lav latvian; mr mar marathi;
nl nld dutch; pl pol polish; ps pus pashto; pt por portuguese; ro ron rum romanian; ru rus russian; sah yakut;
ta tam tamil; tr tur turkish; uk ukr ukrainian; ur urd urdu; xh xho xhosa; zh zho chi chinese; zu zul zulu
"""
CODES = {name: names[0] for names in map(str.split, LANGUAGES.split(";")) for name in names}
#: A system's name with the test set before it, and perhaps the pair: newstest2013.fr-en.online-A,
#: newstest2015.online-A.0.de-en.txt, newstest2014.online-A.
LONG_NAMES = (
    re.compile(r"(?P<set>[^.]+)\.[a-z]{2,3}-[a-z]{2,3}\.(?P<name>.+)"),
    re.compile(r"(?P<set>[^.]+)\.(?P<name>.+?)\.[a-z]{2,3}-[a-z]{2,3}(?:\.txt)?"),
    re.compile(r"(?P<set>news[a-z]*20\d\d[A-Za-z]*)\.(?P<name>.+)"),
)


def language_code(name: str) -> str:
    """The code of a language; an unknown name in lower case.

    >>> language_code("Czech"), language_code("deu"), language_code("Haitian Creole (Raw)")
    ('cs', 'de', 'haitian creole (raw)')
    """
    lower_name = name.strip().lower()
    return CODES.get(lower_name, lower_name)


def pair_name(source: str, target: str) -> str:
    """A language pair: `pair_name("Czech", "English")` is cs-en."""
    return f"{language_code(source)}-{language_code(target)}"


def normalise_pair(pair: str) -> str:
    """The normalised name of a language pair such as cz-en; other words stay as they are.

    >>> normalise_pair("cz-en"), normalise_pair("deu-eng"), normalise_pair("all")
    ('cs-en', 'de-en', 'all')
    """
    source, dash, target = pair.partition("-")
    return pair_name(source, target) if dash and target else pair


def bare_names(names: Iterable[str]) -> dict[str, str]:
    """The name of each system without test set and language pair; unchanged if there are several test sets.

    >>> bare_names(["newstest2013.fr-en.online-A", "newstest2015.KIT.4017.de-en.txt", "_ref"])["_ref"]
    '_ref'
    >>> list(bare_names(["newstest2013.fr-en.DCU__primary.2828", "newstest2013.online-B.fr-en"]).values())
    ['DCU__primary.2828', 'online-B']
    """
    matches = {name: next((m for pattern in LONG_NAMES if (m := pattern.fullmatch(name))), None) for name in names}
    sets = {match["set"] for match in matches.values() if match}
    if len(sets) > 1:
        return {name: name for name in matches}
    return {name: match["name"] if match else name for name, match in matches.items()}


def segment_order(segments: Sequence[str]) -> list[int]:
    """The order of segments by number; their given order where not all are numbers."""
    if all(name.isascii() and name.isdigit() for name in segments):
        digits = [name.lstrip("0") for name in segments]  # as text: Python does not convert thousands of digits
        return sorted(range(len(segments)), key=lambda i: (len(digits[i]), digits[i]))
    return list(range(len(segments)))


def build_rankings(
    *,
    pairs: Sequence[str],
    segments: Sequence[str],
    judges: Sequence[str],
    lengths: Ints,
    systems: Sequence[str],
    columns: Mapping[str, Floats],
    where: Callable[[int, int], str],
    scores: Iterable[str] = (),
    notes: Sequence[str] = (),
    shorten: bool = True,
) -> Rankings:
    """Rankings from lists, with one entry per judgment or per item.

    Parameters
    ----------
    pairs, segments, judges
        One name per judgment.
    lengths
        Number of items of each judgment.
    systems
        One name per item.
    columns
        Name -> one number per item.
    where
        Gives file:line of an item, by the indices of its judgment and of the item.
    scores
        Columns in which higher is better.
    notes
        What a reader should know.
    shorten
        Whether to shorten systems' names by `bare_names`.

    Returns
    -------
    Rankings
        The judgments.

    Raises
    ------
    InputError
        A system occurs twice in one judgment.
    """
    full_names = Labels.of(systems)
    short_names = bare_names(full_names.names) if shorten else {}
    system_labels = Labels.of([short_names.get(name, name) for name in full_names.names])
    offsets, codes = bounds(lengths), system_labels.codes[full_names.codes]
    judgment, n_systems = group_of(offsets), max(len(system_labels.names), 1)
    key = judgment * n_systems + codes
    repeat = first_repeat(key)
    if repeat is not None:
        item, _ = repeat
        raise InputError(
            f"{where(int(judgment[item]), item)}: system {system_labels.names[codes[item]]!r} occurs twice in one "
            "judgment, expected each system once; keep one of the two"
        )
    return Rankings(
        pair=Labels.of(pairs),
        segment=Labels.of(segments),
        judge=Labels.of(judges),
        offsets=offsets,
        system=Labels(system_labels.names, codes),
        columns=columns,
        score_columns=frozenset(scores),
        notes=tuple(notes),
    )
