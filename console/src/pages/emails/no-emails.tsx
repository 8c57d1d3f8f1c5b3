import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Inbox, SearchX } from 'lucide-react'
import { Empty } from '../../parts/empty.tsx'
import { useMayManage } from '../../shell/company.ts'

export function NoEmails({ company }: { company: string }) {
  const mayManage = useMayManage()
  return (
    <Empty icon={Inbox} title="No email yet">
      The first one shows up here by itself, as soon as it is accepted.
      {mayManage && ' Send one from this page, or with a snippet that is ready to run.'}
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

/** `more`: only some were looked at; it goes on. */
export function NothingFound({ onClear, more }: { onClear: () => void; more: (() => void) | null }) {
  return (
    <Empty icon={SearchX} title={more === null ? 'Nothing found' : 'Nothing found yet'}>
      {more === null
        ? 'No email fits the search and its filters. One that comes later and does shows up here.'
        : 'The newest emails were looked at. Older ones may fit.'}
      <Group justify="center" mt="md">
        {more !== null && <Button onClick={more}>Look further back</Button>}
        <Button variant="default" onClick={onClear}>
          Clear the search
        </Button>
      </Group>
    </Empty>
  )
}
