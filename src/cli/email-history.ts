/** Prints everything known about one email. */
import { clip } from '../common/clip.ts'
import { CATEGORY_WORDS } from '../email/category-word.ts'
import { lastCategories } from '../email/classification.ts'
import type { EventDetail } from '../email/event.ts'
import type { EmailHistory, StoredAttempt, StoredRecipient } from '../email/stored-email.ts'
import type { BounceCategory } from '../mail/reply/category.ts'
import type { EmailStatusText } from '../operate/next-step.ts'
import { attemptResult } from '../operate/reply-code.ts'
import { isHeldForOthers, replyText } from '../operate/reply-text.ts'
import type { Piece, RecipientStatus } from '../operate/status-sentence.ts'
import { statusOfRecipient, statusText } from '../operate/status-word.ts'
import { type AdviceContext, printDeliveryAdvice, WAS_CAPTURED } from './delivery-advice.ts'
import { formatDue, formatTime, printFields, printLine, printTable, recipientCount } from './print.ts'

/** `company`: its name. */
export function printHistory(
  { email, recipients, events, attempts }: EmailHistory,
  company: string,
  context: AdviceContext,
  { sentence, mostAttempts, statuses }: EmailStatusText,
): void {
  const { content } = email
  printFields([
    ['ID', email.id],
    ['Message-ID', content.messageId],
    ['Company', company],
    ['From', content.from],
    ['To', content.to.join(', ')],
    ['Cc', content.cc.join(', ')],
    ['Bcc', email.bcc.join(', ')],
    ['Reply-To', content.replyTo.join(', ')],
    ['Subject', content.subject],
    ['Accepted', formatTime(email.createdAt)],
    ['Scheduled for', formatTime(email.scheduledAt)],
    ['Last event', email.lastEvent],
    ['Status', clip(sentence.map(pieceText).join(''), 1_000)],
    [
      'Size',
      `${email.size} octets${email.contentRemoved ? ' (content removed: its retention period has ended)' : ''}`,
    ],
    ['Tags', email.tags.map(({ name, value }) => `${name}=${value}`).join(', ')],
  ])
  printLine()
  printLine('Recipients')
  const categories = lastCategories(events)
  printTable(
    ['#', 'ADDRESS', 'KIND', 'STATUS', 'TRIED', 'NEXT ATTEMPT', 'REASON', 'LAST ANSWER'],
    recipients.map((each) => [
      each.position,
      each.address,
      each.kind,
      ...statusCells(each, statuses.get(each.position), mostAttempts),
      nextAttempt(each, statuses.get(each.position)),
      categoryWord(categories.get(each.position)) ?? '',
      clip(replyText({ code: each.lastCode, message: each.lastMessage }), 200),
    ]),
    'none',
  )
  printLine()
  printLine('Events')
  printTable(
    ['TIME', 'EVENT', '#', 'DETAIL'],
    events.map(({ at, type, recipient, detail }) => [
      formatTime(at),
      type,
      recipient,
      clip(formatDetail(detail), 200),
    ]),
    'none',
  )
  for (const attempt of attempts) printAttempt(attempt, recipients)
  if (attempts.some(({ server }) => server === 'capture')) {
    printLine()
    printLine(WAS_CAPTURED)
  }
  const troubled = recipients.filter(({ state }) => state !== 'delivered')
  const messages = troubled.map(({ lastMessage }) => lastMessage)
  printDeliveryAdvice(messages, context)
}

/** The word of the status, and how often the recipient was tried; after the first recipients their own fields. */
function statusCells(
  recipient: StoredRecipient,
  status: RecipientStatus | undefined,
  mostAttempts: number,
): [status: string, tried: number | string] {
  if (status === undefined) return [recipient.state, recipient.attempts]
  return [statusText(statusOfRecipient(status, mostAttempts)), status.tries ?? 'many']
}

/** Other mail may decide when the recipient is tried: its own time is not told then. */
function nextAttempt({ state, dueAt }: StoredRecipient, next: RecipientStatus | undefined): string | null {
  if (state !== 'waiting') return null
  switch (next?.waits) {
    case 'pause':
      return 'paused'
    case 'domain':
      return 'held'
    case 'path':
      return next.at === null ? 'due' : formatDue(Date.parse(next.at))
    default:
      return formatDue(dueAt)
  }
}

function printAttempt(
  { startedAt, duration, ...attempt }: StoredAttempt,
  all: EmailHistory['recipients'],
): void {
  const { source, server, tls, recipients, dialogue } = attempt
  const [first] = recipients
  const only = recipients.length === 1 ? all.find(({ position }) => position === first) : undefined
  const parts = [
    formatTime(startedAt)!,
    only === undefined ? recipientsText(recipients) : `to ${only.address}`,
    `${server ?? 'no server reached'}${source === null ? '' : ` from ${source}`}`,
    tlsWords(tls),
    `${Math.round(duration)} ms`,
    attemptResult(dialogue, tls) ?? undefined,
  ]
  printLine()
  printLine(`Attempt ${joined(parts, '; ')}`)
  for (const line of dialogue.split('\n')) if (line !== '') printLine(`  ${line}`)
}

/** `3 recipients (#0, #1, #4)`, as in the column `#` of the recipients. */
function recipientsText(positions: readonly number[]): string {
  const named = clip(positions.map((position) => `#${position}`).join(', '), 200)
  return `${recipientCount(positions.length)}${named === '' ? '' : ` (${named})`}`
}

function tlsWords(tls: StoredAttempt['tls']): string {
  if (tls === null) return 'not encrypted'
  const { version, cipher, demand, source, verified, doubt } = tls
  const demanded =
    source === 'default' || source === 'route'
      ? ''
      : `; ${demand === 'verified' ? 'verified certificate' : 'TLS'} demanded by ${source}`
  if (version === null) return `not encrypted${doubt === null ? '' : ` (${doubt})`}${demanded}`
  const proof = verified ? 'verified' : `not verified${doubt === null ? '' : `: ${doubt}`}`
  return `${version} ${cipher}, certificate ${proof}${demanded}`
}

function pieceText(piece: Piece): string {
  if (typeof piece === 'string') return piece
  return 'at' in piece ? formatTime(Date.parse(piece.at))! : piece.untrusted
}

export function formatDetail(detail: EventDetail): string {
  const {
    code,
    enhancedCode,
    message,
    server,
    nextAttemptAt,
    attempt,
    tls,
    webhookId,
    host,
    domain,
    category,
  } = detail
  const parts = [
    attempt && `attempt ${attempt}`,
    server,
    tls,
    categoryWord(category),
    replyText({ code, enhancedCode, message }).replace(/\.$/, ''),
    domain && message?.includes(domain) ? undefined : domain,
    webhookId && `webhook ${webhookId} to ${host}`,
    // Held mail goes with the next try of its path.
    nextAttemptAt && !isHeldForOthers(message) && `next attempt ${formatTime(nextAttemptAt)}`,
  ]
  return joined(parts, '; ')
}

function categoryWord(category: BounceCategory | undefined): string | undefined {
  return category && CATEGORY_WORDS[category].word.toLowerCase()
}

/** Skips missing and empty parts. */
function joined(parts: (string | number | false | undefined)[], between: string): string {
  return parts.filter(Boolean).join(between)
}
