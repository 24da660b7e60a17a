// Orders: a card's menu, cards and blocks that are dragged, and rows that are chosen.
const $ = (selector, root = document) => root.querySelector(selector);
const dialog = $("#do");
let dragged;

function ask(card, driver, at) {
  const form = $("form", dialog);
  form.action = `/console/orders/${card.dataset.order}/do`;
  form.elements.version.value = card.dataset.version;
  form.elements.driver.value = driver ?? card.dataset.driver;
  form.elements.at.value = at ?? card.dataset.at;
  $("h2", dialog).textContent = card.dataset.number;
  $("[data-open]", dialog).href = `/console/orders/${card.dataset.order}`;
  dialog.showModal();
  form.elements.driver.focus();
}

document.addEventListener("click", ({ target }) => {
  const menu = target.closest("[data-menu]");
  if (menu) return ask(menu.closest("[data-order]"));
  const view = target.closest("[data-layout]");
  if (!view) return;
  const to = new URL(location);
  to.searchParams.set("layout", view.dataset.layout);
  to.searchParams.delete("cursor");
  view.href = to;
});

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.("[data-order][draggable=true]");
  if (dragged) event.dataTransfer.effectAllowed = "move";
});
const zone = (target) => dragged && target.closest?.("[data-verb], [data-slot]");
const over = (at) => {
  $(".over")?.classList.remove("over");
  at?.classList.add("over");
};
document.addEventListener("dragover", (event) => {
  const at = zone(event.target);
  over(at);
  if (at) event.preventDefault();
});
document.addEventListener("dragend", () => over((dragged = undefined)));
document.addEventListener("drop", (event) => {
  const at = zone(event.target);
  if (!at || at.contains(dragged)) return;
  event.preventDefault();
  const { driver, order, version } = dragged.dataset;
  const sent = { verb: "plan", version, at: at.dataset.slot, driver: at.closest("tr")?.dataset.driver ?? driver };
  if (at.dataset.stage) {
    if (!driver && ["assign", "dispatch"].includes(at.dataset.verb)) return ask(dragged);
    Object.assign(sent, { verb: at.dataset.verb, driver: "" });
  }
  // It is there at once; what the server then shows says whether it stays.
  (at.matches("ul") ? at : $("ul", at) ?? at.appendChild(document.createElement("ul"))).prepend(dragged);
  htmx.ajax("POST", `/console/orders/${order}/do`, { target: "#results", select: "#results", swap: "outerMorph", values: sent });
});

document.addEventListener("change", ({ target }) => {
  const form = target.closest("#bulk");
  if (!form || target.type !== "checkbox") return;
  const boxes = [...form.querySelectorAll("[name=order]")];
  if ("all" in target.dataset) boxes.forEach((box) => (box.checked = target.checked));
  $(".chosen", form).textContent = `${boxes.filter((box) => box.checked).length} chosen`;
});
