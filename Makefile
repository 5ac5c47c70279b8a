# make demo and make test are all a newcomer needs; both set up .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: setup demo test bench lock clean

setup: $(VENV)/.setup

$(VENV)/.setup: requirements.lock pyproject.toml package-lock.json scripts/build-web
	@scripts/system-packages "$(PYTHON)"
	@echo "setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -r requirements.lock
	@command -v npm >/dev/null || $(PIP) -r requirements-npm.lock
	@$(BIN)/python scripts/build-web
	@$(PIP) --no-deps --no-build-isolation -e .
	@echo "compiling (once) …"
	@$(BIN)/python -c "import rigless; sim = rigless.load('vacuum'); sim.send('vacuum', 'commands', {'type': 'Control', 'id': 'lidar', 'action': 'enable'}); sim.run(0.5); sim.robots['vacuum'].view().draw(); rigless.load('pacbot').run(0.5); rigless.load('rover').run(0.5); rigless.load('welder').robots['welder'].view().draw()"
	@touch $@

$(VENV)/.test: $(VENV)/.setup requirements-test.lock
	@$(PIP) -r requirements-test.lock
	@$(BIN)/python scripts/build-web tools
	@touch $@

demo: setup
	@$(BIN)/rigless demo

test: $(VENV)/.test
	@scripts/system-packages "$(PYTHON)" browser
	@$(BIN)/python -m pytest -n auto --dist loadfile

bench: $(VENV)/.test
	@$(BIN)/rigless bench

# Pin again after changing the dependencies in pyproject.toml or package.json.
lock: setup
	@$(PIP) uv
	@$(BIN)/uv pip compile pyproject.toml --extra all --extra dev --universal --python-version 3.11 --no-emit-index-url --no-header -q -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --extra all --extra dev --extra test -c requirements.lock --universal --python-version 3.11 --no-emit-index-url --no-header -q -o requirements-test.lock
	@$(BIN)/python scripts/build-web lock

clean:
	rm -rf $(VENV) dist build node_modules src/rigless/panel/web/vendor
