// Announces new alerts on the desktop and by a sound, as the operator chose. The open pages take turns, so that each alert is announced once.
import { $, $$, on } from "./console.js";

const MAX_KEPT = 400, LATE_MS = 60_000, MAX_SINGLE = 3, TURN = "pannier-alerts";
/** @typedef {{ key: string; raised: number; title: string; body: string; url: string; desktop: boolean; sound: boolean }} NewAlert */
/** @type {AudioContext | undefined} */
let audio;
const canNotify = () => "Notification" in window && Notification.permission === "granted";
const getBell = () => $("#bell[data-operator]");

// A browser plays no sound on a page that nobody has clicked yet. Then another page may.
async function canPlay() {
  if (!window.AudioContext) return false;
  audio ??= new AudioContext();
  await Promise.race([audio.resume(), new Promise((resolve) => setTimeout(resolve, 300))]).catch(() => 0);
  return audio.state === "running";
}
function play() {
  const context = /** @type {AudioContext} */ (audio);
  [660, 880].forEach((frequency, number) => {
    const tone = context.createOscillator(), volume = context.createGain(), at = context.currentTime + number * 0.18;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.2, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.3);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.3);
  });
}
/** @type {(title: string, body: string, tag: string, url: string) => void} */
function notify(title, body, tag, url) {
  const shown = new Notification(title, { body, tag });
  shown.onclick = () => {
    focus();
    location.href = url;
  };
}
// The unread alerts, and the time by the server: this computer's clock may be wrong.
/** @type {() => Promise<{ now: number; unread: NewAlert[] }>} */
async function loadUnread() {
  const answer = await fetch("/console/alerts/recent?all=1");
  const page = new DOMParser().parseFromString(answer.ok ? await answer.text() : "", "text/html");
  const unread = $$("#recent form[data-key]", page).map((form) => {
    const title = $("b", form).textContent ?? "", text = $("b", form).parentElement?.textContent ?? "";
    return { key: `${form.dataset.key}`, raised: Date.parse(`${form.dataset.raised}`), url: `${form.dataset.url}`, title, body: text.replace(title, "").replace(/\s+/g, " ").trim(), desktop: "desktop" in form.dataset, sound: "sound" in form.dataset };
  });
  return { now: Date.parse(`${$("#recent", page)?.dataset.now}`), unread };
}
async function announce() {
  const operator = getBell()?.dataset.operator;
  if (!operator) return;
  const place = `alerts ${operator}`, stored = localStorage.getItem(place);
  const { now, unread } = await loadUnread();
  if (!now) return;
  /** @type {{ heard: string[]; since: number }} */
  const state = stored ? JSON.parse(stored) : { heard: [], since: Infinity };
  /** @type {(mark: string) => NewAlert[]} */
  const listNew = (mark) => unread.filter(({ key, raised }) => raised > state.since - LATE_MS && !state.heard.includes(mark + key));
  const shown = listNew("d").filter(({ desktop }) => desktop), loud = listNew("s").filter(({ sound }) => sound);
  // A sound that this page cannot play is left to another one.
  const isSilent = loud.length > 0 && !await canPlay();
  const marks = unread.flatMap(({ key, sound }) => isSilent && sound ? [`d${key}`] : [`d${key}`, `s${key}`]);
  const since = isSilent ? state.since : now;
  localStorage.setItem(place, JSON.stringify({ heard: [...new Set([...marks, ...state.heard])].slice(0, MAX_KEPT), since }));
  if (loud.length && !isSilent) play();
  if (!shown.length || !canNotify()) return;
  if (shown.length > MAX_SINGLE) notify(`${shown.length} new alerts`, shown.map(({ title }) => title).filter((title, at, all) => all.indexOf(title) === at).join(", "), TURN, "/console/alerts");
  else for (const { title, body, key, url } of shown) notify(title, body, key, url);
}
const takeTurn = () => navigator.locks ? navigator.locks.request(TURN, announce) : new Promise((resolve) => setTimeout(resolve, 500 * Math.random())).then(announce);
on("pannier:event", ({ detail }) => {
  if (detail.event === "alert.changed" && getBell()) takeTurn().catch(() => 0);
});

// The operator's own page asks the browser for permission, by a click only.
function showPermission() {
  const text = $("#alert-permission");
  if (!text) return;
  const state = "Notification" in window ? Notification.permission : "unsupported";
  text.textContent = { granted: "This browser shows desktop notifications.", denied: "This browser blocks desktop notifications. Allow them in its settings for this site.", default: "This browser has not been asked for desktop notifications yet.", unsupported: "This browser shows no desktop notifications here." }[state] ?? "";
  $("#alert-ask").hidden = state !== "default";
  $("#alert-try").hidden = false;
}
on("click", async ({ target }) => {
  if (target.closest("#alert-ask")) {
    await Notification.requestPermission();
    showPermission();
  }
  if (!target.closest("#alert-try")) return;
  if (await canPlay()) play();
  if (canNotify()) notify("Alerts", "This is how an alert looks.", TURN, location.href);
});
showPermission();
