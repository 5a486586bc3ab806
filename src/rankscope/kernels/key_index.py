"""The rows of distinct 64-bit keys: a hash table for many lookups at a time, a binary search for few."""

from __future__ import annotations

import numpy as np

from rankscope.kernels.text import MULTIPLIER
from rankscope.typing import Ints, Words

__all__ = [
    "EMPTY",
    "KeyIndex",
]


#: From so many keys on, they are sorted before a binary search: neighbours are found in the processor's cache.
SORTED_LOOKUP_SIZE = 4096
#: Keys that are looked up in the hash table at a time.
PIECE = 1 << 17
#: More steps than this to place all keys: they were made to collide, and a binary search is used.
MAX_STEPS = 1000
#: What stands in an empty slot; no key is -1.
EMPTY = np.uint64(2**64 - 1)


class KeyIndex:
    """Finds the row of a key among distinct keys.

    The hash table takes up to 48 bytes a key and is built for the first lookup of at least half as many keys as there
    are. In it, a key stands in the slot that its highest bits give after a multiplication, or in the next free one.

    Parameters
    ----------
    keys
        The keys, each once, in rising order; fewer than 2^31, none of them -1.

    Examples
    --------
    >>> KeyIndex(np.array([2, 3, 5])).find(np.array([5, 4, 2, 9])).tolist()
    [2, -1, 0, -1]
    """

    def __init__(self, keys: Ints) -> None:
        self.keys = keys
        self.has_table = self.collides = False

    def find(self, lookup_keys: Ints) -> Ints:
        """The row of each key; -1 where it is missing.

        Parameters
        ----------
        lookup_keys
            The keys to look up, in any order.
        """
        if not self.keys.size:
            return np.full(lookup_keys.size, -1)
        if lookup_keys.size < SORTED_LOOKUP_SIZE:
            return self.search(lookup_keys)
        if not self.has_table and not self.collides and 2 * lookup_keys.size >= self.keys.size:
            self.build_table()
        return self.find_by_hash(lookup_keys) if self.has_table else self.search(lookup_keys)

    def search(self, lookup_keys: Ints) -> Ints:
        """As `find`, by binary search."""
        if lookup_keys.size < SORTED_LOOKUP_SIZE:
            rows = np.minimum(np.searchsorted(self.keys, lookup_keys), self.keys.size - 1)
            return np.where(self.keys[rows] == lookup_keys, rows, -1)
        lookup_order = np.argsort(lookup_keys)
        sorted_lookups = lookup_keys[lookup_order]
        key_index = np.minimum(np.searchsorted(self.keys, sorted_lookups), self.keys.size - 1)
        rows = np.empty(lookup_keys.size, np.int64)
        rows[lookup_order] = np.where(self.keys[key_index] == sorted_lookups, key_index, -1)
        return rows

    def build_table(self) -> None:
        """Place all keys: in each step, those that find their slot free, of several the last."""
        keys, rows = self.keys.view(np.uint64), np.arange(self.keys.size, dtype=np.int32)
        bits = max(int(2 * keys.size - 1).bit_length(), 3)
        self.shift, self.last_slot = np.uint64(64 - bits), (1 << bits) - 1
        self.slot_keys, self.slot_rows = np.full(1 << bits, EMPTY), np.full(1 << bits, -1, np.int32)
        slots = self.first_slots(keys)
        for _ in range(MAX_STEPS):
            free = np.flatnonzero(self.slot_keys[slots] == EMPTY)
            self.slot_keys[slots[free]] = keys[free]
            is_placed = self.slot_keys[slots] == keys
            stored, waiting = np.flatnonzero(is_placed), np.flatnonzero(~is_placed)
            self.slot_rows[slots[stored]] = rows[stored]
            if not waiting.size:
                self.has_table = True
                return
            keys, rows, slots = keys[waiting], rows[waiting], (slots[waiting] + 1) & self.last_slot
        self.collides = True

    def first_slots(self, keys: Words) -> Ints:
        slots: Ints = ((keys * MULTIPLIER) >> self.shift).view(np.int64)
        return slots

    def find_by_hash(self, lookup_keys: Ints) -> Ints:
        """As `find`, by the hash table."""
        rows = np.full(lookup_keys.size, -1)
        for start in range(0, lookup_keys.size, PIECE):
            keys = lookup_keys[start : start + PIECE].view(np.uint64)
            slots, positions = self.first_slots(keys), np.arange(start, start + keys.size)
            while keys.size:
                slot_keys = self.slot_keys[slots]
                is_same = slot_keys == keys
                same = np.flatnonzero(is_same)
                rows[positions[same]] = self.slot_rows[slots[same]]
                undecided = np.flatnonzero(~is_same & (slot_keys != EMPTY))
                keys, positions = keys[undecided], positions[undecided]
                slots = (slots[undecided] + 1) & self.last_slot
        return rows
