// The page of a report: the choice of axes, the picked cell, and the list of failures.
let data = { axes: [] }, state = { colour: "failed", picked: null };
const one = (selector) => document.querySelector(selector);

function inPicked(places) {
  const { picked, x, y } = state;
  return !picked || (binAt(data.axes[x], places[data.mapped.indexOf(x)]) === picked.x
    && binAt(data.axes[y], places[data.mapped.indexOf(y)]) === picked.y);
}

function drawHeat() {
  const root = one(".heat");
  if (!root) return;
  heatmap(root, data, { ...state, onPick: pick });
  legend(one(".legend"), data, state);
}

function drawLines() {
  const root = one(".lines");
  if (root) parallel(root, data, { keep: state.picked ? (line) => inPicked(line.places) : null });
}

function drawAll() {
  drawHeat();
  drawLines();
  document.querySelectorAll("[data-histogram]").forEach((root) =>
    histogram(root, data.histograms[Number(root.dataset.histogram)]));
  document.querySelectorAll("[data-axis]").forEach((root) =>
    axisBars(root, data.axes[Number(root.dataset.axis)]));
  if (one(".pairs")) pairs(one(".pairs"), data);
}

function pick(bins) {
  state.picked = bins;
  const note = one(".picked-note");
  note.hidden = !bins;
  if (bins) {
    const ax = data.axes[state.x], ay = data.axes[state.y];
    note.querySelector("span").textContent =
      `${ax.key} ${ax.labels[bins.x]}, ${ay.key} ${ay.labels[bins.y]}`;
  }
  drawHeat();
  drawLines();
  filterFailures();
}

function filterFailures() {
  const list = one(".failures ol");
  if (!list) return;
  const wanted = one(".failures input").value.toLowerCase();
  const expectation = one(".failures select")?.value ?? "";
  let shown = 0;
  for (const item of list.children) {
    const row = data.failures[Number(item.dataset.n)];
    item.hidden = (expectation && row.expectation !== expectation) || !inPicked(row.places)
      || (wanted && !item.textContent.toLowerCase().includes(wanted));
    if (!item.hidden) shown += 1;
  }
  const filtered = wanted || expectation || state.picked;
  one(".failures .found").textContent = filtered ? `${shown} shown` : "";
}

/** Show a summary. The chosen axes stay if the summary has them. */
function show(summary) {
  const key = (name) => data.axes[state[name]]?.key;
  const chosen = ["x", "y"].map((name, n) => {
    const kept = summary.axes.findIndex((axis) => axis.key === key(name));
    return summary.mapped.includes(kept) ? kept : summary.chosen?.[n];
  });
  const axes = chosen[0] === chosen[1] ? summary.chosen : chosen;
  data = summary;
  state = { x: axes?.[0], y: axes?.[1], colour: state.colour, picked: null };
  listen();
  drawAll();
}

function listen() {
  for (const name of ["x", "y"]) {
    one(`select[name=${name}]`)?.addEventListener("change", (event) => {
      const other = name === "x" ? "y" : "x", value = Number(event.target.value);
      if (state[other] === value) {  // the axes change places
        state[other] = state[name];
        one(`select[name=${other}]`).value = state[other];
      }
      state[name] = value;
      pick(null);
    });
  }
  one("select[name=colour]")?.addEventListener("change", (event) => {
    state.colour = event.target.value;
    drawHeat();
  });
  one(".picked-note button")?.addEventListener("click", () => pick(null));
  one(".failures input")?.addEventListener("input", filterFailures);
  one(".failures select")?.addEventListener("change", filterFailures);
  for (const name of ["x", "y", "colour"]) {
    if (one(`select[name=${name}]`)) one(`select[name=${name}]`).value = state[name];
  }
}

show(JSON.parse(document.getElementById("data").textContent));
let width = 0, waiting = 0;
new ResizeObserver(() => {
  if (document.body.clientWidth === width) return;
  width = document.body.clientWidth;
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(drawAll);
}).observe(document.body);
