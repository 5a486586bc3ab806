# Needs Python 3.11+ and make; everything else goes into .venv here.
PYTHON ?= python3
VENV   ?= .venv
# Windows calls the folder of a virtual environment's programs otherwise.
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# Processes that share the test files.
WORKERS ?= 2
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Compiling thousands of modules takes longer than the rest; modules are compiled when they are first used.
INSTALL := $(PIP) install --no-compile --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
QUICK  := -m "not slow"
# What cannot be installed is an error, unless the registry has no build of it for this platform.
define install_where_built
$(INSTALL) $(1) 2> $(VENV)/pip.log || { cat $(VENV)/pip.log >&2; \
	grep -q "No matching distribution found" $(VENV)/pip.log && echo "No build for this platform: its tests are skipped."; }
endef

# What is compiled is kept, whatever the environment says: thousands of commands are started by the tests.
export PYTHONDONTWRITEBYTECODE :=

# Threads of OpenBLAS that have nothing to do sleep at once, and do not take the time of other processes.
export OPENBLAS_THREAD_TIMEOUT := 4

.PHONY: demo torch scale test test-all test-machines test-lowest quick-lowest test-core quick-core test-wheel release coverage \
	fuzz lint check docs site bench bench-learn mutation clean

demo: $(VENV)/.installed
	$(BIN)/rankscope demo rankscope-demo --overwrite

# PyTorch, whose tests are skipped without it. Not part of `test`, because on Linux the newest build of the registry
# brings gigabytes for GPUs.
torch: $(VENV)/.torch

# Dask and fsspec, for the tests of clusters and URLs, which are skipped without them.
scale: $(VENV)/.scale

test: $(VENV)/.dev
	$(PYTEST) $(QUICK)

test-all: $(VENV)/.dev
	$(PYTEST)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

# The tests of numbers as other processors compute them: MACHINES names some of the settings in tests/jobs/machines.py.
test-machines: $(VENV)/.dev
	$(BIN)/python tests/jobs/machines.py $(MACHINES) -- $(PYTEST) $(QUICK)

# The quick tests with the lowest version of everything that pyproject.toml declares.
test-lowest:
	$(MAKE) VENV=.venv-lowest .venv-lowest/.lowest
	$(MAKE) VENV=.venv-lowest quick-lowest

# Pages, and one golden file of messages, hold numbers and words of newer peers.
quick-lowest:
	$(PYTEST) $(QUICK) -p no:cacheprovider --ignore tests/test_docs.py --ignore tests/cli/test_wrong_calls.py

# The quick tests without any extra: only tests that name a missing extra may be skipped.
test-core:
	$(MAKE) VENV=.venv-core .venv-core/.core
	$(MAKE) VENV=.venv-core quick-core

quick-core:
	$(PYTEST) $(QUICK) -p no:cacheprovider -o verbosity_assertions=2 --skips-only-for-extras

# The wheel and the sdist, and the wheel in an empty environment, away from the source: README and tour.
test-wheel: $(VENV)/.dev
	$(INSTALL) --group build
	$(BIN)/python tests/jobs/wheel.py

# All that comes before a release: a clean checkout whose changes are described, the wheel and the sdist in dist/, their
# metadata, and the wheel in an empty environment. Nothing is uploaded: it prints how.
release: $(VENV)/.dev
	$(INSTALL) --group build
	PYTHONPATH=tests $(BIN)/python -m jobs.release

# What part of the code the quick tests run: fails below 95 % of lines or 90 % of branches. Takes half an hour; install
# PyTorch and Dask first, so that their tests run: `make torch scale coverage`.
coverage: $(VENV)/.coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(QUICK) -n $(WORKERS) --dist loadfile
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/coverage json --quiet -o .coverage.json
	$(BIN)/python tests/jobs/coverage_rates.py .coverage.json

# The generated pages: measures, and the list of modules.
docs: $(VENV)/.installed
	$(BIN)/rankscope measures --format markdown -o docs/measures.md
	$(BIN)/python docs/parameters.py
	$(BIN)/python docs/rank_measures.py
	$(BIN)/python docs/modules.py > docs/modules.md

# The site, in site/: pages by task, search, a reference from the docstrings. Built offline from the files here.
site: $(VENV)/.site
	$(BIN)/python docs/site.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

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
	$(BIN)/python tests/jobs/mutation.py kernels
	$(BIN)/python tests/jobs/mutation.py measures

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "rankscope needs Python 3.11 or later; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[report,learn]'
	touch $@

# A pip that knows dependency groups.
$(VENV)/.dev: $(VENV)/.installed
	$(INSTALL) --upgrade pip
	$(INSTALL) --editable '.[report,mt,learn]' --group dev
	touch $@

$(VENV)/.torch: $(VENV)/.dev
	$(call install_where_built,--editable '.[torch]')
	touch $@

$(VENV)/.scale: $(VENV)/.dev
	$(call install_where_built,--editable '.[scale]' --group http)
	touch $@

$(VENV)/.lowest: $(VENV)/.python pyproject.toml tests/jobs/lowest.py
	$(PIP) install --upgrade pip
	$(BIN)/python tests/jobs/lowest.py pyproject.toml > $(VENV)/lowest.txt
	$(PIP) install --no-compile --constraint $(VENV)/lowest.txt --editable '.[report,mt,learn,scale]' --group test --group http
	touch $@

$(VENV)/.core: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) --upgrade pip
	$(INSTALL) --editable . --group test
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) --group bench
	# It asks for NumPy below 2 and does not need it.
	$(PIP) install --no-deps rbo==0.1.3 tqdm
	touch $@

$(VENV)/.coverage $(VENV)/.fuzz $(VENV)/.mutation $(VENV)/.site: $(VENV)/.dev
	$(INSTALL) --group $(patsubst .%,%,$(notdir $@))
	touch $@

clean:
	rm -rf .venv-lowest .venv-core $(VENV) dist site .site rankscope-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
