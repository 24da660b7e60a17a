// Orders: the menu of a card, cards and blocks that are dragged, rows that are chosen.
const $ = (selector, root = document) => root.querySelector(selector);
const on = (name, act) => document.addEventListener(name, act);
const home = "/console/orders/";
let dragged;

function ask({ dataset: { order, number, version, driver, at } }) {
  const dialog = $("#do"), form = $("form", dialog), { elements } = form;
  form.action = `${home}${order}/do`;
  $("[data-open]", dialog).href = home + order;
  $("h2", dialog).textContent = number;
  for (const [name, value] of Object.entries({ version, driver, at })) elements[name].value = value;
  dialog.showModal();
  elements.driver.focus();
}
on("click", ({ target }) => {
  const menu = target.closest("[data-menu]"), view = target.closest("[data-layout]");
  if (menu) ask(menu.closest("[data-order]"));
  if (!view) return;
  // The filters may have changed since the page was made.
  const to = new URL(location);
  to.searchParams.set("layout", view.dataset.layout);
  to.searchParams.delete("cursor");
  view.href = to;
});
on("mouseover", ({ target }) => target.dataset?.pin && document.dispatchEvent(new CustomEvent("pannier:select", { detail: target.dataset.pin })));

const zone = (event) => dragged && event.target.closest("[data-verb], [data-slot]");
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
on("drop", (event) => {
  const at = zone(event);
  if (!at || at.contains(dragged)) return;
  event.preventDefault();
  const { order, version, driver } = dragged.dataset, { verb = "plan", slot } = at.dataset;
  if (!driver && /^(assign|dispatch)/.test(verb)) return ask(dragged);
  const values = { verb, version, at: slot ?? "", driver: at.closest("tr")?.dataset.driver ?? (slot == null ? "" : driver) };
  // It is there at once; what the server shows then says whether it stays.
  (at.matches("ul") ? at : $("ul", at) ?? at.appendChild(document.createElement("ul"))).prepend(dragged);
  htmx.ajax("POST", `${home}${order}/do`, { target: "#results", select: "#results", swap: "outerMorph", values });
});
on("change", ({ target }) => {
  const form = target.closest("#bulk"), boxes = form ? [...form.querySelectorAll("[name=order]")] : [];
  if ("all" in target.dataset) for (const box of boxes) box.checked = target.checked;
  if (form) $(".chosen", form).textContent = `${boxes.filter((box) => box.checked).length} chosen`;
});
