// The card of the doors, lifts and conveyors of the layout, on the fleet page.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { attempt, call } from "../core/api.js";
import { button, card } from "../cards/widgets.js";
import * as state from "../core/state.js";
import { fleetShown } from "./fleet_store.js";

/** @typedef {import("../core/api_types.js").Device} Device */

const PATH = "/api/world/devices";
const EVERY_MS = 1000;

/** @type {import("@preact/signals-core").Signal<Device[]>} */
const devices = signal([]);

export function startDeviceCard() {
  effect(() => {
    if (!fleetShown.value || state.source.value !== "live") return undefined;
    let timer = 0;
    let shown = true;
    const look = async () => {
      const { found } = document.hidden ? { found: devices.peek() } : await attempt("GET", PATH);
      if (!shown) return;
      if (found) devices.value = found;
      if (!found || found.length) timer = window.setTimeout(look, EVERY_MS);  // else there are none
    };
    void look();
    return () => {
      shown = false;
      window.clearTimeout(timer);
    };
  });
}

export function deviceCard() {
  if (state.source.value === "recording" || !devices.value.length) return nothing;
  return card("Doors, lifts, conveyors", html`${devices.value.map((device) => html`
    <p><strong>${device.name}</strong> <span class="dim">${device.state}</span></p>
    <div class="row">${buttons(device)}</div>`)}`);
}

/** @param {Device} device */
function buttons(device) {
  const { name, kind } = device;
  if (kind === "door") {
    const is = device.open;
    return button(is ? "Close" : "Open", `${is ? "Close" : "Open"} ${name}`, () =>
      void set(name, { open: !is }), { kind: "text" });
  }
  const runs = device.running;
  return html`${device.floors.map((floor) => button(`Floor ${floor}`,
      `Send ${name} to Floor ${floor}`, () => void set(name, { floor }),
      { kind: "text", off: !runs || device.floor === null || device.floor === floor }))}
    ${button(runs ? "Stop" : "Run", `${runs ? "Stop" : "Run"} ${name}`, () =>
      void set(name, { running: !runs }), { kind: "text" })}`;
}

/**
 * @param {string} name
 * @param {{open?: boolean, floor?: string, running?: boolean}} change
 */
async function set(name, change) {
  const found = await call("POST", PATH, { name, ...change });
  if (found) devices.value = devices.peek().map((one) => (one.name === name ? found : one));
}
