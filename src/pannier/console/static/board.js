// The orders page: card menus, drag and drop, and bulk selection.
import { $, confirmAction, emit, on } from "./console.js";
const home = "/console/orders/";
/** @type {HTMLElement | null | undefined} */
let dragged;

/** @typedef {HTMLFormElement & { elements: Record<string, HTMLInputElement> }} Form */
/** @type {(card: HTMLElement) => void} */
function openMenu({ id, dataset: { number = "", version = "", moves = "", driver = "", driverName = "", at = "" } }) {
  const dialog = /** @type {HTMLDialogElement} */ ($("#do")), form = /** @type {Form} */ ($("form", dialog)), { elements } = form;
  form.action = `${home}${id}/do`;
  /** @type {HTMLAnchorElement} */ ($("[data-open]", dialog)).href = home + id;
  $("h2", dialog).textContent = number;
  for (const [name, value] of Object.entries({ version, driver: driverName, "driver~id": driver && `${driver} ${driverName}`, at })) elements[name].value = value;
  // Offer only the actions that the order allows now.
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (form.querySelectorAll("[name=verb]"))) button.hidden = !moves.split(" ").includes(button.value);
  /** @type {HTMLElement} */ (elements.at.closest(".field")).hidden = !moves.includes("plan");
  dialog.showModal();
  elements.driver.focus();
}
on("click", ({ target }) => {
  const menu = target.closest("[data-menu]"), view = /** @type {HTMLAnchorElement | null} */ (target.closest("[data-layout]"));
  if (menu) openMenu(/** @type {HTMLElement} */ (menu.closest("[id]")));
  if (!view) return;
  // The filters may have changed since the page was rendered.
  const to = new URL(`${location}`);
  to.searchParams.set("layout", /** @type {string} */ (view.dataset.layout));
  to.searchParams.delete("cursor");
  view.href = `${to}`;
});
// Early hours of today are of no use in the evening.
$(".planner td.now")?.scrollIntoView({ block: "nearest", inline: "center" });
on("mouseover", ({ target }) => target.dataset?.pin && emit("pannier:select", target.dataset.pin));

/** @type {(event: { target: Element }) => HTMLElement | null | undefined} */
const findZone = (event) => dragged && event.target.closest("[data-verb], .planner td, .waiting");
/** @type {(at?: Element | null) => void} */
const highlight = (at) => {
  $(".over")?.classList.remove("over");
  at?.classList.add("over");
};
on("dragstart", ({ target }) => {
  dragged = target.closest?.("[draggable=true]");
  dragged?.classList.add("dragging");
});
on("dragover", (event) => {
  highlight(findZone(event));
  if (findZone(event)) event.preventDefault();
});
on("dragend", () => {
  highlight();
  dragged?.classList.remove("dragging");
  dragged = null;
});
on("drop", async (event) => {
  const at = findZone(event), card = dragged;
  if (!at || !card || at.contains(card)) return;
  event.preventDefault();
  const { id, dataset: { version, driver = "", number } } = card, { verb = "plan", sure } = at.dataset;
  if (!driver && /^(assign|dispatch)/.test(verb)) return openMenu(card);
  if (sure && !(await confirmAction(`${number}: ${sure}`, "Complete"))) return;
  /** @type {Record<string, string | undefined>} */
  const values = { verb, version, at: "", driver, sure: sure ? "yes" : "" };
  if (at.matches("td")) {
    values.driver = at.parentElement?.dataset.driver;
    values.at = at.closest("table")?.rows[0].cells[/** @type {HTMLTableCellElement} */ (at).cellIndex].dataset.slot;
  } else if (verb !== "plan") values.driver = "";
  // Move the card at once. The response decides whether it stays there.
  (at.matches("ul") ? at : $("ul", at) ?? at.appendChild(document.createElement("ul"))).prepend(card);
  htmx.ajax("POST", `${home}${id}/do`, { target: "#results", select: "#results", selectOOB: "#toasts:outerHTML", swap: "outerMorph", values });
});
on("change", ({ target }) => {
  const form = target.closest("#bulk"), boxes = form ? [.../** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[name=order]"))] : [];
  if ("all" in target.dataset) for (const box of boxes) box.checked = target.checked;
  if (form) $(".chosen", form).textContent = `${boxes.filter((box) => box.checked).length} selected`;
});
