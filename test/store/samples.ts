/** Makers of the values that go into a store, with small defaults. */
import { createHash } from 'node:crypto'
import { type ApiKey, type Company, NO_LIMITS, type SendingDomain } from '../../src/accounts/account.ts'
import type { AttemptTls } from '../../src/email/attempt-tls.ts'
import type { NewEvent } from '../../src/email/event.ts'
import type { Decision, Facts, FullMailboxRule } from '../../src/email/lifecycle.ts'
import { idAt } from '../../src/email/suppression.ts'
import type {
  AcceptResult,
  AttemptRecord,
  ClaimRequest,
  LaneRoom,
  NewEmail,
  NewRecipient,
  NodeDescription,
  RecipientRecord,
  RecipientState,
  Store,
  Suppression,
  Suspicion,
} from '../../src/store/store.ts'

export const DAY = 24 * 60 * 60 * 1_000
/** The moment at which things happen in these tests. */
export const NOW = Date.UTC(2026, 10, 20, 12)
export const HOUR = 60 * 60 * 1_000

let serial = 0

/** Ascending like UUIDv7, so that later ones are newer. */
export function newId(): string {
  serial += 1
  return `019a9b2c-0000-7000-8000-${String(serial).padStart(12, '0')}`
}

export function company(name: string): Company {
  return { id: newId(), name, createdAt: NOW, limits: NO_LIMITS }
}

export function domain(owner: Company, name: string): SendingDomain {
  return {
    id: newId(),
    companyId: owner.id,
    name,
    status: 'pending',
    sending: 'inactive',
    createdAt: NOW,
    speaksFor: [],
    settings: { openTracking: true, clickTracking: false },
    seen: { dkim: 'right' },
    returnPathHost: null,
    lostSince: null,
    dkim: [
      {
        id: newId(),
        selector: 's1',
        active: true,
        algorithm: 'rsa-sha256',
        publicKey: 'cHVibGlj',
        sealedPrivateKey: Uint8Array.of(1, 2, 3),
        rotation: null,
        seen: null,
        seenSince: null,
        delegated: false,
        activeSince: null,
      },
      {
        id: newId(),
        selector: 's2',
        active: true,
        algorithm: 'ed25519-sha256',
        publicKey: 'ZWQ=',
        sealedPrivateKey: Uint8Array.of(4),
        rotation: null,
        seen: 'missing',
        seenSince: NOW,
        delegated: true,
        activeSince: NOW + 1,
      },
    ],
  }
}

export function apiKey(owner: Company, domainId: string | null = null): ApiKey {
  const id = newId()
  return {
    id,
    companyId: owner.id,
    name: 'app',
    tokenHash: createHash('sha256').update(id).digest(),
    tokenStart: null,
    password: '$scrypt$ln=15,r=8,p=3$c2FsdA$aGFzaA',
    scopes: ['sending', 'reading'],
    domainId,
    createdAt: NOW,
    networks: ['10.0.0.0/8', '2001:db8::/32'],
    expiresAt: NOW + 86_400_000,
    revokedAt: null,
  }
}

export function to(address: string, change: Partial<NewRecipient> = {}): NewRecipient {
  return {
    address,
    domain: address.slice(address.lastIndexOf('@') + 1),
    kind: 'to',
    variables: null,
    mailbox: null,
    copySize: null,
    ...change,
  }
}

/** An email to these addresses, with text only. */
export function email(
  owner: Pick<Company, 'id'>,
  addresses: string[],
  change: Partial<NewEmail> = {},
): NewEmail {
  const id = newId()
  return {
    id,
    companyId: owner.id,
    domainId: 'domain',
    keyId: 'key',
    sender: 'sender@acme.test',
    returnPathHost: null,
    content: {
      from: 'Sender <sender@acme.test>',
      to: addresses,
      cc: [],
      replyTo: [],
      subject: `Subject of ${id}`,
      text: 'Hello',
      headers: [],
      attachments: [],
      messageId: `<${id}@acme.test>`,
      date: NOW,
    },
    raw: null,
    rawFiles: null,
    bcc: [],
    tags: [],
    variables: {},
    individual: false,
    testMode: false,
    source: null,
    tls: null,
    tlsByMessage: false,
    viaSmtp: false,
    createdAt: NOW,
    dueAt: NOW,
    scheduledAt: null,
    giveUpAt: null,
    size: 1_000,
    recipients: addresses.map((address) => to(address)),
    idempotency: null,
    ...change,
  }
}

export function claimRequest(token: number, change: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    lease: { token },
    now: NOW,
    maxRecipients: 100,
    maxBytes: 1_000_000,
    maxPerCompany: 100,
    together: 100,
    rooms: [],
    roomOfOthers: Number.POSITIVE_INFINITY,
    skipCompanies: [],
    skipDomains: [],
    ...change,
  }
}

/** Lanes that a claim skips, given as `companyId\0domain`. */
export function skipped(lanes: readonly string[]): LaneRoom[] {
  return lanes.map((lane) => {
    const [companyId, domain] = lane.split('\0') as [string, string]
    return { companyId, domains: [domain], room: 0 }
  })
}

export function node(name: string): NodeDescription {
  return { name, roles: ['api', 'delivery'], timeoutMs: 30_000, since: NOW, machine: null }
}

/** What is recorded of one recipient, in short. */
export interface Result {
  state: Exclude<RecipientState, 'sending' | 'quarantined'>
  /** Unix ms, for `waiting`. */
  dueAt: number | null
  tried: boolean
  /** With this one. */
  attempts: number
  postponedSince?: number
  uncertain: boolean
  preferredServer: string | null
  server: string
  code: number | null
  message: string
  held?: boolean
  /** Instead of `held`. */
  heldFor?: Facts['heldFor']
  suspicion?: Suspicion
  suppress: boolean | FullMailboxRule
  events: NewEvent[]
}

/** One recipient's result: delivered, unless changed. */
export function result(position: number, change: Partial<Result> = {}): RecipientRecord {
  const given: Result = {
    state: 'delivered',
    dueAt: null,
    tried: true,
    attempts: change.postponedSince === undefined ? 1 : 0,
    uncertain: false,
    preferredServer: null,
    server: 'mx.x.test [192.0.2.1]:25',
    code: 250,
    message: '250 2.0.0 Ok',
    suppress: false,
    events: [{ type: 'delivered', at: NOW + 1_000, detail: { code: 250 } }],
    ...change,
  }
  return { position, decision: decided(given) }
}

function decided({ state, dueAt, tried, attempts, events, ...given }: Result): Decision {
  const {
    postponedSince,
    uncertain,
    preferredServer,
    server,
    code,
    message,
    held,
    heldFor,
    suspicion,
    suppress,
  } = given
  const answers: Partial<Facts> = {
    attempts,
    uncertain,
    preferredServer,
    postponedSince: null,
    suspicion: 0,
    server,
    lastCode: code,
    lastMessage: message,
  }
  const change: Partial<Facts> = {
    ...(tried && answers),
    ...(state !== 'waiting' && { cancelRequested: false }),
    state,
    dueAt,
    heldFor: heldFor ?? (held ? (postponedSince === undefined ? 'domain' : 'path') : null),
    ...(message !== '' && { lastMessage: message }),
    ...(postponedSince !== undefined && { postponedSince }),
    ...(suspicion !== undefined && { suspicion }),
  }
  const bounce = { type: 'bounce', reason: message || 'refused by the recipient server', code } as const
  const cause = typeof suppress === 'boolean' ? bounce : { ...bounce, repeated: suppress }
  return { change, events, suppress: suppress ? cause : null, tried }
}

export function deferred(position: number, dueAt: number, change: Partial<Result> = {}): RecipientRecord {
  return result(position, {
    state: 'waiting',
    dueAt,
    code: 451,
    message: '451 4.7.1 Greylisted',
    events: [{ type: 'delivery_delayed', at: NOW + 1_000, detail: { code: 451, nextAttemptAt: dueAt } }],
    ...change,
  })
}

export const TLS: AttemptTls = {
  version: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  demand: 'verified',
  source: 'mta-sts',
  verified: true,
  doubt: null,
}

export function attempt(
  of: { id: string },
  leaseToken: number,
  recipients: RecipientRecord[],
  change: Partial<AttemptRecord> = {},
): AttemptRecord {
  return {
    emailId: of.id,
    leaseToken,
    startedAt: NOW,
    duration: 1_000,
    source: '192.0.2.9',
    server: 'mx.x.test [192.0.2.1]:25',
    tls: TLS,
    dialogue: '0 < 220 mx.x.test',
    captured: null,
    recipients,
    ...change,
  }
}

/** Accepts, and leaves the recipients waiting. */
export async function accept(store: Store, value: NewEmail): Promise<NewEmail> {
  const accepted: AcceptResult = await store.accept(value, null)
  if (accepted.kind !== 'accepted') throw new Error(`not accepted: ${accepted.kind}`)
  return value
}

export async function acme(store: Store, name = 'Acme'): Promise<Company> {
  const made = company(name)
  await store.addCompany(made)
  return made
}

/** A suppression by hand, of all mail. */
export function suppression(
  { id: companyId }: Pick<Company, 'id'>,
  address: string,
  change: Partial<Suppression> = {},
): Suppression {
  return {
    id: idAt(change.createdAt ?? NOW),
    companyId,
    address,
    type: 'manual',
    tags: null,
    reason: 'asked to',
    code: null,
    emailId: null,
    domainId: null,
    createdAt: NOW,
    ...change,
  }
}

/** Puts an address on the list by hand; false when it was there. */
export async function suppress(
  store: Pick<Store, 'addSuppressions'>,
  companyId: string,
  address: string,
  reason: string,
  at = NOW,
): Promise<boolean> {
  const [added] = await store.addSuppressions([
    suppression({ id: companyId }, address, { reason, createdAt: at }),
  ])
  return added!
}

/** State by position. */
export async function states(store: Store, id: string): Promise<string[]> {
  const history = await store.readHistory(id)
  return history!.recipients.map(({ state }) => state)
}

/** `type` of the whole email's events, `position:type` of a recipient's. */
export async function eventNames(store: Store, id: string): Promise<string[]> {
  const history = await store.readHistory(id)
  return history!.events.map(({ recipient, type }) => (recipient === null ? type : `${recipient}:${type}`))
}
