// A recording that is dragged from the disk onto the page is opened, wherever it is dropped.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { openFile, upload } from "./open.js";

const LEAVE_MS = 150; // dragover comes at least this often while a file is over the page

const dragged = signal(false);

/**
 * True for a file; signals of plots and others are dragged within the page.
 * @param {DragEvent} event
 */
const hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;

export function startDrop() {
  let timer = 0;
  const over = (/** @type {DragEvent} */ event) => {
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    dragged.value = true;
    clearTimeout(timer);
    timer = window.setTimeout(() => (dragged.value = false), LEAVE_MS);
  };
  addEventListener("dragenter", over);
  addEventListener("dragover", over);
  addEventListener("drop", (event) => {
    dragged.value = false;
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(file);
  });
}

/** Shown over the page while a file is dragged or uploaded. */
export function dropOverlay() {
  const sending = upload.value;
  if (sending)
    return html`<div class="drop-overlay" role="status"><p>Uploading ${sending.name}</p>
      <progress max="1" .value=${sending.done} aria-label="Uploading"></progress></div>`;
  if (!dragged.value) return nothing;
  return html`<div class="drop-overlay"><p>Drop a recording (.mcap) to open it</p></div>`;
}
