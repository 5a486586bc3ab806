"""Sums of a log by unit and day, compared with a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.online.preference.tally import UnitRows, sum_rows


def plain_sums(rows: UnitRows) -> list[tuple[object, ...]]:
    """The same by a loop: key, second key, day, first impression, number and sums."""
    groups: dict[tuple[int, int, int], list[int]] = {}
    for row, unit in enumerate(zip(rows.key.tolist(), rows.second_key.tolist(), rows.day.tolist(), strict=True)):
        groups.setdefault(unit, []).append(row)
    return [
        (
            *unit,
            int(rows.first[places[0]]),
            sum(rows.n[places].tolist()),
            *(sum(outcomes[places].tolist()) for outcomes in rows.sums),
        )
        for unit, places in sorted(groups.items())
    ]


@pytest.mark.parametrize("n_days", [1, 5])
@pytest.mark.parametrize("n_second", [1, 3], ids=["own keys", "units that share the first key"])
def test_sums_by_unit_and_day_are_those_of_a_loop(n_days: int, n_second: int) -> None:
    rng, n = np.random.default_rng(1), 300
    key = rng.integers(20, size=n).astype(np.uint64) << np.uint64(59)
    rows = UnitRows(
        key=key,
        second_key=key + rng.integers(n_second, size=n).astype(np.uint64),
        day=20_000 - rng.integers(n_days, size=n) if n_days > 1 else np.zeros(n, np.int64),
        first=np.arange(n),
        n=rng.integers(1, 4, size=n).astype(np.float64),
        sums=rng.integers(-8, 9, size=(2, n)) / 8,
    )
    found = sum_rows(rows)
    assert list(zip(*(column.tolist() for column in (*found[:5], *found.sums)), strict=True)) == plain_sums(rows)
    assert [column.shape for column in sum_rows(UnitRows(*(column[..., :0] for column in rows)))][-1] == (2, 0)
