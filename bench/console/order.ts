/** What is asked of the process that looks at the console, and what it answers. */

export type WatchersOrder =
  /** Signs in, and opens so many pages of emails. Answers `ready` when all of them are live. */
  | { open: { link: string; pages: number } }
  /** Answers with a report of what they saw since they were opened or last asked. */
  | { report: true }

export interface WatchersReport {
  /** Events of their streams, and octets of these. */
  ticks: number
  octets: number
  /** Pages of emails that were read because more had changed than a tick tells. */
  lists: number
}
