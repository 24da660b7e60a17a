// Reads bar codes in a worker: the reader hangs on some pictures, and a worker can be terminated.
import { prepareZXingModule, readBarcodes } from "../../vendor/zxing/reader/index.js";

const FORMATS = ["QRCode", "MicroQRCode", "DataMatrix", "Aztec", "PDF417", "Code128", "Code39", "Code93", "Codabar", "ITF", "EAN13", "EAN8", "UPCA", "UPCE", "DataBar"];
/** @type {(name: string) => string} */
const locateFile = (name) => new URL(`../../vendor/zxing/reader/${name}`, import.meta.url).href;

const ready = prepareZXingModule({ overrides: { locateFile }, fireImmediately: true });
ready.then(() => postMessage({ ready: true }), () => postMessage({ failed: true }));

addEventListener("message", async ({ data }) => {
  await ready;
  const found = await readBarcodes(data, { formats: FORMATS, textMode: "Plain", tryHarder: true, maxNumberOfSymbols: 8 });
  postMessage({ codes: found.filter(({ isValid, text }) => isValid && text).map(({ text, format }) => ({ text, symbology: format })) });
});
