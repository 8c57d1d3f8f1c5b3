/** The consequences of a report: the recipients of the email that it is about, and a happening for each. Pure. */
import { hash } from 'node:crypto'
import type { EventDetail } from '../email/event.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import type { InboundFinding } from '../email/inbound-mail.ts'
import type { FullMailboxRule, RecipientReport } from '../email/lifecycle.ts'
import { domainOf, isAtOrBelow } from '../mail/address/address-domain.ts'
import type { ReportedRecipient as Finding, MailReport } from '../mail/report/report.ts'
import type { AddressedRecipient, ReportedEmail } from '../store/store.ts'

export interface Consequences {
  /** The recipients that the report is about. */
  about: AddressedRecipient[]
  reports: RecipientReport[]
}

/** Whether a report has consequences for its recipients, and is not only kept for people to read. */
export function hasConsequences({ kind, recipients }: MailReport): boolean {
  return kind === 'bounce' || kind === 'delay' || kind === 'complaint' || recipients.some(isSuccess)
}

/** A server that relayed the mail, or expanded a list, does not know whether it arrived (RFC 3464 2.3.3). */
const isSuccess = ({ action }: Finding) => action === 'delivered'

/** The recipients in a report, for display. */
export function findingsOf({ recipients }: MailReport, most: number): InboundFinding[] {
  return recipients.slice(0, most).map(({ original: _, final: __, ...finding }) => finding)
}

/** Addresses by which recipients of the email may be found. */
export function reportedAddresses({ recipients }: MailReport): string[] {
  return recipients.flatMap(({ address, original }) => (original === null ? [address] : [address, original]))
}

/** The terms on which all recipients of a report are judged. */
interface ReportTerms {
  /** Distinguishes reports with the same words. */
  label: string
  /** Unix ms. */
  at: number
  /** Null: full mailboxes suppress no address. */
  fullMailbox: FullMailboxRule | null
}

interface Concern {
  recipient: AddressedRecipient
  /** Null: the report says nothing else about it. */
  finding: Finding | null
}

/**
 * @param position the recipient that the return path names; null: the report names its recipients
 */
export function consequencesOf(
  report: MailReport,
  email: ReportedEmail,
  { position, ...terms }: { position: number | null } & ReportTerms,
): Consequences {
  const named = position ?? (email.size === 1 ? 0 : null)
  const concerns = named === null ? concernsByAddress(report, email) : concernOf(report, email, named)
  const reports = concerns.flatMap(({ recipient, finding }) => {
    const happening = happeningOf(report, recipient, finding, terms)
    return happening === null ? [] : [{ emailId: email.id, position: recipient.position, happening }]
  })
  return { about: concerns.map(({ recipient }) => recipient), reports }
}

function names({ address, original }: Finding, recipient: AddressedRecipient): boolean {
  const wanted = foldedAscii(recipient.address)
  return foldedAscii(address) === wanted || (original !== null && foldedAscii(original) === wanted)
}

/** Strangers choose both lists, so each is walked once. */
function concernsByAddress({ recipients }: MailReport, email: ReportedEmail): Concern[] {
  const findings = new Map<string, Finding>()
  for (const finding of recipients) {
    for (const address of [finding.address, finding.original]) {
      if (address === null) continue
      const folded = foldedAscii(address)
      if (!findings.has(folded)) findings.set(folded, finding)
    }
  }
  return email.recipients.flatMap((recipient) => {
    const finding = findings.get(foldedAscii(recipient.address))
    return finding === undefined ? [] : [{ recipient, finding }]
  })
}

/**
 * When the report names one other address, the recipient forwards its mail there: the finding holds for the recipient
 * as well. Several other addresses, such as those of a list, say nothing about the recipient.
 */
function concernOf({ recipients }: MailReport, email: ReportedEmail, position: number): Concern[] {
  const recipient = email.recipients.find((each) => each.position === position)
  if (recipient === undefined) return []
  const finding = recipients.find((each) => names(each, recipient))
  if (finding !== undefined) return [{ recipient, finding }]
  if (recipients.length > 1) return []
  return [{ recipient, finding: recipients[0] ?? null }]
}

function happeningOf(
  { kind }: MailReport,
  recipient: AddressedRecipient,
  finding: Finding | null,
  { label, at, fullMailbox }: ReportTerms,
): RecipientReport['happening'] | null {
  if (kind === 'complaint') {
    // A recipient complains about an email once, whatever words the report has.
    return { kind: 'complained', at, detail: { reportId: idOf('complaint') } }
  }
  const isDead = finding?.permanent === true && isOwn(finding, recipient)
  const action = finding?.action ?? (kind === 'bounce' ? 'failed' : kind === 'delay' ? 'delayed' : null)
  const returned = (
    report: 'bounced' | 'delayed' | 'delivered',
    ...further: string[]
  ): RecipientReport['happening'] => {
    const { status = null, reply = null, message = '' } = finding ?? {}
    const reportId = idOf(report, finding?.address ?? '', status ?? '', String(reply), message, ...further)
    const detail: EventDetail = { reportId }
    if (report !== 'delivered') {
      detail.category = finding?.category ?? 'other'
      detail.permanent = isDead
    }
    if (reply !== null) detail.code = reply
    if (status !== null) detail.enhancedCode = status
    if (message !== '') detail.message = message
    return { kind: 'returned', at, report, detail, deadAddress: report === 'bounced' && isDead, fullMailbox }
  }
  switch (action) {
    case 'failed':
      return returned('bounced')
    case 'delayed':
      // A server that still tries says so more than once.
      return returned('delayed', label)
    case 'delivered':
      return recipient.unsettled ? returned('delivered') : null
    default:
      return null
  }
}

/**
 * Whether the failure is that of the recipient itself: the address behind an alias or a forwarding may be gone while
 * the recipient is well (RFC 3464 2.3.1 and 2.3.2).
 */
function isOwn({ final }: Finding, recipient: AddressedRecipient): boolean {
  return isAtOrBelow(domainOf(final), domainOf(recipient.address))
}

/** The id of a report: a hash of its content. */
function idOf(...words: string[]): string {
  return hash('sha256', JSON.stringify(words)).slice(0, 32)
}
