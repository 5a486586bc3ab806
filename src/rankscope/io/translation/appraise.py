"""Rankings of Appraise for WMT13 to WMT16: XML, read as a stream, without expanding entities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.data.rankings import Rankings
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.io.translation.names import build_rankings, pair_name
from rankscope.io.translation.wmt_rankings import parse_rank
from rankscope.io.translation.xml_events import XmlReader
from rankscope.typing import PathLike

__all__ = [
    "read_appraise_rankings",
]


#: How deeply elements may nest.
DEEPEST = 64
#: The elements that hold one judgment, and the names of its attributes, in lower case.
JUDGMENTS = ("ranking-result", "ranking-item")
SOURCE, TARGET = ("source-language", "srclang"), ("target-language", "trglang")
JUDGE = ("user", "judge", "annotator")
SEGMENT = ("segment-id", "srcindex", "id")


class RankedItem(NamedTuple):
    pair: str
    segment: str
    judge: str
    line: int


def read_appraise_rankings(path: PathLike) -> Rankings:
    r"""Read the ranking results of Appraise.

    Parameters
    ----------
    path
        File; "-" is standard input. gzip and Zstandard are detected from the content.

    Returns
    -------
    Rankings
        With the column "rank". Results without translations (skipped ones) are counted in a note.

    Raises
    ------
    InputError
        With file and line: XML is broken or holds a document type, a declared entity or an external reference, a rank
        is missing or not a number, a translation has no system, a system occurs twice in a result, or there are no
        results.

    Notes
    -----
    Each `ranking-result` (or `ranking-item`) is a judgment; its `translation` elements are items with `system` and
    `rank` (1 is best, -1: not ranked). Languages are the attributes source-language and target-language of the result
    or of its parent (HIT), the judge is `user`, the segment the id of the `ranking-task`, else of the result itself.
    Equal outputs were shown once, under all their systems' names with commas between: each becomes an item, tied with
    the others. Nothing is expanded or fetched.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "results.xml")
    >>> _ = path.write_text(
    ...     '<results><HIT source-language="deu" target-language="eng"><ranking-task id="7">'
    ...     '<ranking-result user="ann" duration="00:00:35"><translation system="A" rank="1"/>'
    ...     '<translation system="B,C" rank="2"/></ranking-result></ranking-task></HIT></results>'
    ... )
    >>> rankings = read_appraise_rankings(path)
    >>> rankings.pair.names, rankings.systems, rankings.table("rank").tolist()
    (('de-en',), ('A', 'B', 'C'), [[1.0, 2.0, 2.0]])
    """
    reader = AppraiseReader(path)
    reader.read()
    name = reader.name
    if not reader.judgments:
        raise InputError(f"{name}: no judgments, expected ranking-result elements with translations of Appraise")
    notes = []
    if reader.n_skipped:
        notes.append(f"{name}: {pluralise(reader.n_skipped, 'result')} without translations skipped")
    ranks = np.array(reader.ranks)
    unranked = int(np.isnan(ranks).sum())
    if unranked:
        notes.append(f"{name}: {pluralise(unranked, 'output is', 'outputs are')} not ranked (-1)")
    return build_rankings(
        pairs=[judgment.pair for judgment in reader.judgments],
        segments=[judgment.segment for judgment in reader.judgments],
        judges=[judgment.judge for judgment in reader.judgments],
        lengths=np.array(reader.lengths),
        systems=reader.systems,
        columns={"rank": ranks},
        where=lambda row, _: f"{name}:{reader.judgments[row].line}",
        notes=notes,
    )


class AppraiseReader(XmlReader):
    """Collects judgments."""

    def __init__(self, path: PathLike) -> None:
        super().__init__(path, "results of Appraise")
        self.first_line = 0
        self.open_elements: list[tuple[str, dict[str, str]]] = []
        self.judgments: list[RankedItem] = []
        self.lengths: list[int] = []
        self.systems: list[str] = []
        self.ranks: list[float] = []
        self.n_items = self.n_skipped = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open_elements) == DEEPEST:
            raise self.error_here(
                f"<{tag}> inside of {DEEPEST} other elements, expected {self.expected}, which have few levels; correct "
                "it"
            )
        self.open_elements.append((tag.lower(), {key.lower(): value for key, value in attributes.items()}))
        if tag.lower() in JUDGMENTS:
            self.n_items = 0
            self.first_line = self.line
        elif tag.lower() == "translation" and len(self.open_elements) > 1 and self.open_elements[-2][0] in JUDGMENTS:
            self.add_translation(self.open_elements[-1][1])

    def end(self, _: str) -> None:
        tag, _own = self.open_elements[-1]
        if tag in JUDGMENTS:
            if self.n_items:
                pair = (
                    pair_name(source, target)
                    if (source := self.nearest_attribute(SOURCE)) and (target := self.nearest_attribute(TARGET))
                    else ""
                )
                self.judgments.append(RankedItem(pair, self.segment(), self.nearest_attribute(JUDGE), self.first_line))
                self.lengths.append(self.n_items)
            else:
                self.n_skipped += 1
        self.open_elements.pop()

    def add_translation(self, attributes: dict[str, str]) -> None:
        systems = [system.strip() for system in attributes.get("system", "").split(",")]
        if "" in systems:
            raise self.error_here("a translation without a system, expected its name; correct this line")
        rank_text = attributes.get("rank", "")
        rank = parse_rank(rank_text)
        if rank is None:
            problem = f"rank {rank_text!r}" if rank_text else "a translation without a rank"
            raise self.error_here(
                f"{problem}, expected a number from 1 (best) on, or -1 for not ranked; correct this line"
            )
        self.systems += systems
        self.ranks += [rank] * len(systems)
        self.n_items += len(systems)

    def nearest_attribute(self, names: tuple[str, ...]) -> str:
        """The attribute with one of these names, of the element or its nearest ancestor; empty where there is none."""
        values = (
            attributes[name] for _, attributes in reversed(self.open_elements) for name in names if name in attributes
        )
        return next(values, "")

    def segment(self) -> str:
        """The segment of the result that ends here."""
        for tag, attributes in reversed(self.open_elements):
            if tag == "ranking-task" and "id" in attributes:
                return attributes["id"]
        segment_id = next(
            (self.open_elements[-1][1][name] for name in SEGMENT if name in self.open_elements[-1][1]), None
        )
        if segment_id is None:
            raise InputError(
                f"{self.name}:{self.first_line}: a result without a segment, expected it in a ranking-task with an id, "
                "or with an id itself"
            )
        return segment_id
