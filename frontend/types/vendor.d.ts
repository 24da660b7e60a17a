// The parts that we use of libraries without types, or whose types need other packages.

declare module "maplibre-gl" {
  type Position = number[];
  interface Geometry {
    type: string;
    coordinates: Position | Position[] | Position[][];
  }
  interface Feature {
    type: "Feature";
    properties: Record<string, any>; // each layer's features have their own
    geometry: Geometry;
  }
  interface FeatureCollection {
    type: "FeatureCollection";
    features: Feature[];
  }
  interface Point {
    x: number;
    y: number;
  }
  interface LngLat {
    lng: number;
    lat: number;
    wrap(): LngLat;
  }
  interface MapEvent {
    point: Point;
    lngLat: LngLat;
    features: Feature[];
    sourceId?: string;
    preventDefault(): void;
  }
  type Listener = (event: MapEvent) => unknown;
  type Layer = Record<string, unknown>;
  class LngLatBounds {
    extend(position: Position): LngLatBounds;
    contains(position: Position): boolean;
  }
  class AttributionControl {
    constructor(options: { compact: boolean });
  }
  class NavigationControl {
    constructor(options: { showCompass: boolean });
  }
  class ScaleControl {}
  class Marker {
    constructor(options: { draggable: boolean; color: string; className: string });
    getElement(): HTMLElement;
    getLngLat(): LngLat;
    setLngLat(position: Position): Marker;
    setDraggable(draggable: boolean): Marker;
    addTo(map: Map): Marker;
    on(name: string, listener: () => unknown): void;
  }
  function setWorkerUrl(url: string): void;
  class Map {
    constructor(options: Record<string, unknown>);
    addControl(control: object, corner: string): void;
    addImage(name: string, image: ImageData): void;
    hasImage(name: string): boolean;
    addLayer(layer: Layer): void;
    getLayer(name: string): Layer | undefined;
    addSource(name: string, source: { type: "geojson"; data: FeatureCollection }): void;
    getSource(name: string): { setData(data: FeatureCollection): void } | undefined;
    setFilter(layer: string, filter: unknown[]): void;
    setStyle(style: unknown, options: { diff: boolean }): void;
    getBounds(): LngLatBounds;
    fitBounds(bounds: LngLatBounds, options: Record<string, unknown>): void;
    getZoom(): number;
    getCenter(): LngLat;
    panTo(position: Position): void;
    jumpTo(view: { center: Position; zoom: number }): void;
    getCanvas(): HTMLCanvasElement;
    queryRenderedFeatures(at: Point | [Position, Position], options: { layers: string[] }): Feature[];
    on(name: string, listener: Listener): void;
    on(name: string, layer: string, listener: Listener): void;
    once(name: string, listener: Listener): void;
    off(name: string, listener: Listener): void;
    remove(): void;
  }
}

declare module "topojson-client" {
  function feature(topology: unknown, name: string): import("maplibre-gl").FeatureCollection;
}

declare module "*/vendor/signature_pad.min.js" {
  export default class SignaturePad extends EventTarget {
    constructor(canvas: HTMLCanvasElement, options: Record<string, unknown>);
    clear(): void;
    isEmpty(): boolean;
    toData(): Stroke[];
    fromData(strokes: Stroke[]): void;
  }
}

// The console's map, served beside the app.
declare module "*/map.js" {}
