// What is being captured or written: kept on the phone as it comes, so that it is there again when the app was
// closed or the phone went out, until it is used or thrown away.
//
//   const draft = await drafted(id)   → { id, again, at, fields, … }: what was kept under this name, or nothing yet
//   follow(draft, form)               puts in what was written, and keeps what is written from then on
//   keep(draft, { taken })            keeps more beside it
//   await drop(draft)                 it was thrown away; what is used goes with `drafts` of the outbox's add
import { get, put, recall, remove, within } from "./store.js";

const LONGEST = 7 * 24 * 3_600_000;

// A draft is its driver's: nobody else finds it, and whoever signs out takes it along.
/** @type {(id: string) => Promise<Draft>} */
export async function drafted(id) {
  const by = (await recall("driver"))?.id ?? null, kept = await get("drafts", id).catch(() => null);
  if (kept?.by !== by) return { id, by, fields: {} };
  return { ...kept, again: [kept.taken, kept.strokes, ...Object.values(kept.fields)].some((one) => one?.length) };
}
/** @type {(order: { id: string }, demand: Demand) => string} */
export const named = (order, { subject_id: subject, activity = "", method }) => [order.id, subject, activity, method].join(" ");

/** @type {(draft: Draft, more?: Partial<Draft>) => Promise<unknown> | null} */
export function keep(draft, more = {}) {
  Object.assign(draft, more, { at: Date.now() });
  const { again: _, over, ...kept } = draft;
  // Without room it stays in memory; whoever uses it then hears of that.
  return over ? null : put("drafts", kept).catch(console.warn);
}
/** @type {(draft: { id: string; over?: boolean }) => Promise<unknown>} */
export function drop(draft) {
  draft.over = true;
  return remove("drafts", draft.id);
}
/** @type {(draft: Draft, form: HTMLElement) => void} */
export function follow(draft, form) {
  for (const [name, value] of Object.entries(draft.fields)) {
    /** @type {NodeListOf<HTMLInputElement>} */
    const fields = form.querySelectorAll(`[name="${name}"]`);
    for (const field of fields) {
      if (["radio", "checkbox"].includes(field.type)) field.checked = field.value === value;
      else field.value = value;
    }
  }
  form.addEventListener("input", ({ target }) => {
    const { name, type, checked, value } = /** @type {HTMLInputElement} */ (target);
    if (name) keep(draft, { fields: { ...draft.fields, [name]: type === "checkbox" && !checked ? "" : value } });
  });
}
// What nobody came back to for a week goes.
export const sweep = () =>
  within("drafts", (drafts) => {
    const asked = drafts.openCursor();
    asked.onsuccess = () => {
      if (!asked.result) return;
      if (asked.result.value.at < Date.now() - LONGEST) asked.result.delete();
      asked.result.continue();
    };
  });
