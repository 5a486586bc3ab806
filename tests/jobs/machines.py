"""Run the tests of numbers as other processors compute them: `machines.py [NAME...] -- COMMAND...`.

OpenBLAS and NumPy choose their kernels by the processor; both can be told to choose those of another one. The kernels
differ in the order of sums and in fused steps, so in last bits. Settings that this machine cannot run are named and
skipped; without NAME all others are run, and the exit code is 1 if any of them failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

FOLDERS = (
    *("kernels", "stats", "measures", "learning", "consensus", "agreement", "comparison", "stability", "fusion"),
    *("judging", "golden"),
)
#: What OpenBLAS takes on processors of that name, and the instructions that its kernels need.
CORES = {"haswell": ("Haswell", "AVX2"), "skylakex": ("SkylakeX", "AVX512F"), "zen": ("Zen", "AVX2")}
THREADS = {"one-thread": "1", "two-threads": "2"}
NUMPY = ("numpy-without-v4", "numpy-without-v3")


def settings() -> dict[str, dict[str, str] | None]:
    """Environment variables by name of the setting; None where this machine cannot run it."""
    from numpy._core._multiarray_umath import __cpu_dispatch__ as dispatched
    from numpy._core._multiarray_umath import __cpu_features__ as features

    able: dict[str, dict[str, str] | None] = {
        name: {"OPENBLAS_CORETYPE": core} if features.get(needs) else None for name, (core, needs) in CORES.items()
    }
    usable = [name for name in dispatched if features.get(name)]
    wide = [name for name in usable if "512" in name or name == "X86_V4"]
    for name, disabled in zip(NUMPY, (wide, usable), strict=True):
        able[name] = {"NPY_DISABLE_CPU_FEATURES": " ".join(disabled)} if disabled else None
    return able | {name: {"OMP_NUM_THREADS": threads} for name, threads in THREADS.items()}


def main(names: list[str], command: list[str]) -> int:
    able = settings()
    unknown = [name for name in names if name not in able]
    if unknown or not command:
        print(f"usage: machines.py [{' | '.join(able)}]... -- COMMAND...", *unknown)
        return 2
    failed = []
    for name in names or able:
        variables = able[name]
        if variables is None:
            print(f"{name}: skipped, this processor cannot run it", flush=True)
            continue
        shown = " ".join(f'{key}="{value}"' for key, value in variables.items())
        print(f"{name}: {shown}", flush=True)
        begin = time.monotonic()
        done = subprocess.run(
            [*command, *(f"tests/{folder}" for folder in FOLDERS)], env={**os.environ, **variables}, check=False
        )
        print(f"{name}: {'failed' if done.returncode else 'passed'} in {time.monotonic() - begin:.0f} s", flush=True)
        if done.returncode:
            failed.append(name)
    if failed:
        print("failed:", *failed)
    return int(bool(failed))


if __name__ == "__main__":
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    sys.exit(main(sys.argv[1:cut], sys.argv[cut + 1 :]))
