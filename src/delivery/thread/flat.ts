/**
 * Deliveries and results as rows of plain values. What crosses between threads is copied, and a tree of objects costs
 * three times what the same values cost in a row.
 */
import { monotonic } from '../../common/clock.ts'
import type { EventType } from '../../email/event.ts'
import type { Addressee } from '../../mail/batch/substitute.ts'
import type { Attachment } from '../../mail/message.ts'
import type { DeathCause } from '../../workers/error.ts'
import { alone } from '../../workers/job.ts'
import type {
  Delivery,
  DeliveryMessage,
  DeliveryResult,
  HindranceReport,
  RecipientOutcome,
  Verdict,
} from '../delivery.ts'
import type { NoHosts } from '../path/mail-hosts.ts'
import type { Site, Way } from '../path/path.ts'

/** A delivery under the number its result will carry. Keys are named by their ids: they were sent before. */
export type FlatDelivery = [
  number: number,
  emailId: string,
  companyId: string,
  sender: string,
  /** Position, address, attempts; position, address, ... */
  recipients: (number | string)[],
  /** Null for a large one: it is asked for when it is to be sent. */
  message: FlatContent | FlatRaw | null,
  signing: string[],
  preferredServer: string | null,
  preferredOnly: boolean | undefined,
  testMode: boolean | undefined,
  leaseToken: number,
  /** Of the policy, which was sent before, with its source. */
  policy: string,
  site: FlatSite,
]

type FlatSite = [
  kind: Site['kind'],
  /** Both null where it is not known, or no longer believed, which servers a direct one has. */
  ranks: string[][] | null,
  failure: NoHosts | null,
  until: number,
]

type FlatContent = [
  from: string,
  to: string[],
  cc: string[],
  replyTo: string[],
  subject: string,
  html: string | undefined,
  text: string | undefined,
  headers: [name: string, value: string][],
  attachments: Attachment[],
  messageId: string,
  date: number,
  addressee: FlatAddressee | null,
]

type FlatRaw = [raw: Uint8Array, date: number, addressee: FlatAddressee | null]

type FlatAddressee = [address: string, name: string, variables: Record<string, string>]

export type FlatResult = [
  number: number,
  outcomes: FlatOutcome[],
  server: string | null,
  dialogue: string,
  startedAt: number,
  duration: number,
  tls: string | null,
  captured: Uint8Array | undefined,
  died: DeathCause | undefined,
  hindrance: HindranceReport | undefined,
  notBefore: number | undefined,
  handedOver: true | undefined,
]

type FlatOutcome = [
  position: number,
  verdict: Verdict,
  message: string,
  code: number | undefined,
  enhancedCode: string | undefined,
  suppress: boolean | undefined,
  alsoEvents: EventType[] | undefined,
  server: string | undefined,
]

/** `large`: its message stays behind. */
export function flatDelivery(number: number, delivery: Delivery, large = false): FlatDelivery {
  const recipients: (number | string)[] = []
  for (const { position, address, attempts } of delivery.recipients) {
    recipients.push(position, address, attempts)
  }
  return [
    number,
    delivery.emailId,
    delivery.companyId,
    delivery.sender,
    recipients,
    large ? null : flatMessage(delivery.message),
    delivery.signing.map(({ id }) => id),
    delivery.preferredServer,
    delivery.preferredOnly,
    delivery.testMode,
    delivery.leaseToken,
    delivery.path.policy.id,
    flatSite(delivery.path.site),
  ]
}

function flatSite({ kind, servers }: Way['site']): FlatSite {
  if (servers === null || monotonic() >= servers.until) return [kind, null, null, 0]
  const { hosts, until } = servers
  return hosts.kind === 'hosts' ? [kind, hosts.ranks, null, until] : [kind, null, hosts.failure, until]
}

function siteOf([kind, ranks, failure, until]: FlatSite): Way['site'] {
  if (ranks !== null) return { kind, servers: { hosts: { kind: 'hosts', ranks }, until } }
  if (failure !== null) return { kind, servers: { hosts: { kind: 'none', failure }, until } }
  return { kind, servers: null }
}

/** A delivery with the ids of its keys and of its policy in their place; a large message is missing. */
export type ArrivedDelivery = Omit<Delivery, 'signing' | 'message' | 'path'> & {
  signing: string[]
  policy: string
  site: Way['site']
  message: DeliveryMessage | null
}

export function deliveryOf(flat: FlatDelivery): ArrivedDelivery {
  const [, emailId, companyId, sender, row, message, signing, preferredServer, preferredOnly, testMode] = flat
  const recipients: Delivery['recipients'] = []
  for (let at = 0; at < row.length; at += 3) {
    recipients.push({
      position: row[at] as number,
      address: row[at + 1] as string,
      attempts: row[at + 2] as number,
    })
  }
  return {
    emailId,
    companyId,
    sender,
    recipients,
    message: message && messageOf(message),
    signing,
    preferredServer,
    preferredOnly: preferredOnly === true,
    testMode: testMode === true,
    leaseToken: flat[10],
    policy: flat[11],
    site: siteOf(flat[12]),
  }
}

function flatMessage(message: DeliveryMessage): FlatContent | FlatRaw {
  if (message.kind === 'raw') {
    const { raw, date, addressee } = message
    return [alone(raw), date, flatAddressee(addressee)]
  }
  const { content, addressee = null } = message
  return [
    content.from,
    content.to,
    content.cc,
    content.replyTo,
    content.subject,
    content.html,
    content.text,
    content.headers,
    content.attachments.map((file) => ({ ...file, content: alone(file.content) })),
    content.messageId,
    content.date,
    flatAddressee(addressee),
  ]
}

function flatAddressee(addressee: Addressee | null): FlatAddressee | null {
  return addressee && [addressee.address, addressee.name, addressee.variables]
}

function addresseeOf(row: FlatAddressee | null): Addressee | null {
  return row && { address: row[0], name: row[1], variables: row[2] }
}

function messageOf(flat: FlatContent | FlatRaw): DeliveryMessage {
  if (flat.length === 3) {
    const [raw, date, row] = flat
    return { kind: 'raw', raw, date, addressee: addresseeOf(row) }
  }
  const [from, to, cc, replyTo, subject, html, text, headers, attachments, messageId, date, row] = flat
  const addressee = addresseeOf(row)
  return {
    kind: 'parts',
    ...(addressee !== null && { addressee }),
    content: {
      from,
      to,
      cc,
      replyTo,
      subject,
      ...(html !== undefined && { html }),
      ...(text !== undefined && { text }),
      headers,
      attachments,
      messageId,
      date,
    },
  }
}

export function flatResult(number: number, result: DeliveryResult): FlatResult {
  return [
    number,
    result.outcomes.map(
      ({ position, verdict, message, code, enhancedCode, suppress, alsoEvents, server }) => [
        position,
        verdict,
        message,
        code,
        enhancedCode,
        suppress,
        alsoEvents,
        server,
      ],
    ),
    result.server,
    result.dialogue,
    result.startedAt,
    result.duration,
    result.tls,
    result.captured,
    result.died,
    result.hindrance,
    result.notBefore,
    result.handedOver,
  ]
}

export function resultOf(flat: FlatResult, emailId: string): DeliveryResult {
  const [
    ,
    outcomes,
    server,
    dialogue,
    startedAt,
    duration,
    tls,
    captured,
    died,
    hindrance,
    notBefore,
    handedOver,
  ] = flat
  const result: DeliveryResult = {
    emailId,
    outcomes: outcomes.map(outcomeOf),
    server,
    dialogue,
    startedAt,
    duration,
    tls,
  }
  if (captured !== undefined) result.captured = captured
  if (died !== undefined) result.died = died
  if (hindrance !== undefined) result.hindrance = hindrance
  if (notBefore !== undefined) result.notBefore = notBefore
  if (handedOver !== undefined) result.handedOver = handedOver
  return result
}

function outcomeOf(flat: FlatOutcome): RecipientOutcome {
  const [position, verdict, message, code, enhancedCode, suppress, alsoEvents, server] = flat
  const outcome: RecipientOutcome = { position, verdict, message }
  if (code !== undefined) outcome.code = code
  if (enhancedCode !== undefined) outcome.enhancedCode = enhancedCode
  if (suppress !== undefined) outcome.suppress = suppress
  if (alsoEvents !== undefined) outcome.alsoEvents = alsoEvents
  if (server !== undefined) outcome.server = server
  return outcome
}
