"""Fuzz one reader with atheris, or all of them in turn: python tests/fuzz/run_atheris.py READER --seconds N.

Inputs grow from the seeds of `readers.READERS` and from what is in tests/fuzz/found; what breaks a reader, takes more
memory than `limits` allows or more than ten seconds is left in the working folder as crash-*. atheris is no part of the
tests' requirements: pip install 'rankscope[fuzz]'.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
#: Seconds that one file may take, of some kilobytes; and the longest file.
SLOW, LONGEST = 10, 4096


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader", help="a name in READERS, or all")
    parser.add_argument("--seconds", type=int, default=60)
    asked = parser.parse_args()
    if asked.reader != "all":
        fuzz(asked.reader, asked.seconds)
        return
    from helpers.fuzzing.readers import READERS

    failed = []
    for name in READERS:
        done = subprocess.run([sys.executable, __file__, name, "--seconds", str(asked.seconds)], check=False)
        failed += [name] if done.returncode else []
    if failed:
        sys.exit(f"faults in: {', '.join(failed)}")


def fuzz(name: str, seconds: int) -> None:
    try:
        import atheris
    except ImportError:
        sys.exit("atheris is not installed; pip install 'rankscope[fuzz]'")
    with atheris.instrument_imports(include=["rankscope", "json", "csv", "gzip", "zipfile"]):
        from helpers.fuzzing.memory_limits import allowed, watched
        from helpers.fuzzing.readers import READERS, refusals
    if name not in READERS:
        print(f"no reader {name!r}; there are {', '.join(READERS)}", file=sys.stderr)
        sys.exit(2)
    warnings.simplefilter("error")
    reader = READERS[name]
    folder = TemporaryDirectory(prefix="rankscope-fuzz-")
    path = Path(folder.name, reader.name)
    path.parent.mkdir(exist_ok=True)
    corpus = Path(folder.name, "corpus")
    corpus.mkdir()
    starts = [*reader.seeds().values(), *(one.read_bytes() for one in (HERE / "found").glob(f"{name}--*"))]
    for i, content in enumerate(starts):
        (corpus / str(i)).write_bytes(content)
        path.write_bytes(content)
        refusals(reader, path)  # what is loaded when it is needed

    def one(content: bytes) -> None:
        path.write_bytes(content)
        begin = time.process_time()
        with watched() as peak:
            refusals(reader, path)
        took = time.process_time() - begin
        assert took < SLOW, f"{took:.1f} s for {len(content)} bytes"
        assert peak.bytes is None or peak.bytes < allowed(len(content)), f"{peak.bytes:,} bytes for {len(content)}"

    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        "-rss_limit_mb=0",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
