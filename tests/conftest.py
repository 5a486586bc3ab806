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
