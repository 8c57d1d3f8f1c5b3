/** The return path of a domain for people: where bounces come back to, and why they do not. */
import type { SendingDomain } from '../accounts/account.ts'
import { dnsRecords, isOfReturnPath } from '../accounts/dns-records.ts'
import { returnPathOf, usedReturnPath } from '../accounts/return-path.ts'
import { type ReturnPathObstacle, returnPathObstacle } from '../accounts/return-path-owner.ts'
import { serviceHosts, serviceNames } from './service-names.ts'
import type { Operation } from './verb.ts'

type OperationParts = Pick<Operation, 'accounts' | 'caller' | 'hostname' | 'publicUrl' | 'setup'>

/** Why the domain may not use the host, whatever DNS has. */
export function hostObstacle(
  op: Omit<OperationParts, 'caller'>,
  domain: SendingDomain,
  host: string,
): ReturnPathObstacle | null {
  return returnPathObstacle(domain, host, op.accounts.domains, serviceHosts(op))
}

export interface ReturnPathState {
  host: string | null
  used: boolean
  /** Why it is not in use, as a clause; null: it is, or none is wanted. */
  problem: string | null
}

export function returnPathState(op: OperationParts, domain: SendingDomain): ReturnPathState {
  const host = returnPathOf(domain)
  const used = usedReturnPath(domain) !== null
  return { host, used, problem: used ? null : problemOf(op, domain, host) }
}

function problemOf(op: OperationParts, domain: SendingDomain, host: string | null): string | null {
  const names = serviceNames(op, domain)
  const isWanted = domain.settings.returnPath !== undefined || names.bounceHost !== null
  if (!isWanted) return null
  if (host === null) return 'its name would be too long'
  const obstacle = hostObstacle(op, domain, host)
  const lacking = 'DNS has not had all of its records yet'
  if (obstacle === null) return lacking
  if (op.caller.kind === 'operator') return wordsOf(obstacle)
  // A company must not find out by a name alone who else is here; its records show that the host's owner agrees.
  const records = dnsRecords(domain, names).filter(isOfReturnPath)
  return records.every(({ seen }) => seen === 'right')
    ? 'this service does not allow it for this domain, because it may belong to somebody else'
    : lacking
}

function wordsOf(obstacle: ReturnPathObstacle): string {
  if (obstacle.kind === 'service') return 'it is a name of this service'
  const { name } = obstacle.by
  return obstacle.kind === 'used'
    ? `${name}, a domain of another company, uses it`
    : `it belongs to the organization of ${name}, a domain of another company`
}
