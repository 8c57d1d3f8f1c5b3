/** Where programs send over SMTP, and the setting that turns SMTP on. */
import { Alert, Text } from '@mantine/core'
import { MailX } from 'lucide-react'
import { type Me, useMe } from '../api/session.ts'
import { CodeBlock } from './code.tsx'

export type SmtpEndpoint = Me['installation']['smtp'][number]

/**
 * The endpoint for programs of a company: one without a login if its mail then belongs to that company, and the
 * future one while SMTP is off.
 */
export function smtpEndpoint(
  { smtp, smtpSuggestion, url }: Me['installation'],
  company: string,
): SmtpEndpoint {
  const found = smtp.find(({ inbox }) => inbox === company) ?? smtp[0] ?? smtpSuggestion?.endpoint
  // The only listener has another port at each start.
  return found ?? { host: new URL(url).hostname, port: 587, security: 'starttls', inbox: null }
}

const NOTES = {
  certificate: 'It also needs a certificate: POSTROAD_TLS_CERT and POSTROAD_TLS_KEY.',
  open: 'Everybody who can reach this address can then send to the inbox.',
} as const

/** Renders nothing while SMTP is on. */
export function SmtpOff() {
  const suggestion = useMe().installation.smtpSuggestion
  if (suggestion === null) return null
  const { setting, note } = suggestion
  return (
    <Alert color="gray" icon={<MailX aria-hidden />} title="SMTP is off">
      <Text size="sm" mb="xs">
        This setting turns it on when the service starts again. {note !== null && NOTES[note]}
      </Text>
      <CodeBlock code={setting} what="the setting" wrap />
    </Alert>
  )
}
