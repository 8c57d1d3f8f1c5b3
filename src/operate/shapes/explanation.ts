/** The JSON of an explanation. */
import { relayUrl } from '../../config/relay-url.ts'
import type { ForecastHost } from '../../delivery/forecast/forecast.ts'
import type { DeliveryRehearsal } from '../../delivery/forecast/rehearsal.ts'
import { policyUrl } from '../../delivery/mta-sts/fetch-policy.ts'
import type { Path } from '../../delivery/path/path.ts'
import { proxyName } from '../../network/proxy/proxy.ts'
import type { Explanation } from '../explain.ts'
import { pauseJson } from './pause.ts'
import { closureJson, limitsJson, loweredJson } from './site.ts'
import { suppressionJson } from './suppression.ts'
import { isoTime } from './time.ts'

/** `tried`: null unless the server was asked. */
export function explanationJson(explanation: Explanation, tried: DeliveryRehearsal | null = null) {
  const { address, domain, obstacle, path, hosts, suppressions, pauses, last } = explanation
  const { lowered, closed, warmUp } = explanation
  const { source, site } = path
  return {
    address,
    domain,
    deliverable: obstacle === null,
    problem: obstacle?.problem ?? null,
    permanent: obstacle && obstacle.mail !== 'waits',
    route: routeName(path),
    site: {
      name: site.name,
      provider: site.provider,
      limits: limitsOf(path),
      lowered: loweredJson(lowered),
      closed: closed && closureJson(closed),
    },
    hosts: hosts.map(({ name, preference, addresses, tls: { tls: demand, source: by }, failure }) => ({
      name,
      preference,
      addresses,
      tls: { demand: demand === 'off' ? ('none' as const) : demand, source: by },
      problem: failure?.message ?? null,
    })),
    policy: policyOf(explanation),
    suppressions: suppressions.map((each) => suppressionJson(each, each.domain)),
    pauses: pauses.map(pauseJson),
    source: {
      name: source.name,
      address: firstAddress(source),
      helo: source.helo,
      proxy: firstProxy(source),
      missing: source.missing ?? null,
      warm_up: warmUp && warmUpJson(warmUp),
    },
    last: last.map(({ email, recipient, status }) => ({
      email_id: email.id,
      accepted_at: isoTime(email.createdAt),
      recipient: recipient.address,
      state: recipient.state,
      status,
      attempts: recipient.attempts,
      server: recipient.server,
      code: recipient.lastCode,
      reply: recipient.lastMessage,
    })),
    tried,
  }
}

function warmUpJson({ day, messages, limit, usedUp }: NonNullable<Explanation['warmUp']>) {
  return { day, messages, limit, used_up: usedUp }
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
  obstacle,
  path: { site },
  suppressions,
  pauses,
}: Pick<Explanation, 'address' | 'obstacle' | 'path' | 'suppressions' | 'pauses'>): string {
  if (obstacle !== null) return `Mail to ${address} ${WOULD[obstacle.mail]}.`
  if (site.kind === 'simulator') return `Mail to ${address} would end in the simulator now.`
  if (site.kind === 'capture') return `Mail to ${address} would be captured now: none leaves this machine.`
  const some = suppressions.some(({ tags }) => tags === null) || pauses.length > 0
  return `Mail to ${address} would leave now${some ? ', but not from every company or domain' : ''}.`
}

const WOULD = {
  waits: 'would wait',
  bounces: 'would bounce now',
  ends: 'would not leave now',
} as const

export type ExplanationJson = ReturnType<typeof explanationJson>

/** `direct`, `capture`, `simulator`, or the URL of a relay without its credentials. */
function routeName({ site, policy: { route } }: Path): string {
  return site.kind === 'relay' && route.kind === 'relay' ? relayUrl(route) : site.kind
}

/** The policy of the domain that counts: DANE takes precedence (RFC 8461 2). */
function policyOf(explanation: Explanation) {
  const { domain, hosts, mtaSts } = explanation
  const problem = policyProblem(explanation)
  const timeless = { mode: null, fetched_at: null, expires_at: null, problem }
  const proven = hosts.find(isUnderDane)
  if (proven !== undefined) {
    return { kind: 'dane' as const, source: `TLSA records of ${proven.name}`, ...timeless, problem: null }
  }
  if (mtaSts.policy === null) return { kind: null, source: null, ...timeless }
  const { mode, fetchedAt, expiresAt } = mtaSts.policy
  const times = { fetched_at: isoTime(fetchedAt), expires_at: isoTime(expiresAt) }
  return { kind: 'mta-sts' as const, source: policyUrl(domain), mode, ...times, problem }
}

/** A demand by DANE without its records means that they could not be looked up. */
function isUnderDane({ tls: { source, tls, dane } }: ForecastHost): boolean {
  return source === 'dane' && (tls !== 'verified' || dane !== undefined)
}

/** Why the policy of the domain is not known, or not the present one; null: it is. */
function policyProblem({ domain, path, mtaSts: { fault }, hosts, failure }: Explanation): string | null {
  if (fault?.at === 'fetch') {
    return `${domain} publishes MTA-STS, but its policy cannot be fetched: ${fault.message}`
  }
  const lookups = [failure, ...hosts.map((host) => host.failure)]
  const failed =
    path.site.kind === 'direct' ? lookups.find((each) => each?.enhancedCode === NO_DNS_ANSWER) : null
  const message = fault?.message ?? failed?.message
  return message === undefined ? null : `unknown: ${message}`
}

/** RFC 3463 3.5: the directory server failed. */
const NO_DNS_ANSWER = '4.4.3'

function limitsOf({ limits, terms, site }: Path) {
  // The route of a relay says how its connections are protected.
  const tls = site.kind === 'direct' ? terms.tls : null
  return limitsJson({ ...limits, ...terms, tls, size: terms.size ?? null, backOff: limits.backOff ?? null })
}
