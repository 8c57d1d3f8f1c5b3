/** The source addresses that mail can leave from: those that a node which delivers has. */

import { namedFew } from '../common/named-few.ts'
import type { SourceAddress } from '../config/settings.ts'
import { missingAddress } from '../delivery/path/present-addresses.ts'
import { addressesOfSource, sourcesOf } from '../delivery/path/source.ts'
import { hasSource, type PresentSources } from '../queue/present-sources.ts'
import type { Operation } from './verb.ts'

export interface AddressesInService {
  isHere(address: string): boolean
  /** Why mail can leave from none of these, as a sentence without a final dot. */
  whyNone(addresses: readonly string[]): string
}

/**
 * `reported`: the names of the sources that nodes report. While they are not known, this machine tells where it is the
 * only one, apart from those behind proxies; otherwise every address counts as in service.
 */
export async function addressesInService(
  { store, setup }: Pick<Operation, 'store' | 'setup'>,
  reported: PresentSources,
): Promise<AddressesInService> {
  const configured = setup.sourceAddresses ?? []
  if (reported === null && !store.shared) {
    const isAbsent = async (source: SourceAddress) =>
      source.proxy === undefined && (await missingAddress(source)) !== null
    const absent = await Promise.all(configured.map(isAbsent))
    const here = new Set(configured.filter((_, index) => !absent[index]).map(({ address }) => address))
    return {
      isHere: (address) => here.has(address),
      whyNone: (addresses) => `this machine does not have ${namedFew(addresses, 'or')}`,
    }
  }
  // A node reports a source by the name of its first address.
  const names = new Map(
    sourcesOf(configured).flatMap((source) => addressesOfSource(source).map((each) => [each, source.name])),
  )
  return {
    isHere: (address) => hasSource(reported, address) || hasSource(reported, names.get(address) ?? address),
    whyNone: (addresses) => `no node has ${namedFew(addresses, 'or')}`,
  }
}
