"""What the tests share: where the real data lies, the oracle, measures defined for one test only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from reference.oracle import Oracle

from rankscope.measures import MEASURES

# Machines that run tests are shared: no example fails because it was slow, and none depends on the day.
settings.register_profile(
    "rankscope",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("rankscope")

#: What part of the examples of a property is tried where slow tests are left out; `make test-all` tries all.
QUICK = 0.4


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fewer examples of each property where somebody waits for the answer."""
    if config.option.markexpr != "not slow":
        return
    done = set()
    for item in items:
        test = getattr(item, "obj", None)
        test = getattr(test, "__func__", test)  # of a method
        usual = getattr(test, "_hypothesis_internal_use_settings", None)
        if usual is not None and id(test) not in done:
            done.add(id(test))
            few = max(min(usual.max_examples, 10), round(QUICK * usual.max_examples))
            test._hypothesis_internal_use_settings = settings(usual, max_examples=few)


ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data: $RANKSCOPE_DATA, else ../shared/data beside the repository."""
    folder = Path(os.environ.get("RANKSCOPE_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("the real data is not here: set RANKSCOPE_DATA to its folder (default: ../shared/data)")
    return folder


@pytest.fixture(scope="session")
def trec_data(data: Path) -> Path:
    """Two real runs of TREC's Robust 2003 track, their qrels and trec_eval's complete output."""
    folder = data / "trec"
    if not (folder / "robust03.qrels").is_file():
        pytest.skip(f"no robust03.qrels in the folder trec of the real data ({data.name})")
    return folder


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    one = Oracle()
    yield one
    one.close()


@pytest.fixture
def own_measures() -> Iterator[None]:
    """Measures that a test defines are gone when it ends."""
    before = dict(MEASURES)
    yield
    MEASURES.clear()
    MEASURES.update(before)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Bytes name a test by their length: packed ones hold the time, and two processes must find the same tests."""
    return f"{len(val)} bytes" if isinstance(val, bytes) else None
