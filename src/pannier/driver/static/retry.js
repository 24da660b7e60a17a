// Retries while the app is open, with growing intervals. Retries at once when it is online or visible again.
import { loadPauseEnd, send } from "./outbox.js";

const IDLE_MS = 30_000;

export function startRetrying() {
  let wait = 5_000, timer = 0;
  const sendAndSchedule = async () => {
    clearTimeout(timer);
    const left = await send();
    wait = left ? Math.min(wait * 1.6, 60_000) : 5_000;
    const until = await loadPauseEnd();
    timer = setTimeout(sendAndSchedule, Math.max(left ? wait : IDLE_MS, until - Date.now()));
  };
  const sendNow = () => {
    wait = 5_000;
    sendAndSchedule();
  };
  addEventListener("online", sendNow);
  addEventListener("visibilitychange", () => document.visibilityState === "visible" && sendNow());
  navigator.storage?.persist?.().catch(() => null);
  return sendAndSchedule();
}
