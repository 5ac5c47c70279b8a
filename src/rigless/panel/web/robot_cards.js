// The cards of a robot's page: readouts, metrics, inputs and outputs, actions, connections.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { post, robotPath } from "./api.js";
import { button, card, lamp, readout, short, toggle } from "./pieces.js";
import { picturesOf } from "./socket.js";
import * as state from "./state.js";
/** @typedef {import("./types.js").Part} Part */

/** @param {Part["kind"]} kind */
const parts = (kind) => state.shownPage.value?.parts.filter((part) => part.kind === kind) ?? [];
const isLive = () => state.stage.value === "live";

export function readoutCard() {
  const pictures = picturesOf(state.shownKey.value);
  const gauges = parts("Gauge");
  if (!gauges.length || !pictures) return nothing;
  return card("Readouts", gauges.map((part) => {
    const value = pictures.measure(part.name);
    const odd = value < (part.low ?? -Infinity) || value > (part.high ?? Infinity);
    return readout(part.label, value, part.unit ?? "", part.digits ?? 2, odd);
  }));
}

export function metricsCard() {
  const found = Object.entries(state.shownState.value?.metrics ?? {});
  if (!found.length) return nothing;
  return card("Metrics", found.map(([name, value]) =>
    html`<div class="readout ${name === "collisions" && value > 0 ? "odd" : ""}"><span>${name.replaceAll("_", " ")}</span><b>${short(value)}</b></div>`));
}

/** @param {string} name @param {boolean|number|string} value */
const setInput = (name, value) => post(`${robotPath(state.shown.value)}/inputs`, { inputs: { [name]: value } });

export function ioCard() {
  const pictures = picturesOf(state.shownKey.value);
  const inputs = state.shownState.value?.inputs ?? {};
  const buttons = parts("Button");
  const known = state.declared.value[state.shown.value]?.declared_inputs;
  const labels = new Map(parts("Switch").map((part) => [part.name, part.label]));
  const plain = Object.entries(inputs).filter(([name]) => !buttons.some((part) => part.name === name));
  const lamps = parts("Lamp");
  if (!plain.length && !lamps.length && !buttons.length) return nothing;
  return card("Virtual I/O", html`<div class="io">
    ${plain.length || buttons.length ? html`<div role="group" aria-label="Inputs"><h3>Inputs</h3><div class="pairs">
      ${plain.map(([name, value]) => inputField(name, labels.get(name) ?? known?.[name]?.label ?? name, value))}
      ${buttons.map((part) => holdButton(part, inputs[part.name] === part.pressed))}</div></div>` : nothing}
    ${lamps.length ? html`<div role="group" aria-label="Outputs"><h3>Outputs</h3><div class="pairs">
      ${lamps.map((part) => lamp(part.label, pictures ? pictures.measure(part.name) > 0 : false, part.colour ?? "ok"))}</div></div>` : nothing}
  </div>`);
}

/** @param {string} name @param {string} label @param {boolean|number|string} value */
function inputField(name, label, value) {
  const help = state.declared.value[state.shown.value]?.declared_inputs[name]?.help ?? "";
  if (typeof value === "boolean") return html`<div title=${help}>${toggle(label, value, (on) => void setInput(name, on), !isLive())}</div>`;
  const number = typeof value === "number";
  const id = `input-${name}`;
  return html`<div class="field" title=${help}><label for=${id}>${label}</label>
    <input id=${id} type=${number ? "number" : "text"} step="any" aria-label=${label} ?disabled=${!isLive()}
      .value=${document.activeElement?.id === id ? live(/** @type {HTMLInputElement} */ (document.activeElement).value) : String(value)}
      @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => {
        if (!number) void setInput(name, target.value);
        else if (target.value !== "" && target.validity.valid) void setInput(name, Number(target.value));
        else target.value = String(value); // half a number is none
      }}></div>`;
}

/** What is held down now, and how to let go of it. @type {Map<string, () => void>} */
const held = new Map();
const letGo = () => [...held.values()].forEach((release) => release());
for (const name of ["blur", "pagehide"]) addEventListener(name, letGo);
document.addEventListener("visibilitychange", letGo);

/** Pressed while it is held, by pointer or key; whoever looks away lets go. @param {Part} part @param {boolean} on */
function holdButton(part, on) {
  const key = `${state.shown.value} ${part.name}`;
  const release = () => held.delete(key) && void setInput(part.name, part.released ?? false);
  const press = () => {
    held.set(key, release);
    void setInput(part.name, part.pressed ?? true);
  };
  const isPress = (/** @type {KeyboardEvent} */ event) => (event.key === " " || event.key === "Enter") && !event.repeat;
  return html`<button class="button wide" aria-pressed=${on} ?disabled=${!isLive()} aria-label="${part.label}, held while pressed"
    @pointerdown=${(/** @type {PointerEvent} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
      press();
    }} @pointerup=${release} @pointercancel=${release}
    @keydown=${(/** @type {KeyboardEvent} */ event) => isPress(event) && press()}
    @keyup=${(/** @type {KeyboardEvent} */ event) => isPress(event) && release()}>${part.label}</button>`;
}

export function actionCard() {
  const found = parts("Action");
  if (!found.length || !isLive()) return nothing;
  const act = (/** @type {string} */ name) => void post(`${robotPath(state.shown.value)}/actions`, { name });
  return card("Commands", html`<div class="pairs">${found.map((part) => button(part.label, part.label, () => act(part.name), { kind: "text" }))}</div>`);
}

export function connectionCard() {
  const ports = state.shownState.value?.ports ?? [];
  if (!ports.length) return nothing;
  return card("Connections", ports.map((port) => html`<div class="readout"><span>${port.name}<br><code>${port.url}</code></span>
    <b>${port.links} <small>${port.links === 1 ? "client" : "clients"}</small></b></div>
    ${port.dropped ? html`<div class="warn">${port.dropped} messages dropped for slow clients</div>` : nothing}`));
}
