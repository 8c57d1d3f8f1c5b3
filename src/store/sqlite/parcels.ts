/**
 * The two calls that come with every email, as they cross to the writer: nested lists instead of objects. The names of
 * the fields of an object are copied and looked up again for each; without them the crossing costs a third.
 */
import { type Row, WHOLE } from '../../email/codec.ts'
import type { EventDetail, EventType } from '../../email/event.ts'
import type { Decision, Facts } from '../../email/lifecycle.ts'
import type { Lease, NewEmail, NewRecipient } from '../store.ts'
import { copied, handedOver } from './bytes.ts'
import type { Call, Recording, Writes } from './protocol.ts'

type Parcel =
  | [name: 'accept', lease: number | null, email: EmailParcel]
  | [name: 'record', attempt: AttemptParcel]

/** What the main thread posts for one operation of the writer. */
export type WriteCall = Call<Writes> | Parcel

type EmailParcel = [
  fields: Row,
  dueAt: number,
  idempotency: NewEmail['idempotency'],
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
  const packed = lease === null ? handedOver : copied
  const { dueAt, idempotency } = email
  const recipients = email.recipients.map((to): RecipientParcel => {
    return [to.address, to.domain, to.kind, to.variables]
  })
  const fields = WHOLE.pack(email, (bytes) => packed(bytes, moved))
  return ['accept', lease?.token ?? null, [fields, dueAt, idempotency, recipients]]
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

function emailOf([fields, dueAt, idempotency, recipients]: EmailParcel): NewEmail {
  const email = WHOLE.unpack(fields) as NewEmail
  email.dueAt = dueAt
  email.idempotency = idempotency
  email.recipients = recipients.map(([address, domain, kind, variables]) => {
    return { address, domain, kind, variables }
  })
  return email
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
