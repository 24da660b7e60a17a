// A pin on a small map. It is moved by dragging, or with the arrow keys.
import { Marker } from "maplibre-gl";
import "./map.js";

const ZOOM = 16;
/** @typedef {{ place(position: number[], movable: boolean): void }} Pin */

/** @type {(element: HTMLElement & { map?: import("maplibre-gl").Map | null }, report: (position: number[]) => void) => Pin} */
export function createPin(element, report) {
  let map = element.map;
  /** @type {number[]} */
  let current = [0, 0];
  const marker = new Marker({ draggable: true, color: "#2457e6", className: "pin" });
  marker.getElement().setAttribute("aria-label", "Pin");
  marker.on("dragend", () => {
    const { lng, lat } = marker.getLngLat().wrap();
    report([lng, lat]);
  });
  const show = () => {
    if (!map) return;
    marker.setLngLat(current).addTo(map);
    map.jumpTo({ center: current, zoom: Math.max(map.getZoom(), ZOOM) });
  };
  element.addEventListener("pannier:map", () => {
    map = element.map;
    show();
  });
  return {
    place(position, movable) {
      current = position;
      marker.setDraggable(movable);
      show();
    },
  };
}
