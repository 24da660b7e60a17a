// Events and objects on the console's pages.

interface HtmxContext {
  target: HTMLElement;
  request: { action: string; method?: string; headers: Record<string, string | undefined>; body?: BodyInit | null };
  // Added by live.js: passed to `htmx.ajax` and kept until the swap ends.
  asked?: string;
  together: HTMLElement[];
  said?: Element | null;
  saidIn?: string;
  marked?: string | null;
}
declare const htmx: { ajax(method: string, path: string, options: Record<string, unknown>): Promise<unknown> };

// The properties of a feature that was clicked on a map.
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
