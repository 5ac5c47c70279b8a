
// The live part of the page: progress, updates while the sweep runs, and runs opened in the panel.
const PERIOD_MS = 1000;
let revision = -1, shownEnd = false;

const progressBar = document.createElement("div");
progressBar.className = "progress";
progressBar.setAttribute("aria-live", "polite");
progressBar.innerHTML = '<p><b></b> <span></span></p><progress aria-label="Runs"></progress>'
  + '<a href="/">Panel</a>';
document.querySelector("h1").after(progressBar);

function duration(seconds) {
  const minutes = Math.floor(seconds / 60), rest = Math.round(seconds % 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : minutes ? `${minutes} min ${rest} s` : `${rest} s`;
}

function showProgress({ name, done, total, known, seconds, finished }) {
  const rate = seconds > 0 ? (done - known) / seconds : 0;
  const left = rate
    ? `, ${Math.round(60 * rate)} runs/min, ${duration((total - done) / rate)} left` : "";
  progressBar.querySelector("b").textContent = name;
  progressBar.querySelector("span").textContent = finished
    ? `${done.toLocaleString("en")} runs`
    : `${done.toLocaleString("en")} of ${total.toLocaleString("en")} runs${left}`;
  const bar = progressBar.querySelector("progress");
  bar.hidden = finished;
  bar.max = total;
  bar.value = done;
}

/** Replace the sections; keep what the user has typed, opened and scrolled to. */
function replaceSections(body) {
  const main = document.querySelector("main");
  const open = [...main.querySelectorAll("li[data-key] details[open]")]
    .map((each) => each.closest("li").dataset.key);
  const filter = one(".failures input")?.value ?? "", chosen = one(".failures select")?.value ?? "";
  const list = one(".failures ol")?.scrollTop ?? 0, top = scrollY, focused = document.activeElement;
  const label = focused?.getAttribute?.("aria-label");
  main.innerHTML = body;
  for (const key of open) {
    main.querySelector(`li[data-key="${key}"] details`)?.setAttribute("open", "");
  }
  if (one(".failures input")) one(".failures input").value = filter;
  if (one(".failures select")) one(".failures select").value = chosen;
  addOpenButtons();
  scrollTo(0, top);
  if (one(".failures ol")) one(".failures ol").scrollTop = list;
  if (label) main.querySelector(`[aria-label="${CSS.escape(label)}"]`)?.focus();
}

function addOpenButtons() {
  for (const item of document.querySelectorAll(".failures li[data-key]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "open-run";
    button.textContent = "Open in the panel";
    button.addEventListener("click", () => openRun(item.dataset.key, button));
    item.querySelector(".body").prepend(button);
  }
}

async function openRun(key, button) {
  button.disabled = true;
  button.textContent = "Running again …";
  const answer = await fetch(`/api/sweep/runs/${key}/open`, { method: "POST" });
  if (answer.ok) {
    location.href = "/";
    return;
  }
  const text = await answer.json().catch(() => ({}));
  button.disabled = false;
  button.textContent = "Open in the panel";
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.setAttribute("role", "alert");
  const sentences = (text.problems ?? []).map((each) => each.text ?? each.what);
  problem.textContent = sentences.join(" ") || `The server answered ${answer.status}.`;
  button.after(problem);
}

async function update() {
  let ended = false;
  try {
    const answer = await fetch(`/api/sweep?revision=${revision}`);
    const news = await answer.json();
    showProgress(news.progress);
    document.querySelector("p.counts").outerHTML = news.counts || '<p class="counts"></p>';
    if (news.body !== null) {
      replaceSections(news.body);
      show(news.data);
      filterFailures();
    }
    revision = news.progress.revision;
    ended = shownEnd;
    shownEnd = news.progress.finished && revision > news.progress.done;
  } catch {
    progressBar.querySelector("span").textContent = "The sweep does not answer: it was stopped.";
  }
  if (!ended) setTimeout(update, shownEnd ? 0 : PERIOD_MS);  // the last question confirms the end
}


addOpenButtons();
update();
