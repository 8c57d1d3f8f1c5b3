/** The JSON of an explanation. Limits and policies that delivery does not know yet are null. */
import { relayUrl } from '../config/relay-url.ts'
import type { DeliveryRehearsal } from '../delivery/forecast/rehearsal.ts'
import type { Path } from '../delivery/path/path.ts'
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
    site: { name: site.name, provider: null, limits: limitsOf(path) },
    hosts: hosts.map(({ name, preference, addresses, tls: { demand, source: by } }) => ({
      name,
      preference,
      addresses,
      tls: { demand: demand === 'off' ? ('none' as const) : demand, source: by },
    })),
    policy: NO_POLICY,
    suppressions: suppressions.map(suppressionJson),
    pauses: pauses.map(pauseJson),
    // The operating system chooses the address.
    source: { name: source.name, address: null, helo: source.helo },
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

export type ExplanationJson = ReturnType<typeof explanationJson>

/** `direct`, `capture`, `simulator`, or the URL of a relay without its credentials. */
function routeName({ site, policy: { route } }: Path): string {
  return site.kind === 'relay' && route.kind === 'relay' ? relayUrl(route) : site.kind
}

const NO_POLICY = { kind: null, mode: null, source: null, expires_at: null }

function limitsOf({ limits: { sessions } }: Path) {
  return {
    sessions,
    messages_per_session: null,
    messages_per_minute: null,
    messages_per_hour: null,
    recipients_per_transaction: null,
    tls: null,
  }
}
