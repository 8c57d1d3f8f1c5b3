import { randomUUIDv7 } from 'node:crypto'
import type { Principal, SendingDomain } from '../accounts/account.ts'
import type { AccountDirectory } from '../accounts/directory.ts'
import { checkSending } from '../accounts/sending.ts'
import { AddressError, parseDomain } from '../mail/address/address.ts'
import type { Metrics } from '../metrics.ts'
import { type NewEmail, type Store, StoreUnavailable } from '../store/store.ts'
import { assertPlainSender, readAddressing } from './addressing.ts'
import { checkCopies, checkStoredValues } from './batch.ts'
import { type Draft, draftFromParts, type NamedAuthor } from './draft.ts'
import { draftFromRaw, openRaw, sealRaw } from './draft-from-raw.ts'
import type { Handover } from './handover.ts'
import { assertHeaderBound } from './header-bound.ts'
import { Refusal, refusalOf } from './refusal.ts'
import { checkSize } from './size.ts'
import type { Receipt, Submission } from './submission.ts'

export interface IntakeLimits {
  /** Octets of a composed message. */
  maxMessageSize: number
  /** to + cc + bcc. */
  maxRecipients: number
}

export interface IntakeParts {
  store: Pick<Store, 'accept'>
  directory: AccountDirectory
  handover: Handover
  /** Text from HTML, off this thread. */
  deriveText(html: string): Promise<string>
  limits: IntakeLimits
  metrics: Metrics
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
   * body is looked at. A domain that is the company's own but may not send is left for later.
   */
  admit(principal: Principal, domain: string): void {
    try {
      this.#admit(principal, domain)
    } catch (error) {
      throw this.#counted(error)
    }
  }

  /**
   * Resolves when the email is durable: from then on it is our duty to deliver it. Throws a Refusal otherwise; then
   * nothing is left behind.
   */
  async submit(principal: Principal, submission: Submission): Promise<Receipt> {
    try {
      const draft = this.#draft(principal, submission)
      // Awaited only where there is something to wait for: every await costs, and most mail brings its text.
      if (draft.textWanted) {
        const text = await this.#parts.deriveText(draft.content.html ?? '')
        if (text) draft.content.text = text
      }
      const email = this.#check(principal, submission, draft)
      this.#assertStillAllowed(principal, submission, draft)
      return await this.#accept(email)
    } catch (error) {
      throw this.#counted(error)
    }
  }

  /** The parts of the message. The key comes first, from there the checks go to the smallest part: both dialects report so. */
  #draft(principal: Principal, submission: Submission): Draft {
    if (!principal.scopes.has('sending')) throw new Refusal({ code: 'scope_missing', scope: 'sending' })
    if (submission.domain !== undefined) this.#admit(principal, submission.domain)
    const { raw } = submission
    const { maxRecipients } = this.#parts.limits
    if (raw !== undefined) return draftFromRaw(submission, raw, openRaw(raw), maxRecipients)
    assertHeaderBound(submission)
    return draftFromParts(submission, readAddressing(submission, maxRecipients))
  }

  /** Whether the whole may be sent, and what is to be stored of it. */
  #check(principal: Principal, submission: Submission, draft: Draft): NewEmail {
    const { from, content } = draft
    const domain = this.#authorise(principal, submission, draft)
    assertPlainSender(from)
    const { maxRecipients, maxMessageSize } = this.#parts.limits
    if (draft.recipients.length > maxRecipients) {
      throw new Refusal({ code: 'too_many_recipients', max: maxRecipients, found: draft.recipients.length })
    }
    const now = Date.now()
    const id = randomUUIDv7()
    content.date = now
    content.messageId ||= `<${id}@${domain.name}>`
    const raw = draft.raw === null ? null : sealRaw(draft.raw, content)
    const size = checkSize(draft, raw, maxMessageSize)
    if (draft.addressees !== null) {
      checkCopies(content, raw, draft.addressees, maxMessageSize)
      checkStoredValues(draft.recipients, maxMessageSize)
    }
    const scheduled = submission.dueAt !== undefined && submission.dueAt > now
    return {
      id,
      companyId: principal.companyId,
      domainId: domain.id,
      keyId: principal.keyId,
      sender: from.address,
      content,
      raw,
      bcc: draft.bcc,
      tags: submission.tags,
      variables: submission.variables,
      individual: submission.recipientVariables !== undefined,
      testMode: submission.testMode,
      createdAt: now,
      dueAt: scheduled ? submission.dueAt! : now,
      scheduled,
      size,
      recipients: draft.recipients,
      idempotency: submission.idempotency ?? null,
    }
  }

  /** The domain it is sent from, when the caller may send as everybody the message says it is from. */
  #authorise(principal: Principal, submission: Submission, { from, authors }: Draft): SendingDomain {
    const domain = this.#sendingDomain(principal, submission.domain ?? from.domain)
    if (from.domain !== domain.name) {
      throw new Refusal({ code: 'from_mismatch', domain: domain.name, fromDomain: from.domain })
    }
    for (const author of authors) this.#assertAuthor(principal, submission, domain, author)
    return domain
  }

  /**
   * Authority is looked at again where it counts: a request may take an hour to arrive, and a text some time to be derived, while a key
   * is revoked or a domain suspended. Nothing is awaited between this and the store.
   */
  #assertStillAllowed(principal: Principal, submission: Submission, draft: Draft): void {
    const current = this.#parts.directory.current(principal)
    if ('denied' in current) throw refusalOf(current)
    this.#authorise(current, submission, draft)
  }

  /** Sender and Resent-From say who a message is from, so they take the same right as From (RFC 5322 3.6.2, 3.6.6). */
  #assertAuthor(
    principal: Principal,
    submission: Submission,
    domain: SendingDomain,
    { field, name, mailbox }: NamedAuthor,
  ): void {
    if (mailbox.domain === domain.name) return
    const { directory } = this.#parts
    if (submission.domain === undefined && checkSending(directory, principal, mailbox.domain).ok) return
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
    const check = checkSending(this.#parts.directory, principal, aLabel)
    if (check.ok) return check.domain
    switch (check.why) {
      case 'scope':
        throw new Refusal({ code: 'scope_missing', scope: check.scope })
      case 'restricted':
        throw new Refusal({ code: 'key_restricted', domain: check.domain })
      case 'unknown':
        throw new Refusal({ code: 'domain_unknown', domain: check.domain })
      case 'inactive':
        throw new Refusal({ code: 'domain_inactive', domain: check.domain, why: check.detail })
    }
  }

  async #accept(email: NewEmail): Promise<Receipt> {
    const { store, handover, metrics } = this.#parts
    const lease = handover.lease(email)
    try {
      const accepted = await store.accept(email, lease)
      switch (accepted.kind) {
        case 'accepted':
          metrics.accepted.inc()
          if (lease === null) handover.waiting(email.dueAt)
          else handover.accepted(email, accepted.leased, lease)
          return { id: email.id, messageId: email.content.messageId }
        case 'repeated':
          if (lease !== null) handover.abandoned(lease)
          return { id: accepted.id, messageId: accepted.messageId }
        case 'conflict':
          if (lease !== null) handover.abandoned(lease)
          throw new Refusal({ code: 'idempotency_conflict' })
      }
    } catch (error) {
      if (error instanceof Refusal) throw error
      if (lease !== null) handover.abandoned(lease)
      if (!(error instanceof StoreUnavailable)) throw error
      metrics.storeFaults.inc()
      const detail = 'the message could not be stored, nothing was accepted'
      throw new Refusal({ code: 'unavailable', retryAfter: RETRY_AFTER, detail }, { cause: error })
    }
  }

  #counted(error: unknown): unknown {
    if (error instanceof Refusal) this.#parts.metrics.refused.inc({ reason: error.reason.code })
    return error
  }
}
