// A button that opens a small window below it, or above it if there is more room. Escape, a click
// elsewhere and another page close it.
import { html, nothing } from "lit-html";

addEventListener("hashchange", () => {
  for (const one of document.querySelectorAll(".menu:popover-open"))
    /** @type {HTMLElement} */ (one).hidePopover();
});

const MARGIN_PX = 8;

/**
 * @param {string} id of the window
 * @param {unknown} face
 * @param {string} label
 * @param {unknown} body
 * @param {string} kind classes of the button
 * @param {boolean} named whether the face is a text, which then is the name of the button
 */
export function menu(id, face, label, body, kind = "button", named = false) {
  return html`<button class=${kind} popovertarget=${id} aria-label=${named ? nothing : label}
    title=${label}>${face}</button>
    <div id=${id} class="menu" popover role="dialog" aria-label=${label}
      @toggle=${placeAtButton}>${body}</div>`;
}

/** @param {Event} event */
function placeAtButton(event) {
  const body = /** @type {HTMLElement} */ (event.currentTarget);
  const opener = document.querySelector(`[popovertarget="${body.id}"]`);
  if (!opener) return;
  const { left, top, bottom } = opener.getBoundingClientRect();
  const furthest = innerWidth - body.offsetWidth - MARGIN_PX;
  body.style.left = `${Math.max(MARGIN_PX, Math.min(left, furthest))}px`;
  const above = top > innerHeight - bottom;
  body.style.top = above ? "auto" : `${bottom + MARGIN_PX}px`;
  body.style.bottom = above ? `${innerHeight - top + MARGIN_PX}px` : "auto";
  body.style.maxHeight = `${(above ? top : innerHeight - bottom) - 2 * MARGIN_PX}px`;
}
