// <x-map> draws features and reports clicks; see maps.py. With data-draw it uses draw.js.
import { AttributionControl, LngLatBounds, Map as Canvas, NavigationControl, ScaleControl, setWorkerUrl } from "maplibre-gl";
import { create, toCollection } from "./features.js";
import { FINE_ZOOM, fetchJson, loadCities, loadCountries } from "./world.js";

const STYLE = new URL("vendor/maplibre/maplibre-gl.css", import.meta.url).href;
const PICKABLE = ["pannier-points", "pannier-lines", "pannier-areas"];
const dark = matchMedia("(prefers-color-scheme: dark)");
/** @typedef {import("./features.js").Feature} Feature */
/** @typedef {{ sources?: { streets?: { bounds?: number[] } } }} Style */
/** @typedef {{ style: Style; layers: Record<string, unknown>[]; atlas: string; fine_atlas: string; cities: string }} Ground */
/** @type {() => string} */
const currentTheme = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");

function drawArrow() {
  const pen = /** @type {CanvasRenderingContext2D} */ (create("canvas", { width: 32, height: 32 }).getContext("2d"));
  pen.fillStyle = "#fff";
  pen.fill(new Path2D("M16 6 24 25 16 20.5 8 25Z"));
  return pen.getImageData(0, 0, 32, 32);
}

class XMap extends HTMLElement {
  /** @type {Feature[]} */
  features = [];
  shownAt = 0;
  /** @type {number | null} */
  timer = null;

  async connectedCallback() {
    if (this.listeners) return;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    if (!create("canvas").getContext("webgl2")) return this.refuse("This browser cannot show maps because it lacks WebGL 2.");
    if (!document.querySelector(`link[href="${STYLE}"]`)) document.head.append(create("link", { rel: "stylesheet", href: STYLE }));
    const [ground] = await Promise.all([this.loadGround().catch(() => null), document.fonts.load("11px 'Inter Variable'")]);
    if (!this.isConnected) return;
    if (!ground) {
      this.refuse("The map cannot be loaded. Check the connection.");
      return this.dispatchEvent(new Event("pannier:nomap", { bubbles: true }));
    }
    // The driver app's service worker only serves workers below its own path.
    if (this.dataset.worker) setWorkerUrl(this.dataset.worker);
    // Without features, a map shows the whole city, or else the world.
    const { bounds } = (!this.readFeatures().length && ground.style.sources?.streets) || {};
    const map = new Canvas({
      container: this.appendChild(create("div", { className: "canvas" })),
      style: ground.style, ...(bounds ? { bounds } : { center: [10, 30], zoom: 1 }), maxZoom: 19, fadeDuration: 0,
      attributionControl: false, dragRotate: false, pitchWithRotate: false,
      // A small map in a form must not catch the page's scrolling.
      cooperativeGestures: "pin" in this.dataset,
      transformRequest: (/** @type {string} */ url) => ({ url: new URL(url, location.href).href }),
    });
    this.map = map;
    // The canvas has the focus, so it gets the label.
    map.getCanvas().ariaLabel = this.ariaLabel ?? "Map";
    this.removeAttribute("aria-label");
    map.addControl(new AttributionControl({ compact: false }), "bottom-right");
    map.addControl(new NavigationControl({ showCompass: false }), "bottom-right");
    map.addControl(new ScaleControl(), "bottom-left");
    map.on("style.load", () => this.addOverlay());
    map.on("sourcedata", ({ sourceId }) => {
      if (sourceId === "pannier-features") this.dataset.ready = "yes";
    });
    map.on("click", ({ point }) => this.pick(this.findFeature(point)));
    map.on("mousemove", ({ point }) => { map.getCanvas().style.cursor = this.findFeature(point) ? "pointer" : ""; });
    /** @type {<K extends keyof DocumentEventMap>(name: K, act: (event: DocumentEventMap[K]) => void) => void} */
    const on = (name, act) => document.addEventListener(name, act, { signal });
    on("htmx:after:swap", () => this.redraw());
    on("pannier:geo", () => this.redraw());
    on("pannier:select", ({ detail }) => this.select(typeof detail === "object" ? detail?.id : detail));
    on("pannier:theme", () => this.retheme());
    dark.addEventListener("change", () => this.retheme(), { signal });
    this.dispatchEvent(new Event("pannier:map"));
    const { draw } = this.dataset;
    if (draw) this.sketch = (await import("./draw.js")).draw(this, map, draw);
  }

  disconnectedCallback() {
    // Keep the map if the element was only moved.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.listeners?.abort();
      this.map?.remove();
      this.listeners = this.map = null;
      this.replaceChildren();
    });
  }

  /** @type {(reason: string) => void} */
  refuse(reason) {
    this.dataset.ready = "no";
    this.append(create("p", { className: "empty", textContent: reason }));
  }

  /** @type {() => Promise<Ground>} */
  async loadGround() {
    this.theme = currentTheme();
    const ground = await fetchJson(`${this.dataset.ground ?? "/console/basemap"}/${this.theme}`);
    this.ground = ground;
    return ground;
  }

  async retheme() {
    if (this.theme === currentTheme()) return;
    const { style } = await this.loadGround();
    this.map?.setStyle(style, { diff: false });
  }

  // Add our sources and layers to a newly loaded style.
  addOverlay() {
    const { map, ground } = this;
    if (!map || !ground) return;
    loadCities(ground.cities).then((cities) => map.getSource("pannier-cities")?.setData(cities));
    this.drawCountries();
    if (!map.hasImage("arrow")) map.addImage("arrow", drawArrow());
    for (const name of ["pannier-features", "pannier-draft"]) map.addSource(name, { type: "geojson", data: toCollection([]) });
    for (const layer of ground.layers) map.addLayer(layer);
    this.show();
    this.select(this.chosen ?? this.dataset.chosen, false);
    this.sketch?.();
  }

  // Draw countries coarsely first, and finely once somebody looks closely.
  /** @returns {void} */
  drawCountries() {
    const { map, ground } = this;
    if (!map?.getSource("pannier-countries") || !ground) return;
    const fine = this.needsFineOutlines(map);
    const coarse = () => loadCountries(ground.atlas);
    (fine ? loadCountries(ground.fine_atlas).catch(coarse) : coarse()).then((countries) =>
      map.getSource("pannier-countries")?.setData(countries), console.warn);
    if (!fine) this.waitForMove(map);
  }

  /** @type {(map: Canvas) => void} */
  waitForMove(map) {
    map.once("moveend", () => (this.needsFineOutlines(map) ? this.drawCountries() : this.waitForMove(map)));
  }

  // Where there are streets, they show land and sea better.
  /** @type {(map: Canvas) => boolean} */
  needsFineOutlines(map) {
    const { lng, lat } = map.getCenter(), [west, south, east, north] = this.ground?.style.sources?.streets?.bounds ?? [];
    return map.getZoom() >= FINE_ZOOM && !(lng >= west && lng <= east && lat >= south && lat <= north);
  }

  // Draw changes at most once a second.
  redraw() {
    const wait = Math.max(0, this.shownAt + 1000 - performance.now());
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.show();
    }, wait);
  }

  /** @type {() => Feature[]} */
  readFeatures() {
    return JSON.parse(document.getElementById(this.dataset.from ?? "")?.textContent || "{}").features ?? [];
  }

  show() {
    const { map } = this, source = map?.getSource("pannier-features");
    if (!map || !source) return;
    this.shownAt = performance.now();
    this.features = this.readFeatures();
    source.setData(toCollection(this.features));
    this.fit(this.features.map(({ geometry }) => geometry.coordinates));
    const [followed] = this.features.filter(({ properties }) => properties.followed);
    if (!followed) return;
    this.select(followed.properties.id);
    map.panTo(/** @type {number[]} */ (followed.geometry.coordinates));
  }

  // Fit all features into view once. From then on the user controls the view.
  /** @type {(coordinates: Feature["geometry"]["coordinates"][]) => void} */
  fit(coordinates) {
    if (this.fitted || !coordinates.length) return;
    this.fitted = true;
    const bounds = new LngLatBounds();
    /** @typedef {number | Nested[]} Nested */
    /** @type {(part: Nested[]) => void} */
    const walk = (part) => {
      if (typeof part[0] === "number") bounds.extend(/** @type {number[]} */ (part));
      else for (const one of part) walk(/** @type {Nested[]} */ (one));
    };
    walk(coordinates);
    this.map?.fitBounds(bounds, { padding: 48, maxZoom: 14, animate: false });
  }

  /** @type {(point: { x: number; y: number }) => Picked | null | undefined} */
  findFeature({ x, y }) {
    if (this.dataset.draw || !this.map?.getLayer("pannier-points")) return null;
    const [found] = this.map.queryRenderedFeatures([[x - 4, y - 4], [x + 4, y + 4]], { layers: PICKABLE });
    return /** @type {Picked | undefined} */ (found?.properties);
  }

  /** @type {(found?: Picked | null) => void} */
  pick(found) {
    if (!found) return;
    this.select(found.id, false);
    const event = new CustomEvent("pannier:pick", { detail: found, bubbles: true, cancelable: true });
    if (!this.dispatchEvent(event) || !found.href) return;
    /** @type {HTMLAnchorElement | null} */
    const twin = document.querySelector(`a[href="${CSS.escape(found.href)}"]`);
    if (twin) twin.click();
    else location.href = found.href;
  }

  /** @type {(id?: string, move?: boolean) => void} */
  select(id, move = true) {
    this.chosen = id;
    const { map } = this;
    if (!map?.getLayer("pannier-ring")) return;
    const same = ["==", ["get", "id"], id ?? ""];
    map.setFilter("pannier-ringed", same);
    map.setFilter("pannier-ring", ["all", same, ["==", ["geometry-type"], "Point"]]);
    const at = this.features.find(({ properties }) => properties.id === id)?.geometry;
    if (!move || at?.type !== "Point") return;
    const position = /** @type {number[]} */ (at.coordinates);
    if (!map.getBounds().contains(position)) map.panTo(position);
  }
}

customElements.define("x-map", XMap);
