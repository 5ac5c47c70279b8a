// A form from a JSON Schema, and the values that are typed into it.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { button } from "../cards/widgets.js";

/** @typedef {Record<string, any>} Schema */
/** @typedef {{target: HTMLInputElement|HTMLSelectElement}} Changed */
const MAX_DEPTH = 5;
const MAX_ITEMS = 50;
/** Increases when a form gets other fields. */
const shape = signal(0);
let ids = 0;

/**
 * Return a schema without references and without the alternative null.
 * @param {Schema} schema
 * @param {Record<string, Schema>} defs
 * @returns {Schema}
 */
export function resolve(schema, defs) {
  if (schema.$ref) {
    const found = defs[String(schema.$ref).split("/").pop() ?? ""];
    return found ? { ...resolve(found, defs), ...pick(schema, "default") } : {};
  }
  const options = /** @type {Schema[]|undefined} */ (schema.anyOf ?? schema.oneOf);
  if (!options) return schema;
  const real = options.filter((one) => one.type !== "null");
  return real.length === 1 && real[0]
    ? { ...resolve(real[0], defs), ...pick(schema, "default"), nullable: true }
    : { ...pick(schema, "default") };
}

/**
 * @param {Schema} schema
 * @param {string} key
 */
const pick = (schema, key) => (key in schema ? { [key]: schema[key] } : {});

/**
 * The fields of an object. `values` has the typed text by path.
 * @param {Schema} schema
 * @param {Record<string, Schema>} defs
 * @param {Map<string, string>} values
 * @param {string} path
 * @param {number} depth
 * @returns {unknown}
 */
export function formFields(schema, defs, values, path = "", depth = 0) {
  void shape.value;
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const key = path ? `${path}.${name}` : name;
    const one = chosen(resolve(given, defs), schema, defs, values, path);
    const items = itemsOf(one, defs);
    if (items && depth < MAX_DEPTH)
      return list(name, items, defs, values, key, depth + 1, required.has(name));
    if (one.variant && !Object.keys(one.properties ?? {}).length) return nothing;
    if (one.properties && depth < MAX_DEPTH)
      return html`<fieldset><legend>${name}</legend>${
        formFields(one, defs, values, key, depth + 1)}</fieldset>`;
    return field(name, one, required.has(name), key, values);
  });
}

/**
 * Return the schema of the parameters of the type that is chosen in another field, if this is such
 * a field; else the schema itself.
 * @param {Schema} one
 * @param {Schema} parent
 * @param {Record<string, Schema>} defs
 * @param {Map<string, string>} values
 * @param {string} path that of the parent
 * @returns {Schema}
 */
function chosen(one, parent, defs, values, path) {
  const variants = one["x-variants"];
  if (!variants) return one;
  const key = path ? `${path}.${variants.by}` : variants.by;
  const by = resolve(parent.properties?.[variants.by] ?? {}, defs);
  const kind = values.get(key) ?? String(by.enum?.[0] ?? "");
  return { properties: {}, ...variants.schemas[kind], variant: true };
}

/**
 * The schema of the items of a list of objects; null for other fields.
 * @param {Schema} schema
 * @param {Record<string, Schema>} defs
 */
function itemsOf(schema, defs) {
  if (schema.type !== "array" || !schema.items) return null;
  const item = resolve(schema.items, defs);
  return item.properties ? item : null;
}

/** The number of items of a list. @param {Map<string, string>} values @param {string} key */
const countOf = (values, key) => Number(values.get(`${key}.#`) ?? 0);

/**
 * A list of objects, with buttons to add and remove them.
 * @param {string} name
 * @param {Schema} item
 * @param {Record<string, Schema>} defs
 * @param {Map<string, string>} values
 * @param {string} key
 * @param {number} depth
 * @param {boolean} required
 */
function list(name, item, defs, values, key, depth, required) {
  if (!values.has(`${key}.#`)) values.set(`${key}.#`, required ? "1" : "0");
  const count = countOf(values, key);
  const resize = (/** @type {number} */ to) => {
    values.set(`${key}.#`, String(to));
    for (const one of [...values.keys()]) if (one.startsWith(`${key}.${to}.`)) values.delete(one);
    shape.value++;
  };
  return html`<fieldset><legend>${name}</legend>${Array.from({ length: count }, (_, n) =>
      html`<fieldset><legend>${n + 1}</legend>${
        formFields(item, defs, values, `${key}.${n}`, depth)}</fieldset>`)}
    <div class="row">${button("Add", `Add to ${name}`, () => resize(count + 1),
        { kind: "text", off: count >= MAX_ITEMS })}
      ${count ? button("Remove last", `Remove the last of ${name}`, () => resize(count - 1),
        { kind: "text" }) : nothing}</div></fieldset>`;
}

/**
 * Forget ids and times, so that the next message has new ones.
 * @param {Map<string, string>} values
 */
export function renew(values) {
  for (const key of [...values.keys()])
    if (/(Id|^seq|\.seq|issuedAt|expiresAt|validUntil|ts)$/.test(key)) values.delete(key);
  shape.value++;
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} required
 * @param {string} key
 * @param {Map<string, string>} values
 */
function field(name, schema, required, key, values) {
  if (!values.has(key)) values.set(key, initial(name, schema, required));
  const change = (/** @type {Changed} */ { target }) => {
    values.set(key, target instanceof HTMLInputElement && target.type === "checkbox"
      ? String(target.checked)
      : target.value);
    if (target instanceof HTMLSelectElement) shape.value++; // other fields may depend on it
  };
  const text = values.get(key) ?? "";
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=_)/); // where a long name may be broken
  const label = html`<span>${words.map((word) => html`${word}<wbr>`)}${required ? nothing :
    html` <small>optional</small>`}</span>`;
  if (schema.enum)
    return html`<label class="wire-field">${label}<select aria-label=${name} @change=${change}>${
      required ? nothing : html`<option value="">–</option>`}${schema.enum.map(
      (/** @type {any} */ one) => html`<option value=${String(one)}
        ?selected=${text === String(one)}>${one}</option>`)}</select></label>`;
  if (schema.type === "boolean")
    return html`<label class="wire-field">${label}<input type="checkbox" aria-label=${name}
      .checked=${text === "true"} @change=${change}></label>`;
  const number = schema.type === "number" || schema.type === "integer";
  const examples = /** @type {any[]} */ (schema.examples ?? []);
  const json = !number && schema.type !== "string";
  const hint = json ? (examples.length ? JSON.stringify(examples[0]) : "JSON") : "";
  const known = !json && examples.length ? `known-${key}` : nothing;
  return html`<label class="wire-field">${label}<input type=${number ? "number" : "text"}
    step="any" aria-label=${name} placeholder=${hint} list=${known} .value=${text}
    @input=${change}>${known === nothing ? nothing : html`<datalist id=${known}>${examples.map(
      (one) => html`<option value=${String(one)}></option>`)}</datalist>`}</label>`;
}

/**
 * The value at first: the default, or something useful for times and ids.
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} required
 */
function initial(name, schema, required) {
  if (/^(issuedAt|ts)$/.test(name)) return new Date().toISOString();
  if (/^(expiresAt|validUntil)$/.test(name)) return new Date(Date.now() + 60_000).toISOString();
  if (required && /Id$/.test(name))
    return `panel-${Date.now().toString(36)}${(ids++).toString(36)}`;
  if (name === "seq" && required) return String(Date.now());
  if (name === "revision" && required) return "1";
  const value = schema.default;
  if (value === undefined || value === null)
    return schema.enum && required ? String(schema.enum[0]) : "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Return the values of a form. Throws an Error with a sentence if one cannot be read.
 * @param {Schema} schema
 * @param {Record<string, Schema>} defs
 * @param {Map<string, string>} values
 * @param {string} path
 * @param {number} depth
 */
export function formValues(schema, defs, values, path = "", depth = 0) {
  /** @type {Record<string, any>} */
  const found = {};
  const required = new Set(schema.required ?? []);
  for (const [name, given] of Object.entries(schema.properties ?? {})) {
    const key = path ? `${path}.${name}` : name;
    const one = chosen(resolve(given, defs), schema, defs, values, path);
    const items = itemsOf(one, defs);
    if (items && depth < MAX_DEPTH) {
      const count = countOf(values, key);
      if (count || required.has(name))
        found[name] = Array.from({ length: count }, (_, n) =>
          formValues(items, defs, values, `${key}.${n}`, depth + 1),
        );
      continue;
    }
    if (one.variant) {
      found[name] = formValues(one, defs, values, key, depth + 1);
      continue;
    }
    if (one.properties && depth < MAX_DEPTH) {
      const part = formValues(one, defs, values, key, depth + 1);
      if (Object.keys(part).length || required.has(name)) found[name] = part;
      continue;
    }
    const value = parse(one, values.get(key) ?? "", key);
    if (value !== undefined) found[name] = value;
    else if (required.has(name)) {
      if (one.type !== "string") throw new Error(`${key} is missing`);
      found[name] = "";
    }
  }
  return found;
}

/**
 * @param {Schema} schema
 * @param {string} text
 * @param {string} key
 */
function parse(schema, text, key) {
  if (text === "") return undefined;
  if (schema.enum) return schema.enum.find((/** @type {any} */ one) => String(one) === text);
  if (schema.type === "boolean") return text === "true";
  if (schema.type === "number" || schema.type === "integer") return Number(text);
  if (schema.type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${key} is not JSON: for example {"x": 1} or [1, 2]`);
  }
}
