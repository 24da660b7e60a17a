// Messages between the console's live worker and its pages.

interface LiveEvent {
  event: string;
}
// A message from live-worker.js to a page.
interface LiveNews {
  news?: LiveEvent;
  at?: number;
  live?: boolean;
  heard?: number;
  missed?: boolean;
  ended?: boolean;
}
