// The records around the first difference of two recordings: a list, and the fields of one pair.
import { html, nothing } from "lit-html";
import { chosenRow, placeOf } from "./compare.js";
/** @typedef {import("../core/api_types.js").ComparedRecordings} ComparedRecordings */
/** @typedef {import("../core/api_types.js").ComparedRecord} ComparedRecord */

const BYTES = "wire"; // the encoded message, which differs if any field does

/** @param {ComparedRecordings} found */
export function differenceTable(found) {
  const { robot, port, direction } = placeOf(found.topic);
  const title = [robot, port, direction].filter(Boolean).join(" · ");
  const row = found.rows[chosenRow.value];
  return html`<div class="compare-records">
    <section><h2>Records on ${title}</h2>
      <div class="record-head" aria-hidden="true"><span>A</span><span>B</span></div>
      <ol class="record-list" aria-label="Records around the first difference">${found.rows.map(
        (one, n) => html`<li><button class="record-row" data-differs=${one.different.length > 0}
          data-first=${n === found.first} aria-pressed=${n === chosenRow.value}
          @click=${() => (chosenRow.value = n)}>
          <time>${time(one.left_s)}</time><time>${time(one.right_s)}</time>
          <span>${summary(one, n === found.first)}</span></button></li>`,
      )}</ol></section>
    ${row ? fields(row) : nothing}</div>`;
}

/** Scroll the list so that the first difference is in its middle. */
export function showFirstRecord() {
  const row = document.querySelector('.record-row[data-first="true"]');
  const list = row?.closest(".record-list");
  if (!(row instanceof HTMLElement) || !(list instanceof HTMLElement)) return;
  list.scrollTop = row.offsetTop - list.offsetTop - (list.clientHeight - row.offsetHeight) / 2;
}

/** @param {number|null} time_s */
const time = (time_s) => (time_s === null ? "nothing" : `${time_s.toFixed(3)} s`);

/**
 * @param {ComparedRecord} row
 * @param {boolean} first
 */
function summary(row, first) {
  const lead = first ? "first difference: " : "";
  if (row.left_s === null) return `${lead}only in B`;
  if (row.right_s === null) return `${lead}only in A`;
  if (!row.different.length) return "equal";
  const telling = row.different.filter((name) => name !== BYTES);
  const [one = BYTES, ...more] = telling;
  return `${lead}${one}${more.length ? ` and ${more.length} more` : ""}`;
}

/** The fields of a pair of records, those that differ first. @param {ComparedRecord} row */
function fields(row) {
  const names = [...new Set([...Object.keys(row.left), ...Object.keys(row.right)])];
  const differs = (/** @type {string} */ name) => row.different.includes(name);
  const rank = (/** @type {string} */ name) => (differs(name) ? 0 : 2) + (name === BYTES ? 1 : 0);
  const sorted = names.sort((a, b) => rank(a) - rank(b));
  return html`<section><h2>Fields</h2><div class="field-scroll" tabindex="0" role="region"
    aria-label="Fields of the records"><table class="record-fields"><thead><tr>
    <th scope="col">Field</th><th scope="col">A</th><th scope="col">B</th></tr></thead>
    <tbody>${
      differs("time") ? fieldRow("time", time(row.left_s), time(row.right_s), true) : nothing
    }${sorted.map((name) =>
      fieldRow(name, row.left[name] ?? "–", row.right[name] ?? "–", differs(name)))}</tbody>
    </table></div></section>`;
}

/**
 * @param {string} name
 * @param {string} left
 * @param {string} right
 * @param {boolean} differs
 */
const fieldRow = (name, left, right, differs) =>
  html`<tr data-differs=${differs}><th scope="row">${name}</th><td>${left}</td>
    <td>${right}</td></tr>`;
