"""A fingerprint of judgments: by it scores that were saved know whether others rest on the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rankscope.typing import Ints

__all__ = ["Fingerprint"]


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """What identifies judgments: their queries in order, and the grades of the judged documents of each, sorted.

    grades: in falling order within each query; offsets: (queries + 1) where those of each query begin. Ids of documents
    are no part of it, since scores do not hold them: two sets of judgments with the same grades for every query have
    the same fingerprint. Its text is computed when it is first asked for, and then kept.
    """

    query_ids: Sequence[str]
    grades: Ints
    offsets: Ints

    @cached_property
    def text(self) -> str:
        """32 hexadecimal digits: BLAKE2b over ids, sizes and grades."""
        from hashlib import blake2b  # most scores are never saved

        ids = [id_.encode("utf-8", "surrogateescape") for id_ in self.query_ids]
        digest = blake2b(repr([len(id_) for id_ in ids]).encode(), digest_size=16)
        digest.update(b"".join(ids))
        for numbers in (self.offsets, self.grades):
            digest.update(numbers.astype("<i8").tobytes())
        return digest.hexdigest()

    def __call__(self) -> str:
        return self.text
