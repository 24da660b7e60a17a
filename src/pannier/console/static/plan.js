// A plan's page: drag an order to another driver, and see what changes before it is saved.
import { $, emit, on } from "./console.js";

const state = $("#plan").dataset.state, MIN_PIXELS = 5;
/** @type {{ link: Element; x: number; y: number; moved?: boolean } | null} */
let dragged = null;
/** @type {Element | null | undefined} */
let dropped;

// Load the page again when the plan is ready, with the map.
on("htmx:after:swap", () => $("#plan").dataset.state !== state && location.reload());

/** @type {(address: string) => Promise<void>} */
async function openMove(address) {
  await htmx.ajax("GET", address, { target: "#preview", select: "#preview", swap: "outerHTML" });
  /** @type {HTMLDialogElement} */ ($("#move")).showModal();
}
/** @type {(event: PointerEvent) => HTMLElement | null | undefined} */
const findDriver = ({ clientX, clientY }) => document.elementFromPoint(clientX, clientY)?.closest("[data-driver]");
/** @type {(driver?: Element | null) => void} */
const highlight = (driver) => {
  $(".over")?.classList.remove("over");
  driver?.classList.add("over");
};

// A finger scrolls the page instead; the list of stops has the same moves.
on("pointerdown", ({ target, button, pointerType, x, y }) => {
  const link = target.closest("[data-order]");
  dropped = null;
  if (link && !button && pointerType !== "touch") dragged = { link, x, y };
});
on("pointermove", (event) => {
  if (!dragged) return;
  dragged.moved ||= Math.hypot(event.x - dragged.x, event.y - dragged.y) > MIN_PIXELS;
  if (dragged.moved) highlight(findDriver(event));
});
on("pointerup", (event) => {
  const { link, moved } = dragged ?? {};
  dragged = null;
  highlight();
  if (!link || !moved) return;
  dropped = link;
  const { driver } = findDriver(event)?.dataset ?? {};
  if (driver) openMove(`${location.pathname}/move?order=${link.getAttribute("data-order")}&driver=${driver}`);
});
// The browser would drag the link.
on("dragstart", (event) => event.target.closest?.("[data-order]") && event.preventDefault());

on("click", (event) => {
  if (dropped && event.target.closest("[data-order]") === dropped) return event.preventDefault();
  const link = /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[data-move], dialog a[data-closes]"));
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if ("move" in link.dataset) openMove(link.href);
});
on("mouseover", ({ target }) => {
  const pin = target.closest("[data-pin]")?.getAttribute("data-pin");
  if (pin) emit("pannier:select", pin);
});
