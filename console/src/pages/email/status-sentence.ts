/**
 * One sentence about the status of an email and the reason, made of our own text, text of others, and times.
 */
import type { EmailDetail, EmailRecipient } from '../../api/email.ts'
import { replyText } from '../../parts/reply.ts'

/**
 * `untrusted`: text that a server or another stranger wrote, shown apart from our own. `at`: a time in ISO
 * 8601.
 */
export type Piece = string | { untrusted: string } | { at: string }

type SentenceFields = Pick<
  EmailDetail,
  'states' | 'recipients' | 'domain' | 'mostAttempts' | 'createdAt' | 'testMode'
>

const ORDER = [
  'quarantined',
  'bounced',
  'failed',
  'suppressed',
  'waiting',
  'sending',
  'canceled',
  'delivered',
]
const WORDS: Readonly<Record<string, string>> = {
  quarantined: 'in quarantine',
  bounced: 'bounced',
  failed: 'failed',
  suppressed: 'suppressed',
  waiting: 'waiting',
  sending: 'being sent',
  canceled: 'canceled',
  delivered: 'delivered',
}

/** The server's name in capture mode (src/delivery/route/capture.ts). */
const CAPTURE = 'capture'

export function statusSentence(email: SentenceFields): Piece[] {
  const total = Object.values(email.states).reduce((sum, count) => sum + count, 0)
  // The state that most needs attention comes first.
  const [first] = email.recipients.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  if (first === undefined) return ['This email has no recipients.']
  if (total === 1) return recipientSentence(first, email)
  const counts = ORDER.toReversed().flatMap((state) => {
    const count = email.states[state]
    return count === undefined ? [] : [`${count.toLocaleString()} ${WORDS[state]}`]
  })
  const summary = `${total.toLocaleString()} recipients: ${counts.join(', ')}.`
  if (first.state === 'delivered') return [summary]
  return [summary, ' ', { untrusted: first.address }, ': ', ...recipientSentence(first, email)]
}

export function recipientSentence(recipient: EmailRecipient, email: SentenceFields): Piece[] {
  const { state, attempts } = recipient
  switch (state) {
    case 'delivered':
      if (recipient.server === CAPTURE) return ['Captured: the email is stored here and was not sent.']
      return [
        recipient.server ? 'Accepted' : 'Delivered',
        ...by(recipient),
        ...answer(recipient),
        end(recipient),
      ]
    case 'bounced':
      return ['Rejected permanently', ...by(recipient), ...answer(recipient), end(recipient)]
    case 'failed': {
      const after = attempts > 0 ? ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : ''
      return [`Delivery failed${after}`, ...answer(recipient), end(recipient)]
    }
    case 'suppressed':
      if (!recipient.message) return ['Not sent: the address is on the suppression list.']
      return [{ untrusted: recipient.message }, end(recipient)]
    case 'canceled':
      return ['Canceled before it was sent.']
    case 'sending':
      return [`Sending now (attempt ${attempts + 1} of ${email.mostAttempts}).`]
    case 'quarantined':
      return ['In quarantine: sending it crashed a process. An operator has to release or cancel it.']
    default:
      return waiting(recipient, email)
  }
}

function waiting(recipient: EmailRecipient, email: SentenceFields): Piece[] {
  const { waits, at, attempts } = recipient
  const next = `${Math.min(attempts + 1, email.mostAttempts)} of ${email.mostAttempts}`
  const when: Piece[] = at === null ? [] : [` Next attempt (${next}) `, { at }, '.']
  switch (waits) {
    case 'schedule':
      return ['Scheduled by its sender', ...(at === null ? [] : [': it will be sent ', { at }]), '.']
    case 'pause':
      return ['Paused by an operator. It waits, without using up attempts, until the pause ends.']
    case 'domain':
      return [
        'Held: ',
        { untrusted: email.domain.name ?? 'its sending domain' },
        ' may not send at the moment. The email is sent as soon as the domain is active again.',
      ]
    case 'path':
      return [
        'Held: the server refuses mail from here or cannot be reached',
        ...answer(recipient),
        end(recipient),
        ...when,
      ]
    case 'retry':
      return ['Deferred', ...by(recipient), ...answer(recipient), end(recipient), ...when]
    default:
      if (attempts > 0)
        return ['Deferred', ...by(recipient), ...answer(recipient), `. Trying again now (attempt ${next}).`]
      return ['Accepted, and about to be sent.']
  }
}

function by({ server }: EmailRecipient): Piece[] {
  return server === null || server === '' ? [] : [' by ', { untrusted: server }]
}

function answer({ code, message }: EmailRecipient): Piece[] {
  const text = replyText({ code, message })
  return text === '' ? [] : [': ', { untrusted: text }]
}

function end({ message }: EmailRecipient): string {
  return /[.!?]$/.test(message ?? '') ? '' : '.'
}
