.DEFAULT_GOAL := help
.PHONY: help setup tools run demo test suite fast faults fuzz lint types js bench docs clients lock
RUN := .venv/bin
JS := frontend/node_modules
# Keep bytecode. Otherwise every process of a test run compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE
# Use only the default index: others may list files of one platform, but the lock is for all.
LOCK := UV_INDEX= UV_FIND_LINKS= scripts/setup uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q \
	--override requirements/overrides.txt

help: ## List the targets
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup: ## Install the runtime dependencies (quick when nothing changed)
	@scripts/setup run

tools: ## Also install the dependencies of tests and linters
	@scripts/setup dev

run: setup ## Start Pannier on http://127.0.0.1:8000
	@exec $(RUN)/pannier serve

demo: ## Start Pannier with a demo company in the centre of Helsinki
	@scripts/setup demo
	@exec $(RUN)/pannier serve --demo

test: tools ## Run all checks: linters and types, then all tests
	@$(MAKE) --no-print-directory -j 2 lint types js
	@$(MAKE) --no-print-directory suite

suite: tools ## Run all tests, with three processes for two cores
	@$(RUN)/python -m pytest -n logical --dist worksteal

fast: tools ## Run the tests that are not slow (target: 60 seconds on two cores)
	@$(RUN)/python -m pytest -n logical --dist worksteal -m "not slow"

faults: tools ## Kill processes repeatedly and count the results
	@PANNIER_FAULTS=whole $(RUN)/python -m pytest -s tests/faults tests/driver/test_kills.py

fuzz: tools ## Try 100 examples of each property, and 100 requests to each route
	@PANNIER_FUZZ=100 $(RUN)/python -m pytest -n logical --timeout 7200 -m "hypothesis or properties"

lint: tools ## Check style, names, texts and imports between packages
	@$(RUN)/ruff format --check -q . && $(RUN)/ruff check -q . && $(RUN)/lint-imports --no-logo
	@$(RUN)/python scripts/plain_english.py

types: tools ## Check the types
	@$(RUN)/mypy

js: tools ## Check types, style and import cycles of the scripts
	@$(JS)/@typescript/*/lib/tsc -p frontend
	@$(JS)/@typescript/*/lib/tsc -p frontend/tsconfig.workers.json
	@$(JS)/@typescript/*/lib/tsc -p clients/typescript --noEmit
	@$(JS)/@biomejs/*/biome lint --error-on-warnings src clients/typescript/src

bench: tools ## Measure performance and write docs/performance.md
	@$(RUN)/python scripts/performance.py

docs: tools ## Regenerate the generated pages of docs/
	@$(RUN)/python scripts/docs.py

clients: tools ## Build the clients and the Bruno collection into clients/dist
	@$(RUN)/python scripts/clients.py

lock: ## Resolve requirements/*.in again
	@$(LOCK) requirements/run.in -o requirements/run.txt
	@$(LOCK) -c requirements/run.txt requirements/dev.in -o requirements/dev.txt
	@for name in uv node cities; do $(LOCK) requirements/$$name.in -o requirements/$$name.txt; done
	@for name in maps maps-demo; do $(subst 3.11,3.12,$(LOCK)) --no-deps requirements/$$name.in -o requirements/$$name.txt; done
