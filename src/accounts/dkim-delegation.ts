/**
 * DKIM keys whose records are in a zone of the operator (POSTROAD_DKIM_ZONE). The owner of the domain publishes two
 * CNAME records once. Two keys take turns behind them: while one signs, the other one stands in DNS for the next
 * rotation, which needs nothing of the owner.
 */
import { createHash } from 'node:crypto'
import type { DkimAlgorithm, DkimIdentity, SendingDomain } from './account.ts'

const SELECTORS: Readonly<Record<DkimAlgorithm, readonly [string, string]>> = {
  'rsa-sha256': ['pr1', 'pr2'],
  'ed25519-sha256': ['pr1e', 'pr2e'],
}

/** Seconds that resolvers may remember a record of the zone. */
export const DELEGATED_TTL = 3600

/**
 * Milliseconds that the record of a delegated key must have been in DNS before mail is signed with the key. An earlier
 * key had the same name, and resolvers may still remember its record, or that there was none.
 */
export const FORGOTTEN_MS = DELEGATED_TTL * 1000

/** The selectors of the two keys that take turns. */
export function delegatedSelectors(algorithm: DkimAlgorithm): readonly [string, string] {
  return SELECTORS[algorithm]
}

/** Whether the domain's next keys are delegated ones. `zone`: null when the service has none. */
export function isDelegated({ settings }: Pick<SendingDomain, 'settings'>, zone: string | null): boolean {
  return zone !== null && settings.dkimDelegated === true
}

/** The key is published, and waits for its turn. */
export function isInReserve({ delegated, active, rotation }: DkimIdentity): boolean {
  return delegated && !active && rotation === null
}

type SeenKey = Pick<DkimIdentity, 'seen' | 'seenSince'>

/** Unix ms from which receivers everywhere find the record; null: DNS lacked it in the last check. */
export function foundEverywhereAt({ seen, seenSince }: SeenKey): number | null {
  return seen === 'right' && seenSince !== null ? seenSince + FORGOTTEN_MS : null
}

export function isFoundEverywhere(key: SeenKey, now: number): boolean {
  const at = foundEverywhereAt(key)
  return at !== null && at <= now
}

/**
 * The name of the key's record in the operator's zone. Two companies may have asked for one domain: each has a name of
 * its own here, so that the records of one prove nothing for the other, or for a company that adds the domain later.
 */
export function delegatedName(
  { selector }: Pick<DkimIdentity, 'selector'>,
  { id }: Pick<SendingDomain, 'id'>,
  zone: string,
): string {
  const label = createHash('sha256').update(id).digest('hex').slice(0, 20)
  return `${selector}.${label}.${zone}`
}
