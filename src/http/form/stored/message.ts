/** A stored message in this dialect. */
import type { NoticeEmail } from '../../../email/event-notice.ts'
import { mailDate } from '../../../ingress/message-form/date.ts'
import type { StoredEmail, StoredFile } from '../../../store/store.ts'

interface StoredMessage {
  email: StoredEmail
  noticeEmail: NoticeEmail
}

/** The fields for the envelope and the header of the message. */
export function headOf({ email: { content, bcc }, noticeEmail: { sender } }: StoredMessage) {
  const { from, to, cc, subject, messageId, replyTo, headers } = content
  const fields: [name: string, value: string][] = [
    ['From', from],
    ['To', to.join(', ')],
    ['Cc', cc.join(', ')],
    ['Reply-To', replyTo.join(', ')],
    ['Subject', subject],
    ['Message-Id', messageId],
    ['Date', mailDate(content.date)],
    ...headers,
  ]
  const shown = fields.filter(([, value]) => value !== '')
  return {
    recipients: [...to, ...cc, ...bcc].join(', '),
    sender,
    from,
    subject,
    ...Object.fromEntries(shown),
    'message-headers': shown,
  }
}

export function parsedMessage(stored: StoredMessage, files: readonly (StoredFile & { url: string })[]) {
  const { text = '', html = '' } = stored.email.content
  const inline = files.filter(({ contentId }) => contentId !== null)
  return {
    ...headOf(stored),
    'body-plain': text,
    'stripped-text': text,
    'stripped-signature': '',
    'body-html': html,
    'stripped-html': html,
    attachments: files.map(({ url, contentType, filename, size }) => {
      return { url, 'content-type': contentType, name: filename, size }
    }),
    'content-id-map': Object.fromEntries(inline.map(({ contentId, url }) => [`<${contentId}>`, url])),
  }
}
