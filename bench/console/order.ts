/** The orders to the process that watches the console, and its answers. */

export type WatchersOrder =
  /** Signs in by a link's token, and opens so many pages of emails. Answers `ready` when all of them are live. */
  | { open: { url: string; token: string; pages: number } }
  /** Answers with a report of what they saw since they were opened or last asked. */
  | { report: true }

export interface WatchersReport {
  /** Events of their streams, and octets of these. */
  ticks: number
  octets: number
  /** Pages of emails that were read because more had changed than a tick tells. */
  lists: number
}
