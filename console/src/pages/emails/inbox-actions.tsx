/** The actions of an inbox, in capture mode, and the number of unread emails in the title of the page. */
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useMayManage } from '../../shell/company.ts'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { askToClear } from './clear-inbox.ts'
import { setAllRead, toggleRead, useUnreadCount } from './read-marks.ts'
import { type EmailsSearch, isNarrowed } from './search.ts'
import { emailsQuery } from './use-emails.ts'

const NONE: never[] = []

export function InboxActions({ company, search }: { company: string; search: EmailsSearch }) {
  const mayManage = useMayManage()
  // The list loads it.
  const { data, hasNextPage } = useInfiniteQuery({ ...emailsQuery(company, search), enabled: false })
  const emails = data === undefined ? NONE : data.pages.flatMap((page) => page.emails)
  const unread = useUnreadCount(emails)
  useEffect(() => {
    const count = unread === 0 ? '' : `(${unread}${hasNextPage ? '+' : ''}) `
    document.title = `${count}Emails - Postroad`
  }, [unread, hasNextPage])
  useShortcuts([
    {
      keys: 'U',
      does: 'Mark the email as unread, or as read',
      run: () => {
        const row = document.querySelector<HTMLElement>('[data-email][data-selected]')
        const email = emails.find(({ id }) => id === row?.dataset.email)
        if (email !== undefined) toggleRead(email)
      },
    },
  ])
  return (
    <>
      <Button variant="default" disabled={unread === 0} onClick={() => setAllRead(emails)}>
        Mark all as read
      </Button>
      {mayManage && (
        <Button
          variant="default"
          disabled={emails.length === 0 && !isNarrowed(search)}
          onClick={() => void askToClear(company)}
        >
          Clear inbox
        </Button>
      )}
    </>
  )
}
