import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Inbox, SearchX } from 'lucide-react'
import { Suspense } from 'react'
import { useMe } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { later } from '../../parts/later.ts'
import { useMayManage } from '../../shell/company.ts'

/** Not part of the first view of a full list. */
const SmtpInbox = later(() => import('./smtp-inbox.tsx'), 'SmtpInbox')

export function NoEmails({ company }: { company: string }) {
  const mayManage = useMayManage()
  const captures = useMe().installation.delivery === 'capture'
  return (
    <Empty icon={Inbox} title="No emails yet">
      The first email appears here as soon as it is accepted.
      {mayManage && ' Send a test message, or use a ready-made snippet.'}
      <Suspense>{captures && <SmtpInbox company={company} />}</Suspense>
      {mayManage && (
        <Group justify="center" mt="md">
          <Button component={Link} to={`/c/${company}/start`}>
            Send a test message
          </Button>
        </Group>
      )}
    </Empty>
  )
}

/** `more`: continues a search that has looked at a part of the emails only. */
export function NothingFound({ onClear, more }: { onClear: () => void; more: (() => void) | null }) {
  return (
    <Empty icon={SearchX} title={more === null ? 'No emails found' : 'No emails found yet'}>
      {more === null
        ? 'No emails match the search and the filters. New emails that match appear here.'
        : 'The newest emails do not match. Older emails may.'}
      <Group justify="center" mt="md">
        {more !== null && <Button onClick={more}>Search older emails</Button>}
        <Button variant="default" onClick={onClear}>
          Clear search
        </Button>
      </Group>
    </Empty>
  )
}
