/** The orders to the process that watches the console, and its answers. */

export type WatchersOrder =
  /** Signs in with the token of a link, and opens `pages` lists of emails. Answers `ready` when all of them are live. */
  | { open: { url: string; token: string; pages: number } }
  /** Answers with a report of what the pages have received since they were opened, or since the last report. */
  | { report: true }

export interface WatchersReport {
  /** Events in the streams of the pages, and the octets of the events. */
  ticks: number
  octets: number
  /** Lists of emails that were read because more had changed than a tick contains. */
  lists: number
}
