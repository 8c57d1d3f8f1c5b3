/**
 * Changes of DKIM keys that do harm, by the records that DNS has at this moment: a signature whose key is not in DNS
 * cannot be verified (RFC 6376 6.1.2), and mail without any other signature fails DKIM.
 */
import type { DkimIdentity, RecordState, SendingDomain } from '../accounts/account.ts'
import { dkimRecordName, dnsRecords } from '../accounts/dns-records.ts'
import { checkRecord } from '../accounts/verify.ts'
import { OperateError } from './error.ts'
import { serviceNames } from './service-names.ts'
import type { Operation } from './verb.ts'

type OperationParts = Pick<Operation, 'accounts' | 'hostname' | 'resolver' | 'setup'>

const FAILS = 'servers may refuse it or put it into spam'

/**
 * Throws `unconfirmed` when DNS lacks the record of a key that is to sign mail.
 *
 * @param signing the keys that will sign, this one among them
 */
export async function refuseLackingRecord(
  op: OperationParts,
  domain: SendingDomain,
  key: DkimIdentity,
  signing: readonly DkimIdentity[],
): Promise<void> {
  const state = await stateOf(op, domain, key)
  if (state === 'right') return
  const others = signing.filter(({ id }) => id !== key.id)
  const good = await firstRight(op, domain, others)
  const consequence =
    good === null
      ? `mail from ${domain.name} would fail DKIM, and ${FAILS}`
      : `only the signature of ${good.selector} would count`
  throw new OperateError(
    'unconfirmed',
    `${FOUND[state](dkimRecordName(key, domain))}. Receivers cannot verify mail signed with ${key.selector}: ${consequence}`,
  )
}

/**
 * Throws `unconfirmed` when the record of a key that is to sign no more is in DNS, and none of those that remain.
 *
 * @param remaining the keys that will sign then
 */
export async function refuseLastGood(
  op: OperationParts,
  domain: SendingDomain,
  key: DkimIdentity,
  remaining: readonly DkimIdentity[],
): Promise<void> {
  if ((await stateOf(op, domain, key)) !== 'right') return
  if ((await firstRight(op, domain, remaining)) !== null) return
  throw new OperateError(
    'unconfirmed',
    `${key.selector} is the only key that signs mail from ${domain.name} and is in DNS. Without it ` +
      `no receiver can verify a signature: the mail would fail DKIM, and ${FAILS}`,
  )
}

const FOUND: Readonly<Record<Exclude<RecordState, 'right'>, (name: string) => string>> = {
  missing: (name) => `DNS has no record at ${name}`,
  different: (name) => `DNS has another record than this key needs at ${name}`,
  unknown: (name) => `DNS did not answer for ${name}`,
}

async function stateOf(op: OperationParts, domain: SendingDomain, key: DkimIdentity): Promise<RecordState> {
  const names = serviceNames(op, domain)
  const [record] = dnsRecords({ ...domain, dkim: [key] }, names)
  return (await checkRecord(domain, record!, names, op.resolver())).state
}

async function firstRight(
  op: OperationParts,
  domain: SendingDomain,
  keys: readonly DkimIdentity[],
): Promise<DkimIdentity | null> {
  const states = await Promise.all(keys.map((key) => stateOf(op, domain, key)))
  return keys.find((_, index) => states[index] === 'right') ?? null
}
