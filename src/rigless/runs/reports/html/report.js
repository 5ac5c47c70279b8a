"use strict";
// One cursor for all drawings of a run. Python made the drawings; see the package's docstring.
const DATA = ':scope > script[type="application/json"]';

/** The index of the last time that is not after t, or 0. */
function at(times, t) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1; else high = middle;
  }
  return Math.max(low - 1, 0);
}

/** The value of a line through points at t: [[time, value], …]. Null outside of it. */
function valueAt(points, t) {
  if (!points.length || t < points[0][0] - 1e-9) return null;
  if (t > points[points.length - 1][0] + 1e-9) return null;
  let low = 0, high = points.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (points[middle][0] <= t) low = middle; else high = middle - 1;
  }
  const [t0, v0] = points[low], [t1, v1] = points[Math.min(low + 1, points.length - 1)];
  return t1 > t0 ? v0 + (v1 - v0) * (t - t0) / (t1 - t0) : v0;
}

function figure(value) {
  if (!value) return "0";
  const size = Math.abs(value), digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(digits).replace("-", "−");
}

class Run {
  constructor(section) {
    this.section = section;
    this.data = JSON.parse(section.querySelector(DATA).textContent);
    this.pinned = this.data.start;
    this.lanes = section.querySelector(".lanes");
    this.maps = [...section.querySelectorAll(".ground")].map((ground, n) => ({
      ground, data: this.data.maps[n],
      dots: [...ground.querySelectorAll(".here")],
      bodies: [...ground.querySelectorAll(".robot")],
      obstacles: [...ground.querySelectorAll(".obstacle")],
    }));
    this.plots = [...section.querySelectorAll("output[data-plot]")];
    this.rates = [...section.querySelectorAll("output[data-rate]")];
    this.uses = ["cpu", "memory"].flatMap((key) =>
      [...section.querySelectorAll(`output[data-${key}]`)].map((output) => ({ key, output })));
    this.lists = [...section.querySelectorAll(".rows")].map((list) => {
      const rows = [...list.querySelectorAll("li[data-t]")];
      return { list, rows, times: rows.map((row) => Number(row.dataset.t)) };
    });
    this.placeTags();
    this.listen();
    this.pin(this.pinned);
  }

  listen() {
    const timeOf = (chart, event) => {
      const box = chart.getBoundingClientRect();
      return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * this.data.duration;
    };
    for (const chart of this.section.querySelectorAll("[data-chart]")) {
      chart.addEventListener("pointermove", (event) => this.plan(timeOf(chart, event)));
      chart.addEventListener("pointerleave", () => this.plan(this.pinned));
      chart.addEventListener("click", (event) => this.pin(timeOf(chart, event)));
    }
    for (const button of this.section.querySelectorAll("[data-jump]"))
      button.addEventListener("click", (event) => {
        event.preventDefault();
        this.pin(Number(button.dataset.jump));
      });
    for (const { list } of this.lists)
      list.addEventListener("click", (event) => {
        const row = event.target.closest("li[data-t]");
        if (row && !String(getSelection())) this.pin(Number(row.dataset.t), list);
      });
    addEventListener("resize", () => this.placeTags());
    this.lanes?.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const step = this.data.duration / (event.shiftKey ? 20 : 200);
    const moves = { ArrowLeft: this.pinned - step, ArrowRight: this.pinned + step,
      ArrowDown: this.pinned - step, ArrowUp: this.pinned + step,
      PageDown: this.pinned - 10 * step, PageUp: this.pinned + 10 * step,
      Home: 0, End: this.data.duration, f: this.data.start };
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.pin(Math.min(Math.max(moves[event.key], 0), this.data.duration));
  }

  /** Show a time at the next frame. */
  plan(time) {
    if (this.planned === undefined)
      requestAnimationFrame(() => { this.show(this.planned); this.planned = undefined; });
    this.planned = time;
  }

  pin(time, from) {
    this.pinned = time;
    this.show(time);
    for (const one of this.lists) if (one.list !== from) this.scroll(one, time);
  }

  show(time) {
    this.section.style.setProperty("--at", `${100 * time / this.data.duration}%`);
    const now = this.section.querySelector(".now");
    if (now) now.textContent = `${time.toFixed(2)} s`;
    this.lanes?.setAttribute("aria-valuenow", time.toFixed(2));
    this.lanes?.setAttribute("aria-valuetext", `${time.toFixed(2)} s`);
    for (const output of this.plots) {
      const number = output.dataset.plot, points = this.data.plots[number];
      if (this.data.single.includes(Number(number))) {  // the last measurement, at its own time
        const [begin, value] = points[at(points.map(([one]) => one), time)];
        output.textContent = begin > time ? "" : `${figure(value)} at ${begin.toFixed(2)} s`;
        continue;
      }
      const value = valueAt(points, time);
      const whole = points.every(([, one]) => Number.isInteger(one));  // stairs
      const shown = value === null ? "" : whole ? `${value}`.replace("-", "−") : figure(value);
      output.textContent = value === null ? "" : `${shown} at ${time.toFixed(2)} s`;
    }
    for (const output of this.rates) {
      const { bin, values } = this.data.rates[output.dataset.rate];
      const rate = values[Math.min(Math.floor(time / bin), values.length - 1)];
      output.textContent = `${figure(rate)}/s`;
    }
    for (const { key, output } of this.uses) {
      const value = valueAt(this.data.programs[output.dataset[key]][key], time);
      const unit = key === "cpu" ? "cores" : "MB";
      output.textContent = value === null ? "–" : `${figure(value)} ${unit}`;
    }
    for (const map of this.maps) this.move(map, time);
  }

  move(map, time) {
    /** The values at i and at the next index, mixed for this time. */
    const mixed = (times, value) => {
      const i = at(times, time), j = Math.min(i + 1, times.length - 1), span = times[j] - times[i];
      const part = span > 0 ? Math.min(Math.max((time - times[i]) / span, 0), 1) : 0;
      return value(i).map((one, k) => one + (value(j)[k] - one) * part);
    };
    map.data.robots.forEach((path, n) => {
      const [x, y, turn] = mixed(path.t, (i) => [path.x[i], path.y[i], path.turn[i] ?? 0]);
      map.dots[n].style.left = `${100 * x / map.data.width}%`;
      map.dots[n].style.top = `${100 * y / map.data.height}%`;
      map.bodies[n].setAttribute("transform", `translate(${x} ${y}) rotate(${turn})`);
    });
    map.data.obstacles.forEach((path, n) => {
      if (path.t.length < 2) return;
      const [x, y, turn] = mixed(path.t, (i) => path.p[i]);
      map.obstacles[n].setAttribute("transform", `translate(${x} ${y}) rotate(${turn})`);
    });
  }

  scroll({ list, rows, times }, time) {
    list.querySelector(".now")?.classList.remove("now");
    if (!rows.length) return;
    let n = at(times, time);
    while (n > 0 && (rows[n].hidden || rows[n].classList.contains("gap"))) n -= 1;
    rows[n].classList.add("now");
    list.scrollTop = 0;
    const top = rows[n].getBoundingClientRect().top - list.getBoundingClientRect().top;
    list.scrollTop = top - list.clientHeight / 3;
  }

  /** Put labels of the map and of faults where there is room for them. */
  placeTags() {
    for (const { ground } of this.maps) {
      for (const tag of ground.querySelectorAll(".tag:not(.inside)"))
        tag.classList.toggle("left", tag.offsetLeft + tag.offsetWidth + 20 > ground.clientWidth);
      const failed = ground.querySelector(".tag.bad");
      const goals = ground.querySelectorAll(".aim, .of-goal");
      if (failed && failed.offsetLeft > failed.offsetWidth + 20)
        for (const goal of goals) if (overlap(failed, goal)) failed.classList.add("left");
    }
    for (const bar of this.section.querySelectorAll(".faults .bar")) {
      const room = bar.parentElement.clientWidth, needed = bar.firstElementChild.offsetWidth + 12;
      const after = room - bar.offsetLeft - bar.offsetWidth >= needed;
      const inside = bar.offsetWidth >= needed, before = bar.offsetLeft >= needed;
      bar.className = `bar ${inside ? "" : after ? "outside" : before ? "before" : ""}`;
      const shift = Math.max(room - needed - bar.offsetLeft, -bar.offsetLeft);
      bar.firstElementChild.style.left = inside || after || before ? "" : `${shift}px`;
    }
  }
}

/** True if the boxes of two elements overlap. */
function overlap(one, other) {
  const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function filter(log) {
  const box = log.querySelector(".filter"), who = log.querySelector(".who");
  const found = log.querySelector(".found");
  const streams = [...log.querySelectorAll(".streams input")];
  const rows = [...log.querySelectorAll(".rows li")].map((row) => ({
    row, gap: row.classList.contains("gap"), stream: row.classList[0],
    program: row.querySelector("b")?.textContent ?? "",
    text: row.querySelector("span")?.textContent ?? "",
    lower: (row.querySelector("span")?.textContent ?? "").toLowerCase(),
  }));
  const apply = () => {
    const wanted = box.value.toLowerCase();
    const shown = new Set(streams.filter((one) => one.checked).map((one) => one.value));
    const all = !wanted && shown.size === streams.length && !who?.value;
    let count = 0;
    for (const one of rows) {
      const good = one.gap ? all : shown.has(one.stream) && one.lower.includes(wanted)
        && (!who?.value || who.value === one.program);
      one.row.hidden = !good;
      if (good && !one.gap) count += 1;
      if (one.marked || (good && wanted && !one.gap)) mark(one, good ? wanted : "");
    }
    found.textContent = all ? "" : `${count.toLocaleString("en")} found`;
  };
  box.addEventListener("input", apply);
  who?.addEventListener("change", apply);
  for (const one of streams) one.addEventListener("change", apply);
}

function mark(one, wanted) {
  const span = one.row.querySelector("span"), begin = wanted ? one.lower.indexOf(wanted) : -1;
  span.textContent = one.text;
  one.marked = begin >= 0;
  if (begin < 0 || one.lower.length !== one.text.length) return;
  const found = document.createElement("mark");
  found.textContent = one.text.slice(begin, begin + wanted.length);
  span.replaceChildren(one.text.slice(0, begin), found, one.text.slice(begin + wanted.length));
}

async function copy(button) {
  const text = button.parentElement.querySelector("code").textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function tips() {
  const tip = document.querySelector(".tip");
  document.addEventListener("pointerover", (event) => {
    const words = event.target.dataset?.tip;
    tip.hidden = !words;
    if (!words) return;
    tip.textContent = words;
    const box = event.target.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - tip.offsetWidth - 12))}px`;
    const above = box.top - tip.offsetHeight - 8;
    tip.style.top = `${above > 0 ? above : box.bottom + 8}px`;
  });
}

function start(section) {
  if (section.started || !section.querySelector(DATA)) return;
  section.started = true;
  new Run(section);
}

for (const section of document.querySelectorAll("[data-run]")) {
  if (section.tagName !== "DETAILS" || section.open) start(section);
  section.addEventListener("toggle", () => section.open && start(section));
}
for (const log of document.querySelectorAll(".output-log")) filter(log);
for (const button of document.querySelectorAll(".copy"))
  button.addEventListener("click", () => copy(button));
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", reveal);
reveal();
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});
tips();
