/** Everything that is known about one email, for people and as JSON. */
import type { AccountsSnapshot } from '../accounts/account.ts'
import type { EventDetail } from '../email/event.ts'
import type { EmailHistory, StoredAttempt } from '../store/store.ts'
import { companyName } from './named.ts'
import { clipped, jsonTime, printFields, printLine, printTable, shownTime } from './print.ts'

export function printHistory(
  { email, recipients, events, attempts }: EmailHistory,
  accounts: AccountsSnapshot,
): void {
  const { content } = email
  printFields([
    ['Id', email.id],
    ['Message-ID', content.messageId],
    ['Company', companyName(accounts, email.companyId)],
    ['From', content.from],
    ['To', content.to.join(', ')],
    ['Cc', content.cc.join(', ')],
    ['Bcc', email.bcc.join(', ')],
    ['Reply-To', content.replyTo.join(', ')],
    ['Subject', content.subject],
    ['Accepted', shownTime(email.createdAt)],
    ['Scheduled for', shownTime(email.scheduledAt)],
    ['Last event', email.lastEvent],
    [
      'Size',
      `${email.size} octets${email.contentRemoved ? ' (content removed, its retention time is over)' : ''}`,
    ],
    ['Tags', email.tags.map(({ name, value }) => `${name}=${value}`).join(', ')],
  ])
  printLine()
  printLine('Recipients')
  printTable(
    ['#', 'ADDRESS', 'KIND', 'STATE', 'ATTEMPTS', 'NEXT ATTEMPT', 'LAST ANSWER'],
    recipients.map((each) => [
      each.position,
      each.address,
      each.kind,
      each.state,
      each.attempts,
      shownTime(each.state === 'waiting' ? each.dueAt : null),
      clipped(answerShown(each.lastCode, null, each.lastMessage), 200),
    ]),
    'none',
  )
  printLine()
  printLine('Events')
  printTable(
    ['TIME', 'EVENT', '#', 'DETAIL'],
    events.map(({ at, type, recipient, detail }) => [
      shownTime(at),
      type,
      recipient,
      clipped(detailShown(detail), 200),
    ]),
    'none',
  )
  for (const attempt of attempts) printAttempt(attempt)
}

function printAttempt({ startedAt, duration, server, tls, recipients, dialogue }: StoredAttempt): void {
  const parts = [
    shownTime(startedAt)!,
    `recipients ${recipients.join(', ')}`,
    server ?? 'no server reached',
    tls ?? 'not encrypted',
    `${Math.round(duration)} ms`,
  ]
  printLine()
  printLine(`Attempt ${parts.join('; ')}`)
  for (const line of dialogue.split('\n')) if (line !== '') printLine(`  ${line}`)
}

/** Codes in front only where the message does not begin with them: most are the server's reply as it came. */
function answerShown(
  code: number | null | undefined,
  enhancedCode: string | null | undefined,
  message: string | null | undefined,
): string {
  const text = message ?? ''
  if (code === undefined || code === null || text.includes(String(code))) return text
  return [code, enhancedCode, text]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .join(' ')
}

function detailShown({
  code,
  enhancedCode,
  message,
  server,
  nextAttemptAt,
  attempt,
  tls,
}: EventDetail): string {
  const parts: string[] = []
  if (attempt !== undefined) parts.push(`attempt ${attempt}`)
  if (server !== undefined) parts.push(server)
  if (tls !== undefined) parts.push(tls)
  const answer = answerShown(code, enhancedCode, message)
  if (answer !== '') parts.push(answer)
  if (nextAttemptAt !== undefined) parts.push(`next attempt ${shownTime(nextAttemptAt)}`)
  return parts.join('; ')
}

export function historyInJson({ email, recipients, events, attempts }: EmailHistory) {
  const { content } = email
  return {
    id: email.id,
    company_id: email.companyId,
    domain_id: email.domainId,
    key_id: email.keyId,
    message_id: content.messageId,
    from: content.from,
    to: content.to,
    cc: content.cc,
    bcc: email.bcc,
    reply_to: content.replyTo,
    subject: content.subject,
    created_at: jsonTime(email.createdAt),
    scheduled_at: jsonTime(email.scheduledAt),
    last_event: email.lastEvent,
    size: email.size,
    tags: email.tags,
    variables: email.variables,
    content_removed: email.contentRemoved,
    recipients: recipients.map((each) => ({
      position: each.position,
      address: each.address,
      kind: each.kind,
      state: each.state,
      attempts: each.attempts,
      next_attempt_at: each.state === 'waiting' ? jsonTime(each.dueAt) : null,
      code: each.lastCode,
      message: each.lastMessage,
      server: each.server,
    })),
    events: events.map(({ type, at, recipient, detail }) => ({
      type,
      at: jsonTime(at),
      recipient,
      ...detailInJson(detail),
    })),
    attempts: attempts.map(({ recipients: positions, startedAt, duration, server, tls, dialogue }) => ({
      recipients: positions,
      started_at: jsonTime(startedAt),
      duration_ms: duration,
      server,
      tls,
      dialogue,
    })),
  }
}

function detailInJson({ enhancedCode, nextAttemptAt, ...rest }: EventDetail) {
  return {
    ...rest,
    ...(enhancedCode !== undefined && { enhanced_code: enhancedCode }),
    ...(nextAttemptAt !== undefined && { next_attempt_at: jsonTime(nextAttemptAt) }),
  }
}
