"""The weights of voters in signatures."""

from __future__ import annotations

import re

from rankscope.consensus import merge_rankings
from rankscope.consensus.merge import weights_signature


def test_few_are_named_with_all_their_digits() -> None:
    assert weights_signature([("a", 1 / 3), ("b", 1.0), ("c", 2.0)]) == ("weights:a=0.3333333333333333,c=2",)
    assert weights_signature([("a", 1.0), ("b", 1.0)]) == ()


def test_many_are_a_digest_that_any_change_changes() -> None:
    many = [(f"v{i}", 0.5 + i) for i in range(300)]
    (said,) = weights_signature(many)
    numbers, digest = said.split(",")
    assert re.findall(r"[\d.]+", numbers) == ["300", "0.5", "299.5"]
    assert (numbers.partition(":")[0], digest.partition(":")[0]) == ("weights", "sha256")
    assert len(said) < 60
    assert weights_signature(many[::-1]) == (said,)
    for other in ([*many[:-2], ("v298", 299.5), ("v299", 298.5)], [("w0", 0.5), *many[1:]]):
        assert weights_signature(other)[0] != said


def test_a_consensus_says_them_briefly() -> None:
    found = merge_rankings([["A", "B"]] * 300, weights=[2.0 + i for i in range(300)], n_resamples=0, rng=1)
    assert len(found.signature()) < 200
