// Compose a message to a robot: a form from the schema of its type, text, or bytes.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post, robotPath } from "../core/api.js";
import { notice, robotNames, shownRobot, source } from "../core/state.js";
import { formFields, formValues, renew } from "./wire_form.js";

/** @typedef {import("../core/api_types.js").SchemaOfPort} PortSchema */
/** @typedef {import("../core/api_types.js").SentToPort} Sent */
/** @typedef {{target: HTMLSelectElement}} Chosen */
/** @typedef {{target: HTMLInputElement}} Typed */
const TEXT = "text";
const HEX = "bytes in hex";

const robot = signal(""); // that of a view of all robots
const ports = signal(/** @type {PortSchema[]} */ ([]));
const portName = signal("");
const kind = signal("");
const subject = signal("");
const raw = signal("");
const sending = signal(false);
const result = signal(/** @type {Sent|null} */ (null));
/** @type {Map<string, string>} */
let values = new Map();
let loaded = "";

const target = () => shownRobot.value || robot.value || (robotNames.value[0] ?? "");
const chosenPort = () => ports.value.find(({ port }) => port === portName.value) ?? ports.value[0];
/** @param {PortSchema} port */
const kinds = (port) => [...Object.keys(port.types), ...(port.raw ? [TEXT, HEX] : [])];
/** @param {PortSchema} port */
const chosenKind = (port) =>
  kinds(port).includes(kind.value) ? kind.value : (kinds(port)[0] ?? "");

/** Load the schemas of a robot once. @param {string} name */
async function load(name) {
  if (loaded === name) return;
  loaded = name;
  ports.value = [];
  values = new Map();
  result.value = null;
  const found = await call("GET", `${robotPath(name)}/schemas`);
  if (loaded === name && found) ports.value = found;
}

export function startCompose() {
  effect(() => {
    void shownRobot.value;
    kind.value = "";
    loaded = ""; // a restarted server may have another robot of this name
  });
}

export function composePane() {
  if (source.value === "recording")
    return html`<p class="wire-hint">A recording cannot be changed. Switch to Live to send.</p>`;
  const name = target();
  if (name) void load(name);
  const port = chosenPort();
  return html`<form class="wire-compose" @submit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    if (port) void submit(name, port);
  }}>
    ${shownRobot.value ? nothing : html`<label class="wire-field"><span>Robot</span><select
      aria-label="Robot"
      @change=${(/** @type {Chosen} */ event) => {
        robot.value = event.target.value;
        kind.value = "";
      }}>${
      robotNames.value.map((one) => html`<option ?selected=${one === name}>${one}</option>`)}
      </select></label>`}
    ${port ? portForm(port) :
      html`<p class="wire-hint">No port of this robot receives messages.</p>`}
  </form>`;
}

/** @param {PortSchema} port */
function portForm(port) {
  const type = chosenKind(port);
  const schema = port.types[type];
  return html`
    <label class="wire-field"><span>Port</span><select aria-label="Port"
      @change=${(/** @type {Chosen} */ event) => {
        portName.value = event.target.value;
        values = new Map();
        result.value = null;
      }}>${ports.value.map((one) => html`<option value=${one.port}
        ?selected=${one === port}>${one.port} (${one.transport})</option>`)}</select></label>
    <label class="wire-field"><span>Message</span><select aria-label="Message"
      @change=${(/** @type {Chosen} */ event) => {
        kind.value = event.target.value;
        values = new Map();
      }}>${kinds(port).map((one) => html`<option value=${one}
        ?selected=${one === type}>${one}</option>`)}</select></label>
    ${port.needs_subject && !schema ? subjectField(port) : nothing}
    ${schema ? schemaForm(schema) : html`<label class="wire-field"><span>${type === HEX ? "Bytes" :
      "Text"}</span><input type="text" aria-label=${type === HEX ? "Bytes" : "Text"}
      .value=${raw.value} required
      placeholder=${type === HEX ? "3f 0a" : port.transport === "tcp" ? "one line" : ""}
      @input=${(/** @type {Typed} */ event) => (raw.value = event.target.value)}></label>`}
    <button class="button wide" ?disabled=${sending.value}>${sending.value ? "Sending…" :
      "Send"}</button>
    <p class="dim">${schema && port.way === "api" ?
      "This message goes to the robot through the API: its codec cannot encode requests." :
      html`Over the real port: <code>${port.url}</code>`}</p>
    ${answer()}`;
}

/** @param {Record<string, any>} schema */
function schemaForm(schema) {
  const fields = Object.keys(schema.properties ?? {});
  if (fields.length) return formFields(schema, schema.$defs ?? {}, values);
  return html`<p class="dim">This message has no fields.</p>`;
}

/** @param {PortSchema} port */
function subjectField(port) {
  return html`<label class="wire-field"><span>${port.transport === "nats" ? "Subject" :
    "Topic"}</span><input type="text" list="wire-subjects" .value=${subject.value} required
    @input=${(/** @type {Typed} */ event) => (subject.value = event.target.value)}></label>
    <datalist id="wire-subjects">${port.subjects.map((one) =>
      html`<option value=${one}></option>`)}</datalist>`;
}

function answer() {
  const sent = result.value;
  if (!sent) return nothing;
  return html`<div class="wire-answer" role="status"><b>${sent.way === "port" ? "Sent" :
    "Sent through the API"}</b>${sent.answers.map((one) => html`<pre>${one}</pre>`)}${
    sent.note ? html` <span class="dim">${sent.note}</span>` :
    sent.answers.length ? nothing : html` <span class="dim">no answer on this port</span>`}</div>`;
}

/**
 * @param {string} name
 * @param {PortSchema} port
 */
async function submit(name, port) {
  const type = chosenKind(port);
  const schema = port.types[type];
  /** @type {Record<string, any>} */
  const body = { port: port.port };
  try {
    if (schema) {
      body.kind = type;
      body.fields = formValues(schema, schema.$defs ?? {}, values);
    } else {
      body[type === HEX ? "hex" : "text"] = raw.value;
      if (port.needs_subject) body.subject = subject.value;
    }
  } catch (error) {
    notice(String(/** @type {Error} */ (error).message), "bad");
    return;
  }
  sending.value = true;
  result.value = null;
  result.value = (await post(`${robotPath(name)}/wire`, body)) ?? null;
  sending.value = false;
  if (result.value) renew(values);
}
