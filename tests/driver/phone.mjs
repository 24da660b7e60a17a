// The driver's app without screens, in Node: its own modules, a real network, an IndexedDB in memory.
//
// Reads a line of JSON for each piece of script to run, and answers each with a line. What a browser has
// and Node lacks is defined here; whatever the modules do with it is the app's own.
import { registerHooks } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , origin, folder, database] = process.argv;
const home = pathToFileURL(`${folder}/`).href;

// The app's files are modules; no package.json beside them says so.
registerHooks({
  load: (url, context, next) => next(url, url.startsWith(home) ? { ...context, format: "module" } : context),
});
await import(pathToFileURL(database));

// A window: events, small facts, the language of the page.
const windowEvents = new EventTarget(), kept = new Map();
for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"])
  globalThis[name] = windowEvents[name].bind(windowEvents);
const define = (owner, name, value) => Object.defineProperty(owner, name, { value, configurable: true, writable: true });
define(globalThis, "localStorage", { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) });
define(globalThis, "document", { documentElement: {} });

// Addresses are those of the server, and a redirect that is not followed says nothing, as in a browser.
const requests = (globalThis.requests = []);
const reach = globalThis.fetch;
globalThis.fetch = async (path, options) => {
  requests.push(`${options?.method ?? "GET"} ${path}`);
  dispatchEvent(new Event("request"));
  const answer = await reach(new URL(path, origin), options);
  return answer.status >= 300 && answer.status < 400 ? Response.error() : answer;
};

// Where the phone is, and who watches it.
const watchers = new Map();
let coords = { latitude: 1.2839, longitude: 103.8515, accuracy: 10, heading: null, speed: null };
const report = (found) => setTimeout(() => found({ coords, timestamp: Date.now() }));
define(navigator, "geolocation", {
  watchPosition: (found) => (watchers.set(watchers.size + 1, found), report(found), watchers.size),
  clearWatch: (id) => watchers.set(id, null),
});
globalThis.moveTo = (place) => {
  coords = { ...coords, ...place };
  for (const found of watchers.values()) if (found) report(found);
};

// A clock that stands still at another moment.
globalThis.stopClock = (moment) => {
  const Running = Date;
  globalThis.Date = class extends Running {
    constructor(...given) {
      super(...(given.length ? given : [moment]));
    }
    static now = () => moment;
  };
};

const AsyncFunction = (async () => {}).constructor;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, names, files, body, given } = JSON.parse(line);
  const run = async () => {
    const modules = await Promise.all(files.map((file) => import(file)));
    return new AsyncFunction(...names, "given", body)(...modules, given);
  };
  run().then(
    (value) => ({ id, value: value ?? null }),
    (error) => ({ id, error: error?.stack ?? String(error) }),
  ).then((answer) => process.stdout.write(`${JSON.stringify(answer)}\n`));
}
process.exit(0);
