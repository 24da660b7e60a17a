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
      resolve(answer);
    });
    dialog.append(...[draw(close, dialog)].flat());
    document.body.append(dialog);
    dialog.showModal();
  });
}
