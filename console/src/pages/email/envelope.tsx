/** From whom, to whom and when: the line below a subject. */
import { Text } from '@mantine/core'
import type { EmailDetail } from '../../api/email.ts'
import { ClockTime } from '../../parts/clock-time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

export function Envelope({ email: { from, to, cc, bcc, createdAt } }: { email: EmailDetail }) {
  return (
    <Text size="sm" component="div">
      <UntrustedText>{from}</UntrustedText>
      <Text component="span" inherit c="dimmed">
        {' to '}
      </Text>
      <UntrustedText>{to[0] ?? cc[0] ?? bcc[0] ?? ''}</UntrustedText>
      {to.length > 1 && ` and ${(to.length - 1).toLocaleString()} more`}
      <Text component="span" inherit c="dimmed">
        {', '}
        <ClockTime at={createdAt} />
      </Text>
    </Text>
  )
}
