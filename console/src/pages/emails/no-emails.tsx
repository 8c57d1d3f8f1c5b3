import { Box, Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Inbox, SearchX } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { SmtpOff } from '../../parts/smtp.tsx'
import { ALL, useMayManage } from '../../shell/company.ts'

export function NoEmails({ company }: { company: string }) {
  const mayManage = useMayManage()
  return (
    <Empty icon={Inbox} title="No emails yet">
      The first email appears here as soon as it is accepted.
      {mayManage && ' Send a test message, or use a ready-made snippet.'}
      <SmtpInbox company={company} />
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

/** In capture mode: how applications in development send without an API key. */
function SmtpInbox({ company }: { company: string }) {
  const { installation } = useMe()
  if (installation.delivery !== 'capture') return null
  const places = installation.smtp.filter(
    ({ inbox }) => inbox !== null && (company === ALL || inbox === company),
  )
  const [first] = places
  if (first === undefined) {
    return (
      <Box mt="md" ta="left">
        <SmtpOff />
      </Box>
    )
  }
  const ports = places.filter(({ host }) => host === first.host).map(({ port }) => port)
  return (
    <Text size="sm" mt="md">
      Applications on this machine also send over SMTP: host <b>{first.host}</b>, port{' '}
      <b>{ports.join(' or ')}</b>, without encryption, user or password, from any address.
    </Text>
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
