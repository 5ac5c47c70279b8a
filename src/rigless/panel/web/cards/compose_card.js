// Forms for messages that a robot's page offers to send, over the robot's real port.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post, robotPath } from "../core/api.js";
import { notice, shownRobot, source } from "../core/state.js";
import { formFields, formValues, renew } from "../wire/wire_form.js";

/** @typedef {import("../core/types.js").Part} Part */
/** @typedef {import("../core/api_types.js").SchemaOfPort} PortSchema */
/** @typedef {import("../core/api_types.js").SentToPort} Sent */

const ports = signal(/** @type {PortSchema[]} */ ([]));
const kind = signal("");
const sending = signal(false);
const result = signal(/** @type {Sent|null} */ (null));
/** The typed values of each type of message. @type {Map<string, Map<string, string>>} */
let values = new Map();
let loaded = "";

/** Forget the forms of another robot. */
export function startComposeCard() {
  effect(() => {
    void shownRobot.value;
    loaded = "";
    ports.value = [];
    values = new Map();
    result.value = null;
  });
}

/** Load the schemas of a robot once. @param {string} robot */
async function load(robot) {
  if (loaded === robot) return;
  loaded = robot;
  const found = await call("GET", `${robotPath(robot)}/schemas`);
  if (loaded === robot && found) ports.value = found;
}

/** @param {Part} part */
export function composeForm(part) {
  const robot = shownRobot.value;
  if (source.value === "recording") return nothing;
  void load(robot);
  const port = ports.value.find((one) => one.port === part.port);
  const types = (part.types ?? []).filter((type) => port?.types[type]);
  const type = types.includes(kind.value) ? kind.value : types[0];
  if (!port || !type) return html`<p class="dim">loading…</p>`;
  const schema = /** @type {Record<string, any>} */ (port.types[type]);
  const typed = values.get(type) ?? new Map();
  values.set(type, typed);
  return html`<form class="wire-compose" @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      void submit(robot, port, type, schema, typed);
    }}>
    <label class="wire-field"><span>Message</span><select aria-label="Message to send"
      @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) => {
        kind.value = target.value;
        result.value = null;
      }}>${types.map((one) => html`<option value=${one}
        ?selected=${one === type}>${wordsOf(one)}</option>`)}</select></label>
    ${formFields(schema, schema.$defs ?? {}, typed)}
    <button class="button wide" ?disabled=${sending.value}>${sending.value ? "Sending…" :
      "Send"}</button>
    ${answer()}</form>`;
}

/** CommandRequest → Command request. @param {string} name */
const wordsOf = (name) =>
  name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function answer() {
  const sent = result.value;
  if (!sent) return nothing;
  const way = sent.way === "port" ? html`Sent to <code>${sent.url}</code>` :
    html`<b>Not over the wire</b> <span class="dim">${sent.note}</span>`;
  return html`<div class="wire-answer" role="status">${way}</div>`;
}

/**
 * @param {string} robot
 * @param {PortSchema} port
 * @param {string} type
 * @param {Record<string, any>} schema
 * @param {Map<string, string>} typed
 */
async function submit(robot, port, type, schema, typed) {
  let fields;
  try {
    fields = formValues(schema, schema.$defs ?? {}, typed);
  } catch (error) {
    notice(String(/** @type {Error} */ (error).message), "bad");
    return;
  }
  sending.value = true;
  result.value = null;
  const sent = await post(`${robotPath(robot)}/wire`, { port: port.port, kind: type, fields });
  sending.value = false;
  if (!sent || shownRobot.value !== robot) return;
  result.value = sent;
  renew(typed);
}
