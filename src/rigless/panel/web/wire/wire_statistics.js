// Statistics of the messages of each type. A click selects that type in the list.
import { html, nothing } from "lit-html";
import { shownRobot } from "../core/state.js";
import { formatRate, formatSize, topicOf } from "./wire_text.js";
import * as wire from "./wire_state.js";

export function statisticsPane() {
  const rows = wire.statistics.value;
  const all = !shownRobot.value;
  if (!rows.length) return html`<p class="wire-hint">No messages yet.</p>`;
  const chosen = wire.filter.value;
  return html`<div class="wire-table" tabindex="0" role="group" aria-label="Statistics"><table>
    <thead><tr>${all ? html`<th scope="col"
        class="stat-text">Robot</th>` : nothing}<th scope="col"
        class="stat-text stat-port">Port</th>
      <th scope="col" class="stat-text">Type</th><th scope="col">Count</th><th scope="col">Rate</th>
      <th scope="col">Jitter</th><th scope="col">Data rate</th></tr></thead>
    <tbody>${rows.map((row) => {
      const on =
        chosen.kind === row.kind && chosen.port === row.port &&
        chosen.direction === row.direction && chosen.subject === row.subject;
      const { kind, port, direction, subject } = row;
      return html`<tr aria-current=${on}>
        ${all ? html`<td class="clip">${row.robot}</td>` : nothing}
        <td class="clip stat-port">${row.direction === "in" ? "↓" : "↑"} ${row.port}</td>
        <td><button class="wire-link clip" aria-pressed=${on} title="Show only ${kind || "bytes"}"
          @click=${() => wire.setFilter(on ? wire.NO_FILTER : { kind, port, direction, subject })}
          ><small>${row.direction === "in" ? "↓" : "↑"} ${row.port}</small><b>${
            row.kind || "bytes"}</b>${
            topicOf(subject) ? html`<span class="dim" title=${subject}>${subject}</span>` : nothing
          }</button></td>
        <td>${row.count.toLocaleString("en")}</td>
        <td>${formatRate(row.rate_hz)} <small>Hz</small></td>
        <td>${row.rate_hz ? html`${formatRate(row.jitter_ms)} <small>ms</small>` : "–"}</td>
        <td>${formatSize(Math.round(row.bytes_per_s))}<small>/s</small></td></tr>`;
    })}</tbody></table>
    <p class="dim">Rate and jitter of the last hundred instants with messages, in simulated time.
      Jitter is the standard deviation of the time between them. Counts include messages that the
      list leaves out.</p></div>`;
}
