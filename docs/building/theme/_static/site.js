// Copy buttons and search. Both work from the file system, without any request to a server.

const root = document.documentElement.dataset.content_root || "./";

function element(tag, attributes, ...children) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
}

function addCopyButtons() {
  for (const block of document.querySelectorAll("div.highlight")) {
    const code = block.querySelector("pre");
    const before = block.parentElement.previousElementSibling;
    const printed = /highlight-(default|text|none)/.test(block.parentElement.className);
    if (printed && /highlight-(sh|python)/.test(before?.className ?? "")) continue;
    const button = element("button", { className: "copy", type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.innerText.replace(/\n$/, ""));
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    block.append(button);
  }
}

function wrapTables() {
  for (const table of document.querySelectorAll("article table")) {
    if (table.parentElement.classList.contains("table-wrapper")) continue;
    const box = element("div", { className: "table-wrapper", tabIndex: 0 });
    table.replaceWith(box);
    box.append(table);
  }
}

let loading;
function searchData() {
  loading ??= new Promise((done, failed) => {
    const script = element("script", { src: root + "_static/search-data.js", onerror: failed });
    script.onload = () => done(window.SEARCH_DATA);
    document.head.append(script);
  });
  return loading;
}

const plain = (text) => text.toLowerCase();

const COMMON = new Set(("a an and are as at be by can do does for from how i in is it my of on or "
  + "the this to use what when where which why with").split(" "));

/** The words of a query, without those that every page has if there are others. */
function wordsOf(query) {
  const all = plain(query).split(/[^\p{L}\p{N}_.:$@/-]+/u).filter(Boolean);
  const rare = all.filter((word) => !COMMON.has(word));
  return rare.length ? rare : all;
}

// A word in a title counts more than one in the text. A section that has only some of the words
// comes after all that have more of them.
function score([page, , pageTitle, title, text], words) {
  const titles = plain(title);
  const above = plain(pageTitle);
  const body = plain(text);
  let sum = page.startsWith("decisions/") || page.startsWith("project/changelog") ? -6 : 0;
  let missing = 0;
  for (const word of words) {
    const start = new RegExp(`(^|[^a-z0-9])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
    let best = 0;
    if (titles === word) best = 30;
    else if (start.test(titles)) best = 18;
    else if (start.test(above)) best = 9;
    else if (start.test(body)) best = 5;
    else if (titles.includes(word) || body.includes(word)) best = 2;
    if (!best) missing += 1;
    sum += best;
  }
  return missing === words.length ? 0 : Math.max(sum, 0.1) - 1000 * missing;
}

function excerpt(text, words) {
  const places = words.map((word) => plain(text).indexOf(word)).filter((place) => place >= 0);
  const at = places.length ? Math.min(...places) : 0;
  const from = Math.max(0, at - 50);
  const part = (from ? "… " : "") + text.slice(from, from + 170);
  const marked = words.filter((word) => word.length > 1);
  if (!marked.length) return [part];
  const pattern = marked.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return part.split(new RegExp(`(${pattern})`, "i")).map((piece) =>
    words.includes(plain(piece)) ? element("mark", { textContent: piece }) : piece);
}

function searchDialog() {
  const field = element("input", {
    type: "search",
    placeholder: "Search the documentation",
    ariaLabel: "Search",
    autocomplete: "off",
  });
  const list = element("ol", {});
  const close = element("button", { type: "button", className: "close", textContent: "Close" });
  const dialog = element("dialog", { className: "search-dialog" },
    element("div", { className: "search-head" }, field, close), list);
  dialog.setAttribute("aria-label", "Search");
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  async function show() {
    const words = wordsOf(field.value);
    const rows = await searchData();
    list.replaceChildren();
    if (!words.length) return;
    const found = rows.map((row) => [score(row, words), row]).filter(([points]) => points);
    found.sort((one, other) => other[0] - one[0]);
    if (found.length && found[0][0] < 0) {
      const text = "No section has all of these words. The first ones have most of them.";
      list.append(element("li", { className: "none", textContent: text }));
    }
    for (const [, row] of found.slice(0, 25)) {
      const [page, id, pageTitle, title, text] = row;
      const name = title === pageTitle ? title : `${title} · ${pageTitle}`;
      const href = root + page + (id && title !== pageTitle ? "#" + id : "");
      const link = element("a", { href }, element("strong", { textContent: name }),
        element("span", {}, ...excerpt(text, words)));
      link.addEventListener("click", () => dialog.close());
      list.append(element("li", {}, link));
    }
    const nothing = element("li", { className: "none", textContent: "Nothing was found." });
    if (!found.length) list.append(nothing);
  }

  function move(step) {
    const links = [...list.querySelectorAll("a")];
    const next = links[links.indexOf(document.activeElement) + step];
    (next ?? field).focus();
  }
  field.addEventListener("input", show);
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      move(event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
    } else if (event.key === "Enter" && document.activeElement === field) {
      list.querySelector("a")?.click();
      event.preventDefault();
    }
  });
  document.body.append(dialog);
  return (text = "") => {
    field.value = text;
    if (!dialog.open) dialog.showModal();
    field.focus();
    show();
  };
}

addCopyButtons();
wrapTables();
const openSearch = searchDialog();
for (const field of document.querySelectorAll(".sidebar-search")) {
  field.readOnly = true;
  field.addEventListener("click", () => openSearch());
  field.form?.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      openSearch(event.key.length === 1 ? event.key : "");
      event.preventDefault();
    }
  });
}
const button = element("button", { className: "open-search", type: "button" }, "Search");
button.addEventListener("click", () => openSearch());
document.querySelector(".header-right")?.prepend(button);
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
    openSearch();
    event.preventDefault();
  }
});
