// What the phone keeps: a small database that survives closing the app and restarting the phone.
const STORES = { state: "name", orders: "id", outbox: "id", pictures: "id", places: "id", drafts: "id" };
let opening;

// Whatever version there is is opened, so that a page of the release before goes on beside a newer one.
function open(version) {
  opening ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("pannier-driver", version);
    const missing = () => Object.entries(STORES).filter(([name]) => !asked.result.objectStoreNames.contains(name));
    asked.onupgradeneeded = () => {
      for (const [name, keyPath] of missing()) asked.result.createObjectStore(name, { keyPath });
    };
    asked.onsuccess = () => {
      const database = asked.result;
      database.onclose = database.onversionchange = () => {
        database.close();
        opening = undefined;
      };
      if (!missing().length) return resolve(database);
      database.onversionchange();
      resolve(open(database.version + 1));
    };
    asked.onerror = () => {
      opening = undefined;
      reject(asked.error);
    };
  });
  return opening;
}
// One transaction: `await within(["outbox", "pictures"], (outbox, pictures) => …)`; done when it is kept.
export async function within(names, act, mode = "readwrite") {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(names, mode, { durability: "strict" });
    let answer;
    transaction.oncomplete = () => resolve(answer instanceof IDBRequest ? answer.result : answer);
    transaction.onabort = transaction.onerror = ({ target }) => reject(target.error ?? transaction.error);
    answer = act(...[names].flat().map((name) => transaction.objectStore(name)));
  });
}
export const get = (store, key) => within(store, (kept) => kept.get(key), "readonly");
export const all = (store) => within(store, (kept) => kept.getAll(), "readonly");
export const put = (store, value) => within(store, (kept) => kept.put(value));
export const remove = (store, key) => within(store, (kept) => kept.delete(key));

// Small facts: the company's key, the driver's token, whether one is on duty.
export const recall = async (name) => (await get("state", name))?.value;
export const facts = async () => Object.fromEntries((await all("state")).map(({ name, value }) => [name, value]));
export const note = (name, value) => notes({ [name]: value });
// Several at once: nobody sees one driver with the token of another.
export const notes = (told) =>
  within("state", (state) => {
    for (const [name, value] of Object.entries(told)) value === undefined ? state.delete(name) : state.put({ name, value });
  });
