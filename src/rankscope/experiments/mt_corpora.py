"""Parallel text that models of translations may learn from: what there was before the test set, each line once."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.plain_texts import read_lines
from rankscope.typing import PathLike

__all__ = ["CORPORA", "Corpora", "find_corpora", "parallel_lines", "target_lines"]

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
