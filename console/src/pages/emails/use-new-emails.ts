/** What comes while somebody reads further down: it waits above, so that nothing jumps. */
import { useEffect, useState } from 'react'
import type { Email } from './merge.ts'
import type { Emails } from './use-emails.ts'

/** Px from the top of the page down to which the newest is what is looked at. */
const AT_TOP = 60

export function isAtTop(): boolean {
  return window.scrollY < AT_TOP
}

export function useNewEmails({ emails, behind, restart }: Emails): {
  shown: readonly Email[]
  /** What waits, in words; null: nothing. */
  fresh: string | null
  show: () => void
} {
  /** The newest that is shown; null: all are. */
  const [newest, setNewest] = useState<string | null>(null)
  const first = emails[0]?.id ?? null
  useEffect(() => {
    const look = () => setNewest((old) => (isAtTop() ? null : (old ?? first)))
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [first])

  const begin = newest === null ? 0 : emails.findIndex(({ id }) => id <= newest)
  const waiting = Math.max(0, begin)
  const show = () => {
    setNewest(null)
    window.scrollTo({ top: 0 })
    if (behind) void restart()
  }
  const fresh = behind ? 'Newer emails' : waiting > 0 ? `${waiting} new` : null
  return { shown: waiting === 0 ? emails : emails.slice(waiting), fresh, show }
}
