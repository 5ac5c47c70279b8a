// Pictures of a sweep as SVG, drawn from the JSON of report/data.py. Colours come from classes.
// Each function fills its root and may be called again, for new data or a new width.

const SVG = "http://www.w3.org/2000/svg";
const PLACES = 10000, SCORES = 2;
const TOGETHER = 6;  // lines in a path

function make(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  element.append(...children.filter((one) => one !== null));
  return element;
}

function canvas(root, width, height, label) {
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": label });
  root.replaceChildren(svg);
  return svg;
}

/** A number with four significant digits and a true minus sign. */
export function figure(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(2)
    : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

export function percent(share) {
  const distance = Math.min(share, 1 - share) * 100;
  const digits = share === 0 || share === 1 ? 0 : distance >= 10 ? 0 : distance >= 1 ? 1 : 2;
  return `${(100 * share).toFixed(digits)} %`;
}

/** Wilson's 95 % interval of a share. */
export function wilson(count, total) {
  if (!total) return [0, 1];
  const z = 1.959964, rate = count / total, scale = 1 + z * z / total;
  const centre = (rate + z * z / (2 * total)) / scale;
  const half = z * Math.sqrt(rate * (1 - rate) / total + (z / (2 * total)) ** 2) / scale;
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

function shortened(text, room) {
  const most = Math.max(3, Math.floor(room / 6.6));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The middle of a long key is left out: its end says most. */
function shortKey(key, room) {
  const most = Math.max(6, Math.floor(room / 6.6));
  return key.length <= most ? key : `…${key.slice(1 - most)}`;
}

/** Round numbers inside an axis, as [value, place from 0 to 1]. */
function ticks(low, high, most) {
  const least = (high - low) / most, power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((n) => n * power >= least * (1 - 1e-9)) * power;
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n += 1)
    found.push([Number((n * step).toPrecision(12)), (n * step - low) / (high - low)]);
  return found;
}

/** The labels of an axis, as [text, place from 0 to 1]; at most one for each `gap` pixels. */
function labels(axis, length, gap) {
  if (axis.low !== null)
    return ticks(axis.low, axis.high, Math.max(2, Math.floor(length / gap)))
      .map(([value, place]) => [figure(value), place]);
  const count = axis.labels.length, every = Math.max(1, Math.ceil(gap / (length / count)));
  return axis.labels.map((text, n) => [text, (n + 0.5) / count])
    .filter((_, n) => n % every === every >> 1);
}

/** Labels of a horizontal axis, as [text, x]: they neither overlap nor leave it by `spare`. */
function labelsAcross(axis, length, least, spare = 0) {
  if (axis.low !== null)
    return labels(axis, length, least).map(([text, place]) => [text, length * place]);
  const longest = Math.max(...axis.labels.map((text) => text.length));
  const gap = Math.min(120, Math.max(least, 7 * longest + 10));
  const room = Math.max(gap, length / axis.labels.length) - 8;
  return labels(axis, length, gap)
    .map(([text, place]) => [shortened(text, room), length * place])
    .filter(([text, x]) => x + 3.5 * text.length <= length + spare);
}

/** Find the heat map of two axes; the bins of the answer are (x, y) in that order. */
function heatOf(data, x, y) {
  const found = data.heats.find((one) =>
    (one.x === x && one.y === y) || (one.x === y && one.y === x));
  if (!found) return null;
  const width = data.axes[found.x].labels.length, turned = found.x !== x;
  return { ...found, at: (i, j) => (turned ? i * width + j : j * width + i) };
}

function largestShare(heat) {
  return Math.max(0, ...heat.total.map((total, n) => (total ? heat.failed[n] / total : 0)));
}

/**
 * The share of failures over two axes. options: x, y, colour ("failed" | "worst"), picked
 * ({x, y} bins) and onPick(bins | null).
 */
export function heatmap(root, data, options) {
  const heat = heatOf(data, options.x, options.y);
  if (!heat) { root.replaceChildren(); return; }
  const ax = data.axes[options.x], ay = data.axes[options.y];
  const nx = ax.labels.length, ny = ay.labels.length;
  const width = Math.max(260, root.clientWidth);
  const longest = Math.max(...labels(ay, 400, 24).map(([text]) => text.length));
  const left = Math.min(Math.max(40, longest * 7 + 16), width * 0.3), top = 26, foot = 44;
  const cell = Math.min((width - left - 8) / nx, 84), high = Math.min(Math.max(cell, 22), 44);
  const across = cell * nx, down = high * ny;
  const svg = canvas(root, width, top + down + foot,
    `Share of failures over ${ax.key} and ${ay.key}`);
  const worst = options.colour === "worst";
  const most = Math.max(1e-9, largestShare(heat));
  svg.append(make("text", { x: 0, y: 13, class: "axis-name" }, `↑ ${shortKey(ay.key, width)}`));
  for (let j = 0; j < ny; j += 1)
    for (let i = 0; i < nx; i += 1) {
      const n = heat.at(i, j), total = heat.total[n], failed = heat.failed[n];
      const x = left + i * cell, y = top + down - (j + 1) * high;
      const share = total ? failed / total : 0, margin = heat.worst[n];
      const depth = worst ? Math.min(Math.abs(margin ?? 0) / SCORES, 1) : share / most;
      const bad = worst ? (margin ?? 0) < 0 : failed > 0;
      const picked = options.picked && options.picked.x === i && options.picked.y === j;
      const [low, up] = wilson(failed, total);
      const where = `${ax.key}: ${ax.labels[i]}\n${ay.key}: ${ay.labels[j]}\n`;
      const tip = where + (total
        ? `${failed} of ${total} failed: ${percent(share)} [${percent(low)}, ${percent(up)}]\n`
          + `worst scaled margin ${figure(margin)}` : "no run with a verdict");
      // Cells with one or two runs say little: they are drawn smaller.
      const inset = total === 1 ? 0.2 : total === 2 ? 0.1 : 0;
      const dx = 0.5 + inset * cell, dy = 0.5 + inset * high;
      const box = make("rect", { x: x + dx, y: y + dy, width: Math.max(cell - 2 * dx, 1),
        height: high - 2 * dy, rx: 2, class: `cell${total ? "" : " empty"}${bad ? " bad" : ""}`
        + `${picked ? " picked" : ""}`, "data-tip": tip });
      if (total) box.style.setProperty("--depth", `${Math.round(100 * (bad ? 0.16 + 0.84 * depth
        : worst ? 0.5 * depth : 0))}%`);
      if (options.onPick)
        box.addEventListener("click", () => options.onPick(picked ? null : { x: i, y: j }));
      svg.append(box);
      const words = worst ? figure(Number(margin?.toPrecision(2))) : `${Math.round(100 * share)}`;
      if (total && cell >= 28 && (worst || failed))
        svg.append(make("text", { x: x + cell / 2, y: y + high / 2 + 4,
          class: `in-cell${bad && depth > 0.45 ? " strong" : ""}` }, shortened(words, cell)));
    }
  for (const [text, place] of labels(ay, down, 22))
    svg.append(make("text", { x: left - 8, y: top + down * (1 - place) + 4, class: "tick end" },
      shortened(text, left - 10)));
  for (const [text, x] of labelsAcross(ax, across, ax.low === null ? 44 : 60, 8))
    svg.append(make("text", { x: left + x, y: top + down + 16, class: "tick middle" }, text));
  svg.append(make("text", { x: left + across, y: top + down + 38, class: "axis-name end" },
    `${shortKey(ax.key, across)} →`));
}

/** A legend for the colours of a heat map. */
export function legend(root, data, options) {
  const heat = heatOf(data, options.x, options.y);
  if (!heat) return;
  const most = largestShare(heat);
  const words = options.colour === "worst"
    ? ["passed", "worst scaled margin in the cell", "failed"]
    : ["0 %", "failed, in % of the runs of a cell; small: one or two runs", percent(most)];
  root.innerHTML = "";
  for (const [name, text] of [["span", words[0]], ["i", ""], ["span", words[2]],
    ["small", words[1]]])
    root.append(Object.assign(document.createElement(name), { textContent: text }));
}

/** Runs as lines through their places on the axes; failures are red. options: keep(line). */
export function parallel(root, data, options = {}) {
  const axes = [...data.mapped.map((n) => data.axes[n]), { key: "margin",
    labels: [], low: -SCORES, high: SCORES }];
  const width = Math.max(root.clientWidth, 100 * axes.length), height = 320;
  const top = 34, foot = 18, left = 12, right = 64, span = height - top - foot;
  const svg = canvas(root, width, height, "Each run as a line through its parameters");
  const x = (n) => left + (width - left - right) * n / (axes.length - 1);
  const spread = (axis, place, n) => {  // runs of one value are spread a little
    if (axis.low !== null) return place / PLACES;
    return place / PLACES + (((n * 0.618034) % 1) - 0.5) * 0.5 / axis.labels.length;
  };
  const groups = { faded: [], passed: [], failed: [] };
  data.lines.forEach((line, n) => {
    let d = "", on = false;
    line.places.forEach((place, k) => {
      if (place < 0) { on = false; return; }
      const y = top + span * (1 - spread(axes[k], place, n));
      d += `${on ? "L" : "M"}${x(k).toFixed(1)} ${y.toFixed(1)}`;
      on = true;
    });
    const kept = !options.keep || options.keep(line);
    groups[kept ? (line.failed ? "failed" : "passed") : "faded"].push(d);
  });
  for (const [name, found] of Object.entries(groups)) {
    // A path covers itself only once, so several paths show where lines are dense.
    const opacity = Math.max(0.1, Math.min(0.8, 60 / Math.max(1, found.length)));
    for (let n = 0; n < found.length; n += TOGETHER)
      svg.append(make("path", { d: found.slice(n, n + TOGETHER).join(""),
        class: `run-line ${name}`, opacity: opacity.toFixed(2) }));
  }
  axes.forEach((axis, k) => {
    svg.append(make("path", { d: `M${x(k)} ${top}V${top + span}`, class: "rail" }));
    const room = (width - left - right) / (axes.length - 1) - 12;
    const name = make("text", { x: x(k) - 4, y: 14, class: "axis-name", "data-tip": axis.key },
      shortKey(axis.key, k === axes.length - 1 ? right + 8 : room));
    svg.append(name);
    for (const [text, place] of labels(axis, span, 40))
      svg.append(make("text", { x: x(k) + 6, y: top + span * (1 - place) + 4,
        class: "tick on-line" }, shortened(text, Math.min(room - 8, 90))));
  });
}

/** A histogram of a margin or metric, split by verdict. */
export function histogram(root, one) {
  const width = Math.max(220, root.clientWidth), height = 96, foot = 18;
  const svg = canvas(root, width, height, `Distribution of ${one.name}`);
  const bins = one.passed.length, step = width / bins, span = height - foot;
  const most = Math.max(...one.passed.map((count, n) => count + one.failed[n]), 1);
  const size = (count) => (count ? Math.max(1.5, span * count / most) : 0);
  const place = (value) => width * (value - one.low) / (one.high - one.low);
  for (let n = 0; n < bins; n += 1) {
    const good = size(one.passed[n]), bad = size(one.failed[n]);
    const from = one.low + (one.high - one.low) * n / bins;
    const to = one.low + (one.high - one.low) * (n + 1) / bins;
    for (const [cls, y, h] of [["good", span - good, good], ["bad", span - good - bad, bad]])
      if (h) svg.append(make("rect", { x: n * step + 0.5, y, width: Math.max(step - 1, 1),
        height: h, class: `bar ${cls}` }));
    svg.append(make("rect", { x: n * step, y: 0, width: step, height: span, class: "catch",
      "data-tip": `${figure(from)} to ${figure(to)}\n${one.passed[n]} passed, `
        + `${one.failed[n]} failed` }));
  }
  svg.append(make("path", { d: `M0 ${span + 0.5}H${width}`, class: "rail" }));
  if (one.low < 0 && one.high > 0)
    svg.append(make("path", { d: `M${place(0)} 0V${span}`, class: one.kind === "margin"
      ? "limit" : "zero" }));
  for (const [text, share] of labels({ low: one.low, high: one.high }, width, 70))
    if (share > 0.02 && share < 0.98)
      svg.append(make("text", { x: width * share, y: height - 3, class: "tick middle" }, text));
}

/** The runs over the bins of an axis; the red part failed. */
export function axisBars(root, axis) {
  const width = Math.max(200, root.clientWidth), height = 72, foot = 18, span = height - foot;
  const svg = canvas(root, width, height, `Runs over ${axis.key}`);
  const bins = axis.labels.length, step = width / bins;
  const total = (n) => axis.passed[n] + axis.failed[n] + axis.unjudged[n];
  const most = Math.max(...axis.labels.map((_, n) => total(n)), 1);
  for (let n = 0; n < bins; n += 1) {
    const judged = axis.passed[n] + axis.failed[n];
    const [low, up] = wilson(axis.failed[n], judged);
    let y = span;
    for (const [cls, count] of [["good", axis.passed[n]], ["none", axis.unjudged[n]],
      ["bad", axis.failed[n]]]) {
      const h = count ? Math.max(1.5, span * count / most) : 0;
      y -= h;
      if (h) svg.append(make("rect", { x: n * step + 0.5, y, width: Math.max(step - 1, 1),
        height: h, class: `bar ${cls}` }));
    }
    svg.append(make("rect", { x: n * step, y: 0, width: step, height: span, class: "catch",
      "data-tip": `${axis.key}: ${axis.labels[n]}\n${total(n)} runs` + (judged
        ? `, ${axis.failed[n]} failed: ${percent(axis.failed[n] / judged)} `
          + `[${percent(low)}, ${percent(up)}]` : "") }));
  }
  svg.append(make("path", { d: `M0 ${span + 0.5}H${width}`, class: "rail" }));
  for (const [text, x] of labelsAcross(axis, width, axis.low === null ? 48 : 64)) {
    const place = axis.low === null ? 0.5 : x / width;
    const end = place > 0.96 ? " end" : place < 0.04 ? "" : " middle";
    svg.append(make("text", { x, y: height - 3, class: `tick${end}` }, text));
  }
}

/** The share of pairs of bins that have a run, for each pair of axes. */
export function pairs(root, data) {
  const axes = data.mapped.filter((n) => data.axes[n].key !== "seed");
  if (axes.length < 2) { root.replaceChildren(); return; }
  const width = Math.max(240, root.clientWidth), left = Math.min(190, width * 0.4);
  const cell = Math.min((width - left) / (axes.length - 1), 64), high = 30;
  const svg = canvas(root, width, high * axes.length, "Coverage of pairs");
  axes.forEach((axis, j) => {
    const y = j * high, key = data.axes[axis].key;
    svg.append(make("text", { x: 0, y: y + high / 2 + 4, class: "tick", "data-tip": key },
      `${j + 1}  ${shortKey(key, left - 34)}`));
    if (j < axes.length - 1)  // the column's number stands above its first cell
      svg.append(make("text", { x: left + (j + 0.5) * cell, y: y + high - 8,
        class: "tick middle", "data-tip": key }, j + 1));
    for (let i = 0; i < j; i += 1) {
      const share = heatOf(data, axes[i], axis)?.coverage ?? 0, x = left + i * cell;
      const box = make("rect", { x: x + 0.5, y: y + 0.5, width: cell - 1, height: high - 1, rx: 2,
        class: "pair", "data-tip": `${data.axes[axes[i]].key}\n${key}\n`
          + `${percent(share)} of the pairs of bins have a run` });
      box.style.setProperty("--depth", `${Math.round(70 * (1 - share))}%`);
      svg.append(box);
      if (cell >= 28) svg.append(make("text", { x: x + cell / 2, y: y + high / 2 + 4,
        class: "in-cell" }, `${Math.floor(100 * share)}`));
    }
  });
}

/** The bin of a run on an axis, -1 without value. */
export function binAt(axis, place) {
  const count = axis.labels.length;
  return place < 0 ? -1 : Math.min(Math.floor(place * count / PLACES), count - 1);
}
