"""What statistics load: nothing heavy before it is needed, and never all of scipy.stats."""

from __future__ import annotations

import subprocess
import sys

IMPORTED = "import sys, rankscope.stats as s; print(*sorted(m for m in sys.modules if m.startswith('scipy')))"
USED = """
import sys
import rankscope.stats as s
x = [[0.1, 0.4, 0.3, 0.2], [0.2, 0.5, 0.6, 0.1], [0.7, 0.8, 0.9, 0.3]]
d = x[0]
for test in (s.t_test, s.sign_test, s.wilcoxon_test, s.randomisation_test, s.bootstrap_test, s.effect_sizes):
    test(d)
for way in (s.t_interval, s.bootstrap_interval, s.bayes_t_test, s.bayes_signed_rank_test):
    way(d)
for way in (s.two_way_anova, s.tukey_hsd, s.randomised_tukey_hsd, s.friedman_test, s.nemenyi_test):
    way(x)
s.queries_for_t(0.1, 0.2), s.queries_for_anova(3, 0.1, 0.2), s.queries_for_interval(0.1, 0.2)
print(*sorted(m for m in sys.modules if m.startswith("scipy.")))
"""


def loaded(script):
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_importing_statistics_loads_no_scipy():
    assert loaded(IMPORTED) == []


def test_no_statistic_loads_scipys_statistics():
    modules = loaded(USED)
    assert "scipy.special" in modules
    assert "scipy.stats" not in modules
