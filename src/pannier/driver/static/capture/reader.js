// Bar code readers: the browser's own if there is one, otherwise zxing, loaded on first use.
import { get2dContext } from "../dom.js";

const MAX_EDGE_PX = 1280;
const ANSWER_TIMEOUT_MS = 4000;
// In the service worker's scope, so that it is cached for offline use.
const WORKER_PATH = "/driver/scanner.js";
/** @type {Record<string, string>} */
const SYMBOLOGIES = { aztec: "Aztec", codabar: "Codabar", code_128: "Code128", code_39: "Code39", code_93: "Code93", data_matrix: "DataMatrix", ean_13: "EAN13", ean_8: "EAN8", itf: "ITF", pdf417: "PDF417", qr_code: "QRCode", upc_a: "UPCA", upc_e: "UPCE" };

// Rejects if zxing cannot be loaded.
/** @type {() => Promise<CodeReader>} */
export async function createReader() {
  return (await createNativeReader()) ?? createZxingReader();
}
/** @type {() => Promise<CodeReader | null>} */
export async function createNativeReader() {
  const Detector = globalThis.BarcodeDetector;
  const formats = (await Detector?.getSupportedFormats().catch(() => [])) ?? [];
  if (!Detector || !formats.includes("qr_code") || !formats.includes("code_128")) return null;
  const detector = new Detector({ formats: formats.filter((format) => format in SYMBOLOGIES) });
  /** @type {CodeReader["read"]} */
  const read = async (picture) => (await detector.detect(picture)).map(({ rawValue, format }) => ({ text: rawValue, symbology: SYMBOLOGIES[format] }));
  return { read, close() {} };
}

/** @type {() => Promise<CodeReader>} */
async function createZxingReader() {
  let worker = await startWorker(), closed = false;
  const canvas = document.createElement("canvas"), pen = get2dContext(canvas, { willReadFrequently: true });
  /** @type {CodeReader["read"]} */
  const read = async (picture) => {
    const isVideo = picture instanceof HTMLVideoElement;
    const width = isVideo ? picture.videoWidth : picture.width, height = isVideo ? picture.videoHeight : picture.height;
    if (!width || !height) return [];
    const scale = Math.min(1, MAX_EDGE_PX / Math.max(width, height));
    Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const pixels = pen.getImageData(0, 0, canvas.width, canvas.height);
    const answer = awaitAnswer(worker);
    worker.postMessage(pixels, [pixels.data.buffer]);
    const { codes } = await answer;
    if (codes) return codes;
    worker.terminate();
    if (!closed) worker = await startWorker();
    return [];
  };
  const close = () => {
    closed = true;
    worker.terminate();
  };
  return { read, close };
}
async function startWorker() {
  const worker = new Worker(WORKER_PATH, { type: "module" });
  const { ready } = await awaitAnswer(worker, 30_000);
  if (ready) return worker;
  worker.terminate();
  throw new Error("The reader of bar codes could not be fetched.");
}
/** @typedef {{ ready?: boolean; codes?: Code[]; failed?: boolean }} WorkerAnswer */
// Resolves to { failed } if the worker breaks or takes too long.
/** @type {(worker: Worker, patience?: number) => Promise<WorkerAnswer>} */
function awaitAnswer(worker, patience = ANSWER_TIMEOUT_MS) {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, patience, { failed: true });
    worker.onmessage = ({ data }) => {
      clearTimeout(late);
      resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      clearTimeout(late);
      resolve({ failed: true });
    };
  });
}
