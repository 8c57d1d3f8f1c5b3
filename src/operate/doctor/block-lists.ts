/** Whether block lists name the addresses that this machine sends from (RFC 5782). */
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BLOCK_LIST_ZONES, type BlockListZone } from '../../mail/reply/block-lists.ts'
import { addressAdvice } from '../reverse-dns.ts'
import type { Hosts, Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, unknown } from './check.ts'

/** RFC 5782 5: every list of IPv4 addresses has this entry. */
const TEST_ENTRY = '127.0.0.2'

/** Octets of a list's own words that are shown. */
const LONGEST_REASON = 200

/**
 * One check for each list. For mail through a relay nothing is checked, because the relay's address counts, which is
 * its operator's concern.
 */
export function blockListChecks(op: Operation): PlannedCheck[] {
  if (op.setup.delivery.kind !== 'direct') {
    const found = 'Mail does not leave from an address of this machine.'
    return [{ id: 'block-lists', title: 'Block lists', run: async () => ok(found) }]
  }
  return BLOCK_LIST_ZONES.map((list) => ({
    id: `block-list:${list.id}`,
    title: `Block list ${list.name}`,
    run: () => listCheck(op, list),
  }))
}

async function listCheck(op: Operation, list: BlockListZone): Promise<CheckFinding> {
  const hosts = op.hosts()
  const sources = await sourcesOf(op)
  if (sources.length === 0) {
    return unknown(`Not checked, because ${op.hostname} has no address in DNS.`, addressAdvice(op.hostname))
  }
  const refusal = await whyNotAllowed(hosts, list)
  if (refusal !== null) return refusal
  const asked = sources.filter((address) => isIPv4(address) || list.ipv6)
  const answers = await Promise.all(asked.map(async (source) => await entryOf(op, list, source)))
  const listed = answers.filter((answer) => answer !== null)
  const failed = listed.find(({ failure }) => failure !== null)
  const entries = listed.filter(({ failure }) => failure === null)
  if (entries.length > 0) {
    return problem(
      entries.map(({ address, reason }) => `${address} is listed${reason}.`).join(' '),
      entries.every(({ isPolicy }) => isPolicy)
        ? `The provider of the network lists it as one that sends no mail: ask for an address for mail servers, then for removal at ${list.removal}.`
        : `Find out what sent the mail that led to it, then ask for removal at ${list.removal}.`,
    )
  }
  if (failed !== undefined) return silent(list, failed.failure!)
  if (asked.length === 0) return ok('The list has no IPv6 addresses, and this machine sends from no other.')
  return ok(`${asked.join(' and ')}: not listed.`)
}

/** POSTROAD_SOURCE_ADDRESSES, or else the addresses of the host name, one of which the system chooses. */
async function sourcesOf(op: Operation): Promise<string[]> {
  const { sourceAddresses } = op.setup
  if (sourceAddresses !== null && sourceAddresses.length > 0) {
    return sourceAddresses.map(({ address }) => address)
  }
  const found = await op.hosts().addresses(op.hostname)
  return found.kind === 'found' ? found.records.map(({ address }) => address) : []
}

/**
 * Many lists refuse large public resolvers, and some answer them as if nothing were listed. So the test entry, which
 * every list has, is looked up first.
 */
async function whyNotAllowed(hosts: Hosts, list: BlockListZone): Promise<CheckFinding | null> {
  const probe = await hosts.addresses(nameIn(list, TEST_ENTRY))
  if (probe.kind === 'failed') return silent(list, probe.reason)
  const codes = probe.kind === 'found' ? probe.records.map(({ address }) => address) : []
  if (codes.some(isEntry)) return null
  const found =
    codes.length === 0
      ? `${list.name} does not answer this resolver: it returns not even its test entry.`
      : `${list.name} does not accept queries of this resolver: it answers ${codes.join(', ')}.`
  return unknown(
    found,
    'Run a resolver on this machine, name it in POSTROAD_DNS_SERVERS, and register its address with the list if that is required.',
  )
}

interface ListEntry {
  address: string
  /** The reason, in the words of the list. */
  reason: string
  /** The DNS failure, if there was no answer. */
  failure: string | null
  /** True: the entry lists a network whose provider allows no mail from it, whatever the address has done. */
  isPolicy: boolean
}

/** Null: the address is not listed. */
async function entryOf(op: Operation, list: BlockListZone, address: string): Promise<ListEntry | null> {
  const name = nameIn(list, address)
  const found = await op.hosts().addresses(name)
  if (found.kind === 'failed') return { address, reason: '', failure: found.reason, isPolicy: false }
  const codes = found.kind === 'found' ? found.records.map((record) => record.address).filter(isEntry) : []
  if (codes.length === 0) return null
  const texts = await op.resolver().txt(name)
  const [words] = texts.kind === 'found' ? texts.records : []
  const reason = words === undefined ? codes.join(', ') : words.slice(0, LONGEST_REASON)
  return { address, reason: ` (${reason})`, failure: null, isPolicy: codes.every(isPolicyEntry) }
}

function silent(list: BlockListZone, reason: string): CheckFinding {
  return unknown(`DNS answers ${reason} for ${list.name}.`, 'Try again in a minute.')
}

/**
 * RFC 5782 2.1: entries lie in 127.0.0.0/8. Spamhaus and others answer with 127.255.255.x when they refuse the
 * resolver. Any other address comes from a resolver that answers for names that do not exist.
 */
function isEntry(address: string): boolean {
  return address.startsWith('127.') && !address.startsWith('127.255.255.')
}

/** Spamhaus answers so for the PBL: 127.0.0.10 was entered by the provider, 127.0.0.11 by Spamhaus. */
function isPolicyEntry(code: string): boolean {
  return code === '127.0.0.10' || code === '127.0.0.11'
}

/** RFC 5782 2.1 and 2.4: the octets, or the hexadecimal digits of IPv6, in reverse order. */
function nameIn({ zone }: BlockListZone, address: string): string {
  const parsed = ipaddr.process(address)
  const parts =
    parsed.kind() === 'ipv4'
      ? parsed.toByteArray()
      : parsed.toByteArray().flatMap((octet) => [...octet.toString(16).padStart(2, '0')])
  return `${parts.toReversed().join('.')}.${zone}`
}
