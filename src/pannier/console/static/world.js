// The world map: countries and cities, loaded once for all maps and themes.
import { feature } from "topojson-client";
import { toCollection, toFeature } from "./features.js";
/** @typedef {import("maplibre-gl").FeatureCollection} FeatureCollection */
/** @typedef {import("maplibre-gl").Geometry["coordinates"]} Coordinates */
/** @typedef {[number, number]} Position */

/** @type {Record<string, Promise<FeatureCollection>>} */
const loaded = {};
/** @type {(address: string) => Promise<any>} the JSON at an address, whose shape the caller knows */
export const fetchJson = async (address) => (await fetch(address)).json();

// From this zoom on, countries have their fine outlines, which weigh four times as much.
export const FINE_ZOOM = 5;

/** @type {(address: string) => Promise<FeatureCollection>} */
export function loadCountries(address) {
  loaded[address] ??= fetchJson(address).then((topology) => {
    const countries = feature(topology, "countries");
    for (const { geometry } of countries.features) unwrap(geometry.coordinates);
    return countries;
  });
  loaded[address].catch(() => delete loaded[address]);
  return loaded[address];
}

/** @type {(address: string) => Promise<FeatureCollection>} */
export function loadCities(address) {
  loaded[address] ??= fetchJson(address).then((/** @type {[string, number, number, number][]} */ rows) =>
    toCollection(rows.map(([name, x, y, size]) => toFeature({ type: "Point", coordinates: [x, y] }, { name, size }))));
  return loaded[address];
}

// Outlines are not cut at the 180th meridian: a ring that crosses it goes on beyond ±180°, or else
// it would be drawn around the whole world. A ring around a pole is closed along that pole.
/** @type {(part: Coordinates) => void} */
export function unwrap(part) {
  if (!Array.isArray(part[0]) || !Array.isArray(part[0][0])) {
    const ring = /** @type {Position[]} */ (part);
    let shift = 0;
    for (let i = 1, before = ring[0]?.[0] ?? 0; i < ring.length; i++) {
      const position = /** @type {Position} */ (ring[i]), [longitude] = position;
      if (longitude - before > 180) shift -= 360;
      if (before - longitude > 180) shift += 360;
      before = longitude;
      position[0] = longitude + shift;
    }
    const [first, last] = [ring[0], ring[ring.length - 1]];
    if (shift && first && last) {
      const pole = first[1] < 0 ? -90 : 90;
      ring.push([last[0], pole], [first[0], pole], [...first]);
    }
    return;
  }
  for (const one of part) unwrap(/** @type {Coordinates} */ (one));
}
