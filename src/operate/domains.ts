import {
  CHECK_EVERY_MS,
  type Company,
  type DomainSettings,
  holdsName,
  type RecordKind,
  type SendingDomain,
} from '../accounts/account.ts'
import { type DnsRecord, dnsRecords, isOfReturnPath } from '../accounts/dns-records.ts'
import { newDomain } from '../accounts/new-domain.ts'
import type { DomainChange } from '../store/store.ts'
import type { Audit, AuditNote } from './audit-trail.ts'
import { authoriseWhole, visibleAccounts } from './authority.ts'
import { checkedRetention } from './content-retention.ts'
import { domainEvent } from './domain-event.ts'
import { type About, OperateError, unlessTaken } from './error.ts'
import {
  type CompanyFilter,
  companyName,
  domainName,
  findDomain,
  findWholeCompany,
  listedAccounts,
  noSuchDomain,
} from './find.ts'
import { noZone, serviceNames } from './service-names.ts'
import { type Operation, verb } from './verb.ts'

export interface DomainWithRecords {
  domain: SendingDomain
  /** The records that the domain's owner has to publish. */
  records: DnsRecord[]
}

export interface NewDomainInput {
  /** Name or id. */
  company: string
  /** Unicode or punycode. */
  name: string
  /** Add a second DKIM key, Ed25519 (RFC 8463). */
  ed25519?: boolean
  /** Publish its DKIM keys in the operator's zone; default: true if the service has such a zone. */
  delegated?: boolean
  /** Other domains of the company that mail for this domain may use in From: names or ids. */
  speaksFor?: readonly string[]
  settings?: Partial<DomainSettings>
}

/** Adds a sending domain with fresh DKIM keys. No mail can be sent from it until it is verified or activated. */
export const addDomain = verb(
  'manage',
  async (op, input: NewDomainInput): Promise<DomainWithRecords & { company: Company }> => {
    const name = domainName(input.name)
    const company = findWholeCompany(op, input.company)
    refuseTaken(op, name)
    const speaksFor = othersOf(op, company.id, name, input.speaksFor ?? [])
    const fresh = await newDomain({
      companyId: company.id,
      name,
      seal: await op.seal(),
      ed25519: input.ed25519 === true,
      delegated: isDelegating(op, input),
      speaksFor,
      createdAt: op.now(),
    })
    const domain = { ...fresh, settings: settingsOf(fresh, input.settings) }
    const records = dnsRecords(domain, serviceNames(op, domain))
    const event = domainEvent('domain.created', domain, records, op.now(), `${name} was added.`)
    await unlessTaken(op.store.addDomain(domain, event), { noun: 'domain', name })
    await op.store.inheritSuppressions(domain.id)
    return { domain, company, records }
  },
  {
    action: 'addDomain',
    note: ({ name, speaksFor, settings }, added) => ({
      ...(added === null ? { target: name } : domainNote(added.domain)),
      detail: { speaksFor, settings },
    }),
  },
)

function isDelegating({ setup }: Operation, { delegated }: NewDomainInput): boolean {
  if (delegated !== true || setup.dkimZone !== null) return delegated ?? setup.dkimZone !== null
  throw noZone()
}

/**
 * A company may add a name that another company holds. The company is told about the conflict only after it has proved
 * that the name is its own (`verifyDomain`). An operator is told at once.
 */
function refuseTaken(op: Operation, name: string): void {
  const named = visibleAccounts(op).domains.filter((domain) => domain.name === name)
  const seen = named.find(holdsName) ?? named[0]
  if (seen === undefined) return
  const about: About = { noun: 'domain', name }
  const whose = companyName(op, seen.companyId)
  const since = holdsName(seen) ? '' : ', although it is not verified yet'
  const message = `${name} is already a sending domain of ${whose}${since}`
  const domain = holdsName(seen) ? name : seen.id
  throw new OperateError('already_exists', message, { verb: 'showDomain', domain }, { about })
}

/** Ids of domains of the company, each once. Inactive domains are allowed: their state is checked when mail is sent. */
function othersOf(op: Operation, companyId: string, name: string, texts: readonly string[]): string[] {
  const others = texts.map((text) => otherOf(op, companyId, text))
  for (const other of others) {
    if (other.companyId === companyId) continue
    throw new OperateError(
      'invalid',
      `mail for ${name} can use only domains of its own company in From, not ${other.name}`,
      { verb: 'listDomains', company: companyId },
    )
  }
  return [...new Set(others.filter((other) => other.name !== name).map(({ id }) => id))]
}

/** If there is no such domain, the error suggests adding it to the same company. */
function otherOf(op: Operation, companyId: string, text: string): SendingDomain {
  try {
    return findDomain(op, text)
  } catch (error) {
    if (!(error instanceof OperateError) || error.code !== 'not_found') throw error
    throw noSuchDomain(
      text,
      visibleAccounts(op).companies.find(({ id }) => id === companyId),
    )
  }
}

/**
 * The settings with a change. An empty return path stands for the default one. A content retention or DKIM rotation of
 * 0 removes the domain's own value.
 */
function settingsOf(
  { name, settings }: Pick<SendingDomain, 'name' | 'settings'>,
  change: Partial<DomainSettings> = {},
): DomainSettings {
  const { contentRetention, dkimRotation, returnPath, ...others } = { ...settings, ...change }
  return {
    ...others,
    ...(dkimRotation ? { dkimRotation: checkedRotation(dkimRotation) } : {}),
    ...(contentRetention ? { contentRetention: checkedRetention(contentRetention)! } : {}),
    ...(returnPath ? { returnPath: change.returnPath ? returnPathHost(name, returnPath) : returnPath } : {}),
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** The record of a replaced key stays in DNS for RETIRING_MS, so keys cannot be rotated more often. */
const LEAST_ROTATION_DAYS = 8
const MAX_ROTATION_DAYS = 1_825

function checkedRotation(every: number | 'off'): number | 'off' {
  if (every === 'off' || (every >= LEAST_ROTATION_DAYS * DAY_MS && every <= MAX_ROTATION_DAYS * DAY_MS)) {
    return every
  }
  const message = `DKIM keys can be rotated every ${LEAST_ROTATION_DAYS} to ${MAX_ROTATION_DAYS} days`
  throw new OperateError('invalid', message)
}

/** `text`: a label below the domain, or a whole name. */
function returnPathHost(domain: string, text: string): string {
  const host = domainName(text.includes('.') ? text : `${text}.${domain}`)
  if (host !== domain) return host
  const message = `the return path of ${domain} must be another host, such as bounces.${domain}: other mail for ${domain} would come to it`
  throw new OperateError('invalid', message)
}

export interface DomainUpdate {
  /** Name or id. */
  domain: string
  /**
   * The other domains of the company that mail for this domain may use in From: names or ids; empty: none. They replace
   * the present ones. A key for one domain may not change this, because it concerns two domains.
   */
  speaksFor?: readonly string[]
  settings?: Partial<DomainSettings>
}

/** The records found for one host say nothing about another. */
function withoutReturnPath({ seen }: SendingDomain): Pick<SendingDomain, 'seen'> {
  const others = Object.entries(seen).filter(([kind]) => !isOfReturnPath({ kind: kind as RecordKind }))
  return { seen: Object.fromEntries(others) }
}

/** Changes the given settings, and keeps the others. */
export const updateDomain = verb(
  'manage',
  async (op, input: DomainUpdate): Promise<SendingDomain> => {
    const { speaksFor, settings } = input
    if (speaksFor !== undefined) authoriseWhole(op.caller)
    const domain = findDomain(op, input.domain)
    // Read from the store, because the operator may have changed other settings, such as the pool, since the snapshot.
    const present = (settings === undefined ? null : await op.store.findDomain(domain.id)) ?? domain
    const fresh = settings && settingsOf(present, settings)
    const updated = await changed(op, present, {
      ...(speaksFor && { speaksFor: othersOf(op, domain.companyId, domain.name, speaksFor) }),
      ...(fresh && { settings: fresh }),
      ...(fresh && fresh.returnPath !== present.settings.returnPath && withoutReturnPath(present)),
    })
    // The new return path is used as soon as DNS has its records.
    if (settings?.returnPath !== undefined) await op.store.noteDomainCheck(domain.id, { dueAt: op.now() })
    return updated
  },
  {
    action: 'updateDomain',
    note: ({ domain, speaksFor, settings }, updated) => ({
      ...(updated === null ? { target: domain } : domainNote(updated)),
      detail: { speaksFor, settings },
    }),
  },
)

export const listDomains = verb('see', async (op, of: CompanyFilter): Promise<SendingDomain[]> => {
  return listedAccounts(op, of).domains
})

/** @param input.domain name or id, as in the verbs below */
export const showDomain = verb('see', async (op, input: { domain: string }): Promise<DomainWithRecords> => {
  const domain = findDomain(op, input.domain)
  const records = dnsRecords(domain, serviceNames(op, domain))
  return { domain, records: records.filter(({ obsolete }) => !obsolete) }
})

/**
 * Lets mail leave from a domain whatever DNS says, and ends a suspension. Only for operators, because it requires no
 * proof of ownership.
 */
export const activateDomain = verb(
  'operate',
  async (op, input: { domain: string }) => {
    const domain = findDomain(op, input.domain)
    refuseHeld(op, domain)
    await keepChecked(op, domain)
    // The operator activates the domain in spite of missing records, so these must not end sending later.
    return await changed(op, domain, { sending: 'active', lostSince: null })
  },
  domainAudit('activateDomain'),
)

/** The domain of another company that holds the name of this one. */
export function holderOf({ accounts }: Operation, { id, name }: SendingDomain): SendingDomain | undefined {
  return accounts.domains.find((other) => other.name === name && other.id !== id && holdsName(other))
}

function refuseHeld(op: Operation, domain: SendingDomain): void {
  const { name } = domain
  const holder = holderOf(op, domain)
  if (holder === undefined) return
  const message =
    `${name} is a sending domain of ${companyName(op, holder.companyId)}, and only one company may send from ` +
    'a domain; remove it there first'
  throw new OperateError('conflict', message, { verb: 'showDomain', domain: holder.id })
}

/** Only the operator can end a suspension. */
export const suspendDomain = verb(
  'operate',
  async (op, input: { domain: string }) => {
    const domain = findDomain(op, input.domain)
    await keepChecked(op, domain)
    return await changed(op, domain, { sending: 'suspended' })
  },
  domainAudit('suspendDomain'),
)

/**
 * Removes the domain for good: its DKIM keys are deleted, API keys for it alone are revoked, and its name is free
 * again. Mail accepted from the domain is no longer sent: each email fails when it is due, with the reason. Sent mail
 * can still be read.
 *
 * A company cannot remove a suspended domain: it could add the domain again, without the suspension.
 */
export const removeDomain = verb(
  'manage',
  async (op, input: { domain: string }): Promise<SendingDomain> => {
    const domain = findDomain(op, input.domain)
    authoriseWhole(op.caller)
    if (op.caller.kind !== 'operator' && domain.sending === 'suspended') {
      const message = `sending from ${domain.name} is suspended: only the operator of this service may remove it`
      throw new OperateError('conflict', message)
    }
    const records = dnsRecords(domain, serviceNames(op, domain))
    const event = domainEvent('domain.deleted', domain, records, op.now(), `${domain.name} was removed.`)
    if (await op.store.removeDomain(domain.id, op.now(), event)) return domain
    throw noSuchDomain(input.domain)
  },
  domainAudit('removeDomain'),
)

function domainAudit(action: string): Audit<{ domain: string }, SendingDomain> {
  return {
    action,
    note: (input, domain) => (domain === null ? { target: input.domain } : domainNote(domain)),
  }
}

export function domainNote({ name, companyId }: SendingDomain): AuditNote {
  return { target: name, companyId }
}

/** A domain that was checked on request only is checked by itself from now on. */
async function keepChecked(op: Operation, { id }: SendingDomain): Promise<void> {
  await op.store.noteDomainCheck(id, { dueAt: op.now() + CHECK_EVERY_MS })
}

async function changed(op: Operation, domain: SendingDomain, change: DomainChange): Promise<SendingDomain> {
  await op.store.updateDomain(domain.id, change)
  return { ...domain, ...change }
}
