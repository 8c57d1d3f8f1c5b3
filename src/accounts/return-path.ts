/** The host to which bounces of a domain's mail come back. */
import type { SendingDomain } from './account.ts'

/** RFC 5321 4.5.3.1.2: octets of a domain name. */
const MAX = 255
const USUAL_LABEL = 'bounces'

/** The host whose records are looked for: the one that was set, or a name below the domain. Null: that is too long. */
export function returnPathOf({ name, settings }: Pick<SendingDomain, 'name' | 'settings'>): string | null {
  const host = settings.returnPath ?? `${USUAL_LABEL}.${name}`
  return host.length > MAX ? null : host
}

/** The host that is used in MAIL FROM now; null: mail leaves with the author's own address. */
export function usedReturnPath(domain: SendingDomain): string | null {
  return domain.returnPathHost === returnPathOf(domain) ? domain.returnPathHost : null
}
