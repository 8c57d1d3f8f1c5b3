/** Holds back new emails while the viewer is further down, so that the rows do not jump. */
import { useEffect, useState } from 'react'
import type { EmailListItem } from './merge.ts'
import type { Emails } from './use-emails.ts'

/** The distance from the top, in pixels, within which the viewer counts as being at the top. */
const AT_TOP = 60

export function isAtTop(): boolean {
  return window.scrollY < AT_TOP
}

export function useNewEmails({ emails, behind, restart }: Emails): {
  shown: readonly EmailListItem[]
  /** A label for the emails held back; `null` if there are none. */
  fresh: string | null
  show: () => void
} {
  /** The newest email that is shown; `null` if all are. */
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
