/**
 * The status of an email in words, with the reason for it: for the command line and for the page of the console. Pure.
 */
import { providerOf } from '../email/mail-provider.ts'
import { isNotAttempted } from '../email/not-attempted.ts'
import type { OwedStep } from '../email/owed-answer.ts'
import { CAPTURE_SERVER, type CountedState, type RecipientState } from '../email/recipient.ts'
import { numberText } from './number-text.ts'
import { namesServer, replyIn, replyText } from './reply-text.ts'
import { type RecipientFacts, STATUS_WORDS, type StatusName, statusNameOf } from './status-word.ts'

/** `untrusted`: text that a server or another stranger wrote, shown apart from our own. `at`: a time in ISO 8601. */
export type Piece = string | { untrusted: string } | { at: string }

/**
 * The finding comes first. The reply of a server follows apart from it, because it may be long.
 */
export interface StatusText {
  statement: Piece[]
  /** Empty: there is none. */
  reply: Piece[]
}

/**
 * The reason why a recipient is waiting.
 * - `turn`: none; it is due now or about to be.
 * - `retry`: for its next attempt, after one that failed temporarily.
 * - `refusal`: for the next try, after one that used up no attempt because no mail gets through to that server now.
 * - `schedule`: for the time that the sender gave.
 * - `pause`: for the end of a pause that an operator has set.
 * - `domain`: its sending domain may not send.
 * - `path`: its path is closed; one delivery at a time tests whether it is open again.
 * - `answer`: it is being sent, or about to be.
 * - `release`: it is in quarantine, until an operator releases it.
 */
export const WAIT_REASONS = [
  'turn',
  'retry',
  'refusal',
  'schedule',
  'pause',
  'domain',
  'path',
  'answer',
  'release',
] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

/** A site that takes none of the mail that waits for it. */
export interface ClosedSiteFacts {
  /** The provider, or the name of the servers. */
  name: string
  /** The only mail concerned: the sending domain or company, and the recipient domain; null: all. */
  whose: string | null
  to: string | null
}

/** The answer for which the attempt under way waits. */
interface OwedAnswerFacts {
  server: string
  step: OwedStep
  /** ISO 8601: since when it is owed, and until when Postroad waits for it. */
  since: string
  until: string
}

export interface RecipientStatus {
  address: string
  state: RecipientState
  /** Attempts that count. */
  attempts: number
  /** Attempts made, including those that do not count; null: more than the history lists. */
  tries: number | null
  /** See `isDelayed`. */
  delayed: boolean
  /** It bounced after a server had accepted the message: a report came back. */
  returned: boolean
  /** The last answer; while a closed path keeps the mail waiting, the trouble that closed it. */
  code: number | null
  message: string | null
  server: string | null
  /** Null: nothing follows. */
  waits: WaitReason | null
  /** ISO 8601; null: it does not depend on time alone, or the next try of its path is due. */
  at: string | null
  /** ISO 8601: when the last attempt is due, as far as it is known. */
  givesUpAt: string | null
  /** Set while it waits for a closed path that the nodes report. */
  closed: ClosedSiteFacts | null
  /** The operator's words, while a pause keeps it waiting; null: none. */
  pauseReason: string | null
  /** Null: its server owes none, or it is not known. */
  owed: OwedAnswerFacts | null
  /** The name of another node that has it; null: none, this one, or not known. */
  node: string | null
}

export interface EmailStatus {
  domain: { name: string | null }
  /** Attempts after which a recipient fails permanently. */
  mostAttempts: number
  /** The number of recipients in each state. */
  states: Readonly<Partial<Record<CountedState, number>>>
  recipients: readonly RecipientStatus[]
}

/** Statuses of recipients; `waiting`: all that are not at an end, where it is not known what each waits for. */
export type StatusGroup = StatusName | 'waiting'

/** The one that most needs attention comes first. */
const GROUPS_BY_URGENCY: readonly StatusGroup[] = [
  'quarantined',
  'bounced',
  'failed',
  'suppressed',
  'held',
  'paused',
  'retrying',
  'waiting',
  'scheduled',
  'accepted',
  'sending',
  'canceled',
  'delivered',
  'captured',
]

export function byUrgency(a: RecipientFacts, b: RecipientFacts): number {
  return urgencyOf(statusNameOf(a)) - urgencyOf(statusNameOf(b))
}

function urgencyOf(group: StatusGroup): number {
  return GROUPS_BY_URGENCY.indexOf(group)
}

/** The recipients of an email by status, the most urgent first: by `states` alone until all of them are known. */
export function recipientGroups(
  states: Readonly<Partial<Record<CountedState, number>>>,
  known: readonly RecipientFacts[],
): { of: StatusGroup; count: number }[] {
  const counts = new Map<StatusGroup, number>()
  const add = (of: StatusGroup, count: number) => counts.set(of, (counts.get(of) ?? 0) + count)
  const byState = Object.entries(states) as [CountedState, number][]
  if (known.length < byState.reduce((sum, [, count]) => sum + count, 0)) {
    for (const [state, count] of byState) add(state === 'sending' ? 'waiting' : state, count)
  } else for (const recipient of known) add(statusNameOf(recipient), 1)
  return [...counts]
    .map(([of, count]) => ({ of, count }))
    .toSorted((a, b) => urgencyOf(a.of) - urgencyOf(b.of))
}

/**
 * The recipient that most needs attention, and if it is at its end, the one that waits and needs attention next.
 */
export function statusSentence(email: EmailStatus): StatusText[] {
  const total = Object.values(email.states).reduce<number>((sum, count) => sum + (count ?? 0), 0)
  const [first, ...others] = email.recipients.toSorted(byUrgency)
  if (first === undefined) return [{ statement: ['This email has no recipients.'], reply: [] }]
  if (total === 1) return [recipientSentence(first, email)]
  const summary = `${numberText(total)} recipients: ${counts(email)}.`
  if (first.state === 'delivered') return [{ statement: [summary], reply: [] }]
  const named = (recipient: RecipientStatus): StatusText => {
    const { statement, reply } = recipientSentence(recipient, email)
    const colon = statement.length === 0 ? ':' : ': '
    return { statement: [{ untrusted: recipient.address }, colon, ...statement], reply }
  }
  const { statement, reply } = named(first)
  const waiting = first.waits === null ? others.find(({ waits }) => waits !== null) : undefined
  return [
    { statement: [summary, ' ', ...statement], reply },
    ...(waiting === undefined ? [] : [named(waiting)]),
  ]
}

/** All pieces in one line. */
export function statusPieces(texts: readonly StatusText[]): Piece[] {
  return texts.flatMap(({ statement, reply }, index) => [
    ...(index === 0 ? [] : [' ']),
    ...statement,
    ...(statement.length === 0 || reply.length === 0 ? [] : [' ']),
    ...reply,
  ])
}

/** `1 delivered, 1 retrying`, as in the filter of the page. */
function counts({ states, recipients }: EmailStatus): string {
  return recipientGroups(states, recipients)
    .toReversed()
    .map(({ of, count }) => `${numberText(count)} ${groupWord(of)}`)
    .join(', ')
}

function groupWord(group: StatusGroup): string {
  switch (group) {
    case 'waiting':
      return group
    case 'quarantined':
      return 'in quarantine'
    case 'sending':
      return 'being sent'
    default:
      return STATUS_WORDS[group].word.toLowerCase()
  }
}

export function recipientSentence(recipient: RecipientStatus, email: EmailStatus): StatusText {
  const { state, attempts, server, message } = recipient
  switch (state) {
    case 'delivered':
      if (server === CAPTURE_SERVER) return only('Captured: the email is stored here and was not sent.')
      return ended([server ? 'Accepted' : 'Delivered', ...by(recipient)], recipient)
    case 'bounced':
      if (recipient.returned)
        return ended(['Accepted', ...by({ ...recipient, message: null }), ', returned later'], recipient)
      return ended(['Rejected permanently', ...by(recipient)], recipient)
    case 'failed': {
      const after = attempts > 0 ? ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : ''
      return ended([`Delivery failed${after}`], recipient)
    }
    case 'suppressed':
      // The reason of the suppression may be a whole reply.
      return message
        ? { statement: [], reply: sentence(message) }
        : only('Not sent: the address is on the suppression list.')
    case 'canceled':
      return only('Canceled before it was sent.')
    case 'sending':
      if (recipient.waits === 'path') return held(recipient)
      return underWay(recipient, `attempt ${attempts + 1} of ${email.mostAttempts}`)
    case 'quarantined':
      return only('In quarantine: sending it crashed a process. An operator has to release or cancel it.')
    default:
      return waiting(recipient, email)
  }
}

const OWED: Record<OwedStep, string> = {
  connect: 'has not accepted the connection',
  proxy: 'is not connected: the proxy of the source address has not answered',
  greeting: 'has not sent its greeting',
  ehlo: 'has not answered EHLO',
  starttls: 'has not answered STARTTLS',
  tls: 'has not completed the TLS handshake',
  auth: 'has not answered AUTH',
  mail: 'has not answered MAIL',
  rcpt: 'has not answered RCPT',
  data: 'has not answered DATA',
  message: 'has not taken the whole message',
  dot: 'has the message and has not answered it',
}

/** `count`: which attempt it is. */
function underWay({ owed, node }: RecipientStatus, count: string): StatusText {
  if (owed !== null) {
    const { server, step, since, until } = owed
    return only(
      `Being sent now (${count}): `,
      { untrusted: server },
      ` ${OWED[step]} since `,
      { at: since },
      '. Postroad waits until ',
      { at: until },
      ' at the latest.',
    )
  }
  if (node === null) return only(`Being sent, or about to be (${count}).`)
  return only(
    'Being sent, or about to be, by the node ',
    { untrusted: node },
    ` (${count}). The page of the email in the console of that node shows the answer for which it waits.`,
  )
}

function only(...statement: Piece[]): StatusText {
  return { statement, reply: [] }
}

/** Returns a final status, which only the server's reply follows. */
function ended(statement: Piece[], recipient: RecipientStatus): StatusText {
  const text = replyText(recipient)
  return text === '' ? only(...statement, '.') : { statement: [...statement, ':'], reply: sentence(text) }
}

function waiting(recipient: RecipientStatus, { domain, mostAttempts }: EmailStatus): StatusText {
  const { waits, at, attempts } = recipient
  const count = `${Math.min(attempts + 1, mostAttempts)} of ${mostAttempts}`
  switch (waits) {
    case 'schedule':
      return before(['Scheduled by its sender', ...time(': it will be sent ', at), '.'], recipient)
    case 'pause':
      return before(
        [
          'Paused by an operator',
          ...(recipient.pauseReason === null
            ? []
            : [': ', { untrusted: recipient.pauseReason.replace(/\.$/, '') }]),
          '. It waits, without using up attempts, until the pause ends',
          ...time(' at ', at),
          '.',
        ],
        recipient,
      )
    case 'domain':
      return before(
        [
          { untrusted: domain.name ?? 'its sending domain' },
          ' may not send at the moment. The email is sent as soon as the domain is active again.',
        ],
        recipient,
      )
    case 'path':
      return held(recipient)
    case 'refusal':
      return refusal(recipient, [...tried(recipient), ...next('', recipient)])
    case 'retry':
      return deferral(recipient, [...time(` Next attempt (${count}) `, at), ...end(recipient)])
    default:
      if (attempts > 0) return deferral(recipient, [` Trying again now (attempt ${count}).`])
      if (!recipient.delayed && recipient.tries === 0) return only('Accepted, and about to be sent.')
      return refusal(recipient, [...tried(recipient), ' Trying now.'])
  }
}

function held(recipient: RecipientStatus): StatusText {
  const { closed, message } = recipient
  if (closed === null) {
    const sooner = '; sooner if other mail gets through'
    return withAnswer(
      ['Postroad waits with this mail.', ...tried(recipient), ...next(sooner, recipient)],
      recipient,
    )
  }
  const site = { untrusted: closed.name }
  const statement = [
    'Postroad waits with all mail',
    ...(closed.whose === null ? [] : [' of ', { untrusted: closed.whose }]),
    ' to ',
    closed.to === null ? site : { untrusted: closed.to },
    '.',
    ...tried(recipient),
    ...(recipient.at === null
      ? [' The next try is due', ...time('; gives up ', recipient.givesUpAt), '.']
      : next('', recipient)),
  ]
  const reply = replyIn(message)
  if (reply) return { statement, reply: [site, ' answers “', { untrusted: reply }, '” to this server.'] }
  if (!message) return { statement, reply: [site, ' takes no mail from this server.'] }
  return { statement, reply: ['Reason: ', ...sentence(message)] }
}

/** The last attempt was spent. A later turn may have ended without one. */
function deferral(recipient: RecipientStatus, then: Piece[]): StatusText {
  if (isNotAttempted(recipient.message))
    return withAnswer(['Waiting.', ...tried(recipient), ...then], recipient)
  return withAnswer(['Deferred', ...by(recipient), '.', ...then], recipient)
}

/** The last try used up no attempt, because the message was not at fault. Without a code, no server has answered. */
function refusal(recipient: RecipientStatus, then: Piece[]): StatusText {
  if (isNotAttempted(recipient.message)) return withAnswer(['Waiting.', ...then], recipient)
  const { address, code } = recipient
  const domain = { untrusted: address.slice(address.lastIndexOf('@') + 1) }
  // Other mail may get through: a site that takes none is closed.
  const statement: Piece[] =
    code === null
      ? ['Mail to ', domain, ' cannot be delivered for now.']
      : [providerOf(recipient)?.name ?? domain, ' refused this email for now.']
  return withAnswer([...statement, ...then], recipient)
}

function tried({ tries }: RecipientStatus): string[] {
  if (tries === 0) return []
  if (tries === null) return [' Tried many times.']
  return [tries === 1 ? ' Tried once.' : ` Tried ${tries} times.`]
}

function next(more: string, recipient: RecipientStatus): Piece[] {
  return [...time(' Next try ', recipient.at), ...(recipient.at === null ? [] : [more]), ...end(recipient)]
}

/** The end of a sentence about the next attempt. */
function end({ at, givesUpAt }: RecipientStatus): Piece[] {
  return at === null ? [] : [...time('; gives up ', givesUpAt), '.']
}

/** For a recipient that waits for another reason than the last answer. */
function before(statement: Piece[], recipient: RecipientStatus): StatusText {
  const whole = [...statement, ...tried(recipient)]
  return recipient.tries === 0 || isNotAttempted(recipient.message)
    ? only(...whole)
    : withAnswer(whole, recipient)
}

/** Without a code, the last words are Postroad's own, about a server that did not answer. */
function withAnswer(statement: Piece[], recipient: RecipientStatus): StatusText {
  const text = replyText(recipient)
  if (text === '') return only(...statement)
  if (isNotAttempted(text)) return { statement, reply: sentence(text) }
  const isAnswer = recipient.code !== null || replyIn(text) !== null
  return { statement, reply: [isAnswer ? 'Last answer: ' : 'Reason: ', ...sentence(text)] }
}

function time(words: string, at: string | null): Piece[] {
  return at === null ? [] : [words, { at }]
}

/** Names the server, unless the answer that follows names it. */
function by({ server, message }: RecipientStatus): Piece[] {
  return server === null || server === '' || namesServer(message, server)
    ? []
    : [' by ', { untrusted: server }]
}

function sentence(text: string): Piece[] {
  return [{ untrusted: text }, /[.!?]$/.test(text) ? '' : '.']
}
