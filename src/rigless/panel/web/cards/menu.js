// A button that opens a small window below it. A click elsewhere or Escape closes it.
import { html } from "lit-html";

const MARGIN_PX = 8;

/**
 * @param {string} id of the window
 * @param {unknown} face
 * @param {string} label
 * @param {unknown} body
 * @param {string} kind classes of the button
 */
export function menu(id, face, label, body, kind = "button") {
  return html`<button class=${kind} popovertarget=${id} aria-label=${label}
    title=${label}>${face}</button>
    <div id=${id} class="menu" popover role="dialog" aria-label=${label}
      @toggle=${placeBelowButton}>${body}</div>`;
}

/** @param {Event} event */
function placeBelowButton(event) {
  const body = /** @type {HTMLElement} */ (event.currentTarget);
  const opener = document.querySelector(`[popovertarget="${body.id}"]`);
  if (!opener) return;
  const { left, bottom } = opener.getBoundingClientRect();
  const furthest = innerWidth - body.offsetWidth - MARGIN_PX;
  body.style.left = `${Math.max(MARGIN_PX, Math.min(left, furthest))}px`;
  body.style.top = `${bottom + MARGIN_PX}px`;
  body.style.maxHeight = `${innerHeight - bottom - 2 * MARGIN_PX}px`;
}
