// Elements without a framework: h("button", { class: "big", onclick }, "Text").
/** @type {<K extends keyof HTMLElementTagNameMap>(tag: K, given?: Attributes, ...children: Child[]) => HTMLElementTagNameMap[K]} */
export function h(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name in made && name !== "list" && typeof value !== "string") Object.assign(made, { [name]: value });
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...toNodes(children));
  return made;
}
// The 2D context of a canvas: there is one unless the canvas has a context of another kind.
/** @type {(canvas: HTMLCanvasElement, given?: CanvasRenderingContext2DSettings) => CanvasRenderingContext2D} */
export const penOf = (canvas, given) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", given));
// Conditions that do not hold (null, undefined, false) show nothing.
/** @type {(children: Child) => (Node | string)[]} */
const toNodes = (children) => /** @type {(Node | string)[]} */ (/** @type {unknown[]} */ ([children]).flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
/** @type {(name: string) => SVGSVGElement} */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}
/** @type {(...children: Child[]) => void} */
export const mount = (...children) => document.getElementById("app")?.replaceChildren(...toNodes(children));

// Light or dark by the driver's choice, or as the phone has it.
/** @type {(theme: string | null) => void} */
export function dress(theme) {
  const { dataset } = document.documentElement;
  if (theme) dataset.theme = theme;
  else delete dataset.theme;
}

// Open dialogs, the topmost last. Each has an entry in the browser's history, so that Back, also the phone's own,
// closes the topmost one and not the screen under it.
/** @type {HTMLDialogElement[]} */
const sheets = [];
/** @type {() => number} */
const level = () => history.state?.sheet ?? 0;
/** @type {Promise<unknown>} */
let settled = Promise.resolve();
// Bring the history to as many entries as there are dialogs.
const settle = () => (settled = settled.then(() => new Promise((done) => {
  while (level() < sheets.length) history.pushState({ sheet: level() + 1 }, "");
  if (level() === sheets.length) return done(null);
  addEventListener("popstate", done, { once: true });
  setTimeout(done, 5000, null); // Only if no event ever comes.
  history.go(sheets.length - level());
})));
if (level()) history.replaceState(null, "");
let home = "";
addEventListener("popstate", () => {
  if (level() >= sheets.length) return;
  const top = sheets[sheets.length - 1];
  if (top.dispatchEvent(new Event("cancel", { cancelable: true }))) top.close();
  // Two steps back at once reach the screen before; the one under an open dialog takes its place again.
  if (sheets.some(({ open }) => open) && /^(#\/|$)/.test(location.hash) && location.href !== home) history.pushState(null, "", home);
  settle();
});
// The step back for a closed dialog takes a moment, and would undo a link that is followed meanwhile: that one waits.
addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (event.defaultPrevented || level() === sheets.length || !link?.hash || link.pathname !== location.pathname) return;
  event.preventDefault();
  settle().then(() => { if (!sheets.length) location.hash = link.hash; });
});

// A dialog over the whole screen; resolves to what `close` is called with.
/** @type {<T>(draw: (close: Close<T>, dialog: HTMLDialogElement) => Child) => Promise<T | null>} */
export function ask(draw) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "sheet" });
    /** @type {Parameters<typeof resolve>[0]} */
    let answer = null;
    /** @type {Parameters<typeof draw>[0]} */
    const close = (value = null) => {
      answer = value;
      dialog.close();
    };
    dialog.addEventListener("close", () => {
      dialog.remove();
      sheets.splice(sheets.indexOf(dialog), 1);
      settle().then(() => resolve(answer));
    });
    dialog.append(...toNodes(draw(close, dialog)));
    document.body.append(dialog);
    dialog.showModal();
    if (!sheets.length) home = location.href;
    sheets.push(dialog);
    settle();
  });
}
