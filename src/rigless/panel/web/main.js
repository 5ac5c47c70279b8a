// Starts the panel: connects, and draws the shell again whenever something that it shows has changed, once per frame at most.
import { effect, signal } from "@preact/signals-core";
import { render } from "lit-html";
import { beginDriving } from "./drive.js";
import { beginFleet } from "./fleet.js";
import { beginGallery } from "./gallery.js";
import { beginJogging } from "./jog.js";
import { beginKeys } from "./keys.js";
import { beginPlots } from "./plots.js";
import { shell } from "./shell.js";
import { begin, onPicture } from "./socket.js";
import { shown, status } from "./state.js";
import { beginTapes } from "./tape_cards.js";
import { beginTheatre, probe } from "./theatre.js";
import { beginUnlocking } from "./unlock.js";

const NUMBERS_MS = 100; // readouts follow the pictures this often
const app = /** @type {HTMLElement} */ (document.getElementById("app"));
const frame = signal(0);
let due = 0;

beginDriving();
beginJogging();
beginUnlocking();
beginKeys();
begin();
onPicture.add(() => {
  if (performance.now() < due) return;
  due = performance.now() + NUMBERS_MS;
  frame.value++;
});
effect(() => {
  void frame.value;
  render(shell(), app);
  document.title = [shown.value, status.value?.name, "rigless"].filter((word, n, all) => word && all.indexOf(word) === n).join(" · ");
});
beginTheatre();
beginFleet();
beginGallery();
beginPlots();
beginTapes();
Object.assign(globalThis, { rigless: probe });
