"""100,000 systems of one query: worked through in bounded memory, or refused before anything large is made."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope import stats
from rankscope.stats.inputs import MOST_PAIRED

#: What a process may hold at most, in MB, whatever it is asked for here.
MOST = 1_000


def in_memory(code: str, n: int) -> tuple[str, float]:
    """What a script prints of n systems, and the most that its process held, in MB; on Linux, else 0.

    `ru_maxrss` would be that of the process that starts it, where that is larger.
    """
    script = f"import numpy as np, rankscope as rs\nn = {n}\n{code}\n"
    if sys.platform == "linux":
        script += "with open('/proc/self/status') as file: print(file.read().split('VmHWM:')[1].split()[0])"
    else:
        script += "print(0)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *lines, most = done.stdout.splitlines()
    return "\n".join(lines), float(most) / 1024


SYSTEMS = """
values = np.random.default_rng(1).random((n, 2))
runs = [rs.Run({"q": {"a": float(a), "b": float(b)}}, name=f"s{i}") for i, (a, b) in enumerate(values)]
"""
EVALUATED = SYSTEMS + 'scores = rs.evaluate({"q": {"a": 1}}, runs, ["AP", "RR"])\n'
VOTES = """
names = [f"s{i}" for i in range(n)]
rng = np.random.default_rng(1)
votes = [[names[i] for i in rng.permutation(n)] for _ in range(3)]
"""
REFUSE = """
try:
    {call}
except rs.InputError as error:
    print(error)
"""
#: What is worked through.
DONE = {
    "evaluate, and what starts from scores": EVALUATED
    + """
found = rs.compare(scores, "AP", baseline="s0")
assert len(list(found.records())) == n - 1 and found.sections()
assert len(rs.standardise(scores).systems) == n
assert str(rs.agree_measures(scores))
try:
    rs.compare(scores, "AP")
except rs.InputError as error:
    assert "3,000" in str(error) and "baseline" in str(error)
else:
    raise AssertionError
print(len(scores.systems), np.isfinite(scores.values).all())
""",
    "fuse": SYSTEMS + "print(n, rs.fusion.fuse(runs, 'comb-sum').frame().height == 2)",
    "order by points": VOTES + "print(len(rs.consensus.Borda().order(votes).order), True)",
}
#: What is refused, and what it says.
REFUSED = {
    "consensus": (VOTES, "rs.consensus.merge_rankings(votes)", ("all their pairs", "6,000")),
    "majorities": (VOTES, "rs.consensus.Copeland().order(votes)", ("all their pairs", "6,000")),
    "places": (VOTES, "rs.consensus.Footrule().order(votes)", ("all their pairs", "6,000")),
    "worths": (VOTES, "rs.consensus.PlackettLuce().order(votes)", ("all their pairs", "6,000")),
    "chains": (VOTES, "rs.consensus.MC4().order(votes)", ("all their pairs", "6,000")),
}


def check_done(what: str, n: int) -> None:
    told, most = in_memory(DONE[what], n)
    assert told == f"{n} True"
    assert most < MOST


def check_refused(what: str, n: int) -> None:
    before, call, said = REFUSED[what]
    told, most = in_memory(before + REFUSE.format(call=call), n)
    assert mentions(told, *said)
    assert most < MOST


@pytest.mark.slow
@pytest.mark.parametrize("what", DONE)
def test_100_000_systems_of_one_query_in_bounded_memory(what: str) -> None:
    check_done(what, 100_000)


@pytest.mark.slow
@pytest.mark.parametrize("what", REFUSED)
def test_100_000_systems_are_refused_where_all_pairs_are_needed(what: str) -> None:
    check_refused(what, 100_000)


def test_a_table_of_all_pairs_is_refused_before_it_is_made() -> None:
    n = MOST_PAIRED + 1
    ranks = np.arange(2.0 * n).reshape(2, n)
    items = list(map(str, range(n)))
    calls: list[Any] = [
        lambda: stats.all_pairs(n),
        lambda: stats.mean_taus(ranks),
        lambda: rs.consensus.merge_rankings([items, items[::-1]], n_resamples=0),
        lambda: rs.consensus.condorcet_winner([items, items[::-1]]),
        lambda: rs.consensus.Kemeny().order([items, items[::-1]]),
        lambda: rs.consensus.Footrule().order([items, items[::-1]]),
        lambda: rs.consensus.PlackettLuce().order([items, items[::-1]]),
    ]
    told = r"\b6,001 \w+.*\bpairs\b.*\b6,000\b"
    tracemalloc.start()
    try:
        for call in calls:
            with pytest.raises(rs.InputError, match=told):
                call()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 50e6  # one table alone is 288 MB


def test_all_pairs_of_too_many_systems_are_refused_and_a_baseline_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscope.comparison.compare.systems.MAX_SYSTEMS", 3)
    runs = [rs.Run({"q": {"a": 1.0}}, name=name) for name in "wxyz"]
    scores = rs.evaluate({"q": {"a": 1}}, runs, "AP")
    with pytest.raises(rs.InputError, match=r"\b4 systems\b.*\bat most 3\b.*\bbaseline\b"):
        rs.compare(scores)
    assert len(list(rs.compare(scores, baseline="w").records())) == 3
