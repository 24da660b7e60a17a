// The driver's positions: stored on the phone, and sent in batches, even long afterwards.
import { callApi, serverNow } from "./api.js";
import { getAllRecords, loadValue, runTransaction } from "./store.js";
import { uuid } from "./uuid.js";

const BATCH_SIZE = 200, MAX_STORED = 20_000;

// The phone creates the event id, so that the server can detect repeats. The oldest positions are deleted first.
/** @type {(fix: Fix) => Promise<void>} */
export async function savePosition({ at, ...fix }) {
  const by = (await loadValue("driver"))?.id ?? null, recorded_at = new Date(at + (serverNow().getTime() - Date.now())).toISOString();
  const measured = Object.fromEntries(Object.entries(fix).filter(([, value]) => Number.isFinite(value)));
  const id = `${recorded_at} ${uuid()}`;
  try {
    await runTransaction("places", (places) => {
      places.put({ id, by, fix: { ...measured, recorded_at, event_id: id.slice(25) } });
      const count = places.count();
      count.onsuccess = () => {
        if (count.result <= MAX_STORED) return;
        const oldest = places.openCursor();
        oldest.onsuccess = () => oldest.result?.delete();
      };
    });
  } catch (error) {
    console.warn(error);
  }
}
// Send the stored positions. Resolves to 1 if some could not be sent, otherwise to 0.
/** @type {(by: string | null, token?: string) => Promise<number>} */
export async function sendPositions(by, token) {
  const own = (await getAllRecords("places")).filter((one) => one.by === by);
  while (own.length) {
    const batch = own.splice(0, BATCH_SIZE);
    const answer = await callApi("POST", "/v1/drivers/me/positions", { token, body: { positions: batch.map((one) => one.fix) } });
    const refused = answer.fromApi && [400, 413, 422].includes(answer.status);
    if (!answer.body && !refused) return 1;
    await runTransaction("places", (places) => {
      for (const one of batch) places.delete(one.id);
    });
  }
  return 0;
}
