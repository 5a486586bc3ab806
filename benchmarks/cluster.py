"""Claim: a Dask cluster prints what one process prints, and what its units cost beside the work is small.

A scheduler and workers of one thread are started as processes of this machine. On them: 10,000 queries x 1,000
documents with 100 judged a query, from the start of the command to its end, on one worker and on two, beside a process
alone. Seconds of the clock, so the machine has to be idle: the load is printed. Then what the model in docs/scale.md
is made of: CPU of reading by how much is judged, what a unit costs the one who sends it and the scheduler, and bytes
that come back for a judged document that was retrieved. Needs the extra `scale`.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from measuring import DATA, MEASURES, RUNS, Line, collection, main, ours, program, report, start

#: Of 1,000 documents a query, so many judged: what is read costs less than what is found.
JUDGED = (10, 100, 500)
#: Units that do nothing.
UNITS = 2000
PROBE = """
import json, pickle, sys, time
from distributed import Client
from rankscope.data.join import Convention
from rankscope.evaluation.joining.workers import tasks_of_run, join_task
from rankscope.evaluation.joining import Joining, as_qrels
from rankscope.parallel import run_units, use

address, qrels, run, units = *sys.argv[1:4], int(sys.argv[4])
with Client(address) as client, use(client):
    list(run_units(abs, range(20)))
    scheduler, own, begin = client.run_on_scheduler(time.process_time), time.process_time(), time.perf_counter()
    list(run_units(abs, range(units)))
    scheduler = client.run_on_scheduler(time.process_time) - scheduler
    own, wall = time.process_time() - own, time.perf_counter() - begin
joining = Joining(qrels=as_qrels(qrels), convention=Convention())
unit = tasks_of_run(0, run, None, 4 << 20)[0]
_, found = join_task(joining, unit)
back = len(pickle.dumps(found, protocol=5))
print(json.dumps({"wall": wall / units, "own": own / units, "scheduler": scheduler / units,
    "back": back / max(1, found.hits.shape[1]), "hits": int(found.hits.shape[1])}))
"""


@contextmanager
def scheduler():
    """Its address, and a function that starts one more worker."""
    started = []
    with TemporaryDirectory() as folder:
        file = Path(folder, "scheduler.json")

        def begin(role, *options):
            command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--scheduler-file", str(file), *options]
            started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder))

        try:
            begin("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
            while not (file.exists() and file.read_text().endswith("}")):
                time.sleep(0.05)
            yield (
                json.loads(file.read_text())["address"],
                lambda: begin("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard"),
            )
        finally:
            for process in started:
                process.kill()
                process.wait()


def wait_for(address: str, workers: int) -> None:
    script = f"from distributed import Client; Client({address!r}).wait_for_workers({workers}, timeout=120)"
    start([sys.executable, "-c", script])


def measure(runs=RUNS, folder=DATA, queries=10_000, documents=1000, judged=100, units=UNITS, peers=()) -> dict:
    if importlib.util.find_spec("distributed") is None:
        print("not installed, left out: dask, distributed (the extra `scale`)", file=sys.stderr)
        return report("cluster", [], {}, 0)
    folder.mkdir(parents=True, exist_ok=True)
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    command = [*program(), "evaluate", qrels, run, *(x for m in MEASURES for x in ("-m", m)), "--format", "jsonl"]
    alone = [*command, "--workers", "1"]
    expected = start(alone).output
    spent = {"alone": [], 1: [], 2: []}
    loads = []
    with scheduler() as (address, more):
        for workers in (1, 2):
            more()
            wait_for(address, workers)
            on_cluster = [*command, "--dask", address, "--dask-timeout", "60"]
            if start(on_cluster).output != expected:
                raise SystemExit(f"a cluster of {workers} workers does not print what one process prints")
            for _ in range(runs):
                loads.append(os.getloadavg()[0])
                spent[workers].append(start(on_cluster).wall)
                if workers == 1:
                    spent["alone"].append(start(alone).wall)
        probed = json.loads(start([sys.executable, "-c", PROBE, address, qrels, run, str(units)]).output)
    wall = {name: median(found) for name, found in spent.items()}
    said = {name: f"{'alone' if name == 'alone' else f'Dask x{name}'} {wall[name]:.2f} s" for name in wall}
    said = {name: f"{text}, load {median(loads):.1f}" for name, text in said.items()}
    label = f"Dask, {queries:,} x {documents:,}"
    own, its = probed["own"] * 1e3, probed["scheduler"] * 1e3
    lines = [
        Line(f"{label}: one worker", said[1], said["alone"], wall[1] / wall["alone"], "x", None),
        Line(f"{label}: two workers", said[2], said[1], wall[2] / wall[1], "x", None),
        Line(f"Dask, {units:,} units: sender", f"{probed['wall'] * 1e3:.2f} ms of the clock", "", own, "CPU ms", None),
        Line(f"Dask, {units:,} units: scheduler", "", "", its, "CPU ms", None),
        Line("Dask: back for a judged document", f"{probed['hits']:,} of them", "", probed["back"], "bytes", None),
    ]
    shares = [number for number in JUDGED if number <= documents]
    lines += [reading(folder, max(1, queries // 10), documents, number, runs) for number in shares]
    return report("cluster", lines, {}, runs)


def reading(folder: Path, queries: int, documents: int, judged: int, runs: int) -> Line:
    """CPU of one process for a million rows, without what it takes to start."""
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    once = median(start([*ours(qrels, run).command, "--workers", "1"]).cpu for _ in range(runs))
    short = Path(folder, "one-line.run")
    with open(run, "rb") as file:
        short.write_bytes(file.readline())
    nothing = median(start([*ours(qrels, str(short)).command, "--workers", "1"]).cpu for _ in range(runs))
    rows = queries * documents / 1e6
    size = Path(run).stat().st_size / 1e6
    return Line(
        f"one process, {judged:,} of {documents:,} judged: a million rows",
        f"{once:.2f} CPU s, start and judgments {nothing:.2f}",
        f"{size:,.0f} MB",
        (once - nothing) / rows,
        "CPU s",
        None,
    )


if __name__ == "__main__":
    main(measure, __doc__)
