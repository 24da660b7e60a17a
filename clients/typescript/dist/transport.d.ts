/** Sends requests, and repeats those that fail on the way. */
import { Pages } from "./pages.js";
import { type Parts, type Query } from "./requests.js";
import { type RetryPolicy } from "./retries.js";
/** Where requests go, and with which credentials. */
export interface Connection {
    url: string;
    headers: Readonly<Record<string, string>>;
    timeoutMs: number;
    retry: RetryPolicy;
    fetch: typeof fetch;
}
/** Sends the requests of a client. */
export declare class Transport {
    #private;
    constructor(connection: Connection);
    /** Send a request and return the JSON of its response. */
    call<T>(method: string, path: string, parts: Parts): Promise<T>;
    /** Return the content of a file. */
    download(path: string, parts: Parts): Promise<Uint8Array>;
    /** Return a list whose pages are loaded on demand. */
    list<Item>(path: string, query: Query, options: Parts["options"]): Pages<Item>;
}
