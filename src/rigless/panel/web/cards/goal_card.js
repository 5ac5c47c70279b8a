// The goal of a robot: how it gets on, a button that stops it, and a form for a typed goal.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { goTo, goalIsActive, stopGoal } from "../tools/actions.js";
import { numberField } from "../tools/tool_bar.js";
import { goal, refusal, tool } from "../tools/tool_state.js";
import { button, card } from "./widgets.js";

const typed = signal({ x: 0, y: 0, degrees: /** @type {number|null} */ (null) });
const WORDS = {
  idle: "",
  starting: "starting",
  driving: "driving",
  blocked: "blocked",
  arrived: "arrived",
  stopped: "stopped",
  failed: "failed",
};

export function goalCard() {
  const now = goal.value;
  if (!now) return nothing;
  const { x, y, degrees } = typed.value;
  const set = (/** @type {Partial<typeof typed.value>} */ change) =>
    (typed.value = { ...typed.value, ...change });
  const abnormal = now.state === "failed" || now.state === "blocked";
  const go = () => goTo([x, y], degrees === null ? null : (degrees * Math.PI) / 180);
  const refused = tool.value ? null : refusal.value; // with a tool it is shown on the map
  return card(
    "Goal",
    html`<div role="status" data-fact="goal">${now.state === "idle" ?
      html`<span class="dim">Type a place, or use the flag on the map.</span>` :
      html`<b class=${abnormal ? "warn" : ""}>${WORDS[now.state]}</b> ${now.text}${now.client ?
        html`<br><small class="dim">client ${now.client}</small>` : nothing}`}</div>
    <div class="goal-form" role="group" aria-label="Typed goal">
      ${numberField("x", "m", x, (to) => set({ x: to }))}
      ${numberField("y", "m", y, (to) => set({ y: to }))}
      <label class="number"><span>Heading</span><input type="number" step="any"
        placeholder="any" aria-label="Heading in °" .value=${degrees === null ? "" :
        String(degrees)} @change=${(/** @type {{target: HTMLInputElement}} */ { target }) =>
        set({ degrees: Number.isFinite(target.valueAsNumber) ? target.valueAsNumber : null })
        }><small>°</small></label>
      ${button("Go", "Send the robot there", () => void go(), { kind: "text" })}
      ${goalIsActive() ? button("Stop", "Stop and forget the goal", () => void stopGoal(),
        { kind: "text" }) : nothing}
    </div>
    ${refused ? html`<div class="tool-refusal" role="alert"><span>${refused.text}</span>${
      refused.retry ? button("Use the nearest place", "Use the nearest place", refused.retry,
        { kind: "text" }) : nothing}</div>` : nothing}`,
  );
}
