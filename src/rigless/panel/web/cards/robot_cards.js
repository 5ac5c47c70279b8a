// The cards of a robot's page: readouts and controls by group, metrics and connections.
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { post, postInOrder, robotPath } from "../core/api.js";
import { jogPad } from "./jog_pad.js";
import { composeForm } from "./compose_card.js";
import { programListing, programOf } from "./program_card.js";
import { targetForm } from "./target_form.js";
import {
  button,
  card,
  lamp,
  lampSquare,
  readout,
  formatNumber,
  toggle,
  toggleSquare,
} from "./widgets.js";
import { slider } from "./slider.js";
import { isWide } from "../core/screen.js";
import { framesOf } from "../core/socket.js";
import * as state from "../core/state.js";
import { lockTag } from "./unlock.js";
/** @typedef {import("../core/types.js").Part} Part */

/**
 * The titles of the cards for parts without a group.
 * @type {Partial<Record<Part["kind"], string>>}
 */
const CARDS = {
  Word: "Readouts",
  Gauge: "Readouts",
  Listing: "Program",
  Slider: "Settings",
  Jog: "Jog",
  Action: "Commands",
  Lamp: "Virtual I/O",
  Switch: "Virtual I/O",
  Button: "Virtual I/O",
};
const DENSE_LABEL = 10; // labels with units up to this length fit in two columns
const LONG_LABEL = 14; // longer labels of commands need a row of their own
const isLive = () => state.source.value === "live";
const parts = () => state.shownPage.value?.parts ?? [];

/**
 * The titles of the cards, in the order of the page. Inputs that are not on the page are on
 * "Virtual I/O".
 */
const titles = () => [
  ...new Set([
    ...parts()
      .map(cardOf)
      .filter((title) => title && title !== "Metrics"),
    "Virtual I/O",
  ]),
];

/** @param {string} title */
const isListed = (title) =>
  parts().some((part) => part.kind === "Listing" && cardOf(part) === title);

/** @param {Part} part */
const cardOf = (part) => part.group || (CARDS[part.kind] ?? "");

/** Cards with listings are docked left of the viewport if the window is wide enough. */
export const hasDock = () => isWide.value && parts().some((part) => part.kind === "Listing");
export const dockCards = () => html`${titles().filter(isListed).map(partCard)}`;

/** The cards that are not docked, without those of inputs and outputs. */
export function partCards() {
  const dock = hasDock();
  return html`${titles()
    .filter((title) => !(dock && isListed(title)) && !isInputOutput(title))
    .map(partCard)}`;
}

/** A card belongs to the inputs and outputs if it has an input, or nothing but lamps. */
function isInputOutput(/** @type {string} */ title) {
  const kinds = parts()
    .filter((part) => cardOf(part) === title)
    .map((part) => part.kind);
  return (
    kinds.some((kind) => kind === "Switch" || kind === "Button") ||
    kinds.every((kind) => kind === "Lamp")
  );
}

export const hasInputsOutputs = () => titles().filter(isInputOutput).some(hasShownParts);
export const inputOutputCards = () => html`${titles().filter(isInputOutput).map(partCard)}`;

/** @param {string} title */
const partsOf = (title) =>
  [
    ...parts().filter((part) => cardOf(part) === title),
    ...(title === "Virtual I/O" ? unlistedInputs() : []),
  ].filter((part) => isLive() || !["Action", "Jog", "Compose"].includes(part.kind));

/** @param {string} title */
const hasShownParts = (title) => partsOf(title).length > 0;

/** @param {string} title */
function partCard(title) {
  const shown = partsOf(title);
  if (!shown.length || !framesOf(state.shownKey.value)) return nothing;
  return card(
    title,
    cardBody(shown),
    shown.some((part) => part.kind === "Jog") ? lockTag() : nothing,
  );
}

/** The inputs of the robot that are not on its page, as switches. @returns {Part[]} */
function unlistedInputs() {
  const known = state.robotInfo.value[state.shownRobot.value]?.declared_inputs;
  const named = new Set(
    parts()
      .filter((part) => part.kind === "Switch" || part.kind === "Button")
      .map((part) => part.name),
  );
  return Object.keys(state.shownState.value?.inputs ?? {})
    .filter((name) => !named.has(name) && known && !known[name]?.by_host)
    .map((name) => {
      const label = known?.[name]?.label ?? name;
      return { kind: "Switch", name, label, group: "", shown: true, columns: 0 };
    });
}

/** @param {Part[]} found */
function cardBody(found) {
  const of = (/** @type {Part["kind"][]} */ ...kinds) =>
    found.filter((part) => kinds.includes(part.kind));
  const frames = framesOf(state.shownKey.value);
  const measure = (/** @type {Part} */ part) => frames?.measure(part.name) ?? NaN;
  const numbers = of("Gauge");
  const dense =
    numbers.length > 2 &&
    numbers.every((part) => part.label.length + (part.unit ?? "").length <= DENSE_LABEL);
  const actions = of("Action");
  return html`${of("Word").map((part) => wordReadout(part, measure(part)))}
    ${numbers.length ?
      html`<div
        class=${dense ? "readouts dense" : "readouts"}>${numbers.map((part) => gauge(part,
        measure(part)))}</div>` : nothing}
    ${of("Listing").map(programListing)}
    ${of("Compose").map(composeForm)}
    ${of("Slider").map((part) => slider(part, measure(part)))}
    ${inputsAndOutputs(of("Switch", "Button"), of("Lamp"), measure)}
    ${actions.length ?
      html`<div
        class="commands ${actions.some((part) => part.label.length > LONG_LABEL) ? "long" : ""}">${
        actions.map(action)}</div>` : nothing}
    ${of("Jog").map(jogPad)}${of("Jog").length && programOf() ? targetForm() : nothing}`;
}

/**
 * @param {Part} part
 * @param {number} value
 */
function gauge(part, value) {
  const odd = value < (part.low ?? -Infinity) || value > (part.high ?? Infinity);
  return readout(part.label, value, part.unit ?? "", part.digits ?? 2, odd);
}

/**
 * @param {Part} part
 * @param {number} value
 */
function wordReadout(part, value) {
  const [text, colour] = part.words?.[value] ?? ["–", "plain"];
  return html`<div class="readout word ${colour}" role="status"
    aria-label="${part.label}: ${text}"><span>${part.label}</span><b>${text}</b></div>`;
}

/**
 * @param {string} name
 * @param {boolean|number|string} value
 */
const setInput = (name, value) =>
  postInOrder(`${robotPath(state.shownRobot.value)}/inputs`, { inputs: { [name]: value } });

/**
 * Inputs and outputs. Those with a short name are small squares below the others.
 * @param {Part[]} given
 * @param {Part[]} lamps
 * @param {(part: Part) => number} measure
 */
function inputsAndOutputs(given, lamps, measure) {
  if (!given.length && !lamps.length) return nothing;
  const inputs = state.shownState.value?.inputs ?? {};
  const both = given.length && lamps.length;
  const wide = (/** @type {Part[]} */ some) => some.filter((part) => !part.short);
  const small = (/** @type {Part[]} */ some) => some.filter((part) => part.short);
  const group = (
    /** @type {string} */ title,
    /** @type {unknown[]} */ rows,
    /** @type {unknown[]} */ squares,
  ) => html`<div role="group" aria-label=${title}>
    ${both ? html`<h3>${title}</h3>` : nothing}${rows.length ?
      html`<div class="pairs">${rows}</div>` : nothing}${squares.length ?
        html`<div class="squares">${squares}</div>` : nothing}</div>`;
  const field = (/** @type {Part} */ part) =>
    part.kind === "Button"
      ? holdButton(part, inputs[part.name] === part.pressed)
      : inputField(part, inputs[part.name] ?? "");
  return html`<div class="io">
    ${
      given.length
        ? group(
            "Inputs",
            wide(given).map(field),
            small(given).map((part) =>
              toggleSquare(
                part.short ?? "",
                part.label,
                inputs[part.name] === true,
                (on) => void setInput(part.name, on),
                !isLive(),
              ),
            ),
          )
        : nothing
    }
    ${
      lamps.length
        ? group(
            "Outputs",
            wide(lamps).map((part) => lamp(part.label, measure(part) > 0, part.colour ?? "ok")),
            small(lamps).map((part) =>
              lampSquare(part.short ?? "", part.label, measure(part) > 0, part.colour ?? "ok"),
            ),
          )
        : nothing
    }</div>`;
}

/**
 * @param {Part} part
 * @param {boolean|number|string} value
 */
function inputField({ name, label }, value) {
  const known = state.robotInfo.value[state.shownRobot.value]?.declared_inputs[name];
  const help = known?.help ?? "";
  if (known?.choices.length) return choiceField(name, label, help, known.choices, String(value));
  if (typeof value === "boolean")
    return html`<div
      title=${help}>${toggle(label, value, (on) => void setInput(name, on), !isLive())}</div>`;
  const number = typeof value === "number";
  const id = `input-${name}`;
  return html`<div class="field" title=${help}><label for=${id}>${label}</label>
    <input id=${id} type=${number ? "number" : "text"} step="any" aria-label=${label}
      min=${known?.low ?? nothing} max=${known?.high ?? nothing}
      ?disabled=${!isLive()}
      .value=${document.activeElement?.id === id ?
      live(/** @type {HTMLInputElement} */ (document.activeElement).value) : String(value)}
      @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => {
        if (!number) void setInput(name, target.value);
        else if (target.value !== "" && target.validity.valid)
          void setInput(name, Number(target.value));
        else target.value = String(value); // not a complete number
      }}></div>`;
}

/**
 * A text input with known values.
 * @param {string} name
 * @param {string} label
 * @param {string} help
 * @param {string[]} choices
 * @param {string} value
 */
function choiceField(name, label, help, choices, value) {
  const id = `input-${name}`;
  const all = choices.includes(value) ? choices : [value, ...choices];
  return html`<div class="field" title=${help}><label for=${id}>${label}</label>
    <select id=${id} aria-label=${label} ?disabled=${!isLive()} .value=${live(value)}
      @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) =>
        void setInput(name, target.value)}>${all.map((one) =>
        html`<option value=${one} ?selected=${one === value}>${one}</option>`)}</select></div>`;
}

/**
 * The buttons that are held now, with a function that releases each.
 * @type {Map<string, () => void>}
 */
const held = new Map();
const releaseAll = () => [...held.values()].forEach((release) => release());
for (const name of ["blur", "pagehide"]) addEventListener(name, releaseAll);
document.addEventListener("visibilitychange", releaseAll);

/**
 * A button that sets its input while it is held. It is released when the window loses the focus.
 * @param {Part} part
 * @param {boolean} on
 */
function holdButton(part, on) {
  const key = `${state.shownRobot.value} ${part.name}`;
  const release = () => held.delete(key) && void setInput(part.name, part.released ?? false);
  const press = () => {
    held.set(key, release);
    void setInput(part.name, part.pressed ?? true);
  };
  const isPress = (/** @type {KeyboardEvent} */ event) =>
    (event.key === " " || event.key === "Enter") && !event.repeat;
  return html`<button class="button wide" aria-pressed=${on} ?disabled=${!isLive()} data-hold
    aria-label="${part.label}, held while pressed"
    @pointerdown=${(/** @type {PointerEvent} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
      press();
    }} @pointerup=${release} @pointercancel=${release}
    @keydown=${(/** @type {KeyboardEvent} */ event) => isPress(event) && press()}
    @keyup=${(/** @type {KeyboardEvent} */ event) => isPress(event) && release()}>${
    part.label}</button>`;
}

/** @param {Part} part */
function action(part) {
  const act = () => void post(`${robotPath(state.shownRobot.value)}/actions`, { name: part.name });
  const kind =
    part.colour === "bad" ? "text danger" : part.colour === "warn" ? "text caution" : "text";
  return button(part.label, part.label, act, { kind });
}

/** Metrics of the robot, without those that its page shows. */
export function metricsCard() {
  const gauges = parts().filter((part) => part.group === "Metrics");
  const found = Object.entries(state.shownState.value?.metrics ?? {}).filter(
    ([name]) => !gauges.some((part) => part.name === name),
  );
  if (!found.length && !gauges.length) return nothing;
  return card(
    "Metrics",
    html`${cardBody(gauges)}${found.map(
      ([name, value]) =>
        html`<div
          class="readout ${name === "collisions" && value > 0 ? "odd" : ""}"><span>${
          name.replaceAll("_", " ")}</span><b>${formatNumber(value)}</b></div>`,
    )}`,
  );
}
