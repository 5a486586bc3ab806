"""`--workers` of the commands that start from runs: the same output, and a clear line for what is no number."""

import pytest
from helpers.messages import mentions

import rankscope.parallel.pool
from rankscope.evaluation.joining import workers as pieces

RUNS = ("a.run", "b.run")
COMMANDS = {
    "evaluate": ("evaluate", "qrels", *RUNS, "--by-query"),
    "conventions": ("evaluate", "qrels", *RUNS, "--conventions", "AP"),
    "compare": ("compare", "qrels", *RUNS, "--test", "permutation", "--resamples", "500"),
    "plan": ("plan", "qrels", *RUNS),
    "report": ("report", "qrels", *RUNS, "--no-figures", "-o", "-"),
    "stability": ("stability", "qrels", *RUNS, "--iterations", "5", "--resamples", "50", "--seed", "1"),
    "agree measures": ("agree", "measures", "qrels", *RUNS),
    "agree judgments": ("agree", "judgments", "qrels", "qrels", *RUNS, "--resamples", "200"),
}


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Judgments and two runs, of which each is cut into several pieces."""
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d{d} {(q * d) % 3}\n" for q in range(12) for d in range(8)))
    for name, k in (("a", 5), ("b", 7)):
        lines = [f"{q} Q0 d{d} 1 {(q + k * d) % 11}.5 {name}\n" for q in range(12) for d in range(9)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    for name in ("MAX_PIECE_BYTES", "MIN_PIECE_BYTES"):
        monkeypatch.setattr(pieces, name, 500)
    # Polars, loaded by other tests, is not used there.
    monkeypatch.setattr(rankscope.parallel.pool, "start_method", lambda: "fork")
    return tmp_path


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("name", COMMANDS)
def test_two_workers_print_what_one_prints(cli, runs, name):
    one, two = (cli(*COMMANDS[name], "--workers", n) for n in (1, 2))
    assert one.code == 0, one.err
    assert (two.code, two.err) == (0, one.err)
    assert without_command(two.out) == without_command(one.out)


def without_command(page):
    """A page says how it was made."""
    return page.replace("--workers 1", "--workers N").replace("--workers 2", "--workers N")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("workers", ["0", "-1"])
def test_what_is_no_number_of_workers_is_one_line(cli, runs, name, workers):
    done = cli(*COMMANDS[name], "--workers", workers)
    assert (done.code, done.out) == (2, "")
    assert mentions(done.err, f"workers is {workers}", 1, 1024)
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("workers", ["x", "1.5", ""])
def test_what_is_no_whole_number_is_refused(cli, runs, workers):
    done = cli(*COMMANDS["evaluate"], "--workers", workers)
    assert done.code == 2
    assert "--workers" in done.err
    assert mentions(done.err, "whole number")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", ["evaluate", "plan"])
def test_beside_a_machine_there_are_no_workers(cli, runs, command):
    more = ("--width", "0.1") if command == "plan" else ()
    done = cli(command, "qrels", *RUNS, "-m", "P@5", "--machine", "qrels", "--workers", 2, *more)
    assert done.code == 2
    assert "--machine cannot be combined with --workers" in done.err
