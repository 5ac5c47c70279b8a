# make demo and make test are all a newcomer needs; both set up .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV     := uv==0.13.7

# uv takes seconds where pip takes a minute; it does not read pip's settings, so where it does not get through, pip does it.
install = { $(PIP) $(UV) && $(BIN)/uv pip install --quiet --python $(BIN)/python -r $(1); } 2>/dev/null || $(PIP) -r $(1)

# What Python compiles is kept for those who import it next, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test docs docs-test reference pictures bench-report release mutants bench lock clean traffic-hour

setup: $(VENV)/.compiled

$(VENV)/.setup: requirements.lock pyproject.toml package-lock.json scripts/build-web
	@scripts/system-packages "$(PYTHON)"
	@echo "setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(call install,requirements.lock)
	@command -v npm >/dev/null || $(PIP) -r requirements-npm.lock
	@$(BIN)/python scripts/build-web
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.compiled: $(VENV)/.setup
	@echo "compiling (once) …"
	@$(BIN)/rigless compile
	@touch $@

# Tests keep compiled code of their own. It is made meanwhile; what is half installed may disturb it, so it may try again.
$(VENV)/.test: $(VENV)/.setup requirements-test.lock
	@echo "compiling for tests, and installing what they need …"
	@$(BIN)/python tests/compiled.py 2>/dev/null & compiling=$$!; \
	scripts/system-packages "$(PYTHON)" browser & packages=$$!; \
	{ $(call install,requirements-test.lock); } && $(BIN)/python scripts/build-web tools || { wait; exit 1; }; \
	wait $$packages && { wait $$compiling || $(BIN)/python tests/compiled.py; }
	@touch $@

demo: setup
	@$(BIN)/rigless demo

test: $(VENV)/.test
	@scripts/system-packages "$(PYTHON)" browser
	@$(BIN)/python tests/compiled.py
	@rm -rf build/pytest
	@$(BIN)/python -m pytest -n auto --dist loadfile \
		|| { [ $$? = 1 ] && $(BIN)/python tests/again.py build/pytest; }

# The documentation as one folder, build/docs/site: it needs no server and no network.
docs: $(VENV)/.docs
	@$(BIN)/python docs/build.py site

# The pages of docs/reference/generated, from the code. A test compares them.
reference: $(VENV)/.docs
	@$(BIN)/python docs/build.py reference
	@$(BIN)/python docs/build.py gallery

# The site in a browser, and the commands of all pages that take longer. The others are in make test.
docs-test: $(VENV)/.test
	@RIGLESS_DOCS=all $(BIN)/python -m pytest tests/docs

$(VENV)/.docs: $(VENV)/.setup requirements-test.lock
	@$(PIP) -c requirements-test.lock --no-build-isolation -e '.[docs]'
	@touch $@

# The pictures of the documentation, from the running product: fifteen minutes. make pictures NAMES="tutorials/slam"
pictures: $(VENV)/.test
	@$(BIN)/python docs/build.py pictures $(NAMES)

# The performance page: this machine and peers, on a quiet machine. Some sections again: NAMES="lidar kernel"
bench-report: setup $(VENV)/.test
	@$(PIP) -c requirements-test.lock --no-build-isolation -e '.[peers]' || echo "some peers cannot be installed here; the page leaves them out"
	@$(BIN)/python docs/build.py benchmarks $(NAMES)

# Wheel and sdist with their checks, licences, SBOM and audit, in dist: docs/releasing.md. DRAFT=--draft before the changelog is closed.
release: $(VENV)/.test
	@$(BIN)/python scripts/release $(DRAFT)

# Mutation tests of the kernel, for at most MUTANTS_SECONDS: make mutants MODULES="rate agenda". Not a part of make test.
MUTANTS_SECONDS ?= 600
mutants: $(VENV)/.test
	@$(BIN)/python scripts/mutants $(MUTANTS_SECONDS) $(MODULES)

# Fifty robots and a traffic manager for a simulated hour: twenty minutes, and more on a busy machine. Not a part of make test.
traffic-hour: setup
	@$(BIN)/rigless check examples/traffic_manager/fleet.toml

bench: setup $(VENV)/.test
	@$(BIN)/rigless bench

# Pin again after changing the dependencies in pyproject.toml or package.json.
lock: setup
	@$(PIP) $(UV)
	@$(BIN)/uv pip compile pyproject.toml --extra all --extra dev --universal --python-version 3.11 --no-emit-index-url --no-header -q -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --extra all --extra dev --extra test -c requirements.lock --override requirements-without.txt --universal --python-version 3.11 --no-emit-index-url --no-header -q -o requirements-test.lock
	@$(BIN)/python scripts/build-web lock

clean:
	rm -rf $(VENV) .venv-ros-* dist build node_modules src/rigless/panel/web/vendor
