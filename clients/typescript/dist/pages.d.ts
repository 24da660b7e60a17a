import type { Response } from "./requests.js";
/** A part of a list, and the cursor of the next part. */
export interface Page<Item> {
    items: Item[];
    nextCursor: string | undefined;
}
/** The items of a list. Nothing is requested before the first is read. */
export declare class Pages<Item> implements AsyncIterable<Item> {
    #private;
    constructor(fetch: (cursor: string | undefined) => Promise<Response>);
    [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>;
    /** Iterate over pages, from the given cursor or the beginning. */
    pages(cursor?: string): AsyncGenerator<Page<Item>, void, undefined>;
    /** Load the first page only. */
    firstPage(): Promise<Page<Item>>;
    /** Load all pages. */
    toArray(): Promise<Item[]>;
}
