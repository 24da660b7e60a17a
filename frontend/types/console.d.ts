// Events and records of the console's pages.

interface HtmxContext {
  target: HTMLElement;
  request: { action: string; method?: string; headers: Record<string, string | undefined>; body?: BodyInit | null };
  // Ours: what live.js passes to `htmx.ajax`, and remembers until the swap is over.
  asked?: string;
  together: HTMLElement[];
  said?: Element | null;
  marked?: string | null;
}
declare const htmx: { ajax(method: string, path: string, options: Record<string, unknown>): Promise<unknown> };

// What was picked on a map: the properties of its feature.
interface Picked {
  id: string;
  href?: string;
}

interface DocumentEventMap {
  "htmx:config:request": CustomEvent<{ ctx: HtmxContext }>;
  "htmx:before:swap": CustomEvent<{ ctx: HtmxContext }>;
  "htmx:after:swap": CustomEvent<{ ctx: HtmxContext }>;
  "htmx:error": CustomEvent;
  "pannier:event": CustomEvent<LiveEvent>;
  "pannier:geo": Event;
  "pannier:over": CustomEvent;
  "pannier:pick": CustomEvent<Picked>;
  "pannier:select": CustomEvent<string | { id: string }>;
  "pannier:theme": Event;
}
