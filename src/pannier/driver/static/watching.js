// Sends again while the app is open: soon, then less and less often; at once when something works.
import { paused, send } from "./outbox.js";

const LOOKING = 30_000;

export function watch() {
  let wait = 5_000, timer = 0;
  const turn = async () => {
    clearTimeout(timer);
    const left = await send();
    wait = left ? Math.min(wait * 1.6, 60_000) : 5_000;
    const until = await paused();
    timer = setTimeout(turn, Math.max(left ? wait : LOOKING, until - Date.now()));
  };
  const soon = () => {
    wait = 5_000;
    turn();
  };
  addEventListener("online", soon);
  addEventListener("visibilitychange", () => document.visibilityState === "visible" && soon());
  navigator.storage?.persist?.().catch(() => null);
  return turn();
}
