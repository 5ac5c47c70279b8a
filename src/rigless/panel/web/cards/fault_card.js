// The card with faults: choose a target and a kind, inject the fault, clear it.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post } from "../core/api.js";
import { button, card } from "./widgets.js";
import * as state from "../core/state.js";

const target = signal("");
const kind = signal("");
const seconds = signal("");
/** @type {import("@preact/signals-core").Signal<Record<string, string>>} */
const params = signal({});

/** @typedef {{target: HTMLInputElement & HTMLSelectElement}} Change */

export function faultCard() {
  const robot = state.shownRobot.value;
  const active = state.shownState.value?.faults ?? [];
  const offered = state.robotInfo.value[robot]?.fault_params;
  if (state.source.value === "recording" && !active.length) return nothing;
  const tag = active.length
    ? html`<span class="tag" data-state="failed">${active.length} active</span>`
    : nothing;
  return card(
    "Faults",
    html`${active.map((fault) => activeFault(robot, fault))}
    ${offered && state.source.value === "live" ?
      faultForm(offered, (fault) => void injectInto(robot, fault)) : nothing}
    ${active.length > 1 && state.source.value === "live" ? button("Clear all", "Clear all faults",
      () => void clear(robot, ""), { kind: "text wide" }) : nothing}`,
    tag,
  );
}

/**
 * @param {string} robot
 * @param {import("../core/state.js").Fault} fault
 */
function activeFault(robot, fault) {
  const words = Object.entries(fault.params)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  return html`<div
    class="fault"><span><b>${fault.target}</b> ${fault.kind}${words ? html` <small>${words}</small>`
    : nothing}</span>
    ${state.source.value === "live" ? button("Clear", `Clear ${fault.target}`, () =>
      void clear(robot, fault.target), { kind: "text" }) : nothing}</div>`;
}

/**
 * @param {string} robot
 * @param {string} which
 */
function clear(robot, which) {
  const query = new URLSearchParams({ robot, ...(which ? { target: which } : {}) });
  return call("DELETE", `/api/faults?${query}`);
}

/**
 * Choose a target or a kind, and forget the parameters of the last one.
 * @param {import("@preact/signals-core").Signal<string>} which
 * @param {string} name
 */
function selectOption(which, name) {
  which.value = name;
  params.value = {};
}

/** @typedef {{target: string, kind: string, params: Record<string, any>, for_s?: number}} Chosen */

/**
 * A form for one fault of those that a robot offers.
 * @param {import("../core/state.js").RobotDetails["fault_params"]} offered
 * @param {(fault: Chosen) => void} inject
 */
export function faultForm(offered, inject) {
  const targets = Object.keys(offered);
  const chosen = targets.includes(target.value) ? target.value : (targets[0] ?? "");
  const kinds = Object.keys(offered[chosen] ?? {});
  const how = kinds.includes(kind.value) ? kind.value : (kinds[0] ?? "");
  const asked = Object.entries(offered[chosen]?.[how] ?? {});
  return html`<form class="faults" @submit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    inject(typed(chosen, how, asked));
  }}>
    <select aria-label="Target of the fault" .value=${chosen}
      @change=${(/** @type {Change} */ e) => selectOption(target, e.target.value)}>
      ${targets.map((name) =>
        html`<option .value=${name} ?selected=${name === chosen}>${name}</option>`)}</select>
    <select aria-label="Kind of fault" .value=${how}
      @change=${(/** @type {Change} */ e) => selectOption(kind, e.target.value)}>
      ${kinds.map((name) =>
        html`<option .value=${name} ?selected=${name === how}>${name}</option>`)}</select>
    ${asked.map(([name, param]) => paramField(name, param))}
    <label class="param"><span>for</span><input type="number" min="0" step="any"
      placeholder="until cleared" aria-label="Duration in seconds; empty: until cleared"
        .value=${seconds.value}
      @input=${(/** @type {Change} */ e) => (seconds.value = e.target.value)}><span>s</span></label>
    <button class="button text caution" aria-label="Inject the fault">Inject</button>
  </form>`;
}

/**
 * @param {string} name
 * @param {import("../core/state.js").FaultParam} param
 */
function paramField(name, param) {
  const value = params.value[name] ?? String(param.default);
  const keep = (/** @type {Change} */ event) =>
    (params.value = { ...params.value, [name]: event.target.value });
  if (param.choices.length) {
    return html`<label class="param"><span>${name}</span><select aria-label=${name} @change=${keep}>
      ${param.choices.map((choice) =>
        html`<option .value=${choice}
          ?selected=${choice === value}>${choice}</option>`)}</select></label>`;
  }
  return html`<label class="param"><span>${name}</span><input type="number" step="any"
    aria-label=${name} .value=${value} @input=${keep}></label>`;
}

/**
 * @param {string} what
 * @param {string} how
 * @param {[string, import("../core/state.js").FaultParam][]} asked
 * @returns {Chosen}
 */
function typed(what, how, asked) {
  const given = asked.map(([name, param]) => {
    const text = params.value[name] ?? String(param.default);
    return [name, param.choices.length ? text : Number(text)];
  });
  const duration = Number(seconds.value);
  return {
    target: what,
    kind: how,
    params: Object.fromEntries(given),
    ...(duration > 0 ? { for_s: duration } : {}),
  };
}

/**
 * @param {string} robot
 * @param {Chosen} fault
 */
async function injectInto(robot, fault) {
  if (await post("/api/faults", { robot, ...fault })) state.notice(`${fault.target} ${fault.kind}`);
}
