/** Decides whether a key may send from a domain: the one place for every dialect. */
import type { Principal, SendingDomain } from './account.ts'
import type { AccountDirectory } from './directory.ts'

/**
 * The reason why no mail is accepted from a domain: its company disabled it, the operator suspended it, or DNS is
 * unproven.
 */
export type Inactivity = 'disabled' | 'suspended' | 'unverified'

export type SendingCheck =
  | { ok: true; domain: SendingDomain }
  /** The key lacks the scope `sending`. */
  | { ok: false; why: 'scope'; scope: 'sending' }
  /** The key may send only from `domain`. */
  | { ok: false; why: 'restricted'; domain: string }
  /** The domain is unknown, or another company's: the answer is the same. */
  | { ok: false; why: 'unknown'; domain: string }
  /** The company's own domain, but it may not send. `detail` is a sentence for its owner. */
  | { ok: false; why: 'inactive'; domain: string; detail: string; cause: Inactivity }

/**
 * Checks from the key towards the domain (scope, restriction, ownership, state), so that a fault of the key is reported
 * before anything about a domain.
 *
 * @param domainName lower-case A-label form, as made by `parseDomain`
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
 * Decides whether mail sent for `domain` may also be from `authorName`: only when the domain was set up to speak for
 * it. A key for one domain sends only from that domain, whatever the domain speaks for.
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

/** The reason why no mail is accepted from the domain, for its owner; null: there is none. */
export function inactivityReason(domain: Pick<SendingDomain, 'sending' | 'settings'>): string | null {
  return acceptsMail(domain) ? null : INACTIVE[inactivityOf(domain)]
}

function inactivityOf({ sending }: Pick<SendingDomain, 'sending'>): Inactivity {
  if (sending === 'active') return 'disabled'
  return sending === 'suspended' ? 'suspended' : 'unverified'
}

const INACTIVE: Readonly<Record<Inactivity, string>> = {
  disabled: 'sending is disabled in its settings (`capabilities.sending`)',
  suspended: 'sending was suspended by the operator of this service',
  unverified: 'its DNS records have not been verified yet',
}
