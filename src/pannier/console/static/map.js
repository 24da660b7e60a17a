// <x-map>: draws features, tells what is clicked; see maps.py, with data-draw draw.js.
import { AttributionControl, LngLatBounds, Map as Canvas, NavigationControl, ScaleControl } from "maplibre-gl";
import { feature } from "topojson-client";

const STYLE = new URL("vendor/maplibre/maplibre-gl.css", import.meta.url).href;
const SHOWN = ["pannier-points", "pannier-lines", "pannier-areas"];
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
export const made = (name, given) => Object.assign(document.createElement(name), given);
const fetched = async (address) => (await fetch(address)).json();
export const collected = (features) => ({ type: "FeatureCollection", features });
export const shaped = (geometry, properties = {}) => ({ type: "Feature", properties, geometry });

// The world is fetched once, whatever maps and themes there are.
const world = {};
function known({ atlas, cities }) {
  world["pannier-countries"] ??= fetched(atlas).then((told) => feature(told, "countries"));
  world["pannier-cities"] ??= fetched(cities).then((told) =>
    collected(told.map(([name, x, y, size]) => shaped({ type: "Point", coordinates: [x, y] }, { name, size }))));
  return Object.entries(world);
}

function arrow() {
  const pen = made("canvas", { width: 32, height: 32 }).getContext("2d");
  pen.fillStyle = "#fff";
  pen.fill(new Path2D("M16 6 24 25 16 20.5 8 25Z"));
  return pen.getImageData(0, 0, 32, 32);
}

class XMap extends HTMLElement {
  async connectedCallback() {
    if (this.begun) return;
    this.begun = new AbortController();
    if (!made("canvas").getContext("webgl2")) return this.refuse();
    if (!document.querySelector(`link[href="${STYLE}"]`)) document.head.append(made("link", { rel: "stylesheet", href: STYLE }));
    await Promise.all([this.learn(), document.fonts.load("11px 'Inter Variable'")]);
    if (!this.isConnected) return;
    const map = (this.map = new Canvas({
      container: this.appendChild(made("div", { className: "canvas" })),
      style: this.told.style, center: [10, 30], zoom: 1, maxZoom: 19, fadeDuration: 0,
      attributionControl: false, dragRotate: false, pitchWithRotate: false,
      transformRequest: (url) => ({ url: new URL(url, location).href }),
    }));
    // What it is called is said of what has the focus.
    map.getCanvas().ariaLabel = this.ariaLabel ?? "Map";
    this.ariaLabel = null;
    map.addControl(new AttributionControl({ compact: false }), "bottom-right");
    map.addControl(new NavigationControl({ showCompass: false }), "bottom-right");
    map.addControl(new ScaleControl(), "bottom-left");
    map.on("style.load", () => this.dress());
    map.on("sourcedata", ({ sourceId }) => sourceId === "pannier-features" && (this.dataset.ready = "yes"));
    map.on("click", ({ point }) => this.pick(this.at(point)));
    map.on("mousemove", ({ point }) => (map.getCanvas().style.cursor = this.at(point) ? "pointer" : ""));
    const on = (target, name, act) => target.addEventListener(name, act, { signal: this.begun.signal });
    on(document, "htmx:after:swap", () => this.redraw());
    on(document, "pannier:geo", () => this.redraw());
    on(document, "pannier:select", ({ detail }) => this.select(detail?.id ?? detail));
    on(dark, "change", () => this.retheme());
    on(document, "pannier:theme", () => this.retheme());
    if (this.dataset.draw) this.sketch = (await import("./draw.js")).draw(this);
  }

  disconnectedCallback() {
    // What is only moved stays.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.begun?.abort();
      this.map?.remove();
      this.begun = this.map = null;
      this.replaceChildren();
    });
  }

  refuse() {
    this.dataset.ready = "no";
    this.append(made("p", { className: "empty", textContent: "This browser cannot draw maps (no WebGL 2); the list tells the same." }));
  }

  async learn() {
    this.theme = theme();
    this.told = await fetched(`${this.dataset.ground ?? "/console/basemap"}/${this.theme}`);
  }

  async retheme() {
    if (this.theme === theme()) return;
    await this.learn();
    this.map?.setStyle(this.told.style, { diff: false });
  }

  // Puts what is ours on a style that has just been loaded.
  dress() {
    const { map, told } = this;
    for (const [name, data] of known(told)) data.then((given) => map.getSource(name)?.setData(given));
    if (!map.hasImage("arrow")) map.addImage("arrow", arrow());
    for (const name of ["pannier-features", "pannier-draft"]) map.addSource(name, { type: "geojson", data: collected([]) });
    for (const layer of told.layers) map.addLayer(layer);
    this.show();
    this.select(this.chosen ?? this.dataset.chosen, false);
    this.sketch?.();
  }

  // However often things change, they are drawn once a second at the most.
  redraw() {
    const wait = Math.max(0, (this.shown ?? 0) + 1000 - performance.now());
    this.waiting ??= setTimeout(() => ((this.waiting = null), this.show()), wait);
  }

  show() {
    if (!this.map?.getSource("pannier-features")) return;
    this.shown = performance.now();
    this.features = JSON.parse(document.getElementById(this.dataset.from)?.textContent || "{}").features ?? [];
    this.map.getSource("pannier-features").setData(collected(this.features));
    this.fit(this.features.map(({ geometry }) => geometry.coordinates));
    const [followed] = this.features.filter(({ properties }) => properties.followed);
    if (followed) this.select(followed.properties.id), this.map.panTo(followed.geometry.coordinates);
  }

  // Shows all of it once; from then on the view is its reader's.
  fit(coordinates) {
    if (this.fitted || !coordinates.length) return;
    this.fitted = true;
    const bounds = new LngLatBounds();
    const walk = (part) => (typeof part[0] === "number" ? bounds.extend(part) : part.forEach(walk));
    walk(coordinates);
    this.map.fitBounds(bounds, { padding: 48, maxZoom: 14, animate: false });
  }

  at({ x, y }) {
    if (this.dataset.draw || !this.map.getLayer("pannier-points")) return null;
    const near = [[x - 4, y - 4], [x + 4, y + 4]];
    return this.map.queryRenderedFeatures(near, { layers: SHOWN })[0]?.properties;
  }

  pick(found) {
    if (!found) return;
    this.select(found.id, false);
    const told = new CustomEvent("pannier:pick", { detail: found, bubbles: true, cancelable: true });
    if (!this.dispatchEvent(told) || !found.href) return;
    const twin = document.querySelector(`a[href="${CSS.escape(found.href)}"]`);
    twin ? twin.click() : (location.href = found.href);
  }

  select(id, move = true) {
    this.chosen = id;
    if (!this.map?.getLayer("pannier-ring")) return;
    const same = ["==", ["get", "id"], id ?? ""];
    this.map.setFilter("pannier-ringed", same);
    this.map.setFilter("pannier-ring", ["all", same, ["==", ["geometry-type"], "Point"]]);
    const at = this.features.find(({ properties }) => properties.id === id)?.geometry;
    if (move && at?.type === "Point" && !this.map.getBounds().contains(at.coordinates)) this.map.panTo(at.coordinates);
  }
}

customElements.define("x-map", XMap);
