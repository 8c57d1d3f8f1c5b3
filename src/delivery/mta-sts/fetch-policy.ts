import type { SendRequest } from '../../network/outgoing.ts'
import { type PolicyFile, readPolicy } from './policy.ts'

/** RFC 8461 3.3 suggests one minute and 64 KB. */
const TIMEOUT_MS = 30_000
const MAX_OCTETS = 64 * 1024
const HTTPS = 443

/** The domain publishes something that is not a valid policy (RFC 8460 4.3.2.2). */
export class PolicyError extends Error {}

/** RFC 8461 3.3. */
export function policyUrl(domain: string, port = HTTPS): string {
  const host = port === HTTPS ? `mta-sts.${domain}` : `mta-sts.${domain}:${port}`
  return `https://${host}/.well-known/mta-sts.txt`
}

/**
 * Fetches the policy of a domain (RFC 8461 3.3): over HTTPS, from a server with a valid certificate, without redirects.
 * Rejects with the reason when there is no policy.
 */
export async function fetchPolicy(ask: SendRequest, domain: string, port = HTTPS): Promise<PolicyFile> {
  const url = new URL(policyUrl(domain, port))
  const { status, headers, body, complete } = await ask({
    method: 'GET',
    url,
    headers: { accept: 'text/plain' },
    maxOctets: MAX_OCTETS,
    timeoutMs: TIMEOUT_MS,
  })
  if (status !== 200) throw new Error(`${url.host} answered with status ${status}`)
  // RFC 8461 3.2: guards against servers on which users may store files of other types under any path.
  if (!/^text\/plain\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new PolicyError(`${url.host} answered with something other than plain text`)
  }
  if (!complete) throw new PolicyError(`The policy of ${domain} is longer than ${MAX_OCTETS / 1024} KiB`)
  const policy = readPolicy(body.toString('utf8'))
  if (policy === null) throw new PolicyError(`The policy of ${domain} is not valid`)
  return policy
}
