"""What the tests share: where the real data lies, the oracle, a cluster, measures defined for one test only."""

from __future__ import annotations

import ctypes
import gc
import linecache
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestItem, DoctestModule
from helpers.few_messages import FewMessages, Files
from helpers.forks import end_after, forked_commands
from helpers.properties import QUICK, choose_share
from helpers.trec_eval_oracle import Oracle

from rankscope.errors import ParameterError
from rankscope.measures import MEASURES

collect_ignore = ["helpers"]


gc.disable()  # until all tests are collected


def restore_signals() -> None:
    """Take signals as Python starts with them: nohup and a shell's `&` have children ignore some."""
    defaults = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    for name, handler in defaults.items():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


restore_signals()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tests by the ten thousand stay until the end: the garbage collector need not look at them, not even once."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


class FromTheEnd:
    """Every second worker collects folders from their end: on a fresh clone, what one has compiled the other reads.

    The items then get the order that they have in the other workers.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[Any]:
        report = yield
        if isinstance(collector, pytest.Directory):
            report.result.reverse()
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        begins = [Path(config.invocation_params.dir, arg.split("::")[0]) for arg in config.args]

        def place(item: pytest.Item) -> tuple[int, tuple[str, ...]]:
            within = [k for k, path in enumerate(begins) if path == item.path or path in item.path.parents]
            return min(within, key=lambda k: len(begins[k].parts), default=0), item.path.parts

        items.sort(key=place)


class FreeMemory:
    """Gives free memory back to the system after a file of tests that took much: each fork copies a table of pages."""

    STEP = 64 * 1024 * 1024

    def __init__(self) -> None:
        self.trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
        self.before = 0

    @staticmethod
    def resident() -> int:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        ends = nextitem is None or nextitem.path != item.path
        if ends and self.trim is not None and self.resident() > self.before + self.STEP:
            self.trim(0)
            self.before = self.resident()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[Any]:
    """Examples in docstrings are looked for in src, not in the tests too: they have none."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each example makes a debugger, which asks the disk about every file whose lines somebody once looked at."""
    if isinstance(item, DoctestItem):
        linecache.clearcache()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--skips-only-for-extras",
        action="store_true",
        help="Fail where a test is skipped for another reason than an extra or real data that is not installed.",
    )


#: Reasons to skip that `--skips-only-for-extras` accepts: packages of extras, and what no environment brings.
ACCEPTED = re.compile(
    r"\b(altair|vl_convert|jinja2|sacrebleu|safetensors|lightgbm|(py)?torch|dask|distributed|fsspec|cloudpickle)\b"
    r"|the extra `\w+`|rankscope\[|no client for HTTP|\b(xgboost|catboost|ppi_py)\b"  # these stand in benchmarks alone
    r"|real data|(is|are) not here|does not ship|on the PATH|root may|\+SKIP option",
    re.IGNORECASE,
)


#: What a failure says where the package of an extra is missing: our own message, or Python's.
NEEDS_EXTRA = re.compile(
    r"rankscope\[\w+\]"
    r"|No module named '(altair|vl_convert|jinja2|sacrebleu|safetensors|lightgbm|torch|dask|distributed|fsspec)"
)


class MissingExtras:
    """Where no extra is installed, a test that fails for want of one is skipped, by that reason.

    The reason stands in the failure, or was what rankscope said while the test ran.
    """

    def __init__(self) -> None:
        self.said = ""
        begin = ParameterError.__init__

        def record(error: ParameterError, *args: Any, **kwargs: Any) -> None:
            begin(error, *args, **kwargs)
            self.said += str(error) + "\n"

        ParameterError.__init__ = record  # type: ignore[method-assign]

    def pytest_runtest_setup(self) -> None:
        self.said = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        return self.skipped((yield))

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Iterator[None]:
        return self.skipped((yield))

    def skipped(self, report: Any) -> Any:
        needs = NEEDS_EXTRA.search(f"{report.longrepr}{self.said}") if report.failed else None
        if needs:
            report.outcome, report.longrepr = "skipped", (report.nodeid, 0, f"Skipped: an extra is missing: {needs[0]}")
        return report


class SkipReasons:
    """Collects why tests were skipped, and fails the session where a reason is not accepted."""

    def __init__(self) -> None:
        self.refused: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.note(report)

    def note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple) and not ACCEPTED.search(str(report.longrepr[2])):
            self.refused.add(f"{report.nodeid}: {report.longrepr[2]}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.refused:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.refused:
            terminalreporter.section("skipped, and no extra is missing")
            for line in sorted(self.refused):
                terminalreporter.line(line)


def pytest_configure(config: pytest.Config) -> None:
    choose_share(QUICK if config.option.markexpr == "not slow" else 1.0)
    if config.option.markexpr == "not slow" and hasattr(config, "workerinput"):
        config.pluginmanager.register(TimeLimit())
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(FreeMemory())
        if int(config.workerinput["workerid"].removeprefix("gw")) % 2:
            config.pluginmanager.register(FromTheEnd())
    if config.option.skips_only_for_extras:
        config.pluginmanager.register(MissingExtras())
        if not hasattr(config, "workerinput"):  # of xdist: its controller counts
            config.pluginmanager.register(SkipReasons())
    # Who asks for times, a file of results, or what tests print that passed, wants to hear of all of it.
    options = config.option
    asked = options.durations is not None or getattr(options, "xmlpath", None) or "P" in options.reportchars
    if hasattr(config, "workerinput") and not asked:
        config.pluginmanager.register(FewMessages())


#: Seconds that one of the quick tests may take: many times what the slowest takes.
LIMIT = 300


class TimeLimit:
    """A test that waits for ever ends its process, which pytest-xdist calls a failure, and goes on in another one."""

    def __init__(self) -> None:
        self.error = os.dup(2)  # before what tests print is captured

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        end_after(LIMIT, self.error)
        try:
            return (yield)
        finally:
            end_after(0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Files | None:
    return Files(config, log) if config.getvalue("dist") == "loadfile" else None


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


@pytest.fixture(scope="session")
def commands(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of commands that a shell runs: where somebody waits for the answer, `rankscope` is forked."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}
    if pytestconfig.option.markexpr != "not slow" or sys.platform != "linux":
        yield environment
        return
    with forked_commands(tmp_path_factory.mktemp("forks")) as folder:
        yield {**environment, "PATH": os.pathsep.join([str(folder), path])}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of a Dask cluster: two workers of one thread each, in this process."""
    distributed = pytest.importorskip(
        "distributed", reason="the extra `scale` is not installed: pip install 'rankscope[scale]'"
    )
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        cluster.get_client() as client,
    ):
        yield client


@pytest.fixture(scope="session")
def folder_numbers() -> Iterator[int]:
    return count()


@pytest.fixture
def tmp_path(
    tmp_path_factory: pytest.TempPathFactory, folder_numbers: Iterator[int], request: pytest.FixtureRequest
) -> Path:
    """An empty folder of the test. pytest's own looks at all folders of the tests before, to number it."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    return tmp_path_factory.mktemp(f"{name}{next(folder_numbers)}", numbered=False)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, to look at pages with."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("there is no Chromium on the PATH (Debian: apt install chromium)")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Workers are forked though other tests have begun threads of Polars: for units that do not use it, and quicker."""
    if sys.platform == "linux":
        request.applymarker(pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"))
        monkeypatch.setattr("rankscope.parallel.pool.start_method", lambda: "fork")


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
