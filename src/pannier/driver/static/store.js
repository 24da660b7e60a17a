// The phone's IndexedDB database.
/** @type {Record<keyof Stores, string>} */
const STORES = { state: "name", orders: "id", outbox: "id", pictures: "id", places: "id", drafts: "id" };
/** @type {Promise<IDBDatabase> | undefined} */
let opening;

// Open whatever version exists, so that a page of the previous release works beside a newer one.
/** @type {(version?: number) => Promise<IDBDatabase>} */
function open(version) {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("pannier-driver", version);
    const listMissing = () => Object.entries(STORES).filter(([name]) => !request.result.objectStoreNames.contains(name));
    request.onupgradeneeded = () => {
      for (const [name, keyPath] of listMissing()) request.result.createObjectStore(name, { keyPath });
    };
    request.onsuccess = () => {
      const database = request.result;
      const closeDatabase = () => {
        database.close();
        opening = undefined;
      };
      database.onclose = database.onversionchange = closeDatabase;
      if (!listMissing().length) return resolve(database);
      closeDatabase();
      resolve(open(database.version + 1));
    };
    request.onerror = () => {
      opening = undefined;
      reject(request.error);
    };
  });
  return opening;
}
// Run one transaction: `await runTransaction(["outbox", "pictures"], (outbox, pictures) => …)`. Resolves on commit.
/** @type {<T>(names: keyof Stores | (keyof Stores)[], act: (...stores: IDBObjectStore[]) => T, mode?: IDBTransactionMode) => Promise<T extends IDBRequest<infer R> ? R : T>} */
export async function runTransaction(names, act, mode = "readwrite") {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(names, mode, { durability: "strict" });
    const fail = (/** @type {Event} */ { target }) => reject(/** @type {IDBRequest} */ (target).error ?? transaction.error);
    transaction.onabort = transaction.onerror = fail;
    const answer = act(...[names].flat().map((name) => transaction.objectStore(name)));
    transaction.oncomplete = () => resolve(answer instanceof IDBRequest ? answer.result : answer);
  });
}
/** @type {<S extends keyof Stores>(store: S, key: string) => Promise<Stores[S] | undefined>} */
export const getRecord = (store, key) => runTransaction(store, (records) => records.get(key), "readonly");
/** @type {<S extends keyof Stores>(store: S) => Promise<Stores[S][]>} */
export const getAllRecords = (store) => runTransaction(store, (records) => records.getAll(), "readonly");
/** @type {<S extends keyof Stores>(store: S, value: Stores[S]) => Promise<unknown>} */
export const putRecord = (store, value) => runTransaction(store, (records) => records.put(value));
/** @type {(store: keyof Stores, key: string) => Promise<unknown>} */
export const deleteRecord = (store, key) => runTransaction(store, (records) => records.delete(key));

// Single values: the company's key, the driver's token, the duty status.
/** @type {<N extends keyof StateValues>(name: N) => Promise<StateValues[N]>} */
export const loadValue = async (name) => /** @type {any} each fact has its own type */ (await getRecord("state", name))?.value;
/** @type {() => Promise<StateValues>} */
export const loadValues = async () => Object.fromEntries((await getAllRecords("state")).map(({ name, value }) => [name, value]));
/** @type {<N extends keyof StateValues>(name: N, value: StateValues[N]) => Promise<unknown>} */
export const saveValue = (name, value) => saveValues({ [name]: value });
// Save several in one transaction, so that a driver is never read with another's token.
/** @type {(told: StateValues) => Promise<unknown>} */
export const saveValues = (values) =>
  runTransaction("state", (state) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) state.delete(name);
      else state.put({ name, value });
    }
  });
