// <x-map data-draw="border"> edits a polygon in #border by clicks, by dragging or as text.
import { create, toCollection, toFeature } from "./features.js";

/** @typedef {number[][]} Ring */
/** @typedef {import("./features.js").Geometry} Geometry */

/** @type {(position: { lng: number; lat: number }) => number[]} */
const toPosition = ({ lng, lat }) => [Number(lng.toFixed(6)), Number(lat.toFixed(6))];

/** @type {(text: string) => Geometry | null} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @type {(element: HTMLElement & { fit(coordinates: Geometry["coordinates"][]): void }, map: import("maplibre-gl").Map, id: string) => () => void} */
export function draw(element, map, id) {
  const input = /** @type {HTMLInputElement} */ (document.getElementById(id));
  const given = parse(input.value);
  const simple = given?.type === "Polygon" && given.coordinates.length === 1;
  /** @type {[Ring, boolean][]} */
  const past = [];
  /** @type {Ring} */
  let ring = simple ? /** @type {Ring[]} */ (given.coordinates)[0].slice(0, -1) : [];
  let closed = simple;

  /** @type {(textContent: string, onclick: () => void) => HTMLButtonElement} */
  const button = (textContent, onclick) => create("button", { type: "button", textContent, onclick });
  const undo = button("Undo", () => {
    [ring, closed] = past.pop() ?? [ring, closed];
    write();
  });
  const close = button("Close shape", () => change(ring, true));
  const clear = button("Clear", () => change([], false));
  const corners = create("textarea", { rows: 5, spellcheck: false, id: `${input.id}-corners` });
  const label = create("label", { htmlFor: corners.id, textContent: "Corners" });
  const hint = create("small", { textContent: "Longitude, latitude. One per line.", id: `${corners.id}-note` });
  corners.setAttribute("aria-describedby", hint.id);
  const bar = create("div", { className: "drawing" });
  if (given && !simple) bar.append(create("p", { textContent: "This boundary has several parts. Drawing replaces all of them." }));
  bar.append(undo, close, clear, label, corners, hint);
  element.after(bar);

  const polygon = () => ({ type: "Polygon", coordinates: [[...ring, ring[0]]] });
  /** @type {(next: Ring, done?: boolean) => void} */
  function change(next, done = closed) {
    past.push([ring, closed]);
    [ring, closed] = [next, done && next.length > 2];
    write();
  }
  function write() {
    const whole = past.length ? (ring.length > 2 ? polygon() : null) : given;
    input.value = whole ? JSON.stringify(whole) : "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    sketch();
  }
  function sketch() {
    corners.value = ring.map((corner) => corner.join(", ")).join("\n");
    undo.disabled = !past.length;
    close.disabled = closed || ring.length < 3;
    const line = closed ? polygon() : { type: "LineString", coordinates: ring };
    const shape = past.length || simple ? line : given;
    const shapes = shape && (shape !== line || ring.length > 1) ? [toFeature(shape)] : [];
    const points = ring.map((coordinates, index) => toFeature({ type: "Point", coordinates }, { index }));
    map.getSource("pannier-draft")?.setData(toCollection([...shapes, ...points]));
  }

  corners.oninput = () => corners.setCustomValidity("");
  corners.onchange = () => {
    const next = corners.value.trim().split("\n").map((line) => line.trim().split(/[\s,;]+/).map(Number));
    if (next.every((corner) => corner.length === 2 && corner.every(Number.isFinite))) return change(next, true);
    corners.setCustomValidity("Enter a longitude and a latitude on each line.");
    corners.reportValidity();
  };
  map.on("click", ({ lngLat, point }) => {
    if (closed) return;
    const [corner] = map.queryRenderedFeatures(point, { layers: ["pannier-vertices"] });
    if (!corner) change([...ring, toPosition(lngLat)]);
    else if (corner.properties.index === 0) change(ring, true);
  });
  for (const [start, move, end] of [["mousedown", "mousemove", "mouseup"], ["touchstart", "touchmove", "touchend"]])
    map.on(start, "pannier-vertices", (event) => {
      event.preventDefault();
      const { index } = event.features[0].properties;
      /** @type {typeof past[number]} */
      const before = [ring, closed];
      /** @type {(event: { lngLat: { lng: number; lat: number } }) => void} */
      const follow = ({ lngLat }) => {
        ring = ring.map((corner, at) => (at === index ? toPosition(lngLat) : corner));
        sketch();
      };
      map.on(move, follow);
      map.once(end, () => {
        map.off(move, follow);
        if (ring === before[0]) return;
        past.push(before);
        write();
      });
    });
  if (given) element.fit([given.coordinates]);
  sketch();
  return sketch;
}
