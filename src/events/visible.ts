/** Whom a message names for all its recipients to see, as far as each of its events tells it. */
import type { ToldEmail } from '../email/told-event.ts'

/** Mailboxes of one field, and characters of these together: an event is as small however many recipients there are. */
export const MOST_VISIBLE = 50
const MOST_CHARACTERS = 4_000

/** The first mailboxes of To and of Cc. */
export function visiblyAddressed(email: ToldEmail): ToldEmail {
  return { ...email, to: first(email.to), cc: first(email.cc) }
}

function first(mailboxes: string[]): string[] {
  let left = MOST_CHARACTERS
  const end = mailboxes.findIndex((mailbox, index) => {
    left -= mailbox.length
    return index >= MOST_VISIBLE || (index > 0 && left < 0)
  })
  return end < 0 ? mailboxes : mailboxes.slice(0, end)
}

/** Octets that were read and are not told, about. */
export function octetsBeyond(before: ToldEmail, after: ToldEmail): number {
  const lost = (all: string[], some: string[]) =>
    all.slice(some.length).reduce((sum, mailbox) => sum + mailbox.length, 0)
  return lost(before.to, after.to) + lost(before.cc, after.cc)
}
