// What the phone keeps: a small database that survives closing the app and restarting the phone.
/** @type {Record<keyof Stores, string>} */
const STORES = { state: "name", orders: "id", outbox: "id", pictures: "id", places: "id", drafts: "id" };
/** @type {Promise<IDBDatabase> | undefined} */
let opening;

// Whatever version there is is opened, so that a page of the release before goes on beside a newer one.
/** @type {(version?: number) => Promise<IDBDatabase>} */
function open(version) {
  opening ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("pannier-driver", version);
    const missing = () => Object.entries(STORES).filter(([name]) => !asked.result.objectStoreNames.contains(name));
    asked.onupgradeneeded = () => {
      for (const [name, keyPath] of missing()) asked.result.createObjectStore(name, { keyPath });
    };
    asked.onsuccess = () => {
      const database = asked.result;
      const retire = () => {
        database.close();
        opening = undefined;
      };
      database.onclose = database.onversionchange = retire;
      if (!missing().length) return resolve(database);
      retire();
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
/** @type {<T>(names: keyof Stores | (keyof Stores)[], act: (...stores: IDBObjectStore[]) => T, mode?: IDBTransactionMode) => Promise<T extends IDBRequest<infer R> ? R : T>} */
export async function within(names, act, mode = "readwrite") {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(names, mode, { durability: "strict" });
    const failed = (/** @type {Event} */ { target }) => reject(/** @type {IDBRequest} */ (target).error ?? transaction.error);
    transaction.onabort = transaction.onerror = failed;
    const answer = act(...[names].flat().map((name) => transaction.objectStore(name)));
    transaction.oncomplete = () => resolve(answer instanceof IDBRequest ? answer.result : answer);
  });
}
/** @type {<S extends keyof Stores>(store: S, key: string) => Promise<Stores[S] | undefined>} */
export const get = (store, key) => within(store, (kept) => kept.get(key), "readonly");
/** @type {<S extends keyof Stores>(store: S) => Promise<Stores[S][]>} */
export const all = (store) => within(store, (kept) => kept.getAll(), "readonly");
/** @type {<S extends keyof Stores>(store: S, value: Stores[S]) => Promise<unknown>} */
export const put = (store, value) => within(store, (kept) => kept.put(value));
/** @type {(store: keyof Stores, key: string) => Promise<unknown>} */
export const remove = (store, key) => within(store, (kept) => kept.delete(key));

// Small facts: the company's key, the driver's token, whether one is on duty.
/** @type {<N extends keyof Facts>(name: N) => Promise<Facts[N]>} */
export const recall = async (name) => /** @type {any} each fact has its own type */ (await get("state", name))?.value;
/** @type {() => Promise<Facts>} */
export const facts = async () => Object.fromEntries((await all("state")).map(({ name, value }) => [name, value]));
/** @type {<N extends keyof Facts>(name: N, value: Facts[N]) => Promise<unknown>} */
export const note = (name, value) => notes({ [name]: value });
// Several at once: nobody sees one driver with the token of another.
/** @type {(told: Facts) => Promise<unknown>} */
export const notes = (told) =>
  within("state", (state) => {
    for (const [name, value] of Object.entries(told)) {
      if (value === undefined) state.delete(name);
      else state.put({ name, value });
    }
  });
