/** The meaning of the last reply to a recipient that has no mail. */
import type { EmailRecipient } from '../../api/email.ts'
import { ReplyMeaning } from '../../parts/reply-meaning.tsx'

const UNHAPPY: ReadonlySet<EmailRecipient['state']> = new Set(['waiting', 'bounced', 'failed'])

export function ReplyNote({ recipient }: { recipient: EmailRecipient }) {
  if (!UNHAPPY.has(recipient.state) || recipient.message === null) return null
  return <ReplyMeaning of={recipient} mt={4} />
}
