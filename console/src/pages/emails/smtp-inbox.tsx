import { Box, Text } from '@mantine/core'
import { useMe } from '../../api/session.ts'
import { SmtpOff } from '../../parts/smtp.tsx'
import { ALL } from '../../shell/company.ts'

/** In capture mode: how applications in development send without an API key. */
export function SmtpInbox({ company }: { company: string }) {
  const { installation } = useMe()
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
