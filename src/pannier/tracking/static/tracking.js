// The map comes with the driver: its script is fetched when there is somebody to show.
const section = document.getElementById("map");

async function look() {
  const { features } = JSON.parse(document.getElementById("geo").textContent);
  section.hidden = !features.length;
  if (features.length) await import("../map.js");
}

if (section) {
  document.addEventListener("htmx:after:swap", look);
  look();
}
