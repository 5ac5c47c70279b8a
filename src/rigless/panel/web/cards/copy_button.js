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
  const name = `${[label, shown, text].filter(Boolean).join(" ")}: copy`;
  return html`<button class="copy" title="Copy ${text}" aria-label=${name}
    @click=${(/** @type {{currentTarget: HTMLElement}} */ event) => void copyText(text,
    event.currentTarget)}>
    <small>${label}</small> ${shown ? html`<span class="clip">${shown}</span> ` : nothing}<code
    class=${shown ? "unseen" : "clip"}>${text}</code>${icons.copy}</button>`;
}

/**
 * A button with an icon that copies a long text.
 * @param {string} text
 * @param {string} what it is
 */
export function copyIcon(text, what) {
  return html`<button class="button" title="Copy ${what}" aria-label="Copy ${what}"
    @click=${(/** @type {{currentTarget: HTMLElement}} */ event) => void copyText(text,
    event.currentTarget, what)}>${icons.copy}<code class="unseen">${text}</code></button>`;
}

/**
 * @param {string} text
 * @param {HTMLElement} button
 * @param {string} what it is, for a long text
 */
async function copyText(text, button, what = text) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`copied: ${what}`);
  } catch {
    // only secure pages may write to the clipboard
    getSelection()?.selectAllChildren(button.querySelector("code") ?? button);
    notice("selected: press Ctrl+C to copy it");
  }
}
