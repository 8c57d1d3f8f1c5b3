/** The order of a time line. Pure. */

type Ordered = { at: string } & ({ event: { recipient: number | null } } | { attempt: object })

/**
 * By time. In one millisecond the email is accepted, then an attempt begins, and then comes what the attempt has led
 * to.
 */
export function inOrder<Entry extends Ordered>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || rankOf(a) - rankOf(b))
}

function rankOf(entry: Ordered): number {
  if ('attempt' in entry) return 1
  return entry.event.recipient === null ? 0 : 2
}
