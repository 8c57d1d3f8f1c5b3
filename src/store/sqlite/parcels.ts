/**
 * The two calls that come with every email, as they cross to the writer: nested lists instead of objects. The names of
 * the fields of an object are copied and looked up again for each; without them the crossing costs a third.
 */
import type { EventDetail, EventType } from '../../email/event.ts'
import type { Decision, Facts } from '../../email/lifecycle.ts'
import type { Attachment } from '../../mail/message.ts'
import type { Lease, NewEmail, NewRecipient } from '../store.ts'
import { copied, handedOver } from './bytes.ts'
import type { Call, Recording, Writes } from './protocol.ts'

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
  tried: boolean,
  suppress: string | null,
  events: EventParcel[],
  change: ChangeParcel,
]

/** Undefined: it stays as it was. */
type ChangeParcel = [
  state: Facts['state'] | undefined,
  dueAt: number | null | undefined,
  attempts: number | undefined,
  uncertain: boolean | undefined,
  preferredServer: string | null | undefined,
  postponedSince: number | null | undefined,
  heldFor: Facts['heldFor'] | undefined,
  suspicion: Facts['suspicion'] | undefined,
  cancelRequested: boolean | undefined,
  server: string | null | undefined,
  lastCode: number | null | undefined,
  lastMessage: string | null | undefined,
]

type EventParcel = [type: EventType, at: number, detail: EventDetail]

/**
 * Octets are copied once, and tightly: a view of a larger buffer (a request body, say) would take all of it along. The
 * caller keeps its own, except what is large of an email without a lease: that goes as it is. Buffers worth moving
 * rather than cloning are added to `moved`.
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
export function packRecord(attempt: Recording, moved: ArrayBuffer[]): Parcel {
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
      attempt.recipients.map(({ position, decision: { tried, suppress, events, change } }) => [
        position,
        tried,
        suppress === null ? null : suppress.reason,
        events.map(({ type, at, detail }) => [type, at, detail]),
        packedChange(change ?? {}),
      ]),
    ],
  ]
}

function packedChange(change: Partial<Facts>): ChangeParcel {
  return [
    change.state,
    change.dueAt,
    change.attempts,
    change.uncertain,
    change.preferredServer,
    change.postponedSince,
    change.heldFor,
    change.suspicion,
    change.cancelRequested,
    change.server,
    change.lastCode,
    change.lastMessage,
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
]: AttemptParcel): Recording {
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
  tried,
  suppress,
  events,
  change,
]: ResultParcel): Recording['recipients'][number] {
  const decision: Decision = {
    change: changeOf(change),
    events: events.map(([type, at, detail]) => ({ type, at, detail })),
    suppress: suppress === null ? null : { reason: suppress },
    tried,
  }
  return { position, decision }
}

function changeOf([
  state,
  dueAt,
  attempts,
  uncertain,
  preferredServer,
  postponedSince,
  heldFor,
  suspicion,
  cancelRequested,
  server,
  lastCode,
  lastMessage,
]: ChangeParcel): Partial<Facts> {
  const change: Partial<Facts> = {}
  if (state !== undefined) change.state = state
  if (dueAt !== undefined) change.dueAt = dueAt
  if (attempts !== undefined) change.attempts = attempts
  if (uncertain !== undefined) change.uncertain = uncertain
  if (preferredServer !== undefined) change.preferredServer = preferredServer
  if (postponedSince !== undefined) change.postponedSince = postponedSince
  if (heldFor !== undefined) change.heldFor = heldFor
  if (suspicion !== undefined) change.suspicion = suspicion
  if (cancelRequested !== undefined) change.cancelRequested = cancelRequested
  if (server !== undefined) change.server = server
  if (lastCode !== undefined) change.lastCode = lastCode
  if (lastMessage !== undefined) change.lastMessage = lastMessage
  return change
}

function orNull<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list
}

function isEmpty(map: object): boolean {
  for (const _ in map) return false
  return true
}
