/**
 * The rotation of the DKIM keys of a domain. A next key is made, and its record is shown. Once DNS has the record, the
 * next key signs in place of the previous one, whose record stays in DNS for seven days (RETIRING_MS). Then it may be
 * removed. Of delegated keys, the one in reserve is the next one, and a fresh key takes the place of the previous one.
 *
 * The stage of each key is in the store, and every step is a change that only one caller can make, so that a rotation
 * survives restarts, whichever node makes its next step.
 */
import { randomBytes } from 'node:crypto'
import {
  type DkimAlgorithm,
  type DkimIdentity,
  type DkimStage,
  MAX_DKIM_KEYS,
  RETIRING_MS,
  type RecordState,
  type SendingDomain,
  SOONEST_CHECK_MS,
} from '../accounts/account.ts'
import { isDelegated, isFoundEverywhere, isInReserve } from '../accounts/dkim-delegation.ts'
import { dkimRecordName } from '../accounts/dns-records.ts'
import { makeDkimKey } from '../accounts/key-making.ts'
import { datedSelector, dkimIdentity } from '../accounts/new-domain.ts'
import { StoreConflict } from '../store/store.ts'
import type { Audit } from './audit-trail.ts'
import { freshKey, nextDelegatedKeys } from './delegated-keys.ts'
import { refuseLackingRecord } from './dkim-guard.ts'
import { removeDkimKey } from './dkim-keys.ts'
import { OperateError } from './error.ts'
import { findDomain } from './find.ts'
import { type Operation, verb } from './verb.ts'

/**
 * Begins a rotation: there is a next key for each algorithm that the domain signs with. Mail is signed as before until
 * DNS has the record of the next key.
 */
export const rotateDkimKey = verb('manage', beginRotation, rotationAudit('rotateDkimKey', nextSelectors))

const rotateByService = verb('operate', beginRotation, rotationAudit('rotateDkimKey', nextSelectors))

async function beginRotation(op: Operation, input: { domain: string }): Promise<SendingDomain> {
  const domain = findDomain(op, input.domain)
  const waiting = keysIn(domain, 'next')
  if (waiting.length > 0) throw alreadyRotating(domain, waiting)
  if (domain.sending === 'inactive') {
    const message = `${domain.name} has not sent anything yet, so there is no key to replace. Publish the records of the domain instead`
    throw new OperateError('conflict', message, { verb: 'showDomain', domain: domain.name })
  }
  const algorithms = new Set(signing(domain).map(({ algorithm }) => algorithm))
  const { added, queued } = isDelegated(domain, op.setup.dkimZone)
    ? await nextDelegatedKeys(op, domain, algorithms)
    : { added: await nextKeys(op, domain, algorithms), queued: [] }
  if (domain.dkim.length + added.length > MAX_DKIM_KEYS) {
    const message = `${domain.name} has ${domain.dkim.length} DKIM keys, and may have ${MAX_DKIM_KEYS}: remove those that are no longer used first`
    throw new OperateError('conflict', message)
  }
  try {
    for (const key of added) await op.store.addDkimKey(domain.id, key)
    for (const { id } of queued) await op.store.queueDkimKey(id, op.now())
  } catch (error) {
    if (error instanceof StoreConflict) throw alreadyRotating(domain, [])
    throw error
  }
  await op.store.noteDomainCheck(domain.id, { dueAt: op.now() + SOONEST_CHECK_MS })
  return (await op.store.findDomain(domain.id)) ?? domain
}

async function nextKeys(
  op: Operation,
  { companyId }: SendingDomain,
  algorithms: ReadonlySet<DkimAlgorithm>,
): Promise<DkimIdentity[]> {
  const since = op.now()
  // A selector is never used twice: receivers may remember the record of an earlier key by its name.
  const suffix = randomBytes(2).toString('hex')
  const seal = await op.seal()
  const keys: DkimIdentity[] = []
  for (const algorithm of algorithms) {
    const key = await makeDkimKey(companyId, algorithm)
    const selector = `${datedSelector(since, algorithm)}-${suffix}`
    keys.push(dkimIdentity({ selector, key, active: false, seal, rotation: { stage: 'next', since } }))
  }
  return keys
}

/**
 * Ends a rotation that waits for DNS. Mail is signed as before. Its next key is removed, or, if it is delegated, goes
 * back into reserve.
 */
export const cancelDkimRotation = verb(
  'manage',
  async (op, input: { domain: string }): Promise<SendingDomain> => {
    const domain = findDomain(op, input.domain)
    const waiting = waitingKeys(domain)
    for (const { id, delegated } of waiting) {
      if (delegated) await op.store.unqueueDkimKey(id)
      else await op.store.removeDkimKey(id)
    }
    return (await op.store.findDomain(domain.id)) ?? domain
  },
  rotationAudit('cancelDkimRotation'),
)

/**
 * Signs with the next key now, instead of waiting for the service to find its record. If DNS lacks the record, only
 * with `force`.
 */
export const finishDkimRotation = verb(
  'manage',
  async (op, input: { domain: string; force?: boolean }): Promise<SendingDomain> => {
    const domain = findDomain(op, input.domain)
    const waiting = waitingKeys(domain)
    const algorithms = new Set(waiting.map(({ algorithm }) => algorithm))
    if (!input.force) {
      const remaining = domain.dkim.filter(({ active, algorithm }) => active && !algorithms.has(algorithm))
      for (const key of waiting) await refuseLackingRecord(op, domain, key, [...remaining, ...waiting])
    }
    const at = op.now()
    for (const { id } of waiting) await op.store.promoteDkimKey(id, at)
    await op.store.noteDomainCheck(domain.id, { dueAt: at })
    return (await op.store.findDomain(domain.id)) ?? domain
  },
  rotationAudit('finishDkimRotation', (domain) => ({ selector: selectorsOf(signing(domain)) })),
)

interface OneKey {
  domain: string
  selector: string
  id: string
}

const promoteKey = verb(
  'operate',
  async (op, { domain, id }: OneKey): Promise<SendingDomain> => {
    if (await op.store.promoteDkimKey(id, op.now())) return findDomain(op, domain)
    throw overtaken()
  },
  stepAudit('finishDkimRotation'),
)

const retireKey = verb(
  'operate',
  async (op, { domain, id }: OneKey): Promise<SendingDomain> => {
    const now = op.now()
    if (await op.store.retireDkimKey(id, now - RETIRING_MS, now)) return findDomain(op, domain)
    throw overtaken()
  },
  stepAudit('retireDkimKey'),
)

const renewKey = verb(
  'operate',
  async (op, { domain: id, selector, id: previous }: OneKey): Promise<SendingDomain> => {
    const domain = findDomain(op, id)
    const { algorithm } = domain.dkim.find((key) => key.id === previous) ?? {}
    if (algorithm === undefined) throw overtaken()
    const fresh = await freshKey(op, domain, { selector, algorithm })
    if (await op.store.renewDkimKey(previous, fresh, op.now() - RETIRING_MS)) return domain
    throw overtaken()
  },
  stepAudit('renewDkimKey'),
)

/**
 * Makes the steps that are due, in the name of the service. `states`: of the keys' records, by id, as DNS had them now.
 * Returns true when something was changed.
 */
export async function continueRotation(
  op: Operation,
  domain: SendingDomain,
  states: Readonly<Record<string, RecordState>>,
): Promise<boolean> {
  let changed = false
  const delegates = isDelegated(domain, op.setup.dkimZone)
  for (const key of domain.dkim) {
    const step = stepFor(key, states[key.id], { now: op.now(), delegates })
    if (step === null) continue
    changed = true
    await unlessOvertaken(step(op, { domain: domain.id, selector: key.selector, id: key.id }))
  }
  if (!isRotationDue(op, domain)) return changed
  await unlessOvertaken(rotateByService(op, { domain: domain.id }))
  return true
}

/** Another node, or a person, may have made the step meanwhile. */
async function unlessOvertaken(step: Promise<unknown>): Promise<void> {
  try {
    await step
  } catch (error) {
    if (!(error instanceof OperateError && error.code !== 'unavailable')) throw error
  }
}

/** Only when the key in reserve can sign at once: a rotation that has begun by itself must not wait for anybody. */
function isRotationDue(op: Pick<Operation, 'now' | 'setup'>, domain: SendingDomain): boolean {
  const { setup } = op
  const every = rotatedEvery(domain, setup.dkimRotation)
  if (every === null || !isDelegated(domain, setup.dkimZone) || domain.sending !== 'active') return false
  const keys = signing(domain)
  const isOld = keys.some(({ delegated, activeSince }) => {
    return delegated && (activeSince ?? domain.createdAt) <= op.now() - every
  })
  return (
    isOld &&
    keysIn(domain, 'next').length === 0 &&
    keys.every(({ algorithm }) =>
      domain.dkim.some(
        (key) => key.algorithm === algorithm && isInReserve(key) && isFoundEverywhere(key, op.now()),
      ),
    )
  )
}

/** Ms; null: never. `usual`: of the installation. */
export function rotatedEvery(
  { settings }: Pick<SendingDomain, 'settings'>,
  usual: number | null,
): number | null {
  const { dkimRotation = usual } = settings
  return dkimRotation === 'off' ? null : dkimRotation
}

type Step = (op: Operation, key: OneKey) => Promise<unknown>

function stepFor(
  { rotation, delegated, ...key }: DkimIdentity,
  state: RecordState | undefined,
  { now, delegates }: { now: number; delegates: boolean },
): Step | null {
  if (rotation === null) return null
  const { stage, since } = rotation
  if (stage === 'next') {
    const isReady = state === 'right' && (!delegated || isFoundEverywhere(key, now))
    return isReady ? promoteKey : null
  }
  const isOver = stage === 'retired' || since <= now - RETIRING_MS
  if (delegated && delegates) return isOver ? renewKey : null
  if (stage === 'retiring') return isOver ? retireKey : null
  return state === 'missing' ? removeDkimKey : null
}

function overtaken(): OperateError {
  return new OperateError('nothing_to_do', 'the key is no longer at this stage of a rotation')
}

export function keysIn({ dkim }: Pick<SendingDomain, 'dkim'>, stage: DkimStage): DkimIdentity[] {
  return dkim.filter(({ rotation }) => rotation?.stage === stage)
}

function signing({ dkim }: SendingDomain): DkimIdentity[] {
  return dkim.filter(({ active }) => active)
}

function nextSelectors(domain: SendingDomain): Record<string, unknown> {
  return { selector: selectorsOf(keysIn(domain, 'next')) }
}

function selectorsOf(keys: readonly DkimIdentity[]): string {
  return keys.map(({ selector }) => selector).join(', ')
}

/** Throws `nothing_to_do` when no rotation waits. */
function waitingKeys(domain: SendingDomain): DkimIdentity[] {
  const waiting = keysIn(domain, 'next')
  if (waiting.length > 0) return waiting
  const message = `no rotation of the DKIM key of ${domain.name} is waiting; begin one first`
  throw new OperateError('nothing_to_do', message, { verb: 'rotateDkimKey', domain: domain.name })
}

function alreadyRotating(domain: SendingDomain, waiting: readonly DkimIdentity[]): OperateError {
  const names = waiting.map((key) => dkimRecordName(key, domain)).join(' and ')
  const delegated = waiting.length > 0 && waiting.every((key) => key.delegated)
  const missing =
    names === ''
      ? ''
      : ` until DNS ${delegated ? `has had the record at ${names} for an hour` : `has the record at ${names}`}`
  const remedy = delegated ? '' : '. Publish that record, or cancel the rotation'
  const message = `a rotation of the DKIM key of ${domain.name} is already waiting${missing}${remedy}`
  return new OperateError('conflict', message, { verb: 'showDomain', domain: domain.name })
}

type ShownDetail = (domain: SendingDomain) => Record<string, unknown>

function rotationAudit(
  action: string,
  detail: ShownDetail = () => ({}),
): Audit<{ domain: string; force?: boolean }, SendingDomain> {
  return {
    action,
    note({ domain, force }, changed) {
      const forced = force === true ? { force } : {}
      if (changed === null) return { target: domain, detail: forced }
      return {
        target: changed.name,
        companyId: changed.companyId,
        detail: { ...detail(changed), ...forced },
      }
    },
  }
}

function stepAudit(action: string): Audit<OneKey, SendingDomain> {
  return {
    action,
    note({ domain, selector }, changed, { accounts }) {
      const { name, companyId } = changed ?? findIn(accounts.domains, domain)
      return { target: name, companyId, detail: { selector } }
    },
  }
}

function findIn(domains: readonly SendingDomain[], id: string): { name: string; companyId: string | null } {
  return domains.find((domain) => domain.id === id) ?? { name: id, companyId: null }
}
