/**
 * The two calls that are made for every email, encoded for the way to the writer: nested lists instead of objects.
 * Objects' field names are copied and looked up again for each object, which costs a fifth more.
 */
import { CHANGES, plainCodec, RECIPIENTS, type ValueRow, WHOLE } from '../../email/codec.ts'
import type { EventDetail, EventType } from '../../email/event.ts'
import type { Decision, SuppressionCause } from '../../email/lifecycle.ts'
import type { Lease, NewEmail, NewEmails, Quota } from '../store.ts'
import { copied, handedOver } from './bytes.ts'
import type { ThreadCall, WriterRecord, Writes } from './protocol.ts'

type Parcel =
  | [name: 'accept', lease: number | null, email: EmailParcel]
  | [name: 'acceptAll', lease: number | null, emails: EmailParcel[], idempotency: NewEmail['idempotency']]
  | [name: 'record', attempt: ValueRow]

/** The message that the main thread posts for one operation of the writer. */
export type WriteCall = ThreadCall<Writes> | Parcel

type EmailParcel = [
  fields: ValueRow,
  dueAt: number,
  idempotency: NewEmail['idempotency'],
  recipients: ValueRow[],
  quota: Quota | undefined,
]

/** `captured` and `recipients`, the first fields, hold copies and rows instead. */
const ATTEMPT = plainCodec<WriterRecord>(
  [
    ...(['captured', 'recipients', 'emailId', 'leaseToken', 'startedAt', 'duration'] as const),
    ...(['source', 'server', 'tls', 'dialogue'] as const),
  ],
  [],
)

type ResultParcel = [
  position: number,
  tried: boolean,
  suppress: SuppressionCause | null,
  events: EventParcel[],
  change: ValueRow | null,
]

type EventParcel = [type: EventType, at: number, detail: EventDetail]

/**
 * Octets are copied once, and tightly: a view of a larger buffer (a request body, say) would take the whole buffer
 * along. The caller keeps its own octets, except that large ones of an email without a lease are handed over
 * themselves. Buffers worth moving rather than cloning are added to `moved`.
 */
export function packAccept(email: NewEmail, lease: Lease | null, moved: ArrayBuffer[]): Parcel {
  return ['accept', lease?.token ?? null, parcelOf(email, lease, moved)]
}

export function packAcceptAll(
  { emails, idempotency }: NewEmails,
  lease: Lease | null,
  moved: ArrayBuffer[],
): Parcel {
  const parcels = emails.map((email) => parcelOf(email, lease, moved))
  return ['acceptAll', lease?.token ?? null, parcels, idempotency]
}

function parcelOf(email: NewEmail, lease: Lease | null, moved: ArrayBuffer[]): EmailParcel {
  const packed = lease === null ? handedOver : copied
  const { dueAt, idempotency, quota } = email
  const recipients = email.recipients.map((to) => RECIPIENTS.pack(to))
  const fields = WHOLE.pack(email, (bytes) => packed(bytes, moved))
  return [fields, dueAt, idempotency, recipients, quota]
}

/** Large captured octets are handed over. */
export function packRecord(attempt: WriterRecord, moved: ArrayBuffer[]): Parcel {
  const row = ATTEMPT.pack(attempt)
  row[0] = attempt.captured === null ? null : handedOver(attempt.captured, moved)
  row[1] = attempt.recipients.map(packResult)
  return ['record', row]
}

function packResult({ position, decision }: WriterRecord['recipients'][number]): ResultParcel {
  const { tried, suppress, events, change } = decision
  return [
    position,
    tried,
    suppress,
    events.map(({ type, at, detail }) => [type, at, detail]),
    change === null ? null : CHANGES.pack(change),
  ]
}

/** The call as it was before encoding. */
export function unpackCall(call: WriteCall): ThreadCall<Writes> {
  if (!Array.isArray(call)) return call
  if (call[0] === 'record') return { name: 'record', args: [attemptOf(call[1])] }
  const lease = call[1] === null ? null : { token: call[1] }
  if (call[0] === 'accept') return { name: 'accept', args: [emailOf(call[2]), lease] }
  return { name: 'acceptAll', args: [{ emails: call[2].map(emailOf), idempotency: call[3] }, lease] }
}

function emailOf([fields, dueAt, idempotency, recipients, quota]: EmailParcel): NewEmail {
  const email = WHOLE.unpack(fields) as NewEmail
  email.dueAt = dueAt
  email.idempotency = idempotency
  if (quota !== undefined) email.quota = quota
  email.recipients = recipients.map(RECIPIENTS.unpack)
  return email
}

function attemptOf(row: ValueRow): WriterRecord {
  const attempt = ATTEMPT.unpack(row)
  attempt.recipients = (row[1] as ResultParcel[]).map(resultOf)
  return attempt
}

function resultOf([
  position,
  tried,
  suppress,
  events,
  change,
]: ResultParcel): WriterRecord['recipients'][number] {
  const decision: Decision = {
    change: change === null ? null : CHANGES.unpack(change),
    events: events.map(([type, at, detail]) => ({ type, at, detail })),
    suppress,
    tried,
  }
  return { position, decision }
}
