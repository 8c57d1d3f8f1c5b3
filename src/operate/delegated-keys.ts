/** DKIM keys in the operator's zone: those that a rotation needs, and those that follow. */
import type { DkimAlgorithm, DkimIdentity, SendingDomain } from '../accounts/account.ts'
import { delegatedSelectors, isInReserve } from '../accounts/dkim-delegation.ts'
import { makeDkimKey } from '../accounts/key-making.ts'
import { dkimIdentity } from '../accounts/new-domain.ts'
import { retiresAt } from './domain-schedule.ts'
import { OperateError } from './error.ts'
import type { Operation } from './verb.ts'

/** The keys that a rotation needs: `added` are made for it, `queued` are there already. */
export interface NextKeys {
  added: DkimIdentity[]
  queued: DkimIdentity[]
}

/** Throws `conflict` while the keys of both selectors are needed. */
export async function nextDelegatedKeys(
  op: Operation,
  domain: SendingDomain,
  algorithms: Iterable<DkimAlgorithm>,
): Promise<NextKeys> {
  const next: NextKeys = { added: [], queued: [] }
  for (const algorithm of algorithms) {
    const free = delegatedSelectors(algorithm).filter((selector) => keyAt(domain, selector) === undefined)
    const reserve = domain.dkim.find((key) => key.algorithm === algorithm && isInReserve(key))
    if (reserve === undefined && free.length === 0) throw allTaken(domain, algorithm)
    if (reserve !== undefined) next.queued.push(reserve)
    for (const [index, selector] of free.entries()) {
      const isNext = reserve === undefined && index === 0
      const rotation = isNext ? { rotation: { stage: 'next', since: op.now() } as const } : {}
      next.added.push({ ...(await freshKey(op, domain, { selector, algorithm })), ...rotation })
    }
  }
  return next
}

/** A delegated key in reserve. */
export async function freshKey(
  op: Operation,
  { companyId }: Pick<SendingDomain, 'companyId'>,
  { selector, algorithm }: { selector: string; algorithm: DkimAlgorithm },
): Promise<DkimIdentity> {
  const key = await makeDkimKey(companyId, algorithm)
  return dkimIdentity({ selector, key, active: false, seal: await op.seal(), delegated: true })
}

function keyAt({ dkim }: SendingDomain, selector: string): DkimIdentity | undefined {
  return dkim.find((key) => key.selector === selector)
}

function allTaken(domain: SendingDomain, algorithm: DkimAlgorithm): OperateError {
  const uses = delegatedSelectors(algorithm).map((selector) => {
    const { active, delegated, rotation } = keyAt(domain, selector)!
    if (!delegated) return `${selector} is a key of another kind (remove it, or give it another selector)`
    if (rotation?.stage !== 'retiring') return `${selector} ${active ? 'signs mail' : 'is being replaced'}`
    return `mail signed with ${selector} may be under way until ${new Date(retiresAt(rotation)).toISOString()}`
  })
  const message = `${domain.name} has no free DKIM selector for a next key: ${uses.join(', and ')}`
  return new OperateError('conflict', message, { verb: 'showDomain', domain: domain.name })
}
