// What the console's live worker and its pages exchange.

interface LiveEvent {
  event: string;
}
// What live-worker.js tells a page.
interface LiveNews {
  news?: LiveEvent;
  at?: number;
  live?: boolean;
  heard?: number;
  missed?: boolean;
  ended?: boolean;
}
