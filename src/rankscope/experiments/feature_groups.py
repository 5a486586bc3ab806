"""Groups of features by name: "bm25=1-5,7", "titles=title*", "title*"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rankscope.data.wording import pluralise
from rankscope.errors import ParameterError, UnknownName

__all__ = ["feature_groups", "parse_group"]

NUMBER_SPAN = re.compile(r"(\d+)-(\d+)")
FORM = "expected NAME=FEATURE,..., as bm25=1-5,7 or titles=title*,url"
#: More features than these have no table.
MAX_FEATURES = 1_000_000


def parse_group(text: str) -> tuple[str, tuple[str, ...]]:
    """The name of a group, and what it is made of: features, spans of numbers, beginnings of names with a star.

    One beginning alone needs no name. Raises ParameterError for another form.

    >>> parse_group("bm25=1-3,7"), parse_group("title_*")
    (('bm25', ('1-3', '7')), ('title_', ('title_*',)))
    """
    if not isinstance(text, str):
        raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    name, equals, rest = text.partition("=")
    if not equals:
        name, rest = text.removesuffix("*"), text
        if not text.endswith("*") or not name:
            raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    members = tuple(part.strip() for part in rest.split(","))
    if not name.strip() or not all(members):
        raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    return name.strip(), members


def feature_groups(
    asked: Mapping[str, Sequence[str]] | Sequence[str], names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The features of each group, among these names, in their order. asked: texts, or groups of features by name.

    Raises UnknownName for a feature that there is not, ParameterError for a group that comes twice, begins no name, is
    all features or has none, and for what is no text.
    """
    if isinstance(asked, str):
        asked = [asked]
    if not isinstance(asked, (Mapping, Sequence)):
        raise ParameterError(f"cannot read the groups {asked!r}; {FORM}")
    given = list(asked.items()) if isinstance(asked, Mapping) else [parse_group(text) for text in asked]
    if not given:
        raise ParameterError(f"no group of features to leave out; {FORM}")
    found: dict[str, tuple[str, ...]] = {}
    for name, members in given:
        if name in found:
            raise ParameterError(f"the group {name!r} was given twice, expected each once")
        texts = [members] if isinstance(members, str) else members
        if not isinstance(texts, Sequence) or not texts or not all(isinstance(text, str) for text in texts):
            raise ParameterError(f"the group {name!r} is {members!r}, expected names of features, as ['1', 'title*']")
        chosen = {one for text in texts for one in matching_features(text, names)}
        found[name] = tuple(one for one in names if one in chosen)
        if len(found[name]) == len(names):
            raise ParameterError(
                f"the group {name!r} holds {'both' if len(names) == 2 else f'all {len(names)}'} features, and nothing "
                "can be learned without them; leave some out of it"
            )
    return found


def matching_features(text: str, names: Sequence[str]) -> Sequence[str]:
    """The features that a part of a group names."""
    if text in names:
        return (text,)
    if text.endswith("*"):
        found = [one for one in names if one.startswith(text[:-1])]
        if not found:
            raise UnknownName("beginning of a feature's name", text, names)
        return found
    span = NUMBER_SPAN.fullmatch(text)
    if span is None:
        raise UnknownName("feature", text, names)
    first, last = int(span[1]), int(span[2])
    if first > last or last - first > MAX_FEATURES:
        raise ParameterError(f"{text} is no span of {pluralise(len(names), 'feature')}; give the lower number first")
    found = [str(i) for i in range(first, last + 1)]
    for one in found:
        if one not in names:
            raise UnknownName("feature", one, names)
    return found
