import { randomUUIDv7 } from 'node:crypto'
import type { Principal } from '../accounts/account.ts'
import type { LiveAccounts } from '../accounts/live-accounts.ts'
import type { Metrics } from '../metrics.ts'
import {
  type AcceptAllResult,
  type AcceptedEmail,
  type AcceptResult,
  type Idempotency,
  type NewEmail,
  type Store,
  StoreUnavailable,
} from '../store/store.ts'
import { Authority } from './authority.ts'
import { type CheckOutcome, type CheckParameters, checkSubmission, type IntakeLimits } from './check.ts'
import { wantsText } from './derived-text.ts'
import type { Handover, Reservation } from './handover.ts'
import { isAboutDomain, isAboutKey, type Reason, Refusal, refusalOf } from './refusal.ts'
import type { Submission } from './submission.ts'

interface IntakeParts {
  store: Pick<Store, 'accept' | 'acceptAll' | 'repeated'>
  accounts: Pick<LiveAccounts, 'directory' | 'catchUp'>
  handover: Handover
  /** Derives text from HTML, off this thread when it is much work. */
  deriveText(html: string, companyId: string): string | Promise<string>
  limits: IntakeLimits
  /** The addresses in POSTROAD_SOURCE_ADDRESSES. */
  sourceAddresses?: readonly string[]
  metrics: Metrics
}

/** Options for emails of one request. */
interface BatchTerms {
  /** All or none: one refused email holds back the others. */
  strict: boolean
  /** The key that all emails of the request share. */
  idempotency: Idempotency | null
}

interface BatchReceipt {
  /** Receipts of the accepted emails, in order. */
  receipts: AcceptedEmail[]
  /** The reasons of refused emails, by their index in the request. */
  refused: ReadonlyMap<number, Reason>
}

interface BatchVerdict {
  emails: NewEmail[]
  refused: Map<number, Reason>
}

/** Seconds after which a client may try again when the store accepts nothing. */
const RETRY_AFTER = 5

/** Turns a submission into a durable email: checks the key and the content, and stores the email. */
export class Intake {
  readonly #parts: IntakeParts
  readonly #authority: Authority

  constructor(parts: IntakeParts) {
    this.#parts = parts
    this.#authority = new Authority(parts.accounts, parts.sourceAddresses)
  }

  /**
   * The first half of the checks, for a dialect that names the domain in its path: refuses a key or a domain before the
   * body is read. A domain that is the company's own but may not send is left for later. Returns a promise only when
   * the domain is unknown here, because it may have been added a moment ago.
   */
  admit(principal: Principal, domain: string): Promise<void> | undefined {
    try {
      this.#authority.admit(principal, domain)
      return undefined
    } catch (error) {
      if (!(error instanceof Refusal && isAboutDomain(error.reason))) this.#refuse(error)
    }
    const { accounts } = this.#parts
    return accounts
      .catchUp()
      .then(() => this.#authority.admit(principal, domain))
      .catch((error) => this.#refuse(error))
  }

  /**
   * Resolves when the email is durable: from then on we are obliged to deliver it. Throws a Refusal otherwise, and
   * leaves nothing behind. For submissions that can be checked in place.
   */
  submit(principal: Principal, submission: Submission): Promise<AcceptedEmail> {
    // Awaited only when necessary: every await costs, and most mail brings its text.
    if (wantsText(submission)) return this.#submitWithText(principal, submission)
    return this.accept(principal, checkSubmission(submission, this.terms()))
  }

  async #submitWithText(principal: Principal, submission: Submission): Promise<AcceptedEmail> {
    submission.text = await this.#parts.deriveText(submission.html!, principal.companyId)
    return this.accept(principal, checkSubmission(submission, this.terms()))
  }

  /** The parameters for a check that is made elsewhere; id and time are those of the call. */
  terms(): CheckParameters {
    const { maxMessageSize, maxRecipients } = this.#parts.limits
    return { id: randomUUIDv7(), now: Date.now(), maxMessageSize, maxRecipients }
  }

  /**
   * Accepts a checked submission, as `submit` does. A fault of the key is reported first, then one of the submission,
   * then one of the domain. Authority is checked here: a request may take an hour to arrive, and some time to be
   * checked, while a key is revoked or a domain suspended. Nothing is awaited between this and the store.
   */
  async accept(principal: Principal, outcome: CheckOutcome): Promise<AcceptedEmail> {
    try {
      let email: NewEmail
      try {
        email = this.#authority.authorized(principal, outcome)
      } catch (error) {
        if (!(error instanceof Refusal && isAboutDomain(error.reason))) throw error
        // The domain may have become active a moment ago.
        await this.#parts.accounts.catchUp()
        email = this.#authority.authorized(principal, outcome)
      }
      return await this.#accept(email)
    } catch (error) {
      this.#refuse(error)
    }
  }

  /**
   * Accepts several emails at once, in one commit: the valid ones, or with `strict` none unless all are valid. Rejects
   * for a fault of the key, or of all emails together, such as a quota. A request that repeats an earlier one gets the
   * earlier receipts.
   */
  async acceptAll(
    principal: Principal,
    outcomes: readonly CheckOutcome[],
    { strict, idempotency }: BatchTerms,
  ): Promise<BatchReceipt> {
    try {
      const { emails, refused } = await this.#judgedTogether(principal, outcomes)
      for (const { code } of refused.values()) this.#parts.metrics.refused.inc({ reason: code })
      if (emails.length === 0 || (strict && refused.size > 0)) return { receipts: [], refused }
      return { receipts: await this.#acceptAll(emails, idempotency), refused }
    } catch (error) {
      this.#refuse(error)
    }
  }

  /**
   * The reasons for which some of these submissions would be refused now, by index, for a caller that has work to do
   * before `acceptAll`. Rejects with a Refusal for a fault of the key.
   */
  async judge(principal: Principal, outcomes: readonly CheckOutcome[]): Promise<ReadonlyMap<number, Reason>> {
    try {
      const { refused } = await this.#judgedTogether(principal, outcomes)
      return refused
    } catch (error) {
      this.#refuse(error)
    }
  }

  /** Throws a Refusal, and counts it. */
  refuse(reason: Reason): never {
    this.#refuse(new Refusal(reason))
  }

  /** Checks again after catching up, because domains may have become active a moment ago. */
  async #judgedTogether(principal: Principal, outcomes: readonly CheckOutcome[]): Promise<BatchVerdict> {
    const judged = this.#judgeAll(principal, outcomes)
    if (![...judged.refused.values()].some((reason) => isAboutDomain(reason))) return judged
    await this.#parts.accounts.catchUp()
    return this.#judgeAll(principal, outcomes)
  }

  /**
   * The receipts of an earlier request with this key and fingerprint, without its work being done again; null when
   * there was no such request.
   */
  async repeated(principal: Principal, idempotency: Idempotency): Promise<AcceptedEmail[] | null> {
    const current = this.#parts.accounts.directory.current(principal)
    if ('denied' in current) this.#refuse(refusalOf(current))
    try {
      return await this.#parts.store.repeated(principal.companyId, idempotency, Date.now())
    } catch (error) {
      this.#refuse(this.#storeFault(error))
    }
  }

  #judgeAll(principal: Principal, outcomes: readonly CheckOutcome[]): BatchVerdict {
    const emails: NewEmail[] = []
    const refused = new Map<number, Reason>()
    for (const [index, outcome] of outcomes.entries()) {
      try {
        emails.push(this.#authority.authorized(principal, outcome))
      } catch (error) {
        if (!(error instanceof Refusal) || isAboutKey(error.reason)) throw error
        refused.set(index, error.reason)
      }
    }
    return { emails, refused }
  }

  async #accept(email: NewEmail): Promise<AcceptedEmail> {
    const { store, handover, metrics } = this.#parts
    using place = handover.reserve(email)
    let accepted: AcceptResult
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
        throw this.#refusedByStore(accepted, email)
    }
  }

  async #acceptAll(
    emails: readonly NewEmail[],
    idempotency: BatchTerms['idempotency'],
  ): Promise<AcceptedEmail[]> {
    const { store, handover, metrics } = this.#parts
    // All emails get a place, or none does: they are stored under one lease.
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
    let accepted: AcceptAllResult
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
        throw this.#refusedByStore(accepted, emails[0]!)
    }
  }

  /** The Refusal for a store that accepts nothing now; any other error is returned as it is. */
  #storeFault(error: unknown): unknown {
    if (!(error instanceof StoreUnavailable)) return error
    this.#parts.metrics.storeFaults.inc()
    const detail = 'could not store the message; nothing was accepted'
    return new Refusal({ code: 'unavailable', of: 'mail', retryAfter: RETRY_AFTER, detail }, { cause: error })
  }

  #refusedByStore(
    refused: Exclude<AcceptAllResult, { kind: 'accepted' | 'repeated' }>,
    { domainId }: Pick<NewEmail, 'domainId'>,
  ): Refusal {
    if (refused.kind === 'conflict') return new Refusal({ code: 'idempotency_conflict' })
    const { which, limit } = refused
    const now = Date.now()
    const until = nextPeriod(which, now)
    const retryAfter = Math.ceil((until - now) / 1_000)
    const domain = this.#parts.accounts.directory.domain(domainId)?.name ?? ''
    return new Refusal({ code: 'quota_exceeded', domain, which, limit, until, retryAfter })
  }

  /** Throws the error again, and counts it if it is a Refusal. */
  #refuse(error: unknown): never {
    if (error instanceof Refusal) this.#parts.metrics.refused.inc({ reason: error.reason.code })
    throw error
  }
}

/** Unix ms of the beginning of the next day or month, in UTC. */
function nextPeriod(which: 'daily' | 'monthly', now: number): number {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return which === 'daily' ? Date.UTC(year, month, date.getUTCDate() + 1) : Date.UTC(year, month + 1)
}
