/** Lists that load their next page when it is needed. */
import { PannierError } from "./problem.js";
import type { Response } from "./requests.js";

/** A part of a list. Some lists have a next cursor at their end too, for what is added later. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | undefined;
  hasMore: boolean;
}

interface Envelope<Item> {
  data: Item[];
  meta: { next_cursor?: string | null; has_more?: boolean };
}

/** The items of a list. Nothing is requested before the first is read. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<Response>;

  constructor(fetch: (cursor: string | undefined) => Promise<Response>) {
    this.#fetch = fetch;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** Iterate over pages, from the given cursor or the beginning. */
  async *pages(cursor?: string): AsyncGenerator<Page<Item>, void, undefined> {
    let current = cursor;
    for (;;) {
      const page: Page<Item> = readPage(await this.#fetch(current));
      yield page;
      if (!page.hasMore) return;
      // Without a cursor, the list would begin again.
      if (!page.nextCursor || page.nextCursor === current) {
        throw new PannierError("The list does not end: a page refers to itself or to the first.");
      }
      current = page.nextCursor;
    }
  }

  /** Load the first page only. */
  async firstPage(): Promise<Page<Item>> {
    return readPage(await this.#fetch(undefined));
  }

  /** Load all pages. */
  async toArray(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

/** Read a page: an array with a `Link` header, or an object with `data` and `meta`. */
function readPage<Item>(response: Response): Page<Item> {
  const body = response.readJson<Item[] | Envelope<Item>>();
  if (Array.isArray(body)) {
    const nextCursor = readLinkCursor(response);
    return { items: body, nextCursor, hasMore: nextCursor !== undefined };
  }
  const { data, meta } = body;
  return { items: data, nextCursor: meta.next_cursor ?? undefined, hasMore: meta.has_more ?? false };
}

/**
 * Read the cursor of the next page from the `Link` header.
 *
 * Only the cursor is used, never the address: credentials go nowhere else.
 */
function readLinkCursor(response: Response): string | undefined {
  const link = response.headers.get("link") ?? "";
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link)?.[1] ?? "";
  const query = target.split("?", 2)[1] ?? "";
  return new URLSearchParams(query).get("cursor") ?? undefined;
}
