// A typed pose of the tool centre point: whether the arm reaches it, and a button to go there.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { post, robotPath } from "../core/api.js";
import { framesOf } from "../core/socket.js";
import { shownKey, shownRobot } from "../core/state.js";
import { unlocked } from "./unlock.js";
import { button } from "./widgets.js";

const AXES = /** @type {const} */ ([
  ["torch_x", "X", "mm"],
  ["torch_y", "Y", "mm"],
  ["torch_z", "Z", "mm"],
  ["torch_rx", "Rx", "°"],
  ["torch_ry", "Ry", "°"],
  ["torch_rz", "Rz", "°"],
]);
const pose = signal(/** @type {number[]} */ ([]));
const answer = signal(
  /** @type {import("../core/api_types.js").ReachAnswer|{text: string, reachable: null}|null} */ (
    null
  ),
);

let poseOf = ""; // the robot whose pose is in the form
let asked = 0; // answers to earlier questions are about another pose

function forget() {
  asked++;
  answer.value = null;
}

function takePresent() {
  const frames = framesOf(shownKey.value);
  const present = AXES.map(([name]) => Number((frames?.measure(name) ?? NaN).toFixed(2)));
  if (!present.every(Number.isFinite)) return; // no frame has come yet
  forget();
  poseOf = shownKey.value;
  pose.value = present;
}

/** @param {boolean} go */
async function ask(go) {
  const number = ++asked;
  answer.value = { text: "computing…", reachable: null };
  const found = await post(`${robotPath(shownRobot.value)}/reach`, { pose: pose.value, go });
  if (number === asked) answer.value = found ?? null;
}

export function targetForm() {
  if (poseOf !== shownKey.value && framesOf(shownKey.value)) queueMicrotask(takePresent);
  const found = answer.value;
  return html`<h3>Target of the torch</h3>
    <div class="target" role="group" aria-label="Target of the torch">${AXES.map(
      ([, label, unit], n) => html`<label><span>${label}</span><input type="number" step="any"
        aria-label="${label} in ${unit}" .value=${String(pose.value[n] ?? 0)}
        @change=${(/** @type {{target: HTMLInputElement}} */ event) => {
          forget();
          pose.value = pose.value.map((one, m) => (m === n ? Number(event.target.value) : one));
        }}><small>${unit}</small></label>`)}</div>
    <div class="row">
      ${button("Present pose", "Take the present pose", takePresent, { kind: "text" })}
      ${button("Reach?", "Check whether the torch reaches it", () => void ask(false),
        { kind: "text" })}
      ${button("Go", unlocked.value ? "Move there" : "Unlock jogging first", () => void ask(true),
        { kind: "text", off: !unlocked.value })}
    </div>
    ${found ? html`<div class="program-summary ${found.reachable === false ? "bad" : ""}"
      role="status">${found.text}</div>` : nothing}`;
}
