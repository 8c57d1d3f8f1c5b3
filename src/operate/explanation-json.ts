/** The JSON of an explanation. */
import { relayUrl } from '../config/relay-url.ts'
import type { ForecastHost } from '../delivery/forecast/forecast.ts'
import type { DeliveryRehearsal } from '../delivery/forecast/rehearsal.ts'
import { policyUrl } from '../delivery/mta-sts/fetch-policy.ts'
import type { Path } from '../delivery/path/path.ts'
import { proxyName } from '../network/proxy/proxy.ts'
import type { Explanation } from './explain.ts'
import { isoTime, pauseJson, suppressionJson } from './shapes.ts'

/** `tried`: null unless the server was asked. */
export function explanationJson(
  { address, domain, problem, path, hosts, suppressions, pauses, last }: Explanation,
  tried: DeliveryRehearsal | null = null,
) {
  const { source, site } = path
  return {
    address,
    domain,
    deliverable: problem === null,
    problem,
    route: routeName(path),
    site: { name: site.name, provider: site.provider, limits: limitsOf(path) },
    hosts: hosts.map(({ name, preference, addresses, tls: { tls: demand, source: by } }) => ({
      name,
      preference,
      addresses,
      tls: { demand: demand === 'off' ? ('none' as const) : demand, source: by },
    })),
    policy: policyOf(domain, path, hosts),
    suppressions: suppressions.map((each) => suppressionJson(each, each.domain)),
    pauses: pauses.map(pauseJson),
    source: {
      name: source.name,
      address: firstAddress(source),
      helo: source.helo,
      proxy: firstProxy(source),
    },
    last: last.map(({ email, recipient }) => ({
      email_id: email.id,
      accepted_at: isoTime(email.createdAt),
      recipient: recipient.address,
      state: recipient.state,
      attempts: recipient.attempts,
      server: recipient.server,
      code: recipient.lastCode,
      reply: recipient.lastMessage,
    })),
    tried,
  }
}

/** Null: the operating system chooses the address. */
function firstAddress({ addresses }: Explanation['path']['source']): string | null {
  return addresses?.ipv4 ?? addresses?.ipv6 ?? null
}

/** The proxy that has the address; null: this machine has it. */
function firstProxy({ addresses, proxies }: Explanation['path']['source']): string | null {
  const proxy = proxies?.[addresses?.ipv4 == null ? 'ipv6' : 'ipv4']
  return proxy === undefined ? null : proxyName(proxy)
}

/** The first sentence for people. */
export function headlineOf({
  address,
  problem,
  route,
  site,
  suppressions,
  pauses,
}: Pick<ExplanationJson, 'address' | 'problem' | 'route' | 'site' | 'suppressions' | 'pauses'>): string {
  if (problem !== null) return `Mail to ${address} would not leave now.`
  if (site.name === 'simulator') return `Mail to ${address} would end in the simulator now.`
  if (route === 'capture') return `Mail to ${address} would be captured now: none leaves this machine.`
  const some = suppressions.some(({ tags }) => tags === null) || pauses.length > 0
  return `Mail to ${address} would leave now${some ? ', but not from every company or domain' : ''}.`
}

export type ExplanationJson = ReturnType<typeof explanationJson>

/** `direct`, `capture`, `simulator`, or the URL of a relay without its credentials. */
function routeName({ site, policy: { route } }: Path): string {
  return site.kind === 'relay' && route.kind === 'relay' ? relayUrl(route) : site.kind
}

/** The policy of the domain that counts: DANE takes precedence (RFC 8461 2). */
function policyOf(domain: string, { site: { mtaSts } }: Path, hosts: readonly ForecastHost[]) {
  const proven = hosts.find(({ tls }) => tls.source === 'dane')
  if (proven !== undefined) {
    return { kind: 'dane' as const, mode: null, source: `TLSA records of ${proven.name}`, expires_at: null }
  }
  if (mtaSts === undefined) return { kind: null, mode: null, source: null, expires_at: null }
  const { mode, expiresAt } = mtaSts
  return { kind: 'mta-sts' as const, mode, source: policyUrl(domain), expires_at: isoTime(expiresAt) }
}

function limitsOf({ limits, terms, site }: Path) {
  return {
    sessions: limits.sessions,
    messages_per_session: terms.messagesPerSession,
    messages_per_minute: limits.messagesPerMinute,
    messages_per_hour: limits.messagesPerHour,
    recipients_per_transaction: terms.recipientsPerTransaction,
    // The route of a relay says how its connections are protected.
    tls: site.kind === 'direct' ? terms.tls : null,
    envelope_behind_dot: terms.envelopeBehindDot,
    size: terms.size ?? null,
    back_off_ms: limits.backOff ?? null,
  }
}
