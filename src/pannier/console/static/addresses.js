// Fields that suggest places and addresses, and pins where they are; see screens/addresses.py.
import { addSource, getHidden, isTyped, reportChange } from "./combobox.js";
import { $, $$, on } from "./console.js";
import { create } from "./features.js";

/** @typedef {Record<string, any> & { location: { type: string; coordinates: number[] } }} Address the fields of a place */
/** @typedef {{ label: string; hint: string; id: string; address: Address | null; location: number[] | null }} Suggestion */
/** @typedef {{ suggestions: Suggestion[]; note: string }} Answer */
/** @typedef {{ label: string; address: Address }} Pick */
const MOVING_PAUSE = 500;
// Browsers limit how many maps are drawn at a time.
const MAX_PINS = 6;
const COORDINATES = /^\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*$/;
const PARTS = ["street1", "city", "postal_code", "country"];

/** @type {(text: string) => number[] | null} */
function parsePoint(text) {
  const [, latitude, longitude] = (COORDINATES.exec(text) ?? []).map(Number);
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [longitude, latitude] : null;
}
/** @type {(position: number[]) => number[]} */
const round = (position) => position.map((degrees) => Number(degrees.toFixed(6)));
/** @type {(position: number[]) => string} */
const formatPoint = (position) => round(position).reverse().join(", ");

// A field takes a whole address, or is the street of an address whose other parts are beside it.
/** @type {(field: HTMLInputElement) => boolean} */
const isWhole = (field) => field.dataset.addresses === "whole";
/** @type {(field: HTMLInputElement, name: string) => HTMLInputElement | null} */
const findPart = (field, name) => /** @type {HTMLInputElement | null} */ (field.form?.elements.namedItem(name) ?? null);
// The choice comes from the page's address, too. One that cannot be read is none.
/** @type {(field: HTMLInputElement) => Pick | null} */
function readPick(field) {
  try {
    const pick = JSON.parse(getHidden(field).value);
    return pick.label === field.value && pick.address.location.coordinates.every(Number.isFinite) ? pick : null;
  } catch {
    return null;
  }
}
/** @type {(field: HTMLInputElement, pick: Pick) => void} */
function writePick(field, pick) {
  field.value = pick.label;
  getHidden(field).value = JSON.stringify(pick);
}
// The points of saved places, which the hidden input does not have.
/** @type {WeakMap<HTMLInputElement, number[]>} */
const placePoints = new WeakMap();
/** @type {(field: HTMLInputElement) => number[] | null | undefined} */
const findPoint = (field) => isWhole(field)
  ? readPick(field)?.address.location.coordinates ?? placePoints.get(field) ?? parsePoint(field.value)
  : parsePoint(findPart(field, "location")?.value ?? "");

/** @type {(field: HTMLInputElement, address: Address, position: number[]) => void} */
function fillParts(field, address, position) {
  const city = findPart(field, "city"), province = findPart(field, "province"), name = findPart(field, "name");
  // The province of another city would be wrong.
  if (province && city?.value && city.value !== address.city) province.value = "";
  if (name && !name.value) name.value = address.name ?? "";
  for (const part of PARTS) {
    const input = findPart(field, part);
    if (input) input.value = address[part] ?? "";
  }
  const point = findPart(field, "location");
  if (point) point.value = formatPoint(position);
}

/** @type {(field: HTMLInputElement, suggestion: Suggestion) => void} */
function choose(field, { id, label, address, location }) {
  placePoints.delete(field);
  if (!isWhole(field)) {
    if (address) fillParts(field, address, address.location.coordinates);
    const point = findPart(field, "location");
    if (point) showPin(point, location);
  } else {
    if (address) writePick(field, { label, address });
    else {
      field.value = label;
      getHidden(field).value = `${id} ${label}`;
      if (location) placePoints.set(field, location);
    }
    showPin(field, location, !id);
  }
}

/** @type {(path: string, query: Record<string, string>, signal?: AbortSignal) => Promise<Answer | null>} */
async function load(path, query, signal) {
  try {
    const response = await fetch(`/console/addresses${path}?${new URLSearchParams(query)}`, { signal });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
addSource("addresses", {
  minLength: 2,
  takesBest: () => false,
  forget: (field) => {
    if (!isWhole(field)) return;
    getHidden(field).value = "";
    placePoints.delete(field);
    showPin(field, parsePoint(field.value));
  },
  search: async (field, signal, show) => {
    const fields = /** @type {HTMLInputElement[]} */ ($$("[data-addresses]", field.form ?? document));
    const near = fields.map(findPoint).find(Boolean);
    const sources = [...(isWhole(field) ? ["places"] : []), ...("geocoder" in field.dataset ? ["addresses"] : [])];
    /** @type {Suggestion[][]} */
    const found = sources.map(() => []);
    let note = "";
    await Promise.all(sources.map(async (source, index) => {
      const answer = await load("", { query: field.value, source, near: near ? formatPoint(near) : "" }, signal);
      found[index] = answer?.suggestions ?? [];
      note = answer?.note || note;
      show(found.flat().map((suggestion) => ({
        label: suggestion.label,
        hint: [suggestion.id ? "Saved place" : "", suggestion.hint].filter(Boolean).join(" · "),
        choose: () => choose(field, suggestion),
      })));
    }));
    return note;
  },
});
on("input", ({ target }) => {
  if (!isTyped()) return;
  if (getBox(target)?.dataset.pin) showPin(target, parsePoint(target.value));
  else if (PARTS.includes(target.name)) warnAboutPin(target);
});

// Pins. Each has a box below its field, with the map and a line of text.
/** @type {Map<HTMLElement, Promise<import("./pin.js").Pin>>} */
const pins = new Map();
/** @type {(field: HTMLElement) => HTMLElement | null} */
const getBox = (field) => field.id ? document.getElementById(`${field.id}-pin`) : null;
/** @type {(box: HTMLElement) => HTMLInputElement} */
const getField = (box) => $(`#${CSS.escape(box.id.replace(/-pin$/, ""))}`);

/** @type {(field: HTMLInputElement, position: number[] | null, movable?: boolean) => Promise<void>} */
async function showPin(field, position, movable = true) {
  const box = getBox(field);
  if (!box) return;
  box.hidden = !position;
  if (!position) return;
  const pin = pins.get(box) ?? addMap(box);
  $(".hint", box).textContent = movable ? "Drag the pin, or move it with the arrow keys." : "To move this pin, edit the place.";
  offer(box);
  (await pin).place(position, movable);
}
/** @type {(box: HTMLElement) => Promise<import("./pin.js").Pin>} */
function addMap(box) {
  const element = document.createElement("x-map"), offered = create("p", { className: "offer" });
  element.dataset.pin = "";
  // Several maps on a page differ by their fields' labels.
  element.ariaLabel = `Map: ${getField(box).labels?.[0]?.firstChild?.textContent?.trim() || "place"}`;
  offered.setAttribute("role", "status");
  box.replaceChildren(element, create("small", { className: "hint" }), offered);
  const pin = import("./pin.js").then(({ createPin }) => createPin(element, (position) => movePin(box, position)));
  pins.set(box, pin);
  const [oldest] = pins.keys();
  if (pins.size > MAX_PINS) {
    pins.delete(oldest);
    oldest.replaceChildren();
    oldest.hidden = true;
  }
  return pin;
}
let movingTimer = 0;
/** @type {(box: HTMLElement, position: number[]) => void} */
function movePin(box, position) {
  const field = getField(box), pick = field.dataset.addresses ? readPick(field) : null;
  if (pick) {
    pick.address.location.coordinates = round(position);
    writePick(field, pick);
  } else field.value = formatPoint(position);
  reportChange(field);
  offer(box);
  clearTimeout(movingTimer);
  movingTimer = setTimeout(offerAddress, MOVING_PAUSE, box, position);
}

/** @type {(box: HTMLElement, label?: string, act?: () => void, text?: string) => void} */
function offer(box, label, act, text = "") {
  const line = $(".offer", box);
  if (!line) return;
  line.replaceChildren(text);
  if (!label) return;
  line.append(create("button", { type: "button", textContent: label, onclick: () => {
    line.replaceChildren();
    act?.();
  } }));
}
// Offer the address of a moved pin. What was typed stays unless the offer is accepted.
/** @type {(box: HTMLElement, position: number[]) => Promise<void>} */
async function offerAddress(box, position) {
  const field = getField(box), whole = Boolean(field.dataset.addresses);
  const target = whole ? field : /** @type {HTMLInputElement | null} */ ($("[data-addresses=part]", field.form ?? document));
  if (!target || !("geocoder" in target.dataset)) return;
  const before = field.value;
  const [found] = (await load("/reverse", { location: formatPoint(position) }))?.suggestions ?? [];
  const address = found?.address;
  if (!address || field.value !== before || (whole && getHidden(field).value && readPick(field)?.label === found.label)) return;
  if (!whole && PARTS.every((part) => (findPart(target, part)?.value ?? "") === (address[part] ?? ""))) return;
  offer(box, `Use ${found.label}`, () => {
    if (whole) writePick(field, { label: found.label, address: { ...address, location: { type: "Point", coordinates: round(position) } } });
    else fillParts(target, address, position);
    reportChange(target);
    target.focus();
  });
}
// A pin does not follow an address that is typed over.
/** @type {(part: HTMLInputElement) => void} */
function warnAboutPin(part) {
  const point = findPart(part, "location"), box = point && getBox(point);
  if (!box || box.hidden) return;
  offer(box, "Remove pin", () => {
    point.value = "";
    showPin(point, null);
    reportChange(point);
  }, "The address has changed. Check the pin.");
}

for (const field of /** @type {HTMLInputElement[]} */ ($$("[data-addresses=whole]"))) showPin(field, findPoint(field) ?? null);
for (const box of $$(".pinned[data-pin]")) showPin(getField(box), parsePoint(getField(box).value));
