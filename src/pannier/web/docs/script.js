// Search and copy buttons. The pages work without them.
const box = /** @type {HTMLInputElement} */ (document.querySelector("#search"));
const form = /** @type {HTMLElement} */ (box.parentElement);
const list = /** @type {HTMLElement} */ (document.querySelector("#found"));
/** @typedef {[string, string, string, string]} Section */
/** @type {Promise<Section[]> | null} */
let index = null;

form.hidden = false;

/** @type {() => Promise<Section[]>} */
async function loadIndex() {
  index ??= fetch("/docs/search.json").then((response) => response.json());
  index.catch(() => { index = null; });
  return index;
}

/** @type {(entry: Section, words: string[]) => number} */
function computeScore(entry, words) {
  const [page, title, , body] = entry.map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const points = title.startsWith(word) ? 12 : title.includes(word) ? 8
      : page.includes(word) ? 3 : body.includes(word) ? 1 : 0;
    if (!points) return 0;
    sum += points;
  }
  return sum;
}

/** @type {(body: string, word: string) => string} */
function extractExcerpt(body, word) {
  const start = body.toLowerCase().indexOf(word);
  return start < 0 ? body.slice(0, 90) : body.slice(Math.max(0, start - 40), start + 70);
}

async function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = words.length ? await loadIndex() : [];
  const matches = entries
    .map((entry) => ({ points: computeScore(entry, words), entry }))
    .filter(({ points }) => points)
    .sort((a, b) => b.points - a.points)
    .slice(0, 12);
  list.replaceChildren(...matches.map(({ entry }) => renderEntry(entry, words[0])));
  if (words.length && !matches.length) list.append("No results.");
  list.hidden = !words.length;
}

/** @type {(entry: Section, word: string) => HTMLElement} */
function renderEntry([page, title, address, body], word) {
  const link = document.createElement("a");
  link.href = address;
  for (const [tag, text] of [["b", title], ["small", page], ["span", extractExcerpt(body, word)]]) {
    const part = document.createElement(tag);
    part.textContent = text;
    link.append(part);
  }
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** @type {(event: KeyboardEvent) => void} */
function moveFocus(event) {
  /** @type {HTMLElement[]} */
  const links = [box, ...list.querySelectorAll("a")];
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const position = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (event.key === "Escape") list.hidden = true;
  if (event.key === "Enter" && position === 0 && links[1]) links[1].click();
  if (step && position >= 0) {
    event.preventDefault();
    links[(position + step + links.length) % links.length].focus();
  }
}

box.addEventListener("input", search);
box.addEventListener("focus", search);
form.addEventListener("keydown", moveFocus);
document.addEventListener("click", (event) => {
  if (!form.contains(/** @type {Node} */ (event.target))) list.hidden = true;
});
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !isTyping) {
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
