"""All that comes before a release, and no upload: checks, the wheel and the sdist in dist/, and the wheel in use.

The checkout has to be clean, the changes of the version described, and its tag free. The wheel is installed in an empty
environment, where the command, the demo, the gate and the plugin of pytest have to work.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from jobs.wheel import ROOT, built, fresh_environment, run

#: What a registry shows of a project.
METADATA = ("description", "readme", "requires-python", "license", "authors", "keywords", "classifiers", "urls")
PLUGIN_TEST = """
def test_ranking(ranking_gate):
    ranking_gate("demo.qrels", "hybrid.run", "rerank.run", margin={"nDCG@10": 0.02})
"""


def version_of(root: Path) -> str:
    """The version in the source."""
    text = (root / "src" / "rankscope" / "_version.py").read_text("utf-8")
    match = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if match is None:
        raise SystemExit("src/rankscope/_version.py has no line __version__")
    return match[1]


def faults(root: Path, version: str, changed: str, tags: str) -> list[str]:
    """What stands against a release. changed, tags: what git prints of changed files and of tags."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    found = [f"pyproject.toml has no {name}" for name in METADATA if not project.get(name)]
    if not re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", version):
        found.append(f"the version is {version}, expected one as 1.2.3")
    if not re.search(rf"^## {re.escape(version)}\b", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading of version {version}")
    if changed.strip():
        found.append(f"files are not committed: {', '.join(line[3:] for line in changed.splitlines())}")
    if f"v{version}" in tags.split():
        found.append(f"the tag v{version} exists; raise the version in src/rankscope/_version.py")
    return found


def git(*arguments: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout


def check_wheel(wheel: Path, version: str, folder: Path) -> None:
    """Use the wheel in an empty environment."""
    env = fresh_environment(folder, wheel, "pytest")
    rankscope = shutil.which("rankscope", path=env["PATH"])
    printed = run(rankscope, "--version", folder=folder, env=env)
    if version not in printed.split():
        raise SystemExit(f"rankscope --version prints {printed.strip()!r}, expected version {version}")
    run(rankscope, "demo", "demo", "--quick", folder=folder, env=env)
    demo = folder / "demo"
    call = ("gate", "demo.qrels", "hybrid.run", "rerank.run", "-m", "nDCG@10", "--margin", "0.02")
    run(rankscope, *call, "--summary", "gate.md", "--junit", "gate.xml", folder=demo, env=env)
    (demo / "test_ranking.py").write_text(PLUGIN_TEST, "utf-8")
    run("python", "-m", "pytest", "-q", "test_ranking.py", folder=demo, env=env)


def main() -> None:
    version = version_of(ROOT)
    found = faults(ROOT, version, git("status", "--porcelain", "--untracked-files=no"), git("tag", "--list"))
    if found:
        raise SystemExit("\n".join(["no release:", *found]))
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = built(folder)
        check_wheel(wheel, version, folder)
        dist.mkdir()
        files = [shutil.copy2(path, dist) for path in (wheel, *folder.glob("*.tar.gz"))]
    run(sys.executable, "-m", "twine", "check", "--strict", *files, folder=ROOT, env=dict(os.environ))
    print(
        f"rankscope {version} is ready in dist/, and nothing was uploaded. To release it:\n"
        f"  git tag v{version} && git push origin v{version}\n"
        "  python -m twine upload dist/*"
    )


if __name__ == "__main__":
    main()
