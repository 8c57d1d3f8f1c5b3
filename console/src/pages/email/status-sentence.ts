/** Where an email is and why, in a sentence: text of ours, text of others, and times. */
import type { EmailDetail, EmailRecipient } from '../../api/email.ts'
import { replyText } from '../../parts/reply.ts'

/** `untrusted`: by a server, or whoever else: shown as it is, and apart from our own words. `at`: a time, ISO 8601. */
export type Piece = string | { untrusted: string } | { at: string }

type Told = Pick<EmailDetail, 'states' | 'recipients' | 'domain' | 'mostAttempts' | 'createdAt' | 'testMode'>

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

/** What stands for the server in capture mode (src/delivery/route/capture.ts). */
const CAPTURE = 'capture'

export function statusSentence(email: Told): Piece[] {
  const total = Object.values(email.states).reduce((sum, count) => sum + count, 0)
  // What needs somebody comes first.
  const [first] = email.recipients.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  if (first === undefined) return ['It has no recipients.']
  if (total === 1) return recipientSentence(first, email)
  const counts = ORDER.toReversed().flatMap((state) => {
    const count = email.states[state]
    return count === undefined ? [] : [`${count.toLocaleString()} ${WORDS[state]}`]
  })
  const summary = `Of ${total.toLocaleString()} recipients: ${counts.join(', ')}.`
  if (first.state === 'delivered') return [summary]
  return [summary, ' ', { untrusted: first.address }, ': ', ...recipientSentence(first, email)]
}

/** Of one recipient. */
export function recipientSentence(recipient: EmailRecipient, email: Told): Piece[] {
  const { state, attempts } = recipient
  switch (state) {
    case 'delivered':
      if (recipient.server === CAPTURE) return ['Captured: it is kept here, and went nowhere.']
      return [
        recipient.server ? 'Accepted' : 'Delivered',
        ...by(recipient),
        ...answer(recipient),
        end(recipient),
      ]
    case 'bounced':
      return ['Bounced: refused for good', ...by(recipient), ...answer(recipient), end(recipient)]
    case 'failed': {
      const after = attempts > 0 ? ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : ''
      return [`Given up${after}`, ...answer(recipient), end(recipient)]
    }
    case 'suppressed':
      if (!recipient.message) return ['Not sent: the address is on the suppression list.']
      return [{ untrusted: recipient.message }, end(recipient)]
    case 'canceled':
      return ['Canceled before it was sent.']
    case 'sending':
      return [`Being sent now (attempt ${attempts + 1} of ${email.mostAttempts}).`]
    case 'quarantined':
      return [
        'In quarantine: trying to send it took down a process. An operator has to release or cancel it.',
      ]
    default:
      return waiting(recipient, email)
  }
}

function waiting(recipient: EmailRecipient, email: Told): Piece[] {
  const { waits, at, attempts } = recipient
  const next = `(attempt ${Math.min(attempts + 1, email.mostAttempts)} of ${email.mostAttempts})`
  const when: Piece[] = at === null ? [] : [' Next attempt ', { at }, ` ${next}.`]
  switch (waits) {
    case 'schedule':
      return ['Scheduled by its sender', ...(at === null ? [] : [': it is sent ', { at }]), '.']
    case 'pause':
      return ['Paused by an operator: it stays where it is, and loses no attempts, until that is ended.']
    case 'domain':
      return [
        'Held: ',
        { untrusted: email.domain.name ?? 'its sending domain' },
        ' may not send now. It leaves as soon as the domain is active again.',
      ]
    case 'path':
      return ['Held: its way out is closed', ...answer(recipient), end(recipient), ...when]
    case 'retry':
      return ['Deferred', ...by(recipient), ...answer(recipient), end(recipient), ...when]
    default:
      if (attempts > 0)
        return ['Deferred', ...by(recipient), ...answer(recipient), '. Tried again now ', `${next}.`]
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
