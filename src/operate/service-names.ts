/** The facts about this service that the DNS records of a domain depend on. */
import type { SendingDomain } from '../accounts/account.ts'
import type { ServiceNames } from '../accounts/dns-records.ts'
import type { SendingHost } from '../accounts/own-spf.ts'
import { isForeignReturnPath } from '../accounts/return-path-owner.ts'
import { addressesOfSource } from '../delivery/path/source.ts'
import { OperateError } from './error.ts'
import { sourceChoice } from './source-choice.ts'
import type { Operation } from './verb.ts'

type OperationParts = Pick<Operation, 'hostname' | 'setup' | 'accounts'>

export function serviceNames(op: OperationParts, domain: SendingDomain): ServiceNames {
  const { hostname, setup, accounts } = op
  const own = accounts.routes.some(
    ({ companyId, domainId }) =>
      companyId === domain.companyId && (domainId === null || domainId === domain.id),
  )
  const listens = setup.bounceListeners.length > 0
  const bounceHost = setup.bounceHost ?? (listens ? hostname : null)
  const relayed = own || setup.delivery.kind === 'relay'
  const sendingHosts = relayed ? [{ name: hostname, addresses: [] }] : directHosts(op, domain)
  return {
    hostname,
    sendingHosts,
    bounceHost,
    relayed,
    dkimZone: setup.dkimZone,
    foreignReturnPath: isForeignReturnPath(domain, accounts.domains),
  }
}

/** The hosts that direct mail of the domain leaves from: those of its pool, or all. */
export function directHosts(op: OperationParts, { id, companyId }: SendingDomain): SendingHost[] {
  const sources = sourceChoice(op).of({ id: '', companyId, domainId: id, source: null })
  return sources.map((source) => ({ name: source.helo, addresses: addressesOfSource(source) }))
}

/** The host names that belong to the service itself. */
export function serviceHosts({
  hostname,
  setup,
  publicUrl,
}: Pick<Operation, 'hostname' | 'setup' | 'publicUrl'>): string[] {
  const { bounceHost, sourceAddresses, dkimZone } = setup
  const url = publicUrl === null ? null : new URL(publicUrl).hostname
  const greeted = (sourceAddresses ?? []).map(({ helo }) => helo)
  return [hostname, bounceHost, dkimZone, url, ...greeted].filter((name) => name !== null)
}

export function noZone(): OperateError {
  const message =
    'this service has no zone for the DKIM keys of domains: its operator has to name one in POSTROAD_DKIM_ZONE, such as dkim.example.net'
  return new OperateError('invalid', message)
}
