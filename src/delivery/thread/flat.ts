/**
 * Deliveries and results as rows of plain values. Messages between threads are copied, and a tree of objects costs
 * three times as much as the same values in a row.
 */
import { monotonic } from '../../common/clock.ts'
import { CONTENTS, plainCodec, SENT, type ValueRow } from '../../email/codec.ts'
import type { Addressee } from '../../mail/batch/substitute.ts'
import type { MtaStsMode } from '../../store/store.ts'
import { withOwnBuffer } from '../../workers/job.ts'
import type { Delivery, DeliveryMessage, DeliveryResult, RecipientOutcome, SigningKey } from '../delivery.ts'
import type { NoHosts } from '../path/mail-hosts.ts'
import {
  type DeliveryPath,
  type MailServers,
  type SessionTerms,
  type Site,
  sourcePolicyId,
} from '../path/path.ts'
import type { ReplyRule, SiteTls } from '../sites/site-block.ts'

/**
 * A delivery under the number that its result will carry. Signing keys are given by id: the keys themselves were sent
 * before.
 */
export type FlatDelivery = [
  number: number,
  /** Position, address and attempts of each recipient in turn. */
  recipients: (number | string)[],
  /** The fields of the email that cross, apart from its message. */
  email: ValueRow,
  /** One of `content` and `raw`, or neither for a large message: the thread asks for it when it is to be sent. */
  content: ValueRow | null,
  raw: [raw: Uint8Array, date: number] | null,
  addressee: FlatAddressee | null,
  signing: string[],
  preferredServer: string | null,
  preferredOnly: boolean,
  leaseToken: number,
  /** The `sourcePolicyId` of policy and source, which were sent before. */
  way: string,
  site: FlatSite,
  /** The delivery that it begins behind. */
  behind: number | null,
]

type FlatSite = [
  kind: Site['kind'],
  /** Both null when the servers of a direct site are unknown or no longer valid. */
  ranks: string[][] | null,
  failure: NoHosts | null,
  until: number,
  /** Nobody can have changed `ranks`. */
  secure: boolean,
  mtaSts: FlatPolicy,
  ...terms: FlatTerms,
]

type FlatPolicy = [mode: MtaStsMode, mx: string[], expiresAt: number] | null

type FlatTerms = [
  messagesPerSession: number,
  recipientsPerTransaction: number,
  tls: SiteTls,
  envelopeBehindDot: boolean,
  size: number | null,
  /** Null: the site has no words of its own. */
  replies: readonly ReplyRule[] | null,
]

type FlatAddressee = [address: string, name: string, variables: Record<string, string>]

/** Under the number of its delivery. */
export type FlatResult = [number: number, result: ValueRow]

/**
 * The delivery waits for the answer to its final dot, has gone on to another session after it, or cannot be cut short,
 * because it waits for that answer.
 */
export type FlatSharing = [number: number, what: 'dot' | 'apart' | 'uncut']

/** The rows of the outcomes take the place of `outcomes`, the first field. */
const RESULT = plainCodec<DeliveryResult>(
  ['outcomes', 'server', 'dialogue', 'startedAt', 'duration', 'tls'],
  ['captured', 'died', 'pathTrouble', 'notBefore', 'noWayOut', 'handedOver', 'tlsSessions'],
)
const OUTCOME = plainCodec<RecipientOutcome>(
  ['position', 'verdict', 'message'],
  ['code', 'enhancedCode', 'category', 'permanent', 'suppress', 'complained', 'server', 'tls', 'waitMs'],
)

/** `large`: its message is not sent along. `behind`: the number of the delivery that it begins behind. */
export function flatDelivery(
  number: number,
  delivery: Delivery,
  large = false,
  behind: number | null = null,
): FlatDelivery {
  const recipients: (number | string)[] = []
  for (const { position, address, attempts } of delivery.recipients) {
    recipients.push(position, address, attempts)
  }
  const { message } = delivery
  return [
    number,
    recipients,
    SENT.pack(delivery.email),
    large || message.kind === 'raw' ? null : CONTENTS.pack(message.content, withOwnBuffer),
    large || message.kind === 'parts' ? null : [withOwnBuffer(message.raw), message.date],
    large ? null : flatAddressee(message.addressee ?? null),
    delivery.signing.map(({ id }) => id),
    delivery.preferredServer,
    delivery.preferredOnly,
    delivery.leaseToken,
    sourcePolicyId(delivery.path),
    flatSite(delivery.path),
    behind,
  ]
}

function flatSite({
  site: { kind, servers, mtaSts },
  terms,
}: Pick<DeliveryPath, 'site' | 'terms'>): FlatSite {
  const { messagesPerSession, recipientsPerTransaction, tls, envelopeBehindDot, size = null } = terms
  const replies = terms.replies.length === 0 ? null : terms.replies
  const policy: FlatPolicy = mtaSts === undefined ? null : [mtaSts.mode, mtaSts.mx, mtaSts.expiresAt]
  const flatTerms: FlatTerms = [
    messagesPerSession,
    recipientsPerTransaction,
    tls,
    envelopeBehindDot,
    size,
    replies,
  ]
  if (servers === null || monotonic() >= servers.until)
    return [kind, null, null, 0, false, policy, ...flatTerms]
  const { hosts, until } = servers
  return hosts.kind === 'hosts'
    ? [kind, hosts.ranks, null, until, hosts.secure === true, policy, ...flatTerms]
    : [kind, null, hosts.failure, until, false, policy, ...flatTerms]
}

function wayOf([kind, ranks, failure, until, secure, policy, ...terms]: FlatSite): Pick<
  DeliveryPath,
  'site' | 'terms'
> {
  const site: DeliveryPath['site'] = { kind, servers: serversOf(ranks, failure, until, secure) }
  if (policy !== null) site.mtaSts = { mode: policy[0], mx: policy[1], expiresAt: policy[2] }
  return { site, terms: termsOf(terms) }
}

function serversOf(
  ranks: FlatSite[1],
  failure: FlatSite[2],
  until: number,
  secure: boolean,
): MailServers | null {
  if (ranks !== null) return { hosts: { kind: 'hosts', ranks, ...(secure && { secure }) }, until }
  return failure === null ? null : { hosts: { kind: 'none', failure }, until }
}

function termsOf([
  messagesPerSession,
  recipientsPerTransaction,
  tls,
  envelopeBehindDot,
  size,
  replies,
]: FlatTerms): SessionTerms {
  const terms = { messagesPerSession, recipientsPerTransaction, tls, envelopeBehindDot }
  return { ...terms, ...(size !== null && { size }), replies: replies ?? [] }
}

/** The keys and policies that were sent before the deliveries that name them, by id. */
interface ThreadCache {
  keys: ReadonlyMap<string, SigningKey>
  policies: ReadonlyMap<string, Pick<DeliveryPath, 'policy' | 'source'>>
}

/** A placeholder for a large message, which was not sent along; never read. */
const ELSEWHERE: DeliveryMessage = { kind: 'raw', raw: new Uint8Array(), date: 0, addressee: null }

/** The delivery, and whether its message was left out. */
export function deliveryOf(
  flat: FlatDelivery,
  { keys, policies }: ThreadCache,
): [delivery: Delivery, large: boolean] {
  const [, row, email, content, raw, addressee, signing, preferredServer, preferredOnly] = flat
  const recipients: Delivery['recipients'] = []
  for (let at = 0; at < row.length; at += 3) {
    recipients.push({
      position: row[at] as number,
      address: row[at + 1] as string,
      attempts: row[at + 2] as number,
    })
  }
  const message = messageOf(content, raw, addresseeOf(addressee))
  const { policy, source } = policies.get(flat[10])!
  const delivery: Delivery = {
    email: SENT.unpack(email),
    recipients,
    path: { policy, source, ...wayOf(flat[11]) },
    message: message ?? ELSEWHERE,
    signing: signing.map((id) => keys.get(id)!),
    preferredServer,
    preferredOnly,
    leaseToken: flat[9],
  }
  return [delivery, message === null]
}

function messageOf(
  row: FlatDelivery[3],
  raw: FlatDelivery[4],
  addressee: Addressee | null,
): DeliveryMessage | null {
  if (raw !== null) return { kind: 'raw', raw: raw[0], date: raw[1], addressee }
  if (row === null) return null
  const content = CONTENTS.unpack(row)
  return addressee === null ? { kind: 'parts', content } : { kind: 'parts', content, addressee }
}

function flatAddressee(addressee: Addressee | null): FlatAddressee | null {
  return addressee && [addressee.address, addressee.name, addressee.variables]
}

function addresseeOf(row: FlatAddressee | null): Addressee | null {
  return row && { address: row[0], name: row[1], variables: row[2] }
}

export function flatResult(number: number, result: DeliveryResult): FlatResult {
  const row = RESULT.pack(result)
  row[0] = result.outcomes.map((outcome) => OUTCOME.pack(outcome))
  return [number, row]
}

export function resultOf([, row]: FlatResult): DeliveryResult {
  const result = RESULT.unpack(row)
  result.outcomes = (row[0] as ValueRow[]).map((outcome) => OUTCOME.unpack(outcome))
  return result
}
