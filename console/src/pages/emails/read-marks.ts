/**
 * The emails that the person has read in capture mode. The browser keeps this: it says something about a person and no
 * email, and the store would write a row for each email that somebody opens.
 */
import { useEffect, useSyncExternalStore } from 'react'
import { BrowserRecords } from '../../parts/browser-records.ts'

interface ReadMarks {
  /** Emails up to this id are read, except those among `others`. Ids sort by time. */
  upTo: string
  /** Read emails after `upTo`, and unread ones up to it. */
  others: ReadonlySet<string>
}

/** The most emails in `others`. If there are more, the older half counts as read. */
const MAX = 2_000

const records = new BrowserRecords<ReadMarks>('postroad-read:', (text) => {
  const [upTo = '', ...others] = text === null ? [] : text.split(' ')
  return { upTo, others: new Set(others) }
})

function keep(company: string, { upTo, others }: ReadMarks): void {
  const sorted = [...others].sort()
  const old = sorted.length > MAX ? sorted.splice(0, MAX / 2) : []
  const last = old.at(-1) ?? ''
  records.keep(company, [last > upTo ? last : upTo, ...sorted].join(' '))
}

interface MarkedEmail {
  id: string
  /** Its id. */
  company: string
}

function isRead({ id, company }: MarkedEmail): boolean {
  const { upTo, others } = records.read(company)
  return id <= upTo !== others.has(id)
}

export function setRead(email: MarkedEmail, read: boolean): void {
  if (isRead(email) === read) return
  const { upTo, others } = records.read(email.company)
  const changed = new Set(others)
  if (!changed.delete(email.id)) changed.add(email.id)
  keep(email.company, { upTo, others: changed })
}

export function toggleRead(email: MarkedEmail): void {
  setRead(email, !isRead(email))
}

/** Marks these emails, newest first, and all before them. */
export function setAllRead(emails: readonly MarkedEmail[]): void {
  for (const company of new Set(emails.map((email) => email.company))) {
    const newest = emails.find((email) => email.company === company)!.id
    const { upTo } = records.read(company)
    keep(company, { upTo: newest > upTo ? newest : upTo, others: new Set() })
  }
}

export function useIsRead(email: MarkedEmail): boolean {
  return useSyncExternalStore(records.subscribe, () => isRead(email))
}

export function useUnreadCount(emails: readonly MarkedEmail[]): number {
  return useSyncExternalStore(records.subscribe, () => emails.filter((email) => !isRead(email)).length)
}

/** Marks the email as read when it is shown. */
export function useReadMark({ id, company }: MarkedEmail, isInbox: boolean): void {
  useEffect(() => {
    if (isInbox) setRead({ id, company }, true)
  }, [id, company, isInbox])
}
