/** The order of a time line, and what its entries need not say again. Pure. */

type Entry = { event: { recipient: number | null } } | { attempt: { server: string | null } }
type Ordered = { at: string } & Entry

/**
 * By time. In one millisecond the email is accepted, then an attempt begins, and then comes what the attempt has led
 * to.
 */
export function sortedByTime<Each extends Ordered>(entries: readonly Each[]): Each[] {
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || rankOf(a) - rankOf(b))
}

function rankOf(entry: Ordered): number {
  if ('attempt' in entry) return 1
  return entry.event.recipient === null ? 0 : 2
}

/** Whether the attempt before this one names the same server. */
export function isSameServer(entries: readonly Entry[], index: number): boolean {
  const entry = entries[index]
  const before = entries.slice(0, index).findLast((each) => 'attempt' in each)
  return entry !== undefined && 'attempt' in entry && before?.attempt.server === entry.attempt.server
}
