// Behavior of every page: keys, the palette, copying, confirmations and relative times.
// Callers of $ know that the element exists, or use `?.`.
/** @type {<E extends HTMLElement = HTMLElement>(selector: string, root?: ParentNode) => E} */
export const $ = (selector, root = document) => /** @type {any} see above */ (root.querySelector(selector));
/** @type {<E extends HTMLElement = HTMLElement>(selector: string, root?: ParentNode) => E[]} */
export const $$ = (selector, root = document) => /** @type {any} see above */ ([...root.querySelectorAll(selector)]);
// The target may be any element, so check it before reading its value.
/** @type {<K extends keyof DocumentEventMap>(name: K, does: (event: DocumentEventMap[K] & { target: HTMLInputElement }) => unknown) => void} */
export const on = (name, does) => document.addEventListener(name, /** @type {EventListener} */ (does));
/** @type {(name: keyof DocumentEventMap, detail?: unknown) => boolean} */
export const emit = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

/** @type {(text: string, kind?: string) => void} */
function toast(text, kind = "") {
  const element = document.createElement("p");
  element.className = `toast ${kind}`;
  element.textContent = text;
  $("#toasts").append(element);
  fadeOut(element);
}
// A message with a form stays longer, and any message as long as somebody uses it.
/** @type {(shown: HTMLElement) => void} */
const fadeOut = (element) => {
  element.dataset.fades = "";
  setTimeout(() => element.matches(":hover, :focus-within") ? fadeOut(element) : element.remove(), $("form", element) ? 30000 : 6000);
};
const fadeNewToasts = () => $$(".toast:not([data-fades])").forEach(fadeOut);
fadeNewToasts();
on("htmx:after:swap", fadeNewToasts);

// Replace the address of a form's response, so that a reload does not submit the form again.
if (document.body.dataset.at) history.replaceState(history.state, "", document.body.dataset.at);

// Send the CSRF token with every request, and omit empty filters.
on("htmx:config:request", ({ detail: { ctx } }) => {
  ctx.request.headers["X-CSRF-Token"] = document.body.dataset.csrf;
  const [path, query] = ctx.request.action.split("?");
  if (query !== undefined) {
    const filled = new URLSearchParams([...new URLSearchParams(query)].filter(([, value]) => value));
    ctx.request.action = String(filled) ? `${path}?${filled}` : path;
  }
  const { method, body } = ctx.request;
  if (method?.toUpperCase() === "GET" && body instanceof FormData)
    for (const [name, value] of [...body]) if (!value) body.delete(name);
});
on("htmx:error", () => toast("The server is not responding. This page may be out of date.", "red"));

/** @type {(dialog: HTMLDialogElement) => void} */
function showDialog(dialog) {
  if (dialog.showModal) dialog.showModal();
  else dialog.toggleAttribute("data-open");
  $("input:not([type=hidden]), select, textarea", dialog)?.focus();
}

on("click", async (event) => {
  /** @type {(selector: string) => HTMLElement | null} */
  const at = (selector) => event.target.closest(selector);
  const opener = at("[data-opens]"), dialog = event.target.closest("dialog"), copier = at("[data-copy]");
  if (opener) {
    event.preventDefault();
    return showDialog(/** @type {HTMLDialogElement} */ (document.getElementById(/** @type {string} */ (opener.dataset.opens))));
  }
  if (dialog && (at("[data-closes]") || event.target.matches("dialog"))) return dialog.close();
  for (const menu of /** @type {HTMLDetailsElement[]} */ ($$(".menu[open], .more[open]"))) if (!menu.contains(event.target)) menu.open = false;
  if (at("[data-burger]")) return $(".side").toggleAttribute("data-open") && $(".side a").focus();
  if (!at(".side")) $(".side")?.removeAttribute("data-open");
  if (copier) {
    await navigator.clipboard.writeText(copier.dataset.copy || copier.nextElementSibling?.textContent || "");
    return toast("Copied.");
  }
  if (at("[data-print]")) return print();
  if (at("[data-theme-switch]")) {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
    return emit("pannier:theme");
  }
  const row = at("tr[data-href]");
  if (row && !at("a, button, input, label, select") && !getSelection()?.toString()) {
    if (event.ctrlKey || event.metaKey) open(/** @type {HTMLAnchorElement} */ ($("a[data-row]", row))?.href ?? row.dataset.href);
    else openRow(row);
  }
});

// Confirm irreversible actions. The server asks too if a form lacks `sure`.
/** @type {(sentence: string, label: string) => Promise<boolean>} */
export const confirmAction = (sentence, label) => new Promise((resolve) => {
  /** @type {HTMLDialogElement} */
  const dialog = $("#sure");
  $("#sure-words").textContent = sentence;
  $("[value=yes]", dialog).textContent = label;
  dialog.returnValue = "";
  dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  dialog.showModal();
});
on("submit", async (event) => {
  const { submitter } = event, form = /** @type {HTMLFormElement} */ (/** @type {HTMLElement} */ (event.target)), question = submitter?.dataset.sure ?? form.dataset?.sure;
  if (!question || $("[name=sure]", form)) return;
  event.preventDefault();
  if (!(await confirmAction(question, submitter?.textContent?.trim() || "Confirm"))) return;
  const sure = Object.assign(document.createElement("input"), { type: "hidden", name: "sure", value: "yes" });
  form.append(sure);
  form.requestSubmit(submitter);
  sure.remove();
});

/** @typedef {Record<string, (() => unknown) | undefined>} Keys */
let goToPressed = 0;
on("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return palette.open ? palette.close() : palette.showModal();
  }
  if (event.key === "Escape" && !$("dialog[open]")) closeMenus();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]") || $("dialog[open]")) return;
  const isGoTo = Date.now() - goToPressed < 1200;
  goToPressed = 0;
  if (isGoTo) return $(`.side [data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
  const does = /** @type {Keys} */ ({
    g: () => { goToPressed = Date.now(); },
    "/": () => $("[data-filter], .filters input:not([type=hidden])")?.focus(),
    "?": () => showDialog($("#keys")),
    n: () => $("[data-new]")?.click(),
    z: () => $(".undo button")?.click(),
    j: () => moveSelection(1),
    k: () => moveSelection(-1),
    x: () => $("tr[aria-selected=true] input[type=checkbox]")?.click(),
    Enter: () => !event.target.closest("a, button, summary") && selectedRow() && openRow(selectedRow()),
  })[event.key];
  if (does && event.key !== "Enter") event.preventDefault();
  does?.();
});
// Close open menus and return the focus to the element that opened them.
function closeMenus() {
  const menu = /** @type {HTMLDetailsElement} */ ($(".menu[open], .more[open]")), side = $(".side[data-open]");
  if (menu) menu.open = false;
  side?.removeAttribute("data-open");
  if (menu || side) (menu ? $("summary", menu) : $("[data-burger]")).focus();
}
const selectedRow = () => $("tr[aria-selected=true]");
/** @type {(row: HTMLElement) => void} */
function openRow(row) {
  const link = $("a[data-row]", row);
  if (link) link.click();
  else location.href = /** @type {string} */ (row.dataset.href);
}
/** @type {(by: number) => void} */
function moveSelection(by) {
  const rows = $$("tr[data-href]"), items = rows.length ? rows : $$("li.order");
  if (!items.length) return;
  const at = rows.length ? rows.indexOf(selectedRow()) : items.findIndex((card) => card.contains(document.activeElement));
  const item = items[Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + by))];
  rows.length ? selectRow(item) : focusCard(item);
}
// The link has the focus, so that Enter opens the order.
/** @type {(card: HTMLElement) => void} */
function focusCard(card) {
  $("a", card).focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest", inline: "nearest" });
}
/** @type {(row: HTMLElement) => void} */
function selectRow(row) {
  selectedRow()?.removeAttribute("aria-selected");
  row.setAttribute("aria-selected", "true");
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  if (row.id) emit("pannier:select", row.id);
}
// Open the list row of a feature that was clicked on a map.
on("pannier:pick", (event) => {
  const row = $(`tr#${CSS.escape(event.detail.id)}`);
  if (!row) return;
  event.preventDefault();
  selectRow(row);
  openRow(row);
});

// The palette lists pages at once, and records as the search finds them.
/** @type {HTMLDialogElement} */
const palette = $("#palette");
if (palette) {
  /** @type {HTMLInputElement} */
  const input = $("input", palette);
  const options = () => $$("[role=option]", palette);
  // The focus stays in the field, which names the marked option for screen readers.
  /** @type {(option?: HTMLElement) => void} */
  const mark = (option) => {
    const marked = $("#found-marked");
    for (const name of ["aria-selected", "id"]) marked?.removeAttribute(name);
    option?.setAttribute("aria-selected", "true");
    option?.setAttribute("id", "found-marked");
    option?.scrollIntoView({ block: "nearest" });
  };
  input.addEventListener("keydown", (event) => {
    const items = options();
    const at = items.findIndex((one) => one.ariaSelected === "true");
    // By default, Escape only clears a search field.
    const does = /** @type {Keys} */ ({
      Escape: () => palette.close(),
      ArrowDown: () => mark(items[(at + 1) % items.length]),
      ArrowUp: () => mark(items[at > 0 ? at - 1 : items.length - 1]),
      Enter: () => items[Math.max(at, 0)]?.click(),
    })[event.key];
    if (does) event.preventDefault();
    does?.();
  });
  on("htmx:after:swap", () => palette.open && mark(options()[0]));
  palette.addEventListener("close", () => {
    input.value = "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

// Keep relative times and countdowns up to date.
/** @type {(seconds: number) => string} */
const formatSpan = (seconds) => seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${Math.floor(seconds / 60)} min`
  : seconds < 86400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} d`;
setInterval(() => {
  if (document.hidden) return;
  const now = Date.now();
  for (const time of /** @type {HTMLTimeElement[]} */ ($$("time.ago"))) {
    const past = Math.round((now - Date.parse(time.dateTime)) / 1000);
    const text = past < 0 ? `in ${formatSpan(-past)}` : past < 1 ? "now" : `${formatSpan(past)} ago`;
    if (time.textContent !== text) time.textContent = text;
  }
  for (const time of /** @type {HTMLTimeElement[]} */ ($$("time.until"))) {
    const left = Math.round((Date.parse(time.dateTime) - now) / 1000);
    time.textContent = left > 0 ? `${time.dataset.prefix}${formatSpan(left)}` : "expired";
    if (left <= 0 && !time.dataset.over) {
      time.dataset.over = "yes";
      time.dispatchEvent(new CustomEvent("pannier:over", { bubbles: true }));
    }
  }
}, 1000);

// Filter long lists of choices by the typed words.
on("input", ({ target }) => {
  if (!target.dataset?.narrows) return;
  for (const one of $$(`#${target.dataset.narrows} label`)) one.hidden = !one.textContent.toLowerCase().includes(target.value.toLowerCase());
});

// Show rejected forms, and forms requested by address, as modal dialogs.
for (const dialog of /** @type {HTMLDialogElement[]} */ ($$("dialog[open]"))) {
  dialog.close();
  showDialog(dialog);
}

// Scroll the current page into view in a long sidebar.
$(".side [aria-current]")?.scrollIntoView({ block: "nearest" });
// Focus the first invalid field of a rejected form.
$("main [aria-invalid]")?.focus();
