# Needs Python 3.11+ and make; everything else goes into .venv here.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Test files are shared out to so many processes.
WORKERS ?= 2
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Compiling thousands of modules takes longer than the rest; those that are used are compiled then.
INSTALL := $(PIP) install --no-compile --constraint constraints.txt

.PHONY: demo torch scale test test-all coverage fuzz lint docs bench bench-learn mutation clean

demo: $(VENV)/.installed
	$(BIN)/rankscope demo rankscope-demo --overwrite

# PyTorch, which some tests ask for and are skipped without: `make torch test` runs these, too. It is no part of `dev`,
# since on Linux the registry's newest build comes with gigabytes for GPUs.
torch: $(VENV)/.torch

# Dask, which the tests of clusters ask for and are skipped without; and a client for HTTP for those of URLs.
scale: $(VENV)/.scale

test: $(VENV)/.dev lint
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist loadfile

test-all: $(VENV)/.dev lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# What part of the code the quick tests run: fails below 95 % of lines or 90 % of branches. Half an hour; before it, what
# PyTorch and Dask are needed for should be there to be run: `make torch scale coverage`.
coverage: $(VENV)/.coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -m "not slow" -n $(WORKERS) --dist loadfile
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/coverage json --quiet -o .coverage.json
	$(BIN)/python tests/coverage_rates.py .coverage.json

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The generated page of measures.
docs: $(VENV)/.installed
	$(BIN)/rankscope measures --format markdown -o docs/measures.md

# Runs every benchmark beside its peers and prints the ratios; a quarter of an hour.
bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run_all.py

# Rankers on MQ2007, and their rows in docs/benchmarks.md; a quarter of an hour.
bench-learn: $(VENV)/.bench
	$(BIN)/python benchmarks/run_all.py --only learning --write

# A minute of fuzzing for each reader, an hour in all.
fuzz: $(VENV)/.fuzz
	$(BIN)/python tests/fuzz/run_atheris.py all --seconds 60

# Small changes to the code, one at a time, and whether a test notices; an hour and more each.
mutation: $(VENV)/.mutation
	$(BIN)/python tests/mutation.py kernels
	$(BIN)/python tests/mutation.py measures

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "rankscope needs Python 3.11 or later; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[report,learn]'
	touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(INSTALL) --editable '.[dev]'
	touch $@

$(VENV)/.torch: $(VENV)/.dev
	$(INSTALL) --editable '.[torch]'
	touch $@

$(VENV)/.scale: $(VENV)/.dev
	$(INSTALL) --editable '.[scale]'
	-$(INSTALL) aiohttp
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) --editable '.[bench]'
	# It asks for NumPy below 2 and does not need it.
	$(PIP) install --no-deps rbo==0.1.3 tqdm
	touch $@

$(VENV)/.coverage: $(VENV)/.dev
	$(INSTALL) --editable '.[coverage]'
	touch $@

$(VENV)/.fuzz: $(VENV)/.dev
	$(INSTALL) --editable '.[fuzz]'
	touch $@

$(VENV)/.mutation: $(VENV)/.dev
	$(INSTALL) --editable '.[mutation]'
	touch $@

clean:
	rm -rf $(VENV) rankscope-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
