/**
 * Receives returned mail, whichever way it arrived: reads it, finds the email that it is about, decides whether
 * it is believed, and keeps it together with the consequences, in one commit.
 */
import { randomUUIDv7 } from 'node:crypto'
import { isOfService } from '../accounts/account.ts'
import type { ReportReceipt, ReportReceiver } from '../domain-reports/received/report-receiver.ts'
import type { InboundKind, NewInboundMail } from '../email/inbound-mail.ts'
import type { FullMailboxRule, RecipientReport } from '../email/lifecycle.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import { isReportsAddress } from '../mail/domain-report/report-address.ts'
import type { MailReport } from '../mail/report/report.ts'
import { isForDomain, type ReadReturnPath, returnPathId } from '../mail/return-path/return-path.ts'
import { canonicalAddress } from '../network/address-range.ts'
import type {
  AddressedRecipient,
  InboundArrival,
  InboundResult,
  InboundStore,
  ReportedEmail,
} from '../store/store.ts'
import { WorkerDied } from '../workers/error.ts'
import { jobAt } from '../workers/job.ts'
import type { Workers } from '../workers/workers.ts'
import {
  type ArrivedMail,
  MAX_READ,
  partyOf,
  type ReceivedMail,
  type ReceiveMail,
  STRANGERS,
} from './arrived-mail.ts'
import { consequencesOf, findingsOf, hasConsequences } from './consequences.ts'
import { EmailFinder, type EmailFinderParts, type EmailMatch, isAboutAnother } from './find-email.ts'
import { type KeyLookup, MailSignatures, type SignedMail } from './mail-signatures.ts'
import { type ReadMail, readMail, unreadable } from './read-mail.ts'
import { ReporterProof } from './reporter-proof.ts'
import { SharedCalls } from './shared-calls.ts'
import { SourceProof } from './source-proof.ts'

/** Octets up to which a mail is read on this thread, because it takes a few milliseconds whatever its content. */
const MAX_READ_HERE = 16 * 1024
/** Octets of a mail that are kept. */
const MAX_KEPT = 64 * 1024
/** Recipients of a report that are kept for display. */
const MAX_FINDINGS = 20
/** The most mails with reports about an email, in addition to those that each recipient may have. */
const MAX_REPORTS = 100
const MAX_REPORTS_OF_RECIPIENT = 10

/** Why a report about a domain is not counted yet. */
const UNCHECKED = 'The signature of the report cannot be checked now.'

export interface InboundParts extends EmailFinderParts {
  store: Pick<InboundStore, 'reportedEmails' | 'emailWithMessageId' | 'keepInboundMails'>
  /** Null: full mailboxes suppress no address. */
  fullMailbox: FullMailboxRule | null
  /** Looks up the keys of DKIM signatures. */
  keys: KeyLookup
  /** Takes in reports about domains; null: they are only kept. */
  domainReports: Pick<ReportReceiver, 'receiveMail'> | null
  /** Null: all work is done on this thread, because the process does nothing else. */
  workers: Workers | null
  /** Called after the commit. */
  onReceived?(mail: ArrivedMail, received: ReceivedMail): void
}

const READ = jobAt<Uint8Array, ReadMail>(new URL('./read-mail-job.ts', import.meta.url))

export function mailReceiver(parts: InboundParts): ReceiveMail {
  const { store, workers } = parts
  const proof = new SourceProof(new MailSignatures(parts.keys, workers))
  // This proof has places of its own: a flood of reports about domains puts off no report about an email.
  const reporters = new ReporterProof(new MailSignatures(parts.keys, workers))
  const reads = new WeakMap<Uint8Array, Promise<ReadMail>>()
  const commits = new SharedCalls((arrivals: InboundArrival[]) => store.keepInboundMails(arrivals))
  const emails = new EmailFinder(parts)

  /** A mail with several recipients arrives once for each of them, with the same octets. */
  function readOnce(arrived: ArrivedMail): Promise<ReadMail> {
    const { raw } = arrived
    let read = reads.get(raw)
    if (read === undefined) {
      read = readIn(workers, arrived)
      reads.set(raw, read)
    }
    return read
  }

  return async (arrived) => {
    const size = arrived.size ?? arrived.raw.byteLength
    const mail = { ...arrived, size, raw: arrived.raw.subarray(0, MAX_READ) }
    const read = await readOnce(arrived)
    const found = { mail, read, ...(await emails.find(mail, read)) }
    const judged = await judge(found)
    // Domain reports are stored before the mail is. If the store then fails, the mail comes again, and its report still
    // counts once.
    const receipt = isForReports(arrived, read)
      ? await parts.domainReports?.receiveMail(mail.raw, {
          companyId: arrived.companyId,
          party: partyOf(arrived),
          author: () => reporters.authorOf(signedMail(mail, read)),
        })
      : undefined
    const outcome = { ...judged, ...outcomeOfReceipt(receipt) }
    const kept = newMail(mail, read, found, outcome, parts.now())
    const { reports } = judged
    const { client, companyId: handedInBy } = arrived
    const result: InboundResult = await commits.add({ mail: kept, reports, client, handedInBy })
    const { kind, emailId, note } = kept
    const received = { ...result, kind, emailId, note, putOff: outcome.putOff ?? false }
    parts.onReceived?.(arrived, received)
    return received
  }

  /** Decides the consequences of the mail. */
  async function judge({ mail, read, email, returnPath }: MatchedMail): Promise<MailOutcome> {
    const { report, label } = read
    const none = (refused: NonNullable<NewInboundMail['refused']>): MailOutcome => ({ refused, reports: [] })
    if (!hasConsequences(report)) return none('kept')
    if (email === null) return none('no_email')
    if (isAboutAnother(report, email, returnPath)) return none('other_email')
    const most = MAX_REPORTS + MAX_REPORTS_OF_RECIPIENT * email.size
    if (email.reports >= most) return none('too_many')
    const position = returnPath?.recipient ?? null
    const { about, reports } = consequencesOf(report, email, {
      position,
      label,
      at: parts.now(),
      fullMailbox: parts.fullMailbox,
    })
    if (about.length === 0) return none('no_recipient')
    const believed =
      returnPath === null ? [] : about.filter((recipient) => speaksFor(returnPath, email, recipient))
    if (believed.length === about.length) return { refused: null, reports }
    // The source of a mail proves nothing about a report that was attached to it.
    const others = report.enclosed ? [] : about.filter((recipient) => !believed.includes(recipient))
    // On a socket for both families an IPv4 address is written as one of IPv6.
    const peer = mail.source === 'smtp' && mail.reversePath === '' ? (canonicalAddress(mail.peer) ?? '') : ''
    const source = { ...signedMail(mail, read), emailId: email.id, peer, clients: read.clients }
    const { positions: proven, unfinished: putOff } = await proof.prove(source, others)
    for (const { position } of believed) proven.add(position)
    if (proven.size === 0) return { ...none('unproven'), putOff }
    return { refused: null, reports: reports.filter((each) => proven.has(each.position)), putOff }
  }

  /** Whether the return path belongs to the transaction in which the recipient got the email. */
  function speaksFor(
    returnPath: ReadReturnPath,
    { size }: ReportedEmail,
    { address }: AddressedRecipient,
  ): boolean {
    return size === 1 || isForDomain(parts.returnPathKey, returnPath, domainOf(address))
  }
}

/** Whether the mail is addressed to the address for reports. Without an envelope recipient, the header decides. */
function isForReports({ recipient }: ArrivedMail, { addressees }: ReadMail): boolean {
  return recipient === null ? addressees.some(isReportsAddress) : isReportsAddress(recipient)
}

/** The outcome of a mail whose report about a domain was received. */
function outcomeOfReceipt(receipt: ReportReceipt | undefined): Omit<MailOutcome, 'reports'> | null {
  if (receipt === undefined || receipt.kind === 'none') return null
  if (receipt.kind === 'refused') return { refused: 'not_counted', note: receipt.reason }
  if (receipt.kind === 'put_off') return { refused: 'not_counted', note: UNCHECKED, putOff: true }
  return { refused: 'counted', note: receipt.note ?? null }
}

/** The facts of a mail from which its source is proven. */
function signedMail(
  mail: ArrivedMail,
  { author, signatures, covering }: ReadMail,
): SignedMail & { author: string } {
  const { client, companyId, raw } = mail
  return {
    author,
    signatures,
    covering,
    client: partyOf(mail),
    network: client ?? companyId ?? null,
    company: companyId ?? null,
    raw,
  }
}

interface MailOutcome {
  refused: NewInboundMail['refused']
  /** Absent: none. */
  note?: string | null
  reports: readonly RecipientReport[]
  /** See ReceivedMail; absent: no. */
  putOff?: boolean
}

/** A mail with the email that it is about. */
interface MatchedMail extends EmailMatch {
  mail: ArrivedMail
  read: ReadMail
}

/**
 * Reads a mail. One that crashes a worker is kept without consequences, because it would crash the next worker, too.
 */
async function readIn(workers: Workers | null, arrived: ArrivedMail): Promise<ReadMail> {
  const raw = arrived.raw.subarray(0, MAX_READ)
  if (workers === null || raw.byteLength <= MAX_READ_HERE) return readMail(raw)
  // Mail that a company hands in, and mail of strangers, do not wait for each other.
  const turn = { company: arrived.companyId ?? STRANGERS, party: partyOf(arrived) }
  try {
    return await workers.run(READ, raw, { ...turn, weight: raw.byteLength })
  } catch (error) {
    if (error instanceof WorkerDied) return unreadable(raw)
    throw error
  }
}

function newMail(
  { raw, size, recipient, source, peer }: ArrivedMail,
  { report, from, subject, digest }: ReadMail,
  { email, returnPath }: MatchedMail,
  { refused, note = null }: MailOutcome,
  at: number,
): NewInboundMail {
  return {
    id: randomUUIDv7(),
    digest: returnPath === null ? digest : `${digest} ${returnPathId(returnPath)}`,
    at,
    source,
    peer,
    recipient,
    from,
    subject,
    refused,
    note,
    kind: kindOf(report),
    emailId: email?.id ?? null,
    findings: findingsOf(report, MAX_FINDINGS),
    size: Math.max(size ?? 0, raw.byteLength),
    // Servers return mail whole, in any encoding, and a link in mail of the service opens an account or joins a
    // company: members of the company that this mail belongs to would read it here. Otherwise a copy, because a view
    // would take its whole buffer along to the thread of the store.
    raw: new Uint8Array(raw.subarray(0, email !== null && isOfService(email) ? 0 : MAX_KEPT)),
  }
}

/** The kind of a report. A report of success is not a bounce, and has no kind of its own. */
function kindOf(report: MailReport): InboundKind {
  return report.kind === 'none' && hasConsequences(report) ? 'delivery' : report.kind
}
