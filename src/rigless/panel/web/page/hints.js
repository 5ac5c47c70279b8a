// Hints over the map: why something is missing there, with a button that ends it.
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { post, robotPath } from "../core/api.js";
import { button } from "../cards/widgets.js";
import { frameListeners, framesOf } from "../core/socket.js";
import * as state from "../core/state.js";

const found = computed(() =>
  (state.shownPage.value?.parts ?? []).filter((part) => part.kind === "Hint"),
);
/** The names of the hints to show. */
const shown = signal("");

export function startHints() {
  const look = () => {
    const frames = framesOf(state.shownKey.peek());
    const on = found.peek().filter((part) => (frames?.measure(part.name) ?? 0) > 0);
    shown.value = on.map(({ name }) => name).join(" ");
  };
  frameListeners.add(look);
  effect(() => {
    void found.value;
    look();
  });
}

export function hints() {
  const names = shown.value.split(" ");
  const live = state.source.value === "live";
  const on = found.value.filter(({ name }) => names.includes(name));
  return on.length ? html`<div class="hints">${on.map((part) =>
    html`<div class="hint" role="status"><span>${part.label}</span>${live ?
      button(part.button ?? "", `${part.label}: ${part.button}`, () =>
        void post(`${robotPath(state.shownRobot.value)}/actions`, { name: part.action }),
        { kind: "text" }) : nothing}</div>`)}</div>` : nothing;
}
