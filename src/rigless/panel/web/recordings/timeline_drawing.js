// Draws the parts of the timeline of a recording on its canvas, from top to bottom.

export const BAND_PX = 13;
export const EVENTS_PX = 20;
export const MESSAGES_PX = 26;
export const AXIS_PX = 17;
const TICK_PX = 90; // least distance of two labels

/**
 * @typedef {CanvasRenderingContext2D} Pen
 * @typedef {(time_s: number) => number} Scale
 * @typedef {(name: string) => string} Paint
 * @typedef {import("./timeline_data.js").RecordingOverview} RecordingOverview
 */

/**
 * @param {Pen} pen
 * @param {{fault: import("../core/api_types.js").FaultBand, lane: number}[]} lanes
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} end_s
 */
export function drawBands(pen, lanes, x, paint, end_s) {
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (const { fault, lane } of lanes) {
    const [left, right] = [x(fault.begin_s), x(fault.end_s ?? end_s)];
    pen.fillStyle = paint("--amber");
    pen.globalAlpha = 0.3;
    pen.fillRect(left, lane * BAND_PX, Math.max(right - left, 2), BAND_PX - 1);
    pen.globalAlpha = 1;
    pen.fillRect(left, lane * BAND_PX, 2, BAND_PX - 1);
    const text = `${fault.target} ${fault.kind}`;
    if (pen.measureText(text).width > right - left - 8) continue;
    pen.fillStyle = paint("--text");
    pen.fillText(text, left + 5, lane * BAND_PX + BAND_PX / 2);
  }
}

/**
 * Draw the density of events, and the collisions above it.
 * @param {Pen} pen
 * @param {RecordingOverview} found
 * @param {{time_s: number}[]} collisions
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} top
 */
export function drawEvents(pen, found, collisions, x, paint, top) {
  const rows = /** @type {const} */ ([
    ["info", "--edge-strong"],
    ["warnings", "--amber"],
    ["errors", "--map-bad"],
  ]);
  const most = Math.max(1, ...rows.flatMap(([name]) => found.counts[name] ?? []));
  for (const [name, colour] of rows) {
    pen.fillStyle = paint(colour);
    (found.counts[name] ?? []).forEach((count, n) => {
      if (!count) return;
      const tall = 4 + (EVENTS_PX - 7) * (Math.log1p(count) / Math.log1p(most));
      const left = x(found.begin_s + n * found.step_s);
      const wide = Math.max(2, x(found.begin_s + (n + 1) * found.step_s) - left - 0.5);
      pen.fillRect(left, top + EVENTS_PX - 2 - tall, wide, tall);
    });
  }
  pen.fillStyle = paint("--map-bad");
  for (const { time_s } of collisions) {
    const [cx, cy] = [x(time_s), top + 6];
    pen.beginPath();
    pen.moveTo(cx, cy - 5.5);
    pen.lineTo(cx + 5, cy);
    pen.lineTo(cx, cy + 5.5);
    pen.lineTo(cx - 5, cy);
    pen.fill();
  }
}

/**
 * Draw received messages upwards and sent ones downwards from the middle.
 * @param {Pen} pen
 * @param {RecordingOverview} found
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} top
 */
export function drawMessages(pen, found, x, paint, top) {
  const { end_s } = found;
  const middle = top + MESSAGES_PX / 2;
  const half = MESSAGES_PX / 2 - 1;
  for (const [name, colour, way] of /** @type {const} */ ([
    ["received", "--line-1", -1],
    ["sent", "--line-6", 1],
  ])) {
    const counts = found.counts[name] ?? [];
    const most = Math.log1p(Math.max(1, ...counts));
    pen.fillStyle = paint(colour);
    pen.globalAlpha = way < 0 ? 1 : 0.6;
    counts.forEach((count, n) => {
      if (!count) return;
      const tall = Math.max(1.5, (half * Math.log1p(count)) / most);
      const left = Math.round(x(found.begin_s + n * found.step_s));
      const right = Math.round(x(found.begin_s + (n + 1) * found.step_s));
      const wide = Math.max(1, Math.min(right, x(end_s)) - left);
      pen.fillRect(left, way < 0 ? middle - tall : middle, wide, tall);
    });
  }
  pen.globalAlpha = 1;
}

/**
 * @param {Pen} pen
 * @param {import("../core/state.js").PlayerStatus} player
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} top
 */
export function drawAxis(pen, player, x, paint, top) {
  const [left, right] = [x(player.begin_s), x(player.end_s)];
  const wide = right + left;
  pen.fillStyle = paint("--edge");
  pen.fillRect(left, top, right - left, 1);
  const least = ((player.end_s - player.begin_s) * TICK_PX) / wide || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power;
  pen.fillStyle = paint("--dim");
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "top";
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  for (let n = Math.ceil(player.begin_s / step); n * step <= player.end_s; n++) {
    const text = `${(n * step).toFixed(digits)} s`;
    const half = pen.measureText(text).width / 2;
    const at = x(n * step);
    pen.fillRect(at, top, 1, 4);
    pen.fillText(text, Math.min(Math.max(at - half, 0), wide - 2 * half), top + 5);
  }
}

/**
 * @param {Pen} pen
 * @param {number} at
 * @param {number} to
 * @param {string} colour
 * @param {number[]} dash
 */
export function drawLine(pen, at, to, colour, dash) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(at, 0);
  pen.lineTo(at, to);
  pen.stroke();
  pen.setLineDash([]);
}
