// What is being captured or written: kept on the phone as it comes, so that it is there again when the app was
// closed or the phone went out, until it is used or thrown away.
//
//   const draft = await drafted(id)   → { id, again, at, fields, … }: what was kept under this name, or nothing yet
//   follow(draft, form)               puts in what was written, and keeps what is written from then on
//   keep(draft, { taken })            keeps more beside it
//   await drop(draft)                 it was thrown away; what is used goes with `drafts` of the outbox's add
import { deleteRecord, getRecord, loadValue, putRecord, runTransaction } from "./store.js";

const MAX_AGE_MS = 7 * 24 * 3_600_000;

// A draft is its driver's: nobody else finds it, and whoever signs out takes it along.
/** @type {(id: string) => Promise<Draft>} */
export async function loadDraft(id) {
  const by = (await loadValue("driver"))?.id ?? null, stored = await getRecord("drafts", id).catch(() => null);
  if (stored?.by !== by) return { id, by, fields: {} };
  return { ...stored, again: [stored.taken, stored.strokes, ...Object.values(stored.fields)].some((one) => one?.length) };
}
/** @type {(order: { id: string }, demand: Demand) => string} */
export const draftId = (order, { subject_id: subject, activity = "", method }) => [order.id, subject, activity, method].join(" ");

/** @type {(draft: Draft, more?: Partial<Draft>) => Promise<unknown> | null} */
export function saveDraft(draft, more = {}) {
  Object.assign(draft, more, { at: Date.now() });
  const { again: _, over, ...stored } = draft;
  // Without room it stays in memory; whoever uses it then hears of that.
  return over ? null : putRecord("drafts", stored).catch(console.warn);
}
/** @type {(draft: { id: string; over?: boolean }) => Promise<unknown>} */
export function deleteDraft(draft) {
  draft.over = true;
  return deleteRecord("drafts", draft.id);
}
/** @type {(draft: Draft, form: HTMLElement) => void} */
export function bindForm(draft, form) {
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
    if (name) saveDraft(draft, { fields: { ...draft.fields, [name]: type === "checkbox" && !checked ? "" : value } });
  });
}
// What nobody came back to for a week goes.
export const deleteOldDrafts = () =>
  runTransaction("drafts", (drafts) => {
    const request = drafts.openCursor();
    request.onsuccess = () => {
      if (!request.result) return;
      if (request.result.value.at < Date.now() - MAX_AGE_MS) request.result.delete();
      request.result.continue();
    };
  });
