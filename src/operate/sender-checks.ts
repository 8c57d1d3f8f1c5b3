/**
 * Checks of the names and addresses that a domain's mail leaves from, and of the domain's logo. Receivers look them up
 * beside the records of the domain: EHLO name and address of each source of direct mail, and BIMI.
 */
import { isIPv6 } from 'node:net'
import type { RecordState, SendingDomain } from '../accounts/account.ts'
import { BIMI_EXAMPLE, bimiFault, bimiName, bimiRecordsIn } from '../accounts/bimi.ts'
import { publishedPolicy } from '../accounts/dmarc.ts'
import type { SendingHost } from '../accounts/own-spf.ts'
import { namedFew } from '../common/named-few.ts'
import { interfaceAddresses, isPublicIpv4 } from '../network/private-address.ts'
import { findDomain } from './find.ts'
import { ASK_AGAIN, reverseFault } from './reverse-dns.ts'
import { directHosts, serviceNames } from './service-names.ts'
import { type Operation, verb } from './verb.ts'

export interface SenderCheck {
  kind: 'ehlo' | 'ptr' | 'bimi'
  type: 'A' | 'AAAA' | 'PTR' | 'TXT'
  /** The name, or the address, that DNS was asked for. */
  name: string
  /** The right value. */
  value: string
  found: string[]
  state: RecordState
  /** Null when right. */
  advice: string | null
  purpose: string
}

const PURPOSE: Readonly<Record<SenderCheck['kind'], string>> = {
  ehlo: 'EHLO: this service introduces itself to other servers by this name. The name should resolve to the address that its mail comes from.',
  ptr:
    'Reverse DNS: many receivers refuse mail from an address that does not resolve back to the name in EHLO. The provider ' +
    'of the address sets this record.',
  bimi: 'BIMI: the logo that some mailbox providers show beside mail from this domain.',
}

export const checkSender = verb(
  'see',
  async (op, { domain }: { domain: string }): Promise<SenderCheck[]> =>
    await senderChecks(op, findDomain(op, domain)),
)

/** Asks DNS. Mail that a relay sends has no source here, and a domain without a BIMI record needs none. */
export async function senderChecks(op: Operation, domain: SendingDomain): Promise<SenderCheck[]> {
  const [hosts, bimi] = await Promise.all([checkHosts(op, domain), checkBimi(op, domain)])
  return [...hosts, ...bimi]
}

async function checkHosts(op: Operation, domain: SendingDomain): Promise<SenderCheck[]> {
  const { setup } = op
  if (setup.delivery.kind !== 'direct' || serviceNames(op, domain).relayed) return []
  const inWords = await addressesInWords(op)
  const checks = directHosts(op, domain).map((host) => checkHost(op.hosts(), host, inWords))
  return (await Promise.all(checks)).flat()
}

/** The addresses of the sending nodes as words, where other machines than this one send. Null: this one sends all. */
async function addressesInWords({ store, caller, deliveries }: Operation): Promise<string | null> {
  if (!store.shared) return null
  const senders = (await store.nodes()).filter(({ roles }) => roles.includes('delivery'))
  if (senders.length > 0 && senders.every(({ token }) => token === deliveries?.token)) return null
  const words = 'the public address of each node that sends'
  if (caller.kind !== 'operator' || senders.length === 0) return words
  const names = [...new Set(senders.map(({ name }) => name))]
  return `${words} (${namedFew(names.toSorted(), 'and')})`
}

/**
 * `addresses`: those that mail leaves from; empty: the system chooses, among those of the name, or, until the name has
 * one, those of this machine. `inWords`: see `addressesInWords`.
 */
async function checkHost(
  hosts: ReturnType<Operation['hosts']>,
  { name: helo, addresses }: SendingHost,
  inWords: string | null,
): Promise<SenderCheck[]> {
  const answer = await hosts.addresses(helo)
  const found = answer.kind === 'found' ? answer.records.map(({ address }) => address) : []
  const shared = { kind: 'ehlo', name: helo, purpose: PURPOSE.ehlo } as const
  const known = addresses.length > 0 ? addresses : found
  const isGuessed = known.length === 0 && helo.includes('.') && inWords === null
  const all = isGuessed ? interfaceAddresses().filter(isPublicIpv4) : known
  if (all.length === 0) {
    const value = inWords ?? 'the public address of this service'
    const wanted = { ...shared, type: 'A', value, found } as const
    if (answer.kind === 'failed') return [{ ...wanted, ...silence(answer.reason, helo) }]
    const advice = helo.includes('.')
      ? `Add ${inWords === null ? 'an address record for' : `${inWords} to the address records of`} ${helo}, the name of this service in EHLO.`
      : `"${helo}" is not a public host name: the operator has to set POSTROAD_HOSTNAME.`
    return [{ ...wanted, state: 'missing', advice }]
  }
  const checks = all.map(async (address): Promise<SenderCheck[]> => {
    const type = isIPv6(address) ? ('AAAA' as const) : ('A' as const)
    const own = found.filter((each) => isIPv6(each) === isIPv6(address))
    const wanted = { ...shared, type, value: address, found: own }
    return [
      { ...wanted, ...forwardState(answer, helo, address, own) },
      await checkReverse(hosts, helo, address),
    ]
  })
  return (await Promise.all(checks)).flat()
}

type SenderState = Pick<SenderCheck, 'state' | 'advice'>

function forwardState(
  answer: Awaited<ReturnType<ReturnType<Operation['hosts']>['addresses']>>,
  helo: string,
  address: string,
  found: readonly string[],
): SenderState {
  if (answer.kind === 'failed') return silence(answer.reason, helo)
  if (found.includes(address)) return { state: 'right', advice: null }
  const advice = `Add ${address} to the address records of ${helo}, the name of this service in EHLO.`
  return { state: found.length === 0 ? 'missing' : 'different', advice }
}

async function checkReverse(
  hosts: ReturnType<Operation['hosts']>,
  helo: string,
  address: string,
): Promise<SenderCheck> {
  const wanted = { kind: 'ptr', type: 'PTR', name: address, value: helo, purpose: PURPOSE.ptr } as const
  const fault = await reverseFault(hosts, helo, address)
  if (fault === null) return { ...wanted, found: [helo], state: 'right', advice: null }
  const { names: found, advice } = fault
  const state = fault.state === 'unknown' ? 'unknown' : found.length === 0 ? 'missing' : 'different'
  return { ...wanted, found, state, advice }
}

function silence(reason: string, name: string): SenderState {
  return { state: 'unknown', advice: `DNS answers ${reason} for ${name}. ${ASK_AGAIN}` }
}

async function checkBimi(op: Operation, { name: domain }: SendingDomain): Promise<SenderCheck[]> {
  const resolver = op.resolver()
  const name = bimiName(domain)
  const answer = await resolver.txt(name)
  const found = answer.kind === 'found' ? bimiRecordsIn(answer.records) : []
  if (found.length === 0) return []
  const policy = await publishedPolicy(domain, resolver)
  const fault = bimiFault(found, policy === 'unknown' ? null : policy)
  const state = fault === null ? 'right' : 'different'
  const wanted = { kind: 'bimi', type: 'TXT', name, value: BIMI_EXAMPLE, purpose: PURPOSE.bimi } as const
  return [{ ...wanted, found, state, advice: fault }]
}
