// Globals of the workers. `driver/page.py` prepends them to sw.js.

declare const RELEASE: string;
declare const SHELL: string[];
declare const MAP_FILES: string[];
declare const startTimeout: typeof import("../../src/pannier/driver/static/api.js").startTimeout;
declare const storeMap: typeof import("../../src/pannier/driver/static/map-cache.js").storeMap;
declare const serveMap: typeof import("../../src/pannier/driver/static/map-cache.js").serveMap;
declare const send: typeof import("../../src/pannier/driver/static/outbox.js").send;

interface SyncEvent extends ExtendableEvent {
  tag: string;
}

declare module "*/vendor/zxing/reader/index.js" {
  interface ReaderOptions {
    formats: string[];
    textMode: string;
    tryHarder: boolean;
    maxNumberOfSymbols: number;
  }
  function prepareZXingModule(options: { overrides: { locateFile(name: string): string }; fireImmediately: true }): Promise<unknown>;
  function readBarcodes(picture: ImageData, options: ReaderOptions): Promise<{ isValid: boolean; text: string; format: string }[]>;
}
