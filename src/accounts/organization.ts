/** Whether two names belong to one organization, without the Public Suffix List, which takes megabytes. */
import { isAtOrBelow } from '../mail/address/address-domain.ts'

/** `co.uk`, `com.au`: a short label below a country's domain is mostly that of a registry. */
const REGISTRY = /^[a-z0-9]{1,3}\.[a-z]{2}$/

/**
 * True: one name is at or below the other, or they have a parent below a TLD in common. In doubt false: a DNS record
 * that is not needed does no harm, and one that is missing does.
 */
export function isSameOrganization(one: string, other: string): boolean {
  if (isAtOrBelow(one, other) || isAtOrBelow(other, one)) return true
  const [mine, theirs] = [one, other].map((name) => name.split('.').toReversed()) as [string[], string[]]
  const length = mine.findIndex((label, index) => label !== theirs[index])
  const parent = mine.slice(0, length).toReversed().join('.')
  return length >= 2 && !REGISTRY.test(parent)
}
