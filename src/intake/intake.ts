import { randomUUIDv7 } from 'node:crypto'
import type { Principal, SendingDomain } from '../accounts/account.ts'
import type { LiveAccounts } from '../accounts/live-accounts.ts'
import { checkAuthor, checkSending, type SendingCheck } from '../accounts/sending.ts'
import { AddressError, parseDomain } from '../mail/address/address.ts'
import type { Metrics } from '../metrics.ts'
import {
  type Accepted,
  type AcceptedAll,
  type Idempotency,
  type NewEmail,
  type Store,
  StoreUnavailable,
} from '../store/store.ts'
import { assertPlainSender } from './addressing.ts'
import { type Checked, checkSubmission, type IntakeLimits, type Outcome, type Terms } from './check.ts'
import { wantsText } from './derived-text.ts'
import type { NamedAuthor } from './draft.ts'
import type { Handover, Reservation } from './handover.ts'
import { isAboutDomain, isAboutKey, type Reason, Refusal, refusalOf } from './refusal.ts'
import type { Receipt, Submission } from './submission.ts'

export interface IntakeParts {
  store: Pick<Store, 'accept' | 'acceptAll'>
  accounts: Pick<LiveAccounts, 'directory' | 'catchUp'>
  handover: Handover
  /** Text from HTML, off this thread where it is much work. */
  deriveText(html: string, companyId: string): string | Promise<string>
  limits: IntakeLimits
  metrics: Metrics
}

/** Of emails that come together. */
export interface Together {
  /** All or none: one that is refused keeps back the others. */
  strict: boolean
  /** One key for all. */
  idempotency: Idempotency | null
}

export interface AcceptedTogether {
  /** Of those accepted, in order. */
  receipts: Receipt[]
  /** By their places among those that came. */
  refused: ReadonlyMap<number, Reason>
}

/** Seconds after which a client may try again when the store takes nothing. */
const RETRY_AFTER = 5

/** From a submission to a durable email: may this key send it, is everything about it right, is it on disk. */
export class Intake {
  readonly #parts: IntakeParts

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /**
   * The first half of the checks, for a dialect that names the domain in its path: refuses a key or a domain before the
   * body is looked at. A domain that is the company's own but may not send is left for later. A promise only where the
   * domain is not known here: it may have been added a moment ago.
   */
  admit(principal: Principal, domain: string): Promise<void> | undefined {
    try {
      this.#admit(principal, domain)
      return undefined
    } catch (error) {
      if (!isAboutDomain(error)) this.#refuse(error)
    }
    const { accounts } = this.#parts
    return accounts
      .catchUp()
      .then(() => this.#admit(principal, domain))
      .catch((error) => this.#refuse(error))
  }

  /**
   * Resolves when the email is durable: from then on it is our duty to deliver it. Throws a Refusal otherwise; then
   * nothing is left behind. For submissions that can be checked on the spot.
   */
  submit(principal: Principal, submission: Submission): Promise<Receipt> {
    // Awaited only where there is something to wait for: every await costs, and most mail brings its text.
    if (wantsText(submission)) return this.#submitWithText(principal, submission)
    return this.accept(principal, checkSubmission(submission, this.terms()))
  }

  async #submitWithText(principal: Principal, submission: Submission): Promise<Receipt> {
    submission.text = await this.#parts.deriveText(submission.html!, principal.companyId)
    return this.accept(principal, checkSubmission(submission, this.terms()))
  }

  /** For a check that is made elsewhere: it is of this moment. */
  terms(): Terms {
    const { maxMessageSize, maxRecipients } = this.#parts.limits
    return { id: randomUUIDv7(), now: Date.now(), maxMessageSize, maxRecipients }
  }

  /**
   * What becomes of a checked submission: as `submit`. The key comes first, then what is wrong with the parts, then the
   * domain. Authority is looked at here, where it counts: a request may take an hour to arrive, and some time to be
   * checked, while a key is revoked or a domain suspended. Nothing is awaited between this and the store.
   */
  async accept(principal: Principal, outcome: Outcome): Promise<Receipt> {
    try {
      let email: NewEmail
      try {
        email = this.#authorized(principal, outcome)
      } catch (error) {
        if (!isAboutDomain(error)) throw error
        // The domain may have become active a moment ago.
        await this.#parts.accounts.catchUp()
        email = this.#authorized(principal, outcome)
      }
      return await this.#accept(email)
    } catch (error) {
      this.#refuse(error)
    }
  }

  /**
   * Several at once, in one commit: those that are right, or none unless all are (`strict`). Rejects with what is wrong
   * with the key, or with all of them together. One that repeats an earlier request gets its receipts.
   */
  async acceptAll(
    principal: Principal,
    outcomes: readonly Outcome[],
    { strict, idempotency }: Together,
  ): Promise<AcceptedTogether> {
    try {
      let judged = this.#judgeAll(principal, outcomes)
      if ([...judged.refused.values()].some((reason) => isAboutDomain(new Refusal(reason)))) {
        await this.#parts.accounts.catchUp()
        judged = this.#judgeAll(principal, outcomes)
      }
      const { emails, refused } = judged
      for (const { code } of refused.values()) this.#parts.metrics.refused.inc({ reason: code })
      if (emails.length === 0 || (strict && refused.size > 0)) return { receipts: [], refused }
      return { receipts: await this.#acceptAll(emails, idempotency), refused }
    } catch (error) {
      this.#refuse(error)
    }
  }

  #judgeAll(
    principal: Principal,
    outcomes: readonly Outcome[],
  ): { emails: NewEmail[]; refused: Map<number, Reason> } {
    const emails: NewEmail[] = []
    const refused = new Map<number, Reason>()
    for (const [index, outcome] of outcomes.entries()) {
      try {
        emails.push(this.#authorized(principal, outcome))
      } catch (error) {
        if (!(error instanceof Refusal) || isAboutKey(error.reason)) throw error
        refused.set(index, error.reason)
      }
    }
    return { emails, refused }
  }

  #authorized(principal: Principal, outcome: Outcome): NewEmail {
    const current = this.#parts.accounts.directory.current(principal)
    if ('denied' in current) throw refusalOf(current)
    if (!current.scopes.has('sending')) throw new Refusal({ code: 'scope_missing', scope: 'sending' })
    const { domain } = 'checked' in outcome ? outcome.checked : outcome
    if (domain !== null) this.#admit(current, domain)
    if ('refusal' in outcome) throw new Refusal(outcome.refusal)
    return this.#allowed(current, outcome.checked)
  }

  /** What is to be stored, when the caller may send as everybody the message says it is from. */
  #allowed(principal: Principal, checked: Checked): NewEmail {
    const { from, authors, email, refusal } = checked
    const domain = this.#sendingDomain(principal, checked.domain ?? from.domain)
    if (from.domain !== domain.name) this.#assertSpeaksFor(principal, domain, from.domain)
    for (const author of authors) this.#assertAuthor(principal, checked, domain, author)
    assertPlainSender(from)
    if (refusal !== null) throw new Refusal(refusal)
    const { companyId, keyId } = principal
    const allowed: NewEmail = { ...email, companyId, domainId: domain.id, keyId }
    const quota = this.#parts.accounts.directory.quotaOf(companyId)
    if (quota !== undefined) allowed.quota = quota
    return allowed
  }

  /** The setting of the domain is asked for first, so that nothing is told of a domain that it does not name. */
  #assertSpeaksFor(principal: Principal, domain: SendingDomain, fromDomain: string): void {
    const check = checkAuthor(this.#parts.accounts.directory, principal, domain, fromDomain)
    if (check.ok) return
    if (check.why === 'unknown') throw new Refusal({ code: 'from_mismatch', domain: domain.name, fromDomain })
    throw refusalTo(check)
  }

  /** Sender and Resent-From say who a message is from, so they take the same right as From (RFC 5322 3.6.2, 3.6.6). */
  #assertAuthor(
    principal: Principal,
    { domain: named }: Checked,
    domain: SendingDomain,
    { field, name, mailbox }: NamedAuthor,
  ): void {
    if (mailbox.domain === domain.name) return
    const { directory } = this.#parts.accounts
    const check =
      named === null
        ? checkSending(directory, principal, mailbox.domain)
        : checkAuthor(directory, principal, domain, mailbox.domain)
    if (check.ok) return
    const detail = `${name} names ${mailbox.domain}, a domain that this request may not send from`
    throw new Refusal({ code: 'author_denied', field, detail })
  }

  #admit(principal: Principal, domain: string): void {
    try {
      this.#sendingDomain(principal, domain)
    } catch (error) {
      if (error instanceof Refusal && error.reason.code === 'domain_inactive') return
      throw error
    }
  }

  #sendingDomain(principal: Principal, name: string): SendingDomain {
    let aLabel: string
    try {
      aLabel = parseDomain(name)
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      throw new Refusal({ code: 'domain_unknown', domain: name })
    }
    const check = checkSending(this.#parts.accounts.directory, principal, aLabel)
    if (check.ok) return check.domain
    throw refusalTo(check)
  }

  async #accept(email: NewEmail): Promise<Receipt> {
    const { store, handover, metrics } = this.#parts
    using place = handover.reserve(email)
    let accepted: Accepted
    try {
      accepted = await store.accept(email, place?.lease ?? null)
    } catch (error) {
      throw this.#storeFault(error)
    }
    switch (accepted.kind) {
      case 'accepted':
        metrics.accepted.inc()
        if (place === null) handover.waiting(email.dueAt)
        else place.begin(email, accepted.leased)
        return { id: email.id, messageId: email.content.messageId }
      case 'repeated':
        return { id: accepted.id, messageId: accepted.messageId }
      default:
        throw refusedByStore(accepted)
    }
  }

  async #acceptAll(emails: readonly NewEmail[], idempotency: Together['idempotency']): Promise<Receipt[]> {
    const { store, handover, metrics } = this.#parts
    // For all of them or for none: they are stored under one lease.
    using places = new DisposableStack()
    const reserved: Reservation[] = []
    for (const email of emails) {
      const place = handover.reserve(email)
      if (place === null) break
      reserved.push(places.use(place))
    }
    if (reserved.length < emails.length) {
      places.dispose()
      reserved.length = 0
    }
    let accepted: AcceptedAll
    try {
      accepted = await store.acceptAll({ emails, idempotency }, reserved[0]?.lease ?? null)
    } catch (error) {
      throw this.#storeFault(error)
    }
    switch (accepted.kind) {
      case 'accepted':
        metrics.accepted.inc(emails.length)
        for (const [index, email] of emails.entries()) {
          const place = reserved[index]
          if (place === undefined) handover.waiting(email.dueAt)
          else place.begin(email, accepted.leased[index]!)
        }
        return emails.map(({ id, content: { messageId } }) => ({ id, messageId }))
      case 'repeated':
        return accepted.emails
      default:
        throw refusedByStore(accepted)
    }
  }

  /** What is said where the store takes nothing now. */
  #storeFault(error: unknown): unknown {
    if (!(error instanceof StoreUnavailable)) return error
    this.#parts.metrics.storeFaults.inc()
    const detail = 'the message could not be stored, nothing was accepted'
    return new Refusal({ code: 'unavailable', retryAfter: RETRY_AFTER, detail }, { cause: error })
  }

  /** Throws the error again, counted where it is a Refusal. */
  #refuse(error: unknown): never {
    if (error instanceof Refusal) this.#parts.metrics.refused.inc({ reason: error.reason.code })
    throw error
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
      return new Refusal({ code: 'domain_inactive', domain: check.domain, why: check.detail })
  }
}

function refusedByStore(refused: Exclude<AcceptedAll, { kind: 'accepted' | 'repeated' }>): Refusal {
  if (refused.kind === 'conflict') return new Refusal({ code: 'idempotency_conflict' })
  return new Refusal({ code: 'quota_exceeded', which: refused.which, limit: refused.limit })
}
