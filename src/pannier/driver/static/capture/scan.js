// Codes by the camera, from a picture or typed, compared with what is expected of each item.
import { ask, h, icon } from "../dom.js";
import { t } from "../words.js";
import { viewfinder } from "./camera.js";
import { about, frame, subject, whereabouts } from "./frame.js";
import { coded, doubt, expectedOf, field, form, knownOf, mismatch, readable, spelled } from "./typed.js";

// What reads codes is fetched when it is first needed. A browser may remember that this failed: then by another name.
let failures = 0;
/** @type {() => Promise<typeof import("./reader.js")>} */
function reading() {
  return import(failures ? `./reader.js?${failures}` : "./reader.js").catch((wrong) => {
    failures += 1;
    throw wrong;
  });
}
const reader = async () => (await reading()).reader();
// Who waits for it longer than this is told that codes can be typed.
const PATIENCE = 3000;
// A code counts again only after it was out of sight this long.
const AWAY = 1500;
const REST = 60;

// Scans all of these demands in one dialog. `keep(captured, demand)` → whether it is kept. → whether all are.
/** @type {(demands: Demand[], order: CaptureOrder, keep: Keep) => Promise<boolean | null>} */
export function captureAll(demands, order, keep) {
  return ask((/** @type {Close<boolean>} */ close, dialog) => new Scanning(demands, order, keep, close, dialog).draw());
}

// Fetches what reads codes, once, so that it is there without reception; not where the browser reads them.
/** @type {Promise<void> | undefined} */
let prepared;
export function prepare() {
  prepared ??= fetched().catch(() => { prepared = undefined; });
  return prepared;
}
async function fetched() {
  if (await (await reading()).native()) return;
  await kept();
  (await reader()).close();
}
// Only what the service worker sees is kept, so it is waited for; not for ever, as there may be none.
function kept() {
  const workers = navigator.serviceWorker;
  if (!workers || workers.controller) return null;
  return new Promise((resolve) => {
    workers.addEventListener("controllerchange", resolve, { once: true });
    setTimeout(resolve, 10_000);
  });
}

/** @typedef {{ demand: Demand; name: string; strict: boolean; known?: string[]; code: string | null }} Row */
class Scanning {
  /** @type {Promise<unknown> | null} */
  busy = null;
  /** @type {Promise<CodeReader> | null} */
  reading = null;
  over = false;
  /** @type {Map<string, { at: number; count: number; judged: boolean }>} */
  seen = new Map();
  place = whereabouts();

  /** @param {Demand[]} demands @param {CaptureOrder} order @param {Keep} keep @param {Close<boolean>} close @param {HTMLDialogElement} dialog */
  constructor(demands, order, keep, close, dialog) {
    this.order = order;
    this.keep = keep;
    this.close = close;
    this.dialog = dialog;
    /** @type {Row[]} */
    this.rows = demands.map((demand) => ({ demand, name: subject(demand, order), strict: expectedOf(demand, order).length > 0, known: knownOf(demand, order), code: null }));
    this.chosen = this.rows[0];
    this.finder = viewfinder(dialog, t("capture.photo.finder"));
    this.told = h("div", { class: "capture-told", role: "status" });
    this.list = h("ul", { class: "ticks", hidden: this.rows.length < 2 });
    this.typed = field();
    this.file = h("input", { type: "file", accept: "image/*", capture: "environment", class: "unseen", tabindex: "-1", "aria-label": t("capture.scan.picture"), onchange: () => this.look() });
    this.retry = () => this.begin();
    globalThis.addEventListener("reception", this.retry);
    dialog.addEventListener("close", () => this.end());
    this.hint();
    this.begin();
  }

  draw() {
    this.tick();
    const typing = form(this.typed, (event) => this.type(event));
    this.dialog.classList.toggle("scanning-many", this.rows.length > 1);
    const title = this.rows.length > 1 ? t("capture.scan.title-many") : t("capture.scan.title");
    return frame(this.dialog, { title, about: this.rows.length > 1 ? "" : about(this.rows[0].demand, this.order), leave: () => this.close(false) },
      this.finder.element, this.told, this.list, typing,
      h("footer", { class: "capture-foot" }, h("button", { onclick: () => this.file.click() }, icon("image"), t("capture.scan.picture")), this.file));
  }

  // Looks through the camera until the dialog is closed.
  async begin() {
    if (this.reading || this.over) return;
    this.reading = reader();
    const unread = () => {
      if (!this.over && !this.asking) this.say("amber", "wifi-off", t("capture.scan.no-reader"));
    };
    const late = setTimeout(unread, PATIENCE);
    try {
      const read = await this.reading;
      clearTimeout(late);
      if (this.told.matches(".amber") && !this.asking) this.hint();
      while (!this.over) {
        const began = performance.now();
        if (this.finder.live() && !this.busy) for (const code of await read.read(this.finder.video)) await this.sight(code);
        await new Promise((resolve) => { setTimeout(resolve, Math.max(REST, performance.now() - began)); });
      }
    } catch (wrong) {
      clearTimeout(late);
      this.reading = null;
      console.warn(wrong);
      unread();
    }
  }
  end() {
    this.over = true;
    globalThis.removeEventListener("reception", this.retry);
    this.reading?.then((read) => read.close(), () => {});
  }

  // What is expected is taken at first sight; what is not must be read twice, for readers err.
  /** @type {(code: Code) => Promise<void>} */
  async sight(code) {
    if (this.busy || this.over) return;
    const now = performance.now(), known = this.seen.get(code.text);
    const seen = known && now - known.at < AWAY ? known : { at: now, count: 0, judged: false };
    this.seen.set(code.text, Object.assign(seen, { at: now, count: seen.count + 1 }));
    const wanted = this.rows.some((row) => !row.code && spelled(code, row.known ?? []));
    if (seen.judged || (!wanted && seen.count < 2)) return;
    // A wrong code before the camera must not take away the reason that the driver is typing.
    if (!wanted && this.asking) return;
    seen.judged = true;
    await this.judge(code);
  }
  /** @type {(event: SubmitEvent) => Promise<void>} */
  async type(event) {
    event.preventDefault();
    const text = this.typed.value.trim();
    if (!text && !this.busy) this.say("red", "triangle-alert", t("capture.scan.type-first"));
    if (!text) return;
    // Whoever types the next code while this one is being taken keeps what they typed.
    this.typed.value = "";
    if (!(await this.judge({ text, typed: true }))) this.typed.value ||= text;
  }
  async look() {
    const [file] = this.file.files ?? [];
    this.file.value = "";
    if (!file) return;
    this.say("muted", "scan-line", t("capture.scan.looking"));
    try {
      const picture = await createImageBitmap(file), apart = await reader(), codes = await apart.read(picture);
      apart.close();
      if (!codes.length) return this.say("red", "triangle-alert", t("capture.scan.nothing"));
      for (const code of codes) await this.judge(code);
    } catch {
      this.say("red", "triangle-alert", t("capture.scan.nothing"));
    }
  }

  // Finds what a code is of; says so when it is of nothing here.
  /** @type {(code: Code) => Promise<boolean | void>} */
  async judge(code) {
    while (this.busy) await this.busy;
    const open = this.rows.filter((row) => !row.code);
    if (this.over || !open.length) return true;
    const wanted = open.find((row) => spelled(code, row.known ?? []));
    if (wanted) return this.take(wanted, code);
    const done = this.rows.find((row) => row.code && (row.code === code.text || spelled(code, row.known ?? [])));
    const any = [this.chosen, ...open].find((row) => !row.code && !row.strict);
    if (done && any) return this.offer(done, any, code);
    if (done) return this.say("amber", "info", t("capture.scan.already", { code: code.text, subject: done.name }));
    if (any) return this.doubt(any, code);
    navigator.vibrate?.([60, 60, 60]);
    const row = open.includes(this.chosen) ? this.chosen : open[0];
    this.say("red", "circle-x", ...mismatch(code, row.demand, this.order));
    return false;
  }
  /** @type {(done: Row, row: Row, code: Code) => boolean} */
  offer(done, row, code) {
    this.say("amber", "info", t("capture.scan.already", { code: code.text, subject: done.name }),
      h("button", { onclick: () => this.doubt(row, code) }, t("capture.scan.also", { subject: row.name })));
    return false;
  }
  // Whether the driver is being asked for a reason.
  get asking() {
    return this.told.querySelector("form") !== null;
  }
  // Takes a code that cannot be compared; one that is none of the subject's only with a reason.
  /** @type {(row: Row, code: Code) => false | Promise<boolean | void>} */
  doubt(row, code) {
    if (!row.known) return this.take(row, code);
    navigator.vibrate?.([60, 60, 60]);
    this.say("amber", "triangle-alert", ...doubt(code, row.demand, this.order, async (doubted) => {
      if (await this.take(row, doubted)) this.typed.value = "";
    }));
    return false;
  }
  /** @type {(row: Row, code: Code) => Promise<boolean | void>} */
  async take(row, code) {
    if (this.busy) return false;
    this.busy = this.kept(row, code).finally(() => { this.busy = null; });
    if ((await this.busy) === false) return false;
    navigator.vibrate?.(80);
    row.code = code.text;
    const open = this.rows.filter((one) => !one.code);
    if (!open.length) return this.close(true);
    if (this.chosen.code) [this.chosen] = open;
    this.tick();
    this.say("green", "circle-check", t("capture.scan.right", { subject: row.name }));
    return true;
  }
  /** @type {(row: Row, code: Code) => Promise<unknown>} */
  async kept({ demand }, code) {
    return this.keep(await coded(demand, this.order, this.place, code), demand);
  }

  tick() {
    this.list.replaceChildren(...this.rows.map((row) => {
      const now = row === this.chosen && !row.code;
      const mark = icon(row.code ? "circle-check" : now ? "scan-line" : "package");
      const words = [h("span", {}, row.name), h("small", { class: "muted" }, row.code ?? readable(row.demand, this.order).join(", "))];
      return h("li", { class: row.code ? "done" : now ? "now" : "" },
        h("button", { disabled: Boolean(row.code), "aria-pressed": String(now), onclick: () => this.choose(row) }, mark, h("span", { class: "ticks-words" }, words)));
    }));
  }
  /** @type {(row: Row) => void} */
  choose(row) {
    this.chosen = row;
    this.tick();
    this.hint();
  }
  hint() {
    this.say("muted", "scan-line", this.rows.length > 1 ? t("capture.scan.hint-many", { left: this.rows.filter((row) => !row.code).length }) : t("capture.scan.hint"));
  }
  /** @type {(colour: string, picture: string, ...words: Child[]) => void} */
  say(colour, picture, ...words) {
    this.told.className = `capture-told ${colour}`;
    this.told.replaceChildren(icon(picture), h("div", {}, words));
  }
}
