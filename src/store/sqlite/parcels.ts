/**
 * The two calls that come with every email, as they cross to the writer: nested lists instead of objects. The names of the
 * fields of an object are copied and looked up again for each; without them the crossing costs a third.
 */
import type { EventDetail, EventType } from '../../email/event.ts'
import type { Attachment } from '../../mail/message.ts'
import type { AttemptRecord, Lease, NewEmail, NewRecipient, RecipientRecord, Suspicion } from '../store.ts'
import { copied, handedOver } from './bytes.ts'
import type { Call, Writes } from './protocol.ts'

/** Lists that are empty, and fields that are absent, cross as null. */
type Parcel =
  | [name: 'accept', lease: number | null, email: EmailParcel]
  | [name: 'record', attempt: AttemptParcel]

/** What the main thread posts for one operation of the writer. */
export type WriteCall = Call<Writes> | Parcel

type EmailParcel = [
  id: string,
  companyId: string,
  domainId: string,
  keyId: string,
  sender: string,
  from: string,
  to: string[] | null,
  cc: string[] | null,
  replyTo: string[] | null,
  subject: string,
  html: string | null,
  text: string | null,
  headers: [name: string, value: string][] | null,
  attachments: Attachment[] | null,
  messageId: string,
  date: number,
  raw: Uint8Array | null,
  bcc: string[] | null,
  tags: { name: string; value: string }[] | null,
  variables: Record<string, string> | null,
  individual: boolean,
  testMode: boolean,
  createdAt: number,
  dueAt: number,
  scheduled: boolean,
  size: number,
  idempotency: { key: string; fingerprint: string } | null,
  recipients: RecipientParcel[],
]

type RecipientParcel = [
  address: string,
  domain: string,
  kind: NewRecipient['kind'],
  variables: Record<string, string> | null,
]

type AttemptParcel = [
  emailId: string,
  leaseToken: number,
  startedAt: number,
  duration: number,
  server: string | null,
  tls: string | null,
  dialogue: string,
  captured: Uint8Array | null,
  recipients: ResultParcel[],
]

type ResultParcel = [
  position: number,
  state: RecipientRecord['state'],
  dueAt: number | null,
  tried: boolean,
  postponedSince: number | null,
  uncertain: boolean,
  preferredServer: string | null,
  code: number | null,
  message: string,
  held: boolean,
  suspicion: Suspicion,
  suppress: boolean,
  events: EventParcel[],
]

type EventParcel = [type: EventType, at: number, detail: EventDetail]

/**
 * Octets are copied once, and tightly: a view of a larger buffer (a request body, say) would take all of it along. The caller
 * keeps its own, except what is large of an email without a lease: that goes as it is. Buffers worth moving rather than cloning are
 * added to `moved`.
 */
export function packAccept(email: NewEmail, lease: Lease | null, moved: ArrayBuffer[]): Parcel {
  const { content } = email
  const packed = lease === null ? handedOver : copied
  const attachments = content.attachments.map((file) => {
    return { ...file, content: packed(file.content, moved) }
  })
  return [
    'accept',
    lease?.token ?? null,
    [
      email.id,
      email.companyId,
      email.domainId,
      email.keyId,
      email.sender,
      content.from,
      orNull(content.to),
      orNull(content.cc),
      orNull(content.replyTo),
      content.subject,
      content.html ?? null,
      content.text ?? null,
      orNull(content.headers),
      orNull(attachments),
      content.messageId,
      content.date,
      email.raw === null ? null : packed(email.raw, moved),
      orNull(email.bcc),
      orNull(email.tags),
      isEmpty(email.variables) ? null : email.variables,
      email.individual,
      email.testMode,
      email.createdAt,
      email.dueAt,
      email.scheduled,
      email.size,
      email.idempotency,
      email.recipients.map(({ address, domain, kind, variables }) => [address, domain, kind, variables]),
    ],
  ]
}

/** Octets as in `packAccept`. */
export function packRecord(attempt: AttemptRecord, moved: ArrayBuffer[]): Parcel {
  return [
    'record',
    [
      attempt.emailId,
      attempt.leaseToken,
      attempt.startedAt,
      attempt.duration,
      attempt.server,
      attempt.tls,
      attempt.dialogue,
      attempt.captured === null ? null : copied(attempt.captured, moved),
      attempt.recipients.map((recipient) => [
        recipient.position,
        recipient.state,
        recipient.dueAt,
        recipient.tried,
        recipient.postponedSince ?? null,
        recipient.uncertain,
        recipient.preferredServer,
        recipient.code,
        recipient.message,
        recipient.held === true,
        recipient.suspicion ?? 0,
        recipient.suppress,
        recipient.events.map(({ type, at, detail }) => [type, at, detail]),
      ]),
    ],
  ]
}

/** The call as it was before it crossed. */
export function unpacked(call: WriteCall): Call<Writes> {
  if (!Array.isArray(call)) return call
  if (call[0] === 'record') return { name: 'record', args: [attemptOf(call[1])] }
  return { name: 'accept', args: [emailOf(call[2]), call[1] === null ? null : { token: call[1] }] }
}

function emailOf([
  id,
  companyId,
  domainId,
  keyId,
  sender,
  from,
  to,
  cc,
  replyTo,
  subject,
  html,
  text,
  headers,
  attachments,
  messageId,
  date,
  raw,
  bcc,
  tags,
  variables,
  individual,
  testMode,
  createdAt,
  dueAt,
  scheduled,
  size,
  idempotency,
  recipients,
]: EmailParcel): NewEmail {
  return {
    id,
    companyId,
    domainId,
    keyId,
    sender,
    content: {
      from,
      to: to ?? [],
      cc: cc ?? [],
      replyTo: replyTo ?? [],
      subject,
      ...(html !== null && { html }),
      ...(text !== null && { text }),
      headers: headers ?? [],
      attachments: attachments ?? [],
      messageId,
      date,
    },
    raw,
    bcc: bcc ?? [],
    tags: tags ?? [],
    variables: variables ?? {},
    individual,
    testMode,
    createdAt,
    dueAt,
    scheduled,
    size,
    idempotency,
    recipients: recipients.map(([address, domain, kind, variables]) => ({
      address,
      domain,
      kind,
      variables,
    })),
  }
}

function attemptOf([
  emailId,
  leaseToken,
  startedAt,
  duration,
  server,
  tls,
  dialogue,
  captured,
  recipients,
]: AttemptParcel): AttemptRecord {
  return {
    emailId,
    leaseToken,
    startedAt,
    duration,
    server,
    tls,
    dialogue,
    captured,
    recipients: recipients.map(resultOf),
  }
}

function resultOf([
  position,
  state,
  dueAt,
  tried,
  postponedSince,
  uncertain,
  preferredServer,
  code,
  message,
  held,
  suspicion,
  suppress,
  events,
]: ResultParcel): RecipientRecord {
  return {
    position,
    state,
    dueAt,
    tried,
    uncertain,
    preferredServer,
    code,
    message,
    held,
    suspicion,
    suppress,
    ...(postponedSince !== null && { postponedSince }),
    events: events.map(([type, at, detail]) => ({ type, at, detail })),
  }
}

function orNull<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list
}

function isEmpty(map: object): boolean {
  for (const _ in map) return false
  return true
}
