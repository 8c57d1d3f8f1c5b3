/** The content of one recipient's copy of a stored batch message. */

import type { NoticeRecipient } from '../../../email/event-notice.ts'
import type { StoredEmail } from '../../../email/stored-email.ts'
import { contentFor } from '../../../events/copy.ts'
import { largeBodies, withTexts } from '../../../mail/body.ts'
import type { MessageBody, MessageContent } from '../../../mail/message.ts'
import { buffersBeneath, jobAt } from '../../../workers/job.ts'
import type { Workers } from '../../../workers/workers.ts'
import type { CopyContentJobInput } from './copy-content-job.ts'

const job = jobAt<CopyContentJobInput, MessageContent<MessageBody>>(
  new URL('./copy-content-job.ts', import.meta.url),
)

/** A worker fills in large content; the octets of the email's bodies are transferred to it. */
export async function copyContent(
  workers: Workers,
  { companyId, content: template }: StoredEmail,
  recipient: NoticeRecipient,
): Promise<MessageContent<MessageBody>> {
  const content = { ...template, attachments: [] }
  const bodies = largeBodies(content)
  if (bodies.length === 0) return contentFor(withTexts(content), recipient)
  const weight = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const order = { content, recipient }
  return await workers.run(job, order, { company: companyId, weight, transfer: buffersBeneath(bodies) })
}
