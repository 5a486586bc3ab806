"""Plain texts of WMT's test sets: sources, references and outputs of systems, with one segment per line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.core import BOM, open_binary, source_name
from rankscope.io.translation.names import bare_names
from rankscope.typing import PathLike

__all__ = [
    "Texts",
    "read_lines",
    "read_plain_texts",
]


Lines = tuple[str, ...]


@dataclass(frozen=True)
class Texts:
    """The texts of one language pair: line i of each belongs to segment i + 1.

    Attributes
    ----------
    pair
        Language pair.
    sources, references
        Lines.
    systems
        System -> its lines.
    """

    pair: str
    sources: Lines
    references: Lines
    systems: Mapping[str, Lines]

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.sources)


def read_lines(path: PathLike) -> Lines:
    r"""Read the lines of a text file, split at LF only, exactly as they are: HTML entities, CR and blanks stay.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    tuple of str
        The lines. What other programs take for the end of a line (NEL, U+2028, a lone CR) occurs inside segments of
        real outputs.

    Raises
    ------
    InputError
        The file is missing, or bytes are not UTF-8 (with the line).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "out.en")
    >>> _ = path.write_bytes("it&apos;s\u2028one line\n\nthree\n".encode())
    >>> read_lines(path)
    ('it&apos;s\u2028one line', '', 'three')
    """
    with open_binary(path) as stream:
        content = stream.read().removeprefix(BOM)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source_name(path)}:{line}: bytes that are not UTF-8, expected text; convert it") from None
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def read_plain_texts(folder: PathLike, pair: str, *, test_set: str | None = None) -> Texts:
    r"""Read the texts of a language pair from a folder as WMT publishes it.

    Parameters
    ----------
    folder
        Folder with sources/TESTSET-src.LANGUAGE, references/TESTSET-ref.LANGUAGE (or TESTSET-CSEN-src.LANGUAGE, with
        both languages) and system-outputs/TESTSET/PAIR/, one file per system, whose name may have test set and pair
        around the system's.
    pair
        Language pair.
    test_set
        Test set, if there are several.

    Returns
    -------
    Texts
        Lines are as `read_lines` reads them.

    Raises
    ------
    InputError
        A folder or file is missing, or has another number of lines than the source.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("sources/news-src.de", "references/news-ref.en", "system-outputs/news/de-en/news.de-en.A"):
    ...     (folder / name).parent.mkdir(parents=True, exist_ok=True)
    ...     _ = (folder / name).write_text("eins\nzwei\n")
    >>> read_plain_texts(folder, "de-en").systems
    {'A': ('eins', 'zwei')}
    """
    root = Path(folder)
    source, dash, target = pair.partition("-")
    if not dash:
        raise InputError(f"{pair!r} is not a language pair, expected one such as de-en")
    output_folder = find_output_folder(root / "system-outputs", pair, test_set)
    set_name = output_folder.parent.name
    languages = pair.replace("-", "")
    texts = {}
    for subfolder, kind, language in (("sources", "src", source), ("references", "ref", target)):
        files = [f"{set_name}-{kind}.{language}", f"{set_name}-{languages}-{kind}.{language}"]
        path = next(
            (root / subfolder / file for file in files if (root / subfolder / file).is_file()),
            root / subfolder / files[0],
        )
        texts[path] = read_lines(path)
    (source_file, sources), (_, references) = texts.items()
    systems = {}
    output_files = sorted(path for path in output_folder.iterdir() if path.is_file() and not path.name.startswith("."))
    short_names = bare_names(path.name for path in output_files)
    for path in output_files:
        system = short_names[path.name]
        if system in systems:
            raise InputError(f"{path}: a second file of system {system!r}, expected one each; remove one")
        systems[system] = texts[path] = read_lines(path)
    if not systems:
        raise InputError(f"{output_folder}: an empty folder, expected a file a system")
    refuse_unequal(texts, source_file)
    return Texts(pair, sources, references, systems)


def find_output_folder(folder: Path, pair: str, test_set: str | None) -> Path:
    """The folder with the outputs for a pair."""
    names = subfolders(folder)
    candidates = [name for name in names if (folder / name / pair).is_dir()]
    selected = candidates if test_set is None else [name for name in candidates if name == test_set]
    if not selected:
        pairs = sorted({available for name in names for available in subfolders(folder / name)})
        set_text = f" of {test_set}" if test_set else ""
        raise InputError(f"{folder}: no outputs{set_text} for {pair}; there is {join_names(pairs) or 'nothing'}")
    if len(selected) > 1:
        raise InputError(
            f"{folder}: {pair} in {len(selected)} test sets ({join_names(selected)}); say which (test_set)"
        )
    return folder / selected[0] / pair


def subfolders(folder: Path) -> list[str]:
    """The names of the folders in a folder. Raises InputError where it is not a folder."""
    if not os.path.isdir(folder):
        raise InputError(f"{folder}: no such folder, expected sources/, references/ and system-outputs/ side by side")
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def refuse_unequal(texts: Mapping[Path, Lines], source: Path) -> None:
    """Raise where a file has another number of lines than the source."""
    n = len(texts[source])
    unequal: Iterable[Path] = (path for path, lines in texts.items() if len(lines) != n)
    for path in unequal:
        raise InputError(
            f"{path}: {pluralise(len(texts[path]), 'line')}, expected {n:,} as in {source.name}, one a segment; "
            "lines end with LF only"
        )
