// Opening recordings: one of the list, or a file from disk, which is uploaded first.
import { signal } from "@preact/signals-core";
import { post } from "../core/api.js";
import * as state from "../core/state.js";

const LARGEST_UPLOAD = 2 ** 31; // as in rigless/host/api/auth.py
const SUFFIX = ".mcap";
const PATIENCE_MS = 700; // without a sign of progress

/** The file that is being uploaded, and the part that is done, from 0 to 1. */
export const upload = signal(/** @type {{name: string, done: number}|null} */ (null));

/** @param {string} path */
export async function openRecording(path) {
  const name = path.split("/").at(-1);
  const slow = setTimeout(() => state.notice(`opening ${name}…`), PATIENCE_MS);
  const opened = await post("/api/deck", { file: path });
  clearTimeout(slow);
  if (!opened) return false;
  state.source.value = "recording";
  return true;
}

/**
 * Upload a recording and open it. Errors are shown as notices.
 * @param {File} file
 */
export async function openFile(file) {
  if (upload.value) return state.notice(`${upload.value.name} is being uploaded already`, "bad");
  if (!file.name.toLowerCase().endsWith(SUFFIX))
    return state.notice(`${file.name} is no recording: its name does not end in ${SUFFIX}`, "bad");
  if (file.size > LARGEST_UPLOAD) {
    const most = `${LARGEST_UPLOAD / 2 ** 30} GiB`;
    const fix = "copy it to the recordings folder";
    return state.notice(`${file.name} is larger than ${most}: ${fix}`, "bad");
  }
  upload.value = { name: file.name, done: 0 };
  const found = await send(file);
  upload.value = null;
  if (!found) return;
  if (found.missing) state.notice(`${found.name} was cut off: ${found.missing}`, "bad");
  if (await openRecording(found.path)) location.hash = state.hashFor("");
}

/**
 * Send a file with progress, which fetch() does not have.
 * @param {File} file
 * @returns {Promise<import("../core/api_types.js").NewRecording|null>}
 */
function send(file) {
  const request = new XMLHttpRequest();
  request.open("POST", `/api/recordings/file?file=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.upload.onprogress = ({ loaded, total }) =>
    (upload.value = { name: file.name, done: total ? loaded / total : 0 });
  return new Promise((done) => {
    request.onerror = () => {
      state.notice(`${file.name} could not be sent: rigless does not answer`, "bad");
      done(null);
    };
    request.onload = () => {
      let found = null;
      try {
        found = JSON.parse(request.responseText);
      } catch {
        state.notice(`${file.name} could not be sent: status ${request.status}`, "bad");
      }
      for (const { where, what, fix } of found?.problems ?? [])
        state.notice(`${where}: ${what}${fix ? ` (${fix})` : ""}`, "bad");
      done(request.status === 200 ? found : null);
    };
    request.send(file);
  });
}
