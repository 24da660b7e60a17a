// The camera's viewfinder in a dialog, and its error messages.
import { h, icon } from "../dom.js";
import { t } from "../i18n.js";

const CONSTRAINTS = { audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1920 }, height: { ideal: 1080 } } };

/** @typedef {{ element: HTMLElement; video: HTMLVideoElement; isLive: () => boolean; restart: () => Promise<void> }} Viewfinder */
/** @type {(dialog: HTMLDialogElement, label: string) => Viewfinder} */
export function createViewfinder(dialog, label) {
  const video = h("video", { muted: true, autoplay: true, playsinline: true, "aria-label": label });
  const status = h("div", { class: "finder-told", role: "status" });
  const torch = h("button", { class: "square finder-torch", hidden: true, "aria-pressed": "false", "aria-label": t("capture.torch"), onclick: toggleTorch }, icon("zap"));
  /** @type {MediaStream | null} */
  let stream = null;
  let turn = 0;

  async function startCamera() {
    stopCamera();
    const mine = turn;
    showMessage(t("capture.camera.starting"));
    try {
      if (!navigator.mediaDevices?.getUserMedia) throw new DOMException("There is no camera.", "NotFoundError");
      const opened = await navigator.mediaDevices.getUserMedia(CONSTRAINTS);
      if (mine !== turn) return stopTracks(opened);
      stream = opened;
      const [track] = stream.getVideoTracks();
      track.addEventListener("ended", () => mine === turn && showFailure({ name: "NotReadableError" }));
      video.srcObject = stream;
      await video.play();
      torch.hidden = !track.getCapabilities?.().torch;
      showMessage();
    } catch (wrong) {
      if (mine === turn) showFailure(/** @type {Error} */ (wrong));
    }
  }
  function stopCamera() {
    turn += 1;
    if (stream) stopTracks(stream);
    stream = video.srcObject = null;
    torch.hidden = true;
    torch.setAttribute("aria-pressed", "false");
  }
  /** @type {(ended: MediaStream) => void} */
  function stopTracks(ended) {
    for (const track of ended.getTracks()) track.stop();
  }
  /** @type {(...words: (Node | string)[]) => void} */
  function showMessage(...words) {
    status.replaceChildren(...words);
    status.hidden = !words.length;
  }
  /** @type {(wrong: { name: string }) => void} */
  function showFailure({ name }) {
    stopCamera();
    const again = h("button", { onclick: startCamera }, icon("refresh-cw"), t("capture.try-again"));
    if (name === "NotAllowedError" || name === "SecurityError") showMessage(h("p", {}, t("capture.camera.not-allowed")), again);
    else if (name === "NotFoundError" || name === "OverconstrainedError") showMessage(h("p", {}, t("capture.camera.none")), again);
    else showMessage(h("p", {}, t("capture.camera.busy")), again);
  }
  async function toggleTorch() {
    const on = torch.getAttribute("aria-pressed") !== "true";
    await stream?.getVideoTracks()[0].applyConstraints({ advanced: [{ torch: on }] });
    torch.setAttribute("aria-pressed", String(on));
  }
  // Phones stop the camera in the background. Restart it when the app is visible again.
  const handleVisibility = () => (document.hidden ? stopCamera() : startCamera());
  document.addEventListener("visibilitychange", handleVisibility);
  dialog.addEventListener("close", () => {
    document.removeEventListener("visibilitychange", handleVisibility);
    stopCamera();
  });
  startCamera();
  return { element: h("div", { class: "finder" }, video, status, torch), video, isLive: () => Boolean(stream) && video.readyState >= 2, restart: startCamera };
}
