"""Work in this process uses one thread for linear algebra, and leaves the number of threads as it was."""

import sys
import threading

import numpy as np
import pytest
from helpers.same import assert_same_bits

from rankscope.parallel import run_units
from rankscope.parallel import threads as limits
from rankscope.parallel.threads import one_thread, openblas_functions


def threads():
    return [get() for get in openblas_functions("get_num_threads")]


@pytest.fixture
def two():
    """Two threads in each library, whatever this machine and its variables say."""
    before = list(zip(openblas_functions("set_num_threads"), threads(), strict=True))
    if not before:
        pytest.skip("no OpenBLAS whose threads could be set")
    for setter, _ in before:
        setter(2)
    yield [2] * len(before)
    for setter, number in before:
        setter(number)


def test_there_is_one_thread_within_and_as_many_as_before_after(two):
    with one_thread():
        assert set(threads()) == {1}
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == two


def test_threads_are_set_back_after_an_error(two):
    with pytest.raises(ZeroDivisionError), one_thread():
        _ = 1 / 0
    assert threads() == two


def test_the_last_of_two_threads_that_leaves_sets_them_back(two):
    inside, leave = threading.Event(), threading.Event()

    def stay():
        with one_thread():
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=stay)
    other.start()
    assert inside.wait(10)
    with one_thread():
        pass
    assert set(threads()) == {1}  # the other is still at work
    leave.set()
    other.join()
    assert threads() == two


def test_units_in_this_process_have_one_thread_and_the_caller_has_its_own(two):
    found = [(within, threads()) for within in run_units(lambda _: set(threads()), range(2), workers=1)]
    assert found == [({1}, two)] * 2


def test_libraries_are_looked_for_again_only_where_more_modules_are_loaded(monkeypatch):
    looked = []
    monkeypatch.setattr(limits, "memory_map", lambda: looked.append("for them") or [])
    limits.libraries_with_modules.cache_clear()
    try:
        list(run_units(str, range(9), workers=1))
        once = len(looked)
        assert once == 1
        monkeypatch.setitem(sys.modules, "one more module", sys)
        list(run_units(str, range(9), workers=1))
        assert len(looked) == 2 * once
    finally:
        limits.libraries_with_modules.cache_clear()


def test_a_product_of_a_unit_is_that_of_one_thread_to_the_last_bit(two):
    a = np.random.default_rng(1).normal(size=(400, 300))
    with one_thread():
        expected = a @ a.T
    (found,) = run_units(lambda x: x @ x.T, [a], workers=1)
    assert_same_bits(found, expected)
    assert threads() == two
