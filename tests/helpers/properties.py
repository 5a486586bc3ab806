"""How many examples of a property are tried: all by `make test-all`, a part where somebody waits."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, settings

__all__ = ["QUICK", "choose_share", "examples"]

#: The part of the examples that the quick tests try.
QUICK = 0.1

_share = 1.0

# Machines that run tests are shared: no example fails because it was slow, and none depends on the day.
settings.register_profile(
    "rankscope",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("rankscope")
# Where thousands of mutants are tried a failure is enough: nobody reads its smallest example.
settings.register_profile("mutation", phases=[Phase.explicit, Phase.generate], report_multiple_bugs=False)


def choose_share(share: float) -> None:
    """Try this part of the examples of every property; called before test modules are imported."""
    global _share
    _share = share
    settings.register_profile("share", examples(settings().max_examples))
    settings.load_profile("share")


def examples(most: int, *, quick: int = 10, **others: Any) -> settings:
    """Settings of a property that `make test-all` tries with `most` examples; the quick tests try ten at least.

    quick: fewer than ten, where an example takes long, as one that is tried by each of many methods or formats.
    """
    return settings(max_examples=most if _share == 1 else max(min(most, quick), round(_share * most)), **others)
