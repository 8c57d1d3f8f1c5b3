/** Moves the DKIM keys of domains into the operator's zone and back, and prints that zone. */
import {
  type DkimIdentity,
  type DomainSettings,
  isPublished,
  type SendingDomain,
} from '../accounts/account.ts'
import { DELEGATED_TTL, delegatedName, delegatedSelectors, isInReserve } from '../accounts/dkim-delegation.ts'
import { datedSelector } from '../accounts/new-domain.ts'
import { zoneLine } from '../accounts/zone-file.ts'
import { dkimRecord } from '../mail/dkim/key.ts'
import { freshKey } from './delegated-keys.ts'
import { keysIn, rotateDkimKey } from './dkim-rotation.ts'
import { domainNote } from './domains.ts'
import { OperateError } from './error.ts'
import { companyName, findDomain } from './find.ts'
import { noZone } from './service-names.ts'
import { type Operation, verb } from './verb.ts'

export interface DelegationInput {
  domain: string
  /** False: the domain publishes its keys itself again. */
  delegated: boolean
}

/**
 * Moves the DKIM keys of a domain into the operator's zone, or back. A domain that sends does so by a rotation: it
 * signs with the previous key until DNS has the next one.
 */
export const delegateDkim = verb(
  'manage',
  async (op, { domain: named, delegated }: DelegationInput): Promise<SendingDomain> => {
    const domain = findDomain(op, named)
    if (delegated && op.setup.dkimZone === null) throw noZone()
    const settings = await settingsNow(op, domain)
    if ((settings.dkimDelegated === true) === delegated) {
      const message = `the DKIM keys of ${domain.name} are published ${delegated ? 'by CNAME' : 'by TXT records'} already`
      throw new OperateError('nothing_to_do', message)
    }
    const moved = withDelegation(settings, delegated)
    await op.store.updateDomain(domain.id, { settings: moved })
    try {
      await move(op, { ...domain, settings: moved }, delegated)
    } catch (error) {
      // The operator may have changed others of them meanwhile.
      const present = await settingsNow(op, domain)
      await op.store.updateDomain(domain.id, { settings: withDelegation(present, !delegated) })
      throw error
    }
    await op.store.noteDomainCheck(domain.id, { dueAt: op.now() })
    return (await op.store.findDomain(domain.id)) ?? domain
  },
  {
    action: 'delegateDkim',
    note: ({ domain, delegated }, moved) => ({
      ...(moved === null ? { target: domain } : domainNote(moved)),
      detail: { delegated },
    }),
  },
)

async function settingsNow({ store }: Operation, domain: SendingDomain): Promise<DomainSettings> {
  return ((await store.findDomain(domain.id)) ?? domain).settings
}

function withDelegation({ dkimDelegated: _, ...others }: DomainSettings, delegated: boolean): DomainSettings {
  return delegated ? { ...others, dkimDelegated: true } : others
}

async function move(op: Operation, domain: SendingDomain, delegated: boolean): Promise<void> {
  if (domain.sending === 'inactive') return await replaceKeys(op, domain, delegated)
  if (!delegated) {
    const waiting = keysIn(domain, 'next').filter((key) => key.delegated)
    for (const { id } of waiting) await op.store.unqueueDkimKey(id)
    const moved = (await op.store.findDomain(domain.id)) ?? domain
    if (moved.dkim.some((key) => key.active && key.delegated)) await rotate(op, moved)
    for (const key of moved.dkim) if (isInReserve(key)) await op.store.removeDkimKey(key.id)
    return
  }
  await rotate(op, domain)
}

async function rotate(op: Operation, domain: SendingDomain): Promise<void> {
  const others = op.accounts.domains.filter(({ id }) => id !== domain.id)
  const accounts = { ...op.accounts, domains: [...others, domain] }
  await rotateDkimKey({ ...op, accounts }, { domain: domain.id })
}

/** No mail was signed yet: nobody needs the previous keys. */
async function replaceKeys(op: Operation, domain: SendingDomain, delegated: boolean): Promise<void> {
  const previous = domain.dkim.filter((key) => key.delegated !== delegated && (delegated || key.delegated))
  const algorithms = new Set(domain.dkim.filter(({ active }) => active).map(({ algorithm }) => algorithm))
  const since = op.now()
  for (const algorithm of algorithms) {
    const selectors = delegated ? delegatedSelectors(algorithm) : [datedSelector(since, algorithm)]
    for (const [index, selector] of selectors.entries()) {
      const key = await freshKey(op, domain, { selector, algorithm })
      const active = index === 0
      const activeSince = active ? since : null
      await op.store.addDkimKey(domain.id, { ...key, delegated, active, activeSince })
    }
  }
  for (const { id } of previous) await op.store.removeDkimKey(id)
}

/** A TXT record of the operator's zone. */
export interface ZoneRecord {
  name: string
  ttl: number
  value: string
  /** The record as a line of a zone file. */
  line: string
  domain: string
  company: string
}

/** The records that the operator's zone needs, in an order that stays. */
export const dkimZone = verb(
  'operate',
  async (op: Operation): Promise<{ zone: string; records: ZoneRecord[] }> => {
    const zone = op.setup.dkimZone
    if (zone === null) throw noZone()
    const records = op.accounts.domains.flatMap((domain) => {
      const company = companyName(op, domain.companyId)
      return domain.dkim.filter(isInZone).map((key): ZoneRecord => {
        const name = delegatedName(key, domain, zone)
        const value = dkimRecord(key.algorithm, key.publicKey)
        const line = zoneLine({ name, type: 'TXT', value, preference: null }, DELEGATED_TTL)
        return { name, ttl: DELEGATED_TTL, value, line, domain: domain.name, company }
      })
    })
    return { zone, records }
  },
  null,
)

function isInZone(key: DkimIdentity): boolean {
  return key.delegated && (isPublished(key) || isInReserve(key) || key.rotation?.stage === 'next')
}
