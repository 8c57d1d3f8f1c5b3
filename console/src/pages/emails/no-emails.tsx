import { Button } from '@mantine/core'
import { Inbox, SearchX } from 'lucide-react'
import { Suspense } from 'react'
import { useMe } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { later } from '../../parts/later.ts'
import { ALL, useMayManage } from '../../shell/company.ts'
import { NextStep, StepLink } from '../../shell/next-step.tsx'

/** Not part of the first view of a full list. */
const SmtpInbox = later(() => import('./smtp-inbox.tsx'), 'SmtpInbox')

export function NoEmails({ company }: { company: string }) {
  const maySend = useMayManage() && company !== ALL
  const captures = useMe().installation.delivery === 'capture'
  return (
    <Empty
      icon={Inbox}
      title="No emails yet"
      action={<NextStep otherwise={maySend && <StepLink company={company} step="message" />} />}
    >
      The first email appears here as soon as it is accepted.
      <Suspense>{captures && <SmtpInbox company={company} />}</Suspense>
    </Empty>
  )
}

/** `more`: continues a search that has looked at a part of the emails only. */
export function NothingFound({ onClear, more }: { onClear: () => void; more: (() => void) | null }) {
  return (
    <Empty
      icon={SearchX}
      title={more === null ? 'No emails found' : 'No emails found yet'}
      action={
        <>
          {more !== null && <Button onClick={more}>Search older emails</Button>}
          <Button variant="default" onClick={onClear}>
            Clear search
          </Button>
        </>
      }
    >
      {more === null
        ? 'No emails match the search and the filters. New emails that match appear here.'
        : 'The newest emails do not match. Older emails may.'}
    </Empty>
  )
}
