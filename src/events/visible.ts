/** Limits the visible recipients that an event of a message names. */
import type { NoticeEmail } from '../email/event-notice.ts'

/** The most mailboxes of a field that an event names, and the most characters of all of them. */
const MAX_VISIBLE = 50
const MAX_CHARACTERS = 4_000

/** The email with only the first mailboxes of To and of Cc. */
export function withFirstMailboxes(email: NoticeEmail): NoticeEmail {
  return { ...email, to: first(email.to), cc: first(email.cc) }
}

function first(mailboxes: string[]): string[] {
  let left = MAX_CHARACTERS
  const end = mailboxes.findIndex((mailbox, index) => {
    left -= mailbox.length
    return index >= MAX_VISIBLE || (index > 0 && left < 0)
  })
  return end < 0 ? mailboxes : mailboxes.slice(0, end)
}

/** The octets that were read but are left out, approximately. */
export function octetsBeyond(before: NoticeEmail, after: NoticeEmail): number {
  const lost = (all: string[], some: string[]) =>
    all.slice(some.length).reduce((sum, mailbox) => sum + mailbox.length, 0)
  return lost(before.to, after.to) + lost(before.cc, after.cc)
}
