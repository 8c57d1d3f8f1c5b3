import type { SendingDomain } from '../accounts/account.ts'
import type { AccountDirectory, Signable } from '../accounts/directory.ts'
import { aheadBy } from '../common/clock.ts'
import type { Log } from '../common/logging.ts'
import { notAttempted } from '../email/not-attempted.ts'
import type { HoldReason } from '../email/recipient.ts'
import type { ClaimedRecipient, Pause, Store } from '../store/store.ts'
import type { GiveBackReason } from './attempt.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { HoldReleases } from './hold-releases.ts'
import { SuppressionWatch } from './new-suppressions.ts'
import { Pauses } from './pauses.ts'
import type { RetrySchedule } from './retry-schedule.ts'

/** Mail of a domain that may not send is looked at again after this long. */
const HELD_MS = 60_000
/** Mail to a paused site is released when the pause ends; until then it is looked at again after this long. */
const SITE_PAUSED_MS = 6 * 3_600_000
/** Changed stops are read after this delay: many changes may come at once. */
const STOPS_MS = 100
const BACK_OFF_MS = 500
/** The longest wait for the end of a pause: the clock may be set meanwhile. */
const PAUSE_END_MS = 30_000
/** Mail is released whenever it is due. */
const ALL = Number.MAX_SAFE_INTEGER

/** The recipients that may begin, and those that are given back. */
interface StopSplit {
  go: ClaimedRecipient[]
  back: { recipients: ClaimedRecipient[]; why: GiveBackReason }[]
}

export interface StopsParts {
  store: Pick<Store, 'cancelRequests' | 'heldDomains' | 'releaseHeld' | 'suppressionsSince' | 'pauses'>
  accounts: Pick<AccountDirectory, 'domain' | 'signingDomain' | 'isRemoved'>
  retrySchedule: Pick<RetrySchedule, 'endOf'>
  /** Work that waits in memory. */
  waiting(): Iterable<ReadyDelivery>
  /** Called when held or paused mail may go, or waiting work is paused. */
  onChanged(): void
  log: Pick<Log, 'error'>
}

/**
 * Stops mail that must not go out now although its time has come: mail of a domain that may not send, canceled and
 * paused mail, and recipients suppressed since the store handed them out.
 */
export class Stops {
  readonly #parts: StopsParts
  /** Domains (ids) whose mail was given back because they may not send. */
  readonly #heldDomains = new Set<string>()
  /** Those of them of which all held mail is released once they may send, whatever it is held for. */
  readonly #wholly = new Set<string>()
  /** Emails to be canceled that have recipients in the state `sending`. */
  #toCancel: ReadonlySet<string> = new Set()
  readonly #suppressions = new SuppressionWatch()
  /** The pauses as they were last read. */
  readonly pauses = new Pauses()
  readonly releases: HoldReleases
  #cursor: string | null = null
  #timer: NodeJS.Timeout | undefined
  #pauseEnd: NodeJS.Timeout | undefined
  #reading = false
  #failing = false
  #stopped = false

  constructor(parts: StopsParts) {
    this.#parts = parts
    this.releases = new HoldReleases({ ...parts, onReleased: () => parts.onChanged() })
  }

  /**
   * Reads which mail is held, paused or to be canceled since before this process began. Must have resolved before the
   * first claim.
   */
  async start(): Promise<void> {
    for (const id of await this.#parts.store.heldDomains()) this.#heldDomains.add(id)
    // Mail held for a closed path is released as well: this process has still to find out the state of the path.
    for (const id of this.#heldDomains) this.#releaseOf(id, ALL)
    // A look that is due meanwhile comes after this one.
    this.#reading = true
    try {
      await this.#refresh()
    } finally {
      this.#reading = false
    }
  }

  /** Must be called when another node has ended: mail that it held for a closed path has nobody to release it. */
  async nodeEnded(): Promise<void> {
    try {
      for (const id of await this.#parts.store.heldDomains()) this.#releaseOf(id, ALL, 'path')
    } catch (error) {
      this.#parts.log.error({ err: error }, 'Could not release mail held by another node; it is sent later')
    }
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    clearTimeout(this.#pauseEnd)
    this.releases.stop()
  }

  /** Null when the whole delivery may begin: the usual case. */
  sift(ready: ReadyDelivery, now: number): StopSplit | null {
    const whole = this.#whole(ready, now) ?? this.#atSite(ready, now)
    if (whole !== null) return { go: [], back: [{ recipients: ready.recipients, why: whole }] }
    if (this.pauses.none && this.#suppressions.none(ready)) return null
    const parts = Map.groupBy(ready.recipients, (recipient) => this.#part(ready, recipient))
    if (parts.size === 1 && parts.has(null)) return null
    const back = [...parts].flatMap(([message, recipients]) => {
      return message === null ? [] : [{ recipients, why: { dueAt: now, heldFor: null, message } }]
    })
    return { go: parts.get(null) ?? [], back }
  }

  /** Call it when domains may have become active: mail held for them is due now. */
  domainsChanged(): void {
    // Mail that is held again from now on is due later than that.
    const dueBefore = Date.now() + HELD_MS + 1
    for (const id of this.#heldDomains) this.#releaseOf(id, dueBefore, 'domain')
  }

  /** The delivery was given back because its site is paused, and that is now durable. */
  pauseWritten({ email, path }: ReadyDelivery): void {
    if (this.pauses.coversSite(email.companyId, path.site.key)) return
    // The pause ended before this delivery could be released.
    this.#releaseOf(email.domainId, ALL, 'pause')
  }

  /** Mail from this domain (id) was given back as held, and that is now durable. */
  heldWritten(domainId: string): void {
    if (this.#heldDomains.has(domainId)) return
    // The domain's mail was released before this delivery could be.
    this.#heldDomains.add(domainId)
    this.domainsChanged()
  }

  /** `heldFor`: the reason that is over; absent: what is held for any reason may go. */
  #releaseOf(id: string, dueBefore: number, heldFor?: HoldReason): void {
    const { accounts } = this.#parts
    if (accounts.domain(id)?.sending !== 'active') {
      this.#heldDomains.add(id)
      if (heldFor !== 'domain') this.#wholly.add(id)
      return
    }
    const isAll = this.#wholly.delete(id) || heldFor === undefined
    if (isAll || heldFor === 'domain') this.#heldDomains.delete(id)
    const some = isAll ? { dueBefore: ALL } : { dueBefore, heldFor }
    // This domain alone: others may be held again meanwhile, with times of their own.
    void this.releases.release(id, some, {
      failed: () => {
        this.#heldDomains.add(id)
        if (isAll || heldFor !== 'domain') this.#wholly.add(id)
      },
      again: () => {
        if (this.#heldDomains.has(id)) this.#releaseOf(id, dueBefore, heldFor)
      },
    })
  }

  /** Call it when there may be more, or less, to stop. */
  stopsChanged(): void {
    this.#look(STOPS_MS)
  }

  #whole({ email }: ReadyDelivery, now: number): GiveBackReason | null {
    // The store ends the email as canceled when it is given back.
    if (this.#toCancel.has(email.id))
      return { dueAt: now, heldFor: null, message: notAttempted('canceled before its delivery started') }
    const end = this.#parts.retrySchedule.endOf(email)
    // A wall clock that is ahead for a moment ends no mail.
    if (end !== null && end <= now - aheadBy(now)) {
      const message = email.giveUpAt === end ? TOO_LATE : TOO_OLD
      return { dueAt: Number.POSITIVE_INFINITY, heldFor: null, message, category: 'expired' }
    }
    const { accounts } = this.#parts
    const domain = accounts.domain(email.domainId)
    const signing = accounts.signingDomain(email)
    if (domain?.sending === 'active' && signing?.sending === 'active') return null
    if (this.#isGone(email, domain, signing)) {
      return {
        dueAt: Number.POSITIVE_INFINITY,
        heldFor: null,
        message: 'Its sending domain was removed before it was sent',
      }
    }
    this.#heldDomains.add(email.domainId)
    const stopped = domain?.sending === 'active' ? signing : domain
    const message = notAttempted(`${stopped?.name ?? 'a removed domain'} may not send`)
    return { dueAt: now + HELD_MS, heldFor: 'domain', message }
  }

  /** Claims cannot leave such mail in the store: they do not know its path. */
  #atSite({ email, path }: ReadyDelivery, now: number): GiveBackReason | null {
    if (!this.pauses.coversSite(email.companyId, path.site.key)) return null
    return { dueAt: now + SITE_PAUSED_MS, heldFor: 'pause', message: PAUSED }
  }

  /** A domain that is merely unknown may be new to this node: its mail waits. */
  #isGone(
    { domainId, sender }: Signable,
    domain: SendingDomain | undefined,
    signing: SendingDomain | undefined,
  ): boolean {
    const { accounts } = this.#parts
    if (domain === undefined) return accounts.isRemoved(domainId)
    return signing === undefined && accounts.isRemoved(sender.slice(sender.lastIndexOf('@') + 1))
  }

  #part(ready: ReadyDelivery, recipient: ClaimedRecipient): string | null {
    if (this.pauses.covers(ready.email.companyId, recipient.domain)) return PAUSED
    return this.#suppressions.concern(ready, recipient) ? SUPPRESSED : null
  }

  #look(ms: number): void {
    if (!this.#stopped) this.#timer ??= setTimeout(() => void this.#read(), ms).unref()
  }

  async #read(): Promise<void> {
    this.#timer = undefined
    // An overtaken answer must not come last.
    if (this.#reading) return this.#look(STOPS_MS)
    this.#reading = true
    try {
      await this.#refresh()
      this.#failing = false
    } catch (error) {
      // Logged once for each outage: reading is tried again twice a second.
      if (!this.#failing) {
        this.#parts.log.error({ err: error }, 'Cannot read pauses, cancellations and suppressions; retrying')
      }
      this.#failing = true
      this.#look(BACK_OFF_MS)
    }
    this.#reading = false
  }

  /** Nobody notifies the nodes of a pause that ends by itself. */
  #awaitEnd(pauses: readonly Pause[], now: number): void {
    clearTimeout(this.#pauseEnd)
    const next = Math.min(...pauses.map(({ until }) => until ?? Number.POSITIVE_INFINITY))
    if (next === Number.POSITIVE_INFINITY || this.#stopped) return
    this.#pauseEnd = setTimeout(() => this.#look(0), Math.min(next - now, PAUSE_END_MS)).unref()
  }

  async #refresh(): Promise<void> {
    const { store, waiting, onChanged } = this.#parts
    const wall = Date.now()
    // A wall clock that is ahead for a moment ends no pause.
    const now = wall - aheadBy(wall)
    const [cancels, suppressions, pauses] = await Promise.all([
      store.cancelRequests(),
      store.suppressionsSince(this.#cursor),
      store.pauses(now),
    ])
    this.#toCancel = new Set(cancels)
    this.#cursor = suppressions.cursor
    this.#suppressions.add(suppressions.added, waiting())
    this.#awaitEnd(pauses, now)
    const next = new Pauses()
    next.replace(pauses)
    const isSiteOver = this.pauses.sites.some((site) => !next.sites.includes(site))
    // Any node, also one that has ended, may have held mail of the site. When this look fails, the pauses stay as they
    // are, and the next look finds the change again.
    const held = isSiteOver ? await store.heldDomains() : []
    if (!this.pauses.replace(pauses)) return
    for (const id of held) this.#releaseOf(id, ALL, 'pause')
    onChanged()
  }
}

const TOO_LATE = 'Gave up: the time within which the sender wanted it delivered is over'
const TOO_OLD = 'Gave up: the time within which this service delivers mail is over'
const PAUSED = notAttempted('paused by an operator')
/** The store ends the recipient at the next claim. */
const SUPPRESSED = notAttempted('the address was added to the suppression list before the delivery started')
