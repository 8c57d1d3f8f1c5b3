import { isKeyless, type Principal, type SendingDomain } from '../accounts/account.ts'
import type { LiveAccounts } from '../accounts/live-accounts.ts'
import { usedReturnPath } from '../accounts/return-path.ts'
import { acceptsMail, checkAuthor, checkSending, type SendingCheck } from '../accounts/sending.ts'
import { domainDemand, strongerTls } from '../common/required-tls.ts'
import { AddressError, parseDomain } from '../mail/address/address.ts'
import type { NewEmail } from '../store/store.ts'
import { assertPlainSender } from './addressing.ts'
import type { CheckedSubmission, CheckOutcome } from './check.ts'
import type { NamedAuthor } from './draft.ts'
import { Refusal, refusalOf } from './refusal.ts'
import { assertSource } from './source.ts'

/**
 * Decides by the present accounts whether a caller may send a message from its author. Nothing here is asynchronous.
 */
export class Authority {
  readonly #accounts: Pick<LiveAccounts, 'directory'>
  readonly #addresses: readonly string[]

  /** `addresses`: those in POSTROAD_SOURCE_ADDRESSES. */
  constructor(accounts: Pick<LiveAccounts, 'directory'>, addresses: readonly string[] = []) {
    this.#accounts = accounts
    this.#addresses = addresses
  }

  /**
   * The email to store, if the caller may send it now. Throws a Refusal: for the key first, then for faults of the
   * parts, then for the domain.
   */
  authorized(principal: Principal, outcome: CheckOutcome): NewEmail {
    const current = this.#accounts.directory.current(principal)
    if ('denied' in current) throw refusalOf(current)
    if (!current.scopes.has('sending')) throw new Refusal({ code: 'scope_missing', scope: 'sending' })
    const { domain } = 'checked' in outcome ? outcome.checked : outcome
    if (domain !== null) this.admit(current, domain)
    if ('refusal' in outcome) throw new Refusal(outcome.refusal)
    return this.#allowed(current, outcome.checked)
  }

  /** The email to store, if the caller may send as all authors that the message names. */
  #allowed(principal: Principal, checked: CheckedSubmission): NewEmail {
    const { from, authors, email, source, refusal } = checked
    const keyless = isKeyless(principal)
    const domain = keyless
      ? this.#capturingDomain(principal, from.domain)
      : this.#sendingDomain(principal, checked.domain ?? from.domain)
    if (!keyless) {
      if (from.domain !== domain.name) this.#assertSpeaksFor(principal, domain, from.domain)
      for (const author of authors) this.#assertAuthor(principal, checked, domain, author)
    }
    assertPlainSender(from)
    if (refusal !== null) throw new Refusal(refusal)
    if (source !== undefined) assertSource(this.#accounts.directory, domain, source, this.#addresses)
    const { companyId, keyId } = principal
    const byDomain = domainDemand(domain.settings.tls)
    const tls = strongerTls(email.tls, byDomain)
    const tlsByMessage = tls !== null && tls !== byDomain
    const allowed: NewEmail = { ...email, companyId, domainId: domain.id, keyId, tls, tlsByMessage }
    // The domain of the sender signs, and only a domain of the company can.
    if (keyless) allowed.sender = `${from.local}@${domain.name}`
    const author = this.#accounts.directory.signingDomain(allowed)
    allowed.returnPathHost = author === undefined ? null : usedReturnPath(author)
    const quota = this.#accounts.directory.quotaOf(companyId)
    if (quota !== undefined) allowed.quota = quota
    return allowed
  }

  /** A domain that the setting of `domain` does not name is refused unseen, so that nothing is revealed about it. */
  #assertSpeaksFor(principal: Principal, domain: SendingDomain, fromDomain: string): void {
    const check = checkAuthor(this.#accounts.directory, principal, domain, fromDomain)
    if (check.ok) return
    if (check.why === 'unknown') throw new Refusal({ code: 'from_mismatch', domain: domain.name, fromDomain })
    throw refusalTo(check)
  }

  /**
   * Sender and Resent-From name a message's author too, so they require the same right as From (RFC 5322 3.6.2, 3.6.6).
   */
  #assertAuthor(
    principal: Principal,
    { domain: named }: CheckedSubmission,
    domain: SendingDomain,
    { field, name, mailbox }: NamedAuthor,
  ): void {
    if (mailbox.domain === domain.name) return
    const { directory } = this.#accounts
    const check =
      named === null
        ? checkSending(directory, principal, mailbox.domain)
        : checkAuthor(directory, principal, domain, mailbox.domain)
    if (check.ok) return
    const detail = `${name} names ${mailbox.domain}, a domain that this request may not send from`
    throw new Refusal({ code: 'author_denied', field, detail })
  }

  /** Throws a Refusal unless the key may send from the domain. A domain of the company that is inactive passes. */
  admit(principal: Principal, domain: string): void {
    try {
      this.#sendingDomain(principal, domain)
    } catch (error) {
      if (error instanceof Refusal && error.reason.code === 'domain_inactive') return
      throw error
    }
  }

  /** The domain in From if it may send; otherwise the company's oldest domain that may. */
  #capturingDomain({ companyId }: Principal, fromDomain: string): SendingDomain {
    const { directory } = this.#accounts
    const own = directory.domainNamed(fromDomain, companyId)
    if (own !== undefined && acceptsMail(own)) return own
    const other = directory.domains().find((each) => each.companyId === companyId && acceptsMail(each))
    if (other === undefined) throw new Refusal({ code: 'domain_unknown', domain: fromDomain })
    return other
  }

  #sendingDomain(principal: Principal, name: string): SendingDomain {
    let aLabel: string
    try {
      aLabel = parseDomain(name)
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      throw new Refusal({ code: 'domain_unknown', domain: name })
    }
    const check = checkSending(this.#accounts.directory, principal, aLabel)
    if (check.ok) return check.domain
    throw refusalTo(check)
  }
}

function refusalTo(check: Exclude<SendingCheck, { ok: true }>): Refusal {
  switch (check.why) {
    case 'scope':
      return new Refusal({ code: 'scope_missing', scope: check.scope })
    case 'restricted':
      return new Refusal({ code: 'key_restricted', domain: check.domain })
    case 'unknown':
      return new Refusal({ code: 'domain_unknown', domain: check.domain })
    case 'inactive':
      return new Refusal({
        code: 'domain_inactive',
        domain: check.domain,
        why: check.detail,
        cause: check.cause,
      })
  }
}
