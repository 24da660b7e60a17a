/** The client. Its resources are generated from the OpenAPI document. */
import { Resources } from "./resources/index.js";
import { DEFAULT_RETRY } from "./retries.js";
import { Transport } from "./transport.js";
const DEFAULT_TIMEOUT_MS = 30_000;
/** Calls an installation of Pannier. */
export class Client extends Resources {
    constructor(url, options = {}) {
        const headers = {};
        if (options.key !== undefined)
            headers.Authorization = `Bearer ${options.key}`;
        if (options.customerToken !== undefined)
            headers["Customer-Token"] = options.customerToken;
        super(new Transport({
            url: new URL(url).href.replace(/\/+$/, ""),
            headers,
            timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
            retry: { ...DEFAULT_RETRY, ...options.retry },
            // Browsers call it only as a function of the page.
            fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
        }));
    }
}
