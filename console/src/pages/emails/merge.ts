/** Merges changes into a list that is on screen. Pure. */
import type { Static } from 'typebox'
import type { EMAIL_ROW, EMAILS } from '../../../../src/http/console/contract/emails.ts'

export type EmailListItem = Static<typeof EMAIL_ROW>
export type EmailsPage = Static<typeof EMAILS>
export type FoundWords = EmailsPage['words'][number]

/**
 * Replaces emails with their current versions. `grows`: emails that are not on the list yet are inserted; ids
 * are UUIDv7, so they sort by time.
 */
export function withChanged(
  pages: readonly EmailsPage[],
  changed: readonly EmailListItem[],
  grows: boolean,
): EmailsPage[] {
  const news = new Map(changed.map((email) => [email.id, email]))
  const known = new Set<string>()
  const renewed = pages.map((page) => {
    let touched = false
    const emails = page.emails.map((email) => {
      const now = news.get(email.id)
      if (now === undefined) return email
      known.add(email.id)
      touched = true
      return now
    })
    return touched ? { ...page, emails } : page
  })
  let rest = grows ? changed.filter(({ id }) => !known.has(id)) : []
  if (rest.length === 0) return renewed
  return renewed.map((page, index) => {
    const isLast = index === renewed.length - 1
    const floor = isLast && page.next === null ? '' : (page.emails.at(-1)?.id ?? '')
    const here = rest.filter(({ id }) => id > floor)
    if (here.length === 0) return page
    rest = rest.filter(({ id }) => id <= floor)
    const emails = [...page.emails, ...here].sort((a, b) => (a.id < b.id ? 1 : -1))
    return { ...page, emails }
  })
}

/** Puts the newest page on top of the list. Returns `null` if they do not overlap, or the page is the whole list. */
export function withHead(pages: readonly EmailsPage[], head: EmailsPage): EmailsPage[] | null {
  const newest = pages[0]?.emails[0]?.id
  const floor = head.emails.at(-1)?.id
  if (head.next === null || newest === undefined || floor === undefined) return null
  if (newest < floor) return null
  const below = ({ id }: EmailListItem) => id < floor
  return pages.map((page, index) => {
    const emails = page.emails.filter(below)
    return index === 0
      ? {
          ...page,
          cursor: head.cursor,
          emails: [...head.emails, ...emails],
          words: [...head.words, ...page.words],
          texts: head.texts,
        }
      : { ...page, emails }
  })
}
