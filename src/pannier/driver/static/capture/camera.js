// The picture of the phone's camera in a dialog, and what to do when there is none.
import { h, icon } from "../dom.js";
import { t } from "../words.js";

const WANTED = { audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1920 }, height: { ideal: 1080 } } };

/** @typedef {{ element: HTMLElement; video: HTMLVideoElement; live: () => boolean }} Viewfinder */
/** @type {(dialog: HTMLDialogElement, label: string) => Viewfinder} */
export function viewfinder(dialog, label) {
  const video = h("video", { muted: true, autoplay: true, playsinline: true, "aria-label": label });
  const told = h("div", { class: "finder-told", role: "status" });
  const torch = h("button", { class: "square finder-torch", hidden: true, "aria-pressed": "false", "aria-label": t("capture.torch"), onclick: shine }, icon("zap"));
  /** @type {MediaStream | null} */
  let stream = null;
  let turn = 0;

  async function start() {
    stop();
    const mine = turn;
    tell(t("capture.camera.starting"));
    try {
      if (!navigator.mediaDevices?.getUserMedia) throw new DOMException("There is no camera.", "NotFoundError");
      const found = await navigator.mediaDevices.getUserMedia(WANTED);
      if (mine !== turn) return end(found);
      stream = found;
      const [track] = stream.getVideoTracks();
      track.addEventListener("ended", () => mine === turn && failed({ name: "NotReadableError" }));
      video.srcObject = stream;
      await video.play();
      torch.hidden = !track.getCapabilities?.().torch;
      tell();
    } catch (wrong) {
      if (mine === turn) failed(/** @type {Error} */ (wrong));
    }
  }
  function stop() {
    turn += 1;
    if (stream) end(stream);
    stream = video.srcObject = null;
    torch.hidden = true;
    torch.setAttribute("aria-pressed", "false");
  }
  /** @type {(ended: MediaStream) => void} */
  function end(ended) {
    for (const track of ended.getTracks()) track.stop();
  }
  /** @type {(...words: (Node | string)[]) => void} */
  function tell(...words) {
    told.replaceChildren(...words);
    told.hidden = !words.length;
  }
  /** @type {(wrong: { name: string }) => void} */
  function failed({ name }) {
    stop();
    const again = h("button", { onclick: start }, icon("refresh-cw"), t("capture.try-again"));
    if (name === "NotAllowedError" || name === "SecurityError") tell(h("p", {}, t("capture.camera.not-allowed")), again);
    else if (name === "NotFoundError" || name === "OverconstrainedError") tell(h("p", {}, t("capture.camera.none")), again);
    else tell(h("p", {}, t("capture.camera.busy")), again);
  }
  async function shine() {
    const on = torch.getAttribute("aria-pressed") !== "true";
    await stream?.getVideoTracks()[0].applyConstraints({ advanced: [{ torch: on }] });
    torch.setAttribute("aria-pressed", String(on));
  }
  // A phone that is put away takes the camera; it is asked for again when the app is looked at again.
  const turned = () => (document.hidden ? stop() : start());
  document.addEventListener("visibilitychange", turned);
  dialog.addEventListener("close", () => {
    document.removeEventListener("visibilitychange", turned);
    stop();
  });
  start();
  return { element: h("div", { class: "finder" }, video, told, torch), video, live: () => Boolean(stream) && video.readyState >= 2 };
}
