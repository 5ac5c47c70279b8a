// A listing, such as a program with a current line. It scrolls to the current line, unless the
// pointer or the focus is in it.
import { html } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { shownKey, listings } from "../core/state.js";
/** @typedef {import("../core/types.js").Part} Part */

const LINE_PX = 22;
/** The line that each list last scrolled to, with its text. @type {WeakMap<Element, string>} */
const lastScrolledTo = new WeakMap();

/**
 * @param {Element|undefined} list
 * @param {number} row of the current line
 * @param {string} line its number and text
 */
function scrollToCurrent(list, row, line) {
  if (!(list instanceof HTMLElement) || lastScrolledTo.get(list) === line) return;
  if (list.matches(":hover, :focus")) return;
  lastScrolledTo.set(list, line);
  requestAnimationFrame(() => { // the lines are rendered after the list
    if (!list.matches(".wrap")) list.scrollTop = (row - 4) * LINE_PX;
    // wrapped lines have different heights
    else list.scrollTop = bottomOf(list, row) - list.clientHeight;
  });
}

/**
 * Return the bottom of the current line, or of the last line.
 * @param {HTMLElement} list
 * @param {number} row
 */
function bottomOf(list, row) {
  const line = list.children[Math.min(row, list.children.length - 1)];
  return line instanceof HTMLElement ? line.offsetTop - list.offsetTop + line.offsetHeight : 0;
}

/** @param {Part} part */
export function listing(part) {
  const shown = listings.value[shownKey.value]?.[part.name];
  const { first, texts, current, read, wrong } = shown ?? {
    first: 1,
    texts: [],
    current: 1,
    read: 0,
    wrong: [],
  };
  const lineState = (/** @type {number} */ number) =>
    wrong.includes(number)
      ? "wrong"
      : number < current
        ? "done"
        : number === current
          ? "current"
          : number > read
            ? "waiting"
            : "ahead";
  const blank = texts.length ? "" : "blank";
  return html`<ol class="listing ${part.wrap ? "wrap" : ""} ${blank}" tabindex="0"
    aria-label=${part.label}
    ${ref((list) => scrollToCurrent(list, current - first,
      `${current} ${texts[current - first] ?? ""}`))}>
    ${texts.map((text, n) =>
      html`<li data-how=${lineState(first + n)}
        aria-current=${first + n === current ? "step" : "false"}
        title=${text}><span>${first + n}</span><code>${text}</code></li>`)}
    ${texts.length ? "" : html`<li class="dim">${part.empty || "nothing yet"}</li>`}</ol>`;
}
