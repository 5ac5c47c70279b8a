// A button that copies its text.
import { html, nothing } from "lit-html";
import * as icons from "./icons.js";
import { notice } from "../core/state.js";

/**
 * @param {string} label
 * @param {string} text to copy
 * @param {string} shown instead of the text, such as a description of a long command
 */
export function copyButton(label, text, shown = "") {
  const name = shown ? `${label} ${shown}: copy ${text}` : `${label} ${text}: copy`;
  return html`<button class="copy" title="Copy ${text}" aria-label=${name}
    @click=${(/** @type {{currentTarget: HTMLElement}} */ event) => void copyText(text,
    event.currentTarget)}>
    <small>${label}</small>${shown ? html`<span class="clip">${shown}</span>` : nothing}<code
    class=${shown ? "unseen" : "clip"}>${text}</code>${icons.copy}</button>`;
}

/**
 * @param {string} text
 * @param {HTMLElement} button
 */
async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`copied: ${text}`);
  } catch {
    // only secure pages may write to the clipboard
    getSelection()?.selectAllChildren(button.querySelector("code") ?? button);
    notice("selected: press Ctrl+C to copy it");
  }
}
