// Search and copy buttons. The pages work without them.
const box = /** @type {HTMLInputElement} */ (document.querySelector("#search"));
const form = /** @type {HTMLElement} */ (box.parentElement);
const list = /** @type {HTMLElement} */ (document.querySelector("#found"));
/** @typedef {[string, string, string, string]} Section */
/** @type {Promise<Section[]> | null} */
let index = null;

form.hidden = false;

/** @type {() => Promise<Section[]>} */
async function load() {
  index ??= fetch("/docs/search.json").then((answer) => answer.json());
  index.catch(() => { index = null; });
  return index;
}

/** @type {(entry: Section, words: string[]) => number} */
function score(entry, words) {
  const [page, title, , body] = entry.map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const found = title.startsWith(word) ? 12 : title.includes(word) ? 8
      : page.includes(word) ? 3 : body.includes(word) ? 1 : 0;
    if (!found) return 0;
    sum += found;
  }
  return sum;
}

/** @type {(body: string, word: string) => string} */
function excerpt(body, word) {
  const at = body.toLowerCase().indexOf(word);
  return at < 0 ? body.slice(0, 90) : body.slice(Math.max(0, at - 40), at + 70);
}

async function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = words.length ? await load() : [];
  const found = entries
    .map((entry) => ({ points: score(entry, words), entry }))
    .filter(({ points }) => points)
    .sort((one, other) => other.points - one.points)
    .slice(0, 12);
  list.replaceChildren(...found.map(({ entry }) => row(entry, words[0])));
  if (words.length && !found.length) list.append("No results.");
  list.hidden = !words.length;
}

/** @type {(entry: Section, word: string) => HTMLElement} */
function row([page, title, address, body], word) {
  const link = document.createElement("a");
  link.href = address;
  for (const [tag, text] of [["b", title], ["small", page], ["span", excerpt(body, word)]]) {
    const part = document.createElement(tag);
    part.textContent = text;
    link.append(part);
  }
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** @type {(event: KeyboardEvent) => void} */
function move(event) {
  /** @type {HTMLElement[]} */
  const links = [box, ...list.querySelectorAll("a")];
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (event.key === "Escape") list.hidden = true;
  if (event.key === "Enter" && at === 0 && links[1]) links[1].click();
  if (step && at >= 0) {
    event.preventDefault();
    links[(at + step + links.length) % links.length].focus();
  }
}

box.addEventListener("input", search);
box.addEventListener("focus", search);
form.addEventListener("keydown", move);
document.addEventListener("click", (event) => {
  if (!form.contains(/** @type {Node} */ (event.target))) list.hidden = true;
});
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    box.focus();
  }
});

// Browsers allow clipboard access only on localhost and over HTTPS.
for (const block of navigator.clipboard ? document.querySelectorAll("pre") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  const frame = document.createElement("div");
  frame.className = "copy";
  block.replaceWith(frame);
  frame.append(block, button);
}
