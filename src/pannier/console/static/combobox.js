// Fields that suggest records or addresses while somebody types. The field shows the name, and the
// hidden input after it has the choice. Without script they are text fields, and the server offers
// the matches.
import { $, $$, on } from "./console.js";
import { create } from "./features.js";

/** @typedef {{ label: string; hint: string; choose: () => void }} Choice */
/**
 * Where the options of a field come from.
 * @typedef {object} Source
 * @property {number} minLength Shorter texts are not searched.
 * @property {(field: HTMLInputElement) => boolean} takesBest Whether Enter takes the best match. Otherwise other texts are allowed.
 * @property {(field: HTMLInputElement) => void} [forget] Remove the choice, because the text changed.
 * @property {(field: HTMLInputElement, signal: AbortSignal, show: (choices: Choice[]) => void) => Promise<string>} search Show the options, then return a note or an empty text.
 */
/** @type {Map<string, Source>} */
const sources = new Map();
const TYPING_PAUSE = 150, MAX_HEIGHT = 300, MIN_WIDTH = 220, MARGIN = 8;

/** @type {(field: HTMLElement) => Source | undefined} */
const getSource = (field) => sources.get(field.dataset?.combo ?? "");
/** @type {(field: HTMLElement) => HTMLElement} */
const getBox = (field) => /** @type {HTMLElement} */ (field.closest(".combo"));
/** @type {(field: HTMLElement) => HTMLElement} */
const getList = (field) => $(".options", getBox(field));
/** @type {(field: HTMLElement) => HTMLElement | null} */
const getActive = (field) => getList(field).querySelector("[aria-selected=true]");
/** @type {(field: HTMLElement) => HTMLInputElement} */
export const getHidden = (field) => /** @type {HTMLInputElement} */ (getBox(field).nextElementSibling);
let timer = 0, searching = new AbortController(), optionCount = 0, wantsBest = false;
// The search for the text in the field has not ended. The text was not reported to the page.
let isPending = false, isUnreported = false;

/** @type {(name: string, source: Source) => void} */
export function addSource(name, source) {
  sources.set(name, source);
  for (const field of $$(`[data-combo=${name}]`)) prepare(field);
}
/** @type {(field: HTMLElement) => void} */
function prepare(field) {
  const list = getList(field);
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", String(!list.hidden));
}

// Tell the page about a change as if it had been typed, but without a new search.
let isReporting = false;
/** @type {(field: HTMLElement) => void} */
export function reportChange(field) {
  isReporting = true;
  isUnreported = false;
  for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  isReporting = false;
}
export const isTyped = () => !isReporting;
/** @type {(field: HTMLElement) => void} */
function closeList(field) {
  clearTimeout(timer);
  searching.abort();
  isPending = wantsBest = false;
  const list = getList(field);
  list.hidden = true;
  list.replaceChildren();
  announce(field, "");
  field.removeAttribute("aria-activedescendant");
  prepare(field);
}
/** @type {(field: HTMLElement, text: string, visible?: boolean) => void} */
function announce(field, text, visible = false) {
  const status = $("[role=status]", getBox(field));
  status.textContent = text;
  status.classList.toggle("unseen", !visible);
}
/** @type {(field: HTMLElement, option: Element | null) => void} */
function activate(field, option) {
  getActive(field)?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
}
// Below the field, or above it where there is more room. Its place is in the window, so that no
// dialog or scrolling list cuts it off.
/** @type {(field: HTMLElement) => void} */
function placeList(field) {
  const list = getList(field), at = field.getBoundingClientRect();
  const below = innerHeight - at.bottom - MARGIN, above = at.top - MARGIN, isBelow = below >= Math.min(MAX_HEIGHT, above);
  const width = Math.min(Math.max(at.width, MIN_WIDTH), innerWidth - 2 * MARGIN);
  Object.assign(list.style, {
    top: isBelow ? `${at.bottom + 4}px` : "auto",
    bottom: isBelow ? "auto" : `${innerHeight - at.top + 4}px`,
    left: `${Math.min(at.left, innerWidth - width - MARGIN)}px`,
    width: `${width}px`,
    maxHeight: `${Math.min(MAX_HEIGHT, isBelow ? below : above)}px`,
  });
}
/** @type {(field: HTMLInputElement, choices: Choice[]) => void} */
function showOptions(field, choices) {
  const list = getList(field), options = choices.map((choice) => makeOption(field, choice)), active = getActive(field)?.textContent;
  list.replaceChildren(...options);
  list.hidden = !options.length;
  placeList(field);
  prepare(field);
  // An option that is already active stays so when more come.
  activate(field, options.find(({ textContent }) => textContent === active) ?? (isUnreported ? options[0] : null));
}
/** @type {(field: HTMLInputElement, choice: Choice) => HTMLElement} */
function makeOption(field, { label, hint, choose }) {
  const option = create("li", { id: `${field.id}-option-${optionCount++}`, onclick: () => {
    closeList(field);
    $(".matches", getBox(field))?.remove();
    choose();
    reportChange(field);
  } });
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  option.append(create("span", { textContent: label }));
  if (hint) option.append(" ", create("small", { textContent: hint }));
  return option;
}
/** @type {(field: HTMLInputElement) => Promise<void>} */
async function search(field) {
  searching = new AbortController();
  const { signal } = searching, isStale = () => signal.aborted || document.activeElement !== field;
  /** @type {Choice[]} */
  let found = [];
  const note = await getSource(field)?.search(field, signal, (choices) => {
    found = choices;
    if (!isStale()) showOptions(field, choices);
  });
  if (isStale()) return;
  isPending = false;
  const count = found.length, isMissing = !count && getSource(field)?.takesBest(field);
  announce(field, note || (count ? `${count} ${count === 1 ? "suggestion" : "suggestions"}` : isMissing ? "No matches" : "No suggestions"), Boolean(note) || isMissing);
  if (wantsBest) getActive(field)?.click();
  wantsBest = false;
}
/** @type {(field: HTMLInputElement, pause?: number) => void} */
function startSearch(field, pause = TYPING_PAUSE) {
  clearTimeout(timer);
  searching.abort();
  if (field.value.trim().length < (getSource(field)?.minLength ?? 0)) return closeList(field);
  isPending = true;
  timer = setTimeout(search, pause, field);
}

// Before other listeners. What is typed of a record's name changes nothing until one is chosen.
document.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target), source = getSource(field);
  if (!source || isReporting) return;
  $(".matches", getBox(field))?.remove();
  source.forget?.(field);
  if (source.takesBest(field)) {
    event.stopPropagation();
    isUnreported = true;
    if (!field.value) reportChange(field);
  }
  startSearch(field);
}, true);
on("focusin", ({ target }) => getSource(target) && prepare(target));
on("focusout", ({ target }) => {
  if (!getSource(target)) return;
  closeList(target);
  if (isUnreported) reportChange(target);
});
on("htmx:after:swap", () => {
  for (const field of $$("[data-combo]")) if (getSource(field)) prepare(field);
});
on("click", ({ target }) => getSource(target) && !target.value && getList(target).hidden && startSearch(target, 0));
// A press on an option leaves the focus in the field.
for (const name of /** @type {const} */ (["pointerdown", "mousedown"])) on(name, (event) => event.target.closest(".options") && event.preventDefault());
document.addEventListener("scroll", ({ target }) => {
  const field = /** @type {HTMLElement | null} */ (document.activeElement);
  if (field && getSource(field) && target !== getList(field)) placeList(field);
}, true);
document.addEventListener("keydown", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target), source = getSource(field);
  if (!source || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const list = getList(field), active = getActive(field), isOpen = !list.hidden;
  // Tab takes the best match, too, and leaves the field.
  if (event.key === "Tab") return isUnreported && active?.click();
  const does = /** @type {Record<string, (() => void) | false | undefined | null>} */ ({
    ArrowDown: () => isOpen ? activate(field, active?.nextElementSibling ?? list.firstElementChild) : startSearch(field, 0),
    ArrowUp: isOpen && (() => activate(field, active?.previousElementSibling ?? list.lastElementChild)),
    Enter: isOpen && active ? () => active.click() : isPending && source.takesBest(field) && (() => { wantsBest = true; }),
    Escape: isOpen && (() => closeList(field)),
  })[event.key];
  if (!does) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  does();
}, true);

// Records: the hidden input has the identifier, a space and the name.
/** @typedef {{ id: string; label: string; hint: string }} RecordMatch */
addSource("records", {
  minLength: 0,
  takesBest: (field) => !("free" in field.dataset),
  forget: (field) => { getHidden(field).value = ""; },
  search: async (field, signal, show) => {
    // A chosen name is no search: offer other records.
    const query = getHidden(field).value ? "" : field.value.trim();
    const params = new URLSearchParams({ query, resource: field.dataset.suggests ?? "" });
    const response = await fetch(`/console/suggest?${params}`, { signal }).catch(() => null);
    const matches = response?.ok ? /** @type {RecordMatch[]} */ (await response.json().catch(() => [])) : [];
    show(matches.map(({ id, label, hint }) => ({ label, hint, choose: () => {
      field.value = label;
      getHidden(field).value = `${id} ${label}`;
    } })));
    return response?.ok || signal.aborted ? "" : "Search is unavailable.";
  },
});
