# Everything that Cleave needs is installed into .venv by these targets: python3, venv and make are enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed

.PHONY: help install demo test test-browser lint docs mutation bench bench-speed bench-hydra bench-pdr bench-cegar bench-threads archive clean

help:
	@echo "make demo   install Cleave and verify an example, with its verdict and trace"
	@echo "make test   install Cleave, then lint and test it; prints how many of its lines the tests run"
	@echo "make test-browser  test the pages of cleave serve in Chromium, if there is one"
	@echo "make docs   make the pages that come from tables, and the site of all pages in build/site"
	@echo "make lint   ruff, mypy --strict and the layers of the architecture"
	@echo "make mutation  put mistakes into the validators and see whether the tests notice: hours; goes on where it was interrupted"
	@echo "make bench  verify the programs of bench/small, for all engines and properties, against expected verdicts"
	@echo "make bench-speed  measure speed on SHARED/bench (default ../shared; python -m bench fetch gets public tasks)"
	@echo "make bench-hydra  measure how a search scales with many workers: hours; goes on where it was interrupted"
	@echo "make bench-pdr    measure Horn clauses, real and simulated: hours; goes on where it was interrupted"
	@echo "make bench-cegar  measure predicate abstraction on many workers: hours; goes on where it was interrupted"
	@echo "make archive  dist/cleave.zip: one folder that runs without installation and network, as SV-COMP wants it"
	@echo "make bench-threads measure multi-threaded programs, in parts and against parallel solvers; goes on likewise"

install: $(STAMP)

$(STAMP): pyproject.toml src/cleave/version.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(BIN)/python -m compileall -q src  # a tool that starts processes should not compile itself in each
	touch $@

demo: install
	$(BIN)/cleave verify examples/withdraw.bpl; test $$? -eq 10

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: install
	$(BIN)/python -m cleave.run.options_page > docs/guide/options.md
	$(BIN)/python -m bench.commands_page > docs/guide/commands.md
	$(BIN)/python -m bench.python_page > docs/guide/python.md
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python -m bench.site build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build  # not --quiet: what is not shown does not count as a warning, and a broken link would pass
	@echo "the site is build/site/index.html"

# SlipCover takes its instrumentation out of lines that were run: whoever traces all of them takes twice as long.
COVERAGE := build/coverage.json

test: lint
	mkdir -p $(dir $(COVERAGE))
	$(BIN)/python -m slipcover --source src/cleave --json --out $(COVERAGE) -m pytest -n 2
	$(BIN)/python -m bench.covered $(COVERAGE)

# Needs Chromium; without one the tests are skipped. PICTURES=docs/pictures makes the pictures of the guide anew.
test-browser: install
	PICTURES=$(PICTURES) $(BIN)/python -m pytest -m browser tests/browser -rs

# Rows go to MUTATION_ROWS: see docs/lab/mutation.md.
MUTATION_ROWS ?= build/mutation.jsonl
MUTATION_OPTIONS ?= --sample 300

mutation: install
	$(BIN)/python -m bench mutation --out $(MUTATION_ROWS) $(MUTATION_OPTIONS)

# Programs of our own with expected verdicts: minutes, and nothing but this folder is needed.
bench: install
	$(BIN)/python -m bench small

# A goal that is not reached does not stop the rest; a wrong verdict in the last one fails.
bench-speed: install
	-$(BIN)/python -m bench chain --timelimit 60
	-$(BIN)/python -m bench merging --timelimit 60
	-$(BIN)/python -m bench inlining --timelimit 20 --limit 16
	$(BIN)/python -m bench sdv --timelimit 20 --only corral --jobs 1

# Rows go to HYDRA_ROWS, plots beside them.
HYDRA_ROWS ?= build/hydra.tsv
HYDRA_OPTIONS ?= --limit 12 --virtual-limit 300 --timelimit 600

bench-hydra: install
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m bench hydra --resume --out $(HYDRA_ROWS) $(HYDRA_OPTIONS)
	$(BIN)/python -m bench hydra --resume --out $(HYDRA_ROWS) $(HYDRA_OPTIONS) --compare
	$(BIN)/python -m bench hydra --resume --out $(HYDRA_ROWS) $(HYDRA_OPTIONS) --real
	$(BIN)/python -m bench.hydra_plots $(HYDRA_ROWS) --to build
	$(BIN)/python -m bench messages

# Rows go to PDR_ROWS: see docs/design/pdr.md. A wrong verdict fails.
PDR_ROWS ?= build/pdr.tsv
PDR_REAL_OPTIONS ?= --every 10 --timelimit 60
PDR_SIMULATED_OPTIONS ?= --solvable --limit 12 --virtual-limit 20 --timelimit 600

bench-pdr: install
	$(BIN)/python -m bench pdr --real --resume --out $(PDR_ROWS) $(PDR_REAL_OPTIONS)
	$(BIN)/python -m bench pdr --simulated --resume --out $(PDR_ROWS) $(PDR_SIMULATED_OPTIONS)
	$(BIN)/python -m bench faults --engine pdr --runs 1000

# Rows go to CEGAR_ROWS: see docs/design/cegar.md. A wrong verdict fails, and so does a run that concludes something else.
CEGAR_ROWS ?= build/cegar.tsv
CEGAR_OPTIONS ?= --every 5 --timelimit 3600

bench-cegar: install
	$(BIN)/python -m bench cegar --sequential --resume --out $(CEGAR_ROWS) $(CEGAR_OPTIONS)
	$(BIN)/python -m bench cegar --simulated --resume --out $(CEGAR_ROWS) $(CEGAR_OPTIONS)
	$(BIN)/python -m bench cegar --delayed --resume --out $(CEGAR_ROWS) $(CEGAR_OPTIONS)
	$(BIN)/python -m bench cegar --real --resume --out $(CEGAR_ROWS) $(CEGAR_OPTIONS)
	$(BIN)/python -m bench engines --resume --out $(basename $(CEGAR_ROWS))_engines.tsv
	$(BIN)/python -m bench faults --engine cegar --runs 8000

# Rows go to THREADS_ROWS: see docs/design/threads.md. An answer that is not the paper's fails, and so does a solver that is faster.
THREADS_ROWS ?= build/threads.tsv
THREADS_OPTIONS ?= --timelimit 600

bench-threads: install
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	-$(BIN)/python -m bench threads --parts --resume --out $(THREADS_ROWS) $(THREADS_OPTIONS)
	$(BIN)/python -m bench threads --against --resume --out $(THREADS_ROWS) $(THREADS_OPTIONS)

# As SV-COMP wants it: one folder that runs from any path without a network. It needs one of these Pythons, and nothing else.
ARCHIVE_PYTHONS := 3.11 3.12 3.13
ARCHIVE := build/archive/cleave

archive: install
	rm -rf $(ARCHIVE) && mkdir -p $(ARCHIVE)/lib dist
	$(BIN)/pip install --quiet --disable-pip-version-check --target $(ARCHIVE)/lib '.[c,sat]'
	$(BIN)/python .ci/more-pythons $(ARCHIVE)/lib $(ARCHIVE_PYTHONS)
	cp LICENSE README.md .ci/archive/cleave .ci/archive/smoketest.sh $(ARCHIVE)/
	cd $(ARCHIVE)/.. && ../../$(BIN)/python -m zipfile -c ../../dist/cleave.zip cleave
	$(ARCHIVE)/smoketest.sh

clean:
	rm -rf $(VENV) build dist
