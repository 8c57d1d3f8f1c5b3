/** One returned mail: from where, what it reports, and what followed. */
import { Button, Stack, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { outcomeSentence } from '../../../../src/operate/returned-mail-words.ts'
import { type ReturnedMail, returnedSourceUrl } from '../../api/returned-mail.ts'
import { Category } from '../../parts/category.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { octetsText } from '../../parts/octets.ts'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { KINDS } from './words.ts'

interface ReturnedMailDialogProps {
  company: string
  mail: ReturnedMail | null
  close: () => void
}

export function ReturnedMailDialog({ company, mail, close }: ReturnedMailDialogProps) {
  return (
    <Dialog opened={mail !== null} onClose={close} title={mail && KINDS[mail.kind]} size="lg">
      {mail && <Details company={company} of={mail} />}
    </Dialog>
  )
}

const WAYS: Readonly<Record<ReturnedMail['source'], string>> = {
  smtp: 'over SMTP',
  mailbox: 'through the mailbox',
  http: 'over HTTP',
  command: 'at the command line',
}

function Details({ company, of }: { company: string; of: ReturnedMail }) {
  const { id, at, times, source, peer, recipient, from, subject, outcome, note, findings, size, kept } = of
  return (
    <Stack gap="sm">
      <Text fw={600}>
        <UntrustedText>{subject || 'No subject'}</UntrustedText>
      </Text>
      <Text size="sm">
        From <UntrustedText>{from || 'nobody'}</UntrustedText>
        {recipient !== null && (
          <>
            {' to '}
            <UntrustedText>{recipient}</UntrustedText>
          </>
        )}
      </Text>
      <Text size="sm" component="div">
        <Time at={at} /> · {WAYS[source]}
        {peer !== '' && (
          <>
            {' from '}
            <UntrustedText>{peer}</UntrustedText>
          </>
        )}
        {times > 1 && ` · came ${times} times`}
      </Text>
      <Text size="sm">{outcomeSentence({ outcome, note })}</Text>
      {findings.map((finding) => (
        <Stack key={finding.address} gap={2}>
          <Text size="sm" fw={600}>
            <UntrustedText>{finding.address}</UntrustedText>
          </Text>
          <Text size="sm" component="div">
            {[finding.action, finding.status].filter((word) => word !== null).join(' · ')}{' '}
            {finding.category !== null && <Category of={finding.category} />}
            {finding.permanent && ' the address is dead'}
          </Text>
          {finding.message !== '' && (
            <Text size="sm" c="dimmed">
              <UntrustedText>{finding.message}</UntrustedText>
            </Text>
          )}
        </Stack>
      ))}
      {kept > 0 && (
        <Button
          component="a"
          href={returnedSourceUrl(company, id)}
          download
          variant="default"
          leftSection={<Download size={16} />}
          style={{ alignSelf: 'flex-start' }}
        >
          Download the message
        </Button>
      )}
      {kept < size && (
        <Text size="xs" c="dimmed">
          {kept === 0
            ? 'The message is not kept: it may return a link that is for its recipient alone.'
            : `Its first ${octetsText(kept)} of ${octetsText(size)} are kept.`}
        </Text>
      )}
    </Stack>
  )
}
