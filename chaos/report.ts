/** The outcome of a run: for people, and as JSON. */
import { CAUSES, type Cause, type DoubledMail } from './doubles.ts'
import { FAULT_KINDS, FAULT_WORDS, type FaultKind } from './fault-log.ts'
import type { Early, Fate, WrongMessage } from './ledger.ts'
import type { Crash } from './node.ts'
import type { ReportCount } from './reports/check.ts'
import type { StoredReport } from './stored.ts'
import type { WebhookReport } from './webhooks/check.ts'

export interface ChaosReport {
  database: string
  seed: number
  /** ISO 8601. */
  startedAt: string
  /** How long faults struck, in seconds, and how long it took to drain. */
  faultSeconds: number
  drainSeconds: number
  nodes: number
  faults: Partial<Record<FaultKind, { begun: number; struck: number; hits: number }>>
  /** Kinds that were asked for and could not be had here, with the reason. */
  missing: Record<string, string>
  requests: number
  answers: Record<number, number>
  unanswered: number
  messages: Record<Fate, number>
  acceptedRecipients: number
  /** Distinct recipients that the sink saw a message for. */
  arrivedRecipients: number
  transactions: number
  signaturesVerified: number
  refusedForGood: number
  lost: string[]
  lostCount: number
  doubled: Record<Cause, number>
  /** Longest time (ms) from the final dot to what kept its answer from the record, by cause. */
  oldest: Partial<Record<Cause, number>>
  unexplained: DoubledMail[]
  different: DoubledMail[]
  elsewhere: DoubledMail[]
  refusedButSent: string[]
  refusedButSentCount: number
  /** Recipients of messages refused for a failed fsync, which the next start found committed (refused.ts). */
  sentAfterFailedSync: number
  /** Recipients of messages refused while their commit's fate could not be learned, which another node sent first (refused.ts). */
  sentAfterLostCommit: number
  early: Early[]
  earlyCount: number
  wrongMessages: WrongMessage[]
  wrongCount: number
  strangers: number
  stored: StoredReport | null
  webhooks: WebhookReport | null
  reports: ReportCount | null
  surprises: string[]
  surpriseCount: number
  crashes: Crash[]
  failedStarts: number
  /** Why the run does not prove anything; empty if it does. */
  invalid: string[]
}

/** What must not be, with how much of it there was. */
export function defects(report: ChaosReport): [what: string, count: number][] {
  const all: [string, number][] = [
    ['lost', report.lostCount],
    ['doubled without a reason', report.doubled.unexplained],
    ['sent again as other octets', report.different.length],
    ['sent to another server after a lost answer', report.elsewhere.length],
    ['refused and sent nevertheless', report.refusedButSentCount],
    ['sent before their time', report.earlyCount],
    ['wrong messages', report.wrongCount],
    ['messages for strangers', report.strangers],
    ['wrong records', report.stored?.wrongCount ?? 0],
    ['events that were not told', report.webhooks?.lostCount ?? 0],
    ['told and no event', report.webhooks?.inventedCount ?? 0],
    ['told wrongly', report.webhooks?.wrongCount ?? 0],
    ['reports that were lost', report.reports?.lostCount ?? 0],
    ['reports that were counted twice', report.reports?.doubledCount ?? 0],
    ['reports with wrong records', report.reports?.wrongCount ?? 0],
    ['answers that may not be', report.surpriseCount],
    ['nodes that ended by themselves', report.crashes.length],
    ['reasons to distrust the run', report.invalid.length],
  ]
  return all.filter(([, count]) => count > 0)
}

const seconds = (value: number) => (value < 600 ? `${value.toFixed(0)} s` : `${(value / 60).toFixed(1)} min`)

export function reportText(report: ChaosReport): string {
  const lines: string[] = []
  const row = (name: string, value: string | number) => lines.push(`${name.padEnd(46)} ${value}`)
  row('store', `${report.database}, ${report.nodes} node${report.nodes === 1 ? '' : 's'}`)
  row('seed', report.seed)
  row('faults struck for', `${seconds(report.faultSeconds)}, then ${seconds(report.drainSeconds)} to drain`)
  for (const kind of FAULT_KINDS) {
    const count = report.faults[kind]
    if (count)
      row(
        `  ${FAULT_WORDS[kind]}`,
        `${count.struck}${count.begun > count.struck ? ` (of ${count.begun} begun)` : ''}${count.hits > count.struck ? `, ${count.hits} hits` : ''}`,
      )
    else if (kind in report.missing) row(`  ${FAULT_WORDS[kind]}`, `NOT RUN: ${report.missing[kind]}`)
  }
  const { messages } = report
  row(
    'requests',
    `${report.requests}, answers: ${Object.entries(report.answers)
      .map(([status, count]) => `${count} x ${status}`)
      .join(', ')}`,
  )
  row('without an answer', report.unanswered)
  row('messages accepted', `${messages.accepted} for ${report.acceptedRecipients} recipients`)
  row('messages refused / of unknown fate', `${messages.refused} / ${messages.unknown}`)
  row('recipients that got their message', report.arrivedRecipients)
  row('refused for good by the mail servers', report.refusedForGood)
  row('messages checked / signatures verified', `${report.transactions} / ${report.signaturesVerified}`)
  if (report.stored !== null) {
    const { emails, recipients, attempts, delivered, bounced, bouncedAfterLostAnswer, suppressed } =
      report.stored
    row('stored', `${emails} emails, ${recipients} recipients, ${attempts} attempts`)
    row('  delivered / bounced', `${delivered} / ${bounced} (${bouncedAfterLostAnswer} after a lost answer)`)
    if (suppressed > 0) row('  suppressed by a report while they waited', suppressed)
  }
  if (report.webhooks !== null) {
    const { endpoints, wanted, requests, again, lostCount } = report.webhooks
    row('webhooks', `${wanted} events to ${endpoints} endpoints, in ${requests} requests`)
    row('  told more than once / not told', `${again} / ${lostCount}`)
  }
  if (report.reports !== null) {
    const { reports, accepted, lostCount, doubledCount } = report.reports
    row('reports that came back', `${reports}, accepted ${accepted} times`)
    row('  lost / counted twice', `${lostCount} / ${doubledCount}`)
  }
  for (const cause of CAUSES) {
    if (report.doubled[cause] === 0 && cause !== 'unexplained') continue
    const oldest = report.oldest[cause]
    row(
      `doubled, ${cause}`,
      `${report.doubled[cause]}${oldest === undefined ? '' : `, at most ${oldest} ms after the dot`}`,
    )
  }
  if (report.sentAfterFailedSync > 0)
    row('refused, sent after a failed fsync and death', report.sentAfterFailedSync)
  if (report.sentAfterLostCommit > 0)
    row('refused, sent after a commit of unknown fate', report.sentAfterLostCommit)
  row('lost', report.lostCount)
  row('starts that failed', report.failedStarts)
  const found = defects(report)
  if (found.length === 0) {
    lines.push('', 'Nothing lost, nothing doubled outside the named window, nothing wrong.')
    return lines.join('\n')
  }
  lines.push('')
  for (const [what, count] of found) lines.push(`DEFECT: ${what}: ${count}`)
  const examples: [string, unknown[]][] = [
    ['lost', report.lost],
    ['unexplained', report.unexplained],
    ['other octets', report.different],
    ['another server', report.elsewhere],
    ['refused and sent', report.refusedButSent],
    ['early', report.early],
    ['wrong', report.wrongMessages],
    ['records', report.stored?.wrong ?? []],
    ['not told', report.webhooks?.lost ?? []],
    ['no event', report.webhooks?.invented ?? []],
    ['told wrongly', report.webhooks?.wrong ?? []],
    ['reports lost', report.reports?.lost ?? []],
    ['reports counted twice', report.reports?.doubled ?? []],
    ['reports wrong', report.reports?.wrong ?? []],
    ['answers', report.surprises],
    ['crashes', report.crashes],
    ['distrust', report.invalid],
  ]
  for (const [name, list] of examples) {
    for (const each of list.slice(0, 10))
      lines.push(`  ${name}: ${typeof each === 'string' ? each : JSON.stringify(each)}`)
  }
  return lines.join('\n')
}
