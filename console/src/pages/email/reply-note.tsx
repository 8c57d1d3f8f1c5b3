/** The meaning of the last reply, and a link to the provider's explanation. */
import { Anchor, Text } from '@mantine/core'
import { providerOf } from '../../../../src/email/mail-provider.ts'
import { replyMeaning } from '../../../../src/operate/reply-meaning.ts'
import type { EmailRecipient } from '../../api/email.ts'

const UNHAPPY: ReadonlySet<EmailRecipient['state']> = new Set(['waiting', 'bounced', 'failed'])

export function ReplyNote({ recipient }: { recipient: EmailRecipient }) {
  if (!UNHAPPY.has(recipient.state) || recipient.message === null) return null
  const meaning = replyMeaning(recipient)
  const provider = providerOf(recipient)
  if (meaning === null && provider === null) return null
  return (
    <Text size="sm" component="p" m={0} mt={4}>
      {meaning}{' '}
      {provider !== null && (
        <Anchor href={provider.about} target="_blank" rel="noopener noreferrer" inherit>
          What {provider.name} says about its replies
        </Anchor>
      )}
    </Text>
  )
}
