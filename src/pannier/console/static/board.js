// Orders: the menu of a card, cards and blocks that are dragged, rows that are chosen.
import { $, confirmed, on } from "./console.js";
const home = "/console/orders/";
let dragged;

function ask({ id, dataset: { number, version, moves, driver = "", driverName = "", at = "" } }) {
  const dialog = $("#do"), form = $("form", dialog), { elements } = form;
  form.action = `${home}${id}/do`;
  $("[data-open]", dialog).href = home + id;
  $("h2", dialog).textContent = number;
  for (const [name, value] of Object.entries({ version, driver: driverName, "driver~id": driver && `${driver} ${driverName}`, at })) elements[name].value = value;
  // Only what the order allows now is offered.
  for (const button of form.querySelectorAll("[name=verb]")) button.hidden = !moves.split(" ").includes(button.value);
  elements.at.closest(".field").hidden = !moves.includes("plan");
  dialog.showModal();
  elements.driver.focus();
}
on("click", ({ target }) => {
  const menu = target.closest("[data-menu]"), view = target.closest("[data-layout]");
  if (menu) ask(menu.closest("[id]"));
  if (!view) return;
  // The filters may have changed since the page was made.
  const to = new URL(location);
  to.searchParams.set("layout", view.dataset.layout);
  to.searchParams.delete("cursor");
  view.href = to;
});
on("mouseover", ({ target }) => target.dataset?.pin && document.dispatchEvent(new CustomEvent("pannier:select", { detail: target.dataset.pin })));

const zone = (event) => dragged && event.target.closest("[data-verb], .planner td, .waiting");
const mark = (at) => {
  $(".over")?.classList.remove("over");
  at?.classList.add("over");
};
on("dragstart", ({ target }) => {
  dragged = target.closest?.("[draggable=true]");
  dragged?.classList.add("dragging");
});
on("dragover", (event) => {
  mark(zone(event));
  if (zone(event)) event.preventDefault();
});
on("dragend", () => {
  mark();
  dragged?.classList.remove("dragging");
  dragged = null;
});
on("drop", async (event) => {
  const at = zone(event), card = dragged;
  if (!at || at.contains(card)) return;
  event.preventDefault();
  const { id, dataset: { version, driver = "", number } } = card, { verb = "plan", sure } = at.dataset;
  if (!driver && /^(assign|dispatch)/.test(verb)) return ask(card);
  if (sure && !(await confirmed(`${number}: ${sure}`, "Complete"))) return;
  const values = { verb, version, at: "", driver, sure: sure ? "yes" : "" };
  if (at.matches("td")) {
    values.driver = at.parentElement.dataset.driver;
    values.at = at.closest("table").rows[0].cells[at.cellIndex].dataset.slot;
  } else if (verb !== "plan") values.driver = "";
  // It is there at once; what the server shows then says whether it stays.
  (at.matches("ul") ? at : $("ul", at) ?? at.appendChild(document.createElement("ul"))).prepend(card);
  htmx.ajax("POST", `${home}${id}/do`, { target: "#results", select: "#results", swap: "outerMorph", values });
});
on("change", ({ target }) => {
  const form = target.closest("#bulk"), boxes = form ? [...form.querySelectorAll("[name=order]")] : [];
  if ("all" in target.dataset) for (const box of boxes) box.checked = target.checked;
  if (form) $(".chosen", form).textContent = `${boxes.filter((box) => box.checked).length} chosen`;
});
