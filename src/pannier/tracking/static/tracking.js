// Load the map's script only once there is a driver to show.
/** @type {(section: HTMLElement) => Promise<void>} */
async function updateMap(section) {
  const { features } = JSON.parse(document.getElementById("geo")?.textContent || "{}");
  section.hidden = !features?.length;
  if (features?.length) await import("../map.js");
}

const section = document.getElementById("map");
if (section) {
  document.addEventListener("htmx:after:swap", () => updateMap(section));
  updateMap(section);
}
