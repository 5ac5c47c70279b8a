// A form from a JSON Schema, and the values that are typed into it.
import { html, nothing } from "lit-html";

/** @typedef {Record<string, any>} Schema */
/** @typedef {{target: HTMLInputElement|HTMLSelectElement}} Changed */
const MAX_DEPTH = 5;

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
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const one = resolve(given, defs);
    const key = path ? `${path}.${name}` : name;
    if (one.properties && depth < MAX_DEPTH)
      return html`<fieldset><legend>${name}</legend>${
        formFields(one, defs, values, key, depth + 1)}</fieldset>`;
    return field(name, one, required.has(name), key, values);
  });
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
  const change = (/** @type {Changed} */ { target }) =>
    values.set(key, target instanceof HTMLInputElement && target.type === "checkbox"
      ? String(target.checked)
      : target.value);
  const text = values.get(key) ?? "";
  const label = html`<span>${name}${required ? nothing : html` <small>optional</small>`}</span>`;
  if (schema.enum)
    return html`<label class="wire-field">${label}<select aria-label=${name} @change=${change}>${
      required ? nothing : html`<option value="">–</option>`}${schema.enum.map(
      (/** @type {any} */ one) => html`<option value=${String(one)}
        ?selected=${text === String(one)}>${one}</option>`)}</select></label>`;
  if (schema.type === "boolean")
    return html`<label class="wire-field">${label}<input type="checkbox" aria-label=${name}
      .checked=${text === "true"} @change=${change}></label>`;
  const number = schema.type === "number" || schema.type === "integer";
  const hint = number || schema.type === "string" ? "" : "JSON";
  return html`<label class="wire-field">${label}<input type=${number ? "number" : "text"}
    step="any" aria-label=${name} placeholder=${hint} .value=${text} @input=${change}></label>`;
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
  if (required && /Id$/.test(name)) return `panel-${Date.now().toString(36)}`;
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
    const one = resolve(given, defs);
    const key = path ? `${path}.${name}` : name;
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
