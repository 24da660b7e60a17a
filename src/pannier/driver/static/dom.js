// Elements without a framework: h("button", { class: "big", onclick }, "Text").
export function h(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && name !== "list" && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}
export const mount = (...shown) => document.getElementById("app").replaceChildren(...shown.flat().filter(Boolean));

// Light or dark by the driver's choice, or as the phone has it.
export const dress = (theme) => (theme ? (document.documentElement.dataset.theme = theme) : delete document.documentElement.dataset.theme);

// Open dialogs, the topmost last. Each has an entry in the browser's history, so that Back, also the phone's own,
// closes the topmost one and not the screen under it.
const sheets = [], level = () => history.state?.sheet ?? 0;
let settled = Promise.resolve();
// Bring the history to as many entries as there are dialogs.
const settle = () => (settled = settled.then(() => new Promise((done) => {
  while (level() < sheets.length) history.pushState({ sheet: level() + 1 }, "");
  if (level() === sheets.length) return done();
  addEventListener("popstate", done, { once: true });
  setTimeout(done, 500);
  history.go(sheets.length - level());
})));
if (level()) history.replaceState(null, "");
addEventListener("popstate", () => {
  if (level() >= sheets.length) return;
  const top = sheets[sheets.length - 1];
  if (top.dispatchEvent(new Event("cancel", { cancelable: true }))) top.close();
  settle();
});

// A dialog over the whole screen; resolves to what `close` is called with.
export function ask(draw) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "sheet" });
    let answer = null;
    const close = (value = null) => {
      answer = value;
      dialog.close();
    };
    dialog.addEventListener("close", () => {
      dialog.remove();
      sheets.splice(sheets.indexOf(dialog), 1);
      settle().then(() => resolve(answer));
    });
    dialog.append(...[draw(close, dialog)].flat());
    document.body.append(dialog);
    dialog.showModal();
    sheets.push(dialog);
    settle();
  });
}
