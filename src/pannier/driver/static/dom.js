// Elements without a framework: h("button", { class: "big", onclick }, "Text").
/** @type {<K extends keyof HTMLElementTagNameMap>(tag: K, given?: Attributes, ...children: Child[]) => HTMLElementTagNameMap[K]} */
export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name in element && name !== "list" && typeof value !== "string") Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...toNodes(children));
  return element;
}
// A canvas has a 2D context unless it has one of another kind.
/** @type {(canvas: HTMLCanvasElement, given?: CanvasRenderingContext2DSettings) => CanvasRenderingContext2D} */
export const get2dContext = (canvas, given) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", given));
// Skip null, undefined and false, so that conditions can be written inline.
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

// Without a theme, the phone's setting applies.
/** @type {(theme: string | null) => void} */
export function applyTheme(theme) {
  const { dataset } = document.documentElement;
  if (theme) dataset.theme = theme;
  else delete dataset.theme;
}

// Open dialogs, the topmost last. Each has a browser history entry, so that Back closes the topmost dialog
// and not the screen below it.
/** @type {HTMLDialogElement[]} */
const dialogs = [];
/** @type {() => number} */
const historyDepth = () => history.state?.sheet ?? 0;
/** @type {Promise<unknown>} */
let syncing = Promise.resolve();
// Add or remove history entries until there is one per dialog.
const syncHistory = () => (syncing = syncing.then(() => new Promise((done) => {
  while (historyDepth() < dialogs.length) history.pushState({ sheet: historyDepth() + 1 }, "");
  if (historyDepth() === dialogs.length) return done(null);
  addEventListener("popstate", done, { once: true });
  setTimeout(done, 5000, null); // Only if no event ever comes.
  history.go(dialogs.length - historyDepth());
})));
if (historyDepth()) history.replaceState(null, "");
let dialogUrl = "";
addEventListener("popstate", () => {
  if (historyDepth() >= dialogs.length) return;
  const top = dialogs[dialogs.length - 1];
  if (top.dispatchEvent(new Event("cancel", { cancelable: true }))) top.close();
  // After two quick steps back, restore the screen that is still covered by a dialog.
  if (dialogs.some(({ open }) => open) && /^(#\/|$)/.test(location.hash) && location.href !== dialogUrl) history.pushState(null, "", dialogUrl);
  syncHistory();
});
// Closing a dialog goes back in the history asynchronously, which would undo a link followed meanwhile. Delay the link.
addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (event.defaultPrevented || historyDepth() === dialogs.length || !link?.hash || link.pathname !== location.pathname) return;
  event.preventDefault();
  syncHistory().then(() => { if (!dialogs.length) location.hash = link.hash; });
});

// Open a full-screen dialog. Resolves to the value passed to `close`.
/** @type {<T>(draw: (close: Close<T>, dialog: HTMLDialogElement) => Child) => Promise<T | null>} */
export function openDialog(draw) {
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
      dialogs.splice(dialogs.indexOf(dialog), 1);
      syncHistory().then(() => resolve(answer));
    });
    dialog.append(...toNodes(draw(close, dialog)));
    document.body.append(dialog);
    dialog.showModal();
    if (!dialogs.length) dialogUrl = location.href;
    dialogs.push(dialog);
    syncHistory();
  });
}
