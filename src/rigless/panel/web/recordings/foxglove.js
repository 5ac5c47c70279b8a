// Opening a recording in Foxglove: a link for its desktop program on this machine, or a download.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { post } from "../core/api.js";
import * as icons from "../cards/icons.js";
/** @typedef {import("../core/api_types.js").RecordingLink} RecordingLink */

/** The file whose window is open, and its link when the server has made it. */
const shown = signal(/** @type {{path: string, link: RecordingLink|null}|null} */ (null));

/** @param {string} path */
export const downloadUrl = (path) => `/api/recordings/file?file=${encodeURIComponent(path)}`;

/** @param {string} path */
export async function showFoxglove(path) {
  shown.value = { path, link: null };
  const dialog = document.getElementById("foxglove");
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
  const link = await post("/api/recordings/link", { file: path });
  if (link && shown.value?.path === path) shown.value = { path, link };
}

export function foxgloveDialog() {
  const now = shown.value;
  return html`<dialog id="foxglove" aria-labelledby="foxglove-title">
    <h2 id="foxglove-title">Open in Foxglove</h2>
    ${now ? html`<p class="clip">${now.path.split("/").at(-1)}</p>
    <p>The desktop program reads the recording from this machine while rigless runs. Nothing is
      uploaded.</p>
    <p><a class="button wide ${now.link ? "" : "off"}" href=${now.link?.foxglove ?? nothing}>Open
      the desktop program</a></p>
    <p class="dim">If nothing happens, it is not installed, or it does not know links: download the
      file, and choose <i>Open local file</i> in Foxglove. The same works in the browser.</p>
    <p><a class="button wide" href=${downloadUrl(now.path)} download>${icons.download} Download</a>
    </p>` : nothing}
    <form method="dialog"><menu><button class="button" autofocus>Close</button></menu></form>
  </dialog>`;
}
