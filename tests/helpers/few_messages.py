"""Processes of xdist that say only what matters, and a scheduler whose work for a test does not grow with the tests.

Of every test a worker tells six things: that it begins, how set-up, call and tear-down went, and twice that it ended.
With tests by the ten thousand, writing and reading these takes as long as many of the tests. All but a set-up or
tear-down that passed, what a test printed that passed, and what xdist itself needs, is left out. What is passed,
skipped or failed is counted as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from xdist.scheduler.loadfile import LoadFileScheduling

__all__ = ["FewMessages", "Files"]


class FewMessages:
    """In a worker: tells of a test how its call went, and of set-up and tear-down where they did not pass."""

    @pytest.hookimpl
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                if report.passed:  # nobody prints its names and what it printed
                    report.keywords, report.sections = {}, []
                item.ihook.pytest_runtest_logreport(report=report)
        return True


class Places(list[str]):
    """Names of tests that know their places."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.places = {name: place for place, name in reversed(list(enumerate(names)))}

    def index(self, name: str, *_: Any) -> int:  # type: ignore[override]
        return self.places[name]


class Files(LoadFileScheduling):  # type: ignore[misc]
    """`--dist loadfile` that does not go through all names and all that is done for every test again."""

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Places(self.registered_collections[node])

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        name = self.registered_collections[node][item_index]
        work, file = self.assigned_work[node], self._split_scope(name)
        work[file][name] = True
        if all(work[file].values()):
            del work[file]
        self._reschedule(node)

    def remove_node(self, node: Any) -> str | None:
        """The test in which a worker ended has failed: it is not tried again in the next one."""
        name: str | None = super().remove_node(node)
        if name is not None:
            file = self._split_scope(name)
            self.workqueue[file][name] = True
            if all(self.workqueue[file].values()):
                del self.workqueue[file]
        return name
