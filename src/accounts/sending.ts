/** May this key send from this domain? The one place that decides it, for every dialect. */
import type { Principal, SendingDomain } from './account.ts'
import type { AccountDirectory } from './directory.ts'

/** Why no mail is accepted from a domain: its company disabled it, the operator suspended it, or DNS is unproven. */
export type Inactivity = 'disabled' | 'suspended' | 'unverified'

export type SendingCheck =
  | { ok: true; domain: SendingDomain }
  /** The key lacks the scope `sending`. */
  | { ok: false; why: 'scope'; scope: 'sending' }
  /** The key may send from `domain` only. */
  | { ok: false; why: 'restricted'; domain: string }
  /** Nobody's domain, or another company's: the two cannot be told apart. */
  | { ok: false; why: 'unknown'; domain: string }
  /** The company's own domain, but it may not send. `detail` is a sentence for its owner. */
  | { ok: false; why: 'inactive'; domain: string; detail: string; cause: Inactivity }

/**
 * Checks from the key towards the domain (scope, restriction, ownership, state), so that what is wrong with the key is
 * said before anything is said about a domain.
 *
 * @param domainName lower-case A-label form, as `parseDomain` makes it
 */
export function checkSending(
  directory: AccountDirectory,
  principal: Principal,
  domainName: string,
): SendingCheck {
  if (!principal.scopes.has('sending')) return { ok: false, why: 'scope', scope: 'sending' }

  const domain = directory.domainNamed(domainName, principal.companyId)
  if (principal.domainId !== null && principal.domainId !== domain?.id) {
    const only = directory.domain(principal.domainId)?.name ?? principal.domainId
    return { ok: false, why: 'restricted', domain: only }
  }
  if (!domain) return { ok: false, why: 'unknown', domain: domainName }
  if (acceptsMail(domain)) return { ok: true, domain }
  const cause = inactivityOf(domain)
  return { ok: false, why: 'inactive', domain: domain.name, detail: INACTIVE[cause], cause }
}

/**
 * May mail that is sent for `domain` be from `authorName` as well? Only where the domain was set up to speak for it. A
 * key for one domain sends from that domain alone, whatever the domain speaks for.
 *
 * @param authorName lower-case A-label form
 */
export function checkAuthor(
  directory: AccountDirectory,
  principal: Principal,
  domain: SendingDomain,
  authorName: string,
): SendingCheck {
  if (domain.name === authorName) return { ok: true, domain }
  const author = directory.domainNamed(authorName, principal.companyId)
  const speaks = author !== undefined && domain.speaksFor.includes(author.id)
  if (!speaks) return { ok: false, why: 'unknown', domain: authorName }
  return checkSending(directory, principal, authorName)
}

/** Whether mail from the domain is accepted. */
export function acceptsMail({ sending, settings }: Pick<SendingDomain, 'sending' | 'settings'>): boolean {
  return sending === 'active' && !settings.sendingOff
}

function inactivityOf({ sending }: SendingDomain): Inactivity {
  if (sending === 'active') return 'disabled'
  return sending === 'suspended' ? 'suspended' : 'unverified'
}

const INACTIVE: Readonly<Record<Inactivity, string>> = {
  disabled: 'sending is disabled in its settings (`capabilities.sending`)',
  suspended: 'sending was suspended by the operator of this service',
  unverified: 'its DNS records have not been verified yet',
}
