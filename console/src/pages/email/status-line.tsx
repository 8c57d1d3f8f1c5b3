/** The status of an email, the reason, and the next step. */
import { Alert, Text } from '@mantine/core'
import { statusSentence } from '../../../../src/operate/status-sentence.ts'
import type { EmailDetail } from '../../api/email.ts'
import { statusOfShown } from '../../parts/shown-status.ts'
import { Status, statusLook } from '../../parts/status.tsx'
import classes from './email.module.css'
import { Sentence } from './pieces.tsx'
import { ReplyNote } from './reply-note.tsx'

export function StatusLine({ email }: { email: EmailDetail }) {
  const { of, note } = statusOfShown(email)
  return (
    <div role="status" aria-label="Status">
      <Alert
        role="presentation"
        color={statusLook(of).color}
        variant="light"
        py="xs"
        title={<Status of={of} note={note} size="md" />}
      >
        {statusSentence(email).map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the texts have no ids, and are replaced together
          <Text key={index} component="div" className={classes.standing}>
            <Sentence of={text} />
          </Text>
        ))}
        {email.recipients.length === 1 && <ReplyNote recipient={email.recipients[0]!} />}
      </Alert>
    </div>
  )
}
