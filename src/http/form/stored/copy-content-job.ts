/** A worker's job: fills one recipient's values into the large content of a batch. */
import type { NoticeRecipient } from '../../../email/event-notice.ts'
import { contentFor } from '../../../events/copy.ts'
import { largeBodies, withOctets, withTexts } from '../../../mail/body.ts'
import type { MessageBody, MessageContent } from '../../../mail/message.ts'
import { buffersBeneath } from '../../../workers/job.ts'

export interface CopyContentJobInput {
  content: MessageContent<MessageBody>
  recipient: NoticeRecipient
}

export default function fillIn({ content, recipient }: CopyContentJobInput): MessageContent<MessageBody> {
  return withOctets(contentFor(withTexts(content), recipient))
}

export function buffersOf(content: MessageContent<MessageBody>): ArrayBuffer[] {
  return buffersBeneath(largeBodies(content))
}
