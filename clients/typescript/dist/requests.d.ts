/** Options of one call. */
export interface Options {
    /** Identifies a POST over several calls. By default each call gets its own key. */
    idempotencyKey?: string;
    /** Refuse the change if the record no longer has this `version`. */
    ifVersion?: number;
    /** Milliseconds that one attempt may take. */
    timeoutMs?: number;
    /** How often to repeat the request. */
    maxRetries?: number;
    /** Further headers. */
    headers?: Readonly<Record<string, string>>;
    /** Ends the call, with all its attempts. */
    signal?: AbortSignal;
}
/** Anything that can be sent as a query. */
export type Query = object;
/** A request, which is the same in every attempt. */
export interface Request {
    method: string;
    path: string;
    body: string | undefined;
    headers: Readonly<Record<string, string>>;
    options: Options;
}
/** The parts of a request that the generated methods pass. */
export interface Parts {
    query?: Query;
    body?: unknown;
    options?: Options | undefined;
}
/** Build a request. A POST gets an idempotency key, which all its attempts share. */
export declare function buildRequest(method: string, path: string, parts: Parts): Request;
/** Encode an identifier as a part of a path, which it cannot leave. */
export declare function segment(value: string): string;
/** Encode a body as JSON. Bytes become base64, and times RFC 3339. */
export declare function encodeBody(body: unknown): string;
export declare function encodeBase64(bytes: Uint8Array): string;
/** Encode a query. Lists repeat their name; null and undefined are left out. */
export declare function encodeQuery(query: Query): string;
/** A response whose body was read completely. */
export declare class Response {
    readonly status: number;
    readonly headers: Headers;
    readonly content: Uint8Array;
    constructor(status: number, headers: Headers, content: Uint8Array);
    get isSuccess(): boolean;
    /** Return the problem of an error response; empty if it comes from another server. */
    readProblem(): Record<string, unknown>;
    /** Return the content of a successful response, or throw the class of its code. */
    readContent(): Uint8Array;
    /** Return the JSON of a successful response. */
    readJson<T>(): T;
    private parse;
}
export declare function isRecord(value: unknown): value is Record<string, unknown>;
