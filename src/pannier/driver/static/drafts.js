// Unfinished captures and forms. They survive closing the app and losing power.
//
//   const draft = await loadDraft(id)  the stored draft, or an empty one
//   bindForm(draft, form)              fills in the form and saves changes to it
//   saveDraft(draft, { taken })        saves more values
//   await deleteDraft(draft)           discards it; `addEntry` deletes the drafts of an entry
import { deleteRecord, getRecord, loadValue, putRecord, runTransaction } from "./store.js";

const MAX_AGE_MS = 7 * 24 * 3_600_000;

// A draft belongs to one driver. Other drivers cannot load it, and signing out deletes it.
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
  // If the phone is full, the draft stays in memory. Storing the finished capture reports the problem.
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
export const deleteOldDrafts = () =>
  runTransaction("drafts", (drafts) => {
    const request = drafts.openCursor();
    request.onsuccess = () => {
      if (!request.result) return;
      if (request.result.value.at < Date.now() - MAX_AGE_MS) request.result.delete();
      request.result.continue();
    };
  });
