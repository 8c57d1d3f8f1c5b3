/**
 * The records of sending domains in DNS: whether they are there, whether mail may leave, and the steps of a rotation
 * that follow.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { DkimIdentity, RecordState, SendingDomain } from '../accounts/account.ts'
import { type DnsRecord, dkimRecordName, dnsRecords, isOfReturnPath } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/record-check.ts'
import {
  checkRecord,
  uncheckedRecord,
  type Verification,
  verifyDomain as verifyRecords,
} from '../accounts/verify.ts'
import { type DomainChange, StoreConflict } from '../store/store.ts'
import type { Audit } from './audit-trail.ts'
import { SERVICE } from './authority.ts'
import { continueRotation } from './dkim-rotation.ts'
import { domainEvent } from './domain-event.ts'
import { domainNews } from './domain-news.ts'
import { nextDomainCheck, sendsUntil } from './domain-schedule.ts'
import { domainNote, holderOf } from './domains.ts'
import { OperateError } from './error.ts'
import { findDomain } from './find.ts'
import { hostObstacle } from './return-path.ts'
import { serviceNames } from './service-names.ts'
import { type Operation, verb } from './verb.ts'

/** A domain after a check, and its records as DNS had them. */
export interface DomainVerification {
  domain: SendingDomain
  verification: Verification
  /** The changes that the check has made, as sentences. */
  news: string[]
}

/** Checks one of the domain's records in DNS. Changes nothing, unlike `verifyDomain`. */
export const checkDomainRecord = verb(
  'see',
  async (op, input: { domain: string; name: string; type?: DnsRecord['type'] }): Promise<RecordCheck> => {
    const domain = findDomain(op, input.domain)
    const { name: wanted, type: wantedType } = input
    const names = serviceNames(op, domain)
    const record = dnsRecords(domain, names).find(
      ({ name, type }) => name === wanted && type === (wantedType ?? type),
    )
    if (record !== undefined) {
      return await op.inDnsTurn(domain.companyId, () => checkRecord(domain, record, names, op.resolver()))
    }
    throw new OperateError('not_found', `${domain.name} has no required or advised record at "${wanted}"`)
  },
)

/**
 * Milliseconds that a look at the records of a domain may take. Its owner decides how long its name servers take, and
 * an SPF record may lead to many.
 */
const LOOK_MS = 15_000

/** Looks at all records of the domain in DNS. Changes nothing, unlike `verifyDomain`. */
export const lookAtDomain = verb(
  'see',
  async (op, input: { domain: string }): Promise<{ domain: SendingDomain; records: RecordCheck[] }> => {
    const domain = findDomain(op, input.domain)
    const records = await op.inDnsTurn(domain.companyId, () => checkRecords(op, domain))
    return { domain, records }
  },
)

/** Looks at the records that the domain needs or may have; records that may be removed from DNS are left out. */
export async function checkRecords(op: Operation, domain: SendingDomain): Promise<RecordCheck[]> {
  const names = serviceNames(op, domain)
  const resolver = op.resolver()
  const ended = delay(LOOK_MS, null, { ref: false })
  const look = async (record: DnsRecord): Promise<RecordCheck> => {
    const check = await Promise.race([checkRecord(domain, record, names, resolver), ended])
    return check ?? uncheckedRecord(record, `nothing within ${LOOK_MS / 1_000} seconds`)
  }
  return await Promise.all(
    dnsRecords(domain, names)
      .filter(({ obsolete }) => !obsolete)
      .map(look),
  )
}

/**
 * Checks DNS now. Correct records make sending active, unless the domain is suspended; incorrect ones are a result, not
 * an error. A rotation whose next key is in DNS goes on.
 */
export const verifyDomain = verb(
  'manage',
  async (op, input: { domain: string }): Promise<DomainVerification> => {
    const asked = findDomain(op, input.domain)
    const verification = await op.inDnsTurn(asked.companyId, () =>
      verifyRecords(asked, serviceNames(op, asked), op.resolver()),
    )
    const { news } = await noteVerification(op, { domain: asked.id, verification })
    return { domain: await afterCheck(op, asked, verification), verification, news }
  },
  verificationAudit(),
)

/** The same for the service itself, which writes only news. Null: the domain has been removed. */
export async function checkDomain(op: Operation, id: string): Promise<DomainVerification | null> {
  const asked = await op.store.findDomain(id)
  if (asked === null) return null
  const verification = await verifyRecords(asked, serviceNames(op, asked), op.resolver())
  const domain = await op.store.findDomain(id)
  if (domain === null) return null
  let news: string[] = []
  if (hasNews(op, domain, verification)) {
    try {
      const noted = await noteByService(withDomain(op, domain), { domain: id, verification })
      news = noted.news
    } catch (error) {
      // Another company holds the name: this domain stays pending, as its own verification would say.
      if (!(error instanceof OperateError)) throw error
    }
  }
  return { domain: await afterCheck(op, asked, verification), verification, news }
}

const noteByService = verb('operate', noteVerification, verificationAudit())

interface VerificationNote {
  domain: string
  verification: Verification
}

async function noteVerification(
  op: Operation,
  { domain: id, verification }: VerificationNote,
): Promise<DomainVerification> {
  const domain = await asItIsNow(op, id)
  const seen = seenIn(domain, verification, op.now())
  const change = changeAfter(op, domain, verification)
  const news = newsOf(op, domain, change)
  const after = { ...domain, ...afterChange(domain, change), ...seen }
  const { records } = verification
  const event =
    news.length === 0 ? undefined : domainEvent('domain.updated', after, records, op.now(), news.join(' '))
  try {
    await op.store.updateDomain(id, { ...change, ...seen }, event)
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    await op.store.updateDomain(id, seen)
    throw domainHeldError(domain.name, error)
  }
  return { domain: await asItIsNow(op, id), verification, news }
}

function newsOf(op: Operation, domain: SendingDomain, change: DomainChange): string[] {
  const { returnPathHost: host } = domain
  const mayUse = host === null || hostObstacle(op, domain, host) === null
  return domainNews(domain, afterChange(domain, change), { grace: op.setup.domainGrace, mayUse })
}

/** Completes a change: a domain whose claim was proven becomes active. */
function afterChange({ sending }: SendingDomain, { proven, ...change }: DomainChange): DomainChange {
  return proven && sending === 'inactive' ? { ...change, sending: 'active' } : change
}

/** Goes on with a rotation, and notes the check. `asked`: as it was before. Returns the domain as it is then. */
async function afterCheck(
  op: Operation,
  asked: SendingDomain,
  verification: Verification,
): Promise<SendingDomain> {
  const { id } = asked
  const domain = await asItIsNow(op, id)
  // A call of the service by itself, with audit entries of its own, whoever asked for the check.
  const { isNoted: _, ...own } = withDomain(op, domain)
  const states = keyStates(domain, verification)
  const changed = await continueRotation({ ...own, caller: SERVICE }, domain, states)
  const after = changed ? await asItIsNow(op, id) : domain
  const checkedAt = op.now()
  // A step of a rotation changes the records that the domain needs.
  const { uncertain } = verification
  const grace = op.setup.domainGrace
  const before = await op.store.domainCheckTimes(id)
  const wasSilent = Object.values(asked.seen).includes('unknown')
  const silentFor = wasSilent ? checkedAt - (before?.checkedAt ?? checkedAt) : 0
  const dueAt = changed ? checkedAt : nextDomainCheck(after, { checkedAt, uncertain, silentFor, grace })
  await op.store.noteDomainCheck(id, { checkedAt, dueAt })
  return after
}

function verificationAudit(): Audit<{ domain: string }, DomainVerification> {
  return {
    action: 'verifyDomain',
    note(input, result, { accounts }) {
      if (result === null) return { target: input.domain }
      const { domain } = result
      const before = accounts.domains.find(({ id }) => id === domain.id)
      if (before?.status === domain.status && before.sending === domain.sending) return null
      return { ...domainNote(domain), detail: { status: domain.status, sending: domain.sending } }
    },
  }
}

/** DNS takes seconds. Meanwhile the operator may have suspended the domain, or its company may have removed it. */
async function asItIsNow(op: Operation, id: string): Promise<SendingDomain> {
  const domain = await op.store.findDomain(id)
  return findDomain({ ...op, accounts: { ...op.accounts, domains: domain === null ? [] : [domain] } }, id)
}

/** The service may learn of a change of accounts only after it has read the domain. */
function withDomain(op: Operation, domain: SendingDomain): Operation {
  const others = op.accounts.domains.filter(({ id }) => id !== domain.id)
  return { ...op, accounts: { ...op.accounts, domains: [...others, domain] } }
}

/** The error for a company that has proved in DNS that it controls the name. */
function domainHeldError(name: string, cause: StoreConflict): OperateError {
  const message =
    `the DNS records of ${name} are correct, but another company of this service already sends from this name. This ` +
    'domain stays pending until that company or the operator of this service removes the other one'
  return new OperateError('conflict', message, null, { cause })
}

/** From best to worst. */
const STATES: readonly RecordState[] = ['right', 'unknown', 'different', 'missing']

type SeenRecords = Required<Pick<DomainChange, 'seen' | 'keysSeen'>>

/** The state of each DKIM key's record, and the worst of each kind of record; of DKIM keys, of those in use. */
function seenIn(domain: SendingDomain, verification: Verification, at: number): SeenRecords {
  const seen: SeenRecords['seen'] = {}
  for (const { kind, state, required } of verification.records) {
    if (kind === 'dkim' && !required) continue
    const worst = Math.max(STATES.indexOf(seen[kind] ?? 'right'), STATES.indexOf(state))
    seen[kind] = STATES[worst]!
  }
  return { seen, keysSeen: { at, states: keyStates(domain, verification) } }
}

/** By the id of the key. A key that was added or renamed during the check has none. */
function keyStates(domain: SendingDomain, { records }: Verification): Record<string, RecordState> {
  const states = new Map(records.map(({ name, state }) => [name, state]))
  const known = ({ id, ...key }: DkimIdentity) => {
    const state = states.get(dkimRecordName(key, domain))
    return state === undefined ? [] : [[id, state] as const]
  }
  return Object.fromEntries(domain.dkim.flatMap(known))
}

type Judge = Pick<Operation, 'accounts' | 'hostname' | 'publicUrl' | 'setup'>

/**
 * When DNS does not answer, nothing changes. Sending that was once activated goes on for a while without the records: a
 * passing fault in DNS must not stop mail.
 */
function changeAfter(
  op: Judge & Pick<Operation, 'now'>,
  domain: SendingDomain,
  verification: Verification,
): DomainChange {
  const { verified, uncertain } = verification
  const change: DomainChange = {
    ...(verified ? { status: 'verified', proven: true } : uncertain ? {} : { status: 'pending' }),
    ...returnPathAfter(op, domain, verification),
    ...lossAfter(domain, verification, op.now()),
  }
  const { lostSince = domain.lostSince } = change
  const end = sendsUntil({ lostSince, sending: domain.sending }, op.setup.domainGrace)
  return end !== null && op.now() >= end ? { ...change, sending: 'inactive' } : change
}

function returnPathAfter(
  op: Judge,
  domain: SendingDomain,
  { records }: Verification,
): Pick<DomainChange, 'returnPathHost'> {
  const own = records.filter(isOfReturnPath)
  if (own.some(({ state }) => state === 'missing' || state === 'different')) return { returnPathHost: null }
  if (own.some(({ state }) => state === 'unknown')) return {}
  const host = own[0]?.name ?? null
  // The records of another company's host are right as well.
  return { returnPathHost: host !== null && hostObstacle(op, domain, host) === null ? host : null }
}

/** The DKIM records of a domain that had them are lost when none is left of the keys that sign. */
function lossAfter(
  domain: SendingDomain,
  verification: Verification,
  now: number,
): Pick<DomainChange, 'lostSince'> {
  const states = keyStates(domain, verification)
  const signing = domain.dkim.flatMap(({ id, active }) => (active ? [states[id] ?? 'unknown'] : []))
  if (signing.includes('right')) return { lostSince: null }
  if (signing.includes('unknown') || domain.lostSince !== null) return {}
  const hadThem = domain.status === 'verified' || domain.seen.dkim === 'right'
  return hadThem ? { lostSince: now } : {}
}

function hasNews(op: Operation, domain: SendingDomain, verification: Verification): boolean {
  const change = changeAfter(op, domain, verification)
  // Each check would be refused, and write its refusal.
  if (change.status === 'verified' && holderOf(op, domain) !== undefined) delete change.status
  const { status, sending, returnPathHost, lostSince } = {
    ...domain,
    ...change,
  }
  const { seen } = seenIn(domain, verification, op.now())
  const keysSeen = keyStates(domain, verification)
  const kinds = Object.entries(seen) as [keyof typeof seen, RecordState][]
  return (
    status !== domain.status ||
    sending !== domain.sending ||
    returnPathHost !== domain.returnPathHost ||
    lostSince !== domain.lostSince ||
    kinds.some(([kind, state]) => domain.seen[kind] !== state) ||
    domain.dkim.some(({ id, seen }) => keysSeen[id] !== undefined && keysSeen[id] !== seen)
  )
}
