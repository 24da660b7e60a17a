// Starts the app: keeps the company's key from the link, registers the service worker, shows a screen.
import { h, mount } from "./dom.js";
import { note, recall } from "./store.js";
import { t } from "./words.js";

async function start() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key) {
    await note("key", key);
    history.replaceState(null, "", location.pathname);
  }
  navigator.serviceWorker?.register("/driver/sw.js", { type: "module", scope: "/driver" });
  mount(h("main", {}, h("h1", {}, t("app.name")), (await recall("key")) ? null : h("p", {}, t("sign-in.no-key"))));
}
start();
